// SPDX-License-Identifier: MIT
/* report --itt: how often there was what, how long it took, and the samples that fell into it */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/trace.h>

#include "cmd.h"
#include "escape.h"
#include "report_itt.h"
#include "summary.h"
#include "terminal.h"

#define TIMES_WIDTH   84 /* all columns before those of samples */
#define SAMPLES_WIDTH 10 /* with the blanks before them */
#define EVENTS_WIDTH  28 /* samples, events, and own events */
#define RATIO_WIDTH   8

void report_itt_events(const struct report_itt *t, size_t row, bool exclusive, double *events)
{
	for (size_t e = 0; e < t->r->events; e++) {
		const struct vsamp_itt_share *share = &t->share[row * t->r->events + e];

		events[e] = exclusive ? share->exclusive_events : share->events;
	}
}

const char *report_itt_kind_name(enum vsamp_span_kind kind)
{
	static const char *const kinds[VSAMP_SPAN_KINDS] = {
		[VSAMP_SPAN_TASK] = "task",   [VSAMP_SPAN_OVERLAPPED] = "overlapped task",
		[VSAMP_SPAN_EVENT] = "event", [VSAMP_SPAN_REGION] = "region",
		[VSAMP_SPAN_FRAME] = "frame", [VSAMP_SPAN_MARKER] = "marker",
		[VSAMP_SPAN_WAIT] = "wait",
	};

	return kinds[kind];
}

/* A recording of calls alone has an event without samples; samples are of tasks and events */
static bool shows(const struct report_itt *t, enum vsamp_span_kind kind, size_t event)
{
	return kind <= VSAMP_SPAN_EVENT && report_wants(t->r, event) && t->r->event[event].samples;
}

static size_t ratios_of(const struct report_itt *t, enum vsamp_span_kind kind)
{
	return kind <= VSAMP_SPAN_EVENT ? t->r->ratios : 0;
}

static int add_samples(struct report_itt *t, struct vsamp_error *err)
{
	struct vsamp_trace_sample sample;
	struct vsamp_trace *trace;
	struct vsamp_item item;
	int ret = vsamp_trace_new(&trace, t->r->rec, VSAMP_TRACE_PAUSED, err);

	if (ret)
		return ret;
	while ((ret = vsamp_trace_next(trace, &item, &sample, err)) > 0) {
		if (ret != 2 || !vsamp_filter_wants(&t->r->filter.samples, &sample))
			continue;
		ret = vsamp_itt_tally_add(t->tally, sample.pid, sample.tid, sample.time,
					  sample.event, sample.events);
		if (ret < 0) {
			vsamp_fail(err, ret, "out of memory");
			break;
		}
	}
	vsamp_trace_free(trace);
	return ret;
}

static int gather(struct report_itt *t, struct vsamp_error *err)
{
	int ret = vsamp_timeline_new(&t->timeline, t->r->rec, err);

	if (!ret)
		ret = vsamp_itt_tally_new(&t->tally, vsamp_timeline_itt(t->timeline), t->r->events,
					  err);
	if (!ret)
		ret = add_samples(t, err);
	if (ret)
		return ret;
	t->rows = vsamp_itt_tally_end(t->tally, &t->stat, &t->share, &t->paused);
	if (t->rows || report_itt_told(t))
		return 0;
	return vsamp_fail(err, -ENODATA,
			  "%s: has no ITT tasks and events: they come from programs that tell of "
			  "them by ittnotify",
			  t->r->filter.path);
}

static void print_events(const struct report_itt *t, enum vsamp_span_kind kind)
{
	const struct report *r = t->r;
	bool any = false;

	for (size_t e = 0; e < r->events; e++)
		any |= shows(t, kind, e);
	if (!any)
		return;
	printf("%*s", TIMES_WIDTH, "");
	for (size_t e = 0; e < r->events; e++) {
		int width = escape_width(r->event[e].name) + strlen(r->event[e].levels);

		if (!shows(t, kind, e))
			continue;
		printf("%*s", width < EVENTS_WIDTH ? EVENTS_WIDTH - width : 1, "");
		escape_print(stdout, r->event[e].name, 0);
		fputs(r->event[e].levels, stdout);
	}
	putchar('\n');
}

/* A long name of an event moves what is behind it */
static int event_more(const struct vsamp_recording_event *e)
{
	int width = escape_width(e->name) + strlen(e->levels) + 1;

	return width > EVENTS_WIDTH ? width - EVENTS_WIDTH : 0;
}

static void print_heads(const struct report_itt *t, enum vsamp_span_kind kind)
{
	const struct report *r = t->r;

	printf("%9s%10s%10s%9s%9s%9s%9s%9s%10s", "count", "total ms", "own ms", "min us", "avg us",
	       "50% us", "90% us", "99% us", "max us");
	for (size_t e = 0; e < r->events; e++)
		if (shows(t, kind, e))
			printf("%*s%9s%9s", SAMPLES_WIDTH + event_more(&r->event[e]), "samples",
			       "events", "own");
	for (size_t i = 0; i < ratios_of(t, kind); i++)
		printf("  %*s%*s", RATIO_WIDTH - 2, r->ratio[i].name, RATIO_WIDTH, "own");
	fputs("  name\n", stdout);
}

static void print_ratio(const struct vsamp_ratio *ratio, const double *events)
{
	double value = vsamp_ratio_value(ratio, events);

	if (isnan(value))
		printf("%*s", RATIO_WIDTH, "-");
	else
		printf("%*.3f", RATIO_WIDTH, value);
}

/* In 9 columns: a whole number as long as it is short, then thousands, millions and so on */
static void print_amount(double x)
{
	static const char units[] = " kMGTPE";
	int unit = 0;

	if (x < 99999.5) {
		printf("%9.0f", x);
		return;
	}
	for (; x >= 999.9995 && units[unit + 1]; unit++)
		x /= 1000;
	printf("%8.3f%c", x, units[unit]);
}

static void print_row(const struct report_itt *t, size_t row, double *events)
{
	const struct vsamp_itt_stat *s = &t->stat[row];
	const struct vsamp_itt_durations *d = &s->inclusive;
	const struct report *r = t->r;

	printf("%9" PRIu64 "%10.3f%10.3f%9.1f%9.1f%9.1f%9.1f%9.1f%10.1f", s->count, d->total / 1e6,
	       s->exclusive.total / 1e6, d->min / 1e3, d->average / 1e3, d->p50 / 1e3, d->p90 / 1e3,
	       d->p99 / 1e3, d->max / 1e3);
	for (size_t e = 0; e < r->events; e++) {
		const struct vsamp_itt_share *share = &t->share[row * r->events + e];

		if (!shows(t, s->kind, e))
			continue;
		printf("%*" PRIu64, SAMPLES_WIDTH + event_more(&r->event[e]), share->samples);
		print_amount(share->events);
		print_amount(share->exclusive_events);
	}
	for (size_t i = 0; i < ratios_of(t, s->kind); i++)
		for (int exclusive = 0; exclusive < 2; exclusive++) {
			report_itt_events(t, row, exclusive, events);
			print_ratio(&r->ratio[i], events);
		}
	fputs("  ", stdout);
	escape_print(stdout, *s->name ? s->name : "-", 0);
	if (*s->domain) {
		fputs(" (", stdout);
		escape_print(stdout, s->domain, 0);
		putchar(')');
	}
	if (s->cut)
		printf(", %" PRIu64 " without an end", s->cut);
	if (s->ticks && s->ticks < s->count)
		printf(", %" PRIu64 " tick marks", s->ticks);
	putchar('\n');
}

static int print_tables(const struct report_itt *t)
{
	double *events = calloc(t->r->events, sizeof(*events));
	size_t shown = 0;

	if (!events)
		return EXIT_ERROR;
	for (size_t row = 0; row < t->rows; row++) {
		if (!row || t->stat[row].kind != t->stat[row - 1].kind) {
			printf("\n%s%ss%s\n", colour_heading(),
			       report_itt_kind_name(t->stat[row].kind), colour_end());
			print_events(t, t->stat[row].kind);
			print_heads(t, t->stat[row].kind);
			shown = 0;
		}
		if (!t->r->rows_max || shown < t->r->rows_max)
			print_row(t, row, events);
		else if (shown == t->r->rows_max)
			printf("  ... (-n %zu)\n", t->r->rows_max);
		shown++;
	}
	free(events);
	return 0;
}

static void say(const struct report_itt *t)
{
	const char *const *text;
	size_t texts = vsamp_itt_diagnoses(vsamp_timeline_itt(t->timeline), &text);

	for (size_t i = 0; i < texts; i++) {
		fputs("vsamp report: ITT: ", stderr);
		escape_print(stderr, text[i], 0);
		fputc('\n', stderr);
	}
	report_paused("report", t->paused);
}

int report_itt(struct report *r)
{
	struct report_itt t = { .r = r };
	struct vsamp_error err;
	int ret = 0;

	if (gather(&t, &err)) {
		ret = report_fail(&err);
	} else {
		pager_begin();
		if (r->form == REPORT_JSON) {
			report_itt_json(&t);
		} else if (r->form == REPORT_CSV) {
			ret = report_itt_csv(&t);
		} else {
			summary_print(r->rec, r->filter.path);
			ret = print_tables(&t);
			report_itt_print_told(&t);
		}
		say(&t);
	}
	vsamp_itt_tally_free(t.tally);
	vsamp_timeline_free(t.timeline);
	return ret ? ret : summary_end("report", r->rec);
}
