// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "recorder_private.h"
#include "session.h"

/* A death of the process must lose no more than a second; draining takes its time too */
#define FLUSH_NS 800000000ULL

uint64_t recorder_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static uint64_t text_hash(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 1099511628211U; /* FNV-1a */
	while (*text++);
	return hash;
}

/* Changes when a module comes, goes or moves; not with the modules' use counts */
static uint64_t modules_fingerprint(void)
{
	FILE *f = fopen("/proc/modules", "re");
	uint64_t hash = 0;
	char line[1024], name[65], address[33];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%64s %*s %*s %*s %*s %32s", name, address) == 2)
			hash = text_hash(text_hash(hash, name), address);
	if (f)
		fclose(f);
	return hash;
}

/* Once a second or so: what was gathered goes to the file, with the names of new modules */
static int recorder_flush(struct vsamp_recorder *r, struct vsamp_error *err)
{
	uint64_t modules = modules_fingerprint();

	if (modules != r->modules) {
		r->modules = modules;
		vsamp_writer_kallsyms(r->w, NULL); /* without it there are fewer names */
	}
	return vsamp_writer_flush(r->w, err);
}

struct vsamp_ring *recorder_ring(const struct vsamp_recorder *r, uint32_t cpu)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (vsamp_ring_cpu(r->ring[i]) == cpu)
			return r->ring[i];
	return NULL;
}

/* Maps the rings of CPUs that have one and are not mapped yet */
static int recorder_map(struct vsamp_recorder *r, const struct vsamp_stats *stats,
			struct vsamp_error *err)
{
	for (unsigned int i = 0; i < stats->n; i++) {
		struct vsamp_ring **more;
		int ret;

		if (recorder_ring(r, stats->cpu[i].cpu))
			continue;
		more = reallocarray(r->ring, r->n + 1, sizeof(struct vsamp_ring *));
		if (!more)
			return vsamp_fail(err, -ENOMEM, "out of memory");
		r->ring = more;
		ret = vsamp_session_ring(r->session, stats->cpu[i].cpu, &r->ring[r->n], err);
		if (ret)
			return ret;
		r->n++;
	}
	return 0;
}

int vsamp_recorder_stats(struct vsamp_recorder *r, struct vsamp_stats *stats,
			 struct vsamp_error *err)
{
	int ret = vsamp_session_stats(r->session, stats, err);

	if (ret)
		return ret;
	ret = recorder_map(r, stats, err);
	if (!ret && r->sideband)
		ret = vsamp_sideband_refresh(r->sideband, r->w, err);
	if (ret)
		vsamp_stats_free(stats);
	return ret;
}

/* Looks what has changed: a CPU came online or went, or the session ended */
static int recorder_look(struct vsamp_recorder *r, bool *ended, struct vsamp_error *err)
{
	struct vsamp_stats stats;
	int ret = vsamp_recorder_stats(r, &stats, err);

	if (ret)
		return ret;
	*ended = stats.state == VSAMP_SESSION_ENDED;
	vsamp_stats_free(&stats);
	return 0;
}

/* 1: there was something, 0: the ring is empty */
static int ring_drain(struct vsamp_ring *ring, struct vsamp_writer *w, struct vsamp_error *err)
{
	const void *data;
	size_t size;
	int ret = vsamp_ring_begin(ring, &data, &size, err);

	if (ret <= 0)
		return ret;
	ret = vsamp_writer_records(w, vsamp_ring_cpu(ring), data, size, err);
	if (ret)
		return ret;
	vsamp_ring_end(ring);
	return 1;
}

int recorder_drain(struct vsamp_recorder *r, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < r->n; i++) {
		int ret = ring_drain(r->ring[i], r->w, err);

		if (ret < 0)
			return ret;
	}
	return r->sideband ? vsamp_sideband_drain(r->sideband, r->w, err) : 0;
}

static int epoll_add(int epoll, int fd, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.fd = fd };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e);
}

int vsamp_recorder_open(struct vsamp_recorder **recorder, struct vsamp_session *session,
			struct vsamp_sideband *sideband, struct vsamp_writer *w,
			struct vsamp_error *err)
{
	struct vsamp_recorder *r = calloc(1, sizeof(*r));
	bool ended;
	int ret;

	if (!r)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	*r = (struct vsamp_recorder){
		.session = session,
		.sideband = sideband,
		.w = w,
		.modules = modules_fingerprint(),
		.flush = recorder_now() + FLUSH_NS,
	};
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (r->epoll < 0 || epoll_add(r->epoll, vsamp_session_fd(session), EPOLLIN | EPOLLPRI) ||
	    (sideband && epoll_add(r->epoll, vsamp_sideband_fd(sideband), EPOLLIN)))
		ret = vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	else
		ret = recorder_look(r, &ended, err);
	/* The first turn takes memory and pages: before what is sampled begins, not beside it */
	if (!ret)
		ret = recorder_drain(r, err);
	if (!ret)
		ret = vsamp_writer_flush(w, err);
	if (ret) {
		vsamp_recorder_close(r);
		return ret;
	}
	*recorder = r;
	return 0;
}

void vsamp_recorder_close(struct vsamp_recorder *r)
{
	if (!r)
		return;
	for (unsigned int i = 0; i < r->n; i++)
		vsamp_ring_close(r->ring[i]);
	free(r->ring);
	vsamp_recorder_totals_free(&r->base);
	if (r->epoll >= 0)
		close(r->epoll);
	free(r);
}

struct wakes {
	bool wake;  /* the caller's fd */
	bool state; /* of the session */
};

static int recorder_wait(struct vsamp_recorder *r, int wake_fd, uint64_t until, struct wakes *wakes,
			 struct vsamp_error *err)
{
	uint64_t now = recorder_now();
	struct epoll_event e[3];
	int n;

	*wakes = (struct wakes){ 0 };
	/* Rounded up: waking before the time would make it spin to it */
	n = epoll_wait(r->epoll, e, 3, until > now ? (until - now + 999999) / 1000000 : 0);
	if (n < 0 && errno != EINTR)
		return vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		if (e[i].data.fd == wake_fd)
			wakes->wake = true;
		else if (e[i].data.fd == vsamp_session_fd(r->session))
			wakes->state = e[i].events & (EPOLLPRI | EPOLLHUP | EPOLLERR);
	}
	return 0;
}

static int recorder_loop(struct vsamp_recorder *r, int wake_fd, uint64_t deadline,
			 enum vsamp_recorder_why *why, struct vsamp_error *err)
{
	struct wakes wakes;
	bool ended = false;
	int ret;

	while (true) {
		ret = recorder_wait(r, wake_fd,
				    deadline && deadline < r->flush ? deadline : r->flush, &wakes,
				    err);
		if (!ret && wakes.state)
			ret = recorder_look(r, &ended, err);
		if (!ret)
			ret = recorder_drain(r, err);
		if (!ret && recorder_now() >= r->flush) {
			ret = recorder_flush(r, err);
			if (!ret && r->session->ops->silent)
				ret = recorder_look(r, &ended, err);
			r->flush = recorder_now() + FLUSH_NS;
		}
		if (ret)
			return ret;
		if (wakes.wake || ended || (deadline && recorder_now() >= deadline))
			break;
	}
	*why = wakes.wake ? VSAMP_RECORDER_WAKE :
	       ended	  ? VSAMP_RECORDER_ENDED :
			    VSAMP_RECORDER_DEADLINE;
	return 0;
}

int vsamp_recorder_run(struct vsamp_recorder *r, int wake_fd, uint64_t deadline_ns,
		       enum vsamp_recorder_why *why, struct vsamp_error *err)
{
	int ret;

	if (wake_fd >= 0 && epoll_add(r->epoll, wake_fd, EPOLLIN))
		return vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	ret = recorder_loop(r, wake_fd, deadline_ns, why, err);
	if (wake_fd >= 0)
		epoll_ctl(r->epoll, EPOLL_CTL_DEL, wake_fd, NULL);
	return ret;
}

static int recorder_drain_all(struct vsamp_recorder *r, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < r->n; i++) {
		int ret;

		do
			ret = ring_drain(r->ring[i], r->w, err);
		while (ret > 0);
		if (ret)
			return ret;
	}
	return r->sideband ? vsamp_sideband_drain(r->sideband, r->w, err) : 0;
}

/* What was read of each CPU of the statistics, in their order; NULL: no memory */
static struct vsamp_ring_counts *recorder_read(const struct vsamp_recorder *r,
					       const struct vsamp_stats *stats)
{
	struct vsamp_ring_counts *read = calloc(stats->n + 1UL, sizeof(*read));

	for (unsigned int i = 0; read && i < stats->n; i++) {
		const struct vsamp_ring *ring = recorder_ring(r, stats->cpu[i].cpu);

		if (ring)
			read[i] = *vsamp_ring_counts(ring);
	}
	return read;
}

static int recorder_settle(struct vsamp_recorder *r, const struct vsamp_stats *stats,
			   struct vsamp_recorder_totals *t, struct vsamp_error *err)
{
	struct vsamp_ring_counts *read = recorder_read(r, stats);
	int ret = read ? recorder_totals_get(t, stats, read, err) :
			 vsamp_fail(err, -ENOMEM, "out of memory");

	free(read);
	if (ret)
		return ret;
	t->sideband_lost = r->sideband ? vsamp_sideband_lost(r->sideband) : 0;
	ret = recorder_totals_settle(t, err);
	recorder_totals_since(t, &r->base);
	return ret;
}

int vsamp_recorder_finish(struct vsamp_recorder *r, struct vsamp_recorder_totals *t,
			  struct vsamp_error *err)
{
	struct vsamp_stats stats;
	int ret, settled;

	memset(t, 0, sizeof(*t));
	ret = vsamp_session_stats(r->session, &stats, err);
	if (ret)
		return ret;
	ret = recorder_map(r, &stats, err);
	if (!ret)
		ret = recorder_drain_all(r, err);
	if (!ret)
		ret = vsamp_writer_flush(r->w, err);
	settled = recorder_settle(r, &stats, t, ret ? NULL : err);
	vsamp_stats_free(&stats);
	return ret ? ret : settled;
}
