/* SPDX-License-Identifier: MIT */
/*
 * vsamp/control.h: sessions of the kernel module
 *
 * A session is an open /dev/vsamp, controlled through the generic netlink family of uapi/vsamp.h,
 * and runs once: open, configure, start, [pause, resume], stop, close. Closing it, or the death of
 * the process, gives every register back.
 *
 * Errors are those of the module; err has its text, with the event or option that is at fault.
 * A session belongs to one thread at a time.
 */
#ifndef VSAMP_CONTROL_H
#define VSAMP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <vsamp/event.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_session;

/* What the module says of a CPU */
struct vsamp_cpu_caps {
	uint32_t cpu;
	uint32_t perfmon_version; /* CPUID leaf 0AH; 0: no PMU */
	uint64_t counters;	  /* bit i = general counter i, bit 32 + i = fixed counter i */
	uint32_t counter_width;	  /* bits */
	uint32_t events_absent;	  /* CPUID.0AH:EBX */
	uint64_t sav_max;
	uint32_t clock; /* enum vsamp_clock */
	uint64_t clock_khz;
	bool hypervisor;
};

struct vsamp_caps {
	char module_version[32];
	unsigned int n;
	struct vsamp_cpu_caps *cpu;
};

struct vsamp_config {
	const struct vsamp_event *events; /* with counters assigned */
	unsigned int n_events;
	bool count_only;   /* no samples: the events' SAVs are not used */
	bool force;	   /* SAVs from VSAMP_SAV_MIN */
	const char *cpus;  /* "0-3,8"; NULL: all */
	const pid_t *pids; /* NULL: whatever runs on the CPUs */
	unsigned int n_pids;
	uint32_t flags;	    /* VSAMP_FLAG_* */
	uint32_t ring_size; /* bytes a CPU, a power of two; 0: the module's default */
	uint32_t pmi_limit; /* interrupts a tick and CPU; 0: the module's default */
};

struct vsamp_event_stats {
	uint64_t count;
	uint64_t samples;
};

struct vsamp_cpu_stats {
	uint32_t cpu;
	uint64_t produced;
	uint64_t written;
	uint64_t lost;
	uint64_t pmis;
	uint64_t throttled;
	struct vsamp_event_stats event[VSAMP_EVENTS_MAX];
};

struct vsamp_stats {
	uint32_t state;	     /* enum vsamp_session_state */
	uint32_t end_reason; /* enum vsamp_end_reason; 0 while it lasts */
	unsigned int n;
	struct vsamp_cpu_stats *cpu;
};

/** vsamp_caps_get - ask the module what can be sampled; needs no session */
int vsamp_caps_get(struct vsamp_caps *caps, struct vsamp_error *err);
void vsamp_caps_free(struct vsamp_caps *caps);

/**
 * vsamp_session_open - open /dev/vsamp and find the control family
 *
 * Errors: -ENOENT module not loaded, -EACCES device mode or capability, -EPERM kernel lockdown,
 * -EXDEV not in the initial pid namespace.
 */
int vsamp_session_open(struct vsamp_session **session, struct vsamp_error *err);
void vsamp_session_close(struct vsamp_session *session); /* NULL is nothing to do */

/** vsamp_session_fd - for poll(2) and vsamp_ring_open(); stays the session's */
int vsamp_session_fd(const struct vsamp_session *session);

int vsamp_session_configure(struct vsamp_session *session, const struct vsamp_config *config,
			    struct vsamp_error *err);

/**
 * vsamp_session_start - take the PMU and sample
 *
 * -EBUSY: somebody else has the counters; the text names who, as far as /proc tells, and the
 * remedy.
 */
int vsamp_session_start(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_stop(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_pause(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_resume(struct vsamp_session *session, struct vsamp_error *err);

/** vsamp_session_stats - per CPU, sorted by CPU; free with vsamp_stats_free() */
int vsamp_session_stats(struct vsamp_session *session, struct vsamp_stats *stats,
			struct vsamp_error *err);
void vsamp_stats_free(struct vsamp_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
