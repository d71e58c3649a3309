/* SPDX-License-Identifier: MIT */
/* Ring records, as far as all who read them must know */
#ifndef VSAMP_RECORD_H
#define VSAMP_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <vsamp.h>

/* Least size of a record of a known type, else 0; all known types have their time behind the header */
static inline size_t record_size_min(uint16_t type)
{
	switch (type) {
	case VSAMP_RECORD_SAMPLE:
		return sizeof(struct vsamp_record_sample);
	case VSAMP_RECORD_LOST:
		return sizeof(struct vsamp_record_lost);
	case VSAMP_RECORD_CLOCK:
		return sizeof(struct vsamp_record_clock);
	case VSAMP_RECORD_THROTTLE:
	case VSAMP_RECORD_UNTHROTTLE:
		return sizeof(struct vsamp_record_throttle);
	case VSAMP_RECORD_STATE:
		return sizeof(struct vsamp_record_state);
	case VSAMP_RECORD_SET:
		return sizeof(struct vsamp_record_set);
	case VSAMP_RECORD_SAV:
		return sizeof(struct vsamp_record_sav);
	}
	return 0;
}

/* Bytes of a sample whose stack has so many frames */
static inline size_t record_sample_size(size_t frames)
{
	return sizeof(struct vsamp_record_sample) + sizeof(struct vsamp_stack) +
	       frames * sizeof(uint64_t);
}

#define RECORD_SAMPLE_MAX                                                  \
	(sizeof(struct vsamp_record_sample) + sizeof(struct vsamp_stack) + \
	 2 * VSAMP_STACK_DEPTH_MAX * sizeof(uint64_t))

#define RECORD_STACK_CUT (VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT)

static inline bool record_has_stack(const struct vsamp_record_header *h)
{
	return h->flags & VSAMP_SAMPLE_STACK && h->type == VSAMP_RECORD_SAMPLE;
}

/* The stack of a sample that record_ok() took; NULL: it has none */
static inline const struct vsamp_stack *record_stack(const struct vsamp_record_sample *s)
{
	return record_has_stack(&s->h) ? (const struct vsamp_stack *)(s + 1) : NULL;
}

/* Whether a sample's stack, @size bytes from the sample's begin, is what it says */
static inline bool record_stack_ok(const void *sample, size_t size)
{
	struct vsamp_stack stack;

	if (size < record_sample_size(0))
		return false;
	memcpy(&stack, (const struct vsamp_record_sample *)sample + 1, sizeof(stack));
	return stack.kernel <= VSAMP_STACK_DEPTH_MAX && stack.user <= VSAMP_STACK_DEPTH_MAX &&
	       !(stack.flags & ~RECORD_STACK_CUT) &&
	       size == record_sample_size(stack.kernel + stack.user);
}

/* Whether a record, @room bytes before the end of what there is, is whole and as its type says */
static inline bool record_ok(const void *record, size_t room)
{
	struct vsamp_record_header h;

	if (room < sizeof(h))
		return false;
	memcpy(&h, record, sizeof(h));
	if (h.size < sizeof(h) || h.size % 8 || h.size > room || h.size < record_size_min(h.type))
		return false;
	return !record_has_stack(&h) || record_stack_ok(record, h.size);
}

/* Whether a header's event is the number of an event, or of a set, and below VSAMP_EVENTS_MAX */
static inline bool record_has_event(uint16_t type)
{
	return type == VSAMP_RECORD_SAMPLE || type == VSAMP_RECORD_SET || type == VSAMP_RECORD_SAV;
}

#endif
