/* SPDX-License-Identifier: MIT */
/* What tests do with sessions: configure, start, read rings, run loops of known length */
#ifndef SESSION_H
#define SESSION_H

#include <sys/types.h>

#include "client.h"

#define CONFIG_INSTRUCTIONS 0xc0
#define CONFIG_BRANCHES	    0xc4
#define FIXED_INSTRUCTIONS  VSAMP_COUNTER_FIXED

/*
 * What differs in guests of arm64: there is no backend intel, and QEMU's instructions are counted
 * but don't interrupt in time. Cycles do, and are as many.
 */
#ifdef __x86_64__
#define HAVE_INTEL	  1
#define PERF_INSTRUCTIONS PERF_COUNT_HW_INSTRUCTIONS
#define RAW_INSTRUCTIONS  CONFIG_INSTRUCTIONS
#else
#define HAVE_INTEL	  0
#define PERF_INSTRUCTIONS PERF_COUNT_HW_CPU_CYCLES
#define RAW_INSTRUCTIONS  0x11
#endif

struct event {
	uint64_t config;
	uint32_t counter;
	uint64_t sav;
	uint32_t flags;
	uint32_t set;
	bool perf; /* one of kperf's: it has a type, and no counter */
	uint32_t type;
};

/* What CONFIGURE is asked; what is 0 or NULL isn't sent */
struct config {
	uint32_t backend; /* 0: intel */
	struct event events[VSAMP_EVENTS_MAX + 1];
	int n_events;
	const char *cpus;
	uint32_t pids[VSAMP_PIDS_MAX + 1];
	int n_pids;
	int cgroups[VSAMP_CGROUPS_MAX + 1];
	int n_cgroups;
	uint32_t flags;
	uint32_t ring_size;
	uint32_t watermark;
	uint32_t pmi_limit;
	int set; /* -1: ask for set 0 */
	uint32_t mux_ms;
	uint32_t stacks;
	uint32_t stack_depth;
};

#define MAX_CPUS 64

struct cpu_stats {
	bool present;
	uint64_t produced, written, lost, pmis, throttled;
	uint64_t count[VSAMP_EVENTS_MAX];
	uint64_t samples[VSAMP_EVENTS_MAX];
	uint64_t enabled[VSAMP_EVENTS_MAX];
	uint64_t running[VSAMP_EVENTS_MAX];
};

struct stats {
	int cpus;
	uint32_t state, end_reason;
	uint64_t produced, written, lost, pmis, throttled;
	uint64_t count[VSAMP_EVENTS_MAX];
	uint64_t samples[VSAMP_EVENTS_MAX];
	struct cpu_stats cpu[MAX_CPUS];
};

/* User instructions on general counter 0, one sample in @sav */
struct config config_instructions(uint64_t sav);

/* A file of /dev/vsamp, or a negative errno value */
int session_open(void);

/* These return 0 or the negative errno value of the refusal */
int session_configure(struct client *c, int fd, const struct config *config);
int session_command(struct client *c, int cmd, int fd);
int session_stats(struct client *c, int fd, struct stats *stats);
int session_set_sav(struct client *c, int fd, uint32_t event, uint64_t sav, uint32_t flags);
struct nl_msg *session_request(struct client *c, int cmd, int fd);
void put_config(struct nl_msg *msg, const struct config *config);
void put_sav(struct nl_msg *msg, uint32_t event, uint64_t sav, uint32_t flags);
void put_event(struct nl_msg *msg, const struct event *event);
void take_stats(struct nlattr *attrs, int len, void *stats);

struct ring {
	struct vsamp_ring_page *page;
	const uint8_t *data;
	uint64_t size;
};

/* What was read from rings */
struct seen {
	uint64_t records; /* LOST apart */
	uint64_t samples[VSAMP_EVENTS_MAX];
	uint64_t lost;	      /* as the LOST records tell */
	uint64_t types[16];   /* records by type */
	uint64_t states[10];  /* STATE records by code */
	uint64_t foreign_reg; /* arg of STATE FOREIGN */
	uint64_t backwards;   /* records whose time is before that of the record before */
	uint64_t malformed;
	uint64_t first_ip, last_pid;
	/* of one ring, as SET records tell: the last of each set, and of all */
	uint64_t set_running[VSAMP_EVENTS_MAX];
	uint64_t set_enabled;
	uint64_t set_wrong; /* whose sum of running times isn't the time enabled */
	/*
	 * of one ring: what samples stand for. sav begins as what was configured, and follows the
	 * SAV records; sav_sum is its sum over the samples
	 */
	uint64_t sav[VSAMP_EVENTS_MAX];
	uint64_t sav_sum[VSAMP_EVENTS_MAX];
};

int ring_map(int fd, int cpu, struct ring *ring);
void ring_unmap(struct ring *ring);

/* Read all there is, adding to @seen, and give the room back */
void ring_read(struct ring *ring, struct seen *seen);

/* Map, read and unmap the ring of each CPU that has one */
void session_read(int fd, struct seen *seen);

/* Run @n user instructions (even, at least 4) in a loop, and the few of the call */
void run_instructions(uint64_t n);

/*
 * Start a process that waits until it is let go, then runs the program loop of exactly LOOP_INSTRUCTIONS
 * user instructions on CPU 0. Sessions of its pid with ON_EXEC count just these.
 */
#define LOOP_INSTRUCTIONS 200000000ULL
#define LOOP_BRANCHES	  ((LOOP_INSTRUCTIONS - 4) / 2 + 1)
struct loop {
	pid_t pid;
	int go;
};
struct loop loop_prepare(void);
void loop_go(struct loop *loop);
bool loop_is_running(struct loop *loop); /* false: it has ended, and is reaped */

/* CPUs that are online, and pinning to one of them */
int cpus_online(void);
void pin(int cpu);

/* A model-specific register of a CPU; ~0 where it can't be read */
uint64_t msr_read(int cpu, uint32_t reg);

/* Read a small file into @buf; false if that can't be */
bool file_read(const char *path, char *buf, size_t size);

#endif
