/* SPDX-License-Identifier: MIT */
/* file_private.h: what the writer and the reader of files share, and tests use */
#ifndef FILE_PRIVATE_H
#define FILE_PRIVATE_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/file.h>

/* The sample_id trailer TID | TIME | CPU that ends every sideband record */
struct sideband_id {
	uint32_t pid, tid;
	uint64_t time; /* ns, CLOCK_MONOTONIC_RAW */
	uint32_t cpu, reserved;
};

#define SIDEBAND_SIZE_MIN (sizeof(struct perf_event_header) + sizeof(struct sideband_id))

static inline uint64_t sideband_time(const struct perf_event_header *rec)
{
	struct sideband_id id;

	memcpy(&id, (const char *)rec + rec->size - sizeof(id), sizeof(id));
	return id.time;
}

/* vsamp_writer_kallsyms() from other sources: lines as of /proc/kallsyms, "/sys" or NULL, ns */
int writer_kallsyms(struct vsamp_writer *w, FILE *lines, const char *sys, uint64_t time,
		    struct vsamp_error *err);

/* vsamp_reader_open() of an open file, which the reader closes, also on error; @name is for messages */
int reader_open_fd(struct vsamp_reader **r, int fd, const char *name, struct vsamp_error *err);

/* The file is read once more: who watches is told so */
void reader_rewind(struct vsamp_reader *r);

/*
 * Takes what vsamp_reader_load() gave for one of the reader's own chunks: it is to be loaded again soon,
 * which is cheap then, if there are not too many
 */
void reader_keep(struct vsamp_reader *r, const struct vsamp_chunk *chunk, void *data);

#endif
