/* SPDX-License-Identifier: MIT */
/* vsamp/gpu_recorded.h: what a recording tells of a GPU, beside its tracks */
#ifndef VSAMP_GPU_RECORDED_H
#define VSAMP_GPU_RECORDED_H

#include <stdint.h>

#include <vsamp/gpu_tracks.h>

/* Texts are never NULL */
struct vsamp_gpu_recorded {
	const char *slot;     /* PCI's name of the device: 0000:00:02.0 */
	const char *platform; /* what it is called: Tiger Lake GT2 */
	const char *path;     /* vsamp_gpu_path_name() */
	const char *set;      /* of metrics */
	uint64_t id;	      /* PCI's */
	uint64_t period_ns;   /* between reports */
	uint64_t interval_ns; /* between points of its tracks, at least */
	struct vsamp_gpu_totals totals;
};

#endif
