/* SPDX-License-Identifier: MIT */
/*
 * What ends a run from outside: signals, the launched command, the processes that are sampled. And the
 * signal that asks for another file.
 */
#ifndef ENDS_H
#define ENDS_H

#include <stdbool.h>
#include <sys/types.h>

#include <vsamp/error.h>

#include "launch.h"

enum ends_what {
	ENDS_NONE,
	ENDS_SIGNAL,
	ENDS_EXIT, /* of the command, or of the last of the processes */
};

struct ends {
	int fd; /* readable when it is worth a look */
	int signals;
	unsigned int processes; /* that still run */
	int signal;		/* that came; 0: none */
	bool rotate;		/* SIGUSR2 came: ends_take_rotate() */
};

#define ENDS_NOT_OPEN ((struct ends){ .fd = -1, .signals = -1 })

/* Blocks the signals that it takes: call it before forks that shall not get them. -ESRCH: no pid. */
int ends_open(struct ends *e, const pid_t *pids, unsigned int n, struct vsamp_error *err);

/* SIGUSR2 ends nothing from now on, and waits for who takes it; without one it is for nothing */
void ends_hold_rotate(void);

/* Takes SIGUSR2, which is held, too */
int ends_take_rotate(struct ends *e, struct vsamp_error *err);
void ends_close(struct ends *e);

/* Something else for which it is worth a look, by whoever gave it, until that closes it */
int ends_watch(struct ends *e, int fd, struct vsamp_error *err);

/* Looks, without waiting. A signal goes before all else, and is told once. */
enum ends_what ends_look(struct ends *e, struct launch *l);

#endif
