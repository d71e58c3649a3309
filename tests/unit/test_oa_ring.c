// SPDX-License-Identifier: MIT
/* The ring that is made of a driver's stream: records, clocks, and what a loss is told to be */
#include <stdio.h>

#include <vsamp/ring.h>

#include "oa_mock.h"

#define S      1000000000ULL
#define PERIOD (1u << 13) /* ticks, as 1 ms of 12 MHz is rounded */

static struct oa_drm *ring_new(uint32_t ticks)
{
	struct oa_drm *d = i915_new("kblgt2", 12000000, 12000000);

	k.now = 50 * S;
	k.ticks = ticks;
	start(d, "TestOa");
	return d;
}

/* A report, of the timer or a switch of contexts, to be read next */
static void report_put(uint32_t timestamp, unsigned int reason)
{
	uint32_t report[64] = { reason << 19, timestamp };

	record_put(1, 264, 0);
	memcpy(k.data + k.size - 256, report, sizeof(report));
}

static const struct {
	uint16_t type, size;
} known[] = {
	{ VSAMP_RECORD_CLOCK, sizeof(struct vsamp_record_clock) },
	{ VSAMP_RECORD_GPU_CLOCK, sizeof(struct vsamp_record_gpu_clock) },
	{ VSAMP_RECORD_OA, sizeof(struct vsamp_record_oa) + VSAMP_OA_REPORT_SIZE },
	{ VSAMP_RECORD_OA_LOST, sizeof(struct vsamp_record_oa_lost) },
};

/* What waits: letters of the records' types; *lost: the last OA_LOST, if there is one */
static void ring_read(struct oa_drm *d, char *types, struct vsamp_record_oa_lost *lost)
{
	struct vsamp_ring *ring = oa_drm_ring(d);
	struct vsamp_error err;
	const void *data;
	size_t size;
	int ret;

	*types = '\0';
	while ((ret = vsamp_ring_begin(ring, &data, &size, &err)) > 0) {
		for (const char *at = data; at < (const char *)data + size;) {
			const struct vsamp_record_header *h = (const void *)at;
			unsigned int i = 0;

			while (i < 4 && known[i].type != h->type)
				i++;
			assert_true(i < 4);
			assert_int_equal(h->size, known[i].size);
			types += sprintf(types, "%c", "CGRL"[i]);
			if (i == 3)
				memcpy(lost, at, sizeof(*lost));
			at += h->size;
		}
		vsamp_ring_end(ring);
	}
	if (ret)
		fail_msg("%s", err.text);
}

static void assert_ring(struct oa_drm *d, const char *expected)
{
	char types[1024];
	struct vsamp_record_oa_lost lost;

	ring_read(d, types, &lost);
	assert_string_equal(types, expected);
}

static void assert_loss(struct oa_drm *d, const char *expected, uint32_t from, uint32_t to,
			uint64_t count, uint16_t flags)
{
	char types[1024];
	struct vsamp_record_oa_lost lost;

	ring_read(d, types, &lost);
	assert_string_equal(types, expected);
	assert_int_equal(lost.from, from);
	assert_int_equal(lost.to, to);
	assert_int_equal(lost.count, count);
	assert_int_equal(lost.h.flags, flags);
}

static void test_records(void **state)
{
	struct oa_drm *d = ring_new(100);
	struct vsamp_ring *ring = oa_drm_ring(d);
	const struct vsamp_record_gpu_clock *g;
	const struct vsamp_record_oa *oa;
	const void *data;
	size_t size;

	report_put(PERIOD, 1);
	k.now = 50 * S + 7;
	assert_int_equal(vsamp_ring_begin(ring, &data, &size, NULL), 1);
	g = (const void *)((const char *)data + sizeof(struct vsamp_record_clock));
	assert_int_equal(g->time, 50 * S);
	assert_int_equal(g->timestamp, 100);
	oa = (const void *)(g + 1);
	assert_int_equal(oa->h.event, VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8);
	assert_int_equal(oa->time, 50 * S + 7);
	assert_int_equal(((const uint32_t *)oa->report)[0], 1 << 19);
	assert_int_equal(((const uint32_t *)oa->report)[1], PERIOD);
	vsamp_ring_end(ring);
	assert_ring(d, "");
	assert_int_equal(vsamp_ring_counts(ring)->records, 3);
	oa_drm_free(d);
}

/* A second after each other, when the ring is read, and at the end */
static void test_clocks(void **state)
{
	struct oa_drm *d = ring_new(100);

	assert_ring(d, "CG");
	k.now += S - 1;
	assert_ring(d, "");
	k.now += 1;
	report_put(PERIOD, 1);
	assert_ring(d, "CGR");
	k.now += 10 * S;
	assert_ring(d, "CG");
	report_put(2 * PERIOD, 1); /* that nobody read before the end */
	report_put(3 * PERIOD, 1);
	assert_int_equal(oa_drm_stop(d, NULL), 0);
	assert_ring(d, "RRCG");
	assert_ring(d, "");
	oa_drm_free(d);
}

/* Between reports of the timer, of others, across a wrap, at both ends */
static void test_losses(void **state)
{
	struct oa_drm *d = ring_new(3 * PERIOD + 5);

	assert_ring(d, "CG");
	record_put(2, 8, 0); /* before the first: at 4, 5 and 6 */
	report_put(7 * PERIOD, 1);
	assert_loss(d, "LR", 3 * PERIOD + 5, 7 * PERIOD, 3, VSAMP_GPU_LOST_REPORT);
	record_put(3, 8, 0); /* 8 to 107 */
	report_put(107 * PERIOD + 9, 8);
	assert_loss(d, "LR", 7 * PERIOD, 107 * PERIOD + 9, 100, VSAMP_GPU_LOST_OVERFLOW);
	record_put(2, 8, 0); /* said by the GPU, but none of the timer's is missing */
	record_put(3, 8, 0);
	report_put(108 * PERIOD, 1);
	assert_loss(d, "LR", 107 * PERIOD + 9, 108 * PERIOD, 0,
		    VSAMP_GPU_LOST_OVERFLOW | VSAMP_GPU_LOST_REPORT);
	report_put(0u - PERIOD, 1);
	record_put(3, 8, 0); /* at 0, 1 and 2 */
	report_put(3 * PERIOD, 1);
	assert_loss(d, "RLR", 0u - PERIOD, 3 * PERIOD, 3, VSAMP_GPU_LOST_OVERFLOW);
	record_put(2, 8, 0); /* told before those that were read with it: 6 is missing */
	report_put(4 * PERIOD, 1);
	report_put(5 * PERIOD, 1);
	report_put(7 * PERIOD + 1, 1);
	report_put(7 * PERIOD + 9, 8);
	assert_loss(d, "RRLRR", 5 * PERIOD, 7 * PERIOD + 1, 1, VSAMP_GPU_LOST_REPORT);
	report_put(10 * PERIOD,
		   1); /* 8 and 9, whatever else there was, and whether it's told or not */
	assert_loss(d, "LR", 7 * PERIOD + 9, 10 * PERIOD, 2, VSAMP_GPU_LOST_REPORT);
	record_put(3, 8, 0); /* 11 to 13, once, though no report of the timer is next */
	report_put(13 * PERIOD + 5, 8);
	report_put(14 * PERIOD, 1);
	assert_loss(d, "LRR", 10 * PERIOD, 13 * PERIOD + 5, 3, VSAMP_GPU_LOST_OVERFLOW);
	record_put(3, 8, 0); /* up to the end */
	assert_ring(d, "");
	k.ticks = 20 * PERIOD + 1;
	assert_int_equal(oa_drm_stop(d, NULL), 0);
	assert_loss(d, "CGL", 14 * PERIOD, 20 * PERIOD + 1, 6, VSAMP_GPU_LOST_OVERFLOW);
	oa_drm_free(d);
}

/* A stream that is damaged ends the ring's reading, not the stop */
static void test_damaged(void **state)
{
	struct oa_drm *d = ring_new(1);
	struct vsamp_error err;
	const void *data;
	size_t size;

	assert_ring(d, "CG");
	record_put(1, 100, 0);
	assert_int_equal(vsamp_ring_begin(oa_drm_ring(d), &data, &size, &err), -EPROTO);
	assert_non_null(strstr(err.text, "no record"));
	assert_int_equal(oa_drm_stop(d, &err), 0);
	assert_int_equal(k.disables, 1);
	assert_int_equal(k.removes, 1);
	oa_drm_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records),
		cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
