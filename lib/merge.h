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

/* Chunks of one kind; those that are open by time */
struct merge_queue {
	struct merge_run *run; /* by time */
	size_t runs, next_run;
	struct merge_cursor **heap;
	size_t cursors;
};

struct merge {
	struct vsamp_reader *reader;
	const struct vsamp_clock_fit *clock;
	struct merge_queue records, sideband;
	struct merge_queue *last; /* whose first cursor stands at what was given last; NULL: none */
	uint64_t open_bytes;
	int failed;
};

/* Takes the chunks with records; what is passed must outlive the merge. 0 or -ENOMEM */
int merge_init(struct merge *m, struct vsamp_reader *reader, const struct vsamp_clock_fit *clock);

/* By time. 1, 0 at the end, or errors; what is given is good until the next call */
int merge_next(struct merge *m, struct vsamp_item *item, struct vsamp_error *err);

/*
 * The same, but records between two of the sideband come CPU by CPU, for those who need the order of
 * each CPU's and what the sideband told before. Of samples several may come at once, one behind the
 * other in memory, of which @item tells the first. Not to be mixed with merge_next().
 */
int merge_next_loose(struct merge *m, struct vsamp_item *item, size_t *samples,
		     struct vsamp_error *err);

/* Those of the sideband alone, likewise */
int merge_next_sideband(struct merge *m, struct vsamp_item *item, struct vsamp_error *err);

/* Back to the start */
void merge_rewind(struct merge *m);
void merge_free(struct merge *m);

#endif
