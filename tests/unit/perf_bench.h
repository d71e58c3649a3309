/* SPDX-License-Identifier: MIT */
/* A session of the perf backend over a load, and what both say of it. Whatever fails, fails the test. */
#ifndef PERF_BENCH_H
#define PERF_BENCH_H

#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <perf_open.h>

#include "perf_load.h"

#define MS 1000000ULL

static inline struct vsamp_event clock_event(uint64_t sav)
{
	return (struct vsamp_event){
		.name = "cpu-clock",
		.perf_type = PERF_TYPE_SOFTWARE,
		.perf_config = PERF_COUNT_SW_CPU_CLOCK,
		.user = true,
		.sav = sav,
	};
}

static inline struct vsamp_event task_event(uint64_t sav)
{
	struct vsamp_event ev = clock_event(sav);

	strcpy(ev.name, "task-clock");
	ev.perf_config = PERF_COUNT_SW_TASK_CLOCK;
	return ev;
}

/* One session and its load */
struct bench {
	struct vsamp_session *session;
	struct load load;
	struct vsamp_event event[LOAD_EVENTS];
	struct vsamp_config config;
	struct vsamp_stats stats;
	struct taken taken;
	uint64_t written, lost, count[LOAD_EVENTS], samples[LOAD_EVENTS];
	struct vsamp_error err;
};

static inline int setup(void **state)
{
	static struct bench b;

	b = (struct bench){ .event = { clock_event(MS), task_event(MS / 2) } };
	b.config = (struct vsamp_config){ .events = b.event, .n_events = 1 };
	*state = &b;
	return vsamp_session_open(&b.session, VSAMP_BACKEND_PERF, &b.err);
}

static inline int teardown(void **state)
{
	struct bench *b = *state;

	vsamp_stats_free(&b->stats);
	vsamp_session_close(b->session);
	return 0;
}

#define OK(call)                                                \
	do {                                                    \
		if (call)                                       \
			fail_msg("%s: %s", #call, b->err.text); \
	} while (0)

static inline bool may_use_perf(int level)
{
	return !geteuid() || perf_paranoid() <= level;
}

#define NEED_LEVEL(level)                                                                   \
	do {                                                                                \
		if (!may_use_perf(level)) {                                                 \
			print_message("skipped: perf_event_paranoid above %d forbids it\n", \
				      level);                                               \
			skip();                                                             \
		}                                                                           \
	} while (0)

static inline void bench_launch(struct bench *b, uint64_t ns, int children, uint32_t flags)
{
	assert_true(load_fork(&b->load, ns, children, 0));
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	b->config.flags = VSAMP_FLAG_ON_EXEC | flags;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
}

static inline void bench_drain(struct bench *b, uint32_t cpu)
{
	struct vsamp_ring *ring;
	const void *data;
	size_t size;

	OK(vsamp_session_ring(b->session, cpu, &ring, &b->err));
	while (vsamp_ring_begin(ring, &data, &size, &b->err) > 0) {
		taken_ring(&b->taken, &b->load, data, size);
		vsamp_ring_end(ring);
	}
	vsamp_ring_close(ring);
}

/* Stops, and takes all there is; accounts must agree */
static inline void bench_stop(struct bench *b)
{
	OK(vsamp_session_stop(b->session, &b->err));
	OK(vsamp_session_stats(b->session, &b->stats, &b->err));
	assert_int_equal(b->stats.state, VSAMP_SESSION_ENDED);
	assert_true(b->stats.n > 0);
	for (unsigned int i = 0; i < b->stats.n; i++) {
		const struct vsamp_cpu_stats *c = &b->stats.cpu[i];

		assert_int_equal(c->produced, c->written + c->lost);
		b->written += c->written;
		b->lost += c->lost;
		for (unsigned int k = 0; k < LOAD_EVENTS; k++) {
			b->count[k] += c->event[k].count;
			b->samples[k] += c->event[k].samples;
		}
		if (!b->config.count_only)
			bench_drain(b, c->cpu);
	}
	assert_int_equal(b->taken.records, b->written);
	assert_int_equal(b->taken.lost, b->lost);
}

/*
 * Timers come late or not at all while the host has the CPU, and perf's clock goes on in interrupts,
 * which a process isn't charged
 */
static inline void assert_near(uint64_t is, uint64_t should)
{
	if (is * 100 < should * 80 || is * 100 > should * 120)
		fail_msg("%llu, not about %llu", (unsigned long long)is,
			 (unsigned long long)should);
}

/* All of a launched load, of which only user mode is sampled */
static inline void assert_load_sampled(const struct bench *b)
{
	const struct taken *t = &b->taken;

	/* All but all of its time is in user mode */
	assert_near(t->samples[0], load_ns(&b->load) / b->event[0].sav);
	assert_int_equal(t->user, t->samples[0] + t->samples[1]);
	assert_true(t->in_loop * 100 >= t->user * 95);
	assert_int_equal(t->states[VSAMP_STATE_START], b->stats.n);
	assert_int_equal(t->states[VSAMP_STATE_STOP], b->stats.n);
	assert_true(t->clocks >= 2 * b->stats.n);
	assert_int_equal(b->lost, 0);
	assert_near(b->count[0], load_ns(&b->load));
	for (unsigned int i = 0; i < LOAD_EVENTS; i++)
		assert_int_equal(b->samples[i], t->samples[i]);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

#endif
