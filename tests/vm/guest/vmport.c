// SPDX-License-Identifier: MIT
/*
 * Runs in a guest: carries bytes to the host past the kernel, which costs the guest little and
 * takes no interrupts.
 *
 * usage: vmport run COMMAND [ARG]...   run a command, its output to the ports OUT and ERR,
 *                                      then "exit STATUS" to RESULT
 *        vmport copy                   standard input to RESULT
 *        vmport end                    end the guest
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port.h"

static char buf[65536];

/* Copy what @fd holds now; false at its end */
static int copy_some(int fd, enum port port)
{
	ssize_t n = read(fd, buf, sizeof(buf));

	if (n > 0)
		port_write(port, buf, n);
	return n > 0;
}

static pid_t spawn(char **argv, int out, int error)
{
	pid_t pid = fork();

	if (pid < 0)
		err(1, "fork");
	if (pid)
		return pid;
	port_close();
	dup2(out, 1);
	dup2(error, 2);
	execvp(argv[0], argv);
	warn("%s", argv[0]);
	_exit(127);
}

static void on_child(int sig)
{
	(void)sig;
}

/* The command's end counts, not that of its output: it may leave processes behind */
static int run(char **argv)
{
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	enum port port[2] = { PORT_OUT, PORT_ERR };
	struct sigaction sa = { .sa_handler = on_child };
	int out[2], error[2], status, ended = 0;
	sigset_t chld, none;
	char line[32];
	pid_t pid;

	sigemptyset(&none);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (pipe2(out, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		err(1, "pipe2");
	sigaction(SIGCHLD, &sa, NULL);
	pid = spawn(argv, out[1], error[1]);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	close(out[1]);
	close(error[1]);
	p[0].fd = out[0];
	p[1].fd = error[0];
	for (;;) {
		static const struct timespec now;
		int i, n;

		if (!ended)
			ended = waitpid(pid, &status, WNOHANG) == pid;
		n = ppoll(p, 2, ended ? &now : NULL, &none);
		if (ended && n <= 0)
			break;
		for (i = 0; n > 0 && i < 2; i++) {
			if (p[i].revents && !copy_some(p[i].fd, port[i]))
				p[i].fd = -1;
		}
	}
	snprintf(line, sizeof(line), "exit %d\n",
		 WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	port_write(PORT_RESULT, line, strlen(line));
	return 0;
}

int main(int argc, char **argv)
{
	if (port_open())
		err(1, "no ports");
	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "copy")) {
		while (copy_some(0, PORT_RESULT))
			;
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "end"))
		port_end();
	errx(1, "usage: vmport run COMMAND... | copy | end");
}
