// SPDX-License-Identifier: MIT
/* The rows of a report, as they are sorted and shown */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "report.h"

double report_percent(const struct report *r, const double *events, size_t event)
{
	double all = r->event[event].estimated;

	return all > 0 ? 100.0 * events[event] / all : 0;
}

/* Samples of an event, or of all that are wanted; of an inclusive row its total's */
static bool row_has(const struct report *r, const struct vsamp_profile_row *row, size_t event)
{
	const uint64_t *samples = row->total_samples ? row->total_samples : row->samples;

	if (event != REPORT_ALL)
		return samples[event];
	for (size_t e = 0; e < r->events; e++)
		if (report_wants(r, e) && samples[e])
			return true;
	return false;
}

static int by_events(const struct vsamp_profile_row *x, const struct vsamp_profile_row *y,
		     const struct report *r)
{
	const double *a = x->total_events ? x->total_events : x->events;
	const double *b = y->total_events ? y->total_events : y->events;
	size_t e = r->sort_event;

	return a[e] != b[e] ? (a[e] < b[e]) - (a[e] > b[e]) :
			      (x->number > y->number) - (x->number < y->number);
}

/* Rows with the largest ratio first, and last those that have none */
static int by_ratio(const void *a, const void *b, void *arg)
{
	const struct vsamp_profile_row *x = a, *y = b;
	const struct report *r = arg;
	double v = vsamp_ratio_value(r->sort_ratio, x->events);
	double w = vsamp_ratio_value(r->sort_ratio, y->events);
	int ret = isnan(v) || isnan(w) ? isnan(v) - isnan(w) : (v < w) - (v > w);

	return ret ? ret : by_events(x, y, r);
}

static int by_time(const void *a, const void *b, void *arg)
{
	const struct vsamp_profile_row *x = a, *y = b;

	return x->time != y->time ? (x->time > y->time) - (x->time < y->time) :
				    by_events(x, y, arg);
}

/* Leaves out rows without samples; the others keep their order */
static size_t rows_keep(const struct report *r, struct vsamp_profile_row *rows, size_t count,
			size_t event)
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++)
		if (row_has(r, &rows[i], event))
			rows[n++] = rows[i];
	return n;
}

int report_rows(struct report *r, size_t event, struct vsamp_profile_row **rows, size_t *count)
{
	size_t first = event == REPORT_ALL ? r->sort_event : event;
	struct vsamp_error err;
	int ret = r->children ?
			  vsamp_profile_inclusive(r->profile, r->by, first, rows, count, &err) :
			  vsamp_profile_rows(r->profile, r->by, first, rows, count, &err);

	if (ret)
		return report_fail(&err);
	*count = rows_keep(r, *rows, *count, event);
	r->found |= *count;
	if (r->sort_ratio)
		qsort_r(*rows, *count, sizeof(**rows), by_ratio, r);
	else if (r->key[0]->by == VSAMP_BY_TIME)
		qsort_r(*rows, *count, sizeof(**rows), by_time, r);
	return 0;
}

int report_rows_by(struct report *r, unsigned int by, struct vsamp_profile_row **rows,
		   size_t *count)
{
	struct vsamp_error err;

	if (vsamp_profile_rows(r->profile, by, r->sort_event, rows, count, &err))
		return report_fail(&err);
	*count = rows_keep(r, *rows, *count, REPORT_ALL);
	return 0;
}

int report_tree(struct report *r, const struct vsamp_profile_row *row, size_t event,
		struct vsamp_profile_caller **callers, size_t *count)
{
	struct vsamp_error err;
	int ret = r->tree == REPORT_CALLEES ? vsamp_profile_callees(r->profile, row->number, event,
								    callers, count, &err) :
					      vsamp_profile_callers(r->profile, row->number, event,
								    callers, count, &err);

	return ret ? report_fail(&err) : 0;
}
