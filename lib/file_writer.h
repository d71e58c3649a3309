/* SPDX-License-Identifier: MIT */
/* file_writer.h: the writer of files from the inside, for those who know what is in a chunk */
#ifndef FILE_WRITER_H
#define FILE_WRITER_H

#include <zstd.h>

#include "chunk.h"
#include "intern.h"
#include "pack.h"

/* What is gathered of a CPU */
struct stream {
	struct pack pack;
	struct buf sideband;
	uint32_t count;
	uint64_t time_min, time_max;
};

/* What is gathered of a thread's ITT records */
struct itt_stream;

struct writer_itt {
	struct intern threads; /* struct vsamp_itt_thread */
	struct itt_stream *stream;
	size_t streams;
	uint64_t first, last; /* times; 0, 0: there are none */
};

/* Takes what would be written, checked; each returns 0 or an error */
struct writer_sink {
	int (*records)(void *arg, uint32_t cpu, const void *data, size_t size);
	int (*sideband)(void *arg, uint32_t cpu, const void *data, size_t size);
	int (*kallsyms)(void *arg, const struct buf *text,
			uint64_t time); /* ns, CLOCK_MONOTONIC_RAW */
};

struct vsamp_writer {
	const struct writer_sink *sink; /* NULL: there is a file */
	void *sink_arg;
	int fd;
	char *path;
	uint64_t size; /* of whole chunks in the file */
	int failed;    /* the error that ended writing: what follows a hole could not be read */
	ZSTD_CCtx *zstd;
	struct buf raw, stored;
	struct stream **stream; /* by CPU */
	uint32_t n_streams;
	struct writer_itt itt;
	bool (*make_room)(void *arg); /* when the disk is full; NULL: nothing can be done */
	void *room_arg;
};

/* A writer without a file. 0 or -ENOMEM */
int writer_open_sink(struct vsamp_writer **w, const struct writer_sink *sink, void *arg);

int writer_fail(struct vsamp_writer *w, int code, struct vsamp_error *err);

/*
 * Appends a chunk of @raw; sizes and CRC are filled in. @parts, if there are any, are the sizes of
 * parts of @raw that have little in common.
 */
int writer_chunk(struct vsamp_writer *w, struct chunk_header *h, const struct buf *raw,
		 const uint32_t *parts, size_t n_parts, struct vsamp_error *err);

/* file_room.c: whether what failed with @code, a positive errno value, is to be tried again */
bool writer_made_room(const struct vsamp_writer *w, int code);

/* file_write_itt.c */
int writer_itt_flush(struct vsamp_writer *w, struct vsamp_error *err);
void writer_itt_free(struct writer_itt *itt);

#endif
