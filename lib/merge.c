// SPDX-License-Identifier: MIT
/* merge.c: the records of many chunks by time */
#include <linux/perf_event.h>

#include "file_private.h"
#include "merge.h"

/* More is open at once only in files made to exhaust memory */
#define OPEN_BYTES_MAX (1ULL << 30)

/* A sideband record of an open chunk */
struct sideband_at {
	uint64_t time; /* ns */
	uint32_t offset;
};

struct merge_cursor {
	const struct merge_run *run;
	bool sideband;
	uint64_t key;		/* ticks, never falling */
	struct vsamp_item item; /* the record it stands at */
	void *data;
	struct unpack unpack;	 /* of ring records */
	struct sideband_at *row; /* of sideband */
	size_t rows, next_row;
};

static void cursor_close(struct merge_cursor *c)
{
	if (!c->sideband)
		unpack_close(&c->unpack);
	free(c->row);
	free(c->data);
	free(c);
}

static int by_time(const void *a, const void *b)
{
	const struct sideband_at *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

/* Rings and what is read from /proc besides are not in order of time */
static int sideband_sort(struct merge_cursor *c, size_t size)
{
	size_t offset = 0;

	c->row = malloc(size / SIDEBAND_SIZE_MIN * sizeof(*c->row) + 1);
	if (!c->row)
		return -ENOMEM;
	while (offset < size) {
		const struct perf_event_header *h = (const void *)((char *)c->data + offset);

		if (size - offset < sizeof(*h) || h->size < SIDEBAND_SIZE_MIN || h->size % 8 ||
		    h->size > size - offset)
			return -EBADMSG;
		c->row[c->rows++] = (struct sideband_at){ sideband_time(h), offset };
		offset += h->size;
	}
	if (c->rows)
		qsort(c->row, c->rows, sizeof(*c->row), by_time);
	return 0;
}

static int next_record(struct merge_cursor *c)
{
	const struct vsamp_record_header *rec;
	int ret = unpack_next(&c->unpack, &rec);

	if (ret != 1)
		return ret;
	c->item.record = rec;
	/* every known type has its time there; others happened when the one before them did */
	if (rec->type >= VSAMP_RECORD_SAMPLE && rec->type <= VSAMP_RECORD_STATE)
		c->item.time = ((const struct vsamp_record_state *)rec)->time;
	return 1;
}

static int next_sideband(struct merge *m, struct merge_cursor *c)
{
	const struct sideband_at *row;

	if (c->next_row == c->rows)
		return 0;
	row = &c->row[c->next_row++];
	c->item.sideband = (const void *)((char *)c->data + row->offset);
	c->item.time = vsamp_clock_fit_ticks(m->clock, row->time);
	return 1;
}

/* 1, 0 at the end of the chunk, -EBADMSG */
static int cursor_next(struct merge *m, struct merge_cursor *c)
{
	int ret = c->sideband ? next_sideband(m, c) : next_record(c);

	if (ret == 1 && c->item.time > c->key)
		c->key = c->item.time;
	return ret;
}

static int cursor_open(struct merge *m, const struct merge_run *run, struct merge_cursor **out,
		       struct vsamp_error *err)
{
	struct merge_cursor *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", vsamp_reader_path(m->reader));
	c->run = run;
	c->sideband = run->chunk->type == VSAMP_CHUNK_SIDEBAND;
	c->item.cpu = run->chunk->cpu;
	c->item.time = run->time;
	ret = vsamp_reader_load(m->reader, run->chunk, &c->data, err);
	if (ret) {
		free(c);
		return ret;
	}
	ret = c->sideband ?
		      sideband_sort(c, run->chunk->raw_size) :
		      unpack_open(&c->unpack, c->data, run->chunk->raw_size, run->chunk->count);
	if (ret) {
		cursor_close(c);
		return vsamp_fail(err, ret, "%s: the chunk at byte %llu: %s",
				  vsamp_reader_path(m->reader),
				  (unsigned long long)run->chunk->offset,
				  ret == -ENOMEM ? "out of memory" : "its contents make no sense");
	}
	*out = c;
	return 0;
}

static bool cursor_before(const struct merge_cursor *a, const struct merge_cursor *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	if (a->sideband != b->sideband)
		return a->sideband;
	return a->run->order < b->run->order;
}

static void heap_down(struct merge *m)
{
	struct merge_cursor *c = m->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < m->cursors) {
		if (child + 1 < m->cursors && cursor_before(m->heap[child + 1], m->heap[child]))
			child++;
		if (!cursor_before(m->heap[child], c))
			break;
		m->heap[at] = m->heap[child];
		at = child;
	}
	m->heap[at] = c;
}

static void heap_add(struct merge *m, struct merge_cursor *c)
{
	size_t at = m->cursors++;

	while (at && cursor_before(c, m->heap[(at - 1) / 2])) {
		m->heap[at] = m->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	m->heap[at] = c;
}

/* The first cursor goes on by a record; at the end of its chunk it leaves */
static int first_next(struct merge *m, struct vsamp_error *err)
{
	struct merge_cursor *c = m->heap[0];
	int ret = cursor_next(m, c);

	if (ret < 0)
		return vsamp_fail(
			err, ret, "%s: the chunk at byte %llu: its contents make no sense",
			vsamp_reader_path(m->reader), (unsigned long long)c->run->chunk->offset);
	if (!ret) {
		m->open_bytes -= c->run->chunk->raw_size;
		cursor_close(c);
		m->heap[0] = m->heap[--m->cursors];
	}
	if (m->cursors)
		heap_down(m);
	return 0;
}

/* Opens the next chunk, which stands before its first record until first_next() */
static int run_open(struct merge *m, struct vsamp_error *err)
{
	const struct merge_run *run = &m->run[m->next_run];
	struct merge_cursor *c = NULL;
	int ret;

	if (m->open_bytes + run->chunk->raw_size > OPEN_BYTES_MAX)
		return vsamp_fail(err, -E2BIG, "%s: more than %llu MiB of chunks overlap in time",
				  vsamp_reader_path(m->reader), OPEN_BYTES_MAX >> 20);
	ret = cursor_open(m, run, &c, err);
	if (ret)
		return ret;
	m->next_run++;
	m->open_bytes += run->chunk->raw_size;
	c->key = run->time;
	heap_add(m, c);
	return 0;
}

static bool item_empty(const struct vsamp_item *item)
{
	return !item->record && !item->sideband;
}

int merge_next(struct merge *m, struct vsamp_item *item, struct vsamp_error *err)
{
	int ret = 0;

	if (m->failed)
		return vsamp_fail(err, m->failed, "%s: reading has failed before",
				  vsamp_reader_path(m->reader));
	/* the record given last, whose cursor is still the first */
	if (m->cursors && !item_empty(&m->heap[0]->item))
		ret = first_next(m, err);
	while (!ret && (m->cursors || m->next_run < m->runs)) {
		if (m->next_run < m->runs &&
		    (!m->cursors || m->run[m->next_run].time <= m->heap[0]->key))
			ret = run_open(m, err);
		else if (item_empty(&m->heap[0]->item))
			ret = first_next(m, err);
		else
			break;
	}
	if (ret) {
		m->failed = ret;
		return ret;
	}
	if (!m->cursors)
		return 0;
	*item = m->heap[0]->item;
	return 1;
}

static int run_by_time(const void *a, const void *b)
{
	const struct merge_run *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

int merge_init(struct merge *m, struct vsamp_reader *reader, const struct vsamp_clock_fit *clock)
{
	const struct vsamp_chunk *chunk;
	size_t count = vsamp_reader_chunks(reader, &chunk);

	*m = (struct merge){ .reader = reader, .clock = clock };
	m->run = calloc(count + 1, sizeof(*m->run));
	m->heap = calloc(count + 1, sizeof(struct merge_cursor *));
	if (!m->run || !m->heap) {
		merge_free(m);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct merge_run *run = &m->run[m->runs];

		if (chunk[i].type != VSAMP_CHUNK_RECORDS && chunk[i].type != VSAMP_CHUNK_SIDEBAND)
			continue;
		*run = (struct merge_run){ .chunk = &chunk[i],
					   .time = chunk[i].time_min,
					   .order = i };
		if (chunk[i].type == VSAMP_CHUNK_SIDEBAND)
			run->time = vsamp_clock_fit_ticks(clock, run->time);
		m->runs++;
	}
	qsort(m->run, m->runs, sizeof(*m->run), run_by_time);
	return 0;
}

void merge_rewind(struct merge *m)
{
	while (m->cursors)
		cursor_close(m->heap[--m->cursors]);
	m->next_run = 0;
	m->open_bytes = 0;
	m->failed = 0;
}

void merge_free(struct merge *m)
{
	if (m->heap)
		merge_rewind(m);
	free(m->heap);
	free(m->run);
	*m = (struct merge){ 0 };
}
