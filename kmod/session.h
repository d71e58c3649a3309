/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_SESSION_H
#define _VSAMP_SESSION_H

#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/wait.h>

#include "pmu.h"

struct cgroup;
struct netlink_ext_ack;
struct ring;

/* What VSAMP_CMD_CONFIGURE says */
struct session_config {
	const struct pmu_ops *pmu;
	struct pmu_event events[VSAMP_EVENTS_MAX];
	unsigned int event_count;
	bool samples;		/* else it only counts, and has but statistics to tell */
	cpumask_var_t cpus;
	struct pid **pids;	/* NULL: whatever runs */
	unsigned int pid_count;
	struct cgroup **cgroups;	/* NULL: whatever runs; not with pids */
	unsigned int cgroup_count;
	u32 flags;
	u32 ring_size;
	u32 watermark;
	u32 pmi_limit;
	u32 set;	/* that is counted; without meaning if mux_ms */
	u32 mux_ms;	/* 0: only one set */
	u32 stacks;	/* VSAMP_STACKS_*, that samples have */
	u32 stack_depth;
};

/* A CPU that was started once; it lasts as long as the session */
struct session_cpu {
	struct ring *ring;
	struct pmu_stats stats;	/* of the times it ran before now */
};

/*
 * struct session - an open /dev/vsamp
 * @cpu: by CPU id
 * @changes: counts changes of state; @changes_seen is what a VSAMP_CMD_STATS_GET saw
 * @asleep: it ran when the machine went to sleep
 * @throttle_told: the log has its one line
 * @owner: process that started it
 */
struct session {
	enum vsamp_session_state state;
	enum vsamp_end_reason end_reason;
	struct session_config config;
	struct session_cpu **cpu;
	unsigned int changes;
	unsigned int changes_seen;
	bool asleep;
	unsigned long throttle_told;
	pid_t owner;
	wait_queue_head_t wait;
};

/* Of one CPU, all its times together */
struct session_stats {
	u64 produced;
	u64 written;
	u64 lost;
	struct pmu_stats pmu;
};

extern const struct file_operations session_fops;

/* Held around whatever changes a session */
void session_lock(void);
void session_unlock(void);

void session_configure(struct session *session, struct session_config *config);
void session_config_free(struct session_config *config);
int session_start(struct session *session, struct netlink_ext_ack *extack);
int session_stop(struct session *session, struct netlink_ext_ack *extack);
int session_pause(struct session *session, bool pause, struct netlink_ext_ack *extack);

int session_add_cpu(struct session *session, int cpu, struct netlink_ext_ack *extack);
void session_remove_cpus(struct session *session);
struct session_cpu *session_cpu(struct session *session, unsigned long cpu);
bool session_pages_take(unsigned long pages);
void session_pages_give(unsigned long pages);

void session_set_sav(struct session *session, const u64 *sav);

/* The machine goes to sleep, wakes, or is shut down; called by kmod/power.c */
void session_sleep(void);
void session_wake(void);
void session_shutdown(void);
const char *session_refused(void);

bool session_stats(struct session *session, int cpu, struct session_stats *stats);

void session_free(struct session *session);

int session_file_init(void);
void session_file_exit(void);
int session_init(void);
void session_exit(void);

#endif /* _VSAMP_SESSION_H */
