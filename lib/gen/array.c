// SPDX-License-Identifier: MIT
/* array.c: records in the profile buffer */
#include <vsamp/gen_build.h>

#include "coder.h"

#define ALIGN 64

static bool is_power(uint32_t n)
{
	return n && !(n & (n - 1));
}

/* The next power of two; 0: beyond 4 GiB */
static uint32_t power_from(uint64_t n)
{
	uint64_t p = 1;

	while (p < n)
		p *= 2;
	return p > UINT32_MAX ? 0 : p;
}

enum vsamp_gen_status vsamp_gen_array_make(struct vsamp_gen_array *array, uint32_t record_size,
					   uint32_t records, uint32_t buckets, uint32_t align,
					   uint32_t offset)
{
	struct vsamp_gen_array a = { record_size, records, buckets ? buckets : 1, 0, 0 };
	uint64_t bytes = (uint64_t)record_size * records, begin;

	align = align ? align : ALIGN;
	if (!bytes || !is_power(a.buckets) || !is_power(align))
		return VSAMP_GEN_EINVAL;
	begin = ((uint64_t)offset + align - 1) & ~(uint64_t)(align - 1);
	a.offset = begin;
	a.stride = power_from(bytes > align ? bytes : align);
	if (!a.stride || begin > UINT32_MAX || vsamp_gen_array_end(&a) > 1ULL << 32)
		return VSAMP_GEN_ERANGE;
	*array = a;
	return VSAMP_GEN_OK;
}

uint64_t vsamp_gen_array_end(const struct vsamp_gen_array *a)
{
	return a->offset + (uint64_t)a->buckets * a->stride;
}

uint64_t vsamp_gen_array_record(const struct vsamp_gen_array *a, uint32_t bucket, uint32_t record)
{
	if (bucket >= a->buckets || record >= a->records)
		return UINT64_MAX;
	return a->offset + (uint64_t)bucket * a->stride + (uint64_t)record * a->record_size;
}

enum vsamp_gen_status vsamp_gen_array_address(struct vsamp_gen_coder *c,
					      struct vsamp_gen_proc *proc, struct vsamp_gen_reg dst,
					      struct vsamp_gen_reg base,
					      const struct vsamp_gen_array *a, uint32_t record,
					      const struct vsamp_gen_pred *pred)
{
	struct vsamp_gen_chunk chunk = { a->buckets, a->stride, a->offset, 0 };

	if (record >= a->records)
		return coder_fail(c, VSAMP_GEN_ERANGE, "record %u of %u", record, a->records);
	chunk.offset = record * a->record_size;
	if (a->buckets == 1)
		return vsamp_gen_compute_address(c, proc, dst, base, a->offset + chunk.offset,
						 pred);
	return vsamp_gen_compute_thread_chunk_address(c, proc, dst, base, &chunk, pred);
}
