// SPDX-License-Identifier: MIT
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
	{ "record", cmd_record, "sample the machine, processes or a command into a file" },
	{ "report", cmd_report, "show where the samples of a file fell" },
	{ "stat", cmd_stat, "count events, without samples" },
	{ "list", cmd_list, "list the events that can be named" },
	{ "doctor", cmd_doctor, "say what keeps sampling from working here, and the remedy" },
	{ "info", cmd_info, "show what a file holds: the run, its settings, what was lost" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *f)
{
	fputs("usage: vsamp COMMAND [OPTIONS]\n"
	      "       vsamp -h | --version\n\n",
	      f);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(f, "  %-8s %s\n", commands[i].name, commands[i].what);
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
	if (!fflush(stdout) && !ferror(stdout))
		return code;
	fputs("vsamp: standard output: cannot write\n", stderr);
	return code ? code : EXIT_ERROR;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	streams_open();
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
			return streams_end(commands[i].run(argc - 1, argv + 1));
	if (*name)
		fprintf(stderr, "vsamp: '%s' is no command of vsamp\n\n", name);
	usage(stderr);
	return EXIT_USAGE;
}
