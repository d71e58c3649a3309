/* SPDX-License-Identifier: MIT */
/* What a launched command tells of its tasks and events by ITT, on its way to the recording */
#ifndef SPOOLING_H
#define SPOOLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/file.h>
#include <vsamp/itt_spool.h>

#include "ends.h"
#include "options.h"

#define SPOOLING_LIBRARY_MAX \
	2000 /* bytes that static parts have room for, with what else they read */

struct spooling {
	char dir[64];		       /* "": none */
	uint32_t clock;		       /* VSAMP_CLOCK_x of the session */
	struct vsamp_itt_spool *spool; /* NULL: none */
	bool joins;   /* programs run already: what came before the first file isn't of it */
	uint64_t due; /* CLOCK_MONOTONIC: when it is drained again; 0: there is nothing yet */
	int first;    /* readable once there is; 0: it isn't watched */
	struct vsamp_itt_totals told;
};

/*
 * Has a command that is launched from now on find the collector. Whatever is in the way is said, and
 * leaves the recording as it is without. Who waits for @ends is woken by the first file.
 */
void spooling_begin(struct spooling *s, const struct options *o, uint32_t clock, struct ends *ends);

/* What comes from now on goes to a file, behind its META; that before has what came until now */
int spooling_start(struct spooling *s, struct vsamp_writer *w, struct vsamp_error *err);

/* The earlier of a deadline (0: none) and when there is something to drain */
uint64_t spooling_next(const struct spooling *s, uint64_t deadline);

/* Drains, if it is time */
int spooling_step(struct spooling *s, struct vsamp_error *err);

/*
 * Takes what is left into the recording, and removes the folder, if it was made. @w is NULL where the
 * recording failed by @failed: then it is only removed, and @failed is returned.
 */
int spooling_end(struct spooling *s, struct vsamp_writer *w, int failed, struct vsamp_error *err);

/* What is missing, if anything is */
void spooling_say(const struct vsamp_itt_totals *totals);

/* The path of the collector, which is beside the library that this command has loaded; false: none */
bool spooling_collector(char *path, size_t size);

/*
 * What VSAMP_ITT_CLOCK is to be for sessions of a clock; NULL: nothing. Times of the TSC are turned
 * into those of a session in ns, if the TSC is the kernel's clock, too.
 */
const char *spooling_clock(uint32_t clock);

#endif
