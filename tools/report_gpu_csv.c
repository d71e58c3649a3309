// SPDX-License-Identifier: MIT
/* report --gpu --csv: a metric a line, or a slice of the time */
#include <math.h>
#include <stdio.h>

#include "cmd.h"
#include "csv.h"
#include "report_gpu.h"

static const struct vsamp_track_stat none = { 0, NAN, NAN, NAN };

static void put_metric(struct csv *c, const struct report_gpu *g, const struct report_gpu_device *d,
		       const struct vsamp_track *t)
{
	struct vsamp_track_stat s = none;

	if (!c->head)
		vsamp_track_stat(t, g->from, g->to, &s);
	csv_text(c, "gpu", d->name);
	csv_text(c, "metric", t ? t->name : "");
	csv_text(c, "unit", t ? t->unit : "");
	csv_number(c, "known_ns", s.known, true);
	csv_real(c, "mean", s.mean);
	csv_real(c, "min", s.min);
	csv_real(c, "max", s.max);
	csv_line_end(c);
}

static void put_metrics(struct csv *c, const struct report_gpu *g)
{
	size_t lines = 0;

	put_metric(c, g, &g->device[0], NULL);
	for (size_t i = 0; i < g->devices; i++)
		for (size_t k = 0; k < g->device[i].tracks; k++)
			if (!g->r->rows_max || lines++ < g->r->rows_max)
				put_metric(c, g, &g->device[i], g->device[i].track[k]);
}

static void put_means(struct csv *c, const struct report_gpu_device *d,
		      const struct report_gpu_slice *slice)
{
	char name[1024];

	for (size_t i = 0; i < d->tracks; i++) {
		struct vsamp_track_stat s = none;

		snprintf(name, sizeof(name), "%.300s %.300s", d->name, d->track[i]->name);
		if (!c->head)
			vsamp_track_stat(d->track[i], slice->from, slice->to, &s);
		csv_real(c, name, s.mean);
	}
}

static void put_slice(struct csv *c, const struct report_gpu *g,
		      const struct report_gpu_slice *slice)
{
	char name[512];

	csv_real(c, "time_ns", slice->time);
	csv_number(c, "slice_ns", g->r->slice, true);
	for (size_t e = 0; e < g->r->events; e++) {
		if (!report_gpu_shows(g, e))
			continue;
		snprintf(name, sizeof(name), "%.255s%.64s samples", g->r->event[e].name,
			 g->r->event[e].levels);
		csv_number(c, name, c->head ? 0 : slice->samples[e], true);
	}
	for (size_t i = 0; i < g->devices; i++)
		put_means(c, &g->device[i], slice);
	csv_line_end(c);
}

static void put_slices(struct csv *c, const struct report_gpu *g)
{
	static const struct report_gpu_slice of_head;

	put_slice(c, g, &of_head);
	for (size_t i = 0; i < g->slices && (!g->r->rows_max || i < g->r->rows_max); i++) {
		struct report_gpu_slice slice = report_gpu_slice(g, i);

		put_slice(c, g, &slice);
	}
}

int report_gpu_csv(const struct report_gpu *g)
{
	struct csv c;

	if (csv_begin(&c)) {
		fputs("vsamp report: out of memory\n", stderr);
		return EXIT_ERROR;
	}
	if (g->r->sliced)
		put_slices(&c, g);
	else
		put_metrics(&c, g);
	csv_end(&c);
	return 0;
}
