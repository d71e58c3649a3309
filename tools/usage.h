/* SPDX-License-Identifier: MIT */
/* Options by getopt_long(), and how a wrong call is told */
#ifndef USAGE_H
#define USAGE_H

#include <getopt.h>

/*
 * As getopt_long(): the next option's code, -1 behind the last. '?': there is none such, it lacks its
 * value, or has one that it doesn't take, which is said. @letters begin with ':'
 */
int usage_next(const char *command, int argc, char **argv, const char *letters,
	       const struct option *options);

/* Says what is wrong with an argument; EXIT_USAGE */
int usage_wrong(const char *command, const char *arg, const char *what);

#endif
