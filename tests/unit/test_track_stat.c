// SPDX-License-Identifier: MIT
/* What a counter was in a part of the time, and which of many are looked at first: worked out by hand */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/timeline.h>

static struct vsamp_track_stat stat_of(const struct vsamp_track_point *point, size_t points,
				       uint64_t from, uint64_t to)
{
	struct vsamp_track t = { "GPU 0", "GpuBusy", "percent", 0, point, points };
	struct vsamp_track_stat s;

	vsamp_track_stat(&t, from, to, &s);
	return s;
}

static void assert_stat(struct vsamp_track_stat s, uint64_t known, double mean, double min,
			double max)
{
	assert_int_equal(s.known, known);
	assert_true(fabs(s.mean - mean) < 1e-9 * fabs(mean) + 1e-12);
	assert_true(s.min == min && s.max == max);
}

static void assert_unknown(struct vsamp_track_stat s)
{
	assert_int_equal(s.known, 0);
	assert_true(isnan(s.mean) && isnan(s.min) && isnan(s.max));
}

/* 40 for 100, 80 for 100, a hole of 100, 20 for 200, and nothing from there on */
static void test_mean(void **state)
{
	static const struct vsamp_track_point p[] = {
		{ 1000, 40 }, { 1100, 80 }, { 1200, NAN }, { 1300, 20 }, { 1500, NAN }
	};

	assert_stat(stat_of(p, 5, 0, UINT64_MAX), 400, 40, 20, 80);
	/* from the middle of the first to that of the second: 40 x 50 + 80 x 50 */
	assert_stat(stat_of(p, 5, 1050, 1150), 100, 60, 40, 80);
	/* edges: what begins at the end isn't in it, what ends at the begin neither */
	assert_stat(stat_of(p, 5, 1000, 1100), 100, 40, 40, 40);
	assert_stat(stat_of(p, 5, 1100, 1200), 100, 80, 80, 80);
	/* 80 x 10 + 20 x 30, and the hole between them */
	assert_stat(stat_of(p, 5, 1190, 1330), 40, 35, 20, 80);
	assert_stat(stat_of(p, 5, 1199, 1200), 1, 80, 80, 80);
	assert_unknown(stat_of(p, 5, 1200, 1300));
	assert_unknown(stat_of(p, 5, 0, 1000));
	assert_unknown(stat_of(p, 5, 1500, UINT64_MAX));
	assert_unknown(stat_of(p, 5, 1050, 1050));
	assert_unknown(stat_of(p, 5, 1150, 1050));
	assert_unknown(stat_of(NULL, 0, 0, UINT64_MAX));
}

/* The last one holds up to the end that is asked for; of one time the last holds */
static void test_ends(void **state)
{
	static const struct vsamp_track_point p[] = {
		{ 10, 999 }, { 10, -999 }, { 10, 5 }, { 20, 7 }
	};

	assert_stat(stat_of(p, 4, 0, 30), 20, 6, 5, 7);
	assert_stat(stat_of(p, 4, 10, 11), 1, 5, 5, 5);
	assert_stat(stat_of(p, 4, 25, 30), 5, 7, 7, 7);
}

/* No sum is too large, and no time */
static void test_extremes(void **state)
{
	static const struct vsamp_track_point p[] = { { 0, DBL_MAX },
						      { UINT64_MAX / 2, DBL_MAX },
						      { UINT64_MAX - 1, -DBL_MAX } };

	assert_stat(stat_of(p, 2, 0, UINT64_MAX), UINT64_MAX, DBL_MAX, DBL_MAX, DBL_MAX);
	assert_stat(stat_of(p, 3, UINT64_MAX - 2, UINT64_MAX), 2, 0, -DBL_MAX, DBL_MAX);
}

#define METRICS 8

static void test_choose(void **state)
{
	static const struct vsamp_track_point zero[] = { { 0, 0 }, { 9, NAN } };
	static const struct vsamp_track_point low[] = { { 0, 1 }, { 9, NAN } };
	static const struct vsamp_track_point high[] = { { 0, 99 }, { 9, NAN } };
	static const struct vsamp_track t[METRICS] = {
		{ "GPU 0", "L3Misses", "messages/s", 0, high, 2 },
		{ "GPU 0", "Sampler0Busy", "percent", 0, low, 2 },
		{ "GPU 0", "EuActive", "percent", 0, low, 2 },
		{ "GPU 0", "Sampler1Busy", "percent", 0, high, 2 },
		{ "GPU 0", "EuStall", "percent", 0, zero, 2 },
		{ "GPU 0", "GpuBusy", "percent", 0, low, 2 },
		{ "GPU 0", "VsThreads", "threads/s", 0, zero, 2 },
		{ "GPU 0", "CsThreads", "threads/s", 0, NULL, 0 },
	};
	/* by room, which are chosen: the two that tell most, percentages by size, the other */
	static const char *const expected[] = { "00000000", "00000100", "00100100",
						"00110100", "01110100", "11110100",
						"11110100", "11110100", "11111111" };
	bool chosen[METRICS];

	for (size_t room = 0; room <= METRICS; room++) {
		vsamp_tracks_choose(t, METRICS, room, chosen);
		for (size_t i = 0; i < METRICS; i++)
			assert_int_equal(chosen[i], expected[room][i] == '1');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mean),
		cmocka_unit_test(test_ends),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_choose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
