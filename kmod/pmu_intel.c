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

struct intel_cpu __percpu *intel_cpu;

/* Counting: an event's count since it was armed, correct also between overflow and interrupt */
static u64 intel_count(const struct intel_cpu *c, const struct intel_event *e)
{
	bool parked = e < c->first || e >= c->end;
	u64 overflows, value;

	do {
		overflows = READ_ONCE(e->overflows);
		barrier();	/* an overflow may change all of them */
		value = parked ? e->parked : compat_rdmsr(e->msr_read);
		value = (value - e->reload) & e->wrap;
		/* without a period it isn't reloaded: an overflow is a whole turn, not in value */
		value += e->base + overflows * (e->period ?: e->wrap + 1);
		barrier();
	} while (overflows != READ_ONCE(e->overflows));
	return value;
}

void intel_stats_add(struct intel_cpu *c, struct pmu_stats *stats)
{
	const struct intel_event *e;

	stats->pmis += c->pmis;
	stats->throttled += c->throttled;
	for (e = c->events; e < c->events + c->event_count; e++) {
		stats->count[e->index] += intel_count(c, e);
		if (e->period)
			stats->samples[e->index] += e->overflows;
	}
	if (c->mux_ms)
		intel_mux_stats_add(c, stats);
}

/* What a CPU left to do when it was disarmed; nothing of it writes to the ring afterwards */
static void intel_quiesce(struct intel_cpu *c)
{
	intel_throttle_quiesce(c);
	hrtimer_cancel(&c->mux_timer);
}

/* pmu_ops */

static void intel_arm_ipi(void *data)
{
	intel_arm(data, VSAMP_STATE_START);
}

static void intel_disarm_ipi(void *data)
{
	intel_disarm(data, VSAMP_STATE_STOP);
}

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
		intel_quiesce(per_cpu_ptr(intel_cpu, cpu));
	unregister_nmi_handler(NMI_LOCAL, "vsamp");
	intel_release();
}

static void intel_sleep_ipi(void *data)
{
	intel_disarm(data, VSAMP_STATE_SUSPEND);
}

static void intel_sleep(struct session *session)
{
	int cpu;

	on_each_cpu_mask(session->config.cpus, intel_sleep_ipi, session, true);
	for_each_cpu(cpu, session->config.cpus)
		intel_quiesce(per_cpu_ptr(intel_cpu, cpu));
}

static void intel_wake_ipi(void *data)
{
	intel_arm(data, VSAMP_STATE_WAKE);
}

/* Firmware may have left something in the registers */
static int intel_wake(struct session *session, struct netlink_ext_ack *extack)
{
	const struct cpumask *cpus = session->config.cpus;
	int err;

	err = intel_check(session, cpus, extack);
	if (!err)
		on_each_cpu_mask(cpus, intel_wake_ipi, session, true);
	return err;
}

static void intel_pause_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);
	bool pause = *(bool *)data;

	if (!c->mask)
		return;
	if (pause) {
		intel_hold(c, INTEL_HOLD_PAUSE);
		intel_state_write(c, VSAMP_STATE_PAUSE, 0);
	} else {
		intel_state_write(c, VSAMP_STATE_RESUME, 0);
		clock_write(c->ring, 0);
		intel_go_on(c, INTEL_HOLD_PAUSE);
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

	if (session->asleep)
		return 0;
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
	intel_quiesce(this_cpu_ptr(intel_cpu));
}

/* Finds overflows that raised nothing, too */
static u32 intel_verify_cpu(struct intel_cpu *c)
{
	u32 foreign = intel_find_foreign(c);
	u64 status;

	if (foreign)
		return foreign;
	status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
	if (!status)
		return 0;
	udelay(1);	/* the PMI could be on its way */
	status &= compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS);
	if (status)
		intel_drain(c, status, NULL, clock_read());
	return 0;
}

static void intel_verify_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);
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
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);

	if (c->mask)
		intel_stats_add(c, stats);
}

static void intel_sav_ipi(void *unused)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);

	if (c->mask)
		intel_sav_update(c);
}

static void intel_sav(struct session *session)
{
	on_each_cpu_mask(session->config.cpus, intel_sav_ipi, NULL, true);
}

static void intel_scope(bool inside)
{
	struct intel_cpu *c = this_cpu_ptr(intel_cpu);

	if (!c->mask)
		return;
	if (inside)
		intel_go_on(c, INTEL_HOLD_SCOPE);
	else
		intel_hold(c, INTEL_HOLD_SCOPE);
}

const struct pmu_ops pmu_intel = {
	.backend = VSAMP_BACKEND_INTEL,
	.caps = intel_caps,
	.check = intel_check_config,
	.start = intel_start,
	.stop = intel_stop,
	.pause = intel_pause,
	.sleep = intel_sleep,
	.wake = intel_wake,
	.cpu_start = intel_cpu_start,
	.cpu_stop = intel_cpu_stop,
	.verify = intel_verify,
	.sav = intel_sav,
	.stats = intel_stats,
	.scope = intel_scope,
};

int __init pmu_intel_init(void)
{
	int cpu;

	intel_cpu = alloc_percpu(struct intel_cpu);
	if (!intel_cpu)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		intel_throttle_init(per_cpu_ptr(intel_cpu, cpu));
		intel_mux_init(per_cpu_ptr(intel_cpu, cpu));
	}
	return 0;
}

void pmu_intel_exit(void)
{
	free_percpu(intel_cpu);
}
