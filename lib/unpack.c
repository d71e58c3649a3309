// SPDX-License-Identifier: MIT
/* unpack.c: ring records of one CPU, back from their columns */
#include <stdbool.h>

#include "pack.h"
#include "record.h"
#include "varint.h"

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

/* Columns behind the sizes of all of them; how many bytes they took, or -EBADMSG */
static ssize_t unpack_columns(struct unpack *u, const uint8_t *data, size_t size, int from, int to,
			      size_t words)
{
	uint32_t header[PACK_HEADER_WORDS];
	const uint8_t *at = data + words * sizeof(*header), *end = data + size;

	if (size < words * sizeof(*header))
		return -EBADMSG;
	memcpy(header, data, words * sizeof(*header));
	for (int i = from; i < to; i++) {
		if (header[i - from] > (size_t)(end - at))
			return -EBADMSG;
		u->at[i] = at;
		at += header[i - from];
		u->end[i] = at;
	}
	return at - data;
}

int unpack_open(struct unpack *u, const void *data, size_t size, uint32_t count)
{
	ssize_t used, more = 0;
	int ret;

	*u = (struct unpack){ 0 };
	used = unpack_columns(u, data, size, 0, PACK_PLAIN_COLUMNS, PACK_HEADER_WORDS);
	if (used >= 0 && size > (size_t)used)
		more = unpack_columns(u, (const uint8_t *)data + used, size - used,
				      PACK_PLAIN_COLUMNS, PACK_COLUMNS, PACK_STACKS_WORDS);
	if (used < 0 || more < 0 || (more && u->at[PACK_STACK] == u->end[PACK_STACK]) ||
	    size != (size_t)(used + more) ||
	    (size_t)(u->end[PACK_KIND] - u->at[PACK_KIND]) != count)
		return -EBADMSG;
	ret = unpack_tables(u);
	if (!ret && more)
		ret = unpack_stack_tables(u);
	if (ret)
		unpack_close(u);
	return ret;
}

void unpack_close(struct unpack *u)
{
	free(u->kinds);
	free(u->frames);
	u->kinds = NULL;
	u->frames = NULL;
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
	if (!record_ok(h, room))
		return -EBADMSG;
	u->at[PACK_OTHERS] += h->size;
	*rec = h;
	return 1;
}

static int get_low16(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	if (end - *at < 2)
		return -EBADMSG;
	*v = (*at)[0] | (*at)[1] << 8;
	*at += 2;
	return 0;
}

/* Where the columns of samples are read from */
struct columns {
	const uint8_t *time, *ticks, *task, *region, *ip;
};

/* A sample but for its stack */
static inline int read_sample(const struct unpack *u, struct columns *c, uint8_t kind,
			      uint64_t before, struct vsamp_record_sample *s)
{
	const uint8_t *const *end = u->end;
	uint64_t time, ticks, task, region, ip;

	if (kind > u->n_kinds || get_varint(&c->time, end[PACK_TIME], &time) ||
	    get_low16(&c->ticks, end[PACK_TICKS], &ticks) ||
	    get_varint(&c->task, end[PACK_TASK], &task) || task >= u->n_tasks ||
	    get_varint(&c->region, end[PACK_REGION], &region) || region >= u->n_regions ||
	    get_low16(&c->ip, end[PACK_IP], &ip))
		return -EBADMSG;
	*s = (struct vsamp_record_sample){
		.h = { VSAMP_RECORD_SAMPLE, sizeof(*s), u->kinds[kind - 1],
		       u->kinds[kind - 1] >> 16 },
		.time = before + unzigzag(time << 16 | ticks),
		.ip = u->regions[region] << 16 | ip,
		.pid = u->tasks[task] >> 32,
		.tid = u->tasks[task],
	};
	return 0;
}

static bool kind_has_stack(const struct unpack *u, uint8_t kind)
{
	return kind <= u->n_kinds && u->kinds[kind - 1] >> 16 & VSAMP_SAMPLE_STACK;
}

/* Samples until another record comes, or one that has a stack, which comes alone */
static int read_samples(struct unpack *u)
{
	struct columns c = { u->at[PACK_TIME], u->at[PACK_TICKS], u->at[PACK_TASK],
			     u->at[PACK_REGION], u->at[PACK_IP] };
	const uint8_t *kind = u->at[PACK_KIND], *end = u->end[PACK_KIND];
	bool stack = kind_has_stack(u, *kind);
	uint32_t most = stack ? 1 : UNPACK_AHEAD, n;
	uint64_t time = u->time;

	for (n = 0; n < most && kind < end && *kind && kind_has_stack(u, *kind) == stack; n++) {
		u->bad = read_sample(u, &c, *kind++, time, &u->ahead[n]);
		if (u->bad)
			break;
		time = u->ahead[n].time;
	}
	u->at[PACK_KIND] = kind;
	u->at[PACK_TIME] = c.time;
	u->at[PACK_TICKS] = c.ticks;
	u->at[PACK_TASK] = c.task;
	u->at[PACK_REGION] = c.region;
	u->at[PACK_IP] = c.ip;
	u->time = time;
	u->ready = n;
	return n && stack ? unpack_stack_next(u) : n ? 0 : -EBADMSG;
}

int unpack_next_slow(struct unpack *u, const struct vsamp_record_header **rec)
{
	int ret;

	u->given = u->ready = 0;
	if (u->bad)
		return -EBADMSG;
	if (u->at[PACK_KIND] == u->end[PACK_KIND]) {
		for (int i = PACK_OTHERS; i < PACK_COLUMNS; i++)
			if (u->at[i] != u->end[i])
				return -EBADMSG;
		return 0;
	}
	if (!*u->at[PACK_KIND]) {
		u->at[PACK_KIND]++;
		ret = unpack_next_other(u, rec);
		return ret == 1 ? 1 : -EBADMSG;
	}
	if (read_samples(u))
		return -EBADMSG;
	*rec = &u->ahead[u->given++].h;
	return 1;
}
