/* SPDX-License-Identifier: MIT */
/* A run: one session over what the options say, from the launch of the command to its end */
#ifndef RUN_H
#define RUN_H

#include <vsamp/control.h>
#include <vsamp/itt_pauses.h>
#include <vsamp/recorder.h>

#include "choice.h"
#include "ends.h"
#include "launch.h"
#include "options.h"
#include "progress.h"

/* What counts, and what all sampled CPUs can */
struct run_cpus {
	struct vsamp_backend_choice choice;
	struct vsamp_cpu_caps caps;
	unsigned int n;
	char list[4096];   /* "0-3"; with holes, of many CPUs, it is long */
	unsigned int sets; /* that the events take */
};

enum run_end {
	RUN_DURATION,
	RUN_SIGNAL,
	RUN_EXIT,
	RUN_FOREIGN, /* somebody else wrote to the PMU */
	RUN_REBOOT,  /* the machine is being rebooted */
};

struct run {
	const struct options *o;
	uint32_t backend;
	struct ends *ends;
	uint32_t set;			 /* of the events, that is counted */
	bool collect;			 /* into the writer; else it counts */
	bool rehearsal;			 /* another run follows: nothing of the command may stay */
	struct vsamp_writer *writer;	 /* NULL: there is no file yet */
	struct vsamp_sideband *sideband; /* goes on also while it counts; NULL: none */
	struct vsamp_itt_pauses *pauses; /* of programs; NULL: they don't pause the session */
	struct adapt *adapt;		 /* NULL: Sample-After values stay as they are */
	/* Goes on in another file, by SIGUSR2 or when it is time; NULL: it doesn't */
	int (*rotate)(struct run *r, void *arg, struct vsamp_error *err);
	void *rotate_arg;
	uint64_t rotate_due;	   /* CLOCK_MONOTONIC */
	struct spooling *spooling; /* NULL: nobody tells of tasks */
	struct gpu_recording *gpu; /* NULL: no run that collects */

	struct vsamp_session *session;
	struct vsamp_recorder *recorder;
	struct launch child;
	struct progress progress;
	bool delayed;	   /* it is to begin, or go on, at the end of the start delay */
	uint64_t began_ns; /* CLOCK_MONOTONIC_RAW */
	uint64_t elapsed_ns;
	enum run_end end;
	int exit_code; /* where it failed: of vsamp itself; the caller's to begin with */
};

/* Opens the cgroups; chooses what counts, and a set and a counter for each event where that is to be known */
int run_cpus_get(struct run_cpus *cpus, struct options *o, struct vsamp_error *err);

/* Does the command's process tree make up the scope? */
bool run_is_launch(const struct options *o);

/* Forks the command, opens and configures the session, with the events as they are in o */
int run_open(struct run *r, struct vsamp_error *err);

/* Waits for the start delay and starts; lets the command go on */
int run_start(struct run *r, struct vsamp_error *err);

/* Waits for the end, at most for ns (0: any time), stops, and fills end and elapsed_ns */
int run_finish(struct run *r, uint64_t ns, struct vsamp_error *err);

/* Why a session ended by itself, as the first part of a sentence; NULL: it didn't */
const char *run_end_text(enum run_end end);

/* Closes the session, then ends the command and what it started, unless it came to its own end */
void run_close(struct run *r);

/* A whole run that counts; stats are freed by the caller, always */
int run_count(struct run *r, uint64_t ns, struct vsamp_stats *stats, struct vsamp_error *err);

/* Of one CPU, and the sum over all: scaled by what part of the time the event was counted */
double run_cpu_count(const struct vsamp_cpu_stats *cpu, unsigned int event);
double run_stats_count(const struct vsamp_stats *stats, unsigned int event);

/* Part of the time that the event was counted; 1: always */
double run_stats_share(const struct vsamp_stats *stats, unsigned int event);

#endif
