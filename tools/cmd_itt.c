// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "itt.h"
#include "say.h"

static const char help[] =
	"usage: vsamp itt env [--dir DIR [--make] | --output FILE] [--shell] [--json]\n"
	"       vsamp itt join DIR|FILE [-o FILE]\n"
	"\n"
	"Programs that are built with ittnotify tell of their tasks and events once they are started with\n"
	"two variables. 'vsamp record -- COMMAND' sets them; this is for programs that it doesn't start.\n"
	"\n"
	"env: prints the lines that a systemd unit gets, so that 'vsamp record -a --itt-dir DIR' has what\n"
	"its programs tell. Changes nothing, but for --make.\n"
	"      --dir DIR         the folder for what they tell (default: " ITT_DIR_DEFAULT ")\n"
	"      --make            make it: any user's programs may write to it, none reads others'\n"
	"      --output FILE     without a recorder: programs write this file, for 'vsamp report --itt FILE'\n"
	"      --shell           print what a shell takes instead\n"
	"      --json            print JSON (docs/json.md)\n"
	"\n"
	"join: writes a recording, without samples, of what programs left in DIR, a folder of this kind, also\n"
	"where they or vsamp record were killed, or in FILE. Either stays as it is.\n"
	"  -o, --output FILE     (default " FILE_DEFAULT "; one that exists becomes FILE.old)\n"
	"\n"
	"  -h, --help\n"
	"\n"
	"Ends with 0, 1 for a failure, 2 for wrong options.\n";

void itt_help(void)
{
	fputs(help, stdout);
}

int itt_usage(const char *part, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	say("itt%s%s: %s ('vsamp itt -h' has the options)", *part ? " " : "", part, text);
	return EXIT_USAGE;
}

int cmd_itt(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";

	if (!strcmp(part, "env"))
		return itt_env(argc - 1, argv + 1);
	if (!strcmp(part, "join"))
		return itt_join(argc - 1, argv + 1);
	if (!strcmp(part, "-h") || !strcmp(part, "--help")) {
		itt_help();
		return 0;
	}
	return *part ? itt_usage("", "'%s' is neither env nor join", part) :
		       itt_usage("", "env or join?");
}
