// SPDX-License-Identifier: MIT
/*
 * free_list.c: the block in which the compiler tells of the registers that a kernel leaves
 *
 * A head, then tokens: number, bytes with these, payload. That of registers is between two magic
 * words: their number, and of each range the first byte of the register file and how many.
 */
#include <stdlib.h>
#include <string.h>

#include "binary.h"

#define VERSION	      5
#define HEAD	      20 /* bytes, of which the last word is the number of tokens */
#define TOKEN_HEAD    8
#define TOKEN_FREE    0
#define TOKEN_SCRATCH 1
#define MAGIC_BEGIN   0xdeadd00d
#define MAGIC_END     0xdeadbeef
#define RANGE	      4

static uint32_t word(const uint8_t *at)
{
	return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
}

static bool ranges_are_whole(struct gen_bytes b)
{
	return b.size >= 12 && word(b.data) == MAGIC_BEGIN &&
	       word(b.data + 4) == (b.size - 12) / RANGE && !((b.size - 12) % RANGE) &&
	       word(b.data + b.size - 4) == MAGIC_END;
}

/* In order, none beyond the file of registers */
static enum vsamp_gen_status ranges_read(struct gen_bytes b, size_t file_size,
					 struct vsamp_gen_kernel *k)
{
	struct vsamp_gen_grf_range *range;
	size_t n, end = 0;

	if (k->free || !ranges_are_whole(b))
		return VSAMP_GEN_EINVAL;
	n = word(b.data + 4);
	range = calloc(n + 1, sizeof(*range));
	if (!range)
		return VSAMP_GEN_ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *at = b.data + 8 + i * RANGE;

		range[i].start = at[0] | at[1] << 8;
		range[i].size = at[2] | at[3] << 8;
		if (range[i].start < end || range[i].start + (size_t)range[i].size > file_size) {
			free(range);
			return VSAMP_GEN_EINVAL;
		}
		end = range[i].start + (size_t)range[i].size;
	}
	k->free = range;
	k->free_num = n;
	return VSAMP_GEN_OK;
}

static enum vsamp_gen_status token_read(uint32_t token, struct gen_bytes payload, size_t file_size,
					struct vsamp_gen_kernel *k)
{
	if (token == TOKEN_FREE)
		return ranges_read(payload, file_size, k);
	if (token == TOKEN_SCRATCH && payload.size >= 8)
		k->scratch = word(payload.data + 4);
	return VSAMP_GEN_OK;
}

enum vsamp_gen_status gen_free_list_read(struct gen_bytes b, size_t file_size,
					 struct vsamp_gen_kernel *k)
{
	enum vsamp_gen_status status = VSAMP_GEN_OK;
	size_t at = HEAD;
	uint32_t tokens;

	if (b.size < HEAD || word(b.data) != VERSION)
		return VSAMP_GEN_EINVAL;
	tokens = word(b.data + 16);
	for (uint32_t i = 0; i < tokens && !status; i++) {
		size_t left = b.size - at, size;

		if (left < TOKEN_HEAD)
			return VSAMP_GEN_EINVAL;
		size = word(b.data + at + 4);
		if (size < TOKEN_HEAD || size > left)
			return VSAMP_GEN_EINVAL;
		status = token_read(
			word(b.data + at),
			(struct gen_bytes){ b.data + at + TOKEN_HEAD, size - TOKEN_HEAD },
			file_size, k);
		at += size;
	}
	return status;
}
