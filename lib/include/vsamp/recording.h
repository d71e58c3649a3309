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
#include <vsamp/gpu_recorded.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_UNKNOWN (-1) /* of the int64_t values below */

struct vsamp_recording;
struct vsamp_record_header;
struct vsamp_record_sample;
struct vsamp_stack;
struct perf_event_header;

struct vsamp_recording_event {
	const char *name;
	const char *levels; /* vsamp_event_levels(): what stands behind the name */
	bool user, kernel;
	uint32_t set;
	uint64_t sav;		 /* that its collection began with */
	uint64_t sav_end;	 /* that it ended with: another one if it is adaptive */
	const char *sav_source;	 /* "default", "config", "explicit", "calibrated", "frequency" */
	const char *calibration; /* vsamp_cal_how_name(): how it was calibrated, or why not */
	int64_t counted;	 /* events in the calibration run */
	int64_t cal_ns;		 /* its length */
	int64_t target;		 /* samples aimed at */
	int64_t count;		 /* events counted while recording */
	int64_t overflows;	 /* samples that were or should have been made */
	int64_t elapsed;	 /* ns, of its set's collection */
	uint64_t samples;	 /* in the file */
	double estimated;	 /* events that these samples stand for */
	double share;	  /* of the time that it was counted, above 0 to 1; 1 without time slices */
	double deviation; /* of samples / share from the target, percent; NAN: no target */
	char miss[160];	  /* why it missed the target, vsamp_cal_miss(); "": it didn't */
};

struct vsamp_recording_cpu {
	uint32_t cpu;
	bool told; /* the end chunk tells of it: produced, written, lost, read hold */
	uint64_t produced, written, lost, read;
	uint64_t records;     /* in the file, LOST records apart */
	uint64_t lost_marked; /* records that LOST records tell of */
	uint64_t throttles;   /* times that sampling was held back */
	bool foreign;	      /* somebody else wrote to the PMU, which ended the run */
	uint64_t sleeps;      /* of the machine */
	uint64_t asleep;      /* ns that these took, CLOCK_REALTIME */
};

struct vsamp_recording_totals {
	/* as the end chunk tells; else as far as the file goes */
	uint64_t produced, written, lost;
	uint64_t records; /* in the file */
	uint64_t throttles;
	uint64_t swaps;		/* of sets, in time slices */
	uint64_t sav_changes;	/* of Sample-After values, each on a CPU */
	uint64_t stacks;	/* samples that have one */
	uint64_t kernel_cut;	/* of these stacks, those that lack frames of the kernel */
	uint64_t user_cut;	/* and of the user */
	uint64_t sleeps;	/* of the machine, */
	uint64_t asleep;	/* and ns that these took: the most that a CPU tells */
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

/**
 * vsamp_recording_elapsed - ns: as told, else between the first and the last record
 *
 * Without the time in which the machine slept.
 */
uint64_t vsamp_recording_elapsed(const struct vsamp_recording *rec);

/**
 * vsamp_recording_gpus - GPUs whose reports were recorded, as far as the end chunk is there
 * @gpu: receives them
 *
 * Returns how many. Their metrics are tracks of the timeline, of the group "GPU " and the slot.
 */
size_t vsamp_recording_gpus(const struct vsamp_recording *rec,
			    const struct vsamp_gpu_recorded **gpu);

/**
 * vsamp_recording_span - the times of the first and the last record of a ring
 * @begin, @end: receive ns of CLOCK_MONOTONIC_RAW; both 0 where there is none
 */
void vsamp_recording_span(const struct vsamp_recording *rec, uint64_t *begin, uint64_t *end);

/** vsamp_recording_events - the events by their index in samples; returns how many */
size_t vsamp_recording_events(const struct vsamp_recording *rec,
			      const struct vsamp_recording_event **events);

/**
 * vsamp_recording_event_is - whether a text is an event's name, or its name with its levels
 * @length: of the text, which need not end there; case doesn't matter
 */
bool vsamp_recording_event_is(const struct vsamp_recording_event *event, const char *text,
			      size_t length);

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

/** vsamp_sample_stack - the stack of a sample that vsamp_recording_next() gave; NULL: it has none */
const struct vsamp_stack *vsamp_sample_stack(const struct vsamp_record_sample *sample);

/** vsamp_recording_rewind - to the first record again */
void vsamp_recording_rewind(struct vsamp_recording *rec);

/** vsamp_recording_close - @rec may be NULL */
void vsamp_recording_close(struct vsamp_recording *rec);

/* A pid namespace, and how many processes of it records tell of */
struct vsamp_recording_namespace {
	uint64_t inode;
	size_t processes;
};

/**
 * vsamp_recording_namespaces - the pid namespaces that are known of, which reads all of the recording
 * @list: receives them, in the order of their inodes, to be freed by free(3)
 * @count: receives how many
 *
 * That of the recorder is META's pid_namespace. Processes that ran before it, in that one, aren't
 * counted. Errors: those of vsamp_recording_next().
 */
int vsamp_recording_namespaces(struct vsamp_recording *rec, struct vsamp_recording_namespace **list,
			       size_t *count, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
