// SPDX-License-Identifier: MIT
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ends.h"

static int ends_add(struct ends *e, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(e->fd, EPOLL_CTL_ADD, fd, &event);
}

int ends_watch(struct ends *e, int fd, struct vsamp_error *err)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = -1 };

	if (epoll_ctl(e->fd, EPOLL_CTL_ADD, fd, &event))
		return vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	return 0;
}

static int ends_open_signals(struct ends *e)
{
	struct sigaction hangup;
	sigset_t set, pipe;

	/* Where the caller ignores it, no child has an exit status */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	/* As nohup wants it */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE); /* nobody reads what is said: the file is written all the same */
	if (sigprocmask(SIG_BLOCK, &set, NULL) || sigprocmask(SIG_BLOCK, &pipe, NULL))
		return -1;
	e->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return e->signals < 0 ? -1 : ends_add(e, e->signals);
}

void ends_hold_rotate(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

int ends_take_rotate(struct ends *e, struct vsamp_error *err)
{
	sigset_t set;

	if (sigprocmask(SIG_BLOCK, NULL, &set))
		return vsamp_fail(err, -errno, "signals can't be taken: %s", strerror(errno));
	sigdelset(&set, SIGPIPE);
	if (signalfd(e->signals, &set, 0) < 0)
		return vsamp_fail(err, -errno, "signals can't be taken: %s", strerror(errno));
	return 0;
}

static int ends_open_process(struct ends *e, pid_t pid, struct vsamp_error *err)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);

	if (fd < 0)
		return vsamp_fail(err, -errno, "process %d: %s", (int)pid,
				  errno == ESRCH  ? "there is none" :
				  errno == EINVAL ? "is a thread, not a process" :
						    strerror(errno));
	e->processes++;
	if (ends_add(e, fd))
		return vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	return 0;
}

int ends_open(struct ends *e, const pid_t *pids, unsigned int n, struct vsamp_error *err)
{
	*e = ENDS_NOT_OPEN;
	e->fd = epoll_create1(EPOLL_CLOEXEC);
	if (e->fd < 0 || ends_open_signals(e))
		return vsamp_fail(err, -errno, "signals can't be taken: %s", strerror(errno));
	for (unsigned int i = 0; i < n; i++) {
		int ret = ends_open_process(e, pids[i], err);

		if (ret)
			return ret;
	}
	return 0;
}

void ends_close(struct ends *e)
{
	if (e->signals >= 0)
		close(e->signals);
	if (e->fd >= 0)
		close(e->fd);
}

/* Closing the fd of a process that ended takes it out of the epoll too */
static bool ends_look_processes(struct ends *e)
{
	struct epoll_event events[64];
	bool last = false;
	int n;

	do {
		n = epoll_wait(e->fd, events, 64, 0);
		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == e->signals || events[i].data.fd < 0)
				continue;
			close(events[i].data.fd);
			last = --e->processes == 0;
		}
	} while (n == 64);
	return last;
}

enum ends_what ends_look(struct ends *e, struct launch *l)
{
	struct signalfd_siginfo info;
	enum ends_what what = ENDS_NONE;

	while (read(e->signals, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo == SIGUSR2) {
			e->rotate = true;
		} else if (info.ssi_signo != SIGCHLD) {
			e->signal = info.ssi_signo;
			what = ENDS_SIGNAL;
		}
	if (ends_look_processes(e) && what == ENDS_NONE)
		what = ENDS_EXIT;
	if (launch_ended(l) && what == ENDS_NONE)
		what = ENDS_EXIT;
	return what;
}
