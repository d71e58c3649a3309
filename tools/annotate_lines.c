// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "annotate.h"

uint64_t annotate_samples(const struct annotate_line *line, size_t event)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < line->count; i++)
		sum += line->counts[i].samples[event];
	return sum;
}

double annotate_events(const struct annotate_line *line, size_t event)
{
	double sum = 0;

	for (size_t i = 0; i < line->count; i++)
		sum += line->counts[i].events[event];
	return sum;
}

/* Where the next instruction begins, behind the line; the end of the range if there is none */
static uint64_t next_code(const struct objdump_line *lines, size_t count, size_t at, uint64_t end)
{
	while (++at < count)
		if (lines[at].code)
			return lines[at].address;
	return end;
}

struct annotate_line *annotate_lines(const struct objdump_line *lines, size_t count,
				     const struct vsamp_code_range *range, size_t *n)
{
	struct annotate_line *out = calloc(count + range->count + 1, sizeof(*out));
	size_t at = 0;

	*n = 0;
	for (size_t i = 0; i < count && out; i++) {
		struct annotate_line line = { .line = &lines[i], .address = lines[i].address };
		uint64_t end = next_code(lines, count, i, range->end);

		/* what is before the first instruction, which can't be but in a strange file */
		for (;
		     lines[i].code && at < range->count && range->counts[at].address < line.address;
		     at++)
			out[(*n)++] = (struct annotate_line){ NULL, range->counts[at].address,
							      &range->counts[at], 1 };
		line.counts = range->counts + at;
		for (; lines[i].code && at < range->count && range->counts[at].address < end; at++)
			line.count++;
		out[(*n)++] = line;
	}
	for (; at < range->count && out; at++)
		out[(*n)++] = (struct annotate_line){ NULL, range->counts[at].address,
						      &range->counts[at], 1 };
	return out;
}
