/* SPDX-License-Identifier: MIT */
/* recording_private.h: a recording from the inside */
#ifndef RECORDING_PRIVATE_H
#define RECORDING_PRIVATE_H

#include <json-c/json.h>

#include <vsamp/recording.h>

#include "kallsyms.h"
#include "merge.h"
#include "module.h"

/* A chunk with kernel symbols, loaded when it is first asked for */
struct recording_snapshot {
	const struct vsamp_chunk *chunk;
	uint64_t time; /* ticks */
	struct kallsyms *kallsyms;
};

/* What the records of a CPU have told so far */
struct recording_told {
	uint64_t enabled;	/* ticks, the most that was told */
	uint64_t *running;	/* by set: ticks, as told last */
	uint64_t raw, realtime; /* of the last CLOCK record */
	uint64_t asleep;	/* ns of CLOCK_MONOTONIC_RAW that went by in sleeps */
	bool woke;		/* the next CLOCK record is the first after a sleep */
	uint64_t *sav;		/* by event: the Sample-After value that holds */
};

struct vsamp_recording {
	struct vsamp_reader *reader;
	struct json_object *meta, *end;
	struct json_object *runs; /* the RUN chunks */
	size_t sets;
	size_t last_set;	 /* that has begun */
	bool mux;		 /* the sets are counted in time slices */
	bool *set_counted;	 /* by set: it had its turn */
	uint64_t *set_throttles; /* by set that ran: times that sampling was held back */
	struct recording_told *told[VSAMP_CPUS_MAX]; /* by CPU; NULL: nothing */
	char *boot_id;
	struct vsamp_clock_fit *clock;
	struct vsamp_clock_fit *monotonic; /* the same to CLOCK_MONOTONIC */
	struct buf monotonic_points;	   /* struct vsamp_clock_point, while it is read */
	struct vsamp_record_clock before;  /* of the file before; its size is 0: there is none */
	struct vsamp_recording_event *event;
	size_t events;
	struct vsamp_recording_cpu *cpu;
	size_t cpus;
	struct vsamp_recording_totals totals;
	uint64_t time_min, time_max; /* ticks, of all ring records */
	uint64_t elapsed;
	uint64_t asleep; /* ns of CLOCK_MONOTONIC_RAW in it, which doesn't stand still at once */
	struct recording_snapshot *snapshot; /* by time */
	size_t snapshots;
	char **warning;
	size_t warnings;
	struct vsamp_gpu_recorded *gpu;
	size_t gpus;
	struct merge merge;
};

/* recording_meta.c: reads what the META, RUN and END chunks tell; all were parsed as objects */
int recording_read_meta(struct vsamp_recording *rec, struct vsamp_error *err);
int recording_read_run(struct vsamp_recording *rec, struct json_object *run,
		       struct vsamp_error *err);
int recording_read_end(struct vsamp_recording *rec, struct vsamp_error *err);
uint64_t recording_meta_khz(const struct vsamp_recording *rec);
uint64_t recording_meta_config(const struct vsamp_recording *rec, size_t event); /* 0: not told */
bool recording_meta_intel(const struct vsamp_recording *rec); /* events' codes are Intel's */
uint64_t recording_meta_sav_floor(const struct vsamp_recording *rec);
uint64_t recording_meta_pid_namespace(const struct vsamp_recording *rec); /* 0: not told */
void recording_meta_id(const struct vsamp_recording *rec, const char *name, struct buildid *id);
bool recording_meta_adaptive(const struct vsamp_recording *rec);

/* recording_gpu.c: GPUs, of the END chunk. -ENOMEM */
int recording_read_gpus(struct vsamp_recording *rec);

/* recording_scan.c: what the records of a chunk add up to; clock points are appended to @points */
int recording_scan(struct vsamp_recording *rec, const struct vsamp_chunk *chunk, struct buf *points,
		   struct vsamp_error *err);

/* recording_event.c: what became of the events, when all is read and added up */
void recording_settle(struct vsamp_recording *rec);

/* Events that a sample stands for; one whose Sample-After value isn't told stands for itself */
static inline uint64_t recording_weight(uint64_t sav)
{
	return sav ? sav : 1;
}

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

/* recording_origin.c: where and when it was recorded */
void recording_origin(const struct vsamp_recording *rec, struct module_origin *origin);

#endif
