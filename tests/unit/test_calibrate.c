// SPDX-License-Identifier: MIT
/* Sample-After values, and which events are calibrated */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/calibrate.h>

#define FLOOR 1000
#define MAX   ((1ULL << 47) - 1)

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

/* What is given wins; then the mode; and a clock needs no run */
static const struct {
	bool clockticks, calibrate; /* the event's properties */
	enum vsamp_sav_source source;
	enum vsamp_cal_how none, all, event;
} how_rows[] = {
	{ true, true, VSAMP_SAV_DEFAULT, VSAMP_CAL_OFF, VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY },
	{ true, false, VSAMP_SAV_DEFAULT, VSAMP_CAL_OFF, VSAMP_CAL_FREQUENCY, VSAMP_CAL_PROPERTY },
	{ false, true, VSAMP_SAV_DEFAULT, VSAMP_CAL_OFF, VSAMP_CAL_RUN, VSAMP_CAL_RUN },
	{ false, false, VSAMP_SAV_DEFAULT, VSAMP_CAL_OFF, VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY },
	{ true, true, VSAMP_SAV_CONFIG, VSAMP_CAL_OFF, VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY },
	{ true, false, VSAMP_SAV_CONFIG, VSAMP_CAL_OFF, VSAMP_CAL_FREQUENCY, VSAMP_CAL_PROPERTY },
	{ false, true, VSAMP_SAV_CONFIG, VSAMP_CAL_OFF, VSAMP_CAL_RUN, VSAMP_CAL_RUN },
	{ false, false, VSAMP_SAV_CONFIG, VSAMP_CAL_OFF, VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY },
	{ true, true, VSAMP_SAV_EXPLICIT, VSAMP_CAL_OFF, VSAMP_CAL_EXPLICIT, VSAMP_CAL_EXPLICIT },
	{ true, false, VSAMP_SAV_EXPLICIT, VSAMP_CAL_OFF, VSAMP_CAL_EXPLICIT, VSAMP_CAL_EXPLICIT },
	{ false, true, VSAMP_SAV_EXPLICIT, VSAMP_CAL_OFF, VSAMP_CAL_EXPLICIT, VSAMP_CAL_EXPLICIT },
	{ false, false, VSAMP_SAV_EXPLICIT, VSAMP_CAL_OFF, VSAMP_CAL_EXPLICIT, VSAMP_CAL_EXPLICIT },
};

static void how(void **state)
{
	for (size_t i = 0; i < sizeof(how_rows) / sizeof(how_rows[0]); i++) {
		struct vsamp_event ev = {
			.clockticks = how_rows[i].clockticks,
			.calibrate = how_rows[i].calibrate,
			.sav_source = how_rows[i].source,
		};

		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_NONE), how_rows[i].none);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_ALL), how_rows[i].all);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_EVENT), how_rows[i].event);
	}
}

/* Every event that has a name, as it is typed: in all ways of asking */
static const struct {
	const char *name;
	enum vsamp_cal_how all, event;		      /* as it comes */
	enum vsamp_cal_how event_if_on, event_if_off; /* with the property set so */
} defaults[] = {
	{ "CPU_CLK_UNHALTED.THREAD", VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY,
	  VSAMP_CAL_PROPERTY },
	{ "INST_RETIRED.ANY", VSAMP_CAL_RUN, VSAMP_CAL_RUN, VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY },
	{ "CPU_CLK_UNHALTED.REF_TSC", VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY, VSAMP_CAL_RUN,
	  VSAMP_CAL_PROPERTY },
	{ "BR_INST_RETIRED.ALL_BRANCHES", VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY, VSAMP_CAL_RUN,
	  VSAMP_CAL_PROPERTY },
	{ "BR_MISP_RETIRED.ALL_BRANCHES", VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY, VSAMP_CAL_RUN,
	  VSAMP_CAL_PROPERTY },
	{ "LONGEST_LAT_CACHE.REFERENCE", VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY, VSAMP_CAL_RUN,
	  VSAMP_CAL_PROPERTY },
	{ "LONGEST_LAT_CACHE.MISS", VSAMP_CAL_RUN, VSAMP_CAL_PROPERTY, VSAMP_CAL_RUN,
	  VSAMP_CAL_PROPERTY },
	{ "cpu-clock", VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY, VSAMP_CAL_FREQUENCY,
	  VSAMP_CAL_PROPERTY },
};

static struct vsamp_event parse(const char *name, const char *modifier)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;
	char typed[128];

	snprintf(typed, sizeof(typed), "%s%s", name, modifier);
	if (vsamp_events_parse(ev, &n, typed, NULL, &err))
		fail_msg("%s", err.text);
	return ev[0];
}

static void how_by_default(void **state)
{
	const size_t n = sizeof(defaults) / sizeof(defaults[0]);

	for (size_t i = 0; i < n; i++) {
		const char *name = defaults[i].name;
		struct vsamp_event ev = parse(name, ""), given = parse(name, ":sav=5000");

		assert_string_equal(vsamp_event_info(i)->name, name);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_NONE), VSAMP_CAL_OFF);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_ALL), defaults[i].all);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_EVENT), defaults[i].event);
		assert_int_equal(vsamp_cal_how(&given, VSAMP_CAL_NONE), VSAMP_CAL_OFF);
		assert_int_equal(vsamp_cal_how(&given, VSAMP_CAL_ALL), VSAMP_CAL_EXPLICIT);
		assert_int_equal(vsamp_cal_how(&given, VSAMP_CAL_EVENT), VSAMP_CAL_EXPLICIT);
		for (int levels = 0; levels < 2; levels++) {
			ev = parse(name, levels ? ":u" : ":k");
			assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_EVENT), defaults[i].event);
		}
		ev.calibrate = true;
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_EVENT), defaults[i].event_if_on);
		ev.calibrate = false;
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_EVENT), defaults[i].event_if_off);
		assert_int_equal(vsamp_cal_how(&ev, VSAMP_CAL_ALL), defaults[i].all);
	}
	assert_null(vsamp_event_info(n)); /* the table here has them all */
}

static void needs_runs(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX] = {
		{ .clockticks = true, .calibrate = true },
		{ .calibrate = true },
		{ .calibrate = false },
		{ .calibrate = true, .sav_source = VSAMP_SAV_EXPLICIT },
	};

	assert_int_equal(vsamp_cal_needs_runs(ev, 4, VSAMP_CAL_NONE), 0);
	assert_int_equal(vsamp_cal_needs_runs(ev, 4, VSAMP_CAL_ALL), 1 << 1 | 1 << 2);
	assert_int_equal(vsamp_cal_needs_runs(ev, 4, VSAMP_CAL_EVENT), 1 << 1);
	assert_int_equal(vsamp_cal_needs_runs(ev, 0, VSAMP_CAL_ALL), 0);
	assert_int_equal(vsamp_cal_needs_runs(ev, 32, VSAMP_CAL_ALL), 0xfffffff6);
}

/* They are in files */
static void names(void **state)
{
	assert_string_equal(vsamp_cal_mode_name(VSAMP_CAL_NONE), "none");
	assert_string_equal(vsamp_cal_mode_name(VSAMP_CAL_ALL), "all");
	assert_string_equal(vsamp_cal_mode_name(VSAMP_CAL_EVENT), "event");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_RUN), "run");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_FREQUENCY), "frequency");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_OFF), "off");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_EXPLICIT), "explicit");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_PROPERTY), "property");
	assert_string_equal(vsamp_cal_how_name(VSAMP_CAL_ZERO), "zero");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sav),	      cmocka_unit_test(sav_everywhere),
		cmocka_unit_test(how),	      cmocka_unit_test(how_by_default),
		cmocka_unit_test(needs_runs), cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
