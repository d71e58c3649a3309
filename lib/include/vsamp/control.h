/* SPDX-License-Identifier: MIT */
/*
 * vsamp/control.h: sessions
 *
 * A session runs once: open, configure, start, [pause, resume], stop, close. Closing it, or the
 * death of the process, gives every counter back. What counts is the backend: of the kernel module
 * (an open /dev/vsamp, controlled through the generic netlink family of uapi/vsamp.h), or the
 * library's own, which takes perf_event_open(2).
 *
 * Errors of the module's are as uapi/vsamp.h has them; err has the text, with the event or option
 * that is at fault. A session, with its rings, belongs to one thread at a time.
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

struct vsamp_ring;
struct vsamp_session;

/* Beside those of enum vsamp_backend: perf_event_open(2), without the module */
#define VSAMP_BACKEND_PERF 3

/* What can be sampled on a CPU. VSAMP_BACKEND_INTEL alone knows of counters */
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
	const struct vsamp_event *events; /* for the intel backend with sets and counters */
	unsigned int n_events;
	uint32_t mux_ms;   /* intel: count the sets in turn, for so long each; 0: only one set */
	uint32_t set;	   /* intel: which, where mux_ms is 0 */
	bool count_only;   /* no samples: the events' SAVs are not used */
	bool force;	   /* SAVs from VSAMP_SAV_MIN */
	const char *cpus;  /* "0-3,8"; NULL: all */
	const pid_t *pids; /* NULL: whatever runs on the CPUs */
	unsigned int n_pids;
	const int *cgroups; /* of folders of the cgroup v2 tree, as vsamp_cgroups_open() opens them;
			     * not with pids
			     */
	unsigned int n_cgroups;
	uint32_t stacks;      /* VSAMP_STACKS_*: what stacks samples have */
	uint32_t stack_depth; /* frames of either side; 0: vsamp_stack_depth_max() */
	uint32_t flags;	      /* VSAMP_FLAG_* */
	uint32_t ring_size;   /* bytes a CPU, a power of two; 0: the module's default */
	uint32_t pmi_limit;   /* interrupts a tick and CPU; 0: the module's default; not for perf */
};

struct vsamp_event_stats {
	uint64_t count;
	uint64_t samples;
	/* Time in which the CPU was to count the event, and in which it did; 0: always */
	uint64_t enabled; /* intel with mux_ms: ticks; kperf and perf: ns */
	uint64_t running;
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

/**
 * vsamp_caps_get - ask what can be sampled; needs no session
 * @backend: enum vsamp_backend or VSAMP_BACKEND_PERF
 *
 * Of perf it is the CPUs that are online; whether an event can be had, only
 * vsamp_session_configure() tells.
 */
int vsamp_caps_get(struct vsamp_caps *caps, uint32_t backend, struct vsamp_error *err);
void vsamp_caps_free(struct vsamp_caps *caps);

/**
 * vsamp_session_open - open what counts
 * @backend: enum vsamp_backend or VSAMP_BACKEND_PERF
 *
 * Errors, of the module's backends: -ENOENT module not loaded, -EACCES device mode or capability,
 * -EPERM kernel lockdown, -EXDEV not in the initial pid namespace.
 */
int vsamp_session_open(struct vsamp_session **session, uint32_t backend, struct vsamp_error *err);
void vsamp_session_close(struct vsamp_session *session); /* NULL is nothing to do */

/** vsamp_session_fd - for poll(2): readable when a ring wants to be read; stays the session's */
int vsamp_session_fd(const struct vsamp_session *session);

/**
 * vsamp_session_ring - the ring of a CPU that the session's statistics tell of
 * @ring: receives it; closed by the caller, before the session
 *
 * The session has been started. Errors: as of vsamp_ring_open(); -ENXIO: the CPU has no ring.
 */
int vsamp_session_ring(struct vsamp_session *session, uint32_t cpu, struct vsamp_ring **ring,
		       struct vsamp_error *err);

/**
 * vsamp_stack_depth_max - how many frames of either side a backend takes
 * @backend: enum vsamp_backend or VSAMP_BACKEND_PERF
 *
 * At most VSAMP_STACK_DEPTH_MAX. perf takes no more than kernel.perf_event_max_stack, of both sides
 * and the sample's own address together: a deeper stack is marked as cut, whatever the depth.
 */
uint32_t vsamp_stack_depth_max(uint32_t backend);

/**
 * vsamp_session_configure - say what to count
 *
 * perf opens all events here, not counting yet: a file for each on each CPU, times the threads. The
 * soft limit of open files is raised to the hard one. Its buffers may turn out smaller than
 * ring_size, where the locked-memory limit wants it: vsamp_ring_size().
 *
 * Of stacks, perf can't tell that frames could not be read or found: only a stack that has as many
 * as there may be is marked as cut. An event of user mode alone has no frames of the kernel.
 *
 * Errors of perf's: -EACCES, the text says what forbids it; -ENOENT, -EOPNOTSUPP for an event that
 * can't be counted or sampled here; -ESRCH; -ENODEV for a CPU that is not online; -EMFILE; -ERANGE
 * for a Sample-After value; -EOPNOTSUPP for mux_ms and pmi_limit, which are of the module; -EBADF for
 * a cgroup that perf can't follow.
 */
int vsamp_session_configure(struct vsamp_session *session, const struct vsamp_config *config,
			    struct vsamp_error *err);

/**
 * vsamp_session_start - take the counters and sample
 *
 * -EBUSY: somebody else has the counters; the text names who, as far as /proc tells, and the
 * remedy.
 */
int vsamp_session_start(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_stop(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_pause(struct vsamp_session *session, struct vsamp_error *err);
int vsamp_session_resume(struct vsamp_session *session, struct vsamp_error *err);

/**
 * vsamp_session_set_sav - change the Sample-After value of an event, on all CPUs
 * @event: its index
 * @force: allow values from VSAMP_SAV_MIN
 *
 * Each CPU says in its ring from where on samples took the new value. The session has been started,
 * without mux_ms. perf drops the period that is under way: the events of up to a period a CPU are in
 * no sample. Errors: -ERANGE, -EBADFD, -EINVAL for an event that isn't sampled; -EOPNOTSUPP where it
 * can't be done exactly: perf with processes, as those that were forked since would keep the old one.
 */
int vsamp_session_set_sav(struct vsamp_session *session, unsigned int event, uint64_t sav,
			  bool force, struct vsamp_error *err);

/** vsamp_session_stats - per CPU, sorted by CPU; free with vsamp_stats_free() */
int vsamp_session_stats(struct vsamp_session *session, struct vsamp_stats *stats,
			struct vsamp_error *err);
void vsamp_stats_free(struct vsamp_stats *stats);

#ifdef __cplusplus
}
#endif

#endif
