// SPDX-License-Identifier: MIT
/* merge.c: the records of many chunks by time */
#include <linux/perf_event.h>

#include "file_private.h"
#include "merge.h"
#include "record.h"

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
	if (record_size_min(rec->type))
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
	return a->key != b->key ? a->key < b->key : a->run->order < b->run->order;
}

static void heap_down(struct merge_queue *q)
{
	struct merge_cursor *c = q->heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < q->cursors) {
		if (child + 1 < q->cursors && cursor_before(q->heap[child + 1], q->heap[child]))
			child++;
		if (!cursor_before(q->heap[child], c))
			break;
		q->heap[at] = q->heap[child];
		at = child;
	}
	q->heap[at] = c;
}

static void heap_add(struct merge_queue *q, struct merge_cursor *c)
{
	size_t at = q->cursors++;

	while (at && cursor_before(c, q->heap[(at - 1) / 2])) {
		q->heap[at] = q->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	q->heap[at] = c;
}

/*
 * The first cursor goes on by a record; at the end of its chunk it leaves. Returns 1 if it stays the
 * first without a look at the others, as it does before @limit
 */
static int first_next(struct merge *m, struct merge_queue *q, uint64_t limit,
		      struct vsamp_error *err)
{
	struct merge_cursor *c = q->heap[0];
	int ret = cursor_next(m, c);

	if (ret < 0)
		return vsamp_fail(
			err, ret, "%s: the chunk at byte %llu: its contents make no sense",
			vsamp_reader_path(m->reader), (unsigned long long)c->run->chunk->offset);
	if (ret && c->key < limit)
		return 1;
	if (!ret) {
		m->open_bytes -= c->run->chunk->raw_size;
		cursor_close(c);
		q->heap[0] = q->heap[--q->cursors];
	}
	if (q->cursors)
		heap_down(q);
	return 0;
}

/* Opens the next chunk, which stands before its first record until first_next() */
static int run_open(struct merge *m, struct merge_queue *q, struct vsamp_error *err)
{
	const struct merge_run *run = &q->run[q->next_run];
	struct merge_cursor *c = NULL;
	int ret;

	if (m->open_bytes + run->chunk->raw_size > OPEN_BYTES_MAX)
		return vsamp_fail(err, -E2BIG, "%s: more than %llu MiB of chunks overlap in time",
				  vsamp_reader_path(m->reader), OPEN_BYTES_MAX >> 20);
	ret = cursor_open(m, run, &c, err);
	if (ret)
		return ret;
	q->next_run++;
	m->open_bytes += run->chunk->raw_size;
	c->key = run->time;
	heap_add(q, c);
	return 0;
}

static bool item_empty(const struct vsamp_item *item)
{
	return !item->record && !item->sideband;
}

/* Has the first cursor of a queue, if there is any, stand at a record, which none to come is before */
static int queue_settle(struct merge *m, struct merge_queue *q, struct vsamp_error *err)
{
	int ret = 0;

	while (!ret && (q->cursors || q->next_run < q->runs)) {
		if (q->next_run < q->runs &&
		    (!q->cursors || q->run[q->next_run].time <= q->heap[0]->key))
			ret = run_open(m, q, err);
		else if (item_empty(&q->heap[0]->item))
			ret = first_next(m, q, 0, err);
		else
			break;
	}
	return ret;
}

static uint64_t queue_key(const struct merge_queue *q)
{
	return q->cursors ? q->heap[0]->key : UINT64_MAX;
}

/* The queue that was read from goes on */
static int queue_next(struct merge *m, struct merge_queue *q, bool loose, struct vsamp_error *err)
{
	/* sideband comes first also at the same tick */
	uint64_t limit = loose && q == &m->records ? queue_key(&m->sideband) : 0;
	int ret = first_next(m, q, limit, err);

	if (!ret)
		ret = queue_settle(m, q, err);
	return ret < 0 ? ret : 0;
}

static int failed_before(const struct merge *m, struct vsamp_error *err)
{
	return vsamp_fail(err, m->failed, "%s: reading has failed before",
			  vsamp_reader_path(m->reader));
}

static int next(struct merge *m, bool loose, struct vsamp_error *err)
{
	int ret;

	if (m->failed)
		return failed_before(m, err);
	if (m->last)
		return queue_next(m, m->last, loose, err);
	ret = queue_settle(m, &m->sideband, err);
	return ret ? ret : queue_settle(m, &m->records, err);
}

static int merge_item(struct merge *m, bool loose, struct vsamp_item *item, struct vsamp_error *err)
{
	int ret = next(m, loose, err);

	if (ret) {
		m->failed = ret;
		return ret;
	}
	if (!m->sideband.cursors && !m->records.cursors)
		return 0;
	m->last = m->sideband.cursors && queue_key(&m->sideband) <= queue_key(&m->records) ?
			  &m->sideband :
			  &m->records;
	*item = m->last->heap[0]->item;
	return 1;
}

int merge_next(struct merge *m, struct vsamp_item *item, struct vsamp_error *err)
{
	return merge_item(m, false, item, err);
}

/* Goes on to the last of the samples that are ready, and come before @limit; how many there were */
static size_t cursor_skip(struct merge_cursor *c, uint64_t limit)
{
	const struct vsamp_record_sample *s = (const void *)c->item.record;
	size_t ready = unpack_ready(&c->unpack), n = 0;
	uint64_t key = c->key;

	while (n < ready && s[n + 1].time < limit && key < limit) {
		n++;
		if (s[n].time > key)
			key = s[n].time;
	}
	if (!n)
		return 0;
	c->unpack.given += n;
	c->key = key;
	c->item.record = &s[n].h;
	c->item.time = s[n].time;
	return n;
}

int merge_next_loose(struct merge *m, struct vsamp_item *item, size_t *samples,
		     struct vsamp_error *err)
{
	int ret = merge_item(m, true, item, err);

	if (ret > 0) {
		*samples = 1;
		if (m->last == &m->records && item->record->type == VSAMP_RECORD_SAMPLE)
			*samples += cursor_skip(m->last->heap[0], queue_key(&m->sideband));
	}
	return ret;
}

int merge_next_sideband(struct merge *m, struct vsamp_item *item, struct vsamp_error *err)
{
	struct merge_queue *q = &m->sideband;
	int ret;

	if (m->failed)
		return failed_before(m, err);
	ret = m->last ? queue_next(m, q, false, err) : queue_settle(m, q, err);
	if (ret) {
		m->failed = ret;
		return ret;
	}
	if (!q->cursors)
		return 0;
	m->last = q;
	*item = q->heap[0]->item;
	return 1;
}

static int run_by_time(const void *a, const void *b)
{
	const struct merge_run *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/*
 * The records of a ring stay in its order, since each may tell of those behind it, even where an
 * interrupt came between reading the time and writing the record. *@last: of the CPU so far
 */
static void run_keep_order(struct merge_run *run, uint64_t *last)
{
	if (run->time < *last)
		run->time = *last;
	if (*last < run->chunk->time_max)
		*last = run->chunk->time_max;
}

static void queue_add(struct merge_queue *q, struct merge_run run)
{
	q->run[q->runs++] = run;
}

static int queue_init(struct merge_queue *q, size_t chunks)
{
	q->run = calloc(chunks + 1, sizeof(*q->run));
	q->heap = calloc(chunks + 1, sizeof(struct merge_cursor *));
	return q->run && q->heap ? 0 : -ENOMEM;
}

int merge_init(struct merge *m, struct vsamp_reader *reader, const struct vsamp_clock_fit *clock)
{
	const struct vsamp_chunk *chunk;
	size_t count = vsamp_reader_chunks(reader, &chunk);
	uint64_t *last = calloc(VSAMP_CPUS_MAX, sizeof(*last));

	*m = (struct merge){ .reader = reader, .clock = clock };
	if (!last || queue_init(&m->records, count) || queue_init(&m->sideband, count)) {
		free(last);
		merge_free(m);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		struct merge_run run = { &chunk[i], chunk[i].time_min, i };

		if (chunk[i].type == VSAMP_CHUNK_SIDEBAND) {
			run.time = vsamp_clock_fit_ticks(clock, run.time);
			queue_add(&m->sideband, run);
		} else if (chunk[i].type == VSAMP_CHUNK_RECORDS) {
			run_keep_order(&run, &last[chunk[i].cpu]);
			queue_add(&m->records, run);
		}
	}
	free(last);
	qsort(m->records.run, m->records.runs, sizeof(struct merge_run), run_by_time);
	qsort(m->sideband.run, m->sideband.runs, sizeof(struct merge_run), run_by_time);
	return 0;
}

static void queue_rewind(struct merge_queue *q)
{
	while (q->cursors)
		cursor_close(q->heap[--q->cursors]);
	q->next_run = 0;
}

void merge_rewind(struct merge *m)
{
	queue_rewind(&m->records);
	queue_rewind(&m->sideband);
	m->last = NULL;
	m->open_bytes = 0;
	m->failed = 0;
}

static void queue_free(struct merge_queue *q)
{
	queue_rewind(q);
	free(q->heap);
	free(q->run);
}

void merge_free(struct merge *m)
{
	queue_free(&m->records);
	queue_free(&m->sideband);
	*m = (struct merge){ 0 };
}
