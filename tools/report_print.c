// SPDX-License-Identifier: MIT
/* A report as text: a table of all events, or one an event */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>

#include "cmd.h"
#include "escape.h"
#include "number.h"
#include "report.h"
#include "summary.h"
#include "terminal.h"

#define NOTES_MAX   5
#define NAME_WIDTH  40 /* of a column, where no name needs less */
#define SHARE_WIDTH 9  /* of a share, and of numbers of samples, with the blanks before them */
#define COUNT_WIDTH 11
#define RATIO_WIDTH 10

struct table {
	struct report *r;
	size_t event; /* or REPORT_ALL */
	struct vsamp_profile_row *row;
	size_t rows;  /* that there are */
	size_t shown; /* of these */
	size_t width[REPORT_KEYS_MAX];
	size_t more[VSAMP_EVENTS_MAX]; /* of an event_width() */
};

static bool has_column(const struct table *t, size_t event)
{
	return t->event == REPORT_ALL ? report_wants(t->r, event) : t->event == event;
}

static size_t columns(const struct table *t)
{
	size_t n = 0;

	for (size_t e = 0; e < t->r->events; e++)
		n += has_column(t, e);
	return n;
}

/* A row of one event needs but one column for all */
static bool one_column(const struct table *t)
{
	return t->r->by & VSAMP_BY_EVENT || columns(t) == 1;
}

static size_t name_width(const struct vsamp_recording_event *e)
{
	return escape_width(e->name) + strlen(e->levels);
}

static void print_name(const struct vsamp_recording_event *e)
{
	escape_print(stdout, e->name, 0);
	fputs(e->levels, stdout);
}

/* What an event's columns take, and what they take more so that its name has room above them */
static size_t event_width(const struct table *t, size_t event, size_t *more)
{
	size_t width = SHARE_WIDTH * (1 + t->r->children) + COUNT_WIDTH;
	size_t name = name_width(&t->r->event[event]) + 2;

	*more = !one_column(t) && name > width ? name - width : 0;
	return width + *more;
}

static void print_count(size_t width, uint64_t n)
{
	char text[NUMBER_MAX];

	number_print(stdout, text, number_whole(text, n), width);
}

static void print_ratio(size_t width, double value)
{
	char text[NUMBER_MAX];
	size_t length = number_fixed(text, value, 3);

	if (length)
		number_print(stdout, text, length, width);
	else
		printf("%*.3f", (int)width, value);
}

static void print_numbers(const struct table *t, const struct vsamp_profile_row *row, size_t event)
{
	size_t more = t->more[event];

	/* by events: not all samples stand for the same number */
	if (row->total_events) {
		escape_blanks(stdout, 2);
		colour_print_percent(SHARE_WIDTH - 2,
				     report_percent(t->r, row->total_events, event));
	}
	escape_blanks(stdout, 2);
	colour_print_percent(SHARE_WIDTH - 2, report_percent(t->r, row->events, event));
	print_count(COUNT_WIDTH + more, row->samples[event]);
}

static void print_ratios(const struct table *t, const struct vsamp_profile_row *row)
{
	for (size_t i = 0; i < t->r->ratios; i++) {
		double value = vsamp_ratio_value(&t->r->ratio[i], row->events);
		size_t name = escape_width(t->r->ratio[i].name) + 2;
		int width = name > RATIO_WIDTH ? name : RATIO_WIDTH;

		if (isnan(value))
			printf("%*s", width, "-");
		else
			print_ratio(width, value);
	}
}

static void print_row(const struct table *t, const struct vsamp_profile_row *row)
{
	const struct report *r = t->r;
	char text[512];

	if (r->by & VSAMP_BY_EVENT) {
		print_numbers(t, row, row->event);
	} else {
		for (size_t e = 0; e < r->events; e++)
			if (has_column(t, e))
				print_numbers(t, row, e);
		print_ratios(t, row);
	}
	for (size_t i = 0; i < r->keys; i++) {
		escape_blanks(stdout, 2);
		escape_print(stdout, report_text(r, row, r->key[i], text, sizeof(text)),
			     i + 1 < r->keys ? t->width[i] : 0);
	}
	putchar_unlocked('\n');
}

static void measure(struct table *t)
{
	char text[512];

	for (size_t e = 0; e < t->r->events; e++)
		event_width(t, e, &t->more[e]);
	for (size_t i = 0; i < t->r->keys; i++) {
		t->width[i] = strlen(t->r->key[i]->name);
		/* nothing is beside the last one */
		for (size_t j = 0; j < t->shown && i + 1 < t->r->keys; j++) {
			size_t w = escape_width(
				report_text(t->r, &t->row[j], t->r->key[i], text, sizeof(text)));

			if (w > t->width[i])
				t->width[i] = w < NAME_WIDTH ? w : NAME_WIDTH;
		}
	}
}

/* The names of the events above their columns */
static void print_events(const struct table *t)
{
	size_t more;

	for (size_t e = 0; e < t->r->events; e++) {
		if (!has_column(t, e))
			continue;
		printf("%*s", (int)(event_width(t, e, &more) - name_width(&t->r->event[e])), "");
		print_name(&t->r->event[e]);
	}
	putchar('\n');
}

static void print_heads(const struct table *t)
{
	const struct report *r = t->r;

	for (size_t e = 0; e < r->events; e++) {
		size_t more = 0;

		if (!has_column(t, e))
			continue;
		event_width(t, e, &more);
		if (r->children)
			printf("%*s", SHARE_WIDTH, "total");
		printf("%*s%*s", SHARE_WIDTH, "percent", COUNT_WIDTH + (int)more, "samples");
		if (r->by & VSAMP_BY_EVENT)
			break;
	}
	for (size_t i = 0; i < r->ratios && !(r->by & VSAMP_BY_EVENT); i++) {
		int blanks = RATIO_WIDTH - (int)escape_width(r->ratio[i].name);

		printf("%*s", blanks > 2 ? blanks : 2, "");
		escape_print(stdout, r->ratio[i].name, 0);
	}
	for (size_t i = 0; i < r->keys; i++)
		printf("  %-*s", i + 1 < r->keys ? (int)t->width[i] : 0, r->key[i]->name);
	putchar('\n');
}

/* How many there are, for what, and how many of them were selected */
static void print_event(const struct table *t, size_t event)
{
	const struct vsamp_recording_event *e = &t->r->event[event];
	uint64_t selected = 0;

	fputs(colour_heading(), stdout);
	print_name(e);
	printf("%s: %" PRIu64 " samples", colour_end(), e->samples);
	if (e->sav_end != e->sav || e->share < 1)
		printf(", for %.0f events", e->estimated);
	for (size_t i = 0; i < t->rows; i++)
		selected += t->row[i].samples[event];
	if (selected < e->samples)
		printf(", %" PRIu64 " of them selected", selected);
	putchar('\n');
}

/* Callers are of one event: the row's, or the one that rows are sorted by */
static size_t tree_event(const struct table *t, const struct vsamp_profile_row *row)
{
	return t->r->by & VSAMP_BY_EVENT ? row->event :
	       t->event == REPORT_ALL	 ? t->r->sort_event :
					   t->event;
}

static int print_table(struct report *r, size_t event)
{
	struct table t = { .r = r, .event = event };
	int ret = report_rows(r, event, &t.row, &t.rows);

	if (ret)
		return ret;
	t.shown = r->rows_max && r->rows_max < t.rows ? r->rows_max : t.rows;
	measure(&t);
	putchar('\n');
	for (size_t e = 0; e < r->events; e++)
		if (has_column(&t, e))
			print_event(&t, e);
	if (t.shown && !one_column(&t))
		print_events(&t);
	if (t.shown)
		print_heads(&t);
	for (size_t i = 0; i < t.shown && !ret; i++) {
		print_row(&t, &t.row[i]);
		if (r->tree)
			ret = print_callers(r, &t.row[i], tree_event(&t, &t.row[i]));
	}
	if (t.shown < t.rows)
		printf("  ... (-n %zu)\n", r->rows_max);
	free(t.row);
	return ret;
}

/* Of the modules with most samples, those whose symbols are missing, and why */
static int print_notes(struct report *r)
{
	struct vsamp_profile_row *rows;
	size_t count, notes = 0;

	if (report_rows_by(r, VSAMP_BY_MODULE, &rows, &count))
		return EXIT_ERROR;
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].note || notes++ >= NOTES_MAX)
			continue;
		fputs(notes > 1 ? "# " : "\n# ", stdout);
		escape_print(stdout, rows[i].module, 0);
		printf(": %s\n", rows[i].note);
	}
	if (notes > NOTES_MAX)
		printf("# ... and %zu modules more that lack symbols (--json tells them)\n",
		       notes - NOTES_MAX);
	free(rows);
	return 0;
}

int report_print(struct report *r)
{
	int ret = 0;

	summary_print(r->rec, r->filter.path);
	if (!r->blocks)
		ret = print_table(r, REPORT_ALL);
	for (size_t e = 0; e < r->events && r->blocks && !ret; e++)
		if (report_wants(r, e))
			ret = print_table(r, e);
	return ret ? ret : print_notes(r);
}
