/* SPDX-License-Identifier: MIT */
/* The options of the commands that collect: record, stat and calibrate */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <vsamp/calibrate.h>
#include <vsamp/cgroup.h>
#include <vsamp/event.h>

#include "vsamp.h"

enum options_for {
	OPTIONS_RECORD = 1,
	OPTIONS_STAT = 2,
	OPTIONS_CALIBRATE = 4,
	OPTIONS_TOP = 8,
};

enum options_cal_scope {
	OPTIONS_CAL_AUTO, /* per CPU for the machine, in total for processes */
	OPTIONS_CAL_CPU,
	OPTIONS_CAL_TOTAL,
};

#define OPTIONS_LISTS_MAX 64 /* of -e, and of -G */

struct options {
	const char *event_list[OPTIONS_LISTS_MAX]; /* of -e, as given */
	unsigned int n_event_lists;
	const char *event_config; /* read beside the usual files; NULL: none */
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	unsigned int n_events;
	uint32_t
		mux_ms; /* count sets of events in turn, for so long each; 0: one after the other */

	bool all;	  /* whatever runs on the CPUs */
	const char *cpus; /* NULL: all */
	pid_t pids[VSAMP_PIDS_MAX];
	unsigned int n_pids;
	bool children; /* processes that those sampled fork are sampled, too */
	bool children_given;
	const char *cgroup_list[OPTIONS_LISTS_MAX]; /* of -G, as given */
	unsigned int n_cgroup_lists;
	struct vsamp_cgroups cgroups; /* those, opened by run_cpus_get() */
	char **command;		      /* NULL: none */
	const char *user;	      /* that the command runs as, NULL: not given */

	double duration_s; /* 0: until it is ended */
	double delay_ms;
	double rotate_s;   /* of a file; 0: there is one */
	unsigned int keep; /* files; 0: all */
	double interval_ms;
	bool interval_given;

	uint32_t backend; /* asked for; 0: the best there is */
	bool force;
	bool no_sideband;
	bool no_itt;
	const char *itt_dir;  /* of programs that run already; NULL: none */
	bool itt_session;     /* pauses of programs are the recording's */
	bool start_paused;    /* until a program resumes */
	bool gpu;	      /* a GPU's reports, too */
	const char *gpu_slot; /* which, perhaps with the set behind it; NULL: not given */
	const char *gpu_set;  /* "": not given */
	double gpu_period_ms, gpu_interval_ms; /* 0: not given */
	bool watchdog_off;
	uint32_t ring_size;	/* 0: default */
	uint32_t sideband_size; /* 0: default */
	uint32_t pmi_limit;	/* 0: default */
	uint32_t stacks;	/* VSAMP_STACKS_*: of samples; 0: none */
	uint32_t stack_depth;	/* frames of either side; 0: not given */

	enum vsamp_cal_mode cal_mode;
	bool adaptive;
	enum options_cal_scope cal_scope;
	double cal_time_s; /* 0: as long as the recording */

	double refresh_s;   /* of top */
	uint32_t refreshes; /* and how many; 0: until it is ended */
	uint32_t rows;	    /* shown; 0: as many as there is room for */
	bool batch;

	const char *output;
	bool help;
	bool json;
	bool quiet;
	bool verbose;
};

/*
 * Reads the arguments behind argv[0], and the files of event properties. 0, or a negative errno
 * value with what is wrong. The strings stay argv's. Where no event is named none is selected: what
 * there is to count isn't known here.
 */
int options_parse(struct options *o, enum options_for command, char **argv,
		  struct vsamp_error *err);

/* The last step of that: events, by what -e and the files say */
int options_read_events(struct options *o, struct vsamp_error *err);

/*
 * options_calibration.c: 1: @arg was a calibration option, 0: it is none. *taken: so was what is next,
 * NULL at the end
 */
int options_take_calibration(struct options *o, const char *arg, const char *next, bool *taken,
			     struct vsamp_error *err);

/* options_rotate.c: --rotate and --keep */
int options_take_rotate(struct options *o, const char *value, struct vsamp_error *err);
int options_take_keep(struct options *o, const char *value, struct vsamp_error *err);

/* spooling.c: --itt */
int options_take_itt(struct options *o, const char *value, struct vsamp_error *err);

/* pausing.c: --itt-pause and --start-paused */
int options_take_itt_pause(struct options *o, const char *value, struct vsamp_error *err);
int options_take_start_paused(struct options *o, const char *value, struct vsamp_error *err);

/* gpu_choice.c: --gpu, --gpu-period and --gpu-interval */
int options_take_gpu(struct options *o, const char *value, struct vsamp_error *err);
int options_take_gpu_period(struct options *o, const char *value, struct vsamp_error *err);
int options_take_gpu_interval(struct options *o, const char *value, struct vsamp_error *err);
int options_check_gpu(const struct options *o, struct vsamp_error *err);

/* options_size.c: --ring-size and --sideband-size */
int options_take_ring_size(struct options *o, const char *value, struct vsamp_error *err);
int options_take_sideband_size(struct options *o, const char *value, struct vsamp_error *err);

/* options_stacks.c: --call-graph and --stack-depth */
int options_take_call_graph(struct options *o, const char *value, struct vsamp_error *err);
int options_take_stack_depth(struct options *o, const char *value, struct vsamp_error *err);

/* options_top.c: --delay, --iterations, --rows, --batch */
int options_take_refresh(struct options *o, const char *value, struct vsamp_error *err);
int options_take_refreshes(struct options *o, const char *value, struct vsamp_error *err);
int options_take_rows(struct options *o, const char *value, struct vsamp_error *err);
int options_take_batch(struct options *o, const char *value, struct vsamp_error *err);

/* What stacks there are of these events by this backend; says where they are less deep than asked */
int options_settle_stacks(struct options *o, uint32_t backend, struct vsamp_error *err);

/* Selects these, too */
int options_add_events(struct options *o, const char *list, struct vsamp_error *err);

#endif
