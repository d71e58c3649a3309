/* SPDX-License-Identifier: MIT */
/* live_private.h: a live profile from the inside */
#ifndef LIVE_PRIVATE_H
#define LIVE_PRIVATE_H

#include <vsamp/live.h>

#include "placer.h"
#include "tally.h"

/* A record that waits for its step */
struct live_record {
	uint64_t time;	/* ticks */
	uint64_t order; /* at equal times: sideband first, then as they came */
	size_t at;	/* in the bytes */
	uint32_t cpu;
	bool sideband;
};

/* Records in the order in which they came, with their bytes */
struct live_queue {
	struct buf records; /* struct live_record */
	struct buf bytes;
};

struct vsamp_live {
	struct vsamp_writer *writer;
	struct vsamp_recording rec; /* as far as placing needs it; not of a file */
	struct placer placer;
	struct live_queue queue;
	struct buf exits;     /* uint32_t: processes of which a thread ended */
	uint64_t came;	      /* records so far */
	struct buf points;    /* struct vsamp_clock_point: the last ones */
	struct buf monotonic; /* likewise, of CLOCK_MONOTONIC, which JIT compilers tell times of */
	uint64_t khz;

	struct tally symbols; /* by struct name: of the last step */
	struct buf sums;      /* double, by symbol and event */
	struct vsamp_live_totals last, all;
};

/* live_queue.c: what a writer hands on; -ENOMEM */
int live_queue_records(struct vsamp_live *live, uint32_t cpu, const void *data, size_t size);
int live_queue_sideband(struct vsamp_live *live, uint32_t cpu, const void *data, size_t size);

/* Knows the clocks by what was told of them so far; -ENOMEM */
int live_fit(struct vsamp_live *live);

/* Takes out what is up to @limit, in order of time, with times in ticks of the clock as it is known; -ENOMEM */
int live_queue_take(struct vsamp_live *live, uint64_t limit_ns, struct live_queue *taken);
void live_queue_free(struct live_queue *queue);

/* live_rows.c: a sample fell into a symbol; -ENOMEM */
int live_count(struct vsamp_live *live, uint32_t spot, uint32_t event, double weight);
/* A step begins */
void live_begin_step(struct vsamp_live *live);

#endif
