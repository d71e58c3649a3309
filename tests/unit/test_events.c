// SPDX-License-Identifier: MIT
/* Names people type, modifiers, refusals */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/event.h>

/* Encodings: Intel SDM volume 3, table of architectural performance events */
static const struct {
	const char *typed;
	const char *name;
	uint64_t config;
	bool user, kernel;
	uint64_t sav; /* 0: not looked at */
	enum vsamp_sav_source source;
} good[] = {
	{ "INST_RETIRED", "INST_RETIRED", 0xc0, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "INST_RETIRED.ANY", "INST_RETIRED.ANY", 0xc0, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "inst_retired.any", "inst_retired.any", 0xc0, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "Instructions Retired", "Instructions Retired", 0xc0, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "instructions", "instructions", 0xc0, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "INST_RETIRED:u:sav=100000", "INST_RETIRED", 0xc0, true, false, 100000,
	  VSAMP_SAV_EXPLICIT },
	{ "INST_RETIRED:sav=100000:u", "INST_RETIRED", 0xc0, true, false, 100000,
	  VSAMP_SAV_EXPLICIT },
	{ " instructions : SAV=2 : K ", "instructions", 0xc0, false, true, 2, VSAMP_SAV_EXPLICIT },
	{ "cycles:uk", "cycles", 0x3c, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "cycles:ku", "cycles", 0x3c, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "cycles:k", "cycles", 0x3c, false, true, 0, VSAMP_SAV_DEFAULT },
	{ "Clockticks", "Clockticks", 0x3c, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "CPU_CLK_UNHALTED.THREAD", "CPU_CLK_UNHALTED.THREAD", 0x3c, true, true, 0,
	  VSAMP_SAV_DEFAULT },
	{ "ref-cycles", "ref-cycles", 0x300, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "CPU_CLK_UNHALTED.REF_TSC", "CPU_CLK_UNHALTED.REF_TSC", 0x300, true, true, 0,
	  VSAMP_SAV_DEFAULT },
	{ "branches", "branches", 0xc4, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "BR_INST_RETIRED.ALL_BRANCHES", "BR_INST_RETIRED.ALL_BRANCHES", 0xc4, true, true, 0,
	  VSAMP_SAV_DEFAULT },
	{ "branch-misses", "branch-misses", 0xc5, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "LLC-misses", "LLC-misses", 0x412e, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "LONGEST_LAT_CACHE.REFERENCE", "LONGEST_LAT_CACHE.REFERENCE", 0x4f2e, true, true, 0,
	  VSAMP_SAV_DEFAULT },
	{ "r412e", "r412e", 0x412e, true, true, 0, VSAMP_SAV_DEFAULT },
	{ "R01B0:u", "R01B0", 0x1b0, true, false, 0, VSAMP_SAV_DEFAULT },
};

static void parse_good(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		unsigned int n = 0;

		if (vsamp_events_parse(ev, &n, good[i].typed, &err))
			fail_msg("'%s': %s", good[i].typed, err.text);
		assert_int_equal(n, 1);
		assert_string_equal(ev[0].name, good[i].name);
		assert_int_equal(ev[0].config, good[i].config);
		assert_int_equal(ev[0].user, good[i].user);
		assert_int_equal(ev[0].kernel, good[i].kernel);
		assert_int_equal(ev[0].sav_source, good[i].source);
		if (good[i].sav)
			assert_int_equal(ev[0].sav, good[i].sav);
	}
}

static const struct {
	const char *typed;
	const char *text; /* part of what is said */
} bad[] = {
	{ "", "missing" },
	{ ":u", "missing" },
	{ "INST_RETIRED,", "missing" },
	{ "INST_RETIRD", "INST_RETIRED" },
	{ "Clocktick", "Clockticks" },
	{ "no_such_thing_at_all", "vsamp list" },
	{ "INST_RETIRED:x", "'x' is no modifier" },
	{ "INST_RETIRED:sav=0", "'0' is no Sample-After value" },
	{ "INST_RETIRED:sav=1", "'1' is no Sample-After value" },
	{ "INST_RETIRED:sav=", "Sample-After value" },
	{ "INST_RETIRED:sav=-5", "'-5' is no Sample-After value" },
	{ "INST_RETIRED:sav=1e6", "'1e6' is no Sample-After value" },
	{ "INST_RETIRED:sav=99999999999999999999", "no Sample-After value" },
	{ "INST_RETIRED:sav=1000:sav=2000", "twice" },
	{ "r", "no such event" },
	{ "r123456789", "no such event" },
	{ "r5300c0", "not an event's" }, /* USR, OS, INT, EN are not for the user to set */
	{ "r0100", "event 0" },
	{ "instructions,INST_RETIRED", "already selected, as instructions" },
	{ "instructions,rc0", "already selected" },
	{ "cycles:u,cycles:u:sav=5000", "already selected" },
};

static void parse_bad(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		unsigned int n = 0;

		assert_int_equal(vsamp_events_parse(ev, &n, bad[i].typed, &err), -EINVAL);
		if (!strstr(err.text, bad[i].text))
			fail_msg("'%s': '%s' does not say '%s'", bad[i].typed, err.text,
				 bad[i].text);
		assert_int_equal(n, 0);
	}
}

static void parse_lists(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	unsigned int n = 0;

	assert_int_equal(vsamp_events_parse(ev, &n, "Instructions Retired:u,Clockticks", NULL), 0);
	assert_int_equal(vsamp_events_parse(ev, &n, "instructions:k", NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(ev[2].config, 0xc0);
	assert_int_equal(vsamp_events_parse(ev, &n, "instructions", NULL), 0);
	assert_int_equal(n, 4);
	/* What is wrong in a list leaves what was there */
	assert_int_equal(vsamp_events_parse(ev, &n, "branches,branches", NULL), -EINVAL);
	assert_int_equal(n, 4);
}

static void parse_too_many(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	for (int i = 0; i < VSAMP_EVENTS_MAX; i++) {
		char name[8];

		snprintf(name, sizeof(name), "r%x", 0x110 + i);
		assert_int_equal(vsamp_events_parse(ev, &n, name, &err), 0);
	}
	assert_int_equal(vsamp_events_parse(ev, &n, "cycles", &err), -E2BIG);
	assert_int_equal(n, VSAMP_EVENTS_MAX);
}

static void parse_long(void **state)
{
	char name[4096];
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	unsigned int n = 0;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(vsamp_events_parse(ev, &n, name, NULL), -EINVAL);
}

/* Only the clock and instructions are calibrated by property, and only the clock needs no run */
static void properties(void **state)
{
	for (unsigned int i = 0; vsamp_event_info(i); i++) {
		const struct vsamp_event_info *row = vsamp_event_info(i);

		assert_int_equal(row->clockticks, row->config == 0x3c);
		assert_int_equal(row->calibrate, row->config == 0x3c || row->config == 0xc0);
		assert_true(row->sav >= VSAMP_SAV_FLOOR);
		assert_true(row->sav % 2 && row->sav % 5);
	}
}

/* A model of libpfm4's choosing, since the machine that runs this may have none */
static void parse_model(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	assert_int_equal(vsamp_events_parse(ev, &n, "L2_RQSTS.ALL_CODE_RD:u", &err), 0);
	assert_int_equal(ev[0].config, 0xe424);
	assert_int_equal(vsamp_events_parse(ev, &n, "CYCLE_ACTIVITY.CYCLES_L2_MISS:sav=5000", &err),
			 0);
	assert_int_equal(ev[1].config, 0x10001a3);
	assert_int_equal(ev[1].sav, 5000);
	assert_int_equal(vsamp_events_parse(ev, &n, "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT", &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "register beside"));
	assert_int_equal(vsamp_events_parse(ev, &n, "L2_RQSTS.ALL_CODE_RDX", &err), -EINVAL);
	/* A software event of the kernel's is in libpfm4 too */
	assert_int_equal(vsamp_events_parse(ev, &n, "PERF_COUNT_SW_PAGE_FAULTS", &err), -EINVAL);
	assert_int_equal(n, 2);
}

static void sav_range(void **state)
{
	struct vsamp_event ev = { .name = "x", .sav = VSAMP_SAV_FLOOR };
	struct vsamp_error err = { 0 };

	assert_int_equal(vsamp_events_check_sav(&ev, 1, false, 1 << 20, &err), 0);
	ev.sav = VSAMP_SAV_FLOOR - 1;
	assert_int_equal(vsamp_events_check_sav(&ev, 1, false, 1 << 20, &err), -ERANGE);
	assert_non_null(strstr(err.text, "--force"));
	assert_int_equal(vsamp_events_check_sav(&ev, 1, true, 1 << 20, &err), 0);
	ev.sav = (1 << 20) + 1;
	assert_int_equal(vsamp_events_check_sav(&ev, 1, true, 1 << 20, &err), -ERANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_good),  cmocka_unit_test(parse_bad),
		cmocka_unit_test(parse_lists), cmocka_unit_test(parse_too_many),
		cmocka_unit_test(parse_long),  cmocka_unit_test(properties),
		cmocka_unit_test(parse_model), cmocka_unit_test(sav_range),
	};

	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
