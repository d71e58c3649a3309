/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_PMU_INTEL_H
#define _VSAMP_PMU_INTEL_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <asm/apic.h>
#include <asm/perf_event.h>

#include <vsamp.h>

#include "compat.h"

struct cpumask;
struct netlink_ext_ack;
struct pmu_caps;
struct pt_regs;
struct ring;
struct session;

void intel_caps_read(void *caps);
void intel_caps(int cpu, struct pmu_caps *caps);

/* Addresses of a counter, numbered as in VSAMP_EVENT_A_COUNTER; a fixed one has no select: 0 */
u32 intel_msr_select(u32 counter);
u32 intel_msr_read(u32 counter);
u32 intel_msr_write(u32 counter, const struct pmu_caps *caps);

int intel_reserve(struct netlink_ext_ack *extack);
void intel_release(void);
int intel_check(struct session *session, const struct cpumask *cpus,
		struct netlink_ext_ack *extack);

/* Why a CPU that is armed isn't counting */
enum intel_hold {
	INTEL_HOLD_PAUSE,
	INTEL_HOLD_THROTTLE,
	INTEL_HOLD_SCOPE,
};

struct intel_event {
	u64 header;		/* of a sample, see ring_sample() */
	u64 reload;		/* what the counter starts from */
	u64 overflows;		/* since it was armed */
	u64 bit;		/* in GLOBAL_CTRL and GLOBAL_STATUS */
	u64 period;		/* 0: counts only */
	u32 msr;		/* the counter, for writing */
	u32 msr_read;
	u32 msr_select;		/* 0: a fixed counter */
	u64 select;
	u64 wrap;		/* the counter's mask */
	u64 saved_counter;
	u64 saved_select;
};

/*
 * struct intel_cpu - what the NMI handler and others know of a CPU
 * @mask: our counters' bits; 0: not armed
 * @single: the same if there's one counter and nothing about it is unusual, else 0
 * @budget: PMIs left in this tick
 * @ctrl: what GLOBAL_CTRL holds
 * @hold: bits of enum intel_hold
 * @foreign: register that somebody else wrote to
 */
struct intel_cpu {
	u64 mask;
	u64 single;
	struct ring *ring;
	u64 pmis;
	u32 budget;
	u32 event_count;
	u64 ctrl;
	unsigned long hold;
	struct intel_event events[VSAMP_EVENTS_MAX];

	struct session *session;
	u64 tick_start;
	u64 throttled;
	bool again;		/* look again after unmasking */
	u64 fixed_ctrl;
	u32 foreign;
	u64 saved_ctrl;
	u64 saved_fixed_ctrl;
	u32 saved_lvtpc;
	struct irq_work throttle_work;
	struct hrtimer throttle_timer;
} ____cacheline_aligned;

DECLARE_PER_CPU(struct intel_cpu, intel_cpu);

static __always_inline void intel_apic_write(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

static inline u64 intel_ctrl_wanted(const struct intel_cpu *c)
{
	return READ_ONCE(c->hold) ? 0 : c->mask;
}

static inline u64 intel_ctrl_write(struct intel_cpu *c)
{
	u64 ctrl = intel_ctrl_wanted(c);

	WRITE_ONCE(c->ctrl, ctrl);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	return ctrl;
}

/*
 * GLOBAL_CTRL as @hold says. An NMI may throttle at any point in between. If it cuts the write,
 * what it wrote is overwritten: the comparison after the write sees that @hold has changed.
 */
static inline void intel_ctrl_update(struct intel_cpu *c)
{
	u64 ctrl = READ_ONCE(c->ctrl);

	while (intel_ctrl_wanted(c) != ctrl)
		ctrl = intel_ctrl_write(c);
}

int intel_nmi(unsigned int type, struct pt_regs *regs);
int intel_drain(struct intel_cpu *c, u64 status, struct pt_regs *regs, u64 now);

void intel_throttle_init(struct intel_cpu *c);
void intel_throttle_quiesce(struct intel_cpu *c);

#endif /* _VSAMP_PMU_INTEL_H */
