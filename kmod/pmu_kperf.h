/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_PMU_KPERF_H
#define _VSAMP_PMU_KPERF_H

#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include <vsamp.h>

struct netlink_ext_ack;
struct perf_event;
struct perf_sample_data;
struct pmu_fault;
struct pmu_stats;
struct pt_regs;
struct ring;
struct session;
struct session_config;

/*
 * struct kperf_counter - one of perf's events, which counts event @index of the session's
 * @kind: of a process: the kind of core it counts on, from 0; see kperf_kinds()
 */
struct kperf_counter {
	struct list_head node;
	struct perf_event *event;
	u32 index;
	u32 kind;
};

/*
 * struct kperf_cpu - what the handler and others know of a CPU
 * @ring: NULL: the CPU isn't one of the session's, or never was online
 * @held: no samples are taken
 * @open: the CPU's events were opened, since it came online
 * @throttled: bits of the events that perf holds back
 * @interrupts: of each event in this tick, as perf counts them
 */
struct kperf_cpu {
	struct ring *ring;
	bool held;
	bool open;
	unsigned long throttled;
	u64 throttles;
	u64 samples[VSAMP_EVENTS_MAX];
	u64 interrupts[VSAMP_EVENTS_MAX];
	struct list_head counters;
};

/* Too large for a module's static per-CPU data */
extern struct kperf_cpu __percpu *kperf_cpu;

/* By event: of its samples, see ring_sample() */
extern u64 kperf_header[VSAMP_EVENTS_MAX];

void kperf_begin(struct session *session, u16 code, bool held);
void kperf_end(struct session *session, u16 code);
void kperf_add_stats(struct kperf_cpu *c, struct pmu_stats *stats);
void kperf_settle(struct kperf_cpu *c, struct pmu_stats *stats);

/* For on_each_cpu() */
void kperf_begin_ipi(void *session);
void kperf_end_ipi(void *session);
void kperf_hold_ipi(void *unused);
void kperf_unhold_ipi(void *unused);
void kperf_sleep_ipi(void *unused);
void kperf_wake_ipi(void *unused);
void kperf_pause_ipi(void *unused);
void kperf_resume_ipi(void *unused);

void kperf_overflow(struct perf_event *event, struct perf_sample_data *data,
		    struct pt_regs *regs);

int kperf_check(const struct session_config *config, struct pmu_fault *fault,
		struct netlink_ext_ack *extack);
int kperf_open_cpu(const struct session_config *config, int cpu, struct list_head *counters,
		   struct netlink_ext_ack *extack);
int kperf_open_processes(const struct session_config *config, struct list_head *counters,
			 struct netlink_ext_ack *extack);
void kperf_close_counters(struct list_head *counters);
bool kperf_is_counted(const struct session_config *config, u32 index);
void kperf_refuse(const struct session_config *config, u32 index, int err,
		  struct netlink_ext_ack *extack);

#endif /* _VSAMP_PMU_KPERF_H */
