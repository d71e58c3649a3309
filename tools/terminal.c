// SPDX-License-Identifier: MIT
/* Options that all commands have that show something */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terminal.h"

int terminal_option(const char *arg)
{
	static const char color[] = "--color";

	if (!strcmp(arg, "--no-pager")) {
		pager_forbid();
		return 1;
	}
	if (strncmp(arg, color, strlen(color)))
		return 0;
	arg += strlen(color);
	if (*arg && *arg != '=')
		return 0;
	if (colour_choose(*arg ? arg + 1 : "always"))
		return 1;
	fprintf(stderr, "vsamp: --color: '%s': auto, always or never\n", arg + 1);
	return -1;
}

bool terminal_draws(int fd)
{
	const char *term = getenv("TERM");

	return isatty(fd) && term && *term && strcmp(term, "dumb");
}
