/* SPDX-License-Identifier: MIT */
/*
 * vsamp/trace.h: the samples of a recording one by one, with names
 *
 * A trace belongs to one thread at a time, and holds what it needs of the recording, which must
 * outlive it, and which nobody else may read on meanwhile.
 */
#ifndef VSAMP_TRACE_H
#define VSAMP_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_trace;

/* Code that a sample fell into, or that called; names are as of a row of vsamp/profile.h */
struct vsamp_trace_frame {
	uint64_t ip; /* of a caller: where its call returns to */
	const char
		*module; /* NULL: frames are missing here, and symbol is VSAMP_CALLER_TRUNCATED */
	const char *symbol;
};

struct vsamp_trace_sample {
	uint64_t time;	     /* ns, CLOCK_MONOTONIC_RAW */
	uint32_t cpu, event; /* event: its index */
	uint32_t pid, tid;
	const char *comm; /* of the thread, else of its process; "" where no record tells it */
	double events;	  /* that it stands for: as of a row of vsamp/profile.h */
	bool user, guest; /* in user mode; in a virtual machine */
	const struct vsamp_trace_frame
		*frame; /* where it fell, then its callers, innermost first */
	size_t frames;
	const struct vsamp_record_sample *record;
};

/* What is told beside where samples fell */
#define VSAMP_TRACE_CALLERS (1U << 0)
#define VSAMP_TRACE_MANGLED (1U << 1) /* names of symbols as linkers know them */
#define VSAMP_TRACE_PAUSED  (1U << 2) /* samples whose process had paused collection, too */

/**
 * vsamp_trace_new - get ready to go through the samples
 * @trace: receives the trace
 * @flags: VSAMP_TRACE_*
 *
 * Reads what the recording tells of processes, to know all that they had mapped. Errors: those of
 * vsamp_profile_new().
 */
int vsamp_trace_new(struct vsamp_trace **trace, struct vsamp_recording *rec, unsigned int flags,
		    struct vsamp_error *err);

/**
 * vsamp_trace_next - the next record by time
 * @item: filled as by vsamp_recording_next(): all records come, so that readers can tell of losses
 * @sample: filled if it is a sample; what it points to is good until the next call, but names of
 *	    frames are as long as the trace, and equal ones are the same pointer
 *
 * A sample whose process had paused collection by the ITT API is as another record, unless these were
 * asked for. Returns 2 for a sample, 1 for another record, 0 at the end, or the errors of
 * vsamp_recording_next() and vsamp_trace_new().
 */
int vsamp_trace_next(struct vsamp_trace *trace, struct vsamp_item *item,
		     struct vsamp_trace_sample *sample, struct vsamp_error *err);

/** vsamp_trace_free - @trace may be NULL */
void vsamp_trace_free(struct vsamp_trace *trace);

#ifdef __cplusplus
}
#endif

#endif
