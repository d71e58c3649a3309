/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_PMU_H
#define _VSAMP_PMU_H

#include <linux/types.h>

#include <vsamp.h>

struct netlink_ext_ack;
struct session;
struct session_config;

/*
 * What one CPU offers, as in the attributes of VSAMP_CMD_CAPS_GET; nothing is known of its counters
 * if @counters is 0
 */
struct pmu_caps {
	u32 version;
	u64 counters;
	u32 width;
	u32 width_fixed;
	u32 events_absent;
	u64 sav_max;		/* 0: it can't be sampled */
};

/* An event of a session, as in VSAMP_EVENT_A_* */
struct pmu_event {
	u32 type;	/* kperf */
	u64 config;
	u64 sav;
	u32 counter;	/* intel */
	u32 flags;
	u32 set;
	bool changed;	/* @sav was, since the start */
};

/*
 * struct pmu_stats - what a CPU counted
 * @enabled: in time slices, ticks in which it counted whatever set; from perf, ns
 * @running: and in which it counted the event's; from perf, the event
 */
struct pmu_stats {
	u64 pmis;
	u64 throttled;
	u64 count[VSAMP_EVENTS_MAX];
	u64 samples[VSAMP_EVENTS_MAX];
	u64 enabled[VSAMP_EVENTS_MAX];
	u64 running[VSAMP_EVENTS_MAX];
};

/* What a refusal is about: an event, and VSAMP_EVENT_A_* of it, or 0 */
struct pmu_fault {
	int event;
	int attr;
};

/*
 * struct pmu_ops - what counts and interrupts
 * @caps: what a CPU that is online offers
 * @check: whether the events of a configuration can be counted here
 * @open: get ready to start, as far as that can't be done while CPUs are kept
 * @close: give back what @open and @refresh took
 * @refresh: a CPU has come or gone, or a second has passed
 * @start: take the PMU, and begin on all CPUs of the session that are online. A refusal writes no
 *	register when somebody else has the PMU, and gives back all that it wrote in other cases.
 * @stop: end on all CPUs, give everything back; when it returns nobody writes to the rings
 * @pause: stop or go on counting on all CPUs
 * @sleep: the machine goes to sleep: stop counting on all CPUs, and give the registers back
 * @wake: it woke: go on as the session's state says. A refusal: somebody else has the PMU
 * @cpu_start: begin on this CPU, which came online; while the machine sleeps, wait for @wake
 * @cpu_stop: end on this CPU, which goes offline
 * @verify: if others can get at it, see whether all CPUs are still as they were programmed. False:
 *	somebody else wrote to one of them; it says so in its records when it is stopped.
 * @sav: Sample-After values of the session's events were changed; NULL: they can't be
 * @stats: add what this CPU has counted since it was started; interrupts off
 * @read: if not all that is counted is in @stats, add the rest; may sleep
 * @scope: stop or go on counting on this CPU as members of the scope come and go; interrupts off;
 *	NULL: it follows the session's processes by itself
 *
 * @check, @open, @close and @refresh, the last three of which are optional, are called while CPUs
 * may come and go, and may sleep. All others but @scope and @stats are called with CPUs kept from
 * coming and going.
 */
struct pmu_ops {
	u32 backend;
	void (*caps)(int cpu, struct pmu_caps *caps);
	int (*check)(const struct session_config *config, struct pmu_fault *fault,
		     struct netlink_ext_ack *extack);
	int (*open)(struct session *session, struct netlink_ext_ack *extack);
	void (*close)(struct session *session);
	void (*refresh)(struct session *session);
	int (*start)(struct session *session, struct netlink_ext_ack *extack);
	void (*stop)(struct session *session);
	void (*pause)(struct session *session, bool pause);
	void (*sleep)(struct session *session);
	int (*wake)(struct session *session, struct netlink_ext_ack *extack);
	int (*cpu_start)(struct session *session);
	void (*cpu_stop)(struct session *session);
	bool (*verify)(struct session *session);
	void (*sav)(struct session *session);
	void (*stats)(struct pmu_stats *stats);
	void (*read)(struct session *session, int cpu, struct pmu_stats *stats);
	void (*scope)(bool inside);
};

const struct pmu_ops *pmu_find(u32 backend);
int pmu_init(void);
void pmu_exit(void);

extern const struct pmu_ops pmu_intel;
int pmu_intel_init(void);
void pmu_intel_exit(void);

extern const struct pmu_ops pmu_kperf;
int pmu_kperf_init(void);
void pmu_kperf_exit(void);

#endif /* _VSAMP_PMU_H */
