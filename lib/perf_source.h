/* SPDX-License-Identifier: MIT */
/* A session of perf_event_open(2): its events on each CPU, with a buffer a CPU */
#ifndef PERF_SOURCE_H
#define PERF_SOURCE_H

#include "perf_buffer.h"
#include "perf_open.h"
#include "session.h"

struct perf_cpu {
	uint32_t cpu;
	bool online;	  /* its events are open */
	bool used;	  /* or were */
	int watch;	  /* tells that the CPU has gone, since; of events of CPUs, while online */
	uint64_t watched; /* since when, ns of CLOCK_MONOTONIC_RAW */
	struct perf_fd *fd;
	unsigned int n;
	struct perf_buffer buffer;
	struct vsamp_event_stats gone[VSAMP_EVENTS_MAX]; /* counted before the CPU went offline */
};

struct perf_source {
	struct vsamp_session session; /* fd: an epoll of the buffers */
	uint32_t state;		      /* enum vsamp_session_state */
	struct vsamp_event event[VSAMP_EVENTS_MAX];
	uint64_t sav[VSAMP_EVENTS_MAX]; /* 0: only counted */
	unsigned int n_events;
	uint32_t counted;   /* bit i: on some CPU event i is open, */
	uint32_t elsewhere; /* and there is one whose PMU doesn't have it */
	pid_t *tid;	    /* -1 alone: whatever runs on the CPUs */
	unsigned int n_tids;
	int *cgroup; /* of folders: only what runs in these */
	unsigned int n_cgroups;
	uint32_t flags;		   /* VSAMP_FLAG_* */
	struct perf_stacks stacks; /* that samples have */
	uint64_t ring_size;	   /* bytes a CPU */
	struct perf_cpu *cpu;
	unsigned int n; /* of CPUs that may come, whether they are online or not */
};

static inline bool perf_source_follows(const struct perf_source *s)
{
	return s->tid[0] != -1;
}

/* -ERANGE for a Sample-After value that perf can't do, or that asks for force */
int perf_check_sav(const struct vsamp_event *ev, uint64_t sav, bool force, struct vsamp_error *err);

/* perf_configure.c: opens and maps what the configuration asks for; on errors s is to be closed */
int perf_configure(struct perf_source *s, const struct vsamp_config *config,
		   struct vsamp_error *err);

/* Opens the events of a CPU and maps its buffer, nothing counting yet. -ENODEV: it is not online */
int perf_cpu_begin(struct perf_source *s, struct perf_cpu *c, struct vsamp_error *err);
void perf_cpu_close(struct perf_cpu *c);

#endif
