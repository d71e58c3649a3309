// SPDX-License-Identifier: MIT
/* usage: onterminal COMMAND [ARGUMENT]... - runs it on a terminal of its own; its status is passed on */
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char buf[4096];
	ssize_t n;
	int fd, status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = forkpty(&fd, NULL, NULL, NULL);
	if (pid < 0) {
		perror("onterminal: forkpty");
		return 125;
	}
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	/* EIO once nobody has the terminal any more */
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (write(STDOUT_FILENO, buf, n) != n)
			return 125;
	if (waitpid(pid, &status, 0) != pid)
		return 125;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
