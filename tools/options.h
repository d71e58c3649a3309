/* SPDX-License-Identifier: MIT */
/* The options of the commands that collect: record and stat */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <vsamp/calibrate.h>
#include <vsamp/event.h>

#include "vsamp.h"

enum options_for {
	OPTIONS_RECORD = 1,
	OPTIONS_STAT = 2,
};

enum options_cal_scope {
	OPTIONS_CAL_AUTO, /* per CPU for the machine, in total for processes */
	OPTIONS_CAL_CPU,
	OPTIONS_CAL_TOTAL,
};

struct options {
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	unsigned int n_events;

	bool all;	  /* whatever runs on the CPUs */
	const char *cpus; /* NULL: all */
	pid_t pids[VSAMP_PIDS_MAX];
	unsigned int n_pids;
	char **command;	  /* NULL: none */
	const char *user; /* that the command runs as, NULL: not given */

	double duration_s; /* 0: until it is ended */
	double delay_ms;
	double interval_ms;

	bool backend; /* given: use it under a hypervisor too */
	bool force;
	bool no_sideband;
	bool watchdog_off;
	uint32_t ring_size;	/* 0: default */
	uint32_t sideband_size; /* 0: default */
	uint32_t pmi_limit;	/* 0: default */

	enum vsamp_cal_mode cal_mode;
	enum options_cal_scope cal_scope;
	double cal_time_s; /* 0: as long as the recording */

	const char *output;
	bool help;
	bool json;
	bool quiet;
	bool verbose;
};

/*
 * Reads the arguments behind argv[0]. 0, or a negative errno value with what is wrong. The strings
 * stay argv's. Where no event is named, Clockticks and Instructions Retired are selected.
 */
int options_parse(struct options *o, enum options_for command, char **argv,
		  struct vsamp_error *err);

#endif
