// SPDX-License-Identifier: GPL-2.0
/*
 * The intel backend: architectural performance monitoring (version 2 and later) of Intel
 * processors, programmed directly, with the overflow interrupt as an NMI
 *
 * The backend is exclusive: it takes all counters from perf for as long as a session runs. Whatever
 * a CPU's registers were before is saved when the CPU is armed and given back when it is disarmed.
 */
#include <linux/bitops.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/msr.h>
#include <asm/nmi.h>
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

DEFINE_PER_CPU(struct intel_cpu, intel_cpu);

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

/* Counting: an event's count since it was armed, correct also between overflow and interrupt */
static u64 intel_count(const struct intel_event *e)
{
	u64 overflows, value;

	do {
		overflows = READ_ONCE(e->overflows);
		value = compat_rdmsr(e->msr_read);
	} while (overflows != READ_ONCE(e->overflows));
	value = (value - e->reload) & e->wrap;
	if (e->period)
		return overflows * e->period + value;
	/* it isn't reloaded: an overflow is a whole turn, in value but for the turn */
	return overflows * (e->wrap + 1) + value;
}

static void intel_stats_add(struct intel_cpu *c, struct pmu_stats *stats)
{
	unsigned int i;

	stats->pmis += c->pmis;
	stats->throttled += c->throttled;
	for (i = 0; i < c->event_count; i++) {
		stats->count[i] += intel_count(&c->events[i]);
		if (c->events[i].period)
			stats->samples[i] += c->events[i].overflows;
	}
}

/* Arming: on the CPU, with interrupts off */

static void intel_event_prepare(struct intel_cpu *c, int index, const struct pmu_event *event,
				const struct pmu_caps *caps)
{
	struct intel_event *e = &c->events[index];
	bool fixed = event->counter >= VSAMP_COUNTER_FIXED;
	u64 bits = INTEL_FIXED_PMI;

	memset(e, 0, sizeof(*e));
	e->bit = BIT_ULL(event->counter);
	e->period = event->sav;
	e->wrap = GENMASK_ULL((fixed ? caps->width_fixed : caps->width) - 1, 0);
	e->reload = -event->sav & e->wrap;
	e->header = ring_header(VSAMP_RECORD_SAMPLE, sizeof(struct vsamp_record_sample), index);
	if (!(event->flags & VSAMP_EVENT_KERNEL))
		e->header |= RING_USER;
	e->msr = intel_msr_write(event->counter, caps);
	e->msr_read = intel_msr_read(event->counter);
	e->msr_select = intel_msr_select(event->counter);
	c->mask |= e->bit;
	if (event->flags & VSAMP_EVENT_FORCE && event->sav && event->sav < VSAMP_SAV_FLOOR)
		c->again = true;
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
	c->fixed_ctrl |= bits << 4 * (event->counter - VSAMP_COUNTER_FIXED);
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

static void intel_state_write(struct intel_cpu *c, u16 code, u64 arg)
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
	int i;

	intel_caps_read(&caps);
	c->session = session;
	c->ring = session->cpu[smp_processor_id()]->ring;
	c->pmis = 0;
	c->throttled = 0;
	c->budget = config->pmi_limit;
	c->tick_start = clock_read();
	c->foreign = 0;
	c->fixed_ctrl = 0;
	c->again = false;
	c->mask = 0;
	c->single = 0;
	c->ctrl = 0;
	c->event_count = config->event_count;
	c->hold = scope_enter() ? 0 : BIT(INTEL_HOLD_SCOPE);
	if (session->state == VSAMP_SESSION_PAUSED)
		c->hold |= BIT(INTEL_HOLD_PAUSE);
	for (i = 0; i < config->event_count; i++)
		intel_event_prepare(c, i, &config->events[i], &caps);
	if (config->event_count == 1 && config->events[0].sav && clock_is_tsc && !c->again)
		c->single = c->mask;
}

static void intel_arm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	struct intel_event *e;

	intel_arm_prepare(c, session);
	intel_save(c);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	for (e = c->events; e < c->events + c->event_count; e++) {
		compat_wrmsr(e->msr, e->reload);
		if (e->msr_select)
			compat_wrmsr(e->msr_select, e->select);
	}
	if (c->fixed_ctrl)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, c->fixed_ctrl);
	/* left by whoever was here before */
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->mask);
	intel_apic_write(APIC_DM_NMI);

	intel_state_write(c, code, 0);
	clock_write(c->ring, 0);
	intel_ctrl_update(c);
}

static void intel_arm_ipi(void *data)
{
	intel_arm(data, VSAMP_STATE_START);
}

/*
 * Disarming. A PMI may be on its way when the counters stop: it has the time to arrive while the
 * handler still knows the counter. What still holds our value gets back what it had before; the
 * rest is somebody else's now.
 */
static void intel_stop_counting(struct intel_cpu *c)
{
	int i;

	set_bit(INTEL_HOLD_PAUSE, &c->hold);
	if (intel_ctrl_is_ours(c))
		intel_ctrl_update(c);
	for (i = 0; i < 100 && compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask; i++)
		cpu_relax();
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

static void intel_restore(struct intel_cpu *c)
{
	struct intel_event *e;

	for (e = c->events; e < c->events + c->event_count; e++) {
		if (e->msr_select) {
			if (compat_rdmsr(e->msr_select) != e->select)
				continue;
			compat_wrmsr(e->msr_select, e->saved_select);
		}
		compat_wrmsr(e->msr, e->saved_counter);
	}
	if (c->fixed_ctrl && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) == c->fixed_ctrl)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, c->saved_fixed_ctrl);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->mask);
	if (intel_ctrl_is_ours(c))
		compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, c->saved_ctrl);
	intel_restore_lvtpc(c);
}

static void intel_disarm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (!c->mask)
		return;
	intel_stop_counting(c);
	intel_stats_add(c, &session->cpu[smp_processor_id()]->stats);
	clock_write(c->ring, 0);
	intel_state_write(c, c->foreign ? VSAMP_STATE_FOREIGN : code, c->foreign);
	intel_restore(c);
	c->mask = 0;
	c->single = 0;
}

static void intel_disarm_ipi(void *data)
{
	intel_disarm(data, VSAMP_STATE_STOP);
}

/* pmu_ops */

static int intel_start(struct session *session, struct netlink_ext_ack *extack)
{
	const struct cpumask *cpus = session->config.cpus;
	int err;

	err = intel_reserve(extack);
	if (err)
		return err;
	err = intel_check(session, cpus, extack);
	if (err)
		goto err_release;
	err = register_nmi_handler(NMI_LOCAL, intel_nmi, NMI_FLAG_FIRST, "vsamp");
	if (err) {
		NL_SET_ERR_MSG(extack, "the NMI handler can't be registered");
		goto err_release;
	}
	on_each_cpu_mask(cpus, intel_arm_ipi, session, true);
	return 0;

err_release:
	intel_release();
	return err;
}

static void intel_stop(struct session *session)
{
	int cpu;

	on_each_cpu_mask(session->config.cpus, intel_disarm_ipi, session, true);
	for_each_cpu(cpu, session->config.cpus)
		intel_throttle_quiesce(per_cpu_ptr(&intel_cpu, cpu));
	unregister_nmi_handler(NMI_LOCAL, "vsamp");
	intel_release();
}

static void intel_pause_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	bool pause = *(bool *)data;

	if (!c->mask)
		return;
	if (pause) {
		set_bit(INTEL_HOLD_PAUSE, &c->hold);
		intel_ctrl_update(c);
		intel_state_write(c, VSAMP_STATE_PAUSE, 0);
	} else {
		intel_state_write(c, VSAMP_STATE_RESUME, 0);
		clock_write(c->ring, 0);
		clear_bit(INTEL_HOLD_PAUSE, &c->hold);
		intel_ctrl_update(c);
	}
}

static void intel_pause(struct session *session, bool pause)
{
	on_each_cpu_mask(session->config.cpus, intel_pause_ipi, &pause, true);
}

static int intel_cpu_start(struct session *session)
{
	struct netlink_ext_ack unused = {};
	unsigned long flags;
	int err;

	err = intel_check(session, cpumask_of(smp_processor_id()), &unused);
	if (err)
		return err;
	local_irq_save(flags);
	intel_arm(session, VSAMP_STATE_ONLINE);
	local_irq_restore(flags);
	return 0;
}

static void intel_cpu_stop(struct session *session)
{
	unsigned long flags;

	local_irq_save(flags);
	intel_disarm(session, VSAMP_STATE_OFFLINE);
	local_irq_restore(flags);
	intel_throttle_quiesce(this_cpu_ptr(&intel_cpu));
}

/* The register that isn't as it was programmed, or 0; finds overflows that raised nothing, too */
static u32 intel_verify_cpu(struct intel_cpu *c)
{
	struct intel_event *e;
	u64 status;

	if (!intel_ctrl_is_ours(c))
		return MSR_CORE_PERF_GLOBAL_CTRL;
	for (e = c->events; e < c->events + c->event_count; e++)
		if (e->msr_select && compat_rdmsr(e->msr_select) != e->select)
			return e->msr_select;
	if (c->fixed_ctrl && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) != c->fixed_ctrl)
		return MSR_CORE_PERF_FIXED_CTR_CTRL;
	if (intel_apic_read() != APIC_DM_NMI)
		return INTEL_X2APIC_LVTPC;
	status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
	if (!status)
		return 0;
	udelay(1);	/* the PMI could be on its way */
	status &= compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS);
	if (status)
		intel_drain(c, status, NULL, 0);
	return 0;
}

static void intel_verify_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	atomic_t *foreign = data;

	if (!c->mask)
		return;
	c->foreign = intel_verify_cpu(c);
	if (c->foreign)
		atomic_inc(foreign);
}

static bool intel_verify(struct session *session)
{
	atomic_t foreign = ATOMIC_INIT(0);

	on_each_cpu_mask(session->config.cpus, intel_verify_ipi, &foreign, true);
	return !atomic_read(&foreign);
}

static void intel_stats(struct pmu_stats *stats)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (c->mask)
		intel_stats_add(c, stats);
}

static void intel_scope(bool inside)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (!c->mask)
		return;
	if (inside)
		clear_bit(INTEL_HOLD_SCOPE, &c->hold);
	else
		set_bit(INTEL_HOLD_SCOPE, &c->hold);
	intel_ctrl_update(c);
}

const struct pmu_ops pmu_intel = {
	.backend = VSAMP_BACKEND_INTEL,
	.caps = intel_caps,
	.start = intel_start,
	.stop = intel_stop,
	.pause = intel_pause,
	.cpu_start = intel_cpu_start,
	.cpu_stop = intel_cpu_stop,
	.verify = intel_verify,
	.stats = intel_stats,
	.scope = intel_scope,
};

void __init pmu_intel_init(void)
{
	struct intel_cpu *c;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&intel_cpu, cpu);
		intel_throttle_init(c);
	}
}
