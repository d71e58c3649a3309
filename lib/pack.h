/* SPDX-License-Identifier: MIT */
/*
 * pack.h: ring records of one CPU, by column
 *
 * Samples are taken apart: what stays the same from sample to sample becomes runs of equal small
 * numbers, the rest becomes differences. Their stacks become a tree, whose root is the outermost
 * callers, so that what stacks have in common is there once. All other records are kept as they
 * are, in their places.
 */
#ifndef PACK_H
#define PACK_H

#include <stdint.h>

#include <vsamp.h>

#include "buf.h"
#include "record.h"

#define PACK_RECORDS_MAX 16384	      /* records of a chunk */
#define PACK_SIZE_MAX	 (256U << 10) /* bytes gathered before a chunk is written */
#define PACK_KINDS_MAX	 64
#define PACK_ROWS_MAX	 4096  /* of the larger tables */
#define PACK_FRAMES_MAX	 16384 /* of the table of frames */
#define PACK_RESERVE	 1280  /* bytes of room that are made in a column at once */

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
	/* only there where samples have stacks */
	PACK_STACKS,  /* table: row + 1 of its innermost frame; how many are the kernel's; flags */
	PACK_CALLERS, /* table of frames: rows back to the caller's, 0 = none is known */
	PACK_FRAME_REGION, /* a frame: row of the regions */
	PACK_FRAME_IP,	   /* a frame: lower 16 bits of its address */
	PACK_STACK,	   /* a sample that has one: row of the stacks */
	PACK_COLUMNS
};

#define PACK_PLAIN_COLUMNS PACK_STACKS

/* The packed bytes: the size of each column, zeros to a multiple of 8 bytes, the columns; */
#define PACK_HEADER_WORDS  ((PACK_PLAIN_COLUMNS + 1) & ~1)
/* behind them, where there are stacks, the same of the further columns */
#define PACK_STACKS_WORDS  ((PACK_COLUMNS - PACK_PLAIN_COLUMNS + 1) & ~1)

/* Gives equal values the same row */
struct pack_table {
	uint64_t row[PACK_ROWS_MAX];
	uint32_t rows, last;		  /* last: the row that was found last */
	uint16_t hash[2 * PACK_ROWS_MAX]; /* row + 1 */
};

struct pack_frame {
	uint64_t ip;
	uint32_t caller; /* row + 1 */
};

/* The stacks of a chunk, and their frames */
struct pack_stacks {
	struct pack_table table; /* see pack_stack() */
	uint32_t frame_last;	 /* row + 1 of the last row's innermost frame */
	struct pack_frame frame[PACK_FRAMES_MAX];
	uint32_t frames;
	uint16_t hash[2 * PACK_FRAMES_MAX]; /* row + 1 of the frames */
};

struct pack {
	struct buf column[PACK_COLUMNS];
	uint32_t count;
	uint32_t reserved;	     /* records that have room in the columns */
	uint64_t time_min, time_max; /* over the records whose time is known */
	uint64_t time_last;
	uint32_t kinds[PACK_KINDS_MAX];
	uint32_t n_kinds;
	struct pack_table tasks;    /* pid << 32 | tid */
	struct pack_table regions;  /* address >> 16 */
	struct pack_stacks *stacks; /* NULL until there are any */
};

void pack_init(struct pack *p);
void pack_free(struct pack *p);

/* Whether @data is whole records in their places, each as its type says. */
int pack_check(const void *data, size_t size);

/*
 * Adds a record that pack_check() passed. -ENOSPC when the pack is full: it must be written and
 * emptied first. On any error the record is not in it.
 */
int pack_add(struct pack *p, const struct vsamp_record_header *rec);

/* Sizes of the parts of packed bytes, in their order */
struct pack_parts {
	uint32_t size[PACK_COLUMNS + 2];
	uint32_t n;
};

/* Appends the packed bytes to @out, tells their parts, and empties the pack. */
int pack_finish(struct pack *p, struct buf *out, struct pack_parts *parts);

/* Of pack.c for pack_stack.c: 0: the row is there; 1: it is new; -ENOSPC */
int pack_table_row(struct pack_table *t, uint64_t value, uint32_t *row);
void pack_table_empty(struct pack_table *t);
int pack_region(struct pack *p, uint64_t region, uint32_t *row);

/* pack_stack.c: the row of a stack; -ENOSPC, -ENOMEM */
int pack_stack(struct pack *p, const struct vsamp_stack *stack, uint32_t *row);
void pack_stacks_empty(struct pack *p);

struct unpack_frame {
	uint64_t ip;
	uint32_t caller; /* row + 1 */
	uint32_t depth;	 /* frames from here to the outermost */
};

struct unpack_stack {
	uint32_t frame; /* row + 1 */
	uint16_t kernel, user;
	uint32_t flags;
};

/* Samples that are read at once: what is done for each is done where all else is at hand */
#define UNPACK_AHEAD 64

/* Reads packed bytes, which must stay in place, 8-byte aligned. All are checked. */
struct unpack {
	const uint8_t *at[PACK_COLUMNS], *end[PACK_COLUMNS];
	uint64_t *kinds, *tasks, *regions; /* in one piece of memory */
	uint32_t n_kinds, n_tasks, n_regions;
	struct unpack_frame *frames; /* NULL: there are no stacks */
	struct unpack_stack *stacks; /* in the same piece of memory */
	uint32_t n_frames, n_stacks;
	uint64_t time; /* of the last sample that was read */
	uint32_t ready, given;
	bool bad; /* what is behind these makes no sense */
	union {
		struct vsamp_record_sample
			ahead[UNPACK_AHEAD];	   /* without stacks: so many are ready */
		struct vsamp_record_sample sample; /* one that has a stack behind it */
		uint64_t words[RECORD_SAMPLE_MAX / sizeof(uint64_t)];
	};
};

int unpack_open(struct unpack *u, const void *data, size_t size, uint32_t count);
void unpack_close(struct unpack *u);

/* Samples by row of the kinds; of those kept as other records it doesn't know. -EBADMSG */
int unpack_count(const struct unpack *u, uint32_t counts[UINT8_MAX]);

/* Stacks of samples, likewise; cut: of these, which lack something */
struct unpack_stack_counts {
	uint64_t stacks, kernel_cut, user_cut;
};

int unpack_count_stacks(const struct unpack *u, struct unpack_stack_counts *counts);

/* 1 and the next record, which is valid until the next call; 0 at the end; -EBADMSG */
int unpack_next_slow(struct unpack *u, const struct vsamp_record_header **rec);

static inline int unpack_next(struct unpack *u, const struct vsamp_record_header **rec)
{
	if (u->given == u->ready)
		return unpack_next_slow(u, rec);
	*rec = &u->ahead[u->given++].h;
	return 1;
}

/* Samples that unpack_next() will give next, behind the last one in memory; they may be skipped */
static inline size_t unpack_ready(const struct unpack *u)
{
	return u->ready - u->given;
}

/* The next of the records that are not samples, samples skipped; don't mix with unpack_next() */
int unpack_next_other(struct unpack *u, const struct vsamp_record_header **rec);

/* unpack_stack.c: reads the tables, and makes the next stack behind the sample. 0, -EBADMSG, -ENOMEM */
int unpack_stack_tables(struct unpack *u);
int unpack_stack_next(struct unpack *u);

#endif
