/* SPDX-License-Identifier: MIT */
/*
 * vsamp/live.h: where the samples of a running session fall, while it runs
 *
 *	vsamp_live_open(&live, events, n_events, clock_khz, &err);
 *	vsamp_writer_kallsyms(vsamp_live_writer(live), NULL);
 *	vsamp_sideband_synthesize(vsamp_live_writer(live), 0, &err);
 *	vsamp_recorder_open(&recorder, session, sideband, vsamp_live_writer(live), &err);
 *	while (...) {
 *		vsamp_recorder_run(recorder, -1, next_second, &why, &err);
 *		vsamp_live_step(live, &err);
 *		vsamp_live_rows(live, 0, &rows, &count, &err);
 *	}
 *
 * One thread a live profile.
 */
#ifndef VSAMP_LIVE_H
#define VSAMP_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/event.h>
#include <vsamp/file.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_live;

/* What a sum keeps of itself when a step begins */
#define VSAMP_LIVE_KEPT 0.875

/* A symbol. Names are as of a row of vsamp/profile.h, and live as long as the profile */
struct vsamp_live_row {
	const char *module, *symbol;
	const char *note;	 /* why the module's symbols are missing; NULL: they aren't */
	const uint64_t *samples; /* by event, of the last step */
	const double *events;	 /* likewise: events that these stand for */
	const double
		*sums; /* likewise, of all steps, each less by VSAMP_LIVE_KEPT with each after it */
};

/* Of all steps together, or of the last one */
struct vsamp_live_totals {
	uint64_t samples, lost; /* lost: records of all kinds, of which the rings tell */
	uint64_t throttles;	/* times that sampling was held back */
	uint64_t sideband_lost; /* records of processes and mappings */
	uint64_t event_samples[VSAMP_EVENTS_MAX];
	double events[VSAMP_EVENTS_MAX];
	double sums[VSAMP_EVENTS_MAX];
};

/**
 * vsamp_live_open - begin, with nothing
 * @live: receives it
 * @events: that are sampled, with the Sample-After values that the session begins with
 * @clock_khz: ticks a millisecond of the session's clock, as of its caps
 *
 * 0 or -ENOMEM.
 */
int vsamp_live_open(struct vsamp_live **live, const struct vsamp_event *events,
		    unsigned int n_events, uint64_t clock_khz, struct vsamp_error *err);

/** vsamp_live_writer - what takes records: for a recorder, and of the sideband; stays the profile's */
struct vsamp_writer *vsamp_live_writer(struct vsamp_live *live);

/**
 * vsamp_live_step - place what was recorded up to now
 *
 * In order of time; what happens meanwhile is of the next step. -ENOMEM, -E2BIG, -EBADMSG.
 */
int vsamp_live_step(struct vsamp_live *live, struct vsamp_error *err);

/**
 * vsamp_live_rows - the symbols that have samples
 * @event: largest sums of this one first
 * @rows: receives them, to be freed by free(3); their numbers are good until the next step
 * @count: receives how many
 *
 * 0 or -ENOMEM.
 */
int vsamp_live_rows(struct vsamp_live *live, size_t event, struct vsamp_live_row **rows,
		    size_t *count, struct vsamp_error *err);

/** vsamp_live_last, vsamp_live_all - totals of the last step; of all since the begin or zero */
const struct vsamp_live_totals *vsamp_live_last(const struct vsamp_live *live);
const struct vsamp_live_totals *vsamp_live_all(const struct vsamp_live *live);

/** vsamp_live_zero - forget all samples so far */
void vsamp_live_zero(struct vsamp_live *live);

void vsamp_live_close(struct vsamp_live *live); /* NULL is nothing to do */

#ifdef __cplusplus
}
#endif

#endif
