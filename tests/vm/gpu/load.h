/* SPDX-License-Identifier: MIT */
/*
 * What a report of the emulated GPU must hold, from its timestamp: the load as
 * tests/vm/README.md tells it, worked out anew
 */
#ifndef LOAD_H
#define LOAD_H

#include <stdint.h>

/* Ticks of [0, t) in which the load kept the GPU busy */
static inline uint64_t load_busy(uint64_t t)
{
	uint64_t part = t % 65536;

	return t / 65536 * 40960 + (part < 40960 ? part : 40960);
}

/* A0 to A35, B0 to B7, C0 to C7; A0 to A31 have 40 bits, all others 32 */
static inline uint64_t load_counter(char set, int i, uint64_t t)
{
	static const uint8_t b[8] = { 0, 84, 84, 42, 28, 28, 14, 56 };

	switch (set) {
	case 'A':
		return 84 * load_busy(t) * (i + 1) & (i < 32 ? (1ULL << 40) - 1 : UINT32_MAX);
	case 'B':
		return (uint32_t)(b[i] * t);
	default:
		return (uint32_t)(28 * load_busy(t) * (i + 1));
	}
}

/* Fields that differ from what they must be, in a report of format A32u40_A4u32_B8_C8 */
static inline int load_wrong(const uint32_t *r, uint64_t t)
{
	const uint8_t *high = (const uint8_t *)&r[40];
	int i, wrong = r[1] != (uint32_t)t || r[3] != (uint32_t)(84 * t) ||
		       (r[0] >> 19 & 0x3f) != 1;

	for (i = 0; i < 32; i++)
		wrong += (r[4 + i] | (uint64_t)high[i] << 32) != load_counter('A', i, t);
	for (i = 32; i < 36; i++)
		wrong += r[4 + i] != load_counter('A', i, t);
	for (i = 0; i < 8; i++) {
		wrong += r[48 + i] != load_counter('B', i, t);
		wrong += r[56 + i] != load_counter('C', i, t);
	}
	return wrong;
}

#endif
