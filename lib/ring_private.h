/* SPDX-License-Identifier: MIT */
/* What a ring is to its sources: the module's mapped rings, and perf's buffers */
#ifndef RING_PRIVATE_H
#define RING_PRIVATE_H

#include <vsamp/ring.h>

struct ring_ops {
	/* *data and *size: what waits, unchecked; valid until released. 0, or a negative errno value */
	int (*take)(struct vsamp_ring *r, const char **data, uint64_t *size,
		    struct vsamp_error *err);
	/* Size bytes, all that take() gave, were read */
	void (*release)(struct vsamp_ring *r, uint64_t size);
	void (*close)(struct vsamp_ring *r);
};

/* The first member of each source's own */
struct vsamp_ring {
	const struct ring_ops *ops;
	uint32_t cpu;
	uint64_t data_size;
	uint64_t tail;	/* bytes released */
	uint64_t batch; /* bytes given by vsamp_ring_begin(), 0: none */
	int broken;	/* error that ended reading */
	struct vsamp_ring_counts counts;
	struct vsamp_ring_counts after;	 /* counts once the batch is released */
	struct vsamp_record_clock clock; /* the last that was seen; its size is 0: none */
};

/* Counts a record that record_ok() and the range of events allow */
void ring_counts_add(struct vsamp_ring_counts *c, const struct vsamp_record_header *h);

#endif
