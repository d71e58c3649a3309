// SPDX-License-Identifier: MIT
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/cpulist.h>
#include <vsamp/machine.h>
#include <vsamp/pmu.h>
#include <vsamp/schedule.h>

#include "adapt.h"
#include "clock.h"
#include "cmd.h"
#include "gpu_recording.h"
#include "run.h"
#include "say.h"
#include "spooling.h"

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

static int run_cpus_list(struct run_cpus *cpus, const struct options *o, struct vsamp_cpulist *list,
			 struct vsamp_error *err)
{
	int ret;

	if (o->cpus)
		snprintf(cpus->list, sizeof(cpus->list), "%s", o->cpus);
	else
		vsamp_machine_line("/sys/devices/system/cpu/online", cpus->list,
				   sizeof(cpus->list));
	ret = o->cpus ? vsamp_cpulist_parse(list, o->cpus) : vsamp_cpulist_online(list);
	return ret ? vsamp_fail(err, ret, "the list of CPUs can't be read") : 0;
}

/* Others than intel take all events at once, and choose counters themselves */
static int run_cpus_schedule(struct run_cpus *cpus, struct options *o, struct vsamp_error *err)
{
	cpus->sets = 1;
	if (cpus->choice.backend != VSAMP_BACKEND_INTEL)
		return 0;
	return vsamp_events_schedule(
		o->events, o->n_events, cpus->caps.counters, cpus->caps.events_absent,
		vsamp_cal_needs_runs(o->events, o->n_events, o->cal_mode), &cpus->sets, err);
}

static int run_open_cgroups(struct options *o, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };

	for (unsigned int i = 0; i < o->n_cgroup_lists; i++)
		if (vsamp_cgroups_open(&o->cgroups, o->cgroup_list[i], &why))
			return vsamp_fail(err, why.code, "-G: %s", why.text);
	return 0;
}

/* Where there are kinds of core: events that some CPUs don't count */
static void run_say_missed(const struct run_cpus *cpus, const struct options *o)
{
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	size_t n = vsamp_pmus_get(pmu, "");
	char text[256];

	for (unsigned int i = 0; i < o->n_events && !o->quiet; i++)
		if (vsamp_pmu_misses(pmu, n, &o->events[i], cpus->list, text, sizeof(text)))
			say("%s", text);
}

int run_cpus_get(struct run_cpus *cpus, struct options *o, struct vsamp_error *err)
{
	struct vsamp_cpulist list;
	struct vsamp_caps caps;
	int ret = run_open_cgroups(o, err);

	if (!ret)
		ret = choice_make(&cpus->choice, o, err);
	if (!ret)
		ret = vsamp_caps_get(&caps, cpus->choice.backend, err);
	if (ret)
		return ret;
	ret = run_cpus_list(cpus, o, &list, err);
	if (!ret) {
		ret = run_cpus_join(cpus, &caps, &list, err);
		vsamp_cpulist_free(&list);
	}
	vsamp_caps_free(&caps);
	if (!ret)
		run_say_missed(cpus, o);
	return ret ? ret : run_cpus_schedule(cpus, o, err);
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
		.mux_ms = o->mux_ms,
		.set = r->set,
		.count_only = !r->collect,
		.force = o->force,
		.cpus = o->cpus,
		.pids = o->pids,
		.n_pids = o->n_pids,
		.cgroups = o->cgroups.fd,
		.n_cgroups = o->cgroups.n,
		.flags = o->backend == VSAMP_BACKEND_INTEL ? VSAMP_FLAG_HYPERVISOR : 0,
		.ring_size = o->ring_size,
		.pmi_limit = o->pmi_limit,
		.stacks = r->collect ? o->stacks : 0,
		.stack_depth = r->collect ? o->stack_depth : 0,
	};

	if (o->children)
		config.flags |= VSAMP_FLAG_INHERIT;
	if (run_is_launch(o)) {
		config.pids = &r->child.pid;
		config.n_pids = 1;
		config.flags |= VSAMP_FLAG_ON_EXEC;
	}
	return vsamp_session_configure(r->session, &config, err);
}

int run_open(struct run *r, struct vsamp_error *err)
{
	const struct options *o = r->o;
	int ret = 0;

	progress_begin(&r->progress, 0, true);
	/* Before the session, so that the child never holds it */
	if (o->command)
		ret = launch_fork(&r->child, o->command, o->user, err);
	if (!ret)
		ret = vsamp_session_open(&r->session, r->backend, err);
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

static bool run_paused(const struct run *r)
{
	return r->delayed || (r->pauses && vsamp_itt_pauses_paused(r->pauses));
}

static int run_session_start(struct run *r, struct vsamp_error *err)
{
	int ret = vsamp_session_start(r->session, err);

	r->began_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	if (!ret && r->collect)
		ret = vsamp_recorder_open(&r->recorder, r->session, r->sideband, r->writer, err);
	if (!ret && run_paused(r))
		ret = vsamp_session_pause(r->session, err);
	if (!ret && r->pauses)
		ret = vsamp_itt_pauses_start(r->pauses, r->writer, err);
	if (!ret && r->gpu && !r->delayed)
		ret = gpu_recording_start(r->gpu, err);
	return ret;
}

static int run_delay(struct run *r, bool *ended, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int ret = run_wait(r, now + (uint64_t)(r->o->delay_ms * 1e6), ended, err);

	r->delayed = false;
	return ret;
}

/*
 * The command is the scope: members are followed from its exec on, so the session starts before,
 * and a delay is a pause
 */
static int run_start_launch(struct run *r, struct vsamp_error *err)
{
	bool ended = false;
	int ret;

	r->delayed = r->o->delay_ms > 0;
	ret = run_session_start(r, err);
	if (!ret)
		ret = run_go(r, err);
	if (ret || !r->delayed)
		return ret;
	ret = run_delay(r, &ended, err);
	if (!ret && !ended && !run_paused(r))
		ret = vsamp_session_resume(r->session, err);
	if (!ret && !ended && r->gpu)
		ret = gpu_recording_start(r->gpu, err);
	r->began_ns = clock_ns(CLOCK_MONOTONIC_RAW);
	return ret;
}

static int run_start_other(struct run *r, struct vsamp_error *err)
{
	bool delay = r->o->delay_ms > 0, ended = false;
	int ret = 0;

	r->delayed = delay;
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

/* Without a recorder: nothing to drain but the sideband of a file that goes on */
static int run_poll(struct run *r, uint64_t deadline, enum vsamp_recorder_why *why,
		    struct vsamp_error *err)
{
	struct pollfd p[] = {
		{ .fd = r->ends->fd, .events = POLLIN },
		{ .fd = vsamp_session_fd(r->session), .events = POLLPRI },
		{ .fd = r->sideband ? vsamp_sideband_fd(r->sideband) : -1, .events = POLLIN },
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
	ret = ppoll(p, 3, deadline ? &left : NULL, NULL);
	if (ret < 0 && errno != EINTR)
		return vsamp_fail(err, -errno, "poll: %s", strerror(errno));
	if (ret == 0)
		return 0;
	*why = VSAMP_RECORDER_WAKE;
	if (p[2].revents && vsamp_sideband_drain(r->sideband, r->writer, err))
		return err->code;
	if (p[0].revents || !p[1].revents)
		return 0;
	ret = vsamp_session_stats(r->session, &stats, err);
	if (!ret && stats.state == VSAMP_SESSION_ENDED)
		*why = VSAMP_RECORDER_ENDED;
	vsamp_stats_free(&stats);
	return ret;
}

/* Until the deadline or something happens */
static int run_wait_once(struct run *r, uint64_t deadline, enum vsamp_recorder_why *why,
			 struct vsamp_error *err)
{
	if (r->recorder)
		return vsamp_recorder_run(r->recorder, r->ends->fd, deadline, why, err);
	return run_poll(r, deadline, why, err);
}

/* The session has ended by itself: why */
static int run_get_end(struct run *r, struct vsamp_error *err)
{
	struct vsamp_stats stats;
	int ret = vsamp_session_stats(r->session, &stats, err);

	r->end = stats.end_reason == VSAMP_END_REBOOT ? RUN_REBOOT : RUN_FOREIGN;
	vsamp_stats_free(&stats);
	return ret;
}

const char *run_end_text(enum run_end end)
{
	switch (end) {
	case RUN_FOREIGN:
		return "somebody else wrote to the performance counters";
	case RUN_REBOOT:
		return "the machine is being rebooted";
	default:
		return NULL;
	}
}

/* When there is something to do, at the latest */
static uint64_t run_next(const struct run *r, uint64_t deadline)
{
	uint64_t next = r->adapt ? adapt_next(r->adapt, deadline) : deadline;

	if (r->spooling)
		next = spooling_next(r->spooling, next);
	if (r->gpu)
		next = gpu_recording_next(r->gpu, next);
	if (!r->rotate)
		return next;
	if (r->ends->rotate)
		return 1; /* at once */
	return !next || r->rotate_due < next ? r->rotate_due : next;
}

/* Between two drains of the rings */
static int run_step(struct run *r, struct vsamp_error *err)
{
	struct vsamp_session *session = r->delayed ? NULL : r->session;
	int ret = r->pauses ? vsamp_itt_pauses_take(r->pauses, session, r->writer, err) : 0;

	if (!ret && r->adapt)
		ret = adapt_step(r->adapt, r->session, r->recorder, err);
	if (!ret && r->spooling)
		ret = spooling_step(r->spooling, err);
	if (!ret && r->gpu)
		ret = gpu_recording_step(r->gpu, r->recorder, r->writer, err);
	if (ret || !r->rotate || (!r->ends->rotate && clock_ns(CLOCK_MONOTONIC) < r->rotate_due))
		return ret;
	r->ends->rotate = false;
	return r->rotate(r, r->rotate_arg, err);
}

static int run_wait(struct run *r, uint64_t deadline, bool *ended, struct vsamp_error *err)
{
	while (true) {
		enum vsamp_recorder_why why;
		enum ends_what what;
		uint64_t until;
		int ret;

		/* It may have ended already, in the delay */
		what = ends_look(r->ends, &r->child);
		*ended = what != ENDS_NONE;
		if (*ended) {
			r->end = what == ENDS_SIGNAL ? RUN_SIGNAL : RUN_EXIT;
			return 0;
		}
		until = progress_show(&r->progress, run_next(r, deadline));
		ret = run_wait_once(r, until, &why, err);
		if (ret)
			return ret;
		if (why == VSAMP_RECORDER_ENDED) {
			*ended = true;
			return run_get_end(r, err);
		}
		if (why == VSAMP_RECORDER_DEADLINE && until == deadline)
			return 0;
		ret = run_step(r, err);
		if (ret)
			return ret;
	}
}

int run_finish(struct run *r, uint64_t ns, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), raw = clock_ns(CLOCK_MONOTONIC_RAW);
	uint64_t deadline = ns ? now - (raw - r->began_ns) + ns : 0;
	bool ended = r->end != RUN_DURATION;
	int ret;

	/* A command has the terminal for itself */
	progress_begin(&r->progress, ns, r->o->quiet || r->o->command);
	ret = ended ? 0 : run_wait(r, deadline, &ended, err);
	progress_end(&r->progress);
	r->elapsed_ns = clock_ns(CLOCK_MONOTONIC_RAW) - r->began_ns;
	if (!ret && !run_end_text(r->end))
		ret = vsamp_session_stop(r->session, err);
	if (!ret && r->gpu)
		gpu_recording_stop(r->gpu);
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

int run_count(struct run *r, uint64_t ns, struct vsamp_stats *stats, struct vsamp_error *err)
{
	int ret;

	memset(stats, 0, sizeof(*stats));
	ret = run_open(r, err);
	if (!ret)
		ret = run_start(r, err);
	if (!ret)
		ret = run_finish(r, ns, err);
	if (!ret)
		ret = vsamp_session_stats(r->session, stats, err);
	run_close(r);
	return ret;
}

double run_cpu_count(const struct vsamp_cpu_stats *cpu, unsigned int event)
{
	const struct vsamp_event_stats *e = &cpu->event[event];

	return e->running ? (double)e->count * e->enabled / e->running : e->count;
}

double run_stats_count(const struct vsamp_stats *stats, unsigned int event)
{
	double sum = 0;

	for (unsigned int i = 0; i < stats->n; i++)
		sum += run_cpu_count(&stats->cpu[i], event);
	return sum;
}

double run_stats_share(const struct vsamp_stats *stats, unsigned int event)
{
	double enabled = 0, running = 0;

	for (unsigned int i = 0; i < stats->n; i++) {
		enabled += stats->cpu[i].event[event].enabled;
		running += stats->cpu[i].event[event].running;
	}
	return enabled > 0 ? running / enabled : 1;
}
