/* SPDX-License-Identifier: MIT */
/* csv.h: comma-separated values (RFC 4180): a header line, then a row a line */
#ifndef CSV_H
#define CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct csv {
	bool head; /* names of columns, instead of what is in them */
	size_t cells;
	FILE *clean; /* writes to text */
	char *text;
	size_t size;
};

/* Begins with the header. -ENOMEM */
int csv_begin(struct csv *c);

/* Cells of a line; numbers that aren't known, or no numbers, are empty */
void csv_text(struct csv *c, const char *name, const char *value);
void csv_number(struct csv *c, const char *name, uint64_t value, bool known);
void csv_real(struct csv *c, const char *name, double value);
void csv_line_end(struct csv *c);

void csv_end(struct csv *c);

#endif
