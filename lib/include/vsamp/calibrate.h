/* SPDX-License-Identifier: MIT */
/*
 * vsamp/calibrate.h: the Sample-After value that takes as many samples as are wanted
 *
 * target = duration / interval samples. A calibration run counts and records nothing;
 * SAV = events counted / target, clamped to what the counter takes and nudged by at most 0.1 % to a
 * value coprime to 10. Clockticks need no run: SAV = clock frequency x interval.
 *
 * Pure functions, thread-safe. Times are nanoseconds.
 */
#ifndef VSAMP_CALIBRATE_H
#define VSAMP_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include <vsamp/event.h>

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_cal_mode {
	VSAMP_CAL_NONE,
	VSAMP_CAL_ALL,	 /* all selected events */
	VSAMP_CAL_EVENT, /* by event property: Clockticks and Instructions Retired */
};

/** vsamp_cal_mode_name - "none", "all" or "event" */
const char *vsamp_cal_mode_name(enum vsamp_cal_mode mode);

/* How an event comes by its Sample-After value */
enum vsamp_cal_how {
	VSAMP_CAL_KEEP,	     /* as it is: default or explicit */
	VSAMP_CAL_FREQUENCY, /* calibrated without a run */
	VSAMP_CAL_RUN,	     /* needs a calibration run */
};

/** vsamp_cal_how - what is to be done for an event */
enum vsamp_cal_how vsamp_cal_how(const struct vsamp_event *ev, enum vsamp_cal_mode mode);

/** vsamp_cal_target - samples aimed at: duration / interval; per CPU or in total */
double vsamp_cal_target(uint64_t duration_ns, uint64_t interval_ns);

/**
 * vsamp_cal_sav - the Sample-After value
 * @events: that must make one sample after another, at the rate counted (need not be whole)
 * @floor: smallest value allowed
 * @max: largest value allowed
 *
 * Returns @events rounded, clamped, and made coprime to 10 where that takes no more than 0.1 % and
 * stays within the limits.
 */
uint64_t vsamp_cal_sav(double events, uint64_t floor, uint64_t max);

struct vsamp_cal_run {
	uint64_t counted;    /* events, in the whole scope */
	uint64_t counted_ns; /* how long */
	uint64_t interval_ns;
	unsigned int cpus; /* sampled CPUs that have the target each; 1: the target is a total */
};

/**
 * vsamp_cal_events - events between two samples: counted / target
 *
 * The target is that of the calibration run's own length: a recording of another length has both
 * more events and a higher target. 0 if nothing was counted.
 */
double vsamp_cal_events(const struct vsamp_cal_run *run);

#ifdef __cplusplus
}
#endif

#endif
