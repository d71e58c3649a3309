/* SPDX-License-Identifier: MIT */
/* A report of GPUs: what their metrics were, in all of the time or in each slice of it */
#ifndef REPORT_GPU_H
#define REPORT_GPU_H

#include <vsamp/timeline.h>

#include "report.h"

/* A GPU, and those of its metrics that are asked for */
struct report_gpu_device {
	const char *name;		       /* the group of its tracks: "GPU 0000:00:02.0" */
	const struct vsamp_gpu_recorded *told; /* NULL: the recording's end is missing */
	const struct vsamp_track **track;
	size_t tracks;
	bool *first; /* by track: shown where there is no room for all */
};

struct report_gpu {
	struct report *r;
	struct vsamp_timeline *timeline;
	struct report_gpu_device *device;
	size_t devices;
	uint64_t zero;	   /* ns of CLOCK_MONOTONIC_RAW: where slices are counted from */
	uint64_t from, to; /* likewise: what is asked for; to isn't in it */
	int64_t slice;	   /* the number of the first slice */
	size_t slices;	   /* 0: all of the time is one */
	uint64_t *samples; /* by slice and event; NULL: without slices */
};

/* A slice: ns from zero on, which may be before it; and what of it is asked for */
struct report_gpu_slice {
	int64_t time;
	uint64_t from, to;
	const uint64_t *samples; /* by event */
};

struct report_gpu_slice report_gpu_slice(const struct report_gpu *g, size_t number);

/* Whether samples of an event are shown beside */
bool report_gpu_shows(const struct report_gpu *g, size_t event);

/* Each in a file of its name; an exit code */
void report_gpu_print(const struct report_gpu *g);
void report_gpu_json(const struct report_gpu *g);
int report_gpu_csv(const struct report_gpu *g);

#endif
