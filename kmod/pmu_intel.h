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
struct pmu_fault;
struct pmu_stats;
struct pt_regs;
struct ring;
struct session;
struct session_config;

void intel_caps_read(void *caps);
void intel_caps(int cpu, struct pmu_caps *caps);
int intel_check_config(const struct session_config *config, struct pmu_fault *fault,
		       struct netlink_ext_ack *extack);

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
	INTEL_HOLD_SWAP,
};

struct intel_event {
	u64 header;		/* of a sample, see ring_sample() */
	u64 reload;		/* what the counter starts from */
	u64 overflows;		/* since it was armed */
	u64 base;		/* counted apart from these and from what is in the counter */
	u64 bit;		/* in GLOBAL_CTRL and GLOBAL_STATUS */
	u64 period;		/* 0: counts only */
	u32 msr;		/* the counter, for writing */
	u32 msr_read;
	u32 msr_select;		/* 0: a fixed counter */
	u64 select;
	u64 wrap;		/* the counter's mask */
	u64 saved_counter;
	u64 saved_select;
	u64 parked;		/* the counter's value while another set counts */
	u64 sav_pending;	/* becomes the period at the next overflow; 0: none */
	bool sav_due;		/* a SAV record is to be written before the next sample */
	u32 index;		/* of the session's events */
};

/* Events that are counted together; they stand side by side */
struct intel_set {
	struct intel_event *first;
	struct intel_event *end;
	u64 mask;		/* its counters' bits */
	u64 fixed_ctrl;
	u64 running;		/* ticks in which it counted, without those since @since */
	u32 id;
};

/*
 * struct intel_cpu - what the NMI handler and others know of a CPU
 * @mask: bits of the counters that count now; 0: not armed
 * @single: the same if there's one counter and nothing about it is unusual, else 0
 * @budget: PMIs left in this tick
 * @ctrl: what GLOBAL_CTRL holds
 * @first, @end: the events that count now, those of @set
 * @hold: bits of enum intel_hold
 * @events: of all sets, one set after the other
 * @mux_ms: the sets take turns, of so long; 0: there is one set
 * @mux_due: this set's time was up when something held the CPU
 * @since: time from which on @set has counted; 0: it doesn't
 * @foreign: register that somebody else wrote to
 */
struct intel_cpu {
	u64 mask;
	u64 single;
	struct ring *ring;
	u64 pmis;
	u32 budget;
	u64 ctrl;
	struct intel_event *first;
	struct intel_event *end;
	unsigned long hold;
	struct intel_event events[VSAMP_EVENTS_MAX];

	unsigned int event_count;
	struct intel_set *set;
	struct intel_set sets[VSAMP_EVENTS_MAX];
	unsigned int set_count;
	u32 mux_ms;
	bool mux_due;
	u64 since;
	struct hrtimer mux_timer;

	struct session *session;
	u64 tick_start;
	u64 throttled;
	bool fixed;		/* FIXED_CTR_CTRL is ours */
	u32 foreign;
	u64 saved_ctrl;
	u64 saved_fixed_ctrl;
	u32 saved_lvtpc;
	struct irq_work throttle_work;
	struct hrtimer throttle_timer;
} ____cacheline_aligned;

/* Too large for a module's static per-CPU data */
extern struct intel_cpu __percpu *intel_cpu;

void intel_mux_clock(struct intel_cpu *c);
void intel_mux_rotate(struct intel_cpu *c);

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
	if (unlikely(c->mux_ms))
		intel_mux_clock(c);
}

/* Something holds the CPU: it doesn't count; interrupts are off */
static inline void intel_hold(struct intel_cpu *c, enum intel_hold why)
{
	set_bit(why, &c->hold);
	intel_ctrl_update(c);
}

/* Something no longer holds the CPU; interrupts are off */
static inline void intel_go_on(struct intel_cpu *c, enum intel_hold why)
{
	clear_bit(why, &c->hold);
	if (unlikely(c->mux_due) && !READ_ONCE(c->hold))
		intel_mux_rotate(c);
	intel_ctrl_update(c);
}

void intel_stats_add(struct intel_cpu *c, struct pmu_stats *stats);

void intel_arm(struct session *session, u16 code);
void intel_disarm(struct session *session, u16 code);
void intel_state_write(struct intel_cpu *c, u16 code, u64 arg);
void intel_settle(struct intel_cpu *c);
void intel_set_enter(struct intel_cpu *c, struct intel_set *set);
u32 intel_find_foreign(struct intel_cpu *c);

int intel_nmi(unsigned int type, struct pt_regs *regs);
int intel_drain(struct intel_cpu *c, u64 status, struct pt_regs *regs, u64 now);

void intel_mux_init(struct intel_cpu *c);
void intel_mux_start(struct intel_cpu *c);
void intel_mux_end(struct intel_cpu *c);
void intel_mux_stats_add(struct intel_cpu *c, struct pmu_stats *stats);

void intel_sav_settled(struct intel_cpu *c);
void intel_sav_update(struct intel_cpu *c);
void intel_sav_begin(struct intel_cpu *c);
void intel_sav_overflow(struct intel_cpu *c, struct intel_event *e, struct pt_regs *regs, u64 now);

void intel_throttle_init(struct intel_cpu *c);
void intel_throttle_quiesce(struct intel_cpu *c);

#endif /* _VSAMP_PMU_INTEL_H */
