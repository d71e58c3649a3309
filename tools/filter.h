/* SPDX-License-Identifier: MIT */
/* What all commands that show a recording are asked: which file, and which events and samples of it */
#ifndef FILTER_H
#define FILTER_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/cpulist.h>
#include <vsamp/filter.h>
#include <vsamp/recording.h>

#define FILTER_MAX 1024 /* of a list */

/* An end of --time */
struct filter_time {
	uint64_t ns;	/* from zero on */
	double percent; /* of the recording; NAN: ns holds */
};

struct filter {
	const char *command; /* whose options they are */
	const char *path;
	const char *event[FILTER_MAX]; /* NAME, or NAME with its levels */
	size_t events;		       /* 0: all */
	uint32_t pid[FILTER_MAX], tid[FILTER_MAX];
	struct vsamp_cpulist cpus;
	const char *comm[FILTER_MAX], *module[FILTER_MAX], *symbol[FILTER_MAX];
	bool absolute; /* times are of CLOCK_MONOTONIC_RAW, as shown; else from the recording's begin on */
	bool timed;
	bool mangled; /* names of symbols as linkers know them */
	struct filter_time from, to;
	struct vsamp_filter
		samples; /* the same, as the library takes it; times by filter_settle() */
};

/* Options that all these commands have, and one that some have; their own codes are below 256 */
#define FILTER_TID     256
#define FILTER_TIME    257
#define FILTER_MANGLED 258
#define FILTER_SHORT   "i:e:p:C:c:d:S:"
/* Of samples: when, on which CPU, of whom */
#define FILTER_LONG_SAMPLES                                                                 \
	{ "event", required_argument, NULL, 'e' }, { "pid", required_argument, NULL, 'p' }, \
		{ "tid", required_argument, NULL, FILTER_TID },                             \
		{ "cpu", required_argument, NULL, 'C' },                                    \
		{ "comms", required_argument, NULL, 'c' },                                  \
	{                                                                                   \
		"time", required_argument, NULL, FILTER_TIME                                \
	}
/* Of the code that they fell into */
#define FILTER_LONG_CODE                                                                       \
	{ "dsos", required_argument, NULL, 'd' }, { "modules", required_argument, NULL, 'd' }, \
	{                                                                                      \
		"symbols", required_argument, NULL, 'S'                                        \
	}
#define FILTER_LONG { "input", required_argument, NULL, 'i' }, FILTER_LONG_SAMPLES, FILTER_LONG_CODE

#define FILTER_HELP                                                                              \
	"  -i, --input FILE     the same as FILE\n"                                              \
	"  -e, --event EVENTS   only these events, with commas between them (NAME, or NAME:u)\n" \
	"  -p, --pid PIDS       only these processes\n"                                          \
	"      --tid TIDS       only these threads\n"                                            \
	"  -C, --cpu LIST       only these CPUs, as 0-3,8\n"                                     \
	"  -c, --comms NAMES    only threads of these names\n"                                   \
	"  -d, --dsos, --modules MODULES  only samples in these: path, or its last part\n"       \
	"  -S, --symbols NAMES  only samples in these functions\n"

/* A number from @min on that takes all of the text; -EINVAL */
int filter_number(const char *text, uint64_t min, uint64_t max, uint64_t *n);

/* Says what is wrong with an option, or with what is none; returns an exit code */
int filter_error(const struct filter *f, const char *what, const char *value, const char *remedy);

/* Adds the names of a list with commas between them, of which @list becomes them. An exit code */
int filter_names(const struct filter *f, const char *option, char *list,
		 const char *name[FILTER_MAX], size_t *count);

/* Takes those of FILTER_LONG; what else usage_next() gave was refused by it. An exit code, the error is said */
int filter_option(struct filter *f, int c);

/* What is behind the options: the file, if -i didn't name one. An exit code, the error is said */
int filter_file(struct filter *f, int argc, char **argv);

/*
 * Settles what depends on the recording: whether it has the events that are asked for, and times.
 * An exit code, the error is said
 */
int filter_settle(struct filter *f, const struct vsamp_recording *rec);

bool filter_wants_event(const struct filter *f, const struct vsamp_recording_event *event);

void filter_free(struct filter *f);

#endif
