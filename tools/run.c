// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <vsamp/cpulist.h>
#include <vsamp/machine.h>

#include "cmd.h"
#include "run.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void caps_join(struct vsamp_cpu_caps *all, const struct vsamp_cpu_caps *one)
{
	all->counters &= one->counters;
	all->events_absent |= one->events_absent;
	if (all->sav_max > one->sav_max)
		all->sav_max = one->sav_max;
	all->hypervisor |= one->hypervisor;
}

static const struct vsamp_cpu_caps *caps_find(const struct vsamp_caps *caps, uint32_t cpu)
{
	for (unsigned int i = 0; i < caps->n; i++)
		if (caps->cpu[i].cpu == cpu)
			return &caps->cpu[i];
	return NULL;
}

static int run_cpus_join(struct run_cpus *cpus, const struct vsamp_caps *caps,
			 const struct vsamp_cpulist *list, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < list->n; i++) {
		const struct vsamp_cpu_caps *c = caps_find(caps, list->cpu[i]);

		if (!c)
			return vsamp_fail(err, -EINVAL, "-C: CPU %u is not online", list->cpu[i]);
		if (!i)
			cpus->caps = *c;
		else
			caps_join(&cpus->caps, c);
	}
	cpus->n = list->n;
	return 0;
}

int run_cpus_get(struct run_cpus *cpus, struct options *o, struct vsamp_error *err)
{
	struct vsamp_cpulist list;
	struct vsamp_caps caps;
	int ret;

	ret = vsamp_caps_get(&caps, err);
	if (ret)
		return ret;
	if (o->cpus)
		snprintf(cpus->list, sizeof(cpus->list), "%s", o->cpus);
	else
		vsamp_machine_line("/sys/devices/system/cpu/online", cpus->list,
				   sizeof(cpus->list));
	ret = o->cpus ? vsamp_cpulist_parse(&list, o->cpus) : vsamp_cpulist_online(&list);
	if (ret) {
		vsamp_fail(err, ret, "the list of CPUs can't be read");
		goto out;
	}
	ret = run_cpus_join(cpus, &caps, &list, err);
	vsamp_cpulist_free(&list);
	if (!ret && !cpus->caps.perfmon_version)
		ret = vsamp_fail(
			err, -ENODEV,
			"this machine has no performance counters that vsamp can use; 'vsamp doctor' tells more");
	if (!ret)
		ret = vsamp_events_assign(o->events, o->n_events, cpus->caps.counters,
					  cpus->caps.events_absent, err);
out:
	vsamp_caps_free(&caps);
	return ret;
}

bool run_is_launch(const struct options *o)
{
	return o->command && !o->all;
}

static int run_configure(struct run *r, struct vsamp_error *err)
{
	const struct options *o = r->o;
	struct vsamp_config config = {
		.events = o->events,
		.n_events = o->n_events,
		.count_only = !r->writer,
		.force = o->force,
		.cpus = o->cpus,
		.pids = o->pids,
		.n_pids = o->n_pids,
		.flags = o->backend ? VSAMP_FLAG_HYPERVISOR : 0,
		.ring_size = o->ring_size,
		.pmi_limit = o->pmi_limit,
	};

	if (o->n_pids)
		config.flags |= VSAMP_FLAG_INHERIT;
	if (run_is_launch(o)) {
		config.pids = &r->child.pid;
		config.n_pids = 1;
		config.flags |= VSAMP_FLAG_INHERIT | VSAMP_FLAG_ON_EXEC;
	}
	return vsamp_session_configure(r->session, &config, err);
}

int run_open(struct run *r, const struct options *o, struct ends *ends, struct vsamp_error *err)
{
	int ret = 0;

	r->o = o;
	r->ends = ends;
	r->exit_code = EXIT_ERROR;
	/* Before the session, so that the child never holds it */
	if (o->command)
		ret = launch_fork(&r->child, o->command, o->user, err);
	if (!ret)
		ret = vsamp_session_open(&r->session, err);
	if (!ret)
		ret = run_configure(r, err);
	return ret;
}

/* Waits, draining what is to be drained; true: *end says what ended it before the time was over */
static int run_wait(struct run *r, uint64_t deadline, bool *ended, struct vsamp_error *err);

static int run_go(struct run *r, struct vsamp_error *err)
{
	return launch_go(&r->child, r->o->command, &r->exit_code, err);
}

static int run_session_start(struct run *r, struct vsamp_error *err)
{
	int ret = vsamp_session_start(r->session, err);

	r->began_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	if (!ret && r->writer)
		ret = vsamp_recorder_open(&r->recorder, r->session, r->sideband, r->writer, err);
	return ret;
}

static int run_delay(struct run *r, bool *ended, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	return run_wait(r, now + (uint64_t)(r->o->delay_ms * 1e6), ended, err);
}

/*
 * The command is the scope: members are followed from its exec on, so the session starts before,
 * and a delay is a pause
 */
static int run_start_launch(struct run *r, struct vsamp_error *err)
{
	bool ended = false;
	int ret = run_session_start(r, err);

	if (!ret && r->o->delay_ms > 0)
		ret = vsamp_session_pause(r->session, err);
	if (!ret)
		ret = run_go(r, err);
	if (ret || !(r->o->delay_ms > 0))
		return ret;
	ret = run_delay(r, &ended, err);
	if (!ret && !ended)
		ret = vsamp_session_resume(r->session, err);
	r->began_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	return ret;
}

static int run_start_other(struct run *r, struct vsamp_error *err)
{
	bool delay = r->o->delay_ms > 0, ended = false;
	int ret = 0;

	if (delay && r->o->command)
		ret = run_go(r, err);
	if (!ret && delay)
		ret = run_delay(r, &ended, err);
	if (!ret)
		ret = run_session_start(r, err);
	if (!ret && !delay && r->o->command)
		ret = run_go(r, err);
	return ret;
}

int run_start(struct run *r, struct vsamp_error *err)
{
	r->end = RUN_DURATION;
	return run_is_launch(r->o) ? run_start_launch(r, err) : run_start_other(r, err);
}

/* Without a recorder: nothing to drain */
static int run_poll(struct run *r, uint64_t deadline, enum vsamp_recorder_why *why,
		    struct vsamp_error *err)
{
	struct pollfd p[] = {
		{ .fd = r->ends->fd, .events = POLLIN },
		{ .fd = vsamp_session_fd(r->session), .events = POLLPRI },
	};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct timespec left = { 0 };
	struct vsamp_stats stats;
	int ret;

	*why = VSAMP_RECORDER_DEADLINE;
	if (deadline > now) {
		left.tv_sec = (deadline - now) / 1000000000;
		left.tv_nsec = (deadline - now) % 1000000000;
	}
	ret = ppoll(p, 2, deadline ? &left : NULL, NULL);
	if (ret < 0 && errno != EINTR)
		return vsamp_fail(err, -errno, "poll: %s", strerror(errno));
	if (ret == 0)
		return 0;
	*why = VSAMP_RECORDER_WAKE;
	if (p[0].revents || !p[1].revents)
		return 0;
	ret = vsamp_session_stats(r->session, &stats, err);
	if (!ret && stats.state == VSAMP_SESSION_ENDED)
		*why = VSAMP_RECORDER_ENDED;
	vsamp_stats_free(&stats);
	return ret;
}

static int run_wait(struct run *r, uint64_t deadline, bool *ended, struct vsamp_error *err)
{
	while (true) {
		enum vsamp_recorder_why why;
		enum ends_what what;
		int ret;

		/* It may have ended already, in the delay */
		what = ends_look(r->ends, &r->child);
		*ended = what != ENDS_NONE;
		if (*ended) {
			r->end = what == ENDS_SIGNAL ? RUN_SIGNAL : RUN_EXIT;
			return 0;
		}
		ret = r->recorder ?
			      vsamp_recorder_run(r->recorder, r->ends->fd, deadline, &why, err) :
			      run_poll(r, deadline, &why, err);
		if (ret)
			return ret;
		if (why == VSAMP_RECORDER_DEADLINE)
			return 0;
		if (why == VSAMP_RECORDER_ENDED) {
			r->end = RUN_FOREIGN;
			*ended = true;
			return 0;
		}
	}
}

int run_finish(struct run *r, double seconds, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), raw = clock_ns(CLOCK_MONOTONIC_RAW);
	uint64_t deadline = seconds > 0 ? now - (raw - r->began_ns) + (uint64_t)(seconds * 1e9) : 0;
	bool ended = r->end != RUN_DURATION;
	int ret = ended ? 0 : run_wait(r, deadline, &ended, err);

	r->elapsed_ns = clock_ns(CLOCK_MONOTONIC_RAW) - r->began_ns;
	if (!ret && r->end != RUN_FOREIGN)
		ret = vsamp_session_stop(r->session, err);
	return ret;
}

void run_close(struct run *r)
{
	vsamp_recorder_close(r->recorder);
	vsamp_session_close(r->session);
	/* A command that came to its own end may have left a service running, which is its purpose */
	launch_close(&r->child, r->end != RUN_EXIT || r->rehearsal);
	r->recorder = NULL;
	r->session = NULL;
}

int run_count(const struct options *o, struct ends *ends, double seconds, struct run *r,
	      struct vsamp_stats *stats, struct vsamp_error *err)
{
	int ret;

	memset(stats, 0, sizeof(*stats));
	ret = run_open(r, o, ends, err);
	if (!ret)
		ret = run_start(r, err);
	if (!ret)
		ret = run_finish(r, seconds, err);
	if (!ret)
		ret = vsamp_session_stats(r->session, stats, err);
	run_close(r);
	return ret;
}

uint64_t run_stats_count(const struct vsamp_stats *stats, unsigned int event)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < stats->n; i++)
		sum += stats->cpu[i].event[event].count;
	return sum;
}
