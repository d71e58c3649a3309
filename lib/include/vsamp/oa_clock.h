/* SPDX-License-Identifier: MIT */
/*
 * vsamp/oa_clock.h: from the timestamps of a GPU's reports to CLOCK_MONOTONIC_RAW
 *
 * While reports are read both clocks are read together, about once a second: a pair. Reports have the
 * lowest 32 bits of the GPU's clock only, so that a report is converted by a pair that was read near
 * to it: the last one before the report was. A clock doesn't change after it is made, and may be used
 * by any number of threads.
 */
#ifndef VSAMP_OA_CLOCK_H
#define VSAMP_OA_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_oa_pair {
	uint64_t ticks;	  /* the GPU's clock, in ticks of its reports, as far as its width goes */
	uint64_t raw;	  /* ns of CLOCK_MONOTONIC_RAW, in the middle of the readings around it */
	uint64_t bracket; /* ns between those */
};

struct vsamp_oa_clock;

/**
 * vsamp_oa_clock_new - make a clock
 * @clock: receives it
 * @pair: by rising time
 * @pairs: how many, at least one
 * @hz: ticks a second, as the driver tells it; not 0
 * @bits: width of the ticks in @pair, 32 to 64
 * @err: receives why it can't be made; may be NULL
 *
 * Pairs with far wider brackets than most are not gone by. Where the GPU's clock does not go as @hz
 * says, as after a sleep of the machine or a reset of the GPU, a new piece begins, of its own pairs.
 *
 * 0, -EINVAL or -ENOMEM.
 */
int vsamp_oa_clock_new(struct vsamp_oa_clock **clock, const struct vsamp_oa_pair *pair,
		       size_t pairs, uint64_t hz, unsigned int bits, struct vsamp_error *err);

struct vsamp_oa_time {
	uint64_t raw;	   /* ns, CLOCK_MONOTONIC_RAW */
	uint64_t ticks;	   /* since about the first pair of its piece: without wraps */
	bool extrapolated; /* not between two pairs of a piece: the error bound is not for it */
};

/**
 * vsamp_oa_clock_time - when a report was made
 * @clock: the clock
 * @pair: number of a pair that was read less than 2^31 ticks before or after it; beyond the last: that
 * @timestamp: of the report
 */
struct vsamp_oa_time vsamp_oa_clock_time(const struct vsamp_oa_clock *clock, size_t pair,
					 uint32_t timestamp);

/**
 * vsamp_oa_clock_error - how far a time that is not extrapolated may be off
 *
 * In ns: half the widest bracket that is gone by, and a tick. UINT64_MAX where no piece has two pairs.
 */
uint64_t vsamp_oa_clock_error(const struct vsamp_oa_clock *clock);

/** vsamp_oa_clock_pieces - 1, and how often the GPU's clock did not go as told */
size_t vsamp_oa_clock_pieces(const struct vsamp_oa_clock *clock);

/** vsamp_oa_clock_skipped - how many pairs are not gone by */
size_t vsamp_oa_clock_skipped(const struct vsamp_oa_clock *clock);

/** vsamp_oa_clock_free - @clock may be NULL */
void vsamp_oa_clock_free(struct vsamp_oa_clock *clock);

#ifdef __cplusplus
}
#endif

#endif
