// SPDX-License-Identifier: MIT
/*
 * Sessions of perf_event_open(2), without the module
 *
 * Records that the module writes by itself are made here: states, where all CPUs' events have been
 * switched, and clocks when a ring is read. Before such a record what waits in perf's buffer is
 * taken, so that records stay in their order.
 */
#include <errno.h>
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

struct perf_ring {
	struct vsamp_ring ring;
	struct perf_source *source;
	struct perf_buffer *buffer;
};

static struct perf_source *perf_source(struct vsamp_session *s)
{
	return (struct perf_source *)s;
}

static void source_reset(struct perf_source *s)
{
	for (unsigned int i = 0; i < s->n; i++) {
		perf_cpu_close(&s->cpu[i]);
		perf_buffer_free(&s->cpu[i].buffer);
	}
	free(s->cpu);
	free(s->tid);
	while (s->n_cgroups)
		close(s->cgroup[--s->n_cgroups]);
	free(s->cgroup);
	*s = (struct perf_source){ .session = s->session, .state = VSAMP_SESSION_OPEN };
}

static void perf_close(struct vsamp_session *session)
{
	source_reset(perf_source(session));
	close(session->fd);
	free(session);
}

static int wrong_state(const char *doing, struct vsamp_error *err)
{
	return vsamp_fail(err, -EBADFD, "the session isn't in a state to %s", doing);
}

static int perf_session_configure(struct vsamp_session *session, const struct vsamp_config *config,
				  struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	int ret;

	if (s->state != VSAMP_SESSION_OPEN)
		return wrong_state("be configured", err);
	ret = perf_configure(s, config, err);
	if (ret)
		source_reset(s);
	else
		s->state = VSAMP_SESSION_READY;
	return ret;
}

static bool cpu_samples(const struct perf_cpu *c)
{
	return c->buffer.page;
}

/* A change of state, with the clocks of that time; what waits goes before it */
static int cpu_put_state(struct perf_cpu *c, enum vsamp_state_code code, struct vsamp_error *err)
{
	int ret;

	if (!cpu_samples(c))
		return 0;
	ret = perf_buffer_convert(&c->buffer, true, err);
	if (ret)
		return ret;
	if (perf_buffer_put_state(&c->buffer, code) || perf_buffer_put_clock(&c->buffer))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	return 0;
}

static int cpu_switch(const struct perf_source *s, const struct perf_cpu *c, bool on,
		      struct vsamp_error *err)
{
	for (unsigned int i = 0; i < c->n; i++) {
		int ret = perf_fd_switch(&c->fd[i], on);

		if (ret)
			return vsamp_fail(err, ret, "%s: perf can't switch it %s on CPU %u: %s",
					  s->event[c->fd[i].event].name, on ? "on" : "off", c->cpu,
					  strerror(-ret));
	}
	return 0;
}

/* To a state in which events count: its records come before them */
static int source_on(struct perf_source *s, enum vsamp_state_code code, struct vsamp_error *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_put_state(&s->cpu[i], code, err);
	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_switch(s, &s->cpu[i], true, err);
	if (!ret)
		s->state = VSAMP_SESSION_RUNNING;
	return ret;
}

static int source_off(struct perf_source *s, struct vsamp_error *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_switch(s, &s->cpu[i], false, err);
	return ret;
}

static int perf_start(struct vsamp_session *session, struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	struct vsamp_error ignored;
	int ret;

	if (s->state != VSAMP_SESSION_READY)
		return wrong_state("start", err);
	ret = source_on(s, VSAMP_STATE_START, err);
	if (ret)
		source_off(s, &ignored);
	return ret;
}

static int perf_pause(struct vsamp_session *session, struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	int ret;

	if (s->state != VSAMP_SESSION_RUNNING)
		return wrong_state("pause", err);
	ret = source_off(s, err);
	if (ret)
		return ret;
	s->state = VSAMP_SESSION_PAUSED;
	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_put_state(&s->cpu[i], VSAMP_STATE_PAUSE, err);
	return ret;
}

static int perf_resume(struct vsamp_session *session, struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);

	if (s->state != VSAMP_SESSION_PAUSED)
		return wrong_state("resume", err);
	return source_on(s, VSAMP_STATE_RESUME, err);
}

/* What the kernel found no room for, and had no record to tell it in */
static int cpu_settle_lost(const struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	uint64_t lost = 0;

	if (!cpu_samples(c))
		return 0;
	for (unsigned int i = 0; i < c->n; i++) {
		struct perf_reading reading;

		if (s->sav[c->fd[i].event] && !perf_fd_read(&c->fd[i], &reading))
			lost += reading.lost;
	}
	return perf_buffer_settle_lost(&c->buffer, lost) ?
		       vsamp_fail(err, -ENOMEM, "out of memory") :
		       0;
}

static int cpu_settle(const struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	int ret = perf_buffer_convert(&c->buffer, true, err);

	return ret ? ret : cpu_settle_lost(s, c, err);
}

static int cpu_stop(const struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	int ret = cpu_settle(s, c, err);

	return ret ? ret : cpu_put_state(c, VSAMP_STATE_STOP, err);
}

static int perf_stop(struct vsamp_session *session, struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	int ret;

	if (s->state != VSAMP_SESSION_RUNNING && s->state != VSAMP_SESSION_PAUSED)
		return wrong_state("stop", err);
	ret = source_off(s, err);
	if (ret)
		return ret;
	s->state = VSAMP_SESSION_ENDED;
	for (unsigned int i = 0; i < s->n && !ret; i++)
		ret = cpu_stop(s, &s->cpu[i], err);
	return ret;
}

/*
 * perf drops the period that is under way: up to a period's events on each CPU are in no sample.
 * Switched off meanwhile, no sample comes between the record and the change.
 */
static int cpu_set_sav(struct perf_source *s, struct perf_cpu *c, const struct perf_fd *f,
		       uint64_t sav, struct vsamp_error *err)
{
	int ret = perf_fd_switch(f, false);

	if (!ret)
		ret = ioctl(f->fd, PERF_EVENT_IOC_PERIOD, &sav) ? -errno : 0;
	if (ret)
		vsamp_fail(err, ret, "%s, SAV %" PRIu64 ": perf refuses it on CPU %u: %s",
			   s->event[f->event].name, sav, c->cpu, strerror(-ret));
	else
		ret = perf_buffer_convert(&c->buffer, true, err);
	if (!ret && perf_buffer_put_sav(&c->buffer, f->event, sav))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (s->state == VSAMP_SESSION_RUNNING)
		perf_fd_switch(f, true);
	return ret;
}

static int perf_set_sav(struct vsamp_session *session, unsigned int event, uint64_t sav, bool force,
			struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	int ret;

	if (s->state != VSAMP_SESSION_RUNNING && s->state != VSAMP_SESSION_PAUSED)
		return wrong_state("change a Sample-After value", err);
	if (event >= s->n_events || !s->sav[event])
		return vsamp_fail(err, -EINVAL, "event %u isn't sampled", event);
	if (perf_source_follows(s))
		return vsamp_fail(
			err, -EOPNOTSUPP,
			"%s: perf doesn't change the Sample-After value of threads that came since the start: it stays as it is",
			s->event[event].name);
	ret = perf_check_sav(&s->event[event], sav, force, err);
	for (unsigned int i = 0; i < s->n && !ret; i++)
		for (unsigned int k = 0; k < s->cpu[i].n && !ret; k++)
			if (s->cpu[i].fd[k].event == event)
				ret = cpu_set_sav(s, &s->cpu[i], &s->cpu[i].fd[k], sav, err);
	if (!ret)
		s->sav[event] = sav;
	return ret;
}

static int cpu_count(const struct perf_cpu *c, struct vsamp_event_stats *sum,
		     struct vsamp_error *err)
{
	memcpy(sum, c->gone, sizeof(c->gone));
	for (unsigned int i = 0; i < c->n; i++) {
		struct vsamp_event_stats *e = &sum[c->fd[i].event];
		struct perf_reading reading;
		int ret = perf_fd_read(&c->fd[i], &reading);

		if (ret)
			return vsamp_fail(err, ret, "perf's counts of CPU %u can't be read: %s",
					  c->cpu, strerror(-ret));
		e->count += reading.value;
		e->enabled += reading.enabled;
		e->running += reading.running;
		e->samples += reading.lost;
	}
	return 0;
}

/*
 * Brings a CPU that went offline to its end, which was as its watch stopped: its events don't come
 * back by themselves
 */
static int cpu_offline(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	uint64_t end = c->watched + perf_watch_time(c->watch), now = clock_raw_now();
	int ret = cpu_settle(s, c, err);

	if (!ret && cpu_samples(c) &&
	    (perf_buffer_put_state_of(&c->buffer, VSAMP_STATE_OFFLINE, end < now ? end : now) ||
	     perf_buffer_put_clock(&c->buffer)))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = cpu_count(c, c->gone, err);
	c->buffer.lost_before = c->buffer.lost;
	perf_cpu_close(c);
	return ret;
}

static int cpu_online(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err)
{
	int ret = perf_cpu_begin(s, c, err);

	if (ret)
		return ret == -ENODEV ? 0 : ret; /* went again */
	ret = cpu_put_state(c, VSAMP_STATE_ONLINE, err);
	if (!ret && s->state == VSAMP_SESSION_RUNNING)
		ret = cpu_switch(s, c, true, err);
	return ret;
}

/* Events of threads outlast a CPU's absence, events of CPUs don't */
static int source_refresh(struct perf_source *s, struct vsamp_error *err)
{
	struct vsamp_cpulist online;
	int ret;

	if (perf_source_follows(s) ||
	    (s->state != VSAMP_SESSION_RUNNING && s->state != VSAMP_SESSION_PAUSED))
		return 0;
	ret = vsamp_cpulist_online(&online);
	if (ret)
		return vsamp_fail(err, ret, "the list of online CPUs can't be read");
	for (unsigned int i = 0; i < s->n && !ret; i++) {
		struct perf_cpu *c = &s->cpu[i];
		bool is = false;

		for (unsigned int k = 0; k < online.n; k++)
			is |= online.cpu[k] == c->cpu;
		if (c->online && (!is || perf_watch_gone(c->watch)))
			ret = cpu_offline(s, c, err);
		if (!ret && !c->online && is)
			ret = cpu_online(s, c, err);
	}
	vsamp_cpulist_free(&online);
	return ret;
}

static int cpu_stats(struct perf_source *s, struct perf_cpu *c, struct vsamp_stats *stats,
		     struct vsamp_error *err)
{
	struct vsamp_cpu_stats *row;
	int ret = perf_buffer_convert(&c->buffer, false, err);

	if (ret)
		return ret;
	row = session_row_add((void **)&stats->cpu, &stats->n, sizeof(*row));
	if (!row)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	row->cpu = c->cpu;
	row->written = c->buffer.written;
	row->lost = c->buffer.lost;
	row->produced = row->written + row->lost;
	row->throttled = c->buffer.throttled;
	ret = cpu_count(c, row->event, err);
	for (unsigned int i = 0; i < s->n_events; i++) {
		row->pmis += c->buffer.samples[i];
		row->event[i].samples += c->buffer.samples[i];
	}
	return ret;
}

/*
 * An event of a thread on one CPU is, for perf, enabled also while the thread runs on another one.
 * Its part of the time is of all CPUs together.
 */
static void stats_share_time(struct vsamp_stats *stats, unsigned int event)
{
	uint64_t enabled = 0, running = 0;

	for (unsigned int i = 0; i < stats->n; i++) {
		const struct vsamp_event_stats *e = &stats->cpu[i].event[event];

		running += e->running;
		if (enabled < e->enabled)
			enabled = e->enabled;
	}
	if (enabled < running)
		enabled = running;
	for (unsigned int i = 0; i < stats->n; i++) {
		struct vsamp_event_stats *e = &stats->cpu[i].event[event];

		e->enabled = running ? (unsigned __int128)e->running * enabled / running : 0;
	}
}

static int perf_stats(struct vsamp_session *session, struct vsamp_stats *stats,
		      struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	int ret = source_refresh(s, err);

	stats->state = s->state;
	stats->end_reason = s->state == VSAMP_SESSION_ENDED ? VSAMP_END_STOP : 0;
	for (unsigned int i = 0; i < s->n && !ret; i++)
		if (s->cpu[i].used)
			ret = cpu_stats(s, &s->cpu[i], stats, err);
	for (unsigned int i = 0; i < s->n_events && !ret && perf_source_follows(s); i++)
		stats_share_time(stats, i);
	return ret;
}

static int perf_ring_take(struct vsamp_ring *ring, const char **data, uint64_t *size,
			  struct vsamp_error *err)
{
	struct perf_ring *r = (struct perf_ring *)ring;
	struct perf_buffer *b = r->buffer;
	struct epoll_event wakes[64];
	int ret;

	/* What woke the reader is taken here, whichever buffer it was: he is to read all */
	while (epoll_wait(r->source->session.fd, wakes, 64, 0) == 64)
		;
	ret = perf_buffer_convert(b, false, err);
	if (!ret && r->source->state == VSAMP_SESSION_RUNNING && b->page &&
	    clock_raw_now() >= b->clock_due && perf_buffer_put_clock(b))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	*data = (const char *)b->out.data;
	*size = b->out.size;
	return ret;
}

static void perf_ring_release(struct vsamp_ring *ring, uint64_t size)
{
	struct buf *out = &((struct perf_ring *)ring)->buffer->out;

	out->size -= size;
	memmove(out->data, out->data + size, out->size);
}

static void perf_ring_close(struct vsamp_ring *ring)
{
	free(ring);
}

static const struct ring_ops perf_ring_ops = {
	.take = perf_ring_take,
	.release = perf_ring_release,
	.close = perf_ring_close,
};

static int perf_ring(struct vsamp_session *session, uint32_t cpu, struct vsamp_ring **ring,
		     struct vsamp_error *err)
{
	struct perf_source *s = perf_source(session);
	struct perf_buffer *b = NULL;
	struct perf_ring *r;

	for (unsigned int i = 0; i < s->n; i++)
		if (s->cpu[i].cpu == cpu && s->cpu[i].buffer.size)
			b = &s->cpu[i].buffer;
	if (!b)
		return vsamp_fail(err, -ENXIO, "CPU %u has no ring", cpu);
	r = calloc(1, sizeof(*r));
	if (!r)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	r->ring.ops = &perf_ring_ops;
	r->ring.cpu = cpu;
	r->ring.data_size = b->size;
	r->source = s;
	r->buffer = b;
	*ring = &r->ring;
	return 0;
}

static const struct session_ops perf_ops = {
	.silent = true,
	.close = perf_close,
	.configure = perf_session_configure,
	.start = perf_start,
	.stop = perf_stop,
	.pause = perf_pause,
	.resume = perf_resume,
	.set_sav = perf_set_sav,
	.stats = perf_stats,
	.ring = perf_ring,
};

int perf_session_open(struct vsamp_session **session, struct vsamp_error *err)
{
	struct perf_source *s = calloc(1, sizeof(*s));

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	s->session.ops = &perf_ops;
	s->state = VSAMP_SESSION_OPEN;
	s->session.fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->session.fd < 0) {
		int ret = vsamp_fail(err, -errno, "epoll: %s", strerror(errno));

		free(s);
		return ret;
	}
	*session = &s->session;
	return 0;
}
