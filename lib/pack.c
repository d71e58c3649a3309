// SPDX-License-Identifier: MIT
/* pack.c: ring records of one CPU, by column */
#include <stdbool.h>

#include "pack.h"
#include "record.h"
#include "varint.h"

/* All put_ functions go into room that pack_reserve() made */
static void put_byte(struct buf *b, uint8_t v)
{
	b->data[b->size++] = v;
}

static void put_low16(struct buf *b, uint64_t v)
{
	put_byte(b, v);
	put_byte(b, v >> 8);
}

int pack_check(const void *data, size_t size)
{
	const uint8_t *at = data;

	if ((uintptr_t)data % 8)
		return -EINVAL;
	while (size) {
		struct vsamp_record_header h;

		if (!record_ok(at, size))
			return -EINVAL;
		memcpy(&h, at, sizeof(h));
		at += h.size;
		size -= h.size;
	}
	return 0;
}

void pack_table_empty(struct pack_table *t)
{
	t->rows = 0;
	t->last = 0;
	memset(t->hash, 0, sizeof(t->hash));
}

static void pack_empty(struct pack *p)
{
	for (int i = 0; i < PACK_COLUMNS; i++)
		p->column[i].size = 0;
	p->count = 0;
	p->reserved = 0;
	p->time_min = UINT64_MAX;
	p->time_max = 0;
	p->time_last = 0;
	p->n_kinds = 0;
	pack_table_empty(&p->tasks);
	pack_table_empty(&p->regions);
	pack_stacks_empty(p);
}

void pack_init(struct pack *p)
{
	p->stacks = NULL;
	memset(p->column, 0, sizeof(p->column));
	pack_empty(p);
}

void pack_free(struct pack *p)
{
	for (int i = 0; i < PACK_COLUMNS; i++)
		buf_free(&p->column[i]);
	free(p->stacks);
}

static int pack_kind(struct pack *p, const struct vsamp_record_header *h, uint32_t *row)
{
	uint32_t kind = h->event | (uint32_t)h->flags << 16;

	for (*row = 0; *row < p->n_kinds; (*row)++)
		if (p->kinds[*row] == kind)
			return 0;
	if (p->n_kinds == PACK_KINDS_MAX)
		return -ENOSPC;
	put_varint(&p->column[PACK_KINDS], kind);
	p->kinds[p->n_kinds++] = kind;
	return 0;
}

int pack_table_row(struct pack_table *t, uint64_t value, uint32_t *row)
{
	const uint32_t slots = 2 * PACK_ROWS_MAX;
	uint32_t slot;

	*row = t->last;
	if (t->rows && t->row[t->last] == value)
		return 0;
	slot = (value * 0x9e3779b97f4a7c15ULL) >> 32 & (slots - 1);
	for (; t->hash[slot]; slot = (slot + 1) & (slots - 1)) {
		*row = t->hash[slot] - 1;
		if (t->row[*row] == value) {
			t->last = *row;
			return 0;
		}
	}
	if (t->rows == PACK_ROWS_MAX)
		return -ENOSPC;
	*row = t->rows++;
	t->row[*row] = value;
	t->hash[slot] = *row + 1;
	t->last = *row;
	return 1;
}

static int pack_task(struct pack *p, const struct vsamp_record_sample *s, uint32_t *row)
{
	int ret = pack_table_row(&p->tasks, (uint64_t)s->pid << 32 | s->tid, row);

	if (ret == 1) {
		put_varint(&p->column[PACK_TASKS], s->pid);
		put_varint(&p->column[PACK_TASKS], zigzag((uint64_t)s->tid - s->pid));
	}
	return ret < 0 ? ret : 0;
}

int pack_region(struct pack *p, uint64_t region, uint32_t *row)
{
	int ret = pack_table_row(&p->regions, region, row);

	if (ret == 1) {
		uint64_t before = *row ? p->regions.row[*row - 1] : 0;

		put_varint(&p->column[PACK_REGIONS], zigzag(region - before));
	}
	return ret < 0 ? ret : 0;
}

static void pack_time(struct pack *p, uint64_t time)
{
	if (time < p->time_min)
		p->time_min = time;
	if (time > p->time_max)
		p->time_max = time;
}

static int pack_add_sample(struct pack *p, const struct vsamp_record_sample *s)
{
	uint64_t time = zigzag(s->time - p->time_last);
	uint32_t kind, task, region;
	int ret = pack_kind(p, &s->h, &kind);

	if (!ret)
		ret = pack_task(p, s, &task);
	if (!ret)
		ret = pack_region(p, s->ip >> 16, &region);
	if (ret)
		return ret;
	put_byte(&p->column[PACK_KIND], kind + 1);
	put_varint(&p->column[PACK_TIME], time >> 16);
	put_low16(&p->column[PACK_TICKS], time);
	put_varint(&p->column[PACK_TASK], task);
	put_varint(&p->column[PACK_REGION], region);
	put_low16(&p->column[PACK_IP], s->ip);
	p->time_last = s->time;
	return 0;
}

static int pack_add_stacked(struct pack *p, const struct vsamp_record_sample *s)
{
	uint32_t row;
	int ret = pack_stack(p, record_stack(s), &row);

	if (!ret)
		ret = pack_add_sample(p, s);
	if (!ret)
		put_varint(&p->column[PACK_STACK], row);
	return ret;
}

static int pack_add_other(struct pack *p, const struct vsamp_record_header *rec)
{
	int ret = buf_add(&p->column[PACK_OTHERS], rec, rec->size);

	if (!ret)
		put_byte(&p->column[PACK_KIND], 0);
	return ret;
}

#define RESERVED (PACK_RESERVE / (2 * VARINT_MAX)) /* records that one look at the room is for */

static int pack_reserve(struct pack *p)
{
	size_t size = 0;
	int ret = 0;

	for (int i = 0; i < PACK_COLUMNS && !ret; i++) {
		size += p->column[i].size;
		if (i != PACK_OTHERS)
			ret = buf_reserve(&p->column[i], PACK_RESERVE);
	}
	if (ret)
		return ret;
	if (size >= PACK_SIZE_MAX)
		return -ENOSPC;
	p->reserved = RESERVED;
	return 0;
}

/* Most are samples without a stack: that size has no other */
static int pack_add_any(struct pack *p, const struct vsamp_record_header *rec)
{
	const struct vsamp_record_sample *sample = (const struct vsamp_record_sample *)rec;

	if (rec->type != VSAMP_RECORD_SAMPLE)
		return pack_add_other(p, rec);
	if (rec->size == sizeof(*sample))
		return pack_add_sample(p, sample);
	return record_has_stack(rec) ? pack_add_stacked(p, sample) : pack_add_other(p, rec);
}

int pack_add(struct pack *p, const struct vsamp_record_header *rec)
{
	int ret = 0;

	if (p->count == PACK_RECORDS_MAX)
		return -ENOSPC;
	if (!p->reserved)
		ret = pack_reserve(p);
	if (!ret)
		ret = pack_add_any(p, rec);
	if (ret)
		return ret;
	if (record_size_min(rec->type))
		pack_time(p, ((const struct vsamp_record_state *)rec)->time);
	p->reserved--;
	p->count++;
	return 0;
}

static int put_columns(struct pack *p, struct buf *out, struct pack_parts *parts, int from, int to,
		       size_t words)
{
	uint32_t header[PACK_HEADER_WORDS] = { 0 };
	size_t size = words * sizeof(*header);
	int ret;

	parts->size[parts->n++] = size;
	for (int i = from; i < to; i++) {
		header[i - from] = p->column[i].size;
		parts->size[parts->n++] = p->column[i].size;
		size += p->column[i].size;
	}
	ret = buf_reserve(out, size);
	if (ret)
		return ret;
	buf_add(out, header, words * sizeof(*header));
	for (int i = from; i < to; i++)
		buf_add(out, p->column[i].data, p->column[i].size);
	return 0;
}

int pack_finish(struct pack *p, struct buf *out, struct pack_parts *parts)
{
	int ret;

	parts->n = 0;
	ret = put_columns(p, out, parts, 0, PACK_PLAIN_COLUMNS, PACK_HEADER_WORDS);
	if (!ret && p->column[PACK_STACK].size)
		ret = put_columns(p, out, parts, PACK_PLAIN_COLUMNS, PACK_COLUMNS,
				  PACK_STACKS_WORDS);
	if (!ret)
		pack_empty(p);
	return ret;
}
