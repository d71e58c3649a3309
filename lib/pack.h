/* SPDX-License-Identifier: MIT */
/*
 * pack.h: ring records of one CPU, by column
 *
 * Samples are taken apart: what stays the same from sample to sample becomes runs of equal small
 * numbers, the rest becomes differences. All other records are kept as they are, in their places.
 */
#ifndef PACK_H
#define PACK_H

#include <stdint.h>

#include <vsamp.h>

#include "buf.h"

#define PACK_RECORDS_MAX 16384	      /* records of a chunk */
#define PACK_SIZE_MAX	 (256U << 10) /* bytes gathered before a chunk is written */
#define PACK_KINDS_MAX	 64
#define PACK_ROWS_MAX	 4096 /* of the larger tables */

enum pack_column {
	PACK_OTHERS,  /* the other records, whole; first, so that it is aligned */
	PACK_KINDS,   /* table: event, flags */
	PACK_TASKS,   /* table: pid, tid */
	PACK_REGIONS, /* table: upper 48 bits of addresses */
	PACK_KIND,    /* a record: a byte, 0 = the next of the others, else row + 1 of the kinds */
	PACK_TIME,    /* a sample: difference to the last one's time, without its lower 16 bits */
	PACK_TICKS,   /* a sample: these lower 16 bits */
	PACK_TASK,    /* a sample: row of the tasks */
	PACK_REGION,  /* a sample: row of the regions */
	PACK_IP,      /* a sample: lower 16 bits of its address */
	PACK_COLUMNS
};

/* Gives equal values the same row */
struct pack_table {
	uint64_t row[PACK_ROWS_MAX];
	uint32_t rows, last;		  /* last: the row that was found last */
	uint16_t hash[2 * PACK_ROWS_MAX]; /* row + 1 */
};

struct pack {
	struct buf column[PACK_COLUMNS];
	uint32_t count;
	uint32_t reserved;	     /* records that have room in the columns */
	uint64_t time_min, time_max; /* over the records whose time is known */
	uint64_t time_last;
	uint32_t kinds[PACK_KINDS_MAX];
	uint32_t n_kinds;
	struct pack_table tasks;   /* pid << 32 | tid */
	struct pack_table regions; /* address >> 16 */
};

void pack_init(struct pack *p);
void pack_free(struct pack *p);

/* Whether @data is whole records in their places, each at least as long as its type says. */
int pack_check(const void *data, size_t size);

/*
 * Adds a record that pack_check() passed. -ENOSPC when the pack is full: it must be written and
 * emptied first. On any error the record is not in it.
 */
int pack_add(struct pack *p, const struct vsamp_record_header *rec);

/* Appends the packed bytes to @out, tells the sizes of their parts, and empties the pack. */
int pack_finish(struct pack *p, struct buf *out, uint32_t parts[PACK_COLUMNS + 1]);

/* Reads packed bytes, which must stay in place, 8-byte aligned. All are checked. */
struct unpack {
	const uint8_t *at[PACK_COLUMNS], *end[PACK_COLUMNS];
	uint64_t *kinds, *tasks, *regions; /* in one piece of memory */
	uint32_t n_kinds, n_tasks, n_regions;
	struct vsamp_record_sample sample;
};

int unpack_open(struct unpack *u, const void *data, size_t size, uint32_t count);
void unpack_close(struct unpack *u);

/* Samples by row of the kinds; of those kept as other records it doesn't know. -EBADMSG */
int unpack_count(const struct unpack *u, uint32_t counts[UINT8_MAX]);

/* 1 and the next record, which is valid until the next call; 0 at the end; -EBADMSG */
int unpack_next(struct unpack *u, const struct vsamp_record_header **rec);

/* The next of the records that are not samples, samples skipped; don't mix with unpack_next() */
int unpack_next_other(struct unpack *u, const struct vsamp_record_header **rec);

#endif
