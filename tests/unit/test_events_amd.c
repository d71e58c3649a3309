// SPDX-License-Identifier: MIT
/* Events where the processor is not Intel's: the same names, and what perf calls them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/control.h>
#include <vsamp/event_config.h>

#define PROCESSOR_INTEL false
#include "processor_is.h"

#include "model.h"

#define PERF  (1U << VSAMP_BACKEND_PERF)
#define KPERF (1U << VSAMP_BACKEND_KPERF)

/* perf's: include/uapi/linux/perf_event.h. Zen 2's: AMD's PPR for family 17h model 31h */
static const struct row {
	const char *typed;
	uint32_t type;
	uint64_t config;
	uint32_t backends;
	bool clockticks;
} good[] = {
	{ "CPU_CLK_UNHALTED.THREAD", 0, 0, KPERF | PERF, true },
	{ "INST_RETIRED", 0, 1, KPERF | PERF, false },
	{ "branch-misses", 0, 5, KPERF | PERF, false },
	{ "cpu-clock", 1, 0, PERF, true },
	{ "r0076", 4, 0x76, KPERF | PERF, false },
	{ "r00c0", 4, 0xc0, KPERF | PERF, false },
	{ "r003c", 4, 0x3c, KPERF | PERF, false },  /* Intel's cycles, but not AMD's */
	{ "r0f00", 4, 0xf00, KPERF | PERF, false }, /* event 0 is of the floating point unit here */
};

static const struct row models[] = {
	{ "RETIRED_INSTRUCTIONS", 4, 0xc0, KPERF | PERF, false },
	{ "CYCLES_NOT_IN_HALT", 4, 0x76, KPERF | PERF, false },
};

static void parse_check(const struct row *good, size_t rows)
{
	for (size_t i = 0; i < rows; i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		unsigned int n = 0;

		if (vsamp_events_parse(ev, &n, good[i].typed, NULL, &err))
			fail_msg("'%s': %s", good[i].typed, err.text);
		if (ev[0].perf_type != good[i].type || ev[0].perf_config != good[i].config ||
		    ev[0].backends != good[i].backends || ev[0].clockticks != good[i].clockticks)
			fail_msg("'%s': type %u config %#llx backends %#x clockticks %d",
				 good[i].typed, ev[0].perf_type,
				 (unsigned long long)ev[0].perf_config, ev[0].backends,
				 ev[0].clockticks);
		assert_int_equal(ev[0].config, 0);
	}
}

static void parse_good(void **state)
{
	parse_check(good, sizeof(good) / sizeof(good[0]));
}

static void parse_models(void **state)
{
	model_needed();
	parse_check(models, sizeof(models) / sizeof(models[0]));
}

/* What is another event and what the same one is told without IA32_PERFEVTSELx */
static void same(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	if (vsamp_events_parse(ev, &n, "cycles,instructions,branches,cpu-clock,r00c0,r0076", NULL,
			       &err))
		fail_msg("%s", err.text);
	assert_int_equal(vsamp_events_parse(ev, &n, "INST_RETIRED", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "already selected, as instructions"));
	assert_int_equal(vsamp_events_parse(ev, &n, "rc0", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "already selected, as r00c0"));
}

static void refused(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	assert_int_equal(vsamp_events_parse(ev, &n, "L2_RQSTS.ALL_CODE_RD", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no such event"));
	assert_int_equal(vsamp_events_parse(ev, &n, "r5300c0", NULL, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not an event's"));
}

/* Properties are of one event each: all have the same config of the intel backend here */
static void properties(void **state)
{
	char path[] = "/tmp/vsamp-events-amd-XXXXXX";
	struct vsamp_event_config *c = vsamp_event_config_new();
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	FILE *f = fdopen(mkstemp(path), "w");
	unsigned int n = 0;

	assert_non_null(f);
	fputs("[cycles]\nsav = 7001\nnot-with = branches\n[cpu-clock]\nsav = 50000\n"
	      "[r00c0]\nsav = 9001\nalias = insns\n",
	      f);
	fclose(f);
	if (vsamp_event_config_read(c, path, &err))
		fail_msg("%s", err.text);
	unlink(path);
	assert_int_equal(
		vsamp_events_parse(ev, &n, "cycles,instructions,branches,cpu-clock,insns", c, &err),
		0);
	assert_int_equal(ev[0].sav, 7001);
	assert_int_equal(ev[1].sav, 2000003);
	assert_int_equal(ev[2].sav, 200003);
	assert_int_equal(ev[3].sav, 50000);
	assert_int_equal(ev[4].sav, 9001);
	assert_int_equal(ev[4].perf_config, 0xc0);
	assert_int_equal(ev[0].excludes, 1 << 2);
	assert_int_equal(ev[1].excludes, 0);
	vsamp_event_config_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parse_good), cmocka_unit_test(parse_models),
		cmocka_unit_test(same),	      cmocka_unit_test(refused),
		cmocka_unit_test(properties),
	};

	setenv("LIBPFM_FORCE_PMU", "amd64_fam17h_zen2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
