// SPDX-License-Identifier: MIT
/* Ratios of events: which are known by themselves, and those that are written out */
#include "mkfile.h"

#include <math.h>

#include <vsamp/ratio.h>

#include "recording_private.h"

/* A recording of events, each as "NAME LEVELS CONFIG", NULL behind the last */
static struct vsamp_recording *make(const char *backend, const char *const *events)
{
	struct vsamp_recording *rec;
	struct vsamp_writer *w;
	char *meta;
	size_t size;
	FILE *out = open_memstream(&meta, &size);

	fprintf(out, "{\"version\":1,\"backend\":\"%s\",\"clock\":{\"khz\":1},\"events\":[",
		backend);
	for (int i = 0; events[i]; i++) {
		char name[64], levels[8], config[16];

		assert_int_equal(sscanf(events[i], "%63s %7s %15s", name, levels, config), 3);
		fprintf(out,
			"%s{\"index\":%d,\"name\":\"%s\",\"user\":%s,\"kernel\":%s,\"sav\":1,"
			"\"config\":\"%s\"}",
			i ? "," : "", i, name, strchr(levels, 'u') ? "true" : "false",
			strchr(levels, 'k') ? "true" : "false", config);
	}
	fputs("]}", out);
	fclose(out);
	assert_int_equal(vsamp_writer_open(&w, path, NULL), 0);
	mk_json(w, VSAMP_CHUNK_META, meta);
	free(meta);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	return rec;
}

/* What is known, as "NAME NUMERATOR DENOMINATOR; " */
static void check_known(const char *backend, const char *const *events, const char *expect)
{
	struct vsamp_recording *rec = make(backend, events);
	struct vsamp_ratio ratio[4];
	char text[256] = "", *at = text;
	size_t n = vsamp_ratios_known(rec, ratio, 4);

	for (size_t i = 0; i < n; i++)
		at += sprintf(at, "%s %zu %zu; ", ratio[i].name, ratio[i].numerator,
			      ratio[i].denominator);
	assert_string_equal(text, expect);
	vsamp_recording_close(rec);
}

#define EVENTS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_known(void **state)
{
	check_known("perf", EVENTS("instructions uk 0", "cycles uk 0"), "CPI 1 0; ");
	check_known("perf", EVENTS("CPU_CLK_UNHALTED.THREAD u 0", "INST_RETIRED.ANY_P u 0"),
		    "CPI:u 0 1; ");
	check_known(
		"perf",
		EVENTS("Clockticks u 0", "INST_RETIRED u 0", "Clockticks k 0", "INST_RETIRED k 0"),
		"CPI:u 0 1; CPI:k 2 3; ");
	/* of one level and of the other: they have nothing to do with each other */
	check_known("perf", EVENTS("cycles u 0", "instructions k 0"), "");
	check_known("perf", EVENTS("ref-cycles uk 0", "instructions uk 0"), "");
	check_known("perf", EVENTS("cycles uk 0"), "");
	/* codes are told by name where a backend's are others */
	check_known("intel", EVENTS("r003c uk 0x3c", "mine uk 0xc0"), "CPI 0 1; ");
	check_known("perf", EVENTS("r003c uk 0x3c", "mine uk 0xc0"), "");
	/* no more than there is room for */
	check_known("perf",
		    EVENTS("cycles uk 0", "Clockticks uk 0", "cpu-cycles uk 0", "instructions uk 0",
			   "INST_RETIRED uk 0"),
		    "CPI 0 3; CPI 0 4; CPI 1 3; CPI 1 4; ");
}

static void test_parse(void **state)
{
	static const struct {
		const char *text, *name;
		size_t numerator, denominator;
	} good[] = {
		{ "miss=LLC/inst:u", "miss", 0, 1 },	{ "a b=inst/inst:k", "a b", 1, 2 },
		{ "x=INST:K/llc", "x", 2, 0 },		{ "p=cpu_core/r00c0//LLC", "p", 3, 0 },
		{ "p=LLC/cpu_core/r00c0/", "p", 0, 3 },
	};
	static const char *const bad[] = {
		"",
		"x",
		"=LLC/inst",
		"x=",
		"x=LLC",
		"x=LLC/",
		"x=/LLC",
		"x=LLC/ins",
		"x=LLC:k/inst",
		"x=inst:uk/LLC",
		"x=LLC/inst/LLC",
		"0123456789012345678901234567890123456789012345678901234567890123=LLC/inst",
	};
	struct vsamp_recording *rec = make(
		"intel", EVENTS("LLC uk 1", "inst u 2", "inst k 2", "cpu_core/r00c0/ uk 3"));
	struct vsamp_ratio r;
	struct vsamp_error err;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(vsamp_ratio_parse(&r, rec, good[i].text, &err), 0);
		assert_string_equal(r.name, good[i].name);
		assert_int_equal(r.numerator, good[i].numerator);
		assert_int_equal(r.denominator, good[i].denominator);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(vsamp_ratio_parse(&r, rec, bad[i], &err), -EINVAL);
	vsamp_recording_close(rec);
}

static void test_value(void **state)
{
	const struct vsamp_ratio r = { "x", 0, 1 };

	assert_true(vsamp_ratio_value(&r, (double[]){ 3, 2 }) == 1.5);
	assert_true(vsamp_ratio_value(&r, (double[]){ 0, 2 }) == 0);
	assert_true(isnan(vsamp_ratio_value(&r, (double[]){ 3, 0 })));
	assert_true(isnan(vsamp_ratio_value(&r, (double[]){ 0, 0 })));
}

/* All that take events have room for as many as a session can have */
static void test_too_many(void **state)
{
	const char *events[VSAMP_EVENTS_MAX + 2] = { NULL };
	struct vsamp_recording *rec;
	struct vsamp_error err;
	struct vsamp_writer *w;
	char *meta;
	size_t size;
	FILE *out = open_memstream(&meta, &size);

	for (int i = 0; i < VSAMP_EVENTS_MAX; i++)
		events[i] = "e uk 0";
	vsamp_recording_close(make("perf", events));
	fputs("{\"events\":[", out);
	for (int i = 0; i <= VSAMP_EVENTS_MAX; i++)
		fprintf(out, "%s{\"index\":%d}", i ? "," : "", i);
	fputs("]}", out);
	fclose(out);
	assert_int_equal(vsamp_writer_open(&w, path, NULL), 0);
	mk_json(w, VSAMP_CHUNK_META, meta);
	free(meta);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "more than there can be"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
