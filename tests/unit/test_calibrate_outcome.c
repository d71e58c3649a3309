// SPDX-License-Identifier: MIT
/* Whether a target was met, and what is said where it wasn't */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/calibrate.h>

#define S 1e9

static void deviation(void **state)
{
	const struct {
		double target, taken, percent;
	} row[] = {
		{ 10000, 10000, 0 },   { 10000, 10150, 1.5 }, { 10000, 0, -100 },
		{ 10000, 40000, 300 }, { 4, 3, -25 },	      { NAN, 10000, NAN },
		{ 0, 10000, NAN },     { 10000, NAN, NAN },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_cal_outcome o = { .target = row[i].target, .taken = row[i].taken };
		double got = vsamp_cal_deviation(&o);

		if (isnan(row[i].percent))
			assert_true(isnan(got));
		else
			assert_true(fabs(got - row[i].percent) < 1e-9);
	}
}

/* A collection of 10 s that met its target */
#define GOOD                                                                           \
	.target = 10000, .taken = 10000, .lost = 0, .counted = 1e10, .cal_ns = 10 * S, \
	.count = 1e10, .elapsed_ns = 10 * S, .sav = 1000001, .floor = 1000, .how = VSAMP_CAL_RUN

/* The later value of a field holds */
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct {
	struct vsamp_cal_outcome outcome;
	const char *miss;
} misses[] = {
	/* met, within 2 %: nothing is said, whatever there was */
	{ { GOOD }, "" },
	{ { GOOD, .taken = 9800 }, "" },
	{ { GOOD, .taken = 10200, .throttled = 3 }, "" },
	{ { GOOD, .taken = 9900, .lost = 100 }, "" },
	/* none */
	{ { GOOD, .target = NAN, .taken = 10 }, "" },
	/* lost, held back */
	{ { GOOD, .taken = 8760, .lost = 1240 }, "1240 samples were lost" },
	{ { GOOD, .target = 20, .taken = 19, .lost = 1 }, "1 sample was lost" },
	{ { GOOD, .taken = 8760, .throttled = 12 }, "sampling was held back 12 times" },
	{ { GOOD, .taken = 8760, .throttled = 1, .lost = NAN }, "sampling was held back 1 time" },
	{ { GOOD, .taken = 8000, .lost = 10, .throttled = 2 },
	  "10 samples were lost, and sampling was held back 2 times" },
	/* a few that were lost aren't why most are missing */
	{ { GOOD, .taken = 5000, .count = 5e9, .lost = 10 },
	  "the rate was 0.50 times that of the calibration run" },
	/* the floor: 2.5e6 events are 250 for each of 10000 samples */
	{ { GOOD, .taken = 2497, .counted = 2.5e6, .count = 2.5e6, .sav = 1001 },
	  "the Sample-After value is at its floor, 1000: the target asks for 250" },
	{ { GOOD, .taken = 25, .counted = 25000, .count = 25000, .sav = 1001 },
	  "the Sample-After value is at its floor, 1000: the target asks for 2.5" },
	{ { GOOD, .taken = 2500, .counted = 5000, .count = 5000, .sav = 2, .floor = 2 },
	  "the Sample-After value is at its floor, 2: the target asks for 0.5" },
	/* a clock's as well, and whatever its source */
	{ { GOOD, .taken = 4995, .count = 5e6, .sav = 1001, .how = VSAMP_CAL_FREQUENCY },
	  "the Sample-After value is at its floor, 1000: the target asks for 500" },
	{ { GOOD, .taken = 4995, .count = 5e6, .sav = 1001, .adaptive = true },
	  "the Sample-After value is at its floor, 1000: the target asks for 500" },
	/* it isn't the floor that too many were taken at */
	{ { GOOD, .taken = 20000, .counted = 1e7, .count = 2e7, .sav = 1001 },
	  "the rate was 2.00 times that of the calibration run" },
	/* nor that fewer were, where it isn't asked for less */
	{ { GOOD, .taken = 5000, .count = 1.1e7, .sav = 1001, .adaptive = true },
	  "the rate changed faster, or by more, than is followed" },
	/* not calibrated */
	{ { GOOD, .taken = 300, .counted = NAN, .cal_ns = NAN, .how = VSAMP_CAL_OFF },
	  "not calibrated: calibration was off" },
	{ { GOOD, .taken = 300, .how = VSAMP_CAL_EXPLICIT },
	  "not calibrated: the Sample-After value was given" },
	{ { GOOD, .taken = 300, .how = VSAMP_CAL_PROPERTY },
	  "not calibrated: its property says so" },
	{ { GOOD, .taken = 300, .counted = 0, .how = VSAMP_CAL_ZERO },
	  "no event came in the calibration run" },
	{ { GOOD, .taken = 0, .counted = 0, .count = 0, .how = VSAMP_CAL_ZERO },
	  "no event came in the calibration run" },
	{ { GOOD, .taken = 1e6, .counted = 0, .count = 1e12, .how = VSAMP_CAL_ZERO,
	    .throttled = 12 },
	  "no event came in the calibration run, though sampling was held back 12 times" },
	/* another rate than in the calibration run, which may have been shorter */
	{ { GOOD, .taken = 31000, .count = 3.1e10 },
	  "the rate was 3.10 times that of the calibration run" },
	{ { GOOD, .taken = 31000, .count = 3.1e10, .counted = 2e9, .cal_ns = 2 * S },
	  "the rate was 3.10 times that of the calibration run" },
	{ { GOOD, .taken = 9700, .count = 9.7e9 },
	  "the rate was 0.97 times that of the calibration run" },
	{ { GOOD, .taken = 120000, .count = 1.2e11 },
	  "the rate was 12 times that of the calibration run" },
	{ { GOOD, .taken = 50, .count = 5e7 },
	  "the rate was 0.0050 times that of the calibration run" },
	{ { GOOD, .taken = 31000, .count = 3.1e10, .throttled = 1 },
	  "the rate was 3.10 times that of the calibration run, though sampling was held back 1 time" },
	{ { GOOD, .taken = 0, .count = 0 }, "no event came" },
	/* the same rate for another time: the program did more */
	{ { GOOD, .taken = 30000, .count = 3e10, .elapsed_ns = 30 * S },
	  "3.00 times the events of the calibration run came" },
	/* clocks that were halted, or ran faster than by name */
	{ { GOOD, .taken = 4300, .count = 4.3e9, .how = VSAMP_CAL_FREQUENCY },
	  "43 % of the nominal clock's cycles were run" },
	{ { GOOD, .taken = 13100, .count = 1.31e10, .how = VSAMP_CAL_FREQUENCY },
	  "131 % of the nominal clock's cycles were run" },
	/* too few for 2 % */
	{ { GOOD, .target = 20, .taken = 19, .sav = 500000003 }, "only 20 samples were aimed at" },
	{ { GOOD, .target = 1, .taken = 0 }, "only 1 sample was aimed at" },
	{ { GOOD, .target = 40, .taken = 38, .adaptive = true }, "only 40 samples were aimed at" },
	/* which explains a few too many */
	{ { GOOD, .target = 519, .taken = 539 }, "only 519 samples were aimed at" },
	{ { GOOD, .target = 519, .taken = 540 }, "the reason is not known" },
	{ { GOOD, .target = 519, .taken = 2854, .adaptive = true },
	  "the rate changed faster, or by more, than is followed" },
	/* an adaptive one doesn't miss it for a rate that is another one */
	{ { GOOD, .taken = 31000, .count = 3.1e10, .adaptive = true },
	  "the rate changed faster, or by more, than is followed" },
	/* no reason is made up */
	{ { GOOD, .taken = 9000 }, "the reason is not known" },
	{ { GOOD, .taken = 9000, .count = NAN, .counted = NAN, .cal_ns = NAN },
	  "the reason is not known" },
	/* a rate that is higher isn't why fewer samples were taken */
	{ { GOOD, .taken = 9000, .count = 1.2e10 }, "the reason is not known" },
};

static void miss(void **state)
{
	for (size_t i = 0; i < sizeof(misses) / sizeof(misses[0]); i++) {
		char text[160] = "unset";

		vsamp_cal_miss(&misses[i].outcome, text, sizeof(text));
		assert_string_equal(text, misses[i].miss);
	}
}

static void miss_truncated(void **state)
{
	struct vsamp_cal_outcome o = { GOOD, .taken = 8000, .lost = 10, .throttled = 2 };
	char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";

	vsamp_cal_miss(&o, text, 0);
	assert_string_equal(text, "0123456789abcdefghijklmnopqrstuvwxyz");
	vsamp_cal_miss(&o, text, 8);
	assert_string_equal(text, "10 samp");
	assert_int_equal(text[8], '8');
	vsamp_cal_miss(&o, text, 1);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deviation),
		cmocka_unit_test(miss),
		cmocka_unit_test(miss_truncated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
