// SPDX-License-Identifier: GPL-2.0
/*
 * Sample-After values that change while a session runs
 *
 * A sample stands for as many events as its own period had, and the reader learns that from SAV
 * records: one stands before the first sample that took another number than the sample before it.
 *
 * DOC: a change
 *
 * When the value of an event becomes S, v events of the period under way have passed. If that is
 * well below S, the period under way becomes S: the counter is moved, and the record says S. If
 * not, an overflow is due as soon as can be: the period under way becomes v and a margin, the
 * record says just that, and S is pending until the handler has taken that overflow. So each event
 * counts for one sample: the sum of the samples' values and what is left in the counter is the
 * count.
 *
 * The counters stand still meanwhile, and no overflow is on its way (intel_settle()): no NMI of
 * ours comes in between.
 *
 * DOC: a record that finds no room
 *
 * It is due, and written in front of the event's next sample. If there's still no room, that
 * sample is lost. A record that is due says what is in force when it is written: what it would
 * have said before concerned samples that were all lost.
 */
#include "clock.h"
#include "pmu_intel.h"
#include "ring.h"
#include "session.h"

/* Events that a period under way has left at least; what processors want is no more */
#define INTEL_SAV_MARGIN 128

static void intel_sav_write(struct intel_cpu *c, struct intel_event *e, u64 now)
{
	struct vsamp_record_sav sav = {
		.h.type = VSAMP_RECORD_SAV,
		.h.size = sizeof(sav),
		.h.event = e->index,
		.time = now,
		.sav = e->period,
	};

	/* not lost, only late */
	if (ring_has_room(c->ring, sizeof(sav), RING_KEEP))
		e->sav_due = !ring_write(c->ring, &sav, RING_KEEP);
}

/*
 * intel_sav_settled() - see what the handler may leave out, as periods have changed
 */
void intel_sav_settled(struct intel_cpu *c)
{
	const struct intel_event *e = c->events;
	bool single = c->event_count == 1 && e->period >= VSAMP_SAV_FLOOR && !e->sav_due &&
		      !e->sav_pending;
	/* with stacks the handler takes long: it isn't to be counted, and to be held back sooner */
	bool stacks = c->session->config.stacks;

	c->single = single && clock_is_tsc && !c->mux_ms && !stacks ? c->mask : 0;
}

/* From here on overflows count for another period; the count stays */
static void intel_sav_set(struct intel_event *e, u64 period)
{
	e->base += e->overflows * (e->period - period);
	e->period = period;
	e->reload = -period & e->wrap;
	e->sav_due = true;
}

/* The period under way, or if that can't be the one after it, becomes @sav */
static void intel_sav_change(struct intel_cpu *c, struct intel_event *e, u64 sav)
{
	u64 passed = (compat_rdmsr(e->msr_read) - e->reload) & e->wrap;
	u64 period = max(sav, passed + INTEL_SAV_MARGIN);

	intel_sav_set(e, period);
	e->sav_pending = period == sav ? 0 : sav;
	compat_wrmsr(e->msr, (passed - period) & e->wrap);
	intel_sav_write(c, e, clock_read());
}

/*
 * intel_sav_update() - bring this CPU's events to the values of the session; interrupts are off
 */
void intel_sav_update(struct intel_cpu *c)
{
	const struct session_config *config = &c->session->config;
	struct intel_event *e;
	u64 sav;

	if (intel_find_foreign(c))
		return;		/* the session ends when intel_verify() comes by */
	intel_settle(c);
	for (e = c->events; e < c->events + c->event_count; e++) {
		sav = config->events[e->index].sav;
		if (sav != (e->sav_pending ?: e->period))
			intel_sav_change(c, e, sav);
	}
	intel_sav_settled(c);
	intel_go_on(c, INTEL_HOLD_SWAP);
}

/*
 * intel_sav_begin() - say what is in force, as a CPU comes after values were changed
 */
void intel_sav_begin(struct intel_cpu *c)
{
	struct intel_event *e;

	for (e = c->events; e < c->events + c->event_count; e++) {
		e->sav_due = c->session->config.events[e->index].changed;
		if (e->sav_due)
			intel_sav_write(c, e, clock_read());
	}
	intel_sav_settled(c);
}

/*
 * intel_sav_overflow() - take an overflow of an event whose value has changed; see intel_drain()
 */
void intel_sav_overflow(struct intel_cpu *c, struct intel_event *e, struct pt_regs *regs, u64 now)
{
	if (e->sav_due)
		intel_sav_write(c, e, now);
	if (regs && !e->sav_due)
		ring_sample(c->ring, regs, now, e->header);
	else
		ring_lose(c->ring);
	if (e->sav_pending) {
		intel_sav_set(e, e->sav_pending);
		e->sav_pending = 0;
		intel_sav_write(c, e, now);
	}
	compat_wrmsr(e->msr, e->reload);
	intel_sav_settled(c);
}
