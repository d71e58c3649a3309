// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/calibrate.h>

#define FLOOR 1000
#define MAX   ((1ULL << 47) - 1)
#define MS    1000000ULL
#define S     1000000000ULL

/* Which events are calibrated: mode by mode, for each kind of event */
static void how(void **state)
{
	struct vsamp_event clockticks = { .clockticks = true, .calibrate = true };
	struct vsamp_event instructions = { .calibrate = true };
	struct vsamp_event other = { 0 };
	struct vsamp_event given = { .calibrate = true, .sav_source = VSAMP_SAV_EXPLICIT };
	const struct {
		const struct vsamp_event *ev;
		enum vsamp_cal_how none, all, event;
	} row[] = {
		{ &clockticks, VSAMP_CAL_KEEP, VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY },
		{ &instructions, VSAMP_CAL_KEEP, VSAMP_CAL_RUN, VSAMP_CAL_RUN },
		{ &other, VSAMP_CAL_KEEP, VSAMP_CAL_RUN, VSAMP_CAL_KEEP },
		{ &given, VSAMP_CAL_KEEP, VSAMP_CAL_KEEP, VSAMP_CAL_KEEP },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(vsamp_cal_how(row[i].ev, VSAMP_CAL_NONE), row[i].none);
		assert_int_equal(vsamp_cal_how(row[i].ev, VSAMP_CAL_ALL), row[i].all);
		assert_int_equal(vsamp_cal_how(row[i].ev, VSAMP_CAL_EVENT), row[i].event);
	}
}

static void sav(void **state)
{
	const struct {
		double events;
		uint64_t floor, max, sav;
	} row[] = {
		/* coprime to 10 already */
		{ 1000003, FLOOR, MAX, 1000003 },
		{ 1000003.4, FLOOR, MAX, 1000003 },
		/* the nearest that is; upwards if two are equally near */
		{ 2000000, FLOOR, MAX, 2000001 },
		{ 2000004, FLOOR, MAX, 2000003 },
		{ 2000005, FLOOR, MAX, 2000007 },
		{ 2000006, FLOOR, MAX, 2000007 },
		{ 2000008, FLOOR, MAX, 2000009 },
		{ 2004.4, FLOOR, MAX, 2003 },
		{ 2004.6, FLOOR, MAX, 2007 }, /* rounded first */
		/* no more than 0.1 %: 1005 may move by 1, and neither 1004 nor 1006 will do */
		{ 1005, FLOOR, MAX, 1005 },
		{ 1000, FLOOR, MAX, 1001 },
		{ 1996, FLOOR, MAX, 1997 },
		/* limits */
		{ 0, FLOOR, MAX, 1001 },
		{ -1, FLOOR, MAX, 1001 },
		{ NAN, FLOOR, MAX, 1001 },
		{ 999, FLOOR, MAX, 1001 },
		{ 0, 2004, MAX, 2004 }, /* 2003 would do, but is below */
		{ 5, 2, MAX, 5 },
		{ 1, 2, MAX, 2 },
		{ 1e30, FLOOR, 5000000, 4999999 },
		{ 1e30, FLOOR, MAX, MAX }, /* ends in 7 */
		{ INFINITY, FLOOR, 5000001, 5000001 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(vsamp_cal_sav(row[i].events, row[i].floor, row[i].max),
				 row[i].sav);
}

static void sav_everywhere(void **state)
{
	for (uint64_t n = FLOOR; n < 20000; n++) {
		uint64_t got = vsamp_cal_sav(n, FLOOR, MAX);
		uint64_t off = got > n ? got - n : n - got;

		assert_true(off * 1000 <= n);
		assert_true(got >= FLOOR);
		if (n >= 2000)
			assert_true(got % 2 && got % 5);
	}
}

static void events(void **state)
{
	const struct {
		struct vsamp_cal_run run;
		double events;
	} row[] = {
		/* 10^10 in 5 s at 1 ms: 5000 samples, one every 2 000 000 */
		{ { 10000000000, 5 * S, 1 * MS, 1 }, 2000000 },
		/* the same on 2 CPUs that have the target each: 10 000 samples */
		{ { 10000000000, 5 * S, 1 * MS, 2 }, 1000000 },
		/* counted for 2 s only: the rate is what counts */
		{ { 4000000000, 2 * S, 1 * MS, 2 }, 1000000 },
		/* 10 ms: a tenth of the samples */
		{ { 10000000000, 5 * S, 10 * MS, 1 }, 20000000 },
		/* 1 us */
		{ { 10000000000, 5 * S, 1000, 1 }, 2000 },
		/* more than 48 bits */
		{ { 1ULL << 60, 1ULL << 50, 1 << 20, 1 }, 1ULL << 30 },
		{ { 0, 5 * S, 1 * MS, 1 }, 0 },
		{ { 5, 0, 1 * MS, 1 }, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_float_equal(vsamp_cal_events(&row[i].run), row[i].events,
				   row[i].events * 1e-9);
}

static void target(void **state)
{
	assert_float_equal(vsamp_cal_target(5 * S, 1 * MS), 5000, 0);
	assert_float_equal(vsamp_cal_target(200 * MS, 1 * MS), 200, 0);
	assert_float_equal(vsamp_cal_target(1 * S, 2500000), 400, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how),	  cmocka_unit_test(sav),
		cmocka_unit_test(events), cmocka_unit_test(sav_everywhere),
		cmocka_unit_test(target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
