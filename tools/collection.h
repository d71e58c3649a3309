/* SPDX-License-Identifier: MIT */
/* The file of a recording: what was asked, the collections of all sets of events, and the account */
#ifndef COLLECTION_H
#define COLLECTION_H

#include <vsamp/meta.h>

#include "adapt.h"
#include "calibration.h"
#include "gpu_recording.h"
#include "options.h"
#include "output.h"
#include "pausing.h"
#include "rotation.h"
#include "run.h"
#include "spooling.h"

struct collection {
	const struct options *o;
	const struct run_cpus *cpus;
	struct calibration *calibration;
	char *const *argv; /* of vsamp itself */

	struct output output; /* its writer is NULL until the first set is collected */
	struct vsamp_sideband *sideband;
	struct spooling spooling;
	struct pausing pausing;
	struct adapt adapt;
	struct gpu_recording gpu;
	struct vsamp_recorder_totals totals;	      /* of the sets that were collected */
	struct vsamp_end_run ended[VSAMP_EVENTS_MAX]; /* likewise, by set */
	unsigned int sets;
	bool incomplete; /* a collection failed: the file gets no END */

	/* With several files: what is of the one that is being written */
	struct rotation rotation;
	struct vsamp_recorder_totals part;
	struct vsamp_end_run part_ended;
	struct vsamp_cal_event part_event[VSAMP_EVENTS_MAX]; /* with targets of a part */
	uint64_t began_ns, part_began_ns;		     /* CLOCK_MONOTONIC_RAW */
};

/* Collects a set, in its turn; r being initialised. For errors r->exit_code is meant. */
int collection_run(struct collection *c, const struct vsamp_cal_step *step, struct run *r,
		   struct vsamp_error *err);

/* Sets that were not collected */
unsigned int collection_missing(const struct collection *c);

/* Writes the account, says what came of it, and closes the file; nothing if there is none */
int collection_end(struct collection *c, struct vsamp_error *err);

#endif
