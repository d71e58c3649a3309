// SPDX-License-Identifier: MIT
/* live_queue.c: records that wait for the next step */
#include "file_private.h"
#include "live_private.h"
#include "record.h"

/* What a fit is made from: as many of the last ones */
#define POINTS_MAX 256

static int queue_add(struct live_queue *q, struct live_record r, const void *data, size_t size)
{
	r.at = q->bytes.size;
	if (buf_add(&q->bytes, data, size) || buf_add(&q->records, &r, sizeof(r)))
		return -ENOMEM;
	return 0;
}

static int add_point(struct buf *points, const struct vsamp_record_clock *c, uint64_t ns)
{
	struct vsamp_clock_point point = { c->time, c->bracket, ns, false };

	if (points->size == POINTS_MAX * sizeof(point)) {
		points->size /= 2;
		memmove(points->data, points->data + points->size, points->size);
	}
	return buf_add(points, &point, sizeof(point));
}

static int add_clock(struct vsamp_live *live, const struct vsamp_record_clock *c)
{
	int ret = add_point(&live->points, c, c->monotonic_raw);

	return ret ? ret : add_point(&live->monotonic, c, c->monotonic);
}

int live_queue_records(struct vsamp_live *live, uint32_t cpu, const void *data, size_t size)
{
	const uint8_t *at = data, *end = at + size;
	int ret = 0;

	for (const struct vsamp_record_header *h; at < end && !ret; at += h->size) {
		struct live_record r = { .order = live->came++, .cpu = cpu };

		h = (const void *)at;
		/* those of later versions tell no time, and nothing that is counted here */
		if (!record_size_min(h->type) ||
		    (record_has_event(h->type) && h->event >= live->rec.events))
			continue;
		r.time = ((const struct vsamp_record_state *)h)->time;
		ret = h->type == VSAMP_RECORD_CLOCK ? add_clock(live, (const void *)h) :
						      queue_add(&live->queue, r, h, h->size);
	}
	return ret;
}

int live_queue_sideband(struct vsamp_live *live, uint32_t cpu, const void *data, size_t size)
{
	const uint8_t *at = data, *end = at + size;
	int ret = 0;

	for (const struct perf_event_header *h; at < end && !ret; at += h->size) {
		struct live_record r = { .order = live->came++, .cpu = cpu, .sideband = true };

		h = (const void *)at;
		r.time = sideband_time(h); /* ns, for now */
		ret = queue_add(&live->queue, r, h, h->size);
	}
	return ret;
}

static int by_time(const void *a, const void *b)
{
	const struct live_record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->sideband != y->sideband)
		return x->sideband ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static size_t record_size(const struct live_queue *q, const struct live_record *r)
{
	const void *at = q->bytes.data + r->at;

	return r->sideband ? ((const struct perf_event_header *)at)->size :
			     ((const struct vsamp_record_header *)at)->size;
}

static int fit(struct vsamp_clock_fit **clock, const struct buf *points, uint64_t khz)
{
	vsamp_clock_fit_free(*clock);
	*clock = NULL;
	return vsamp_clock_fit_new(clock, (const void *)points->data,
				   points->size / sizeof(struct vsamp_clock_point), khz);
}

/* The clocks by their last points */
int live_fit(struct vsamp_live *live)
{
	int ret = fit(&live->rec.clock, &live->points, live->khz);

	if (!ret)
		ret = fit(&live->rec.monotonic, &live->monotonic, live->khz);
	live->placer.modules.origin.monotonic = live->rec.monotonic;
	return ret;
}

int live_queue_take(struct vsamp_live *live, uint64_t limit_ns, struct live_queue *taken)
{
	struct live_queue old = live->queue;
	struct live_record *r = (void *)old.records.data;
	size_t count = old.records.size / sizeof(*r);
	uint64_t limit;
	int ret = live_fit(live);

	if (ret)
		return ret;
	live->queue = (struct live_queue){ 0 };
	*taken = (struct live_queue){ 0 };
	limit = vsamp_clock_fit_ticks(live->rec.clock, limit_ns);
	for (size_t i = 0; i < count && !ret; i++) {
		struct live_record record = r[i];
		const void *data = old.bytes.data + record.at;

		if (record.sideband)
			record.time = vsamp_clock_fit_ticks(live->rec.clock, record.time);
		if (record.time <= limit)
			ret = queue_add(taken, record, data, record_size(&old, &record));
		else
			ret = queue_add(&live->queue, r[i], data, record_size(&old, &record));
	}
	live_queue_free(&old);
	count = taken->records.size / sizeof(*r);
	if (count)
		qsort(taken->records.data, count, sizeof(*r), by_time);
	return ret;
}

void live_queue_free(struct live_queue *q)
{
	buf_free(&q->records);
	buf_free(&q->bytes);
}
