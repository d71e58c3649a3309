/* SPDX-License-Identifier: MIT */
/*
 * vsamp/recording.h: what a .vsamp file tells
 *
 * A recording belongs to one thread at a time. Strings and pointers it gives live as long as it.
 */
#ifndef VSAMP_RECORDING_H
#define VSAMP_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/clock.h>
#include <vsamp/error.h>
#include <vsamp/file.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_UNKNOWN (-1) /* of the int64_t values below */

struct vsamp_recording;
struct vsamp_record_header;
struct perf_event_header;

struct vsamp_recording_event {
	const char *name;
	uint64_t sav;
	const char *sav_source; /* "default", "explicit", "calibrated", "frequency" */
	int64_t counted;	/* events in the calibration run */
	int64_t target;		/* samples aimed at */
	int64_t count;		/* events counted while recording */
	int64_t overflows;	/* samples that were or should have been made */
	uint64_t samples;	/* in the file */
};

struct vsamp_recording_cpu {
	uint32_t cpu;
	bool told; /* the end chunk tells of it: produced, written, lost, read hold */
	uint64_t produced, written, lost, read;
	uint64_t records;     /* in the file, LOST records apart */
	uint64_t lost_marked; /* records that LOST records tell of */
	uint64_t throttles;   /* times that sampling was held back */
	bool foreign;	      /* somebody else wrote to the PMU, which ended the run */
};

struct vsamp_recording_totals {
	/* as the end chunk tells; else as far as the file goes */
	uint64_t produced, written, lost;
	uint64_t records; /* in the file */
	uint64_t throttles;
	uint64_t sideband_lost; /* task and mapping records */
	bool balanced;		/* on every CPU produced = written + lost */
	bool whole;		/* on every CPU what was written was read and is in the file */
	bool foreign;
};

/**
 * vsamp_recording_open - open a file
 * @rec: receives the recording
 * @path: of the file
 *
 * Files that are cut off or damaged open as far as they are good: vsamp_recording_reader() and
 * vsamp_reader_state() tell. Errors: those of vsamp_reader_open(); -EBADMSG for chunks whose
 * contents make no sense.
 */
int vsamp_recording_open(struct vsamp_recording **rec, const char *path, struct vsamp_error *err);

/** vsamp_recording_reader - the file */
struct vsamp_reader *vsamp_recording_reader(const struct vsamp_recording *rec);

/** vsamp_recording_meta - the META chunk (docs/file-format.md) */
struct json_object *vsamp_recording_meta(const struct vsamp_recording *rec);

/** vsamp_recording_end - the END chunk; NULL if there is none */
struct json_object *vsamp_recording_end(const struct vsamp_recording *rec);

/** vsamp_recording_clock - from the times of records to CLOCK_MONOTONIC_RAW */
const struct vsamp_clock_fit *vsamp_recording_clock(const struct vsamp_recording *rec);

/** vsamp_recording_elapsed - ns: as told, else between the first and the last record */
uint64_t vsamp_recording_elapsed(const struct vsamp_recording *rec);

/** vsamp_recording_events - the events by their index in samples; returns how many */
size_t vsamp_recording_events(const struct vsamp_recording *rec,
			      const struct vsamp_recording_event **events);

/** vsamp_recording_cpus - the CPUs that have records or totals, by rising number */
size_t vsamp_recording_cpus(const struct vsamp_recording *rec,
			    const struct vsamp_recording_cpu **cpus);

/** vsamp_recording_totals - sums, and whether they add up */
const struct vsamp_recording_totals *vsamp_recording_totals(const struct vsamp_recording *rec);

/**
 * vsamp_recording_warnings - what must be told before its numbers are believed
 * @warnings: receives the texts: what is missing, lost, held back or doesn't add up
 *
 * Returns how many; 0 for a complete recording without loss.
 */
size_t vsamp_recording_warnings(const struct vsamp_recording *rec, const char *const **warnings);

/* One record: either of a ring or of the sideband */
struct vsamp_item {
	uint32_t cpu;
	uint64_t time; /* ticks */
	const struct vsamp_record_header *record;
	const struct perf_event_header *sideband;
};

/**
 * vsamp_recording_next - the next record by time, of all CPUs
 * @item: filled; its pointers are good until the next call. Records are as long as their type
 *	  says, at least.
 *
 * At equal times sideband records come first, then what is earlier in the file. Returns 1, 0 at
 * the end, or -EBADMSG, -E2BIG, -ENOMEM, the error of read(2); after an error there is no more.
 */
int vsamp_recording_next(struct vsamp_recording *rec, struct vsamp_item *item,
			 struct vsamp_error *err);

/** vsamp_recording_rewind - to the first record again */
void vsamp_recording_rewind(struct vsamp_recording *rec);

/** vsamp_recording_close - @rec may be NULL */
void vsamp_recording_close(struct vsamp_recording *rec);

#ifdef __cplusplus
}
#endif

#endif
