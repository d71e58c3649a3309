// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_buffer.h"
#include "perf_open.h"

#define READ_FORMAT                                                                         \
	(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID | \
	 PERF_FORMAT_LOST)

static int event_open(struct perf_event_attr *attr, const struct perf_wanted *w, int group)
{
	unsigned long flags = PERF_FLAG_FD_CLOEXEC | (w->cgroup ? PERF_FLAG_PID_CGROUP : 0);
	pid_t who = w->cgroup ? *w->cgroup : w->tid;
	int fd = syscall(SYS_perf_event_open, attr, who, w->cpu, group, flags);

	/* Since Linux 6.0 */
	if (fd < 0 && errno == EINVAL && attr->read_format & PERF_FORMAT_LOST) {
		attr->read_format &= ~PERF_FORMAT_LOST;
		fd = syscall(SYS_perf_event_open, attr, who, w->cpu, group, flags);
	}
	return fd < 0 ? -errno : fd;
}

static void attr_set_common(struct perf_event_attr *attr, const struct perf_wanted *w)
{
	attr->size = sizeof(*attr);
	attr->disabled = 1;
	attr->exclude_hv = 1;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC_RAW;
	attr->inherit = w->tid != -1;
	attr->inherit_thread = w->tid != -1 && !w->children;
}

/* An event of user mode alone tells nothing of the kernel */
static void attr_set_stacks(struct perf_event_attr *attr, const struct perf_wanted *w)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = w->stacks->chain_max;
	attr->exclude_callchain_kernel = !(w->stacks->sides & VSAMP_STACKS_KERNEL) ||
					 !w->ev->kernel;
	attr->exclude_callchain_user = !(w->stacks->sides & VSAMP_STACKS_USER);
}

static void attr_set_event(struct perf_event_attr *attr, const struct perf_wanted *w)
{
	attr_set_common(attr, w);
	attr->type = w->ev->perf_type;
	attr->config = w->ev->perf_config;
	attr->enable_on_exec = w->on_exec;
	attr->exclude_user = !w->ev->user;
	attr->exclude_kernel = !w->ev->kernel;
	attr->read_format = READ_FORMAT;
	if (!w->sav)
		return;
	attr->sample_period = w->sav;
	attr->sample_type = PERF_BUFFER_SAMPLE_TYPE;
	attr->sample_id_all = 1;
	if (w->stacks && w->stacks->sides)
		attr_set_stacks(attr, w);
	attr->watermark = 1; /* of 0: the reader is woken by a buffer half full */
}

/*
 * An event that waits for an exec can't be told to wait longer; its group can, which counts only
 * while its leader does
 */
static int leader_open(const struct perf_wanted *w)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};

	attr_set_common(&attr, w);
	return event_open(&attr, w, -1);
}

int perf_fd_open(struct perf_fd *f, const struct perf_wanted *w)
{
	struct perf_event_attr attr = { 0 };
	struct perf_reading reading;
	int ret;

	*f = (struct perf_fd){ .fd = -1, .leader = -1 };
	attr_set_event(&attr, w);
	if (w->on_exec) {
		f->leader = leader_open(w);
		if (f->leader < 0)
			return f->leader;
	}
	f->fd = event_open(&attr, w, f->leader);
	ret = f->fd < 0 ? f->fd : perf_fd_read(f, &reading);
	if (ret) {
		perf_fd_close(f);
		return ret;
	}
	f->id = reading.id;
	return 0;
}

void perf_fd_close(struct perf_fd *f)
{
	if (f->fd >= 0)
		close(f->fd);
	if (f->leader >= 0)
		close(f->leader);
	f->fd = -1;
	f->leader = -1;
}

int perf_fd_switch(const struct perf_fd *f, bool on)
{
	int fd = f->leader >= 0 ? f->leader : f->fd;

	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int perf_fd_read(const struct perf_fd *f, struct perf_reading *reading)
{
	ssize_t n;

	reading->lost = 0;
	n = read(f->fd, reading, sizeof(*reading));
	if (n < 0)
		return -errno;
	return n >= (ssize_t)offsetof(struct perf_reading, lost) ? 0 : -EIO;
}

int perf_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (f) {
		if (fscanf(f, "%d", &level) != 1)
			level = 2;
		fclose(f);
	}
	return level;
}

void perf_files_limit_raise(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The kernel says no more than "permission": which of its rules it was follows from the level */
static int perf_not_allowed(const struct perf_wanted *w, int code, struct vsamp_error *err)
{
	int level = perf_paranoid();

	if (level > 2)
		return vsamp_fail(
			err, code,
			"%s: no permission: kernel.perf_event_paranoid is %d, which leaves perf events to root; run as root, or have 'sysctl kernel.perf_event_paranoid=2' set",
			w->ev->name, level);
	if (w->tid == -1 && level > 0)
		return vsamp_fail(
			err, code,
			"%s: no permission to sample whole CPUs: kernel.perf_event_paranoid is %d, which asks for CAP_PERFMON; run as root, set it to 0, or sample a command or process of your own",
			w->ev->name, level);
	if (w->ev->kernel && level > 1)
		return vsamp_fail(
			err, code,
			"%s: no permission to sample the kernel: kernel.perf_event_paranoid is %d, which asks for CAP_PERFMON; sample user mode only with %s:u, run as root, or set it to 1",
			w->ev->name, level, w->ev->name);
	return vsamp_fail(
		err, code,
		"%s: no permission to sample process %d: it runs as another user, or can't be traced; run as root",
		w->ev->name, w->tid);
}

static bool cgroup_is_at_fault(const struct perf_wanted *w)
{
	struct perf_wanted any = *w;
	struct perf_fd f;
	bool can;

	any.cgroup = NULL;
	can = w->cgroup && !perf_fd_open(&f, &any);
	if (can)
		perf_fd_close(&f);
	return can;
}

static int perf_refused_cgroup(int code, struct vsamp_error *err)
{
	if (code == -ENOENT)
		return vsamp_fail(
			err, code,
			"perf can't follow cgroups yet, as no controller has been enabled in their tree; as root: echo +pids >/sys/fs/cgroup/cgroup.subtree_control");
	if (code == -EBADF)
		return vsamp_fail(
			err, code,
			"perf can't follow the cgroup: its controller perf_event is in a tree of version 1 here");
	return vsamp_fail(err, code, "perf can't follow the cgroup: %s", strerror(-code));
}

int perf_refused(const struct perf_wanted *w, int code, struct vsamp_error *err)
{
	const char *name = w->ev->name;

	if (cgroup_is_at_fault(w))
		return perf_refused_cgroup(code, err);
	switch (code) {
	case -EACCES:
	case -EPERM:
		return perf_not_allowed(w, code, err);
	case -ENOENT:
	case -EOPNOTSUPP:
		return vsamp_fail(
			err, code,
			"%s: perf %s it on this machine: there is no counter for it; -e cpu-clock samples by time",
			name, code == -ENOENT ? "doesn't know" : "can't sample");
	case -ENODEV:
		return vsamp_fail(err, code, "%s: CPU %u is not online, or doesn't count it", name,
				  w->cpu);
	case -EMFILE:
	case -ENFILE:
		return vsamp_fail(
			err, code,
			"%s: too few open files for one per CPU, event and thread: raise the limit (ulimit -n)",
			name);
	case -ESRCH:
		return vsamp_fail(err, code, "process %d: there is none", w->tid);
	case -EBUSY:
		return vsamp_fail(err, code,
				  "%s: perf has no counter free for it: somebody else holds it",
				  name);
	case -EINVAL:
		return vsamp_fail(err, code,
				  "%s: perf refuses type %u, config %#" PRIx64 ", SAV %" PRIu64
				  " as invalid",
				  name, w->ev->perf_type, w->ev->perf_config, w->sav);
	case -EOVERFLOW:
		return vsamp_fail(
			err, code,
			"%s: perf refuses stacks of %u entries: kernel.perf_event_max_stack was lowered meanwhile; start again",
			name, w->stacks ? w->stacks->chain_max : 0);
	case -ENOSYS:
		return vsamp_fail(err, code, "this kernel is built without perf events");
	default:
		return vsamp_fail(err, code, "%s: perf event on CPU %u: %s", name, w->cpu,
				  strerror(-code));
	}
}

int perf_threads(pid_t pid, pid_t **tids, unsigned int *n)
{
	struct dirent *d;
	char path[32];
	pid_t *more;
	DIR *task;

	*tids = NULL;
	*n = 0;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	task = opendir(path);
	if (!task)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((d = readdir(task))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		more = reallocarray(*tids, *n + 1, sizeof(*more));
		if (!more) {
			closedir(task);
			return -ENOMEM;
		}
		*tids = more;
		more[(*n)++] = strtol(d->d_name, NULL, 10);
	}
	closedir(task);
	return *n ? 0 : -ESRCH;
}
