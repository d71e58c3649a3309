// SPDX-License-Identifier: MIT
/*
 * csv.c: cells of comma-separated values
 *
 * A cell of text that a spreadsheet would take for a formula has a ' before it, and so has one that
 * begins with ' by itself: who takes one ' away has the text again.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "escape.h"

int csv_begin(struct csv *c)
{
	*c = (struct csv){ .head = true };
	c->clean = open_memstream(&c->text, &c->size);
	return c->clean ? 0 : -ENOMEM;
}

/* Without what would steer a terminal, which this format has no room for either */
static const char *clean(struct csv *c, const char *text)
{
	rewind(c->clean);
	escape_print(c->clean, text, 0);
	putc('\0', c->clean);
	fflush(c->clean);
	return c->text;
}

static void put_cell(struct csv *c, const char *text)
{
	if (c->cells++)
		putchar(',');
	text = clean(c, text);
	if (!strpbrk(text, ",\"") && !(text[0] && strchr("=+-@'", text[0]))) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	if (text[0] && strchr("=+-@'", text[0]))
		putchar('\'');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

void csv_number(struct csv *c, const char *name, uint64_t value, bool known)
{
	if (c->head) {
		put_cell(c, name);
		return;
	}
	if (c->cells++)
		putchar(',');
	if (known)
		printf("%" PRIu64, value);
}

void csv_text(struct csv *c, const char *name, const char *value)
{
	put_cell(c, c->head ? name : value ? value : "");
}

void csv_real(struct csv *c, const char *name, double value)
{
	if (c->head) {
		put_cell(c, name);
		return;
	}
	if (c->cells++)
		putchar(',');
	if (isfinite(value))
		printf(value == floor(value) && fabs(value) < 1e15 ? "%.0f" : "%.17g", value);
}

void csv_line_end(struct csv *c)
{
	fputs("\r\n", stdout);
	c->cells = 0;
	c->head = false;
}

void csv_end(struct csv *c)
{
	fclose(c->clean);
	free(c->text);
}
