/* SPDX-License-Identifier: MIT */
/* What a recording came to, as its last lines tell it */
#ifndef OUTCOME_H
#define OUTCOME_H

#include <stdint.h>

#include <vsamp/meta.h>

#include "calibration.h"
#include "options.h"

struct outcome {
	const struct options *o;
	const struct calibration *calibration;
	const struct vsamp_recorder_totals *totals;
	const struct vsamp_end_run *ended; /* by set */
	unsigned int sets;		   /* that were recorded */
	uint64_t file_size;
	unsigned int files; /* 0: it is one, without a number */
};

void outcome_say(const struct outcome *s);

/* Ring size, bytes, that would have held what was lost on the worst CPU; 0: none would */
uint64_t outcome_ring_size(const struct vsamp_recorder_totals *t, uint64_t ring_size);

/* By what to multiply the Sample-After values so that the worst CPU loses nothing as it is read */
double outcome_sav_factor(const struct vsamp_recorder_totals *t);

#endif
