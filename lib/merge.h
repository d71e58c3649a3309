/* SPDX-License-Identifier: MIT */
/*
 * merge.h: the records of many chunks by time
 *
 * Chunks are opened when the merge reaches their first record and closed behind their last, so
 * that no more is in memory than what overlaps in time.
 */
#ifndef MERGE_H
#define MERGE_H

#include <vsamp/recording.h>

#include "pack.h"

/* A chunk that takes part */
struct merge_run {
	const struct vsamp_chunk *chunk;
	uint64_t time;	/* of the first record, ticks */
	uint32_t order; /* in the file */
};

struct merge_cursor;

struct merge {
	struct vsamp_reader *reader;
	const struct vsamp_clock_fit *clock;
	struct merge_run *run; /* by time */
	size_t runs, next_run;
	struct merge_cursor **heap;
	size_t cursors;
	uint64_t open_bytes;
	int failed;
};

/* Takes the chunks with records; what is passed must outlive the merge. 0 or -ENOMEM */
int merge_init(struct merge *m, struct vsamp_reader *reader, const struct vsamp_clock_fit *clock);

int merge_next(struct merge *m, struct vsamp_item *item, struct vsamp_error *err);

/* Back to the start */
void merge_rewind(struct merge *m);
void merge_free(struct merge *m);

#endif
