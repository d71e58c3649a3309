/* SPDX-License-Identifier: MIT */
/* --itt-pause and --start-paused: what pauses of programs, by ITT, do to a recording */
#ifndef PAUSING_H
#define PAUSING_H

#include <vsamp/itt_pauses.h>
#include <vsamp/itt_spool.h>

#include "ends.h"
#include "options.h"

struct pausing {
	struct vsamp_itt_pauses *all; /* of the recording; NULL: each process has its own */
	uint64_t resumes;	      /* of the recording */
};

/* Before the command is launched, which makes its files in @dir, "": none */
int pausing_begin(struct pausing *p, const struct options *o, const char *dir, uint32_t clock,
		  struct ends *ends, struct vsamp_error *err);

/* Before the folder is removed */
void pausing_end(struct pausing *p);

/* Says if nothing was resumed */
void pausing_say(const struct pausing *p, const struct options *o,
		 const struct vsamp_itt_totals *told);

#endif
