// SPDX-License-Identifier: MIT
/* jitdump.c: which code was where when, of that which a process made at run time */
#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "jitdump_private.h"

/* Pieces of code that an address range is cut into by others, in all: more than ever overlap so */
#define CELLS_MAX (32U << 20)

void jitdump_free(struct jitdump *jd)
{
	if (!jd)
		return;
	buf_free(&jd->pieces);
	free(jd->edge);
	free(jd->first);
	free(jd->piece_at);
	free(jd);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static int by_time(const void *a, const void *b)
{
	const struct jitdump_piece *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* The number of the last edge that isn't above @addr, + 1; 0: all are */
static size_t edge_find(const struct jitdump *jd, uint64_t addr)
{
	size_t low = 0, high = jd->edges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (jd->edge[middle] <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int edges_collect(struct jitdump *jd, const struct jitdump_piece *piece, size_t count)
{
	size_t kept = 0;

	jd->edge = malloc((2 * count + 1) * sizeof(*jd->edge));
	if (!jd->edge)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		jd->edge[2 * i] = piece[i].start;
		jd->edge[2 * i + 1] = piece[i].start + piece[i].size;
	}
	if (count)
		qsort(jd->edge, 2 * count, sizeof(*jd->edge), by_number);
	for (size_t i = 0; i < 2 * count; i++)
		if (!kept || jd->edge[kept - 1] != jd->edge[i])
			jd->edge[kept++] = jd->edge[i];
	jd->edges = kept;
	return 0;
}

/* Puts each piece at all the edges it covers: pieces of one edge follow each other by time */
static void pieces_place(struct jitdump *jd, const struct jitdump_piece *piece, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		size_t to = edge_find(jd, piece[i].start + piece[i].size);

		for (size_t c = edge_find(jd, piece[i].start); c < to; c++)
			jd->piece_at[--jd->first[c]] = i;
	}
}

/* Between two edges next to each other nothing begins or ends: there, who came when */
int jitdump_index(struct jitdump *jd)
{
	struct jitdump_piece *piece = (void *)jd->pieces.data;
	size_t count = jd->pieces.size / sizeof(*piece);
	uint64_t cells = 0;
	int ret = edges_collect(jd, piece, count);

	if (ret)
		return ret;
	if (count)
		qsort(piece, count, sizeof(*piece), by_time);
	jd->first = calloc(jd->edges + 2, sizeof(*jd->first));
	if (!jd->first)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		size_t from = edge_find(jd, piece[i].start);
		size_t to = edge_find(jd, piece[i].start + piece[i].size);

		cells += to - from;
		if (cells > CELLS_MAX)
			return -EBADMSG;
		while (from < to)
			jd->first[from++]++;
	}
	/* the ends, which become the begins as they are filled */
	for (size_t c = 1; c <= jd->edges + 1; c++)
		jd->first[c] += jd->first[c - 1];
	jd->piece_at = malloc((cells + 1) * sizeof(*jd->piece_at));
	if (!jd->piece_at)
		return -ENOMEM;
	pieces_place(jd, piece, count);
	return 0;
}

int jitdump_find(const struct jitdump *jd, uint64_t addr, uint64_t time, uint64_t *offset)
{
	const struct jitdump_piece *piece = (const void *)jd->pieces.data;
	size_t c = edge_find(jd, addr);
	uint32_t low = jd->first[c], high = jd->first[c + 1];

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (piece[jd->piece_at[middle]].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == jd->first[c])
		return -ENOENT;
	piece += jd->piece_at[low - 1];
	*offset = piece->offset + (addr - piece->start);
	return 0;
}
