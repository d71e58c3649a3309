/* SPDX-License-Identifier: MIT */
/*
 * vsamp/clock.h: from the ticks of a session's clock to CLOCK_MONOTONIC_RAW and back
 *
 * Piecewise linear between points at which both were read. While the machine sleeps ticks go on and
 * ns don't: that is a step, and bends no piece but its own. A fit does not change after it is
 * made, and may be used by any number of threads.
 */
#ifndef VSAMP_CLOCK_H
#define VSAMP_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same instant on both clocks, to within bracket ticks */
struct vsamp_clock_point {
	uint64_t ticks;
	uint64_t bracket;
	uint64_t raw; /* ns, CLOCK_MONOTONIC_RAW */
	bool slept;   /* the machine slept before it: ticks went on, CLOCK_MONOTONIC_RAW didn't */
};

struct vsamp_clock_fit;

/**
 * vsamp_clock_fit_new - make a fit
 * @fit: receives it
 * @points: as they come, of any CPU
 * @count: of points; with 0, ticks are taken to have started with CLOCK_MONOTONIC_RAW
 * @khz: ticks a millisecond where the points don't tell; 0 = a tick is a nanosecond
 *
 * 0 or -ENOMEM.
 */
int vsamp_clock_fit_new(struct vsamp_clock_fit **fit, const struct vsamp_clock_point *points,
			size_t count, uint64_t khz);

/** vsamp_clock_fit_raw - ns of CLOCK_MONOTONIC_RAW at a time; beyond all numbers: the nearest */
uint64_t vsamp_clock_fit_raw(const struct vsamp_clock_fit *fit, uint64_t ticks);

/** vsamp_clock_fit_ticks - the time at ns of CLOCK_MONOTONIC_RAW */
uint64_t vsamp_clock_fit_ticks(const struct vsamp_clock_fit *fit, uint64_t raw);

/** vsamp_clock_fit_points - how many points it was made from */
size_t vsamp_clock_fit_points(const struct vsamp_clock_fit *fit);

/**
 * vsamp_clock_fit_error - how far a conversion between the first and the last point may be off
 *
 * In ns: half the largest bracket of a point that the fit goes through, and how much farther than
 * its own bracket allows any other point is from it. UINT64_MAX without any point.
 */
uint64_t vsamp_clock_fit_error(const struct vsamp_clock_fit *fit);

/** vsamp_clock_fit_khz - ticks a millisecond, from the first point to the last, without sleeps */
uint64_t vsamp_clock_fit_khz(const struct vsamp_clock_fit *fit);

/** vsamp_clock_fit_free - @fit may be NULL */
void vsamp_clock_fit_free(struct vsamp_clock_fit *fit);

#ifdef __cplusplus
}
#endif

#endif
