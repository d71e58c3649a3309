// SPDX-License-Identifier: GPL-2.0
/*
 * A CPU's registers in the intel backend: saved and programmed when it is armed, given back when it
 * is disarmed. All of it happens on the CPU, with interrupts off.
 */
#include <linux/bitops.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#include "clock.h"
#include "compat.h"
#include "pmu_intel.h"
#include "ring.h"
#include "scope.h"
#include "session.h"

#define INTEL_X2APIC_LVTPC	0x834	/* names LVTPC in a STATE record */

/* FIXED_CTR_CTRL, a counter's four bits */
#define INTEL_FIXED_KERNEL	BIT(0)
#define INTEL_FIXED_USER	BIT(1)
#define INTEL_FIXED_PMI		BIT(3)

/* Registers */

static u64 intel_apic_read(void)
{
	return apic->read(APIC_LVTPC);
}

/* Whether GLOBAL_CTRL holds what was written last; an NMI may throttle in between */
static bool intel_ctrl_is_ours(struct intel_cpu *c)
{
	u64 ctrl, value;

	do {
		ctrl = READ_ONCE(c->ctrl);
		value = compat_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL);
	} while (ctrl != READ_ONCE(c->ctrl));
	return value == ctrl;
}

/* Arming */

static void intel_event_prepare(struct intel_cpu *c, struct intel_set *set, int index,
				const struct pmu_caps *caps)
{
	const struct pmu_event *event = &c->session->config.events[index];
	struct intel_event *e = &c->events[c->event_count++];
	bool fixed = event->counter >= VSAMP_COUNTER_FIXED;
	u64 bits = INTEL_FIXED_PMI;

	memset(e, 0, sizeof(*e));
	e->index = index;
	e->bit = BIT_ULL(event->counter);
	e->period = event->sav;
	e->wrap = GENMASK_ULL((fixed ? caps->width_fixed : caps->width) - 1, 0);
	e->reload = -event->sav & e->wrap;
	e->parked = e->reload;
	e->header = ring_header(VSAMP_RECORD_SAMPLE, sizeof(struct vsamp_record_sample), index);
	if (!(event->flags & VSAMP_EVENT_KERNEL))
		e->header |= RING_USER;
	e->msr = intel_msr_write(event->counter, caps);
	e->msr_read = intel_msr_read(event->counter);
	e->msr_select = intel_msr_select(event->counter);
	set->mask |= e->bit;
	if (!fixed) {
		e->select = ARCH_PERFMON_EVENTSEL_ENABLE | ARCH_PERFMON_EVENTSEL_INT;
		e->select |= event->config;
		if (event->flags & VSAMP_EVENT_USER)
			e->select |= ARCH_PERFMON_EVENTSEL_USR;
		if (event->flags & VSAMP_EVENT_KERNEL)
			e->select |= ARCH_PERFMON_EVENTSEL_OS;
		return;
	}
	if (event->flags & VSAMP_EVENT_USER)
		bits |= INTEL_FIXED_USER;
	if (event->flags & VSAMP_EVENT_KERNEL)
		bits |= INTEL_FIXED_KERNEL;
	set->fixed_ctrl |= bits << 4 * (event->counter - VSAMP_COUNTER_FIXED);
	c->fixed = true;
}

static void intel_set_prepare(struct intel_cpu *c, u32 id, const struct pmu_caps *caps)
{
	const struct session_config *config = &c->session->config;
	struct intel_set *set = &c->sets[c->set_count];
	int i;

	memset(set, 0, sizeof(*set));
	set->id = id;
	set->first = c->events + c->event_count;
	for (i = 0; i < config->event_count; i++)
		if (config->events[i].set == id)
			intel_event_prepare(c, set, i, caps);
	set->end = c->events + c->event_count;
	if (set->first != set->end)
		c->set_count++;
}

/* The sets that are counted, or the one; a sample has the number its event has in the session */
static void intel_sets_prepare(struct intel_cpu *c, const struct pmu_caps *caps)
{
	const struct session_config *config = &c->session->config;
	u32 id;

	c->event_count = 0;
	c->set_count = 0;
	for (id = 0; id < VSAMP_EVENTS_MAX; id++)
		if (config->mux_ms || id == config->set)
			intel_set_prepare(c, id, caps);
}

/* Bits of the counters of all sets */
static u64 intel_all_counters(const struct intel_cpu *c)
{
	const struct intel_set *set;
	u64 bits = 0;

	for (set = c->sets; set < c->sets + c->set_count; set++)
		bits |= set->mask;
	return bits;
}

static void intel_save(struct intel_cpu *c)
{
	struct intel_event *e;

	c->saved_lvtpc = intel_apic_read();
	c->saved_ctrl = compat_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL);
	c->saved_fixed_ctrl = compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL);
	for (e = c->events; e < c->events + c->event_count; e++) {
		e->saved_counter = compat_rdmsr(e->msr_read);
		if (e->msr_select)
			e->saved_select = compat_rdmsr(e->msr_select);
	}
}

void intel_state_write(struct intel_cpu *c, u16 code, u64 arg)
{
	struct vsamp_record_state state = {
		.h.type = VSAMP_RECORD_STATE,
		.h.size = sizeof(state),
		.h.event = code,
		.time = clock_read(),
		.arg = arg,
	};

	ring_write(c->ring, &state, 0);
}

static void intel_arm_prepare(struct intel_cpu *c, struct session *session)
{
	const struct session_config *config = &session->config;
	struct pmu_caps caps;

	intel_caps_read(&caps);
	c->session = session;
	c->ring = session->cpu[smp_processor_id()]->ring;
	c->pmis = 0;
	c->throttled = 0;
	c->budget = config->pmi_limit;
	c->tick_start = clock_read();
	c->foreign = 0;
	c->fixed = false;
	c->mux_ms = config->mux_ms;
	c->mux_due = false;
	c->since = 0;
	c->mask = 0;
	c->ctrl = 0;
	c->hold = scope_enter() ? 0 : BIT(INTEL_HOLD_SCOPE);
	if (session->state == VSAMP_SESSION_PAUSED)
		c->hold |= BIT(INTEL_HOLD_PAUSE);
	intel_sets_prepare(c, &caps);
}

/* Program the counters of a set, to go on where they were; none counts */
void intel_set_enter(struct intel_cpu *c, struct intel_set *set)
{
	struct intel_event *e;

	c->set = set;
	c->first = set->first;
	c->end = set->end;
	c->mask = set->mask;
	for (e = c->first; e < c->end; e++) {
		compat_wrmsr(e->msr, e->parked);
		if (e->msr_select)
			compat_wrmsr(e->msr_select, e->select);
	}
	if (c->fixed)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, set->fixed_ctrl);
}

void intel_arm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);
	struct intel_set *set;

	intel_arm_prepare(c, session);
	intel_save(c);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	for (set = c->sets + c->set_count; set-- > c->sets;)
		intel_set_enter(c, set);
	/* left by whoever was here before */
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, intel_all_counters(c));
	intel_apic_write(APIC_DM_NMI);

	intel_state_write(c, code, 0);
	clock_write(c->ring, 0);
	intel_sav_begin(c);
	intel_ctrl_update(c);
	intel_mux_start(c);
}

/*
 * Stopping. A PMI may be on its way when the counters stop: it has the time to arrive while the
 * handler still knows the counter. Returns what is left then.
 */
static u64 intel_wait_overflows(struct intel_cpu *c)
{
	u64 status;
	int i;

	for (i = 0; i < 100; i++) {
		status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
		if (!status)
			break;
		cpu_relax();
	}
	return status;
}

/*
 * intel_settle() - bring this CPU to where nothing counts and no overflow is left to take, for as
 *	long as INTEL_HOLD_SWAP is set; interrupts are off
 */
void intel_settle(struct intel_cpu *c)
{
	u64 status;

	intel_hold(c, INTEL_HOLD_SWAP);
	status = intel_wait_overflows(c);
	if (status)
		intel_drain(c, status, NULL, clock_read());
}

/*
 * Disarming. What still holds our value gets back what it had before; the rest is somebody else's
 * now.
 */
static void intel_stop_counting(struct intel_cpu *c)
{
	set_bit(INTEL_HOLD_PAUSE, &c->hold);
	if (intel_ctrl_is_ours(c))
		intel_ctrl_update(c);
	intel_wait_overflows(c);
}

static void intel_restore_lvtpc(struct intel_cpu *c)
{
	u32 lvterr;

	if ((intel_apic_read() & ~APIC_LVT_MASKED) != APIC_DM_NMI)
		return;
	if ((c->saved_lvtpc & APIC_MODE_MASK) == APIC_DM_NMI) {
		intel_apic_write(c->saved_lvtpc);
		return;
	}
	/* what was there may be an error to the APIC, as vector 0 is in any other mode */
	lvterr = apic->read(APIC_LVTERR);
	apic->write(APIC_LVTERR, lvterr | APIC_LVT_MASKED);
	intel_apic_write(c->saved_lvtpc);
	apic->write(APIC_LVTERR, lvterr);
}

/* Whether an event's select is as we wrote it, if only for a set that shares the counter */
static bool intel_select_is_ours(const struct intel_cpu *c, const struct intel_event *event)
{
	u64 select = compat_rdmsr(event->msr_select);
	const struct intel_event *e;

	if (select == event->select)
		return true;
	for (e = c->events; e < c->events + c->event_count; e++)
		if (e->msr_select == event->msr_select && e->select == select)
			return true;
	return false;
}

/*
 * intel_find_foreign() - the register that isn't as it was programmed, or 0
 */
u32 intel_find_foreign(struct intel_cpu *c)
{
	const struct intel_event *e;

	if (!intel_ctrl_is_ours(c))
		return MSR_CORE_PERF_GLOBAL_CTRL;
	for (e = c->events; e < c->events + c->event_count; e++)
		if (e->msr_select && !intel_select_is_ours(c, e))
			return e->msr_select;
	if (c->fixed && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) != c->set->fixed_ctrl)
		return MSR_CORE_PERF_FIXED_CTR_CTRL;
	if (intel_apic_read() != APIC_DM_NMI)
		return INTEL_X2APIC_LVTPC;
	return 0;
}

static void intel_restore(struct intel_cpu *c)
{
	struct intel_event *e;

	for (e = c->events; e < c->events + c->event_count; e++) {
		if (e->msr_select) {
			/* of events that share it, the one it was last written for */
			if (compat_rdmsr(e->msr_select) != e->select)
				continue;
			compat_wrmsr(e->msr_select, e->saved_select);
		}
		compat_wrmsr(e->msr, e->saved_counter);
	}
	if (c->fixed && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) == c->set->fixed_ctrl)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, c->saved_fixed_ctrl);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, intel_all_counters(c));
	if (intel_ctrl_is_ours(c))
		compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, c->saved_ctrl);
	intel_restore_lvtpc(c);
}

void intel_disarm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);

	if (!c->mask)
		return;
	intel_stop_counting(c);
	if (c->mux_ms)
		intel_mux_end(c);
	intel_stats_add(c, &session->cpu[smp_processor_id()]->stats);
	clock_write(c->ring, 0);
	intel_state_write(c, c->foreign ? VSAMP_STATE_FOREIGN : code, c->foreign);
	intel_restore(c);
	c->mask = 0;
	c->single = 0;
}
