// SPDX-License-Identifier: MIT
/*
 * launchlog LOG INSNS [deaf] [children]: a line in LOG for all that becomes of it
 *
 * Retires INSNS user instructions, of which each 20th is a branch (0: never ends), and some 10 000
 * of the C library's. Lines:
 *
 *	PID start TSC		it began
 *	PID beside OTHER	another one of this LOG still ran then
 *	PID child CHILD		it forked a process that ignores SIGTERM and never ends
 *	PID end TSC		it came to its end
 *	PID term TSC		it got SIGTERM, and ended
 *
 * deaf: it ignores SIGTERM; children: it forks two children first.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "insns.h"

static const char *path;
static int fd;

/* One write, so that lines are whole */
static void line(const char *what, uint64_t number)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%d %s %" PRIu64 "\n", (int)getpid(), what, number);

	if (write(fd, text, n) != n)
		_exit(3);
}

static void on_term(int sig)
{
	(void)sig;
	line("term", tsc());
	_exit(0);
}

/* A zombie doesn't: whoever launched it may be slow to ask */
static bool runs(int pid)
{
	char name[32], state = 'Z';
	FILE *stat;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	stat = fopen(name, "r");
	if (!stat)
		return false;
	if (fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
		state = 'Z';
	fclose(stat);
	return state != 'Z' && state != 'X';
}

static void look_beside(void)
{
	FILE *log = fopen(path, "r");
	char what[16];
	uint64_t number;
	int pid;

	while (log && fscanf(log, "%d %15s %" SCNu64, &pid, what, &number) == 3) {
		if (!strcmp(what, "child"))
			pid = (int)number;
		else if (strcmp(what, "start"))
			continue;
		if (pid != getpid() && runs(pid))
			line("beside", pid);
	}
	if (log)
		fclose(log);
}

static void fork_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		signal(SIGTERM, SIG_IGN);
		insns_run_twenties(0);
	}
	line("child", pid);
}

int main(int argc, char **argv)
{
	bool deaf = false, children = false;
	uint64_t insns;

	for (int i = 3; i < argc; i++) {
		deaf |= !strcmp(argv[i], "deaf");
		children |= !strcmp(argv[i], "children");
	}
	if (argc < 3 || argc != 3 + deaf + children) {
		fprintf(stderr, "usage: launchlog LOG INSNS [deaf] [children]\n");
		return 2;
	}
	path = argv[1];
	insns = strtoull(argv[2], NULL, 0);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0) {
		perror(path);
		return 1;
	}
	signal(SIGTERM, deaf ? SIG_IGN : on_term);
	line("start", tsc());
	look_beside();
	for (int i = 0; i < 2 && children; i++)
		fork_child();
	insns_run_twenties(insns); /* 0: 2^64 times */
	line("end", tsc());
	return 0;
}
