/* SPDX-License-Identifier: MIT */
/* The reports of a GPU, on their way to the recording as metrics by time */
#ifndef GPU_RECORDING_H
#define GPU_RECORDING_H

#include <vsamp/file.h>
#include <vsamp/gpu.h>
#include <vsamp/gpu_recorded.h>
#include <vsamp/gpu_stream.h>
#include <vsamp/gpu_tracks.h>
#include <vsamp/recorder.h>

#include "options.h"

struct gpu_recording {
	const struct vsamp_oa_set *set; /* NULL: no GPU is recorded */
	struct vsamp_gpu gpu;
	uint64_t period_ns, interval_ns; /* asked for; of points */
	uint64_t khz;			 /* of the session's clock */

	struct vsamp_gpu_stream *stream; /* NULL: it doesn't run */
	struct vsamp_gpu_tracks *tracks;
	bool broken;			 /* its ring can't be read any more */
	uint64_t due;			 /* CLOCK_MONOTONIC: when the ring is read again */
	uint64_t write_due;		 /* when points are written */
	struct vsamp_clock_point *point; /* session's, of the run */
	size_t points;
	struct vsamp_gpu_totals before; /* of the runs that are over */
	struct vsamp_gpu_totals told;	/* in the files that are over */
	uint64_t actual_ns;		/* between reports */
};

/*
 * The GPU and the set that the options name, which is tried for a moment: before a calibration, not
 * after it; @khz of the session's clock; 0 also where they name none
 */
int gpu_recording_find(struct gpu_recording *g, const struct options *o, uint64_t khz,
		       struct vsamp_error *err);

/* Reports from now on; nothing where no GPU is recorded, and so for all that follow */
int gpu_recording_start(struct gpu_recording *g, struct vsamp_error *err);

/* The earlier of a deadline (0: none) and when its ring is to be read */
uint64_t gpu_recording_next(const struct gpu_recording *g, uint64_t deadline);

/* Reads the ring, if it is time, and now and then writes what is known of times by then */
int gpu_recording_step(struct gpu_recording *g, const struct vsamp_recorder *recorder,
		       struct vsamp_writer *w, struct vsamp_error *err);

/* Writes what is known of times */
int gpu_recording_write(struct gpu_recording *g, const struct vsamp_recorder *recorder,
			struct vsamp_writer *w, struct vsamp_error *err);

/* No reports from now on; that a GPU went meanwhile is said, and what it told is kept */
void gpu_recording_stop(struct gpu_recording *g);

/* Writes all that is left of the run, once the recorder has read all clocks */
int gpu_recording_end(struct gpu_recording *g, const struct vsamp_recorder *recorder,
		      struct vsamp_writer *w, struct vsamp_error *err);

/* What a file that is over has of it, since the one before; the number of GPUs, 0 or 1 */
unsigned int gpu_recording_account(struct gpu_recording *g, struct vsamp_gpu_recorded *gpu);

/* What became of it; @quiet: only what is missing */
void gpu_recording_say(const struct gpu_recording *g, bool quiet);

/* After any end of a run */
void gpu_recording_close(struct gpu_recording *g);

#endif
