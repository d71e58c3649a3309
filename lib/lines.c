// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "intern.h"
#include "lines.h"

#define ROWS_MAX (1U << 30)

struct row {
	uint64_t address;
	uint32_t file, line; /* line 0: the compiler's own code */
};

/* Rows by address */
struct sequence {
	uint64_t start, end;
	uint32_t first, count;
};

struct lines {
	struct buf rows, sequences;
	struct intern files;
};

int lines_new(struct lines **l)
{
	*l = calloc(1, sizeof(**l));
	return *l ? 0 : -ENOMEM;
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	buf_free(&l->rows);
	buf_free(&l->sequences);
	intern_free(&l->files);
	free(l);
}

static uint32_t rows_count(const struct lines *l)
{
	return l->rows.size / sizeof(struct row);
}

int lines_begin(struct lines *l)
{
	struct sequence s = { .first = rows_count(l) };

	return buf_add(&l->sequences, &s, sizeof(s));
}

static struct sequence *sequence_last(struct lines *l)
{
	return (struct sequence *)(l->sequences.data + l->sequences.size) - 1;
}

int64_t lines_file(struct lines *l, const char *name)
{
	return intern_string(&l->files, name);
}

int lines_add(struct lines *l, uint64_t address, uint32_t file, uint32_t line)
{
	struct row row = { address, file, line };

	if (rows_count(l) == ROWS_MAX)
		return -ENOMEM;
	sequence_last(l)->count++;
	return buf_add(&l->rows, &row, sizeof(row));
}

void lines_end(struct lines *l, uint64_t address)
{
	struct sequence *s = sequence_last(l);

	s->start = s->count ? ((const struct row *)l->rows.data)[s->first].address : address;
	s->end = address;
	if (s->start >= s->end)
		l->sequences.size -= sizeof(*s);
}

static int by_start(const void *a, const void *b)
{
	const struct sequence *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

void lines_index(struct lines *l)
{
	size_t count = l->sequences.size / sizeof(struct sequence);

	if (count)
		qsort(l->sequences.data, count, sizeof(struct sequence), by_start);
}

static const struct sequence *sequence_find(const struct lines *l, uint64_t address)
{
	const struct sequence *s = (const void *)l->sequences.data;
	size_t low = 0, high = l->sequences.size / sizeof(*s);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < s[low - 1].end ? &s[low - 1] : NULL;
}

int lines_find(const struct lines *l, uint64_t address, const char **file, uint32_t *line)
{
	const struct sequence *s = sequence_find(l, address);
	const struct row *row;
	size_t low = 0, high;

	if (!s)
		return -ENOENT;
	row = (const struct row *)l->rows.data + s->first;
	high = s->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !row[low - 1].line)
		return -ENOENT;
	*file = intern_key(&l->files, row[low - 1].file);
	*line = row[low - 1].line;
	return 0;
}
