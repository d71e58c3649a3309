/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_PMU_H
#define _VSAMP_PMU_H

#include <linux/types.h>

#include <vsamp.h>

struct netlink_ext_ack;
struct session;

/* What one CPU offers, as in the attributes of VSAMP_CMD_CAPS_GET */
struct pmu_caps {
	u32 version;		/* 0: it can't be sampled */
	u64 counters;
	u32 width;
	u32 width_fixed;
	u32 events_absent;
	u64 sav_max;
};

/* An event of a session, as in VSAMP_EVENT_A_* */
struct pmu_event {
	u64 config;
	u64 sav;
	u32 counter;
	u32 flags;
};

struct pmu_stats {
	u64 pmis;
	u64 throttled;
	u64 count[VSAMP_EVENTS_MAX];
	u64 samples[VSAMP_EVENTS_MAX];
};

/*
 * struct pmu_ops - what counts and interrupts
 * @caps: what a CPU that is online offers
 * @start: take the PMU, and begin on all CPUs of the session that are online. A refusal writes no
 *	register when somebody else has the PMU, and gives back all that it wrote in other cases.
 * @stop: end on all CPUs, give everything back; when it returns nobody writes to the rings
 * @pause: stop or go on counting on all CPUs
 * @cpu_start: begin on this CPU, which came online
 * @cpu_stop: end on this CPU, which goes offline
 * @verify: see whether all CPUs are still as they were programmed. False: somebody else wrote to
 *	one of them; it says so in its records when it is stopped.
 * @stats: add what this CPU has counted since it was started; interrupts off
 * @scope: stop or go on counting on this CPU as members of the scope come and go; interrupts off
 *
 * All but @scope and @stats are called with CPUs kept from coming and going.
 */
struct pmu_ops {
	u32 backend;
	void (*caps)(int cpu, struct pmu_caps *caps);
	int (*start)(struct session *session, struct netlink_ext_ack *extack);
	void (*stop)(struct session *session);
	void (*pause)(struct session *session, bool pause);
	int (*cpu_start)(struct session *session);
	void (*cpu_stop)(struct session *session);
	bool (*verify)(struct session *session);
	void (*stats)(struct pmu_stats *stats);
	void (*scope)(bool inside);
};

extern const struct pmu_ops pmu_intel;

void pmu_intel_init(void);

#endif /* _VSAMP_PMU_H */
