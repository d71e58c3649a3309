/* SPDX-License-Identifier: MIT */
/* need.h: what a test needs of the machine; without it the test is skipped, and says why */
#ifndef NEED_H
#define NEED_H

#include <stdlib.h>
#include <unistd.h>

#define NEED(condition, ...)                                    \
	do {                                                    \
		if (!(condition)) {                             \
			print_message("skipped: " __VA_ARGS__); \
			skip();                                 \
		}                                               \
	} while (0)

#define NEED_TOOL(name) NEED(!system("command -v " name " >/dev/null"), "there is no %s\n", name)

/* Of CPUs that the machine hasn't got nothing can come */
#define NEED_CPUS(n)	NEED(sysconf(_SC_NPROCESSORS_CONF) >= (n), "there are less than %d CPUs\n", n)

#endif
