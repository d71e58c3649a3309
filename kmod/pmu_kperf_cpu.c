// SPDX-License-Identifier: GPL-2.0
/*
 * The kperf backend on a CPU: perf's calls, and the records that are made of them
 *
 * DOC: who writes to a ring
 *
 * perf calls kperf_overflow() where the event happens: in an NMI, in an interrupt where the PMU has
 * no NMI or a timer stands for it, in a task where it is one of software. It may be cut by itself,
 * for another event. So the records go the way on which writers may cut each other (ring_write()),
 * which also looks at the clock, and what is counted here is counted by this_cpu_inc(). What is
 * cut on a CPU ends before anything else writes there: perf keeps preemption off.
 *
 * STATE and CLOCK records are written with interrupts off, where @held is set: no handler, not an
 * NMI either, writes a record that belongs behind them. A handler in a task may have been cut on
 * its way; stopping waits for it.
 *
 * DOC: throttling
 *
 * perf holds an event back until the next tick if it has interrupted too often in this one, and
 * tells it to files, not to us. The handler sees it: perf has marked the event before the call.
 * That perf has let it go on shows by its next sample.
 */
#include <linux/bitops.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>

#include "clock.h"
#include "pmu_kperf.h"
#include "ring.h"
#include "session.h"

#define KPERF_THROTTLED (~0ULL)		/* in hw.interrupts, as perf marks an event */

struct kperf_cpu __percpu *kperf_cpu;
u64 kperf_header[VSAMP_EVENTS_MAX];

/* The handler, and its records */

static void kperf_write_throttle(struct kperf_cpu *c, u16 type, u64 count)
{
	struct vsamp_record_throttle throttle = {
		.h.type = type,
		.h.size = sizeof(throttle),
		.count = count,
	};

	ring_write(c->ring, &throttle, RING_KEEP);
}

/* perf holds the event back from here on */
static void kperf_throttle(struct kperf_cpu *c, u32 i)
{
	if (test_and_set_bit(i, &c->throttled))
		return;
	this_cpu_inc(kperf_cpu->throttles);
	if (READ_ONCE(c->throttled) == BIT(i))
		kperf_write_throttle(c, VSAMP_RECORD_THROTTLE, c->interrupts[i] + 1);
}

static void kperf_unthrottle(struct kperf_cpu *c, u32 i)
{
	if (test_and_clear_bit(i, &c->throttled) && !READ_ONCE(c->throttled))
		kperf_write_throttle(c, VSAMP_RECORD_UNTHROTTLE, 0);
}

void kperf_overflow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	u32 i = (unsigned long)event->overflow_handler_context;
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);
	u64 interrupts = event->hw.interrupts;

	if (READ_ONCE(c->held))
		return;
	if (unlikely(READ_ONCE(c->throttled) & BIT(i)) && interrupts != KPERF_THROTTLED)
		kperf_unthrottle(c, i);
	this_cpu_inc(kperf_cpu->samples[i]);
	ring_sample_slow(c->ring, regs, 0, kperf_header[i]);
	if (unlikely(interrupts == KPERF_THROTTLED))
		kperf_throttle(c, i);
	else
		c->interrupts[i] = interrupts;
}

static void kperf_write_state(struct kperf_cpu *c, u16 code)
{
	struct vsamp_record_state state = {
		.h.type = VSAMP_RECORD_STATE,
		.h.size = sizeof(state),
		.h.event = code,
	};

	ring_write(c->ring, &state, 0);
}

/* A CPU begins and ends; on the CPU with interrupts off. Of a sleep only SUSPEND and WAKE tell. */

void kperf_begin(struct session *session, u16 code, bool held)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	c->ring = session->cpu[smp_processor_id()]->ring;
	c->throttled = 0;
	if (!session->asleep) {
		kperf_write_state(c, code);
		clock_write(c->ring, 0);
	}
	WRITE_ONCE(c->held, held);
}

void kperf_add_stats(struct kperf_cpu *c, struct pmu_stats *stats)
{
	int i;

	for (i = 0; i < VSAMP_EVENTS_MAX; i++) {
		stats->samples[i] += c->samples[i];
		stats->pmis += c->samples[i];
	}
	stats->throttled += c->throttles;
}

/* What is counted here goes to the session */
void kperf_settle(struct kperf_cpu *c, struct pmu_stats *stats)
{
	kperf_add_stats(c, stats);
	memset(c->samples, 0, sizeof(c->samples));
	c->throttles = 0;
}

void kperf_end(struct session *session, u16 code)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	if (!c->ring)
		return;
	if (!session->asleep) {
		clock_write(c->ring, 0);
		kperf_write_state(c, code);
	}
	kperf_settle(c, &session->cpu[smp_processor_id()]->stats);
}

void kperf_hold_ipi(void *unused)
{
	WRITE_ONCE(this_cpu_ptr(kperf_cpu)->held, true);
}

void kperf_unhold_ipi(void *unused)
{
	WRITE_ONCE(this_cpu_ptr(kperf_cpu)->held, false);
}

void kperf_begin_ipi(void *session)
{
	kperf_begin(session, VSAMP_STATE_START, true);
}

void kperf_end_ipi(void *session)
{
	kperf_end(session, VSAMP_STATE_STOP);
}

void kperf_sleep_ipi(void *unused)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	if (!c->ring)
		return;
	clock_write(c->ring, 0);
	kperf_write_state(c, VSAMP_STATE_SUSPEND);
}

void kperf_wake_ipi(void *unused)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	if (!c->ring)
		return;
	kperf_write_state(c, VSAMP_STATE_WAKE);
	clock_write(c->ring, 0);
}

void kperf_pause_ipi(void *unused)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	WRITE_ONCE(c->held, true);
	if (c->ring)
		kperf_write_state(c, VSAMP_STATE_PAUSE);
}

void kperf_resume_ipi(void *unused)
{
	struct kperf_cpu *c = this_cpu_ptr(kperf_cpu);

	if (!c->ring)
		return;
	kperf_write_state(c, VSAMP_STATE_RESUME);
	clock_write(c->ring, 0);
	WRITE_ONCE(c->held, false);
}
