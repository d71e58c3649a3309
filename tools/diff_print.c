// SPDX-License-Identifier: MIT
/* Differences as text */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "diff.h"
#include "escape.h"
#include "terminal.h"

#define NAME_WIDTH 40 /* of a column, where no name needs less */
#define VALUE	   14 /* columns of a number of events a second */
#define SHARE	   9  /* and of a share */

static void print_head(const struct diff *d)
{
	for (size_t f = 0; f < d->files; f++) {
		printf("# %zu: ", f);
		escape_print(stdout, d->file[f].path, 0);
		printf(", %.3f s%s\n", vsamp_recording_elapsed(d->file[f].rec) / 1e9,
		       f ? "" : " (baseline)");
	}
	puts(d->per_second ? "# compared: events a second" :
			     "# compared: shares of each recording's own events, in percent");
}

static void print_event(const struct diff *d, const struct diff_event *event)
{
	const struct vsamp_recording_event *e = diff_event(d, event, 0);
	double base = diff_rate(d, event, 0, e->estimated);

	printf("\n%s", colour_heading());
	escape_print(stdout, e->name, 0);
	printf("%s%s\n", e->levels, colour_end());
	for (size_t f = 0; f < d->files; f++) {
		double rate;

		e = diff_event(d, event, f);
		rate = diff_rate(d, event, f, e->estimated);
		printf("# %zu: %" PRIu64 " samples for %.0f events, %.4g a second", f, e->samples,
		       e->estimated, rate);
		if (f && base > 0)
			printf(" (%.2f times the baseline's)", rate / base);
		putchar('\n');
	}
}

static void print_value(const struct diff *d, double value)
{
	if (d->per_second)
		printf("%*.0f", VALUE, value);
	else
		colour_print_percent(SHARE, value);
}

static void print_delta(const struct diff *d, double delta)
{
	if (d->per_second)
		printf("%+*.0f", VALUE, delta);
	else
		printf("%s%+*.2f%%%s", colour_percent(delta < 0 ? -delta : delta), SHARE - 1, delta,
		       colour_end());
}

static void print_ratio(double base, double value)
{
	if (base > 0 && value > 0)
		printf(" %7.2f", value / base);
	else
		printf(" %7s", base > 0 ? "gone" : value > 0 ? "new" : "");
}

static void print_row(const struct diff *d, const struct diff_row *row, const size_t *width)
{
	print_value(d, row->value[0]);
	for (size_t f = 1; f < d->files; f++) {
		print_delta(d, row->value[f] - row->value[0]);
		print_ratio(row->value[0], row->value[f]);
	}
	for (size_t k = 0; k < d->keys; k++) {
		fputs("  ", stdout);
		escape_print(stdout, row->text[k], k + 1 < d->keys ? width[k] : 0);
	}
	putchar('\n');
}

static void measure(const struct diff *d, const struct diff_row *rows, size_t count, size_t *width)
{
	for (size_t k = 0; k < d->keys; k++) {
		width[k] = strlen(d->key[k]->name);
		for (size_t i = 0; i < count; i++) {
			size_t w = escape_width(rows[i].text[k]);

			if (w > width[k])
				width[k] = w < NAME_WIDTH ? w : NAME_WIDTH;
		}
	}
}

static void print_columns(const struct diff *d, const size_t *width)
{
	int column = d->per_second ? VALUE : SHARE;

	printf("%*s", column, "baseline");
	for (size_t f = 1; f < d->files; f++) {
		char delta[32], ratio[32];

		snprintf(delta, sizeof(delta), d->files > 2 ? "delta %zu" : "delta", f);
		snprintf(ratio, sizeof(ratio), d->files > 2 ? "ratio %zu" : "ratio", f);
		printf("%*s %7s", column, delta, ratio);
	}
	for (size_t k = 0; k < d->keys; k++)
		printf("  %-*s", k + 1 < d->keys ? (int)width[k] : 0, d->key[k]->name);
	putchar('\n');
}

static int print_rows(const struct diff *d, const struct diff_event *event)
{
	struct vsamp_error err;
	struct diff_row *rows;
	size_t count, shown, width[DIFF_KEYS_MAX];
	int ret = diff_rows(d, event, &rows, &count, &err);

	if (ret) {
		fprintf(stderr, "vsamp diff: %s\n", err.text);
	} else {
		shown = d->rows_max && d->rows_max < count ? d->rows_max : count;
		print_event(d, event);
		measure(d, rows, shown, width);
		print_columns(d, width);
		for (size_t i = 0; i < shown; i++)
			print_row(d, &rows[i], width);
		if (shown < count)
			printf("  ... (-n %zu)\n", shown);
	}
	diff_rows_free(d, rows, count);
	return ret ? EXIT_ERROR : 0;
}

int diff_print(const struct diff *d, const struct diff_event *events, size_t count)
{
	int ret = 0;

	print_head(d);
	for (size_t i = 0; i < count && !ret; i++)
		ret = print_rows(d, &events[i]);
	return ret;
}
