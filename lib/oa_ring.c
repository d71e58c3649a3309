// SPDX-License-Identifier: MIT
/* oa_ring.c: a driver's stream as a ring of the same records as the module's */
#include <errno.h>
#include <stdlib.h>

#include "buf.h"
#include "clock_record.h"
#include "oa_drm_private.h"
#include "ring_private.h"

/* What a reader may find, about; more waits in the driver */
#define RING_SIZE (1u << 20)

struct oa_ring {
	struct vsamp_ring ring;
	struct oa_drm *drm;
	struct buf out;	    /* records for the reader */
	uint64_t clock_due; /* ns, CLOCK_MONOTONIC_RAW */
	/*
	 * A loss is told once it is known where it ends. A driver tells of lost reports before those
	 * that it reads with them: the hole is wherever one of the timer's is missing.
	 */
	uint16_t lost;	/* VSAMP_GPU_LOST_*, 0: none */
	uint32_t last;	/* timestamp of the last report, or of the start */
	uint32_t timer; /* end of the timer's last period that is accounted for */
	bool timed;	/* there is one */
};

static int put(struct oa_ring *r, const void *record, size_t size)
{
	return buf_add(&r->out, record, size);
}

/*
 * From one timestamp to another, both 32 bits: ends of the timer's periods, which has 2^@bits ticks;
 * @bits is 1 to 32
 */
static uint32_t periods(uint32_t from, uint32_t to, unsigned int bits)
{
	uint64_t first = from, last = to;

	if (last < first)
		last += 1ULL << 32;
	return (last >> bits) - (first >> bits);
}

static int put_lost(struct oa_ring *r, uint32_t to, uint32_t count)
{
	struct vsamp_record_oa_lost l = {
		.h = { VSAMP_RECORD_OA_LOST, sizeof(l), 0, r->lost ?: VSAMP_GPU_LOST_REPORT },
		.time = r->drm->calls->raw(),
		.from = r->last,
		.to = to,
		.count = count,
	};

	r->lost = 0;
	return put(r, &l, sizeof(l));
}

/* Reports of the timer between its last one and one at @to */
static uint32_t missing(const struct oa_ring *r, uint32_t to)
{
	uint64_t period = 2ULL << r->drm->exponent, gap = (uint32_t)(to - r->timer);

	return gap < period || gap > INT32_MAX ? 0 : (gap + period / 2) / period - 1;
}

/* What is lost before a report */
static int put_hole(struct oa_ring *r, uint32_t to, bool timer)
{
	uint32_t count, bits = r->drm->exponent + 1;

	if (r->lost & VSAMP_GPU_LOST_OVERFLOW || (r->lost && !r->timed)) {
		count = periods(r->last, to, bits);
		r->timer = (uint64_t)to >> bits << bits;
		r->timed = true;
		return put_lost(r, to, count - (timer && count));
	}
	count = timer && r->timed ? missing(r, to) : 0;
	return count ? put_lost(r, to, count) : 0;
}

static int put_report(struct oa_ring *r, const void *report)
{
	struct {
		struct vsamp_record_oa oa;
		uint8_t report[VSAMP_OA_REPORT_SIZE];
	} record = {
		.oa.h = { VSAMP_RECORD_OA, sizeof(record), 0, 0 },
		.oa.time = r->drm->calls->raw(),
	};
	struct vsamp_oa_head head;
	bool timer;
	int ret;

	vsamp_oa_head_read(&head, report, r->drm->gpu.platform->version);
	timer = head.reason & VSAMP_OA_TIMER;
	ret = put_hole(r, head.timestamp, timer);
	if (ret)
		return ret;
	r->last = head.timestamp;
	if (timer) {
		r->timer = head.timestamp;
		r->timed = true;
	}
	record.oa.h.event = vsamp_oa_platform_format(r->drm->gpu.platform);
	memcpy(record.report, report, sizeof(record.report));
	return put(r, &record, sizeof(record));
}

static int put_clocks(struct oa_ring *r, uint32_t *timestamp, struct vsamp_error *err)
{
	struct vsamp_record_gpu_clock g = { .h = { VSAMP_RECORD_GPU_CLOCK, sizeof(g), 0, 0 } };
	struct vsamp_record_clock clock;
	struct vsamp_oa_pair pair;
	int ret = oa_drm_pair(r->drm, &pair, err);

	if (ret)
		return ret;
	clock_record_make(&clock);
	g.time = pair.raw;
	g.bracket = pair.bracket;
	g.timestamp = pair.ticks;
	*timestamp = pair.ticks;
	r->clock_due = pair.raw + CLOCK_RECORD_EVERY;
	if (put(r, &clock, sizeof(clock)) || put(r, &g, sizeof(g)))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	return 0;
}

/* What the driver has, as long as there is less than @limit for the reader */
static int drain(struct oa_ring *r, size_t limit, struct vsamp_error *err)
{
	struct oa_record record;
	int ret;

	while (r->out.size < limit && (ret = oa_drm_next(r->drm, &record, err))) {
		if (ret < 0)
			return ret;
		if (record.type == OA_REPORT)
			ret = put_report(r, record.report);
		else
			r->lost |= record.type == OA_BUFFER_LOST ? VSAMP_GPU_LOST_OVERFLOW :
								   VSAMP_GPU_LOST_REPORT;
		if (ret < 0)
			return vsamp_fail(err, ret, "out of memory");
	}
	return 0;
}

static int ring_take(struct vsamp_ring *ring, const char **data, uint64_t *size,
		     struct vsamp_error *err)
{
	struct oa_ring *r = (struct oa_ring *)ring;
	uint32_t timestamp;
	int ret = 0;

	if (r->drm->stream >= 0) {
		if (r->drm->calls->raw() >= r->clock_due)
			ret = put_clocks(r, &timestamp, err);
		if (!ret)
			ret = drain(r, RING_SIZE, err);
	}
	*data = (const char *)r->out.data;
	*size = r->out.size;
	return ret;
}

static void ring_release(struct vsamp_ring *ring, uint64_t size)
{
	struct buf *out = &((struct oa_ring *)ring)->out;

	out->size -= size;
	memmove(out->data, out->data + size, out->size);
}

static void ring_close(struct vsamp_ring *ring)
{
	buf_free(&((struct oa_ring *)ring)->out);
	free(ring);
}

static const struct ring_ops oa_ring_ops = {
	.take = ring_take,
	.release = ring_release,
	.close = ring_close,
};

int oa_ring_open(struct vsamp_ring **ring, struct oa_drm *drm, struct vsamp_error *err)
{
	struct oa_ring *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	r->ring.ops = &oa_ring_ops;
	r->ring.data_size = RING_SIZE;
	r->drm = drm;
	ret = put_clocks(r, &r->last, err);
	if (ret) {
		ring_close(&r->ring);
		return ret;
	}
	*ring = &r->ring;
	return 0;
}

int oa_ring_drain(struct vsamp_ring *ring, struct vsamp_error *err)
{
	return drain((struct oa_ring *)ring, SIZE_MAX, err);
}

int oa_ring_end(struct vsamp_ring *ring, struct vsamp_error *err)
{
	struct oa_ring *r = (struct oa_ring *)ring;
	uint32_t timestamp, count;
	int ret = put_clocks(r, &timestamp, err);

	if (ret || !r->lost)
		return ret;
	/* a driver keeps the newest report back, which isn't lost, but where it dropped all */
	count = periods(r->last, timestamp, r->drm->exponent + 1);
	count -= count && !(r->lost & VSAMP_GPU_LOST_OVERFLOW);
	if (put_lost(r, timestamp, count))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	return ret;
}
