// SPDX-License-Identifier: MIT
/* What a session of perf_event_open(2) is to count: checked, opened, mapped */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <vsamp/cpulist.h>

#include "clock_record.h"
#include "perf_source.h"
#include "perf_watch.h"

static bool event_is_clock(const struct vsamp_event *ev)
{
	return ev->perf_type == PERF_TYPE_SOFTWARE && (ev->perf_config == PERF_COUNT_SW_CPU_CLOCK ||
						       ev->perf_config == PERF_COUNT_SW_TASK_CLOCK);
}

int perf_check_sav(const struct vsamp_event *ev, uint64_t sav, bool force, struct vsamp_error *err)
{
	uint64_t least = vsamp_event_sav_floor(ev, force);

	if (sav >= least && sav <= INT64_MAX)
		return 0;
	return vsamp_fail(err, -ERANGE,
			  "%s: SAV %" PRIu64 ": from %" PRIu64 " to %" PRId64 " can be had%s",
			  ev->name, sav, least, INT64_MAX,
			  event_is_clock(ev) ? "; it is in ns" :
			  force		     ? "" :
					       ", or less with --force");
}

static int take_events(struct perf_source *s, const struct vsamp_config *config,
		       struct vsamp_error *err)
{
	for (unsigned int i = 0; i < config->n_events; i++) {
		const struct vsamp_event *ev = &config->events[i];

		if (!ev->user && !ev->kernel)
			return vsamp_fail(err, -EINVAL, "%s: neither user nor kernel mode",
					  ev->name);
		if (!config->count_only && ev->sav) {
			int ret = perf_check_sav(ev, ev->sav, config->force, err);

			if (ret)
				return ret;
			s->sav[i] = ev->sav;
		}
		s->event[i] = *ev;
	}
	s->n_events = config->n_events;
	return 0;
}

static int check_options(const struct vsamp_config *config, struct vsamp_error *err)
{
	uint32_t size = config->ring_size;

	if (config->mux_ms)
		return vsamp_fail(
			err, -EOPNOTSUPP,
			"time slices are of the intel backend: perf counts events in turn by itself, where counters are too few");
	if (config->n_cgroups && config->n_pids)
		return vsamp_fail(err, -EINVAL, "processes and cgroups: one or the other");
	if (config->pmi_limit)
		return vsamp_fail(
			err, -EOPNOTSUPP,
			"an interrupt limit is of the module's backends: perf's is kernel.perf_event_max_sample_rate");
	if (config->stacks & ~(VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER))
		return vsamp_fail(err, -EINVAL, "stacks %#x: of the kernel, of the user, or both",
				  config->stacks);
	if (config->stack_depth > VSAMP_STACK_DEPTH_MAX)
		return vsamp_fail(err, -ERANGE, "stacks of %u frames: %d are the most",
				  config->stack_depth, VSAMP_STACK_DEPTH_MAX);
	if (size & (size - 1) ||
	    (size && (size < VSAMP_RING_SIZE_MIN || size > VSAMP_RING_SIZE_MAX)))
		return vsamp_fail(err, -EINVAL, "ring size %u: a power of two from %u to %u", size,
				  VSAMP_RING_SIZE_MIN, VSAMP_RING_SIZE_MAX);
	return 0;
}

static int check_online(const struct vsamp_cpulist *list, struct vsamp_error *err)
{
	struct vsamp_cpulist online;
	unsigned int at = 0;
	int ret = vsamp_cpulist_online(&online);

	if (ret)
		return vsamp_fail(err, ret, "the list of online CPUs can't be read");
	for (unsigned int i = 0; i < list->n && !ret; i++) {
		while (at < online.n && online.cpu[at] < list->cpu[i])
			at++;
		if (at == online.n || online.cpu[at] != list->cpu[i])
			ret = vsamp_fail(err, -ENODEV, "CPU %u is not online", list->cpu[i]);
	}
	vsamp_cpulist_free(&online);
	return ret;
}

static int take_cpus(struct perf_source *s, const struct vsamp_config *config,
		     struct vsamp_error *err)
{
	struct vsamp_cpulist list;
	int ret;

	/* Without a list also CPUs that may come online while it lasts: a thread may go there */
	ret = config->cpus ? vsamp_cpulist_parse(&list, config->cpus) :
			     vsamp_cpulist_present(&list);
	if (ret)
		return vsamp_fail(err, ret, "CPUs %s: not a list of CPUs",
				  config->cpus ? config->cpus : "present");
	if (config->cpus)
		ret = check_online(&list, err);
	if (!ret)
		s->cpu = calloc(list.n, sizeof(*s->cpu));
	if (!ret && !s->cpu)
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	for (; !ret && s->n < list.n; s->n++) {
		s->cpu[s->n].cpu = list.cpu[s->n];
		s->cpu[s->n].watch = -1;
		s->cpu[s->n].buffer.cpu = list.cpu[s->n];
		s->cpu[s->n].buffer.stacks = s->stacks;
	}
	vsamp_cpulist_free(&list);
	return ret;
}

static int add_tids(struct perf_source *s, const pid_t *tids, unsigned int n)
{
	pid_t *more = reallocarray(s->tid, s->n_tids + (size_t)n, sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->tid = more;
	memcpy(s->tid + s->n_tids, tids, n * sizeof(*more));
	s->n_tids += n;
	return 0;
}

/* Opened again where a CPU comes back, by when the caller may have closed his */
static int take_cgroups(struct perf_source *s, const struct vsamp_config *config,
			struct vsamp_error *err)
{
	s->cgroup = calloc(config->n_cgroups, sizeof(*s->cgroup));
	if (!s->cgroup)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < config->n_cgroups; i++) {
		s->cgroup[i] = fcntl(config->cgroups[i], F_DUPFD_CLOEXEC, 0);
		if (s->cgroup[i] < 0)
			return vsamp_fail(err, -errno, "cgroup: %s", strerror(errno));
		s->n_cgroups++;
	}
	return 0;
}

static int take_scope(struct perf_source *s, const struct vsamp_config *config,
		      struct vsamp_error *err)
{
	const pid_t any = -1;
	int ret = config->n_pids ? 0 : add_tids(s, &any, 1);

	for (unsigned int i = 0; i < config->n_pids && !ret; i++) {
		pid_t *tids;
		unsigned int n;

		ret = perf_threads(config->pids[i], &tids, &n);
		if (!ret)
			ret = add_tids(s, tids, n);
		free(tids);
		if (ret && ret != -ENOMEM)
			return vsamp_fail(err, ret, "process %d: %s", config->pids[i],
					  ret == -ESRCH ? "there is none" : strerror(-ret));
	}
	s->flags = config->flags;
	return ret ? vsamp_fail(err, ret, "out of memory") : 0;
}

static unsigned int source_targets(const struct perf_source *s)
{
	return s->n_cgroups ? s->n_cgroups : s->n_tids;
}

static struct perf_wanted source_wanted(const struct perf_source *s, unsigned int event,
					uint32_t cpu, unsigned int target)
{
	return (struct perf_wanted){
		.ev = &s->event[event],
		.sav = s->sav[event],
		.cpu = cpu,
		.tid = s->n_cgroups ? -1 : s->tid[target],
		.cgroup = s->n_cgroups ? &s->cgroup[target] : NULL,
		.children = s->flags & VSAMP_FLAG_INHERIT,
		.stacks = &s->stacks,
		.on_exec = s->flags & VSAMP_FLAG_ON_EXEC,
	};
}

/*
 * The events of one thread, of a cgroup or of whatever runs, on a CPU. -ESRCH: the thread has ended.
 * Where there are kinds of core, the kernel takes the CPU's PMU for perf's own events, and an event
 * of a PMU is none of the CPUs that have another.
 */
static int cpu_open_events(struct perf_source *s, struct perf_cpu *c, unsigned int target,
			   struct vsamp_error *err)
{
	unsigned int before = c->n;
	int ret = 0;

	for (unsigned int i = 0; i < s->n_events; i++) {
		struct perf_wanted wanted = source_wanted(s, i, c->cpu, target);
		struct perf_fd *f = &c->fd[c->n];

		ret = perf_fd_open(f, &wanted);
		if (ret == -ENOENT) {
			s->elsewhere |= 1U << i;
			ret = 0;
			continue;
		}
		if (ret) {
			perf_refused(&wanted, ret, err);
			break;
		}
		s->counted |= 1U << i;
		f->event = i;
		c->n++;
		if (s->sav[i] && perf_buffer_add_id(&c->buffer, f->id, i)) {
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
			break;
		}
	}
	while (ret == -ESRCH && c->n > before)
		perf_fd_close(&c->fd[--c->n]);
	return ret;
}

/* Events of threads outlast a CPU's absence */
static int cpu_watch(const struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	if (perf_source_follows(s))
		return 0;
	c->watch = perf_watch_open(c->cpu);
	c->watched = clock_raw_now();
	if (c->watch >= 0)
		return 0;
	return vsamp_fail(err, c->watch, "perf can't watch CPU %u: %s", c->cpu,
			  strerror(-c->watch));
}

static int cpu_open(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	int ret = 0;

	c->fd = calloc(source_targets(s) * (size_t)s->n_events, sizeof(*c->fd));
	if (!c->fd)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < source_targets(s); i++) {
		ret = cpu_open_events(s, c, i, err);
		/* Threads may end meanwhile, as long as one is left */
		if (ret && (ret != -ESRCH || s->n_tids == 1))
			return ret;
	}
	c->online = c->n;
	c->used |= c->online;
	if (c->n)
		return cpu_watch(s, c, err);
	perf_cpu_close(c);
	return ret;
}

static struct perf_fd *cpu_sampled(const struct perf_source *s, const struct perf_cpu *c)
{
	for (unsigned int i = 0; i < c->n; i++)
		if (s->sav[c->fd[i].event])
			return &c->fd[i];
	return NULL;
}

static int cpu_map(struct perf_source *s, struct perf_cpu *c)
{
	const struct perf_fd *first = cpu_sampled(s, c);

	return first ? perf_buffer_map(&c->buffer, first->fd, s->ring_size) : 0;
}

static int map_refused(const struct perf_cpu *c, int code, struct vsamp_error *err)
{
	return vsamp_fail(
		err, code,
		"perf's buffer of CPU %u can't be mapped: %s; raise kernel.perf_event_mlock_kb or the locked-memory limit (ulimit -l)",
		c->cpu, strerror(-code));
}

/* All samples of a CPU go to one buffer, whose wakes are the session's */
static int cpu_join(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	struct epoll_event wake = { .events = EPOLLIN | EPOLLET };
	const struct perf_fd *first = cpu_sampled(s, c);

	if (!first)
		return 0;
	for (const struct perf_fd *f = first + 1; f < c->fd + c->n; f++)
		if (s->sav[f->event] && ioctl(f->fd, PERF_EVENT_IOC_SET_OUTPUT, first->fd))
			return vsamp_fail(err, -errno,
					  "%s: perf can't put its samples into CPU %u's buffer: %s",
					  s->event[f->event].name, c->cpu, strerror(errno));
	/* Edge-triggered: the hang-up of what has ended is told once */
	if (epoll_ctl(s->session.fd, EPOLL_CTL_ADD, first->fd, &wake))
		return vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	return 0;
}

int perf_cpu_begin(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	int ret = cpu_open(s, c, err);

	if (!ret) {
		ret = cpu_map(s, c);
		if (ret)
			map_refused(c, ret, err);
	}
	if (!ret)
		ret = cpu_join(s, c, err);
	if (ret)
		perf_cpu_close(c);
	return ret;
}

void perf_cpu_close(struct perf_cpu *c)
{
	perf_buffer_unmap(&c->buffer);
	c->buffer.n_ids = 0;
	while (c->n)
		perf_fd_close(&c->fd[--c->n]);
	if (c->watch >= 0)
		close(c->watch);
	free(c->fd);
	c->fd = NULL;
	c->watch = -1;
	c->online = false;
}

static int map_all(struct perf_source *s, struct perf_cpu **failed)
{
	for (unsigned int i = 0; i < s->n; i++) {
		int ret = cpu_map(s, &s->cpu[i]);

		if (ret) {
			*failed = &s->cpu[i];
			while (i)
				perf_buffer_unmap(&s->cpu[--i].buffer);
			return ret;
		}
	}
	return 0;
}

static void unmap_all(struct perf_source *s)
{
	for (unsigned int i = 0; i < s->n; i++)
		perf_buffer_unmap(&s->cpu[i].buffer);
}

/*
 * All of one size: what the first CPU's buffer takes of the limit is missing for the last. Half of
 * what a limit leaves is for others of this user, like the sideband.
 */
static int map_within_limit(struct perf_source *s, uint64_t size, struct vsamp_error *err)
{
	uint64_t least = sysconf(_SC_PAGESIZE);
	struct perf_cpu *failed;
	bool limited = false;
	int ret;

	for (s->ring_size = size;; s->ring_size /= 2) {
		ret = map_all(s, &failed);
		if ((ret != -EPERM && ret != -ENOMEM) || s->ring_size / 2 < least)
			break;
		limited = true;
	}
	if (ret)
		return map_refused(failed, ret, err);
	if (limited && s->ring_size / 2 >= least) {
		unmap_all(s);
		s->ring_size /= 2;
		ret = map_all(s, &failed);
		if (ret)
			return map_refused(failed, ret, err);
	}
	return 0;
}

/* Whether each event is counted by some CPU's PMU */
static int check_counted(const struct perf_source *s, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < s->n_events; i++) {
		struct perf_wanted wanted = source_wanted(s, i, s->cpu[0].cpu, 0);

		if (~s->counted & s->elsewhere & 1U << i)
			return perf_refused(&wanted, -ENOENT, err);
	}
	return 0;
}

static int open_all(struct perf_source *s, bool listed, struct vsamp_error *err)
{
	unsigned int online = 0;
	int ret = 0;

	for (unsigned int i = 0; i < s->n; i++) {
		struct perf_cpu *c = &s->cpu[i];

		ret = cpu_open(s, c, err);
		if (ret == -ENODEV && !listed)
			perf_cpu_close(c);
		else if (ret)
			return ret;
		online += c->online;
	}
	if (ret && !online && !s->elsewhere)
		return ret;
	return check_counted(s, err);
}

int perf_configure(struct perf_source *s, const struct vsamp_config *config,
		   struct vsamp_error *err)
{
	uint64_t size = config->ring_size ? config->ring_size : VSAMP_RING_SIZE_DEFAULT;
	int ret = check_options(config, err);

	perf_files_limit_raise();
	if (!ret)
		ret = take_events(s, config, err);
	perf_stacks_plan(&s->stacks, config->stacks, config->stack_depth, perf_stacks_limit());
	if (!ret)
		ret = take_cpus(s, config, err);
	if (!ret)
		ret = take_scope(s, config, err);
	if (!ret && config->n_cgroups)
		ret = take_cgroups(s, config, err);
	if (!ret)
		ret = open_all(s, config->cpus, err);
	if (!ret)
		ret = map_within_limit(s, size, err);
	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_join(s, &s->cpu[i], err);
	return ret;
}
