// SPDX-License-Identifier: MIT
/* pack.c: ring records of one CPU, by column */
#include <stdbool.h>

#include "pack.h"
#include "record.h"

#define VARINT_MAX 10

/* All put_ functions go into room that pack_reserve() made */
static void put_varint(struct buf *b, uint64_t v)
{
	uint8_t *at = b->data + b->size;

	for (; v >= 0x80; v >>= 7)
		*at++ = v | 0x80;
	*at++ = v;
	b->size = at - b->data;
}

static void put_byte(struct buf *b, uint8_t v)
{
	b->data[b->size++] = v;
}

static void put_low16(struct buf *b, uint64_t v)
{
	put_byte(b, v);
	put_byte(b, v >> 8);
}

static int get_varint(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	uint64_t value = 0;

	for (int shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*v = value;
			return 0;
		}
	}
	return -EBADMSG;
}

static uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

static bool record_ok(const struct vsamp_record_header *h, size_t room)
{
	return h->size >= sizeof(*h) && h->size % 8 == 0 && h->size <= room &&
	       h->size >= record_size_min(h->type);
}

int pack_check(const void *data, size_t size)
{
	const uint8_t *at = data;

	if ((uintptr_t)data % 8)
		return -EINVAL;
	while (size) {
		struct vsamp_record_header h;

		if (size < sizeof(h))
			return -EINVAL;
		memcpy(&h, at, sizeof(h));
		if (!record_ok(&h, size))
			return -EINVAL;
		at += h.size;
		size -= h.size;
	}
	return 0;
}

static void table_empty(struct pack_table *t)
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
	table_empty(&p->tasks);
	table_empty(&p->regions);
}

void pack_init(struct pack *p)
{
	memset(p->column, 0, sizeof(p->column));
	pack_empty(p);
}

void pack_free(struct pack *p)
{
	for (int i = 0; i < PACK_COLUMNS; i++)
		buf_free(&p->column[i]);
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

/* 0: the row is there; 1: it is new; -ENOSPC */
static int table_row(struct pack_table *t, uint64_t value, uint32_t *row)
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
	int ret = table_row(&p->tasks, (uint64_t)s->pid << 32 | s->tid, row);

	if (ret == 1) {
		put_varint(&p->column[PACK_TASKS], s->pid);
		put_varint(&p->column[PACK_TASKS], zigzag((uint64_t)s->tid - s->pid));
	}
	return ret < 0 ? ret : 0;
}

static int pack_region(struct pack *p, uint64_t region, uint32_t *row)
{
	int ret = table_row(&p->regions, region, row);

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

static int pack_add_other(struct pack *p, const struct vsamp_record_header *rec)
{
	int ret = buf_add(&p->column[PACK_OTHERS], rec, rec->size);

	if (!ret)
		put_byte(&p->column[PACK_KIND], 0);
	return ret;
}

#define RESERVED 64 /* records that one look at the room is enough for */

static int pack_reserve(struct pack *p)
{
	size_t size = 0;
	int ret = 0;

	for (int i = 0; i < PACK_COLUMNS && !ret; i++) {
		size += p->column[i].size;
		if (i != PACK_OTHERS)
			ret = buf_reserve(&p->column[i], RESERVED * 2 * VARINT_MAX);
	}
	if (ret)
		return ret;
	if (size >= PACK_SIZE_MAX)
		return -ENOSPC;
	p->reserved = RESERVED;
	return 0;
}

int pack_add(struct pack *p, const struct vsamp_record_header *rec)
{
	int ret = 0;

	if (p->count == PACK_RECORDS_MAX)
		return -ENOSPC;
	if (!p->reserved)
		ret = pack_reserve(p);
	if (!ret)
		ret = rec->type == VSAMP_RECORD_SAMPLE &&
				      rec->size == sizeof(struct vsamp_record_sample) ?
			      pack_add_sample(p, (const struct vsamp_record_sample *)rec) :
			      pack_add_other(p, rec);
	if (ret)
		return ret;
	if (record_size_min(rec->type))
		pack_time(p, ((const struct vsamp_record_state *)rec)->time);
	p->reserved--;
	p->count++;
	return 0;
}

/* The packed bytes: the size of each column, zeros to a multiple of 8 bytes, the columns */
#define PACK_HEADER_WORDS ((PACK_COLUMNS + 1) & ~1)

int pack_finish(struct pack *p, struct buf *out, uint32_t parts[PACK_COLUMNS + 1])
{
	uint32_t header[PACK_HEADER_WORDS] = { 0 };
	size_t size = sizeof(header);
	int ret;

	for (int i = 0; i < PACK_COLUMNS; i++) {
		header[i] = p->column[i].size;
		parts[i + 1] = header[i];
		size += header[i];
	}
	parts[0] = sizeof(header);
	ret = buf_reserve(out, size);
	if (ret)
		return ret;
	buf_add(out, header, sizeof(header));
	for (int i = 0; i < PACK_COLUMNS; i++)
		buf_add(out, p->column[i].data, p->column[i].size);
	pack_empty(p);
	return 0;
}

static int unpack_kinds(struct unpack *u)
{
	while (u->at[PACK_KINDS] < u->end[PACK_KINDS])
		if (get_varint(&u->at[PACK_KINDS], u->end[PACK_KINDS], &u->kinds[u->n_kinds++]))
			return -EBADMSG;
	return 0;
}

static int unpack_tasks(struct unpack *u)
{
	const uint8_t *end = u->end[PACK_TASKS];
	uint64_t pid, tid;

	while (u->at[PACK_TASKS] < end) {
		if (get_varint(&u->at[PACK_TASKS], end, &pid) ||
		    get_varint(&u->at[PACK_TASKS], end, &tid))
			return -EBADMSG;
		tid = pid + unzigzag(tid);
		if (pid > UINT32_MAX || tid > UINT32_MAX)
			return -EBADMSG;
		u->tasks[u->n_tasks++] = pid << 32 | tid;
	}
	return 0;
}

static int unpack_regions(struct unpack *u)
{
	uint64_t region = 0, v;

	while (u->at[PACK_REGIONS] < u->end[PACK_REGIONS]) {
		if (get_varint(&u->at[PACK_REGIONS], u->end[PACK_REGIONS], &v))
			return -EBADMSG;
		region += unzigzag(v);
		u->regions[u->n_regions++] = region;
	}
	return 0;
}

static int unpack_tables(struct unpack *u)
{
	/* a row takes a byte at least */
	size_t kinds = u->end[PACK_KINDS] - u->at[PACK_KINDS];
	size_t tasks = u->end[PACK_TASKS] - u->at[PACK_TASKS];
	size_t regions = u->end[PACK_REGIONS] - u->at[PACK_REGIONS];
	int ret;

	u->kinds = malloc((kinds + tasks + regions + 1) * sizeof(uint64_t));
	if (!u->kinds)
		return -ENOMEM;
	u->tasks = u->kinds + kinds;
	u->regions = u->tasks + tasks;
	ret = unpack_kinds(u);
	if (!ret)
		ret = unpack_tasks(u);
	return ret ? ret : unpack_regions(u);
}

int unpack_open(struct unpack *u, const void *data, size_t size, uint32_t count)
{
	uint32_t header[PACK_HEADER_WORDS];
	const uint8_t *at = data;
	int ret;

	*u = (struct unpack){ 0 };
	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(header, data, sizeof(header));
	at += sizeof(header);
	size -= sizeof(header);
	for (int i = 0; i < PACK_COLUMNS; i++) {
		if (header[i] > size)
			return -EBADMSG;
		u->at[i] = at;
		at += header[i];
		u->end[i] = at;
		size -= header[i];
	}
	if (size || header[PACK_KIND] != count)
		return -EBADMSG;
	u->sample.h.type = VSAMP_RECORD_SAMPLE;
	u->sample.h.size = sizeof(u->sample);
	ret = unpack_tables(u);
	if (ret)
		unpack_close(u);
	return ret;
}

void unpack_close(struct unpack *u)
{
	free(u->kinds);
	u->kinds = NULL;
}

int unpack_count(const struct unpack *u, uint32_t counts[UINT8_MAX])
{
	memset(counts, 0, UINT8_MAX * sizeof(*counts));
	for (const uint8_t *at = u->at[PACK_KIND]; at < u->end[PACK_KIND]; at++) {
		if (*at > u->n_kinds)
			return -EBADMSG;
		if (*at)
			counts[*at - 1]++;
	}
	return 0;
}

int unpack_next_other(struct unpack *u, const struct vsamp_record_header **rec)
{
	const struct vsamp_record_header *h = (const void *)u->at[PACK_OTHERS];
	size_t room = u->end[PACK_OTHERS] - u->at[PACK_OTHERS];

	if (!room)
		return 0;
	if (room < sizeof(*h) || !record_ok(h, room))
		return -EBADMSG;
	u->at[PACK_OTHERS] += h->size;
	*rec = h;
	return 1;
}

static int unpack_column(struct unpack *u, enum pack_column column, uint64_t *v)
{
	return get_varint(&u->at[column], u->end[column], v);
}

static int unpack_low16(struct unpack *u, enum pack_column column, uint64_t *v)
{
	const uint8_t *at = u->at[column];

	if (u->end[column] - at < 2)
		return -EBADMSG;
	*v = at[0] | at[1] << 8;
	u->at[column] += 2;
	return 0;
}

static int unpack_sample(struct unpack *u, uint8_t kind, const struct vsamp_record_header **rec)
{
	struct vsamp_record_sample *s = &u->sample;
	uint64_t time, ticks, task, region, ip;

	if (kind > u->n_kinds || unpack_column(u, PACK_TIME, &time) ||
	    unpack_low16(u, PACK_TICKS, &ticks) || unpack_column(u, PACK_TASK, &task) ||
	    task >= u->n_tasks || unpack_column(u, PACK_REGION, &region) ||
	    region >= u->n_regions || unpack_low16(u, PACK_IP, &ip))
		return -EBADMSG;
	s->h.event = u->kinds[kind - 1];
	s->h.flags = u->kinds[kind - 1] >> 16;
	s->time += unzigzag(time << 16 | ticks);
	s->pid = u->tasks[task] >> 32;
	s->tid = u->tasks[task];
	s->ip = u->regions[region] << 16 | ip;
	*rec = &s->h;
	return 1;
}

int unpack_next(struct unpack *u, const struct vsamp_record_header **rec)
{
	uint8_t kind;
	int ret;

	if (u->at[PACK_KIND] == u->end[PACK_KIND]) {
		for (int i = PACK_OTHERS; i < PACK_COLUMNS; i++)
			if (u->at[i] != u->end[i])
				return -EBADMSG;
		return 0;
	}
	kind = *u->at[PACK_KIND]++;
	ret = kind ? unpack_sample(u, kind, rec) : unpack_next_other(u, rec);
	return ret == 1 ? 1 : -EBADMSG;
}
