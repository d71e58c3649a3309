// SPDX-License-Identifier: MIT
/* itt_record.c: ITT records taken apart and put together */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <vsamp/itt_record.h>

_Static_assert(sizeof(struct vsamp_itt_header) == 16, "no padding");
_Static_assert(sizeof(struct vsamp_itt_mapping) == 64, "no padding");

/* Bytes that a type has behind the parts, at least */
static const uint8_t body_min[] = {
	[VSAMP_ITT_STRING] = sizeof(struct vsamp_itt_text),
	[VSAMP_ITT_COUNTER] = sizeof(struct vsamp_itt_counter),
	[VSAMP_ITT_COUNTER_META] = sizeof(struct vsamp_itt_counter_meta),
	[VSAMP_ITT_HISTOGRAM] = sizeof(struct vsamp_itt_histogram),
	[VSAMP_ITT_CLOCK] = sizeof(struct vsamp_itt_clock),
	[VSAMP_ITT_MAPPING] = sizeof(struct vsamp_itt_mapping),
	[VSAMP_ITT_SYNC_OBJECT] = sizeof(struct vsamp_itt_sync_object),
	[VSAMP_ITT_THREAD_NAME] = sizeof(struct vsamp_itt_text),
	[VSAMP_ITT_LOST] = sizeof(uint64_t),
	[VSAMP_ITT_CALLS] = sizeof(uint64_t),
	[VSAMP_ITT_FRAME_SUBMIT] = sizeof(struct vsamp_itt_frame),
	[VSAMP_ITT_MARKER] = sizeof(struct vsamp_itt_marker),
	[VSAMP_ITT_COUNTER_SET] = sizeof(struct vsamp_itt_value),
	[VSAMP_ITT_COUNTER_ADD] = sizeof(uint64_t),
	[VSAMP_ITT_METADATA] = sizeof(struct vsamp_itt_metadata),
	[VSAMP_ITT_RELATION] = sizeof(struct vsamp_itt_relation),
	[VSAMP_ITT_HISTOGRAM_SUBMIT] = sizeof(struct vsamp_itt_points),
	[VSAMP_ITT_SYNC] = sizeof(uint64_t),
	[VSAMP_ITT_STITCH] = sizeof(uint64_t),
};

/* By bit of the flags */
static const uint8_t part_size[] = {
	sizeof(struct vsamp_itt_name),	sizeof(uint64_t),
	sizeof(struct vsamp_itt_stamp), sizeof(struct vsamp_itt_id),
	sizeof(struct vsamp_itt_id),
};

static bool text_ok(const struct vsamp_itt_text *text, size_t room)
{
	return text->length <= VSAMP_ITT_TEXT_MAX && text->length <= room &&
	       !memchr(text->text, 0, text->length);
}

/* Whether the body holds as much as it says */
static bool body_ok(uint8_t type, const void *body, size_t size)
{
	const struct vsamp_itt_metadata *metadata = body;
	const struct vsamp_itt_mapping *mapping = body;
	const struct vsamp_itt_points *points = body;
	size_t min = type < sizeof(body_min) ? body_min[type] : 0;

	if (size < min)
		return false;
	switch (type) {
	case VSAMP_ITT_STRING:
	case VSAMP_ITT_THREAD_NAME:
		return text_ok(body, size - min);
	case VSAMP_ITT_METADATA:
		return metadata->count <= (size - min) / vsamp_itt_value_size(metadata->type);
	case VSAMP_ITT_HISTOGRAM_SUBMIT:
		return points->count <= (size - min) / (points->has_y ? 16 : 8);
	case VSAMP_ITT_MAPPING:
		return mapping->id_size <= sizeof(mapping->id) &&
		       mapping->length <= UINT64_MAX - mapping->start;
	}
	return true;
}

static const uint8_t *take(const uint8_t *at, void *to, size_t size)
{
	memcpy(to, at, size);
	return at + size;
}

static bool id_set(const struct vsamp_itt_id *id)
{
	return id->d[0] || id->d[1] || id->d[2];
}

int vsamp_itt_decode(const void *record, size_t room, struct vsamp_itt_call *c)
{
	const uint8_t *at = record;
	struct vsamp_itt_header h;
	size_t need = sizeof(h);

	if (room < sizeof(h))
		return -EBADMSG;
	at = take(at, &h, sizeof(h));
	if (h.size % 8 || h.size > room || h.flags & ~VSAMP_ITT_FLAGS)
		return -EBADMSG;
	for (unsigned int i = 0; i < sizeof(part_size); i++)
		need += h.flags & 1U << i ? part_size[i] : 0;
	if (h.size < need)
		return -EBADMSG;
	*c = (struct vsamp_itt_call){
		.time = h.time, .type = h.type, .flags = h.flags, .handle = h.handle
	};
	if (h.flags & VSAMP_ITT_HAS_NAME) {
		memcpy(&c->name, at, sizeof(c->name));
		at += sizeof(struct vsamp_itt_name);
	}
	if (h.flags & VSAMP_ITT_HAS_FN)
		at = take(at, &c->fn, sizeof(c->fn));
	if (h.flags & VSAMP_ITT_HAS_CLOCK) {
		struct vsamp_itt_stamp stamp;

		at = take(at, &stamp, sizeof(stamp));
		c->clock = stamp.clock;
		c->stamp = stamp.time;
	}
	if (h.flags & VSAMP_ITT_HAS_ID)
		at = take(at, &c->id, sizeof(c->id));
	if (h.flags & VSAMP_ITT_HAS_PARENT)
		at = take(at, &c->parent, sizeof(c->parent));
	if (!id_set(&c->id))
		c->flags &= ~VSAMP_ITT_HAS_ID;
	if (!id_set(&c->parent))
		c->flags &= ~VSAMP_ITT_HAS_PARENT;
	c->body = at;
	c->body_size = h.size - need;
	return body_ok(h.type, c->body, c->body_size) ? h.size : -EBADMSG;
}

static uint8_t *put(uint8_t *at, const void *from, size_t size)
{
	memcpy(at, from, size);
	return at + size;
}

int vsamp_itt_encode(void *to, const struct vsamp_itt_call *c)
{
	struct vsamp_itt_name name = { .string = c->name };
	struct vsamp_itt_stamp stamp = { .clock = c->clock, .time = c->stamp };
	struct vsamp_itt_header h = {
		.time = c->time,
		.type = c->type,
		.flags = c->flags | (c->name ? VSAMP_ITT_HAS_NAME : 0) |
			 (c->fn ? VSAMP_ITT_HAS_FN : 0) |
			 (c->clock || c->stamp ? VSAMP_ITT_HAS_CLOCK : 0) |
			 (id_set(&c->id) ? VSAMP_ITT_HAS_ID : 0) |
			 (id_set(&c->parent) ? VSAMP_ITT_HAS_PARENT : 0),
		.handle = c->handle,
	};
	size_t size = sizeof(h), padded = (c->body_size + 7) & ~7UL;
	uint8_t *at = to;

	for (unsigned int i = 0; i < sizeof(part_size); i++)
		size += h.flags & 1U << i ? part_size[i] : 0;
	if (c->body_size > VSAMP_ITT_RECORD_MAX || padded > VSAMP_ITT_RECORD_MAX - size)
		return -E2BIG;
	h.size = size + padded;
	at = put(at, &h, sizeof(h));
	if (h.flags & VSAMP_ITT_HAS_NAME)
		at = put(at, &name, sizeof(name));
	if (h.flags & VSAMP_ITT_HAS_FN)
		at = put(at, &c->fn, sizeof(c->fn));
	if (h.flags & VSAMP_ITT_HAS_CLOCK)
		at = put(at, &stamp, sizeof(stamp));
	if (h.flags & VSAMP_ITT_HAS_ID)
		at = put(at, &c->id, sizeof(c->id));
	if (h.flags & VSAMP_ITT_HAS_PARENT)
		at = put(at, &c->parent, sizeof(c->parent));
	memset(at, 0, padded);
	if (c->body_size)
		memcpy(at, c->body, c->body_size);
	return h.size;
}
