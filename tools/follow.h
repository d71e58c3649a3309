/* SPDX-License-Identifier: MIT */
/* What the processes that are sampled do: the sideband of a run */
#ifndef FOLLOW_H
#define FOLLOW_H

#include <vsamp/sideband.h>

#include "run.h"

/* Opens it, of the processes alone where that is all that may be had; tells of a small buffer */
int follow_open(struct vsamp_sideband **sideband, const struct options *o, const struct run *r,
		struct vsamp_error *err);

/* What runs already, of whom it follows */
int follow_synthesize(struct vsamp_writer *w, const struct options *o, const struct run *r,
		      struct vsamp_error *err);

#endif
