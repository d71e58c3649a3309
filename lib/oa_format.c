// SPDX-License-Identifier: MIT
/* oa_format.c: reports of the OA unit, and the differences between them */
#include <endian.h>
#include <string.h>

#include <vsamp/oa.h>

/* In words of 32 bits */
#define WORD_ID	      0
#define WORD_TIME     1
#define WORD_CONTEXT  2
#define WORD_CLOCK    3
#define WORD_A	      4
#define WORD_HIGH     40 /* from here on a byte each: bits 39:32 of A0... */
#define WORD_B	      48
#define WORD_C	      56

#define ID_REASON     19
#define REASONS	      0x3f
#define REASONS_GEN12 0x7f
#define ID_CONTEXT    (1u << 16)

static uint32_t word(const void *report, unsigned int n)
{
	uint32_t v;

	memcpy(&v, (const char *)report + n * sizeof(v), sizeof(v));
	return le32toh(v);
}

void vsamp_oa_head_read(struct vsamp_oa_head *head, const void *report, unsigned int version)
{
	uint32_t id = word(report, WORD_ID);

	head->reason = id >> ID_REASON & (version >= 1200 ? REASONS_GEN12 : REASONS);
	head->timestamp = word(report, WORD_TIME);
	head->context = word(report, WORD_CONTEXT);
	head->context_valid = id & ID_CONTEXT;
	head->clock = word(report, WORD_CLOCK);
}

static uint64_t wide(const void *report, unsigned int a)
{
	uint64_t high = ((const uint8_t *)report)[WORD_HIGH * 4 + a];

	return high << 32 | word(report, WORD_A + a);
}

static void add_words(uint64_t *delta, const void *before, const void *after, unsigned int first,
		      unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		delta[i] += (uint32_t)(word(after, first + i) - word(before, first + i));
}

static void add_wide(uint64_t *delta, const void *before, const void *after, unsigned int a,
		     unsigned int n)
{
	for (unsigned int i = a; i < a + n; i++)
		delta[i] += (wide(after, i) - wide(before, i)) & ((1ULL << 40) - 1);
}

void vsamp_oa_accumulate(struct vsamp_oa_deltas *deltas, enum vsamp_oa_format format,
			 const void *before, const void *after)
{
	uint64_t *d = deltas->value, *a = d + VSAMP_OA_A;

	add_words(d + VSAMP_OA_TIME, before, after, WORD_TIME, 1);
	add_words(d + VSAMP_OA_CLOCK, before, after, WORD_CLOCK, 1);
	if (format == VSAMP_OA_FORMAT_A32U40_A4U32_B8_C8) {
		add_wide(a, before, after, 0, 32);
		add_words(a + 32, before, after, WORD_A + 32, 4);
	} else {
		add_words(a, before, after, WORD_A, 4);
		add_wide(a, before, after, 4, 20);
		add_words(a + 24, before, after, WORD_A + 24, 4);
		add_wide(a, before, after, 28, 4);
		/* A36 and A37 are where the high bytes of A0-3 and of A24-27 would be */
		add_words(a + 32, before, after, WORD_A + 32, 5);
		add_words(a + 37, before, after, WORD_HIGH + 6, 1);
	}
	add_words(d + VSAMP_OA_B, before, after, WORD_B, 8);
	add_words(d + VSAMP_OA_C, before, after, WORD_C, 8);
}
