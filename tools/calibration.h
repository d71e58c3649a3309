/* SPDX-License-Identifier: MIT */
/* The calibration run, and what follows from it for the events and their targets */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <vsamp/meta.h>

#include "options.h"
#include "run.h"

struct calibration {
	unsigned int runs; /* the recording included */
	double seconds;	   /* counted; NAN: there was no calibration run */
	unsigned int cpus; /* that have the target each; 1: it is a total */
	bool per_cpu;
	bool command_took; /* duration_s is what the command took */
	double duration_s; /* that the targets are for; NAN: not known before the end */
	struct vsamp_meta_event event[VSAMP_EVENTS_MAX]; /* NAN where unknown, or not aimed at */
};

/* What there is to do; says so, unless quiet */
void calibration_plan(struct calibration *c, const struct options *o, const struct run_cpus *cpus);

/*
 * Does it: sets the events' Sample-After values in o. *exit_code is meant for an error. -EINTR: a
 * signal came, ends->signal.
 */
int calibration_do(struct calibration *c, struct options *o, const struct run_cpus *cpus,
		   struct ends *ends, int *exit_code, struct vsamp_error *err);

/* Samples of an event aimed at in a run of this length; NAN: none */
double calibration_target(const struct calibration *c, const struct options *o, unsigned int event,
			  double seconds);

#endif
