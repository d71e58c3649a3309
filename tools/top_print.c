// SPDX-License-Identifier: MIT
/* The hottest symbols, as a screen or as a block of text */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "escape.h"
#include "report.h"
#include "screen.h"
#include "terminal.h"
#include "top.h"

#define ROWS_BATCH   20 /* where there is no screen to fill */
#define HEAD_LINES   4
#define MODULE_WIDTH 24

static const char *const keys[] = {
	"q  leave",	 "e  the next event", "p  hold what is shown, and go on",
	"z  begin anew", "h  this text",
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static void line_end(const struct top *t)
{
	if (t->interactive)
		screen_line_end();
	else
		putchar('\n');
}

static void print_lost(const struct vsamp_live_totals *totals)
{
	printf("%" PRIu64 " samples", totals->samples);
	if (totals->lost)
		printf(", %" PRIu64 " records lost", totals->lost);
	if (totals->throttles)
		printf(", %" PRIu64 " times held back", totals->throttles);
	if (totals->sideband_lost)
		printf(", %" PRIu64 " records of processes lost", totals->sideband_lost);
}

static void print_head(const struct top *t)
{
	const struct vsamp_event *event = &t->o.events[t->event];
	const struct vsamp_live_totals *last = vsamp_live_last(t->live);

	printf("vsamp top: %.1f s: ", t->step_s);
	print_lost(last);
	fputs("; all: ", stdout);
	print_lost(vsamp_live_all(t->live));
	if (t->interactive)
		printf("  [%sq e p z h]", t->paused ? "held; " : "");
	line_end(t);
	fputs(colour_heading(), stdout);
	escape_print(stdout, event->name, 0);
	printf("%s%s", vsamp_event_levels(event), colour_end());
	if (t->o.n_events > 1)
		printf(" (%zu of %u)", t->event + 1, t->o.n_events);
	printf(": %" PRIu64 " samples for %.0f events, SAV %" PRIu64, last->event_samples[t->event],
	       last->events[t->event], event->sav);
	line_end(t);
	line_end(t);
	printf("%9s%9s%11s  %-*s  %s", "decaying", "now", "samples", MODULE_WIDTH, "module",
	       "symbol");
	line_end(t);
}

static double percent(double part, double all)
{
	return all > 0 ? 100 * part / all : 0;
}

static void print_row(const struct top *t, const struct vsamp_live_row *row)
{
	const struct vsamp_live_totals *last = vsamp_live_last(t->live);
	size_t e = t->event;

	colour_print_percent(9, percent(row->sums[e], last->sums[e]));
	colour_print_percent(9, percent(row->events[e], last->events[e]));
	printf("%11" PRIu64 "  ", row->samples[e]);
	escape_print(stdout, report_module(row->module), MODULE_WIDTH);
	fputs("  ", stdout);
	escape_print(stdout, row->symbol, 0);
	line_end(t);
}

static size_t room(const struct top *t)
{
	size_t lines = t->interactive ? screen_lines() : ROWS_BATCH + HEAD_LINES, rows;

	if (t->interactive)
		lines -= t->help ? KEYS + 1 : 0;
	rows = lines > HEAD_LINES ? lines - HEAD_LINES : 0;
	/* the last line of a screen has no end, so that nothing scrolls */
	rows -= t->interactive && rows;
	return t->o.rows && (t->o.rows < rows || !t->interactive) ? t->o.rows : rows;
}

int top_print(struct top *t, struct vsamp_error *err)
{
	struct vsamp_live_row *rows;
	size_t count, shown = room(t);
	int ret = vsamp_live_rows(t->live, t->event, &rows, &count, err);

	if (ret)
		return ret;
	if (t->interactive)
		screen_begin();
	else if (t->steps > 1)
		putchar('\n');
	print_head(t);
	for (size_t i = 0; i < count && i < shown; i++)
		print_row(t, &rows[i]);
	free(rows);
	for (size_t i = 0; i < KEYS && t->interactive && t->help; i++) {
		fputs(keys[i], stdout);
		line_end(t);
	}
	if (t->interactive)
		screen_end();
	else
		fflush(stdout);
	return 0;
}
