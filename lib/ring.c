// SPDX-License-Identifier: MIT
/* Rings, whatever their source: what they give is checked and counted here */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "record.h"
#include "ring_private.h"

void vsamp_ring_close(struct vsamp_ring *r)
{
	if (r)
		r->ops->close(r);
}

void ring_counts_add(struct vsamp_ring_counts *c, const struct vsamp_record_header *h)
{
	const struct vsamp_record_lost *lost = (const void *)h;

	if (h->type == VSAMP_RECORD_LOST) {
		c->lost_records++;
		if (__builtin_add_overflow(c->lost, lost->count, &c->lost))
			c->lost = UINT64_MAX;
		return;
	}
	c->records++;
	c->throttles += h->type == VSAMP_RECORD_THROTTLE;
	if (h->type == VSAMP_RECORD_SAMPLE)
		c->samples[h->event]++;
	else if (h->type == VSAMP_RECORD_STATE)
		c->foreign += h->event == VSAMP_STATE_FOREIGN;
}

static int ring_check_records(struct vsamp_ring *r, const char *data, uint64_t size,
			      struct vsamp_error *err)
{
	r->after = r->counts;
	for (uint64_t pos = 0; pos < size;) {
		struct vsamp_record_header h;

		memcpy(&h, data + pos, sizeof(h));
		if (!record_ok(data + pos, size - pos))
			return vsamp_fail(
				err, -EBADMSG,
				"ring of CPU %u: a record of type %u says it has %u bytes%s, at %" PRIu64
				" of %" PRIu64,
				r->cpu, h.type, h.size, record_has_stack(&h) ? " with a stack" : "",
				r->tail + pos, r->tail + size);
		if (record_has_event(h.type) && h.event >= VSAMP_EVENTS_MAX)
			return vsamp_fail(err, -EBADMSG,
					  "ring of CPU %u: a record of type %u of event or set %u",
					  r->cpu, h.type, h.event);
		ring_counts_add(&r->after, (const void *)(data + pos));
		if (h.type == VSAMP_RECORD_CLOCK)
			memcpy(&r->clock, data + pos, sizeof(r->clock));
		pos += h.size;
	}
	return 0;
}

int vsamp_ring_begin(struct vsamp_ring *r, const void **data, size_t *size, struct vsamp_error *err)
{
	const char *first = NULL;
	uint64_t waits = 0;

	if (r->broken)
		return vsamp_fail(err, r->broken, "ring of CPU %u was damaged before", r->cpu);
	r->broken = r->ops->take(r, &first, &waits, err);
	if (!r->broken && waits)
		r->broken = ring_check_records(r, first, waits, err);
	if (r->broken || !waits)
		return r->broken;
	r->batch = waits;
	*data = first;
	*size = waits;
	return 1;
}

void vsamp_ring_end(struct vsamp_ring *r)
{
	if (!r->batch)
		return;
	r->counts = r->after;
	r->ops->release(r, r->batch);
	r->tail += r->batch;
	r->batch = 0;
}

uint32_t vsamp_ring_cpu(const struct vsamp_ring *r)
{
	return r->cpu;
}

uint64_t vsamp_ring_size(const struct vsamp_ring *r)
{
	return r->data_size;
}

const struct vsamp_ring_counts *vsamp_ring_counts(const struct vsamp_ring *r)
{
	return &r->counts;
}
