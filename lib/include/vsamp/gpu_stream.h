/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gpu_stream.h: the OA reports of a GPU, whoever has it: i915, xe or the module
 *
 * A stream runs once: open, start, stop, close. Its ring has OA, OA_LOST, GPU_CLOCK and CLOCK records
 * of uapi/vsamp.h, and of the module LOST and STATE records, too. One thread at a time uses a stream
 * with its ring.
 */
#ifndef VSAMP_GPU_STREAM_H
#define VSAMP_GPU_STREAM_H

#include <stdint.h>

#include <vsamp/error.h>
#include <vsamp/gpu.h>
#include <vsamp/oa.h>
#include <vsamp/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_gpu_stream;

/**
 * vsamp_gpu_stream_open - opens a GPU, and asks what it is
 * @stream: receives it
 * @gpu: as it was found
 * @err: receives why not, and what to do; may be NULL
 *
 * 0, or a negative errno value: -ENODEV: its path is none or unbound, or who has it has no OA unit of
 * it; -EACCES; -ENOENT: there is no module; -ENOMEM.
 */
int vsamp_gpu_stream_open(struct vsamp_gpu_stream **stream, const struct vsamp_gpu *gpu,
			  struct vsamp_error *err);

/**
 * vsamp_gpu_stream_device - what equations need to know of it
 */
const struct vsamp_oa_device *vsamp_gpu_stream_device(const struct vsamp_gpu_stream *stream);

/** vsamp_gpu_stream_bits - width of its clock in GPU_CLOCK records, for vsamp_oa_clock_new() */
unsigned int vsamp_gpu_stream_bits(const struct vsamp_gpu_stream *stream);

/**
 * vsamp_gpu_stream_start - configures the unit, and lets it report
 * @stream: just opened
 * @set: of its platform
 * @period_ns: wanted between reports; not 0
 * @err: receives why not, and what to do; may be NULL
 *
 * 0, or a negative errno value: -EBUSY: another program reads its reports; -EACCES; -EINVAL: such a
 * set is not taken. Then nothing runs.
 */
int vsamp_gpu_stream_start(struct vsamp_gpu_stream *stream, const struct vsamp_oa_set *set,
			   uint64_t period_ns, struct vsamp_error *err);

/** vsamp_gpu_stream_period - ns between reports, of one that was started */
uint64_t vsamp_gpu_stream_period(const struct vsamp_gpu_stream *stream);

/** vsamp_gpu_stream_fd - for poll(), of a running one */
int vsamp_gpu_stream_fd(const struct vsamp_gpu_stream *stream);

/**
 * vsamp_gpu_stream_ring - what it reports; the stream's, from the start to the close
 *
 * Of a driver's, clocks are read when the ring is: at least once a second it should be. It is read on
 * after the stop. NULL: it was never started.
 */
struct vsamp_ring *vsamp_gpu_stream_ring(const struct vsamp_gpu_stream *stream);

/**
 * vsamp_gpu_stream_stop - ends reports
 * @stream: not running: nothing is done
 * @err: receives what could not be read at the end; may be NULL
 *
 * What there is by then is in the ring. A driver gives a report once there is another: of those the
 * last is missing. 0, or a negative errno value, where it has ended all the same.
 */
int vsamp_gpu_stream_stop(struct vsamp_gpu_stream *stream, struct vsamp_error *err);

/** vsamp_gpu_stream_close - stops it, too; @stream may be NULL */
void vsamp_gpu_stream_close(struct vsamp_gpu_stream *stream);

/**
 * vsamp_gpu_exponent - the unit's nearest period that is not longer than wanted
 * @hz: ticks a second; not 0
 * @period_ns: wanted
 * @actual_ns: receives the period, rounded up
 *
 * The period has 2 << the returned number of ticks; 0 to 31.
 */
unsigned int vsamp_gpu_exponent(uint64_t hz, uint64_t period_ns, uint64_t *actual_ns);

#ifdef __cplusplus
}
#endif

#endif
