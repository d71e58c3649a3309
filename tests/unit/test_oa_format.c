// SPDX-License-Identifier: MIT
/* Reports of the OA unit: fields by hand, and reasons beside libi915_perf */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <vsamp/oa.h>

#include "need.h"
#include "oa_oracle.h"

static void put(uint8_t *report, unsigned int word, uint32_t v)
{
	for (unsigned int i = 0; i < 4; i++)
		report[4 * word + i] = v >> 8 * i;
}

static void test_head(void **state)
{
	uint8_t r[VSAMP_OA_REPORT_SIZE] = { 0 };
	struct vsamp_oa_head h;

	put(r, 0, 1u << 25 | 1u << 19 | 1u << 16 | 0x7);
	put(r, 1, 0xfedcba98);
	put(r, 2, 0x1234);
	put(r, 3, 0x80000001);
	vsamp_oa_head_read(&h, r, 1200);
	assert_int_equal(h.reason, VSAMP_OA_TIMER | VSAMP_OA_MMIO_TRIGGER);
	assert_int_equal(h.timestamp, 0xfedcba98);
	assert_int_equal(h.context, 0x1234);
	assert_true(h.context_valid);
	assert_int_equal(h.clock, 0x80000001);
	vsamp_oa_head_read(&h, r, 900);
	assert_int_equal(h.reason, VSAMP_OA_TIMER); /* bit 25 is another thing there */
	put(r, 0, 1u << 22);
	vsamp_oa_head_read(&h, r, 900);
	assert_int_equal(h.reason, VSAMP_OA_CONTEXT_SWITCH);
	assert_false(h.context_valid);
}

/* Every counter by a difference of its own, A5 and A35 with a wrap */
static void test_a32u40(void **state)
{
	uint8_t before[VSAMP_OA_REPORT_SIZE] = { 0 }, after[VSAMP_OA_REPORT_SIZE] = { 0 };
	struct vsamp_oa_deltas d = { 0 };

	put(before, 1, 0xffffffff);
	put(after, 1, 4); /* 5 later */
	put(before, 3, 10);
	put(after, 3, 17);
	for (unsigned int i = 0; i < 36; i++)
		put(after, 4 + i, 100 + i);
	for (unsigned int i = 0; i < 32; i++)
		after[160 + i] = i;
	put(before, 4 + 5, 0xffffff00);
	before[160 + 5] = 0xff; /* 0x100 before the wrap */
	put(after, 4 + 5, 0x10);
	after[160 + 5] = 0;
	put(before, 4 + 35, 0xffffffff);
	put(after, 4 + 35, 1);
	for (unsigned int i = 0; i < 16; i++)
		put(after, 48 + i, 1000 + i);
	for (int times = 1; times <= 2; times++) {
		vsamp_oa_accumulate(&d, VSAMP_OA_FORMAT_A32U40_A4U32_B8_C8, before, after);
		assert_int_equal(d.value[VSAMP_OA_TIME], times * 5);
		assert_int_equal(d.value[VSAMP_OA_CLOCK], times * 7);
		for (unsigned int i = 0; i < 35; i++) {
			uint64_t high = i < 32 ? (uint64_t)i << 32 : 0;

			if (i != 5)
				assert_int_equal(d.value[VSAMP_OA_A + i], times * (high + 100 + i));
		}
		assert_int_equal(d.value[VSAMP_OA_A + 5], times * 0x110);
		assert_int_equal(d.value[VSAMP_OA_A + 35], times * 2);
		assert_int_equal(d.value[VSAMP_OA_A + 36], 0);
		assert_int_equal(d.value[VSAMP_OA_A + 37], 0);
		for (unsigned int i = 0; i < 16; i++)
			assert_int_equal(d.value[VSAMP_OA_B + i], times * (1000 + i));
	}
}

/* What the other format has elsewhere */
static void test_a24u40(void **state)
{
	uint8_t before[VSAMP_OA_REPORT_SIZE] = { 0 }, after[VSAMP_OA_REPORT_SIZE] = { 0 };
	struct vsamp_oa_deltas d = { 0 };

	put(after, 4 + 3, 33);
	put(after, 4 + 4, 44);
	after[160 + 4] = 1;
	put(after, 4 + 23, 230);
	after[160 + 23] = 2;
	put(after, 4 + 27, 270);
	put(after, 4 + 28, 280);
	after[160 + 28] = 3;
	put(after, 40, 3600);
	put(after, 46, 3700);
	vsamp_oa_accumulate(&d, VSAMP_OA_FORMAT_A24U40_A14U32_B8_C8, before, after);
	assert_int_equal(d.value[VSAMP_OA_A + 3], 33);
	assert_int_equal(d.value[VSAMP_OA_A + 4], (1ULL << 32) + 44);
	assert_int_equal(d.value[VSAMP_OA_A + 23], (2ULL << 32) + 230);
	assert_int_equal(d.value[VSAMP_OA_A + 27], 270);
	assert_int_equal(d.value[VSAMP_OA_A + 28], (3ULL << 32) + 280);
	assert_int_equal(d.value[VSAMP_OA_A + 36], 3600);
	assert_int_equal(d.value[VSAMP_OA_A + 37], 3700);
}

static const char *first_reason(uint32_t reason)
{
	static const char *const name[] = { "timer",	      "trigger1",      "trigger2",
					    "context-switch", "go-transition", "clock-ratio-change",
					    "mmio-trigger" };

	for (unsigned int i = 0; i < 7; i++)
		if (reason >> i & 1)
			return name[i];
	return "unknown";
}

/* Each id that has one of its upper bits, of a Gen9 and a Gen12 */
static void test_oracle_reasons(void **state)
{
	static const struct {
		uint32_t id, version;
	} gpu[] = { { 0x5912, 900 }, { 0x9a49, 1200 } };
	struct drm_i915_query_topology_info *t;
	struct oracle oracle = { 0 };

	NEED(oracle_open(&oracle), "there is no " ORACLE_LIBRARY "\n");
	t = test_calloc(1, sizeof(*t) + 8);
	for (unsigned int g = 0; g < 2; g++) {
		struct oracle_perf *perf = oracle.for_devinfo(gpu[g].id, 9, 1, 1, 1, t);

		assert_non_null(perf);
		for (unsigned int bit = 19; bit < 32; bit++) {
			struct oracle_record r = { 0 };
			struct vsamp_oa_head h;

			if (gpu[g].version < 1200 && bit >= 25)
				break; /* not reasons */
			put(r.report, 0, 1u << bit);
			vsamp_oa_head_read(&h, r.report, gpu[g].version);
			assert_string_equal(first_reason(h.reason), oracle.reason(perf, &r));
		}
		oracle.free(perf);
	}
	test_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_a32u40),
		cmocka_unit_test(test_a24u40),
		cmocka_unit_test(test_oracle_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
