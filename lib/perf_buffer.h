/* SPDX-License-Identifier: MIT */
/*
 * One CPU's buffer of perf's, and the records of uapi/vsamp.h that are made of it
 *
 * What is mapped is not trusted: it is copied, then checked. Memory is bounded by the reader: while
 * he leaves more than a buffer of records, perf's fills and loses.
 */
#ifndef PERF_BUFFER_H
#define PERF_BUFFER_H

#include <stdbool.h>

#include <linux/perf_event.h>

#include "buf.h"
#include "perf_stack.h"
#include "ring_private.h"

/* What conversion expects: without one of these nothing in the buffer can be read */
#define PERF_BUFFER_SAMPLE_TYPE                                                         \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | \
	 PERF_SAMPLE_CPU)

struct perf_buffer_id {
	uint64_t id; /* of the kernel's */
	uint16_t event;
};

struct perf_buffer {
	uint32_t cpu;
	struct perf_event_mmap_page *page; /* shared with the kernel; NULL: not mapped */
	uint64_t size;			   /* bytes of data behind the page, a power of two */
	uint64_t tail;			   /* ours; the page's is only told to the kernel */
	struct perf_buffer_id *ids;	   /* rising */
	unsigned int n_ids;
	struct perf_stacks stacks; /* that samples have */
	struct buf copy;	   /* of what waited, without the seam */
	struct buf out;		   /* records nobody has read yet */
	uint64_t written;
	uint64_t lost;
	uint64_t lost_before; /* of those, never came to the buffer */
	uint64_t throttled;
	uint64_t samples[VSAMP_EVENTS_MAX];
	uint64_t clock_due; /* ns of CLOCK_MONOTONIC_RAW */
};

/* Maps size bytes of data, with fd's event; 0 or a negative errno value */
int perf_buffer_map(struct perf_buffer *b, int fd, uint64_t size);
void perf_buffer_unmap(struct perf_buffer *b);
void perf_buffer_free(struct perf_buffer *b);

/* Samples of an id are of an event; ids come in any order. 0 or -ENOMEM */
int perf_buffer_add_id(struct perf_buffer *b, uint64_t id, uint16_t event);

/*
 * Makes records of what waits; all: however much the reader has left already. -EBADMSG: damaged,
 * and not to be read again; -ENOMEM: nothing was taken.
 */
int perf_buffer_convert(struct perf_buffer *b, bool all, struct vsamp_error *err);

/* Records of our own, behind those there are. 0 or -ENOMEM */
int perf_buffer_put_state(struct perf_buffer *b, enum vsamp_state_code code);
int perf_buffer_put_state_of(struct perf_buffer *b, enum vsamp_state_code code, uint64_t time);
int perf_buffer_put_clock(struct perf_buffer *b);
int perf_buffer_put_sav(struct perf_buffer *b, uint16_t event, uint64_t sav);

/* Total is how many records the kernel found no room for: what it has not told yet is told now */
int perf_buffer_settle_lost(struct perf_buffer *b, uint64_t total);

#endif
