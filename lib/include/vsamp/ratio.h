/* SPDX-License-Identifier: MIT */
/* vsamp/ratio.h: events of a recording as ratios of each other. Thread-safe */
#ifndef VSAMP_RATIO_H
#define VSAMP_RATIO_H

#include <stddef.h>

#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_ratio {
	char name[64];
	size_t numerator, denominator; /* indices of events */
};

/**
 * vsamp_ratios_known - ratios that have a name of their own
 * @ratios: receives them: CPI, clockticks for each instruction; "CPI:u", "CPI:k" of these levels
 * @max: room for so many
 *
 * Returns how many the recording has the events of.
 */
size_t vsamp_ratios_known(const struct vsamp_recording *rec, struct vsamp_ratio *ratios,
			  size_t max);

/**
 * vsamp_ratio_parse - a ratio by its text, NAME=EVENT/EVENT
 *
 * Events are named as in the recording, with or without their levels; without, it is the first of
 * the name. Errors: -EINVAL, which tells what is wrong.
 */
int vsamp_ratio_parse(struct vsamp_ratio *ratio, const struct vsamp_recording *rec,
		      const char *text, struct vsamp_error *err);

/**
 * vsamp_ratio_value - its value
 * @events: numbers by event, as of a vsamp_profile_row
 *
 * NAN where there is nothing to divide by.
 */
double vsamp_ratio_value(const struct vsamp_ratio *ratio, const double *events);

#ifdef __cplusplus
}
#endif

#endif
