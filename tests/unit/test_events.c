// SPDX-License-Identifier: MIT
/* Names people type, modifiers, refusals */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/control.h>
#include <vsamp/event.h>

#define PROCESSOR_INTEL true
#include "processor_is.h"

#include "model.h"

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

		if (vsamp_events_parse(ev, &n, good[i].typed, NULL, &err))
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
	{ "INST_RETIRED:sav=99999999999999999999", "no counter holds so much" },
	{ "INST_RETIRED:sav=1000:sav=2000", "twice" },
	{ "INST_RETIRED:sav=9223372036854775808", "no counter holds so much" },
	{ "INST_RETIRED:sav=18446744073709551616", "no counter holds so much" },
	{ "INST RETIRD", "INST_RETIRED" },
	{ "two words", "no such event" },
#ifdef __x86_64__ /* of other processors, by libpfm4's names for them */
	{ "amd64_fam17h_zen1::RETIRED_INSTRUCTIONS", "an event of amd64_fam17h_zen1, which" },
	{ "AMD64_FAM10H_BARCELONA::DATA_CACHE_MISSES:u", "an event of amd64_fam10h_barcelona" },
	{ "RETIRED_SSE_AVX_FLOPS", "an event of amd64_fam19h_zen" },
	{ "amd64_fam17h_zen1::NO_SUCH", "no such event" },
	{ "L2_RQSTS.NO_SUCH", "L2_RQSTS.NO_SUCH" }, /* others have L2_RQSTS, too */
#endif
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

		assert_int_equal(vsamp_events_parse(ev, &n, bad[i].typed, NULL, &err), -EINVAL);
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

	assert_int_equal(
		vsamp_events_parse(ev, &n, "Instructions Retired:u,Clockticks", NULL, NULL), 0);
	assert_int_equal(vsamp_events_parse(ev, &n, "instructions:k", NULL, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(ev[2].config, 0xc0);
	assert_int_equal(vsamp_events_parse(ev, &n, "instructions", NULL, NULL), 0);
	assert_int_equal(n, 4);
	/* What is wrong in a list leaves what was there */
	assert_int_equal(vsamp_events_parse(ev, &n, "branches,branches", NULL, NULL), -EINVAL);
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
		assert_int_equal(vsamp_events_parse(ev, &n, name, NULL, &err), 0);
	}
	assert_int_equal(vsamp_events_parse(ev, &n, "cycles", NULL, &err), -E2BIG);
	assert_int_equal(n, VSAMP_EVENTS_MAX);
}

static void parse_long(void **state)
{
	char name[4096];
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	unsigned int n = 0;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(vsamp_events_parse(ev, &n, name, NULL, NULL), -EINVAL);
}

/* Only clocks and instructions are calibrated by property, and only clocks need no run */
static void properties(void **state)
{
	for (unsigned int i = 0; vsamp_event_info(i); i++) {
		const struct vsamp_event_info *row = vsamp_event_info(i);
		bool time = !strcmp(row->name, "cpu-clock");

		assert_int_equal(row->clockticks, row->config == 0x3c || time);
		assert_int_equal(row->clock_hz, time ? 1000000000 : 0);
		assert_int_equal(row->calibrate,
				 row->config == 0x3c || row->config == 0xc0 || time);
		assert_true(row->sav >= VSAMP_SAV_FLOOR);
		assert_true(time ? row->sav == 1000000 : row->sav % 2 && row->sav % 5);
	}
}

#define ALL_BACKENDS \
	(1U << VSAMP_BACKEND_INTEL | 1U << VSAMP_BACKEND_KPERF | 1U << VSAMP_BACKEND_PERF)
#define NOT_INTEL (ALL_BACKENDS & ~(1U << VSAMP_BACKEND_INTEL))

/* The kernel's numbers: include/uapi/linux/perf_event.h */
static const struct perf_row {
	const char *typed;
	uint32_t type;
	uint64_t config;
	uint32_t backends;
} perf[] = {
	{ "cycles", 0, 0, ALL_BACKENDS },
	{ "INST_RETIRED", 0, 1, ALL_BACKENDS },
	{ "cache-references", 0, 2, ALL_BACKENDS },
	{ "LLC-misses", 0, 3, ALL_BACKENDS },
	{ "branches", 0, 4, ALL_BACKENDS },
	{ "branch-misses", 0, 5, ALL_BACKENDS },
	{ "ref-cycles", 0, 9, ALL_BACKENDS },
	{ "cpu-clock", 1, 0, 1U << VSAMP_BACKEND_PERF },
	{ "CPU Clock", 1, 0, 1U << VSAMP_BACKEND_PERF },
	{ "r00c0", 0, 1, ALL_BACKENDS }, /* which is INST_RETIRED's encoding */
	{ "r01b0", 4, 0x1b0, ALL_BACKENDS },
	{ "rff8401b0", 4, 0xff8401b0, ALL_BACKENDS },
};

/* Of Skylake's server */
static const struct perf_row perf_models[] = {
	{ "L2_RQSTS.ALL_CODE_RD", 4, 0xe424, ALL_BACKENDS },
	/* IN_TX is bit 32 of IA32_PERFEVTSELx */
	{ "L2_RQSTS.ALL_CODE_RD:intx=1", 4, 0x10000e424, NOT_INTEL },
};

static void perf_check(const struct perf_row *row, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		unsigned int n = 0;

		if (vsamp_events_parse(ev, &n, row[i].typed, NULL, &err))
			fail_msg("'%s': %s", row[i].typed, err.text);
		if (ev[0].perf_type != row[i].type || ev[0].perf_config != row[i].config ||
		    ev[0].backends != row[i].backends)
			fail_msg("'%s': type %u config %#llx backends %#x", row[i].typed,
				 ev[0].perf_type, (unsigned long long)ev[0].perf_config,
				 ev[0].backends);
	}
}

static void perf_codes(void **state)
{
	perf_check(perf, sizeof(perf) / sizeof(perf[0]));
}

static void perf_codes_of_models(void **state)
{
	model_needed();
	perf_check(perf_models, sizeof(perf_models) / sizeof(perf_models[0]));
}

/* Time is an event like others, but that no counter counts it */
static void cpu_clock(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	assert_int_equal(
		vsamp_events_parse(ev, &n, "cpu-clock:u,cycles,cpu_clock:sav=20000", NULL, &err),
		0);
	assert_int_equal(ev[0].sav, 1000000);
	assert_int_equal(ev[0].counters, 0);
	assert_true(ev[0].clockticks);
	assert_int_equal(ev[0].clock_hz, 1000000000);
	assert_int_equal(ev[1].clock_hz, 0);
	assert_int_equal(ev[2].sav, 20000);
	assert_int_equal(vsamp_events_parse(ev, &n, "CPU-CLOCK:u", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "already selected, as cpu-clock"));
	assert_int_equal(vsamp_events_check_sav(ev, n, false, INT64_MAX, &err), 0);
	/* as kernel/events/core.c has it for its timers */
	ev[2].sav = 10000;
	assert_int_equal(vsamp_events_check_sav(ev, n, false, INT64_MAX, &err), 0);
	ev[2].sav = 9999;
	assert_int_equal(vsamp_events_check_sav(ev, n, true, INT64_MAX, &err), -ERANGE);
	assert_non_null(strstr(err.text, "10000 ns"));
	assert_int_equal(vsamp_event_sav_floor(&ev[1], false), VSAMP_SAV_FLOOR);
	assert_int_equal(vsamp_event_sav_floor(&ev[1], true), VSAMP_SAV_MIN);
}

/* A model of libpfm4's choosing, since the machine that runs this may have none */
static void parse_model(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	model_needed();
	assert_int_equal(vsamp_events_parse(ev, &n, "L2_RQSTS.ALL_CODE_RD:u", NULL, &err), 0);
	assert_int_equal(ev[0].config, 0xe424);
	assert_int_equal(
		vsamp_events_parse(ev, &n, "CYCLE_ACTIVITY.CYCLES_L2_MISS:sav=5000", NULL, &err),
		0);
	assert_int_equal(ev[1].config, 0x10001a3);
	assert_int_equal(ev[1].sav, 5000);
	assert_int_equal(
		vsamp_events_parse(ev, &n, "OFFCORE_RESPONSE_0.DMND_DATA_RD.L3_HIT", NULL, &err),
		-EINVAL);
	assert_non_null(strstr(err.text, "register beside"));
	assert_int_equal(vsamp_events_parse(ev, &n, "L2_RQSTS.ALL_CODE_RDX", NULL, &err), -EINVAL);
	/* A software event of the kernel's is in libpfm4 too */
	assert_int_equal(vsamp_events_parse(ev, &n, "PERF_COUNT_SW_PAGE_FAULTS", NULL, &err),
			 -EINVAL);
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
		cmocka_unit_test(parse_good),		cmocka_unit_test(parse_bad),
		cmocka_unit_test(parse_lists),		cmocka_unit_test(parse_too_many),
		cmocka_unit_test(parse_long),		cmocka_unit_test(properties),
		cmocka_unit_test(parse_model),		cmocka_unit_test(sav_range),
		cmocka_unit_test(perf_codes),		cmocka_unit_test(cpu_clock),
		cmocka_unit_test(perf_codes_of_models),
	};

	setenv("LIBPFM_FORCE_PMU", "skx", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
