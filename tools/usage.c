// SPDX-License-Identifier: MIT
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "escape.h"
#include "usage.h"

int usage_wrong(const char *command, const char *arg, const char *what)
{
	fprintf(stderr, "vsamp %s: '", command);
	escape_print(stderr, arg, 0);
	fprintf(stderr, "': %s; 'vsamp %s -h' tells the options\n", what, command);
	return EXIT_USAGE;
}

/* How many options @arg may be, by its begin; *takes: the last of them has a value */
static unsigned int long_matches(const struct option *options, const char *arg, bool *takes)
{
	size_t length = strcspn(arg + 2, "=");
	unsigned int n = 0;

	for (; options->name; options++) {
		if (strncmp(options->name, arg + 2, length))
			continue;
		n++;
		*takes = options->has_arg != no_argument;
	}
	return n;
}

/*
 * @arg: the last that getopt_long() is done with, which isn't the one at fault if that has letters
 * behind its wrong one. optopt is 0 for what is no long option, else the code at fault.
 */
static void usage_refused(const char *command, const char *arg, int c, const struct option *options)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	bool takes = false, is_long = !strncmp(arg, "--", 2);
	unsigned int matches = is_long ? long_matches(options, arg, &takes) : 0;

	if (c == ':')
		usage_wrong(command, is_long ? arg : letter, "needs a value");
	else if (is_long && !optopt && matches > 1)
		usage_wrong(command, arg, "may be one of several options");
	else if (is_long && !optopt)
		usage_wrong(command, arg, "no such option");
	else if (is_long && strchr(arg, '=') && !takes)
		usage_wrong(command, arg, "takes no value");
	else
		usage_wrong(command, letter, "no such option");
}

int usage_next(const char *command, int argc, char **argv, const char *letters,
	       const struct option *options)
{
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, letters, options, NULL);
	if (c != '?' && c != ':')
		return c;
	usage_refused(command, argv[optind - 1], c, options);
	return '?';
}
