// SPDX-License-Identifier: MIT
/*
 * itt_spool_pids.c: the numbers that processes and threads of other PID namespaces have here
 *
 * A file has the numbers that its program knew. The kernel tells those of all namespaces in a task's
 * status, from the outermost on, as long as it lives.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "itt_spool_private.h"

uint64_t spool_pidns(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

static bool is_ours(const struct vsamp_itt_spool *s, const struct spool_process *p)
{
	return !p->pidns || !s->pidns || p->pidns == s->pidns;
}

/* Whether the innermost number of a task is this one */
static bool status_has(const char *task, uint32_t number)
{
	char path[300], line[512];
	bool has = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/status", task);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		const char *last = strrchr(line, '\t');

		if (strncmp(line, "NSpid:", 6))
			continue;
		has = last && strtoul(last, NULL, 10) == number;
		break;
	}
	if (f)
		fclose(f);
	return has;
}

/* The entry of a folder of tasks with this innermost number, in a namespace if it isn't 0; or 0 */
static uint32_t task_find(const char *tasks, uint64_t pidns, uint32_t number)
{
	DIR *dir = opendir(tasks);
	struct dirent *entry;
	uint32_t found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		char task[280], ns[300];
		struct stat st;

		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		snprintf(task, sizeof(task), "%s/%s", tasks, entry->d_name);
		snprintf(ns, sizeof(ns), "%s/ns/pid", task);
		if (pidns && (stat(ns, &st) || st.st_ino != pidns))
			continue;
		if (status_has(task, number))
			found = strtoul(entry->d_name, NULL, 10);
	}
	if (dir)
		closedir(dir);
	return found;
}

bool spool_pid_find(const struct vsamp_itt_spool *s, struct spool_process *p)
{
	p->pid_here = p->pid;
	if (is_ours(s, p))
		return true;
	p->pid_here = task_find("/proc", p->pidns, p->pid);
	if (p->pid_here)
		return true;
	p->pid_here = SPOOL_FOREIGN + p->pid % SPOOL_FOREIGN;
	return false;
}

uint32_t spool_tid_find(const struct vsamp_itt_spool *s, const struct spool_process *p,
			uint32_t tid)
{
	uint32_t found = 0;
	char tasks[64];

	if (!tid || is_ours(s, p))
		return tid;
	if (tid == p->pid)
		return p->pid_here;
	if (p->pid_here < SPOOL_FOREIGN) {
		snprintf(tasks, sizeof(tasks), "/proc/%u/task", p->pid_here);
		found = task_find(tasks, 0, tid);
	}
	return found ? found : SPOOL_FOREIGN + tid % SPOOL_FOREIGN;
}

/* As of "1: FLOCK ADVISORY WRITE 1234 fe:00:131 0 EOF" */
uint32_t spool_holder(int fd)
{
	unsigned int pid, major_number, minor_number;
	uint32_t holder = 0;
	char line[256];
	struct stat st;
	uint64_t inode;
	FILE *f = fopen("/proc/locks", "re");

	while (f && !fstat(fd, &st) && !holder && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*u: FLOCK %*s %*s %u %x:%x:%" SCNu64, &pid, &major_number,
			   &minor_number, &inode) == 4 &&
		    inode == st.st_ino && makedev(major_number, minor_number) == st.st_dev)
			holder = pid;
	if (f)
		fclose(f);
	return holder;
}

static bool is_known(const struct vsamp_itt_spool *s, const struct spool_process *p)
{
	return p->pidns && s->pidns && p->pid_here < SPOOL_FOREIGN;
}

bool spool_pid_lives(const struct vsamp_itt_spool *s, const struct spool_process *p)
{
	return !is_known(s, p) || !kill(p->pid_here, 0) || errno == EPERM;
}

bool spool_pid_owned(const struct vsamp_itt_spool *s, const struct spool_process *p, uint32_t uid)
{
	char path[64], line[512];
	bool owned = true;
	unsigned int id[4];
	FILE *f;

	if (!uid || !is_known(s, p))
		return true;
	snprintf(path, sizeof(path), "/proc/%u/status", p->pid_here);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		/* as it is, may be, may become again, and makes files */
		if (sscanf(line, "Uid: %u %u %u %u", &id[0], &id[1], &id[2], &id[3]) != 4)
			continue;
		owned = id[0] == uid || id[1] == uid || id[2] == uid || id[3] == uid;
		break;
	}
	if (f)
		fclose(f);
	return owned;
}
