/* SPDX-License-Identifier: MIT */
/* varint.h: small numbers in few bytes: 7 bits a byte, lowest first, the top bit in all but the last */
#ifndef VARINT_H
#define VARINT_H

#include "buf.h"

#define VARINT_MAX 10

/* Into room that was made before */
static inline void put_varint(struct buf *b, uint64_t v)
{
	uint8_t *at = b->data + b->size;

	for (; v >= 0x80; v >>= 7)
		*at++ = v | 0x80;
	*at++ = v;
	b->size = at - b->data;
}

/* 0, or -EBADMSG */
static inline int get_varint(const uint8_t **at, const uint8_t *end, uint64_t *v)
{
	uint64_t value = 0;

	/* most are small */
	if (*at < end && **at < 0x80) {
		*v = *(*at)++;
		return 0;
	}
	if (end - *at > 1 && (*at)[1] < 0x80) {
		*v = ((*at)[0] & 0x7f) | (*at)[1] << 7;
		*at += 2;
		return 0;
	}
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

/* Differences, also negative ones, as small numbers */
static inline uint64_t zigzag(uint64_t difference)
{
	return difference << 1 ^ -(difference >> 63);
}

static inline uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ -(v & 1);
}

#endif
