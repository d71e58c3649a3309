// SPDX-License-Identifier: MIT
/* The conversion between ticks and ns, on points whose conversions are worked out by hand */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <vsamp/clock.h>

#define S 1000000000ULL

static struct vsamp_clock_fit *fit_of(const struct vsamp_clock_point *p, size_t n, uint64_t khz)
{
	struct vsamp_clock_fit *f;

	assert_int_equal(vsamp_clock_fit_new(&f, p, n, khz), 0);
	return f;
}

/* 2 GHz exactly */
static void test_line(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 1000, 0, 5 * S, false },
		{ 1000 + 2 * S, 0, 6 * S, false },
		{ 1000 + 4 * S, 0, 7 * S, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 3, 1);

	assert_int_equal(vsamp_clock_fit_raw(f, 1000 + S), 5 * S + S / 2);
	assert_int_equal(vsamp_clock_fit_raw(f, 1000 + 4 * S), 7 * S);
	/* beyond both ends the slope goes on */
	assert_int_equal(vsamp_clock_fit_raw(f, 0), 5 * S - 500);
	assert_int_equal(vsamp_clock_fit_raw(f, 1000 + 8 * S), 9 * S);
	assert_int_equal(vsamp_clock_fit_ticks(f, 5 * S + 1), 1002);
	assert_int_equal(vsamp_clock_fit_ticks(f, 4 * S), 0); /* would be negative */
	assert_int_equal(vsamp_clock_fit_khz(f), 2000000);
	assert_int_equal(vsamp_clock_fit_points(f), 3);
	assert_int_equal(vsamp_clock_fit_error(f), 0);
	vsamp_clock_fit_free(f);
}

/* 1 GHz for a second, then 3 GHz: a kink at the middle point */
static void test_pieces(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 4 * S, 0, 3 * S, false }, /* in no order */
		{ 0, 0, 1 * S, false },
		{ 1 * S, 0, 2 * S, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 3, 1);

	assert_int_equal(vsamp_clock_fit_raw(f, S / 2), 1 * S + S / 2);
	assert_int_equal(vsamp_clock_fit_raw(f, 1 * S + 300), 2 * S + 100);
	assert_int_equal(vsamp_clock_fit_ticks(f, 2 * S + 100), 1 * S + 300);
	assert_int_equal(vsamp_clock_fit_khz(f), 2000000); /* 4 S ticks in 2 s */
	vsamp_clock_fit_free(f);
}

/* There and back again within a tick's worth */
static void test_inverse(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 123456789, 10, 987654321, false },
		{ 123456789 + 2893299001, 12, 987654321 + S, false },
		{ 123456789 + 2 * 2893299001, 9, 987654321 + 2 * S + 3, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 3, 0);

	for (uint64_t t = 0; t < 8 * S; t += 7777777) {
		uint64_t back = vsamp_clock_fit_ticks(f, vsamp_clock_fit_raw(f, t));

		/* a ns is 2.9 ticks */
		if (t >= 123456789)
			assert_in_range(back, t - 2, t + 2);
	}
	vsamp_clock_fit_free(f);
}

static void test_no_points(void **state)
{
	struct vsamp_clock_fit *f = fit_of(NULL, 0, 2000000);

	assert_int_equal(vsamp_clock_fit_raw(f, 3000), 1500);
	assert_int_equal(vsamp_clock_fit_ticks(f, 1500), 3000);
	assert_true(vsamp_clock_fit_error(f) == UINT64_MAX);
	vsamp_clock_fit_free(f);
}

static void test_one_point(void **state)
{
	const struct vsamp_clock_point p = { 10000, 8, 77, false };
	struct vsamp_clock_fit *f = fit_of(&p, 1, 4000000);

	assert_int_equal(vsamp_clock_fit_raw(f, 10000), 77);
	assert_int_equal(vsamp_clock_fit_raw(f, 14000), 1077);
	/* half of 8 ticks, which are 2 ns, rounded up */
	assert_int_equal(vsamp_clock_fit_error(f), 1);
	vsamp_clock_fit_free(f);
}

/*
 * Two CPUs read the clocks within microseconds of each other, the second with a wide bracket. A
 * slope between those would be nonsense; the surer is taken.
 */
static void test_near_points(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 1000, 4000, 2900, false }, /* right to within 2000 ns, and 1900 ns off indeed */
		{ 3000, 40, 3000, false },
		{ 1 * S + 3000, 40, 1 * S + 3000, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 3, 1000000);

	assert_int_equal(vsamp_clock_fit_raw(f, 3000 + S / 2), 3000 + S / 2);
	assert_int_equal(vsamp_clock_fit_raw(f, 1000), 1000);
	/* the knots' brackets are 40 ns, so half is 20; the other is no farther than its own allows */
	assert_int_equal(vsamp_clock_fit_error(f), 20);
	vsamp_clock_fit_free(f);
}

/* A point that is off by more than its bracket makes the bound larger by the rest */
static void test_error_told(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 0, 20, 0, false },
		{ 10000, 200, 15000, false }, /* 5000 ns off; its bracket allows 100 */
		{ 1 * S, 20, 1 * S, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 3, 1000000);

	assert_int_equal(vsamp_clock_fit_error(f), 10 + 4900);
	vsamp_clock_fit_free(f);
}

/* Nonsense gives numbers, and no fault: equal points, falling ones, extremes */
static void test_hostile(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ UINT64_MAX, UINT64_MAX, 0, false },
		{ 0, UINT64_MAX, UINT64_MAX, false },
		{ 5, 5, 5, false },
		{ 5, 5, 5, false },
		{ UINT64_MAX, 0, UINT64_MAX, false },
	};

	for (size_t n = 0; n <= 5; n++) {
		struct vsamp_clock_fit *f = fit_of(p, n, UINT64_MAX);

		vsamp_clock_fit_raw(f, UINT64_MAX);
		vsamp_clock_fit_ticks(f, UINT64_MAX);
		vsamp_clock_fit_ticks(f, 0);
		assert_true(vsamp_clock_fit_khz(f) > 0);
		vsamp_clock_fit_free(f);
	}
}

/*
 * 2 GHz. A sleep from the third point on, in which 100 s of ticks go by: two CPUs tell of its begin
 * and end, all within 2 ms of CLOCK_MONOTONIC_RAW, so near to one another as points of no sleep
 * wouldn't count.
 */
static void test_sleep(void **state)
{
	const struct vsamp_clock_point p[] = {
		{ 0, 0, 5 * S, false },
		{ 2 * S, 0, 6 * S, false },
		{ 2 * S + 1000000, 0, 6 * S + 500000, false },
		{ 2 * S + 1000010, 0, 6 * S + 500005, false },
		{ 202 * S, 0, 6 * S + 1000000, true },
		{ 202 * S + 1000000, 0, 6 * S + 1500000, true },
		{ 204 * S, 0, 7 * S + 1000000, false },
	};
	struct vsamp_clock_fit *f = fit_of(p, 7, 1000000);

	assert_int_equal(vsamp_clock_fit_raw(f, S), 5 * S + S / 2);
	assert_int_equal(vsamp_clock_fit_raw(f, 2 * S + 500000), 6 * S + 250000);
	assert_int_equal(vsamp_clock_fit_raw(f, 203 * S), 6 * S + S / 2 + 1000000);
	assert_int_equal(vsamp_clock_fit_raw(f, 206 * S), 8 * S + 1000000);
	assert_int_equal(vsamp_clock_fit_ticks(f, 6 * S + 2000000), 202 * S + 2000000);
	assert_in_range(vsamp_clock_fit_raw(f, 100 * S), 6 * S + 500005, 6 * S + 1000000);
	assert_int_equal(vsamp_clock_fit_khz(f), 2000000);
	assert_int_equal(vsamp_clock_fit_error(f), 0);
	vsamp_clock_fit_free(f);

	/* nothing but the sleep: on both sides of it the rate is that of the clock */
	f = fit_of(p + 3, 2, 2000000);
	assert_int_equal(vsamp_clock_fit_raw(f, 2 * S + 10), 6 * S + 5);
	assert_int_equal(vsamp_clock_fit_raw(f, 204 * S), 7 * S + 1000000);
	assert_int_equal(vsamp_clock_fit_khz(f), 2000000);
	vsamp_clock_fit_free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),	   cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_inverse),	   cmocka_unit_test(test_no_points),
		cmocka_unit_test(test_one_point),  cmocka_unit_test(test_near_points),
		cmocka_unit_test(test_error_told), cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
