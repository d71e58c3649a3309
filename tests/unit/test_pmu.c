// SPDX-License-Identifier: MIT
/* Kinds of core: which PMU counts an event, and how one is named, with the PMUs that a row says */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/control.h>
#include <vsamp/pmu.h>

#define PROCESSOR_INTEL true
#include "processor_is.h"

static const struct vsamp_pmu intel[] = { { "cpu_core", 4, "0-7" }, { "cpu_atom", 10, "8-15" } };
static const struct vsamp_pmu arm[] = { { "armv8_pmuv3_0", 8, "0-3,6" },
					{ "armv8_pmuv3_1", 9, "4-5" } };
static const struct vsamp_pmu one[] = { { "cpu", 4, "" } };

static const struct vsamp_pmu *here;
static size_t n_here;

/* In the place of the library's own look */
size_t vsamp_pmus_get(struct vsamp_pmu *pmu, const char *root)
{
	assert_string_equal(root, "");
	memcpy(pmu, here, n_here * sizeof(*pmu));
	return n_here;
}

#define HERE(pmus) (here = (pmus), n_here = sizeof(pmus) / sizeof((pmus)[0]))

static void misses(void **state)
{
	const struct {
		const struct vsamp_pmu *pmu;
		size_t n;
		uint32_t type;
		const char *cpus;
		const char *text; /* NULL: none are missed */
	} row[] = {
		{ intel, 2, 4, "0-15", "E is of cpu_core (CPUs 0-7): CPUs 8-15 don't count it" },
		{ intel, 2, 10, "0-15", "E is of cpu_atom (CPUs 8-15): CPUs 0-7 don't count it" },
		{ intel, 2, 10, "8-15", NULL },
		{ intel, 2, 10, "7-8,10", "E is of cpu_atom (CPUs 8-15): CPUs 7 don't count it" },
		{ intel, 2, 4, "0,9,11-13,15",
		  "E is of cpu_core (CPUs 0-7): CPUs 9,11-13,15 don't count it" },
		{ intel, 2, PERF_TYPE_HARDWARE, "0-15", NULL },
		{ intel, 2, PERF_TYPE_SOFTWARE, "0-15", NULL },
		{ arm, 2, 9, "0-6", "E is of armv8_pmuv3_1 (CPUs 4-5): CPUs 0-3,6 don't count it" },
		/* any of Arm's drivers takes it */
		{ arm, 2, PERF_TYPE_RAW, "0-6", NULL },
		{ one, 1, 4, "0-3", NULL },
		{ NULL, 0, 4, "0-3", NULL },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_event ev = { .name = "E", .perf_type = row[i].type };
		char text[256] = "";
		bool is = vsamp_pmu_misses(row[i].pmu, row[i].n, &ev, row[i].cpus, text,
					   sizeof(text));

		if (is != !!row[i].text || (is && strcmp(text, row[i].text)))
			fail_msg("row %zu: %d, '%s'", i, is, text);
	}
}

static void names(void **state)
{
	const struct {
		const char *name;
		int ret;
		uint32_t type;
		uint64_t config;
	} row[] = {
		{ "cpu_atom/r01c5/:u:sav=5000", 0, 10, 0x1c5 },
		{ "cpu_core/r00c0/", 0, 4, 0xc0 },
		{ "cpu_atom/r00c0", -EINVAL, 0, 0 },
		{ "cpu_atom/r00c0/x", -EINVAL, 0, 0 },
		{ "cpu_atom/x/", -EINVAL, 0, 0 },
		{ "cpu_atom//", -EINVAL, 0, 0 },
		{ "cpu_ato/r00c0/", -EINVAL, 0, 0 },
		{ "/r00c0/", -EINVAL, 0, 0 },
		{ "cpu_atom/r100000000/", -EINVAL, 0, 0 },
		{ "cpu_atom/rffffffff/", -EINVAL, 0, 0 },
	};

	HERE(intel);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		unsigned int n = 0;
		int ret = vsamp_events_parse(ev, &n, row[i].name, NULL, &err);

		if (ret != row[i].ret || (!ret && (ev[0].perf_type != row[i].type ||
						   ev[0].perf_config != row[i].config)))
			fail_msg("row %zu: %d '%s', type %u, config %#llx", i, ret, err.text,
				 ev[0].perf_type, (unsigned long long)ev[0].perf_config);
		/* intel would take it for all kinds' */
		if (!ret)
			assert_false(ev[0].backends >> VSAMP_BACKEND_INTEL & 1);
	}
}

static void unknown_pmu(void **state)
{
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;

	HERE(arm);
	assert_int_equal(vsamp_events_parse(ev, &n, "cpu_atom/r11/", NULL, &err), -EINVAL);
	assert_string_equal(err.text,
			    "cpu_atom/r11/: there is no core PMU of that name here; there is "
			    "armv8_pmuv3_0 (CPUs 0-3,6), armv8_pmuv3_1 (CPUs 4-5)");
	n_here = 0;
	assert_int_equal(vsamp_events_parse(ev, &n, "cpu/r11/", NULL, &err), -EINVAL);
	assert_string_equal(err.text, "cpu/r11/: there is no core PMU of that name here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(misses),
		cmocka_unit_test(names),
		cmocka_unit_test(unknown_pmu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
