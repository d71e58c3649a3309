/* SPDX-License-Identifier: MIT */
/* recording_private.h: a recording from the inside */
#ifndef RECORDING_PRIVATE_H
#define RECORDING_PRIVATE_H

#include <json-c/json.h>

#include <vsamp/recording.h>

#include "kallsyms.h"
#include "merge.h"

/* A chunk with kernel symbols, loaded when it is first asked for */
struct recording_snapshot {
	const struct vsamp_chunk *chunk;
	uint64_t time; /* ticks */
	struct kallsyms *kallsyms;
};

struct vsamp_recording {
	struct vsamp_reader *reader;
	struct json_object *meta, *end;
	char *boot_id;
	struct vsamp_clock_fit *clock;
	struct vsamp_recording_event *event;
	size_t events;
	struct vsamp_recording_cpu *cpu;
	size_t cpus;
	struct vsamp_recording_totals totals;
	uint64_t time_min, time_max; /* ticks, of all ring records */
	uint64_t elapsed;
	struct recording_snapshot *snapshot; /* by time */
	size_t snapshots;
	char **warning;
	size_t warnings;
	struct merge merge;
};

/* recording_meta.c: reads what the META and END chunks tell; both were parsed as objects */
int recording_read_meta(struct vsamp_recording *rec, struct vsamp_error *err);
int recording_read_end(struct vsamp_recording *rec, struct vsamp_error *err);
uint64_t recording_meta_khz(const struct vsamp_recording *rec);

/* recording_warn.c: what is to be told, when all is added up. -ENOMEM */
int recording_warn(struct vsamp_recording *rec);

/* The row of a CPU, made if need be; NULL without memory */
struct vsamp_recording_cpu *recording_cpu(struct vsamp_recording *rec, uint32_t cpu);

/* vsamp_recording_open() of an open file, which then belongs to the recording, also on error */
int recording_from_reader(struct vsamp_recording **rec, struct vsamp_reader *reader,
			  struct vsamp_error *err);

/* Loads a snapshot. @index < rec->snapshots */
int recording_kallsyms(struct vsamp_recording *rec, size_t index, struct kallsyms **k,
		       struct vsamp_error *err);

/* Whether this is the boot it was recorded in */
bool recording_same_boot(const struct vsamp_recording *rec);

#endif
