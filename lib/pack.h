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
#define PACK_TASKS_MAX	 4096

enum pack_column {
	PACK_OTHERS, /* the other records, whole; first, so that it is aligned */
	PACK_KINDS,  /* table: event, flags */
	PACK_TASKS,  /* table: pid, tid */
	PACK_KIND,   /* a record: a byte, 0 = the next of the others, else row + 1 of the kinds */
	PACK_TIME,   /* a sample: difference to the last one */
	PACK_TASK,   /* a sample: row of the tasks */
	PACK_IP,     /* a sample: difference to the last one of the same mode */
	PACK_COLUMNS
};

struct pack_task {
	uint32_t pid;
	uint32_t tid;
};

struct pack {
	struct buf column[PACK_COLUMNS];
	uint32_t count;
	uint64_t time_min, time_max; /* over the records whose time is known */
	uint64_t time_last, ip_last[2];
	uint32_t kinds[PACK_KINDS_MAX];
	uint32_t n_kinds;
	struct pack_task tasks[PACK_TASKS_MAX];
	uint32_t n_tasks, task_last;
	uint16_t task_hash[2 * PACK_TASKS_MAX]; /* row + 1 */
};

void pack_init(struct pack *p);
void pack_free(struct pack *p);

/* Whether @data is whole records, each at least as long as its type says. */
int pack_check(const void *data, size_t size);

/*
 * Adds a record that pack_check() passed. -ENOSPC when the pack is full: it must be written and
 * emptied first. On any error the record is not in it.
 */
int pack_add(struct pack *p, const struct vsamp_record_header *rec);

/* Appends the packed bytes to @out and empties the pack. */
int pack_finish(struct pack *p, struct buf *out);

/* Reads packed bytes, which must stay in place, 8-byte aligned. All are checked. */
struct unpack {
	const uint8_t *at[PACK_COLUMNS], *end[PACK_COLUMNS];
	uint32_t *kinds;
	uint32_t n_kinds;
	struct pack_task *tasks;
	uint32_t n_tasks;
	uint64_t ip_last[2];
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
