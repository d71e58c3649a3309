/* SPDX-License-Identifier: MIT */
/* An annotated symbol: what is asked, and its parts */
#ifndef TOOLS_ANNOTATE_H
#define TOOLS_ANNOTATE_H

#include <vsamp/annotate.h>

#include "filter.h"
#include "objdump.h"

struct annotate {
	struct filter filter;
	struct objdump objdump;
	const char *wanted;  /* SYMBOL or MODULE:SYMBOL; NULL: the hottest */
	const char *vmlinux; /* NULL: to be looked for */
	bool json;

	struct vsamp_recording *rec;
	struct vsamp_profile *profile;
	const struct vsamp_recording_event *event;
	size_t events;
	struct vsamp_profile_row row; /* what is shown */
	struct vsamp_code *code;
};

bool annotate_wants(const struct annotate *a, size_t event);

/*
 * A line of a piece of code; counts are those of its instruction together. Counts that no
 * instruction has come in lines without text.
 */
struct annotate_line {
	const struct objdump_line *line; /* NULL: nothing is known of what is there */
	uint64_t address;
	const struct vsamp_code_count *counts;
	size_t count;
};

uint64_t annotate_samples(const struct annotate_line *line, size_t event);
double annotate_events(const struct annotate_line *line, size_t event);

/* Brings them together, to be freed; NULL without memory. There are as many as *n says */
struct annotate_line *annotate_lines(const struct objdump_line *lines, size_t count,
				     const struct vsamp_code_range *range, size_t *n);

/* annotate_print.c, annotate_json.c: exit codes */
int annotate_print(struct annotate *a);
int annotate_json(struct annotate *a);

#endif
