// SPDX-License-Identifier: MIT
/* report --itt --csv */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "csv.h"
#include "report_itt.h"

/* Of what is nested in it too, or, as "own_", of itself */
static void put_durations(struct csv *c, const struct vsamp_itt_durations *d, const char *own)
{
	const struct {
		const char *name;
		double value;
	} cells[] = {
		{ "total_ns", d->total }, { "min_ns", d->min }, { "average_ns", d->average },
		{ "p50_ns", d->p50 },	  { "p90_ns", d->p90 }, { "p99_ns", d->p99 },
		{ "max_ns", d->max },
	};
	char name[64];

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", own, cells[i].name);
		csv_real(c, name, cells[i].value);
	}
}

static void put_samples(struct csv *c, const struct report_itt *t, const struct vsamp_itt_share *s,
			size_t event)
{
	const struct vsamp_recording_event *e = &t->r->event[event];
	char name[4][256];
	static const char *const of[] = { "samples", "events", "own_samples", "own_events" };

	for (int i = 0; i < 4; i++)
		snprintf(name[i], sizeof(name[i]), "%s%s %s", e->name, e->levels, of[i]);
	csv_number(c, name[0], s->samples, true);
	csv_real(c, name[1], s->events);
	csv_number(c, name[2], s->exclusive_samples, true);
	csv_real(c, name[3], s->exclusive_events);
}

static void put_ratios(struct csv *c, const struct report_itt *t, size_t row, double *events)
{
	char name[256];

	for (size_t i = 0; i < t->r->ratios; i++)
		for (int own = 0; own < 2; own++) {
			snprintf(name, sizeof(name), "%s%s", own ? "own_" : "",
				 t->r->ratio[i].name);
			if (!c->head)
				report_itt_events(t, row, own, events);
			csv_real(c, name,
				 c->head ? NAN : vsamp_ratio_value(&t->r->ratio[i], events));
		}
}

/* A row; of the header, which has no row, any */
static void put_line(struct csv *c, const struct report_itt *t, size_t row, double *events)
{
	static const struct vsamp_itt_stat none;
	static const struct vsamp_itt_share no_share;
	const struct vsamp_itt_stat *s = c->head ? &none : &t->stat[row];

	csv_text(c, "kind", report_itt_kind_name(s->kind));
	csv_text(c, "name", s->name);
	csv_text(c, "domain", s->domain);
	csv_number(c, "count", s->count, true);
	csv_number(c, "ticks", s->ticks, true);
	csv_number(c, "cut", s->cut, true);
	put_durations(c, &s->inclusive, "");
	put_durations(c, &s->exclusive, "own_");
	for (size_t e = 0; e < t->r->events; e++)
		if (report_wants(t->r, e))
			put_samples(c, t, c->head ? &no_share : &t->share[row * t->r->events + e],
				    e);
	put_ratios(c, t, row, events);
	csv_line_end(c);
}

int report_itt_csv(const struct report_itt *t)
{
	double *events = calloc(t->r->events + 1, sizeof(*events));
	struct csv c;

	if (!events || csv_begin(&c)) {
		fputs("vsamp report: out of memory\n", stderr);
		free(events);
		return EXIT_ERROR;
	}
	put_line(&c, t, 0, events);
	for (size_t row = 0; row < t->rows && (!t->r->rows_max || row < t->r->rows_max); row++)
		put_line(&c, t, row, events);
	csv_end(&c);
	free(events);
	return 0;
}
