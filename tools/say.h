/* SPDX-License-Identifier: MIT */
/* What the command tells its user, on standard error */
#ifndef SAY_H
#define SAY_H

/* A line, beginning with "vsamp: " */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
