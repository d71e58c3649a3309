/* SPDX-License-Identifier: MIT */
/* How far a run is, on a terminal */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	uint64_t began_ns; /* CLOCK_MONOTONIC */
	uint64_t total_ns; /* 0: not known */
	uint64_t next_ns;  /* when to show it again; UINT64_MAX: never */
	bool shown;
};

/* Nothing is ever shown where standard error is no terminal, or where it is to be quiet */
void progress_begin(struct progress *p, uint64_t total_ns, bool quiet);

/* Shows it if it is time; returns when that is next, or the deadline (0: none) if it is before */
uint64_t progress_show(struct progress *p, uint64_t deadline);

/* Takes it away, for the lines that follow */
void progress_end(struct progress *p);

#endif
