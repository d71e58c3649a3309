// SPDX-License-Identifier: MIT
/* A report as comma-separated values */
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "csv.h"
#include "report.h"

struct line {
	struct csv csv;
	const struct report *r;
};

static void put_number(void *arg, const char *name, uint64_t value, bool known)
{
	csv_number(arg, name, value, known);
}

static void put_text(void *arg, const char *name, const char *value)
{
	csv_text(arg, name, value);
}

/* Columns of an event, whose name is before theirs where there are several */
static void put_event(struct line *l, size_t event, const char *before, const char *total,
		      const uint64_t *samples, const double *events)
{
	static const char *const of[] = { "samples", "events", "percent" };
	char name[3][256];

	for (int i = 0; i < 3; i++)
		snprintf(name[i], sizeof(name[i]), "%s%s%s", before, total, of[i]);
	csv_number(&l->csv, name[0], l->csv.head ? 0 : samples[event], true);
	csv_real(&l->csv, name[1], l->csv.head ? 0 : events[event]);
	csv_real(&l->csv, name[2], l->csv.head ? 0 : report_percent(l->r, events, event));
}

static void put_numbers(struct line *l, const struct vsamp_profile_row *row, size_t event,
			const char *before)
{
	if (l->r->children)
		put_event(l, event, before, "total_", row->total_samples, row->total_events);
	put_event(l, event, before, "", row->samples, row->events);
}

static void put_line(struct line *l, const struct vsamp_profile_row *row)
{
	const struct report *r = l->r;
	const struct report_sink sink = { put_number, put_text, &l->csv };
	char before[200];

	report_fields(r, row, r->by, &sink);
	if (r->by & VSAMP_BY_EVENT) {
		put_numbers(l, row, row->event, "");
	} else {
		for (size_t e = 0; e < r->events; e++) {
			if (!report_wants(r, e))
				continue;
			snprintf(before, sizeof(before), "%s%s ", r->event[e].name,
				 r->event[e].levels);
			put_numbers(l, row, e, before);
		}
		for (size_t i = 0; i < r->ratios; i++)
			csv_real(&l->csv, r->ratio[i].name,
				 l->csv.head ? 0 : vsamp_ratio_value(&r->ratio[i], row->events));
	}
	csv_line_end(&l->csv);
}

int report_csv(struct report *r)
{
	static const struct vsamp_profile_row none;
	struct line l = { .r = r };
	struct vsamp_profile_row *rows;
	size_t count;
	int ret = report_rows(r, REPORT_ALL, &rows, &count);

	if (ret)
		return ret;
	if (csv_begin(&l.csv)) {
		fputs("vsamp report: out of memory\n", stderr);
		free(rows);
		return EXIT_ERROR;
	}
	put_line(&l, &none);
	for (size_t i = 0; i < count && (!r->rows_max || i < r->rows_max); i++)
		put_line(&l, &rows[i]);
	csv_end(&l.csv);
	free(rows);
	return 0;
}
