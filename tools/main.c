// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "terminal.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
	bool shows; /* on a terminal: --color and --no-pager are options of it, too */
} commands[] = {
	{ "record", cmd_record, "sample the machine, processes or a command into a file", false },
	{ "report", cmd_report, "show where the samples of a file fell", true },
	{ "annotate", cmd_annotate,
	  "show the code of a symbol, with the samples of each instruction", true },
	{ "diff", cmd_diff, "show how recordings differ", true },
	{ "top", cmd_top, "show the hottest symbols while they run", true },
	{ "calibrate", cmd_calibrate, "find Sample-After values, and print them for later", false },
	{ "stat", cmd_stat, "count events, without samples", false },
	{ "list", cmd_list, "list the events that can be named", false },
	{ "doctor", cmd_doctor, "say what keeps sampling from working here, and the remedy",
	  false },
	{ "info", cmd_info, "show what a file holds: the run, its settings, what was lost", false },
	{ "script", cmd_script, "show the samples of a file one by one", true },
	{ "gpu", cmd_gpu, "list GPUs, and give them to the module or take them from it", false },
	{ "gen", cmd_gen, "show and instrument kernels for Intel GPUs", false },
	{ "export", cmd_export, "write a file in the format of another tool", false },
	{ "itt", cmd_itt, "have services tell of their tasks, and join what programs told", false },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *f)
{
	fputs("usage: vsamp [--no-pager] [--color[=auto|always|never]] COMMAND [OPTIONS]\n"
	      "       vsamp -h | --version\n\n",
	      f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-9s %s\n", commands[i].name, commands[i].what);
	fputs("\n'vsamp COMMAND -h' tells a command's options.\n", f);
}

/* Files opened later must not take the place of streams that the caller closed */
static void streams_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3);
	if (fd >= 3)
		close(fd);
}

/* What was asked for must get out */
static int streams_end(int code)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	/* Why is not known where it was met before, and nothing is left to write */
	fprintf(stderr, "vsamp: standard output: cannot write%s%s\n", errno ? ": " : "",
		errno ? strerror(errno) : "");
	return code ? code : EXIT_ERROR;
}

/* Takes those of all commands away, but behind "--"; how many are left, or a negative number */
static int options_take(int argc, char **argv)
{
	bool names = false;
	int left = 1, took;

	for (int i = 1; i < argc; i++) {
		names |= !strcmp(argv[i], "--");
		took = names ? 0 : terminal_option(argv[i]);
		if (took < 0)
			return took;
		if (!took)
			argv[left++] = argv[i];
	}
	argv[left] = NULL;
	return left;
}

static int command_run(size_t command, int argc, char **argv)
{
	int code;

	if (commands[command].shows)
		argc = options_take(argc, argv);
	if (argc < 0)
		return EXIT_USAGE;
	colour_begin();
	reading_begin();
	code = commands[command].run(argc, argv);
	reading_end();
	return pager_end(streams_end(code));
}

int main(int argc, char **argv)
{
	const char *name;
	int took = 0;

	streams_open();
	while (argc > 1 && (took = terminal_option(argv[1])) > 0) {
		argc--;
		argv++;
	}
	if (took < 0)
		return EXIT_USAGE;
	name = argc > 1 ? argv[1] : "";
	if (!strcmp(name, "-h") || !strcmp(name, "--help") || !strcmp(name, "help")) {
		usage(stdout);
		return streams_end(0);
	}
	if (!strcmp(name, "--version")) {
		puts("vsamp " VSAMP_VERSION);
		return streams_end(0);
	}
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(name, commands[i].name))
			return command_run(i, argc - 1, argv + 1);
	if (*name)
		fprintf(stderr, "vsamp: '%s' is no command of vsamp\n\n", name);
	usage(stderr);
	return EXIT_USAGE;
}
