/* SPDX-License-Identifier: MIT */
/*
 * itt_stream.h: the ITT records of several threads as one row
 *
 * By time between threads, and in the order of its calls of each, whatever their times.
 */
#ifndef ITT_STREAM_H
#define ITT_STREAM_H

#include <vsamp/itt_record.h>
#include <vsamp/recording.h>

/* Some of a thread's records: in memory, or in a chunk */
struct itt_block {
	const struct vsamp_chunk *chunk;
	const void *data;
	size_t size;
};

/* All of a thread's records */
struct itt_source {
	struct vsamp_itt_thread thread;
	struct itt_block *block;
	size_t blocks;
};

struct itt_cursor {
	const struct itt_source *source;
	size_t block; /* that it is in, or goes on with */
	void *loaded;
	const uint8_t *at, *end;
	bool ready; /* call is its next; else it only knows when it may be, at the earliest */
	uint64_t time;
	struct vsamp_itt_call call;
};

struct itt_stream {
	struct vsamp_reader *reader;
	struct itt_cursor *cursor; /* by source */
	uint32_t *heap;		   /* cursors, the next one first */
	size_t waiting;
	bool given; /* the first one's call was given to the caller */
};

/* @reader: of the chunks, NULL if there are none. -ENOMEM, -EBADMSG */
int itt_stream_open(struct itt_stream *s, struct vsamp_reader *reader,
		    const struct itt_source *source, size_t sources, struct vsamp_error *err);

/* 1: @source gets whose call it is; it lives until the next. 0: no more. Or -EBADMSG, -ENOMEM */
int itt_stream_next(struct itt_stream *s, size_t *source, const struct vsamp_itt_call **call,
		    struct vsamp_error *err);

void itt_stream_close(struct itt_stream *s, size_t sources);

#endif
