/* SPDX-License-Identifier: MIT */
/* Calibration as the options ask for it: the runs that count, and what is said of them */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <vsamp/calibrate.h>

#include "options.h"
#include "run.h"

struct calibration {
	struct vsamp_cal cal;
	bool per_cpu; /* the target is that of each CPU */
};

/* Begins, with what needs no run; says so, unless quiet */
int calibration_begin(struct calibration *c, struct options *o, const struct run_cpus *cpus,
		      struct vsamp_error *err);

/*
 * A calibration run, r being initialised; says what comes of it. -EINTR: a signal came, r->ends
 * knows which. For other errors r->exit_code is meant.
 */
int calibration_run(struct calibration *c, const struct options *o,
		    const struct vsamp_cal_step *step, struct run *r, struct vsamp_error *err);

/* " set 2 of 3 (A, B)," of a step, where there are several; else "" */
void calibration_set_text(const struct calibration *c, const struct vsamp_cal_step *step,
			  char *text, size_t size);

#endif
