// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tree.h"

/* How long processes that are told to end may take; how often that is looked at */
#define GRACE_MS 3000
#define KILL_MS	 1000
#define LOOK_MS	 10

struct task {
	pid_t pid, parent;
	bool ours;
};

struct tasks {
	struct task *task;
	unsigned int n;
};

void tree_adopt(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/* Its parent; 0: it is gone */
static pid_t task_parent(int folder)
{
	int fd = openat(folder, "stat", O_RDONLY | O_CLOEXEC);
	char text[256], *behind;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	int parent;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	behind = strrchr(text, ')'); /* a name may have any character */
	if (!behind || sscanf(behind, ") %*c %d", &parent) != 1)
		return 0;
	return parent;
}

static int task_open(DIR *proc, const char *name)
{
	return openat(dirfd(proc), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* All that run; without memory, those that there was room for */
static void tasks_read(struct tasks *t, DIR *proc)
{
	struct task *more;
	struct dirent *d;

	while ((d = readdir(proc))) {
		int folder = isdigit((unsigned char)d->d_name[0]) ? task_open(proc, d->d_name) : -1;
		pid_t parent;

		if (folder < 0)
			continue;
		parent = task_parent(folder);
		close(folder);
		more = parent ? reallocarray(t->task, t->n + 1, sizeof(*more)) : NULL;
		if (!more)
			continue;
		t->task = more;
		more[t->n++] = (struct task){ .pid = atoi(d->d_name), .parent = parent };
	}
}

/* This process, or one that is marked */
static bool tasks_ours(const struct tasks *t, pid_t pid)
{
	if (pid == getpid())
		return true;
	for (unsigned int i = 0; i < t->n; i++)
		if (t->task[i].pid == pid)
			return t->task[i].ours;
	return false;
}

/* Marks the children of those that are marked, until there are no more */
static void tasks_mark(struct tasks *t)
{
	bool more = true;

	while (more) {
		more = false;
		for (unsigned int i = 0; i < t->n; i++) {
			struct task *task = &t->task[i];

			if (task->ours || task->pid == getpid())
				continue;
			task->ours = tasks_ours(t, task->parent);
			more |= task->ours;
		}
	}
}

/*
 * By its folder, which never stands for another process that got the number. Its parent may have
 * ended since, by the same signal.
 */
static bool task_signal(const struct tasks *t, DIR *proc, pid_t pid, int sig)
{
	char name[16];
	int folder, ret;

	snprintf(name, sizeof(name), "%d", (int)pid);
	folder = task_open(proc, name);
	if (folder < 0)
		return false;
	ret = tasks_ours(t, task_parent(folder)) ?
		      syscall(SYS_pidfd_send_signal, folder, sig, NULL, 0) :
		      -1;
	close(folder);
	return !ret;
}

/* Returns how many there are; *reached: how many of them got the signal */
static unsigned int tree_signal(int sig, unsigned int *reached)
{
	struct tasks t = { 0 };
	DIR *proc = opendir("/proc");
	unsigned int n = 0;

	*reached = 0;
	if (!proc)
		return 0;
	tasks_read(&t, proc);
	tasks_mark(&t);
	for (unsigned int i = 0; i < t.n; i++) {
		if (!t.task[i].ours)
			continue;
		n++;
		*reached += task_signal(&t, proc, t.task[i].pid, sig);
	}
	free(t.task);
	closedir(proc);
	return n;
}

/* Reaps those that end in this time. False: no child is left, and so no descendant. */
static bool tree_wait(int ms)
{
	while (true) {
		pid_t pid;

		do
			pid = waitpid(-1, NULL, WNOHANG);
		while (pid > 0);
		if (pid < 0)
			return false;
		if (ms <= 0)
			return true;
		poll(NULL, 0, LOOK_MS);
		ms -= LOOK_MS;
	}
}

unsigned int tree_end(void)
{
	unsigned int n, reached;

	if (!tree_wait(0))
		return 0;
	n = tree_signal(SIGTERM, &reached);
	if (!tree_wait(reached ? GRACE_MS : 0))
		return 0;
	/* Those that fork meanwhile take more than one round */
	for (int ms = 0; ms < KILL_MS && reached; ms += LOOK_MS) {
		n = tree_signal(SIGKILL, &reached);
		if (!tree_wait(LOOK_MS))
			return 0;
	}
	return n;
}
