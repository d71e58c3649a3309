/* SPDX-License-Identifier: MIT */
/* The command that is launched: it waits until sampling has begun, and runs as the right user */
#ifndef LAUNCH_H
#define LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include <vsamp/error.h>

/* Exit codes, as the shell has them */
#define EXIT_NOT_EXECUTABLE 126
#define EXIT_NOT_FOUND	    127

struct launch {
	pid_t pid;  /* 0: nothing is launched */
	int go;	    /* closing it unused ends the child */
	int failed; /* says why exec failed */
	bool ended;
	int status; /* exit status as the shell tells it; valid once ended */
};

/*
 * Forks a child that waits to become argv. user: whom it runs as; NULL: who called sudo, else the
 * caller. Signals must be blocked as they are to be, except that the child gets none blocked.
 */
int launch_fork(struct launch *l, char *const *argv, const char *user, struct vsamp_error *err);

/*
 * Lets the child go on. 0 once it is the command; a negative errno value where it could not become
 * it: then *exit_code is what the shell's would be.
 */
int launch_go(struct launch *l, char *const *argv, int *exit_code, struct vsamp_error *err);

/* Looks whether the child ended, without waiting */
bool launch_ended(struct launch *l);

/*
 * Leaves the child, or ends it with all that it started: SIGTERM, and after a grace time SIGKILL.
 * l can be used again.
 */
void launch_close(struct launch *l, bool end);

#endif
