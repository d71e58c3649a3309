// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/guardian.h>

#define WATCHDOG     "/proc/sys/kernel/nmi_watchdog"

/* How often the guardian looks whether the counters are free, and how long its creator waits */
#define LOOK_NS	     5000000
#define WAIT_MS	     5000
#define LOCK_LOOK_MS 5
#define LOCK_WAIT_MS 2000

struct vsamp_guardian {
	pid_t pid;
	int lifeline; /* its end tells the guardian that the creator is gone */
	int done;     /* tells the creator the guardian's number, and the value it has written */
};

static int watchdog_read(char *value)
{
	int fd = open(WATCHDOG, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, value, 1);

	if (fd >= 0)
		close(fd);
	return n == 1 ? 0 : -ENOENT;
}

static int watchdog_write(char value)
{
	int fd = open(WATCHDOG, O_WRONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : write(fd, &value, 1);
	int code = n == 1 ? 0 : -errno;

	if (fd >= 0)
		close(fd);
	return code;
}

/*
 * perf can have a counter: then the watchdog, which is a perf event, gets one too. While a session
 * holds them, also one whose last reference is still being dropped, perf is refused.
 */
static bool counters_free(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	bool busy = fd < 0 && errno == EBUSY;

	if (fd >= 0)
		close(fd);
	return !busy;
}

/*
 * The guardian: in a session of its own, deaf to signals, holding nothing but the two ends of pipes
 * and the lock. Nobody may hear of the value that it writes: SIGPIPE is among the signals.
 */
static void __attribute__((noreturn)) guardian_run(int lifeline, int done, int lock, char value)
{
	sigset_t all;
	char byte;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "vsamp-guardian");
	/* Not the caller's terminal, pipes or folder: others wait for those to be let go */
	lifeline = fcntl(lifeline, F_DUPFD, 3);
	done = fcntl(done, F_DUPFD, 3);
	lock = fcntl(lock, F_DUPFD, 3);
	if (dup2(lifeline, 0) < 0 || dup2(done, 1) < 0 || dup2(lock, 2) < 0 ||
	    close_range(3, ~0U, 0) || chdir("/"))
		_exit(1);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		;
	while (!counters_free())
		nanosleep(&(struct timespec){ .tv_nsec = LOOK_NS }, NULL);
	_exit(!watchdog_write(value) && write(1, &value, 1) == 1 ? 0 : 1);
}

/* The guardian is nobody's child: who waits for all of its children does not meet it */
static void __attribute__((noreturn)) guardian_detach(int lifeline, int done, int lock, char value)
{
	pid_t pid = fork();

	if (!pid)
		guardian_run(lifeline, done, lock, value);
	if (pid < 0 || write(done, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	_exit(0);
}

/* What guardian_detach() told of the guardian; an end of the pipe: there is none */
static int guardian_meet(struct vsamp_guardian *g, pid_t parent, int done)
{
	while (waitpid(parent, NULL, 0) < 0 && errno == EINTR)
		;
	return read(done, &g->pid, sizeof(g->pid)) == sizeof(g->pid) ? 0 : -EAGAIN;
}

static int guardian_fork(struct vsamp_guardian *g, int lock, char value, struct vsamp_error *err)
{
	int lifeline[2], done[2], ret;
	pid_t parent;

	if (pipe2(lifeline, O_CLOEXEC))
		return vsamp_fail(err, -errno, "pipe: %s", strerror(errno));
	if (pipe2(done, O_CLOEXEC)) {
		ret = vsamp_fail(err, -errno, "pipe: %s", strerror(errno));
		goto err_lifeline;
	}
	parent = fork();
	if (!parent)
		guardian_detach(lifeline[0], done[1], lock, value);
	ret = parent < 0 ? -errno : 0;
	close(done[1]);
	if (!ret)
		ret = guardian_meet(g, parent, done[0]);
	if (ret) {
		vsamp_fail(err, ret, "the watchdog's guardian can't be started: %s",
			   strerror(-ret));
		goto err_done;
	}
	close(lifeline[0]);
	g->lifeline = lifeline[1];
	g->done = done[0];
	return 0;

err_done:
	close(done[0]);
err_lifeline:
	close(lifeline[0]);
	close(lifeline[1]);
	return ret;
}

/*
 * One guardian at a time: a second one would take "off" for the value to go back to. Whoever is
 * about to end is waited for. Returns the lock, or an error; -EWOULDBLOCK: another session runs.
 */
static int guardian_lock(void)
{
	int fd = open(WATCHDOG, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB); ms += LOCK_LOOK_MS) {
		int code = -errno;

		if (code != -EWOULDBLOCK || ms >= LOCK_WAIT_MS) {
			close(fd);
			return code;
		}
		poll(NULL, 0, LOCK_LOOK_MS);
	}
	return fd;
}

static int guardian_start(struct vsamp_guardian **guardian, int lock, struct vsamp_error *err)
{
	struct vsamp_guardian *g;
	char value;
	int ret;

	if (watchdog_read(&value) || value == '0')
		return 0;
	if (access(WATCHDOG, W_OK))
		return vsamp_fail(err, -EACCES,
				  "%s: no permission to turn the NMI watchdog off: run as root",
				  WATCHDOG);
	g = calloc(1, sizeof(*g));
	if (!g)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = guardian_fork(g, lock, value, err);
	if (ret) {
		free(g);
		return ret;
	}
	ret = watchdog_write('0');
	if (ret) {
		vsamp_fail(err, ret, "%s: the NMI watchdog can't be turned off: %s", WATCHDOG,
			   strerror(-ret));
		vsamp_guardian_close(g, NULL);
		return ret;
	}
	*guardian = g;
	return 0;
}

int vsamp_guardian_open(struct vsamp_guardian **guardian, struct vsamp_error *err)
{
	int lock = guardian_lock(), ret;

	*guardian = NULL;
	/* No watchdog; or a session that has it off already, and refuses ours by itself */
	if (lock < 0)
		return 0;
	ret = guardian_start(guardian, lock, err);
	close(lock);
	return ret;
}

int vsamp_guardian_close(struct vsamp_guardian *g, struct vsamp_error *err)
{
	struct pollfd p;
	char value;
	int ret = 0;

	if (!g)
		return 0;
	close(g->lifeline);
	p = (struct pollfd){ .fd = g->done, .events = POLLIN };
	if (poll(&p, 1, WAIT_MS) == 0)
		ret = vsamp_fail(
			err, -ETIMEDOUT,
			"the performance counters are still taken: the NMI watchdog is turned on once they are free (by process %d)",
			(int)g->pid);
	else if (read(g->done, &value, 1) != 1)
		ret = vsamp_fail(err, -EIO, "%s: the NMI watchdog can't be turned on again",
				 WATCHDOG);
	close(g->done);
	free(g);
	return ret;
}
