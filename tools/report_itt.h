/* SPDX-License-Identifier: MIT */
/* A report of what programs tell of themselves: tasks, events, and the samples in them */
#ifndef REPORT_ITT_H
#define REPORT_ITT_H

#include <vsamp/itt.h>

#include "report.h"

struct json_object;

struct report_itt {
	struct report *r;
	struct vsamp_timeline *timeline;
	struct vsamp_itt_tally *tally;
	const struct vsamp_itt_stat *stat;
	const struct vsamp_itt_share *share; /* by row and event */
	size_t rows;
	uint64_t paused; /* samples that were left out */
};

/* Events that a row's samples stand for; @exclusive: those that are its own */
void report_itt_events(const struct report_itt *t, size_t row, bool exclusive, double *events);

/* A kind in few words */
const char *report_itt_kind_name(enum vsamp_span_kind kind);

/* report_itt_json.c */
void report_itt_json(const struct report_itt *t);

/* report_itt_csv.c: an exit code */
int report_itt_csv(const struct report_itt *t);

/* report_itt_told.c: whether there is anything of metadata, relations and histograms */
bool report_itt_told(const struct report_itt *t);
/* Of these, and of calls that are in no row */
void report_itt_print_told(const struct report_itt *t);
void report_itt_json_told(const struct report_itt *t, struct json_object *root);

#endif
