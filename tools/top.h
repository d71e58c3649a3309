/* SPDX-License-Identifier: MIT */
/* A running session, shown */
#ifndef TOP_H
#define TOP_H

#include <vsamp/live.h>

#include "calibration.h"
#include "ends.h"
#include "run.h"

struct top {
	struct options o;
	struct run_cpus cpus;
	struct ends ends;
	struct calibration calibration;
	struct run run;
	struct vsamp_sideband *sideband;
	struct vsamp_live *live;
	bool interactive;
	bool paused; /* what is shown stays; samples are taken on */
	bool help;
	size_t event;	   /* shown */
	uint32_t steps;	   /* so far */
	uint64_t since_ns; /* CLOCK_MONOTONIC, of the last step */
	double step_s;	   /* its length */
};

/* top_print.c: prints what the last step found: a screen, or a block of text. An errno value */
int top_print(struct top *t, struct vsamp_error *err);

#endif
