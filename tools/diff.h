/* SPDX-License-Identifier: MIT */
/* Recordings beside each other: what is asked, and its parts */
#ifndef DIFF_H
#define DIFF_H

#include <vsamp/profile.h>

#include "filter.h"
#include "report.h"

#define DIFF_FILES_MAX 16
#define DIFF_KEYS_MAX  8

struct diff_file {
	const char *path;
	struct vsamp_recording *rec;
	struct vsamp_profile *profile;
	const struct vsamp_recording_event *event;
	size_t events;
};

struct diff {
	struct filter filter;
	struct diff_file file[DIFF_FILES_MAX]; /* the first is the baseline */
	size_t files;
	const struct report_key *key[DIFF_KEYS_MAX];
	size_t keys;
	bool per_second; /* else shares are compared */
	bool json;
	size_t rows_max; /* 0: all */
};

/* An event that all recordings have, by its index in each */
struct diff_event {
	size_t index[DIFF_FILES_MAX];
};

struct diff_row {
	char *text[DIFF_KEYS_MAX]; /* by key */
	uint64_t samples[DIFF_FILES_MAX];
	double events[DIFF_FILES_MAX];
	double value[DIFF_FILES_MAX]; /* percent of the event, or events a second */
};

/* diff_rows.c: largest difference first; to be freed, always. 0 or -ENOMEM, the library's err else */
int diff_rows(const struct diff *d, const struct diff_event *event, struct diff_row **rows,
	      size_t *count, struct vsamp_error *err);
void diff_rows_free(const struct diff *d, struct diff_row *rows, size_t count);

const struct vsamp_recording_event *diff_event(const struct diff *d, const struct diff_event *event,
					       size_t file);

/* ns in which a recording counted the event */
uint64_t diff_elapsed(const struct diff *d, const struct diff_event *event, size_t file);

/* Events a second */
double diff_rate(const struct diff *d, const struct diff_event *event, size_t file, double events);

/* diff_print.c, diff_json.c: exit codes */
int diff_print(const struct diff *d, const struct diff_event *events, size_t count);
int diff_json(const struct diff *d, const struct diff_event *events, size_t count);

#endif
