// SPDX-License-Identifier: GPL-2.0
/*
 * The NMI handler of the intel backend, and its throttle
 *
 * DOC: the window of the handler
 *
 * The local APIC masks LVTPC when it delivers a PMI, and an overflow that finds it masked raises
 * nothing, ever: its counter would stay silent. With one counter armed there is no such overflow,
 * since that counter has its whole period before it when it is reloaded. With several, they all
 * stand still while the handler looks at the status, and after unmasking it looks once more:
 * between going on and unmasking the handler's own instructions are counted, and make a counter
 * overflow that was near its end. Events that go in step, as a loop's instructions and branches
 * do, come there again and again. The same goes for a single counter whose period is that short
 * (FORCE). What hardware or firmware still manages to lose is found by intel_verify(), and
 * counted as lost.
 *
 * It doesn't look once more when it throttles: nothing counts then. Where a bit of the status stays
 * set whatever is written, as with some virtual PMUs, that is also how it ends at all.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <asm/nmi.h>

#include "clock.h"
#include "pmu_intel.h"
#include "ring.h"
#include "session.h"

#define INTEL_TICK_MS		4	/* VSAMP_A_PMI_LIMIT counts the PMIs of this time */
#define INTEL_ROUNDS_MAX	16	/* of the handler, before it throttles */

/* Throttling: too many PMIs in a tick hold the counters until the next one */

static u64 intel_tick(void)
{
	return clock_khz() * INTEL_TICK_MS;
}

static void intel_throttle_write(struct intel_cpu *c, u16 type, u64 time, u32 pmis)
{
	struct vsamp_record_throttle throttle = {
		.h.type = type,
		.h.size = sizeof(throttle),
		.time = time,
		.count = pmis,
	};

	ring_write(c->ring, &throttle, RING_KEEP);
}

static void intel_throttle(struct intel_cpu *c, u32 pmis)
{
	if (test_and_set_bit(INTEL_HOLD_THROTTLE, &c->hold))
		return;
	intel_ctrl_write(c);
	if (c->mux_ms)
		intel_mux_clock(c);
	c->throttled++;
	intel_throttle_write(c, VSAMP_RECORD_THROTTLE, clock_read(), pmis);
	irq_work_queue(&c->throttle_work);
}

/* The budget is used up: of this tick, or of one long past */
static noinline void intel_budget_end(struct intel_cpu *c, u64 now)
{
	c->budget = c->session->config.pmi_limit;
	if (now - c->tick_start < intel_tick())
		intel_throttle(c, c->budget);
	else
		c->tick_start = now;
}

static void intel_throttle_work(struct irq_work *work)
{
	struct intel_cpu *c = container_of(work, struct intel_cpu, throttle_work);
	u64 passed, tick = intel_tick();

	if (!test_bit(INTEL_HOLD_THROTTLE, &c->hold))
		return;
	if (!test_and_set_bit(0, &c->session->throttle_told))
		pr_notice("vsamp: CPU %d took more than %u samples%s in %d ms and is throttled; a larger Sample-After value avoids it\n",
			  c->ring->cpu, c->session->config.pmi_limit,
			  c->ring->stacks ? ", or fewer with deep stacks," : "", INTEL_TICK_MS);
	passed = min(clock_read() - c->tick_start, tick);
	hrtimer_start(&c->throttle_timer,
		      ns_to_ktime(div64_u64((tick - passed) * NSEC_PER_MSEC, clock_khz())),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Interrupts are off in a hard timer's function */
static enum hrtimer_restart intel_unthrottle(struct hrtimer *timer)
{
	struct intel_cpu *c = container_of(timer, struct intel_cpu, throttle_timer);

	if (c->mask && test_bit(INTEL_HOLD_THROTTLE, &c->hold)) {
		c->tick_start = clock_read();
		intel_throttle_write(c, VSAMP_RECORD_UNTHROTTLE, c->tick_start, 0);
		intel_go_on(c, INTEL_HOLD_THROTTLE);
	}
	return HRTIMER_NORESTART;
}

void intel_throttle_init(struct intel_cpu *c)
{
	init_irq_work(&c->throttle_work, intel_throttle_work);
	compat_hrtimer_setup(&c->throttle_timer, intel_unthrottle);
}

void intel_throttle_quiesce(struct intel_cpu *c)
{
	irq_work_sync(&c->throttle_work);
	hrtimer_cancel(&c->throttle_timer);
}

/* The NMI handler */

/*
 * Take what has overflowed; GLOBAL_CTRL is 0, or the overflows are old. Without @regs there's
 * nothing to write a sample from.
 */
int intel_drain(struct intel_cpu *c, u64 status, struct pt_regs *regs, u64 now)
{
	struct intel_event *e;
	int handled = 0;

	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	for (e = c->first; e < c->end; e++) {
		if (!(status & e->bit))
			continue;
		handled++;
		e->overflows++;
		if (!e->period)
			continue;
		if (unlikely(e->sav_due || e->sav_pending)) {
			intel_sav_overflow(c, e, regs, now);
			continue;
		}
		compat_wrmsr(e->msr, e->reload);
		if (regs)
			ring_sample(c->ring, regs, now, e->header);
		else
			ring_lose(c->ring);
	}
	return handled;
}

/*
 * What a PMI takes from the budget. One with stacks may last as long as many others: it counts for
 * more by its time, so that the budget is used up when half of a tick is. Else such PMIs, each on
 * the heels of the last, would fill the time and never be as many as the limit.
 */
static u32 intel_nmi_spent(struct intel_cpu *c, u64 now)
{
	u64 passed;

	if (!c->ring->stacks)
		return 1;
	passed = clock_read() - now;
	return 1 + div64_u64(passed * 2 * c->session->config.pmi_limit, intel_tick());
}

/* Several counters, stacks, or anything unusual */
static noinline int intel_nmi_several(struct intel_cpu *c, struct pt_regs *regs)
{
	int rounds = 0, handled = 0;
	u64 now, status;

	do {
		compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		now = clock_read();
		status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
		c->ring->clock_later = true;
		handled += intel_drain(c, status, regs, now);
		c->ring->clock_later = false;
		ring_clock(c->ring, now);
		c->pmis++;
		c->budget -= min(intel_nmi_spent(c, now), c->budget);
		if (!c->budget)
			intel_budget_end(c, now);
		else if (++rounds == INTEL_ROUNDS_MAX)
			intel_throttle(c, rounds);
		intel_ctrl_write(c);
		intel_apic_write(APIC_DM_NMI);
	} while (!test_bit(INTEL_HOLD_THROTTLE, &c->hold) &&
		 compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask);
	return handled;
}

/*
 * In an NMI, as all that it calls: no lock, no sleep, nothing but our own per-CPU memory, the ring
 * and irq_work_queue().
 *
 * With one counter: four accesses, and as few instructions as can be; they are what sampling costs.
 * The sum of what the handlers return says whether the NMI was anybody's: only what is ours is
 * claimed.
 */
int intel_nmi(unsigned int type, struct pt_regs *regs)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);
	u64 status, now;

	status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
	if (!status)
		return NMI_DONE;
	if (unlikely(status != c->single))
		return intel_nmi_several(c, regs);

	now = rdtsc();
	compat_wrmsr(c->events[0].msr, c->events[0].reload);
	c->events[0].overflows++;
	c->pmis++;
	ring_sample(c->ring, regs, now, c->events[0].header);
	if (unlikely(!--c->budget))
		intel_budget_end(c, now);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->single);
	intel_apic_write(APIC_DM_NMI);
	return NMI_HANDLED;
}
