// SPDX-License-Identifier: MIT
/* report --gpu as text: a table a GPU */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "report_gpu.h"
#include "summary.h"
#include "terminal.h"

#define WIDTH 13 /* of a column of numbers, with the blanks before them */

/* Short, whatever the size: thousands, millions and so on have a letter */
static void print_amount(double x, int width)
{
	static const char units[] = " kMGTPE";
	double scaled = x;
	char text[32];
	int unit = 0;

	if (isnan(x)) {
		printf("%*s", width, "-");
		return;
	}
	for (; fabs(scaled) >= (unit ? 999.9995 : 99999.995) && units[unit + 1]; unit++)
		scaled /= 1000;
	if (fabs(scaled) >= 99999.995)
		snprintf(text, sizeof(text), "%.4g", x);
	else if (unit)
		snprintf(text, sizeof(text), "%.3f%c", scaled, units[unit]);
	else
		snprintf(text, sizeof(text), x && fabs(x) < 0.1 ? "%.3g" : "%.2f", x);
	printf("%*s", width, text);
}

static void print_title(const struct report_gpu_device *d)
{
	printf("\n%s", colour_heading());
	escape_print(stdout, d->name, 0);
	fputs(colour_end(), stdout);
	if (d->told) {
		fputs(": ", stdout);
		summary_print_gpu(d->told);
	}
	putchar('\n');
}

static void print_metrics(const struct report_gpu *g, const struct report_gpu_device *d)
{
	struct vsamp_track_stat s;

	printf("%*s%*s%*s%*s  %-16s %s\n", WIDTH, "known s", WIDTH, "mean", WIDTH, "min", WIDTH,
	       "max", "unit", "metric");
	for (size_t i = 0; i < d->tracks && (!g->r->rows_max || i < g->r->rows_max); i++) {
		vsamp_track_stat(d->track[i], g->from, g->to, &s);
		printf("%*.3f", WIDTH, s.known / 1e9);
		print_amount(s.mean, WIDTH);
		print_amount(s.min, WIDTH);
		print_amount(s.max, WIDTH);
		fputs("  ", stdout);
		escape_print(stdout, *d->track[i]->unit ? d->track[i]->unit : "-", 16);
		putchar(' ');
		escape_print(stdout, d->track[i]->name, 0);
		putchar('\n');
	}
}

/* As wide as its heads and the blanks before them */
static int column_width(const struct vsamp_track *t)
{
	int name = escape_width(t->name) + 2, unit = escape_width(t->unit) + 2;
	int width = name > unit ? name : unit;

	return width > WIDTH ? width : WIDTH;
}

static int event_width(const struct vsamp_recording_event *e)
{
	int width = escape_width(e->name) + strlen(e->levels) + 2;

	return width > WIDTH ? width : WIDTH;
}

/* On the right of so many columns */
static void print_head(const char *text, const char *more, int width)
{
	printf("%*s", width - (int)(escape_width(text) + strlen(more)), "");
	escape_print(stdout, text, 0);
	fputs(more, stdout);
}

static void print_heads(const struct report_gpu *g, const struct report_gpu_device *d, int time)
{
	const struct report *r = g->r;

	printf("%-*s", time, "time s");
	for (size_t e = 0; e < r->events; e++)
		if (report_gpu_shows(g, e))
			print_head(r->event[e].name, r->event[e].levels, event_width(&r->event[e]));
	for (size_t i = 0; i < d->tracks; i++)
		if (d->first[i])
			print_head(d->track[i]->name, "", column_width(d->track[i]));
	printf("\n%-*s", time, "");
	for (size_t e = 0; e < r->events; e++)
		if (report_gpu_shows(g, e))
			print_head("samples", "", event_width(&r->event[e]));
	for (size_t i = 0; i < d->tracks; i++)
		if (d->first[i])
			print_head(d->track[i]->unit, "", column_width(d->track[i]));
	putchar('\n');
}

static void print_slice(const struct report_gpu *g, const struct report_gpu_device *d,
			const struct report_gpu_slice *s, int time, int digits)
{
	struct vsamp_track_stat stat;
	char text[96];

	snprintf(text, sizeof(text), "%.*f-%.*f", digits, s->time / 1e9, digits,
		 (s->time + (int64_t)g->r->slice) / 1e9);
	printf("%-*s", time, text);
	for (size_t e = 0; e < g->r->events; e++)
		if (report_gpu_shows(g, e))
			printf("%*" PRIu64, event_width(&g->r->event[e]), s->samples[e]);
	for (size_t i = 0; i < d->tracks; i++) {
		if (!d->first[i])
			continue;
		vsamp_track_stat(d->track[i], s->from, s->to, &stat);
		print_amount(stat.mean, column_width(d->track[i]));
	}
	putchar('\n');
}

static void print_slices(const struct report_gpu *g, const struct report_gpu_device *d)
{
	int digits = g->r->slice % 1000 ? 9 : g->r->slice % 1000000 ? 6 : 3;
	int time = 2 * (digits + 6);
	size_t left = 0;

	for (size_t i = 0; i < d->tracks; i++)
		left += !d->first[i];
	print_heads(g, d, time);
	for (size_t i = 0; i < g->slices && (!g->r->rows_max || i < g->r->rows_max); i++) {
		struct report_gpu_slice s = report_gpu_slice(g, i);

		print_slice(g, d, &s, time, digits);
	}
	if (left)
		printf("%zu more metrics: choose by --metric, or have all by --json or --csv\n",
		       left);
}

void report_gpu_print(const struct report_gpu *g)
{
	summary_print(g->r->rec, g->r->filter.path);
	for (size_t i = 0; i < g->devices; i++) {
		if (!g->device[i].tracks)
			continue;
		print_title(&g->device[i]);
		if (g->r->sliced)
			print_slices(g, &g->device[i]);
		else
			print_metrics(g, &g->device[i]);
	}
}
