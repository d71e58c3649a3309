// SPDX-License-Identifier: MIT
/* Sets of metrics, their registers and values, beside those of libi915_perf, and by hand */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/oa.h>

#include "need.h"
#include "oa_oracle.h"

#define TIMESTAMP_HZ 19200000
#define GPU_MAX_HZ   1350000000
#define REVISION     9 /* sold ones */
#define PAIRS	     200

static struct oracle oracle;

static uint64_t seed = 1;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

struct topology {
	struct drm_i915_query_topology_info info;
	uint8_t data[256];
};

/* Slices, subslices and execution units of which some are missing, but never all */
static void topology_any(struct topology *t, unsigned int slices, unsigned int subslices)
{
	memset(t, 0, sizeof(*t));
	t->info.max_slices = slices;
	t->info.max_subslices = subslices;
	t->info.max_eus_per_subslice = 16;
	t->info.subslice_offset = 1;
	t->info.subslice_stride = 1;
	t->info.eu_offset = 1 + slices;
	t->info.eu_stride = 2;
	t->data[0] = (any() | 1) & ((1 << slices) - 1);
	for (unsigned int i = 0; i < slices; i++)
		t->data[1 + i] = (any() | 1) & ((1 << subslices) - 1);
	for (unsigned int i = 0; i < slices * subslices * 2; i++)
		t->data[1 + slices + i] = any() | 1;
}

/*
 * Two reports: of any content, so that half of the counters wrap; with small differences, as they
 * mostly are; or the same, by which equations divide
 */
static void reports_any(struct oracle_record *before, struct oracle_record *after)
{
	unsigned int kind = any() % 8;

	memset(before, 0, sizeof(*before));
	before->header.type = DRM_I915_PERF_RECORD_SAMPLE;
	before->header.size = sizeof(*before);
	for (size_t i = 0; i < sizeof(before->report); i++)
		before->report[i] = any() >> 20;
	*after = *before;
	for (size_t i = 0; kind && i < sizeof(after->report); i++)
		if (kind > 3 || (i % 4 < 2 && i < 160) || i >= 192)
			after->report[i] = any() >> 20;
}

struct bench {
	const struct vsamp_oa_platform *platform;
	const struct vsamp_oa_set *set;
	struct vsamp_oa_device device;
	struct oracle_perf *perf;
	const struct oracle_set *theirs;
};

static void assert_number(const struct vsamp_oa_number *ours, const struct oracle_counter *c,
			  const struct bench *b, union oracle_read read, uint64_t *deltas)
{
	bool is_real = c->storage == ORACLE_FLOAT || c->storage == ORACLE_DOUBLE;

	if (is_real) {
		double theirs = read.real(b->perf, b->theirs, deltas);

		if (ours->real != theirs)
			fail_msg("%s %s %s: %.17g, not %.17g", b->platform->name, b->set->name,
				 c->name, ours->real, theirs);
	} else {
		uint64_t theirs = read.whole(b->perf, b->theirs, deltas);

		assert_false(ours->is_real);
		if (ours->whole != theirs)
			fail_msg("%s %s %s: %llu, not %llu", b->platform->name, b->set->name,
				 c->name, (unsigned long long)ours->whole,
				 (unsigned long long)theirs);
	}
}

static const struct oracle_counter *counter_of(const struct oracle_set *set, const char *name)
{
	for (int i = 0; i < set->counters; i++)
		if (!strcmp(set->counter[i].name, name))
			return &set->counter[i];
	return NULL;
}

static void assert_values(const struct bench *b, const struct vsamp_oa_value *value,
			  uint64_t *deltas)
{
	int theirs = 0;

	for (unsigned int i = 0; i < b->set->metrics; i++) {
		const struct oracle_counter *c = counter_of(b->theirs, b->set->metric[i].name);

		/* they leave out what the GPU hasn't got */
		if (!value[i].available != !c)
			fail_msg("%s %s %s: %s", b->platform->name, b->set->name,
				 b->set->metric[i].name, c ? "missing" : "not theirs");
		if (!c)
			continue;
		theirs++;
		assert_number(&value[i].value, c, b, c->read, deltas);
		assert_true(!c->max.whole == !b->set->metric[i].max);
		if (c->max.whole)
			assert_number(&value[i].max, c, b, c->max, deltas);
	}
	assert_int_equal(theirs, b->theirs->counters);
}

static void assert_pairs(const struct bench *b)
{
	enum vsamp_oa_format format = vsamp_oa_platform_format(b->platform);
	struct vsamp_oa_value *value = calloc(b->set->metrics, sizeof(*value));
	struct oracle_record before, after;
	uint64_t theirs[64];

	for (int i = 0; i < PAIRS; i++) {
		struct vsamp_oa_deltas deltas = { 0 };

		reports_any(&before, &after);
		oracle.accumulate(theirs, b->perf, b->theirs, &before, &after);
		vsamp_oa_accumulate(&deltas, format, before.report, after.report);
		vsamp_oa_evaluate(value, b->set, &b->device, &deltas);
		assert_values(b, value, theirs);
	}
	free(value);
}

static void assert_regs(const struct vsamp_oa_regs *ours, const struct oracle_regs *theirs)
{
	assert_int_equal(ours->n, theirs->n);
	for (unsigned int i = 0; i < ours->n; i++) {
		assert_int_equal(ours->reg[i].address, theirs->reg[i].address);
		assert_int_equal(ours->reg[i].value, theirs->reg[i].value);
	}
}

static void bench_begin(struct bench *b, const struct vsamp_oa_platform *p, uint32_t id)
{
	bool old = p->version < 1100;
	struct topology t;

	topology_any(&t, old ? 3 : 1, old ? 3 : 6);
	memset(b, 0, sizeof(*b));
	b->platform = p;
	b->device.timestamp_hz = TIMESTAMP_HZ;
	b->device.gpu_max_hz = GPU_MAX_HZ;
	assert_int_equal(vsamp_oa_device_topology(&b->device, p->version, &t.info, sizeof(t), NULL),
			 0);
	if (p->version == 1270)
		b->device
			.eu_threads = 7; /* as they have it: it is of before the others were told */
	b->perf = oracle.for_devinfo(id, REVISION, TIMESTAMP_HZ, 0, GPU_MAX_HZ, &t.info);
	if (!b->perf)
		fail_msg("%s %04x: not known to libi915_perf", p->name, id);
}

/* Every set of every platform */
static void test_oracle_values(void **state)
{
	int sets = 0;

	NEED(oracle.library, "there is no " ORACLE_LIBRARY "\n");
	for (uint32_t id = 0; id < 0x10000; id++) {
		const struct vsamp_oa_platform *p = vsamp_oa_platform_find(id);
		struct bench b;

		if (!p || p->id[0] != id)
			continue;
		for (unsigned int i = 0; i < p->sets; i++, sets++) {
			bench_begin(&b, p, id);
			b.set = &p->set[i];
			b.theirs = oracle_set(b.perf, b.set->name);
			assert_non_null(b.theirs);
			assert_pairs(&b);
			oracle.free(b.perf);
		}
	}
	assert_true(sets >= 43);
}

static void test_oracle_registers(void **state)
{
	NEED(oracle.library, "there is no " ORACLE_LIBRARY "\n");
	for (uint32_t id = 0; id < 0x10000; id++) {
		const struct vsamp_oa_platform *p = vsamp_oa_platform_find(id);
		struct bench b;

		/* of every id, as it is ids that choose their registers */
		if (!p || !p->sets)
			continue;
		bench_begin(&b, p, id);
		for (unsigned int i = 0; i < p->sets; i++) {
			const struct vsamp_oa_set *s = &p->set[i];
			const struct oracle_set *theirs = oracle_set(b.perf, s->name);

			assert_non_null(theirs);
			if (strcmp(s->uuid, theirs->uuid))
				fail_msg("%s %04x %s: not %s", p->name, id, s->name, theirs->uuid);
			assert_regs(&s->mux, &theirs->mux);
			assert_regs(&s->boolean, &theirs->boolean);
			assert_regs(&s->flex, &theirs->flex);
		}
		oracle.free(b.perf);
	}
}

static const struct vsamp_oa_set *set_of(const char *platform, const char *set)
{
	const struct vsamp_oa_platform *p = vsamp_oa_platform_name(platform);

	assert_non_null(p);
	return vsamp_oa_set_find(p, set);
}

static const struct vsamp_oa_number *value_of(const struct vsamp_oa_set *set,
					      const struct vsamp_oa_value *value, const char *name)
{
	for (unsigned int i = 0; i < set->metrics; i++)
		if (!strcmp(set->metric[i].name, name))
			return &value[i].value;
	fail_msg("there is no metric %s", name);
	return NULL;
}

/* An hour at 12 MHz and 1 GHz: the products on the way need more than 64 bits */
static void test_hour(void **state)
{
	const struct vsamp_oa_set *s = set_of("kblgt2", "renderbasic");
	struct vsamp_oa_device device = { .timestamp_hz = 12000000, .eus = 24 };
	struct vsamp_oa_deltas deltas = { 0 };
	struct vsamp_oa_value value[64];

	assert_true(s->metrics <= 64);
	deltas.value[VSAMP_OA_TIME] = 3600ULL * 12000000;
	deltas.value[VSAMP_OA_CLOCK] = 3600ULL * 1000000000;
	deltas.value[VSAMP_OA_A + 0] = 1800ULL * 1000000000;
	deltas.value[VSAMP_OA_A + 7] = 6ULL * 3600 * 1000000000;
	vsamp_oa_evaluate(value, s, &device, &deltas);
	assert_int_equal(value_of(s, value, "GpuTime")->whole, 3600000000000);
	assert_int_equal(value_of(s, value, "AvgGpuCoreFrequency")->whole, 1000000000);
	assert_true(value_of(s, value, "GpuBusy")->real == 50);
	assert_int_equal(value_of(s, value, "GpuBusy")->whole, 50);
	assert_true(value_of(s, value, "EuActive")->real == 25); /* 6 of 24 */
}

/* Where nothing happened, and of the GPU nothing is known */
static void test_nothing(void **state)
{
	struct vsamp_oa_device device = { 0 };
	struct vsamp_oa_deltas deltas = { 0 };
	struct vsamp_oa_value value[64];

	for (const char *const *p = (const char *const[]){ "kblgt2", "tglgt2", "mtlgt3", NULL }; *p;
	     p++) {
		const struct vsamp_oa_set *s = set_of(*p, "RenderBasic");

		vsamp_oa_evaluate(value, s, &device, &deltas);
		for (unsigned int i = 0; i < s->metrics; i++)
			assert_true(value[i].value.real == 0 && value[i].value.whole == 0);
		assert_false(value[s->metrics - 1].max.is_real);
	}
	assert_null(set_of("kblgt2", "Render"));
	assert_null(vsamp_oa_platform_name("kbl"));
	assert_null(vsamp_oa_platform_find(0x10000 + 0x5912));
	assert_string_equal(vsamp_oa_platform_find(0x5912)->name, "kblgt2");
	assert_int_equal(vsamp_oa_platform_find(0xe211)->sets, 0);
}

/* 1 slice, subslices 0 and 2 of 3, 8 and 5 execution units of 8 */
static void test_topology(void **state)
{
	struct {
		struct drm_i915_query_topology_info info;
		uint8_t data[6];
	} t = { { 0, 1, 3, 8, 1, 1, 2, 1 }, { 1, 5, 0xff, 0xff, 0x1f } };
	struct vsamp_oa_device d = { .timestamp_hz = 7 }, was;
	struct vsamp_error err;

	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 5, &err), 0);
	assert_int_equal(d.slices, 1);
	assert_int_equal(d.slice_mask, 1);
	assert_int_equal(d.subslices, 2);
	assert_int_equal(d.subslice_mask, 5);
	assert_int_equal(d.eus, 13);
	assert_int_equal(d.eu_threads, 7);
	assert_int_equal(d.timestamp_hz, 7);
	was = d;
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 4, &err),
			 -EINVAL);
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, 3, &err), -EINVAL);
	t.info.eu_stride = 0;
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 5, &err),
			 -EINVAL);
	t.info.eu_stride = 1;
	t.info.subslice_offset = 0xffff;
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 5, &err),
			 -EINVAL);
	t.info.subslice_offset = 1;
	/* places for four, of which there are the same two; and the fourth, which Gen9 hasn't got */
	t.info.max_subslices = 4;
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 6, &err), 0);
	assert_memory_equal(&d, &was, sizeof(d));
	t.data[1] = 0xd;
	assert_int_equal(vsamp_oa_device_topology(&d, 900, &t.info, sizeof(t.info) + 6, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "subslice 3 of a slice of 3"));
	assert_memory_equal(&d, &was, sizeof(d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_oracle_values), cmocka_unit_test(test_oracle_registers),
		cmocka_unit_test(test_hour),	      cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_topology),
	};

	oracle_open(&oracle);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
