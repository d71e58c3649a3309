// SPDX-License-Identifier: MIT
/* What becomes of the processes that a launched command starts */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "ends.h"
#include "launch.h"

#define PIDS_MAX 64

/* Launches the script, which writes a pid a line to its standard output, n of them */
static void launch_script(struct launch *l, const char *script, pid_t *pid, int n)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script, NULL };
	struct vsamp_error err;
	int out[2], saved = dup(STDOUT_FILENO), code;
	FILE *lines;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	dup2(out[1], STDOUT_FILENO);
	assert_int_equal(launch_fork(l, argv, NULL, &err), 0);
	assert_int_equal(launch_go(l, argv, &code, &err), 0);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(out[1]);
	lines = fdopen(out[0], "r");
	for (int i = 0; i < n; i++)
		assert_int_equal(fscanf(lines, "%d", &pid[i]), 1);
	fclose(lines);
}

/* A zombie is gone too: it does nothing more */
static int runs(pid_t pid)
{
	char path[32], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	assert_int_equal(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
	fclose(f);
	return state != 'Z' && state != 'X';
}

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void all_end(const char *script, int n)
{
	pid_t pid[PIDS_MAX];
	struct launch l;

	launch_script(&l, script, pid, n);
	for (int i = 0; i < n; i++)
		assert_true(runs(pid[i]));
	launch_close(&l, true);
	for (int i = 0; i < n; i++)
		if (runs(pid[i]))
			fail_msg("process %d of the script runs on", i);
}

static void end_children(void **state)
{
	double began = seconds();

	all_end("sleep 99 & echo $!; sleep 99 & echo $!; echo $$; wait", 3);
	/* who ends when told is not waited for longer */
	assert_true(seconds() - began < 2);
}

static void end_another_session(void **state)
{
	all_end("setsid sh -c 'echo $$; exec sleep 99' & echo $$; wait", 2);
}

/* Its parent is gone: it would be nobody's */
static void end_orphans(void **state)
{
	all_end("sh -c 'sleep 99 & echo $!'; setsid sh -c '(sleep 99 & echo $!)'; echo $$; exec sleep 99",
		3);
}

/* The command has ended by the signal that ends the recording; what it started ignores that */
static void end_after_command(void **state)
{
	pid_t pid[1];
	struct launch l;

	launch_script(&l, "sleep 99 & echo $!", pid, 1);
	while (!launch_ended(&l))
		poll(NULL, 0, 1);
	assert_int_equal(l.status, 0);
	assert_true(runs(pid[0]));
	launch_close(&l, true);
	assert_false(runs(pid[0]));
}

static void end_stubborn(void **state)
{
	all_end("trap '' TERM; sh -c 'echo $$; while :; do sleep 1; done' & echo $$; while :; do sleep 1; done",
		2);
}

/* Forks as fast as it can, deaf to SIGTERM */
static void end_forking(void **state)
{
	pid_t pid[1];
	struct launch l;

	launch_script(&l, "trap '' TERM; echo $$; while :; do (:) & (:) & done", pid, 1);
	launch_close(&l, true);
	assert_false(runs(pid[0]));
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* A command that starts a service and ends */
static void leave_service(void **state)
{
	pid_t pid[1];
	struct launch l;

	launch_script(&l, "setsid sleep 99 & echo $!", pid, 1);
	while (!launch_ended(&l))
		poll(NULL, 0, 1);
	launch_close(&l, false);
	assert_true(runs(pid[0]));
	kill(pid[0], SIGKILL);
	waitpid(pid[0], NULL, 0);
}

/* Orphans that come to us are reaped while the command runs */
static void reap_orphans(void **state)
{
	pid_t pid[2];
	struct launch l;
	int status;

	launch_script(&l, "sh -c 'sleep 0.1 & echo $!'; echo $$; exec sleep 99", pid, 2);
	for (int ms = 0; ms < 5000 && !kill(pid[0], 0); ms++) {
		assert_false(launch_ended(&l));
		poll(NULL, 0, 1);
	}
	assert_int_equal(kill(pid[0], 0), -1);
	assert_int_equal(waitpid(pid[0], &status, WNOHANG), -1);
	launch_close(&l, true);
}

/* As from a caller that ignores SIGCHLD: the exit status is known all the same */
static void status_where_ignored(void **state)
{
	struct vsamp_error err;
	struct ends ends;
	struct launch l;
	sigset_t saved;

	sigprocmask(SIG_BLOCK, NULL, &saved);
	signal(SIGCHLD, SIG_IGN);
	assert_int_equal(ends_open(&ends, NULL, 0, &err), 0);
	launch_script(&l, "exit 7", NULL, 0);
	for (int ms = 0; ms < 5000 && ends_look(&ends, &l) == ENDS_NONE; ms++)
		poll(NULL, 0, 1);
	assert_true(l.ended);
	assert_int_equal(l.status, 7);
	ends_close(&ends);
	sigprocmask(SIG_SETMASK, &saved, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(end_children),		cmocka_unit_test(end_another_session),
		cmocka_unit_test(end_orphans),		cmocka_unit_test(end_after_command),
		cmocka_unit_test(end_stubborn),		cmocka_unit_test(end_forking),
		cmocka_unit_test(leave_service),	cmocka_unit_test(reap_orphans),
		cmocka_unit_test(status_where_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
