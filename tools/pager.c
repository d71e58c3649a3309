// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "terminal.h"

#define NOT_FOUND 126 /* a shell ends with this, or one more, where it could not run the command */

static const int signals[] = { SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGPIPE };

static bool forbidden;
static pid_t pager;
static int terminal_err = -1; /* standard error as it was; -1: it still is */

void pager_forbid(void)
{
	forbidden = true;
}

static const char *pager_command(void)
{
	const char *command = getenv("VSAMP_PAGER");

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = terminal_draws(STDOUT_FILENO) ? "less" : "";
	return strcmp(command, "cat") ? command : "";
}

/* Only what may be called in a signal handler; returns the exit code that is due */
static int pager_wait(int code)
{
	static const char text[] = "vsamp: the pager cannot be run: set PAGER, or use --no-pager\n";
	int err = terminal_err < 0 ? STDERR_FILENO : terminal_err, status = 0;

	/* the end of what it reads */
	close(STDOUT_FILENO);
	if (terminal_err >= 0)
		dup2(terminal_err, STDERR_FILENO);
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFEXITED(status) || WEXITSTATUS(status) < NOT_FOUND)
		return code;
	return write(err, text, sizeof(text) - 1) < 0 || !code ? EXIT_ERROR : code;
}

/*
 * The user must not find himself in a pager that fights the shell for the terminal. Who has left it
 * has seen what he wanted.
 */
static void pager_signal(int signal_number)
{
	int code = pager_wait(0);

	if (signal_number == SIGPIPE)
		_exit(code);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void pager_run(const char *command, const int fd[2])
{
	dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	close(fd[1]);
	/* as git has it: leave if all fits, show colours, leave the screen as it is */
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(NOT_FOUND);
}

static void pager_open(const char *command)
{
	struct sigaction action = { .sa_handler = pager_signal };
	int fd[2];

	if (pipe(fd))
		return; /* without one, then */
	fflush(stdout);
	fflush(stderr);
	pager = fork();
	if (!pager)
		pager_run(command, fd);
	close(fd[0]);
	if (pager > 0) {
		for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
			sigaction(signals[i], &action, NULL);
		dup2(fd[1], STDOUT_FILENO);
		if (isatty(STDERR_FILENO)) {
			terminal_err = dup(STDERR_FILENO);
			dup2(fd[1], STDERR_FILENO);
		}
	}
	close(fd[1]);
}

void pager_begin(void)
{
	const char *command = pager_command();

	if (!isatty(STDOUT_FILENO))
		return;
	reading_end();
	if (!forbidden && !pager && *command)
		pager_open(command);
}

int pager_end(int code)
{
	return pager > 0 ? pager_wait(code) : code;
}
