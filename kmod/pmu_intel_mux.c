// SPDX-License-Identifier: GPL-2.0
/*
 * Time slices of the intel backend: sets of events that take turns on the counters
 *
 * A timer of each CPU ends a set's slice. A slice that is over while something holds the CPU (it is
 * paused, throttled, or runs what isn't in the scope) ends when that no longer does: so the sets'
 * shares don't depend on how what is counted and the timer fall together.
 *
 * DOC: a swap
 *
 * A swap happens with interrupts off and with GLOBAL_CTRL 0, by a hold of its own, so that no
 * counter counts for a set it isn't of. An overflow of the outgoing set whose PMI is on its way is
 * waited for, while the handler still knows the set; what has raised none by then is lost, and
 * counted as that. Only then do the set's counters stand at values that a later slice can go on
 * from. What somebody else wrote is looked for first: a swap would cover it up.
 *
 * DOC: time
 *
 * @since is the time at which the CPU began to count, 0 while it doesn't, and a set's @running is
 * what passed before. Both follow @hold, of which an NMI may set a bit (throttling), but clears
 * none. Who stops the clock takes @since by an xchg, so that of a writer and the NMI that cuts it
 * just one adds the time. Who starts it looks at @hold again after @since is set: if an NMI came in
 * between and found no clock to stop, it is stopped then.
 *
 * The time enabled is no account of its own but the sum of the sets' times, to the tick.
 */
#include <linux/hrtimer.h>
#include <linux/ktime.h>

#include "clock.h"
#include "compat.h"
#include "pmu_intel.h"
#include "ring.h"
#include "session.h"

/* Start or stop the clock of the set that counts, as @hold says. May be called in an NMI. */
void intel_mux_clock(struct intel_cpu *c)
{
	u64 since;

	if (!READ_ONCE(c->hold)) {
		if (READ_ONCE(c->since))
			return;
		WRITE_ONCE(c->since, clock_read());
		barrier();	/* then look again */
	}
	if (READ_ONCE(c->hold)) {
		since = xchg(&c->since, 0);
		if (since)
			c->set->running += clock_read() - since;
	}
}

/* Ticks for which a set has counted since the CPU was armed */
static u64 intel_mux_running(const struct intel_cpu *c, const struct intel_set *set)
{
	u64 since, running;

	do {
		since = READ_ONCE(c->since);
		running = READ_ONCE(set->running);
		barrier();
	} while (since != READ_ONCE(c->since));
	if (since && set == c->set)
		running += clock_read() - since;
	return running;
}

void intel_mux_stats_add(struct intel_cpu *c, struct pmu_stats *stats)
{
	const struct intel_event *e;
	const struct intel_set *set;
	u64 running, enabled = 0;

	for (set = c->sets; set < c->sets + c->set_count; set++) {
		running = intel_mux_running(c, set);
		enabled += running;
		for (e = set->first; e < set->end; e++)
			stats->running[e->index] += running;
	}
	for (e = c->events; e < c->events + c->event_count; e++)
		stats->enabled[e->index] += enabled;
}

/* The CPU stopped counting this set, and its clock. Times from before it was offline count, too. */
static void intel_mux_write(struct intel_cpu *c, u32 keep)
{
	const struct pmu_stats *before = &c->session->cpu[c->ring->cpu]->stats;
	struct vsamp_record_set record = {
		.h.type = VSAMP_RECORD_SET,
		.h.size = sizeof(record),
		.h.event = c->set->id,
		.time = clock_read(),
		.enabled = before->enabled[c->set->first->index],
		.running = before->running[c->set->first->index] + c->set->running,
	};
	const struct intel_set *set;

	for (set = c->sets; set < c->sets + c->set_count; set++)
		record.enabled += set->running;
	ring_write(c->ring, &record, keep);
}

/* Where the counters of the set stand; what only counts begins anew, as a counter may be narrow */
static void intel_mux_park(struct intel_cpu *c)
{
	struct intel_event *e;
	u64 value;

	for (e = c->first; e < c->end; e++) {
		value = compat_rdmsr(e->msr_read);
		if (!e->period) {
			e->base += (value - e->reload) & e->wrap;
			value = e->reload;
		}
		e->parked = value;
	}
}

/*
 * intel_mux_rotate() - let the next set count; interrupts are off
 */
void intel_mux_rotate(struct intel_cpu *c)
{
	struct intel_set *next = c->set + 1;

	c->mux_due = false;
	if (intel_find_foreign(c))
		return;		/* the session ends when intel_verify() comes by */
	if (next == c->sets + c->set_count)
		next = c->sets;
	intel_settle(c);
	intel_mux_park(c);
	intel_mux_write(c, RING_KEEP);
	intel_set_enter(c, next);
	clear_bit(INTEL_HOLD_SWAP, &c->hold);
	intel_ctrl_update(c);
}

/* Interrupts are off in a hard timer's function */
static enum hrtimer_restart intel_mux_tick(struct hrtimer *timer)
{
	struct intel_cpu *c = container_of(timer, struct intel_cpu, mux_timer);

	if (!c->mask)
		return HRTIMER_NORESTART;
	if (READ_ONCE(c->hold))
		c->mux_due = true;
	else
		intel_mux_rotate(c);
	hrtimer_forward_now(timer, ms_to_ktime(c->mux_ms));
	return HRTIMER_RESTART;
}

/* A CPU begins; it is armed, and doesn't count yet */
void intel_mux_start(struct intel_cpu *c)
{
	if (c->set_count > 1)
		hrtimer_start(&c->mux_timer, ms_to_ktime(c->mux_ms), HRTIMER_MODE_REL_PINNED_HARD);
}

/* A CPU ends, and counts no more */
void intel_mux_end(struct intel_cpu *c)
{
	intel_mux_clock(c);
	intel_mux_write(c, 0);
}

void intel_mux_init(struct intel_cpu *c)
{
	compat_hrtimer_setup(&c->mux_timer, intel_mux_tick);
}
