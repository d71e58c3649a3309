/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gpu_tracks.h: metrics of a GPU by time, from the ring of its stream
 *
 * One thread at a time uses them.
 */
#ifndef VSAMP_GPU_TRACKS_H
#define VSAMP_GPU_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>
#include <vsamp/oa.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_gpu_tracks;

/**
 * vsamp_gpu_tracks_new - begins with no reports
 * @tracks: receives them
 * @platform: of the GPU
 * @set: what it is configured for
 * @device: what equations need to know of it; copied
 * @bits: vsamp_gpu_stream_bits()
 * @interval_ns: what a point is about, at least: it begins and ends with a report
 * @err: receives why not; may be NULL
 *
 * 0, or -ENOMEM; -EINVAL: no layout of its reports is known.
 */
int vsamp_gpu_tracks_new(struct vsamp_gpu_tracks **tracks, const struct vsamp_oa_platform *platform,
			 const struct vsamp_oa_set *set, const struct vsamp_oa_device *device,
			 unsigned int bits, uint64_t interval_ns, struct vsamp_error *err);

/**
 * vsamp_gpu_tracks_add - takes what vsamp_ring_begin() gave
 * @tracks: not ended
 * @data: whole records, checked by the ring
 * @size: bytes
 *
 * 0 or -ENOMEM.
 */
int vsamp_gpu_tracks_add(struct vsamp_gpu_tracks *tracks, const void *data, size_t size);

/**
 * vsamp_gpu_tracks_settle - works out the times of what no later reading of the clock changes
 * @tracks: not ended
 * @err: receives why not; may be NULL
 *
 * 0, or -ENOMEM; -EINVAL: the GPU's clock was never read.
 */
int vsamp_gpu_tracks_settle(struct vsamp_gpu_tracks *tracks, struct vsamp_error *err);

/** vsamp_gpu_tracks_forget - leaves out the points that there are, which have been taken elsewhere */
void vsamp_gpu_tracks_forget(struct vsamp_gpu_tracks *tracks);

/**
 * vsamp_gpu_tracks_end - works out all times, once the ring has been read to its end
 * @tracks: which; nothing is added from here on
 * @err: receives why there are none; may be NULL
 *
 * 0, or -ENOMEM; -EINVAL: the GPU's clock was never read.
 */
int vsamp_gpu_tracks_end(struct vsamp_gpu_tracks *tracks, struct vsamp_error *err);

/**
 * vsamp_gpu_tracks_points - how many points each metric has, that were settled or at the end
 * @tracks: which
 * @time: receives them, the tracks' own: ns of CLOCK_MONOTONIC_RAW, rising
 *
 * A point holds up to the next one, which at a hole, and at the end, is NAN: nothing
 * is known from there on.
 */
size_t vsamp_gpu_tracks_points(const struct vsamp_gpu_tracks *tracks, const uint64_t **time);

/**
 * vsamp_gpu_tracks_metric - the values of a metric of the set, one a point
 * @tracks: which
 * @metric: its number in the set
 * @value: receives as many as there are points
 *
 * What is counted is per second: of bytes, bytes a second. Percentages, rates and ratios are as the
 * set has them.
 */
void vsamp_gpu_tracks_metric(const struct vsamp_gpu_tracks *tracks, unsigned int metric,
			     double *value);

#define VSAMP_GPU_UNIT_SIZE 32

/** vsamp_gpu_tracks_unit - of these values: what is counted has "/s" behind it, a number "" */
void vsamp_gpu_tracks_unit(const struct vsamp_oa_metric *metric, char unit[VSAMP_GPU_UNIT_SIZE]);

struct vsamp_gpu_totals {
	uint64_t reports;      /* that there are */
	uint64_t lost;	       /* by the GPU */
	uint64_t no_room;      /* in the ring */
	uint64_t clock_error;  /* ns; UINT64_MAX: not known yet */
	uint64_t clock_pieces; /* more than one: the GPU's clock was set, or the machine slept */
};

/** vsamp_gpu_tracks_totals - what it was made of */
void vsamp_gpu_tracks_totals(const struct vsamp_gpu_tracks *tracks,
			     struct vsamp_gpu_totals *totals);

/** vsamp_gpu_tracks_free - @tracks may be NULL */
void vsamp_gpu_tracks_free(struct vsamp_gpu_tracks *tracks);

#ifdef __cplusplus
}
#endif

#endif
