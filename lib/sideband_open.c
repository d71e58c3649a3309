// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "perf_open.h"
#include "perf_watch.h"
#include "sideband_private.h"

static int event_open(const struct vsamp_sideband *s, uint32_t cpu, pid_t tid)
{
	bool all = tid == -1;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.read_format = PERF_WATCH_FORMAT,
		.sample_id_all = 1,
		.exclude_kernel = 1, /* asks for less permission */
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.inherit = !all,
		.inherit_thread = !all && !s->children,
		/* Of the whole machine, and not for plain users */
		.context_switch = all,
		.namespaces = all,
		.ksymbol = all,
		.bpf_event = all,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
	};

	attr.wakeup_watermark = s->size / 4;
	return syscall(SYS_perf_event_open, &attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int not_allowed(pid_t tid, int code, struct vsamp_error *err)
{
	int level = perf_paranoid();

	if (level > 2 || tid == -1)
		return vsamp_fail(
			err, code,
			"sideband: no permission to follow processes: kernel.perf_event_paranoid is %d, which asks for %s; run as root%s, or record without names of processes: --no-sideband",
			level, level > 2 ? "CAP_SYS_ADMIN" : "CAP_PERFMON",
			level > 2 ? ", or set it to 2 and hold CAP_PERFMON" : "");
	return vsamp_fail(
		err, code,
		"sideband: no permission to follow process %d: it runs as another user, or can't be traced; run as root, or use --no-sideband",
		tid);
}

static int refused(uint32_t cpu, pid_t tid, int code, struct vsamp_error *err)
{
	if (code == -EACCES || code == -EPERM)
		return not_allowed(tid, code, err);
	if (code == -EMFILE)
		return vsamp_fail(
			err, code,
			"sideband: too few open files for one per CPU%s: raise the limit (ulimit -n), or use --no-sideband",
			tid == -1 ? "" : " and thread");
	return vsamp_fail(err, code,
			  "sideband: perf event on CPU %u: %s; --no-sideband records without", cpu,
			  strerror(-code));
}

int sideband_cpu_open(struct vsamp_sideband *s, struct sideband_cpu *c, struct vsamp_error *err)
{
	const pid_t any = -1, *tid = s->tid ? s->tid : &any;
	unsigned int n_tids = s->tid ? s->n_tids : 1;

	c->fd = calloc(n_tids, sizeof(*c->fd));
	if (!c->fd)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < n_tids; i++) {
		int fd = event_open(s, c->cpu, tid[i]);

		if (fd >= 0) {
			c->fd[c->n++] = fd;
		} else if (errno != ENODEV && (errno != ESRCH || n_tids == 1)) {
			int ret = refused(c->cpu, tid[i], -errno, err);

			sideband_cpu_close(c);
			return ret;
		}
	}
	c->online = c->n;
	return 0;
}

void sideband_cpu_close(struct sideband_cpu *c)
{
	if (c->page)
		munmap(c->page, sysconf(_SC_PAGESIZE) + c->size);
	while (c->n)
		close(c->fd[--c->n]);
	free(c->fd);
	c->page = NULL;
	c->fd = NULL;
	c->online = false;
}

/* Maps the buffer; all of the CPU's events write to it, and wake the reader */
static int cpu_map(struct vsamp_sideband *s, struct sideband_cpu *c)
{
	struct epoll_event wake = { .events = EPOLLIN | EPOLLET };
	void *map = mmap(NULL, sysconf(_SC_PAGESIZE) + s->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			 c->fd[0], 0);

	if (map == MAP_FAILED)
		return -errno;
	c->page = map;
	c->size = s->size;
	for (unsigned int i = 1; i < c->n; i++)
		if (ioctl(c->fd[i], PERF_EVENT_IOC_SET_OUTPUT, c->fd[0]))
			return -errno;
	/* Edge-triggered: the hang-up of a CPU that went offline is told once */
	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd[0], &wake) ? -errno : 0;
}

static void cpu_unmap(struct vsamp_sideband *s, struct sideband_cpu *c)
{
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, c->fd[0], NULL);
	munmap(c->page, sysconf(_SC_PAGESIZE) + c->size);
	c->page = NULL;
}

/* fresh: CPUs that had no buffer when it began, which are mapped here and may be unmapped again */
static int map_fresh(struct vsamp_sideband *s, const bool *fresh, uint32_t *failed)
{
	for (unsigned int i = 0; i < s->n; i++) {
		struct sideband_cpu *c = &s->cpu[i];
		int ret = fresh[i] ? cpu_map(s, c) : 0;

		if (!ret)
			continue;
		*failed = c->cpu;
		for (unsigned int k = 0; k <= i; k++)
			if (fresh[k] && s->cpu[k].page)
				cpu_unmap(s, &s->cpu[k]);
		return ret;
	}
	return 0;
}

int sideband_map(struct vsamp_sideband *s, struct vsamp_error *err)
{
	size_t least = sysconf(_SC_PAGESIZE);
	bool *fresh = calloc(s->n ? s->n : 1, sizeof(*fresh));
	uint32_t failed = 0;
	int ret;

	if (!fresh)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < s->n; i++)
		fresh[i] = s->cpu[i].online && !s->cpu[i].page;
	/* All at once: what the first CPU's takes of the limit is missing for the last */
	while ((ret = map_fresh(s, fresh, &failed)) && (ret == -EPERM || ret == -ENOMEM) &&
	       s->size / 2 >= least)
		s->size /= 2;
	free(fresh);
	if (!ret)
		return 0;
	return vsamp_fail(
		err, ret,
		"sideband: the buffer of CPU %u can't be mapped: %s; raise kernel.perf_event_mlock_kb or the locked-memory limit (ulimit -l), or use --no-sideband",
		failed, strerror(-ret));
}
