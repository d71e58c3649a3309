/* SPDX-License-Identifier: MIT */
/* The recorder from the inside: what draining, totals and the switch to another file share */
#ifndef RECORDER_PRIVATE_H
#define RECORDER_PRIVATE_H

#include <vsamp/recorder.h>
#include <vsamp/ring.h>

struct vsamp_recorder {
	struct vsamp_session *session;
	struct vsamp_sideband *sideband;
	struct vsamp_writer *w;
	struct vsamp_ring **ring;
	unsigned int n;
	int epoll;
	uint64_t modules;	   /* fingerprint of the kernel's */
	uint64_t flush;		   /* when to, next */
	struct vsamp_writer *next; /* of the next file, which is being prepared; else NULL */
	struct vsamp_recorder_totals base; /* what the files before have */
};

/* CLOCK_MONOTONIC */
uint64_t recorder_now(void);

/* NULL: none is mapped */
struct vsamp_ring *recorder_ring(const struct vsamp_recorder *r, uint32_t cpu);

/* What waits in the rings, and of the sideband, goes to the writer */
int recorder_drain(struct vsamp_recorder *r, struct vsamp_error *err);

/*
 * recorder_totals.c: the totals since the recorder was opened, which are then those since it last
 * went on to another file. read: what was read of each CPU in stats, in their order; NULL: of none
 */
int recorder_totals_get(struct vsamp_recorder_totals *t, const struct vsamp_stats *stats,
			const struct vsamp_ring_counts *read, struct vsamp_error *err);
void recorder_totals_since(struct vsamp_recorder_totals *t,
			   const struct vsamp_recorder_totals *base);

/* The account of each CPU adds up; -EBADMSG: it doesn't */
int recorder_totals_settle(const struct vsamp_recorder_totals *t, struct vsamp_error *err);

#endif
