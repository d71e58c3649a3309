/* SPDX-License-Identifier: MIT */
/* A run: one session over what the options say, from the launch of the command to its end */
#ifndef RUN_H
#define RUN_H

#include <vsamp/control.h>
#include <vsamp/recorder.h>

#include "ends.h"
#include "launch.h"
#include "options.h"

/* What all sampled CPUs can */
struct run_cpus {
	struct vsamp_cpu_caps caps;
	unsigned int n;
	char list[4096]; /* "0-3"; with holes, of many CPUs, it is long */
};

enum run_end {
	RUN_DURATION,
	RUN_SIGNAL,
	RUN_EXIT,
	RUN_FOREIGN, /* somebody else wrote to the PMU */
};

struct run {
	const struct options *o;
	struct ends *ends;
	/* Of a run that records; NULL: it counts */
	struct vsamp_writer *writer;
	struct vsamp_sideband *sideband;
	bool rehearsal; /* another run follows: nothing of the command may stay */

	struct vsamp_session *session;
	struct vsamp_recorder *recorder;
	struct launch child;
	uint64_t began_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t elapsed_ns;
	enum run_end end;
	int exit_code; /* where starting failed: of vsamp itself */
};

/* Asks the module, and chooses a counter for each event */
int run_cpus_get(struct run_cpus *cpus, struct options *o, struct vsamp_error *err);

/* Does the command's process tree make up the scope? */
bool run_is_launch(const struct options *o);

/* Forks the command, opens and configures the session, with the events as they are in o */
int run_open(struct run *r, const struct options *o, struct ends *ends, struct vsamp_error *err);

/* Waits for the start delay and starts; lets the command go on */
int run_start(struct run *r, struct vsamp_error *err);

/* Waits for the end, at most for seconds (0: any time), stops, and fills end and elapsed_ns */
int run_finish(struct run *r, double seconds, struct vsamp_error *err);

/* Closes the session, then ends the command and what it started, unless it came to its own end */
void run_close(struct run *r);

/* A whole run that counts, r as it is initialised; stats are freed by the caller, always */
int run_count(const struct options *o, struct ends *ends, double seconds, struct run *r,
	      struct vsamp_stats *stats, struct vsamp_error *err);

/* Sum over the CPUs */
uint64_t run_stats_count(const struct vsamp_stats *stats, unsigned int event);

#endif
