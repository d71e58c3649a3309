/* SPDX-License-Identifier: MIT */
/* Sample-After values that follow the program while it is recorded (--cal=adaptive) */
#ifndef ADAPT_H
#define ADAPT_H

#include <vsamp/calibrate.h>
#include <vsamp/recorder.h>

struct adapt {
	const struct vsamp_cal *cal; /* the events' values are set in it, too */
	bool force;
	uint32_t set;
	uint64_t began_ns;		  /* CLOCK_MONOTONIC */
	uint64_t last_ns;		  /* of the last look */
	uint64_t period_ns;		  /* from look to look */
	double counted[VSAMP_EVENTS_MAX]; /* by then */
	struct vsamp_cal_pace pace[VSAMP_EVENTS_MAX];
};

/* Begins with the collection of a set, of whose duration and targets cal tells */
void adapt_begin(struct adapt *a, const struct vsamp_cal *cal, uint32_t set, uint64_t duration_ns,
		 bool force);

/* When to look next, CLOCK_MONOTONIC ns; the deadline (0: none) if that is before */
uint64_t adapt_next(const struct adapt *a, uint64_t deadline);

/* Looks, if it is time, and changes what is to be changed */
int adapt_step(struct adapt *a, struct vsamp_session *session, struct vsamp_recorder *recorder,
	       struct vsamp_error *err);

#endif
