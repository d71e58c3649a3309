// SPDX-License-Identifier: MIT
/* An annotated symbol as text: a line an instruction, with the share of each event */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "cmd.h"
#include "escape.h"
#include "terminal.h"

#define COLUMN 20 /* of an event: share and samples */

static void print_head(const struct annotate *a)
{
	fputs(colour_heading(), stdout);
	escape_print(stdout, a->row.symbol, 0);
	printf("%s in ", colour_end());
	escape_print(stdout, a->row.module, 0);
	putchar('\n');
	for (size_t e = 0; e < a->events; e++) {
		if (!annotate_wants(a, e))
			continue;
		fputs("# ", stdout);
		escape_print(stdout, a->event[e].name, 0);
		printf("%s: %" PRIu64 " samples, %.2f %% of the event\n", a->event[e].levels,
		       a->row.samples[e],
		       a->event[e].estimated > 0 ? 100 * a->row.events[e] / a->event[e].estimated :
						   0);
	}
}

static void print_columns(const struct annotate *a)
{
	putchar('\n');
	for (size_t e = 0; e < a->events; e++) {
		char name[COLUMN];

		if (!annotate_wants(a, e))
			continue;
		snprintf(name, sizeof(name), "%.*s%s", COLUMN - 4, a->event[e].name,
			 a->event[e].levels);
		printf("%*s", COLUMN - (int)escape_width(name), "");
		escape_print(stdout, name, 0);
	}
	putchar('\n');
	for (size_t e = 0; e < a->events; e++)
		if (annotate_wants(a, e))
			printf("%*s%*s", 9, "percent", COLUMN - 9, "samples");
	puts("      address");
}

static void print_counts(const struct annotate *a, const struct annotate_line *line)
{
	for (size_t e = 0; e < a->events; e++) {
		uint64_t samples = annotate_samples(line, e);

		if (!annotate_wants(a, e))
			continue;
		if (!samples) {
			printf("%*s", COLUMN, "");
			continue;
		}
		colour_print_percent(9, 100 * annotate_events(line, e) / a->row.events[e]);
		printf("%*" PRIu64, COLUMN - 9, samples);
	}
}

static void print_line(const struct annotate *a, const struct annotate_line *line)
{
	print_counts(a, line);
	if (line->line && !line->line->code) {
		fputs("    ", stdout);
		escape_print(stdout, line->line->text, 0);
		putchar('\n');
		return;
	}
	printf(" %12" PRIx64 ":  ", line->address);
	escape_print(stdout, line->line ? line->line->text : "(no instruction)", 0);
	putchar('\n');
}

static int print_range(const struct annotate *a, const struct vsamp_code_range *range, bool first)
{
	struct objdump_line *code;
	struct annotate_line *lines;
	size_t count, n;
	int ret = objdump_run(&a->objdump, a->code->fd, a->code->section, range->start, range->end,
			      &code, &count);

	lines = ret ? NULL : annotate_lines(code, count, range, &n);
	if (lines) {
		if (first)
			print_head(a);
		print_columns(a);
		for (size_t i = 0; i < n; i++)
			print_line(a, &lines[i]);
	}
	free(lines);
	objdump_free(code, count);
	return lines ? 0 : EXIT_ERROR;
}

int annotate_print(struct annotate *a)
{
	int ret = 0;

	for (size_t i = 0; i < a->code->count && !ret; i++)
		ret = print_range(a, &a->code->ranges[i], !i);
	return ret;
}
