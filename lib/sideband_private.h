/* SPDX-License-Identifier: MIT */
/* The sideband's events and buffers, a buffer a CPU */
#ifndef SIDEBAND_PRIVATE_H
#define SIDEBAND_PRIVATE_H

#include <linux/perf_event.h>

#include <vsamp/sideband.h>

#include "buf.h"

struct sideband_cpu {
	uint32_t cpu;
	int *fd; /* of each thread that is followed; one where it is whatever runs */
	unsigned int n;
	bool online;
	struct perf_event_mmap_page *page;
	size_t size; /* of the data behind the page */
};

struct vsamp_sideband {
	struct sideband_cpu *cpu;
	unsigned int n;
	pid_t *tid; /* NULL: whatever runs */
	unsigned int n_tids;
	bool children; /* of the processes of tid */
	size_t size;
	int epoll;
	uint64_t lost;
	uint64_t own_ns; /* our pid namespace */
	char *copy;	 /* of what waits, without the ring's seam */
	size_t copy_room;
	bool hold;	 /* what is drained is kept for another writer, too */
	struct buf held; /* struct sideband_held and its records, one behind the other */
};

struct sideband_held {
	uint32_t cpu, size;
};

/*
 * sideband.c: from sideband_hold() on what is drained is kept; sideband_held_put() hands it to another
 * writer, too, and ends that. So records of earlier times can come before it. drop: it is forgotten.
 */
void sideband_hold(struct vsamp_sideband *s);
int sideband_held_put(struct vsamp_sideband *s, struct vsamp_writer *w, struct vsamp_error *err);
void sideband_held_drop(struct vsamp_sideband *s);

/* sideband_open.c: opens a CPU's events, not mapped yet. 0 also if it is not online any more */
int sideband_cpu_open(struct vsamp_sideband *s, struct sideband_cpu *c, struct vsamp_error *err);
void sideband_cpu_close(struct sideband_cpu *c);

/* Maps the CPUs that are open and not mapped, all at the same size, where a limit asks for it a
 * smaller one than s->size, which it becomes */
int sideband_map(struct vsamp_sideband *s, struct vsamp_error *err);

/*
 * synthesize.c: vsamp_sideband_synthesize() that calls @between, if it isn't NULL, behind each
 * process: it may take long. Other than 0 ends it, and is returned; @between has set the error then.
 */
int sideband_synthesize(struct vsamp_writer *w, pid_t pid, int (*between)(void *), void *arg,
			struct vsamp_error *err);

#endif
