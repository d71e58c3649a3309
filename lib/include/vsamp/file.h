/* SPDX-License-Identifier: MIT */
/*
 * vsamp/file.h: .vsamp files
 *
 * A file is a header and a row of chunks, each with a CRC-32C; docs/file-format.md has the bytes.
 * What is written is complete chunk by chunk: a file cut off at any byte reads up to its last whole
 * chunk, and says that it is incomplete.
 *
 * A writer or a reader belongs to one thread at a time.
 */
#ifndef VSAMP_FILE_H
#define VSAMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_writer;
struct vsamp_reader;
struct json_object;

enum vsamp_chunk_type {
	VSAMP_CHUNK_META = 1,	  /* JSON: what was asked, on which machine */
	VSAMP_CHUNK_RECORDS = 2,  /* ring records of one CPU, by column */
	VSAMP_CHUNK_SIDEBAND = 3, /* perf records of one CPU: of processes, mappings, losses */
	VSAMP_CHUNK_KALLSYMS = 4, /* the kernel's symbols and build-ids as the recorder saw them */
	VSAMP_CHUNK_END = 5,	  /* JSON: totals; if it is there the recording is complete */
	VSAMP_CHUNK_RUN = 6,	  /* JSON: the run of a further set of events begins */
	VSAMP_CHUNK_ITT = 7,	  /* what a thread of a program told: its ITT calls */
	VSAMP_CHUNK_TRACK = 8,	  /* a counter by time, of a device or a process */
};

#define VSAMP_CPUS_MAX 8192u	  /* CPU numbers are below it */
#define VSAMP_CPU_NONE UINT32_MAX /* of a chunk that belongs to no CPU */

/**
 * vsamp_writer_open - create a file
 * @w: receives the writer
 * @path: created or truncated, mode 0600; "-" is refused
 *
 * Errors: of open(2), write(2); -ENOMEM.
 */
int vsamp_writer_open(struct vsamp_writer **w, const char *path, struct vsamp_error *err);

/** vsamp_writer_call - have errors call the file @path, which it is to get or has got; -ENOMEM */
int vsamp_writer_call(struct vsamp_writer *w, const char *path);

/**
 * vsamp_writer_on_full - have @make_room called when the disk, or a quota, is full
 *
 * true: it made room, and what was to be written is tried again.
 */
void vsamp_writer_on_full(struct vsamp_writer *w, bool (*make_room)(void *arg), void *arg);

/**
 * vsamp_writer_json - append a META, RUN or END chunk
 * @type: META comes first, END last, each once; RUN and END flush first
 * @obj: stays the caller's
 */
int vsamp_writer_json(struct vsamp_writer *w, enum vsamp_chunk_type type, struct json_object *obj,
		      struct vsamp_error *err);

/**
 * vsamp_writer_records - append whole ring records of a CPU
 * @data: records as they stood in the ring (uapi/vsamp.h), 8-byte aligned; checked: a record that
 *	  runs over @size is -EINVAL and nothing is taken
 * @size: bytes
 *
 * Records are gathered per CPU and written a chunk at a time; vsamp_writer_flush() writes what is
 * gathered.
 */
int vsamp_writer_records(struct vsamp_writer *w, uint32_t cpu, const void *data, size_t size,
			 struct vsamp_error *err);

/**
 * vsamp_writer_sideband - append whole perf records of a CPU
 * @data: struct perf_event_header records with the sample_id trailer TID | TIME | CPU, TIME on
 *	  CLOCK_MONOTONIC_RAW; 8-byte aligned, checked like ring records
 */
int vsamp_writer_sideband(struct vsamp_writer *w, uint32_t cpu, const void *data, size_t size,
			  struct vsamp_error *err);

/**
 * vsamp_writer_kallsyms - append a snapshot of this machine's kernel symbols and build-ids
 *
 * To be called again when a module was loaded: a sample is named by the last snapshot before it,
 * or else by the one after it. Errors: -EPERM where the kernel hides its addresses, and of
 * open(2), in which case the file is as good as before without the names.
 */
int vsamp_writer_kallsyms(struct vsamp_writer *w, struct vsamp_error *err);

/* A thread whose ITT calls are told. pid and tid are those of samples. */
struct vsamp_itt_thread {
	uint32_t pid, tid;
	uint64_t start; /* ticks: when the calls of its process began to be collected, which tells
			   apart what had the same pid, also before and after an exec */
};

/**
 * vsamp_writer_itt - append whole ITT records of a thread
 * @thread: without padding, as it is told apart by its bytes
 * @data: records of vsamp/itt_record.h in the order of the calls, 8-byte aligned; checked: -EINVAL
 *	  and nothing is taken
 * @size: bytes
 *
 * Records are gathered per thread and written a chunk at a time.
 */
int vsamp_writer_itt(struct vsamp_writer *w, const struct vsamp_itt_thread *thread,
		     const void *data, size_t size, struct vsamp_error *err);

/* What a counter by time is; texts have at most 1024 bytes */
struct vsamp_track_id {
	uint32_t pid;	   /* whose it is; 0: the machine's */
	const char *group; /* what it is of: "GPU 0" */
	const char *name;
	const char *unit; /* "": none */
};

/**
 * vsamp_writer_track - append values of a counter
 * @time: of each, in ticks of the session's clock, in any order
 * @value: what it is from this time up to the next; NAN: not known, a hole
 * @points: how many
 *
 * They are written at once, so callers gather them. Values of the same counter are one track,
 * however often it is appended to. Errors: -EINVAL, also of infinite values, in which case nothing is
 * taken.
 */
int vsamp_writer_track(struct vsamp_writer *w, const struct vsamp_track_id *id,
		       const uint64_t *time, const double *value, size_t points,
		       struct vsamp_error *err);

/**
 * vsamp_writer_flush - write what is gathered, so that a death of the process loses none of it
 *
 * Return: 0, or a negative errno value, also where writing has failed before.
 */
int vsamp_writer_flush(struct vsamp_writer *w, struct vsamp_error *err);

/** vsamp_writer_size - bytes written to the file so far */
uint64_t vsamp_writer_size(const struct vsamp_writer *w);

/** vsamp_writer_close - flush, fsync and free; @w may be NULL. The writer is gone also on error. */
int vsamp_writer_close(struct vsamp_writer *w, struct vsamp_error *err);

/* How much of a file is there */
enum vsamp_file_state {
	VSAMP_FILE_COMPLETE,   /* ends with its END chunk */
	VSAMP_FILE_INCOMPLETE, /* ends before: cut off, or its recorder died */
	VSAMP_FILE_DAMAGED,    /* has bytes that no recorder wrote; what is before them is read */
};

struct vsamp_chunk {
	uint64_t offset;   /* of its header in the file */
	uint16_t type;	   /* enum vsamp_chunk_type, or one of a later version */
	uint16_t flags;	   /* as stored */
	uint32_t cpu;	   /* or VSAMP_CPU_NONE */
	uint32_t count;	   /* records in it */
	uint32_t raw_size; /* bytes, decompressed */
	uint32_t size;	   /* bytes as stored, without the header */
	uint64_t time_min; /* ticks of the session's clock; of SIDEBAND and KALLSYMS: ns of */
	uint64_t time_max; /* CLOCK_MONOTONIC_RAW */
};

/**
 * vsamp_reader_open - find and check the chunks of a file
 * @r: receives the reader
 * @path: a regular file
 *
 * Every byte is read and checked by CRC. A file that is cut off or damaged opens, as far as it
 * holds at least its META chunk: vsamp_reader_state() tells. Errors: of open(2), read(2); -EINVAL
 * and -EBADMSG for what is no file of this version; -ENOMEM.
 */
int vsamp_reader_open(struct vsamp_reader **r, const char *path, struct vsamp_error *err);

/**
 * vsamp_reader_state - how much is there
 *
 * *@why, if not NULL, gets what the file is, e.g. "cut off in the chunk at byte 99"; "": complete.
 */
enum vsamp_file_state vsamp_reader_state(const struct vsamp_reader *r, const char **why);

/** vsamp_reader_path - the path it was opened by */
const char *vsamp_reader_path(const struct vsamp_reader *r);

/** vsamp_reader_chunks - the good chunks in their order; returns how many */
size_t vsamp_reader_chunks(const struct vsamp_reader *r, const struct vsamp_chunk **chunks);

/**
 * vsamp_reader_load - read, check and decompress a chunk
 * @chunk: of vsamp_reader_chunks(), of a type this version knows
 * @data: receives chunk->raw_size bytes and a zero behind them, to be freed by free(3)
 */
int vsamp_reader_load(struct vsamp_reader *r, const struct vsamp_chunk *chunk, void **data,
		      struct vsamp_error *err);

/** vsamp_reader_close - free; @r may be NULL */
void vsamp_reader_close(struct vsamp_reader *r);

#ifdef __cplusplus
}
#endif

#endif
