/* SPDX-License-Identifier: MIT */
/* The parts of vsamp itt */
#ifndef ITT_H
#define ITT_H

/* argv[0] is the part's name. Each returns the exit code. */
int itt_env(int argc, char **argv);
int itt_join(int argc, char **argv);

/* The help of all parts */
void itt_help(void);

/* What is wrong with the call is said; returns its exit code */
int itt_usage(const char *part, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
