// SPDX-License-Identifier: MIT
/*
 * family [now]: a process with a thread from the start; after SIGUSR1, or at once, that one, another thread and a child
 * each retire 20 000 000 user instructions in a loop, and few others. Prints the child's pid.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "insns.h"

#define INSNS 20000000

static int go[2];

static void *early(void *unused)
{
	char byte;

	if (read(go[0], &byte, 1) == 1)
		insns_run(INSNS);
	return NULL;
}

static void *late(void *unused)
{
	insns_run(INSNS);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	sigset_t set;
	pid_t child;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pipe(go) || pthread_create(&thread[0], NULL, early, NULL))
		return 1;
	if (argc == 1)
		sigwait(&set, &sig);
	if (write(go[1], "g", 1) != 1 || pthread_create(&thread[1], NULL, late, NULL))
		return 1;
	child = fork();
	if (!child) {
		insns_run(INSNS);
		_exit(0);
	}
	printf("%d\n", child);
	waitpid(child, NULL, 0);
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return child < 0;
}
