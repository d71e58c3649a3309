// SPDX-License-Identifier: MIT
/* Which runs calibration makes, in which order, and for how long */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cal_bench.h"

/* Does what is to be done, and writes it down: "1?" calibrates set 1, "1!" collects it */
static unsigned int bench_trace(struct bench *b, char *trace, size_t size)
{
	struct vsamp_cal_step step;
	unsigned int run = 0, runs = 0;

	*trace = '\0';
	while (vsamp_cal_next(&b->cal, &step)) {
		size_t used = strlen(trace);

		assert_int_equal(step.run, ++run);
		if (runs)
			assert_int_equal(step.runs, runs);
		runs = step.runs;
		snprintf(trace + used, size - used, "%s%u%c", used ? " " : "", step.set,
			 step.collect ? '!' : '?');
		if (step.collect)
			bench_collected(b, 10 * S, false);
		else
			bench_counted(b, 10 * S, false, 1e9);
	}
	assert_int_equal(run, runs);
	return runs;
}

static const struct {
	enum vsamp_cal_mode mode;
	bool mux;
	const char *events;
	const char *trace;
} orders[] = {
	/* one set */
	{ VSAMP_CAL_ALL, false, "r", "0? 0!" },
	{ VSAMP_CAL_ALL, false, "rrcx", "0? 0!" },
	{ VSAMP_CAL_NONE, false, "rrcx", "0!" },
	{ VSAMP_CAL_ALL, false, "c", "0!" },
	{ VSAMP_CAL_ALL, false, "x", "0!" },
	{ VSAMP_CAL_ALL, false, "cx", "0!" },
	{ VSAMP_CAL_EVENT, false, "rrr", "0!" }, /* none has the property */
	/* three */
	{ VSAMP_CAL_ALL, false, "rc r rr", "0? 0! 1? 1! 2? 2!" },
	{ VSAMP_CAL_NONE, false, "rc r rr", "0! 1! 2!" },
	{ VSAMP_CAL_ALL, false, "rx x xx", "0? 0! 1! 2!" },
	{ VSAMP_CAL_ALL, false, "xx xr xx", "0! 1? 1! 2!" },
	{ VSAMP_CAL_ALL, false, "xx cc xr", "0! 1! 2? 2!" },
	/* all in slices of one run */
	{ VSAMP_CAL_ALL, true, "rc r rr", "0? 0!" },
	{ VSAMP_CAL_ALL, true, "xx cc xr", "0? 0!" },
	{ VSAMP_CAL_ALL, true, "xx cc xx", "0!" },
	{ VSAMP_CAL_NONE, true, "rr rr rr", "0!" },
};

static void order(void **state)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		for (int variant = 0; variant < 4; variant++) {
			struct vsamp_cal_options o = basic;
			struct bench b;
			char trace[256];

			o.mode = orders[i].mode;
			o.mux = orders[i].mux;
			o.launch = variant & 1;
			o.duration_ns = variant & 2 ? 10 * S : 0;
			/* several sets, and nothing that would end the first */
			if (!variant && !o.mux && strchr(orders[i].events, ' '))
				continue;
			bench_begin(&b, orders[i].events, &o);
			bench_trace(&b, trace, sizeof(trace));
			assert_string_equal(trace, orders[i].trace);
		}
}

static void order_32_sets(void **state)
{
	struct bench b;
	char trace[1024], want[1024] = "";

	bench_begin(&b, "r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r r", &basic);
	assert_int_equal(bench_trace(&b, trace, sizeof(trace)), 64);
	for (int set = 0; set < 32; set++) {
		char *end = want + strlen(want);

		sprintf(end, "%s%d? %d!", set ? " " : "", set, set);
	}
	assert_string_equal(trace, want);
}

/* What is no step is not taken */
static void order_is_kept(void **state)
{
	struct vsamp_cal_step step;
	struct bench b;

	bench_begin(&b, "r", &basic);
	bench_collected(&b, 10 * S, false);
	assert_true(vsamp_cal_next(&b.cal, &step));
	assert_false(step.collect);
	bench_counted(&b, 10 * S, false, 1e9);
	assert_true(vsamp_cal_next(&b.cal, &step));
	assert_true(step.collect);
	bench_counted(&b, 10 * S, false, 5e9);
	assert_int_equal(b.ev[0].sav, 100001);
	bench_collected(&b, 10 * S, false);
	assert_false(vsamp_cal_next(&b.cal, &step));
	bench_collected(&b, 1 * S, false);
	assert_true(b.cal.event[0].target == 10000);
}

/* A set that counted nothing was calibrated nevertheless, once */
static void order_after_zero(void **state)
{
	struct vsamp_cal_step step;
	struct bench b;

	bench_begin(&b, "r r", &basic);
	bench_counted(&b, 10 * S, false, 0);
	assert_true(vsamp_cal_next(&b.cal, &step));
	assert_true(step.collect);
	assert_int_equal(step.set, 0);
	assert_int_equal(step.run, 2);
	assert_int_equal(step.runs, 4);
}

static void lengths(void **state)
{
	const struct {
		bool launch;
		uint64_t duration, cal, calibrate, collect;
	} row[] = {
		{ false, 10 * S, 0, 10 * S, 10 * S },
		{ false, 10 * S, 3 * S, 3 * S, 10 * S },
		{ false, 0, 0, 2 * S, 0 },
		{ false, 0, 3 * S, 3 * S, 0 },
		{ true, 10 * S, 0, 10 * S, 10 * S },
		{ true, 10 * S, 3 * S, 3 * S, 10 * S },
		{ true, 0, 0, 0, 0 }, /* both as long as the program takes */
		{ true, 0, 3 * S, 3 * S, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_cal_options o = basic;
		struct vsamp_cal_step step;
		struct bench b;

		o.launch = row[i].launch;
		o.duration_ns = row[i].duration;
		o.cal_ns = row[i].cal;
		bench_begin(&b, "r", &o);
		assert_true(vsamp_cal_next(&b.cal, &step));
		assert_int_equal(step.duration_ns, row[i].calibrate);
		bench_counted(&b, 2 * S, false, 1e9);
		assert_true(vsamp_cal_next(&b.cal, &step));
		assert_int_equal(step.duration_ns, row[i].collect);
	}
}

static void refusals(void **state)
{
	const struct {
		const char *events;
		enum vsamp_cal_mode mode;
		uint64_t interval, duration, clock;
		bool launch, mux;
		int ret;
		const char *text;
	} row[] = {
		{ "r r r", VSAMP_CAL_ALL, MS, 0, 0, false, false, -EINVAL, "3 sets" },
		{ "r r r", VSAMP_CAL_NONE, MS, 0, 0, false, false, -EINVAL, "--mux" },
		{ "r r r", VSAMP_CAL_ALL, MS, 0, 0, false, true, 0, "" },
		{ "r r r", VSAMP_CAL_ALL, MS, 0, 0, true, false, 0, "" },
		{ "r r r", VSAMP_CAL_ALL, MS, S, 0, false, false, 0, "" },
		{ "r", VSAMP_CAL_ALL, MS, 0, 0, false, false, 0, "" },
		{ "rc", VSAMP_CAL_ALL, MS, S, 0, false, false, -ENODATA, "give E1:sav=N" },
		{ "rc", VSAMP_CAL_NONE, MS, S, 0, false, false, 0, "" },
		{ "rc", VSAMP_CAL_EVENT, MS, S, 0, false, false, 0, "" }, /* not by property */
		{ "cr", VSAMP_CAL_ALL, MS, S, GHZ, false, false, 0, "" },
		{ "cr", VSAMP_CAL_ALL, 0, S, GHZ, false, false, -EINVAL, "interval" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_cal_options o = basic;
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_error err = { 0 };
		struct vsamp_cal cal;
		unsigned int sets, n = make_events(ev, row[i].events, &sets);

		o.mode = row[i].mode;
		o.interval_ns = row[i].interval;
		o.duration_ns = row[i].duration;
		o.clock_hz = row[i].clock;
		o.launch = row[i].launch;
		o.mux = row[i].mux;
		assert_int_equal(vsamp_cal_begin(&cal, &o, ev, n, sets, &err), row[i].ret);
		assert_int_equal(err.code, row[i].ret);
		assert_non_null(strstr(err.text, row[i].text));
		for (unsigned int k = 0; k < n && row[i].ret; k++)
			assert_int_equal(ev[k].sav, DEFAULT);
	}
}

/* Any events in any sets: each is collected once, in order, after its calibration run if it needs one */
static void random_orders(void **state)
{
	unsigned int calibrated = 0, collected = 0;

	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct vsamp_cal_options o = basic;
		struct vsamp_cal_step step;
		struct bench b;
		unsigned int n = 1 + rand() % VSAMP_EVENTS_MAX, sets = 1 + rand() % n, run = 0;
		bool needs[VSAMP_EVENTS_MAX] = { false };

		o.mode = rand() % 3;
		o.mux = rand() % 4 == 0;
		o.launch = rand() % 2;
		o.duration_ns = rand() % 2 || !o.launch ? 10 * S : 0;
		for (unsigned int i = 0; i < n; i++) {
			b.ev[i] = (struct vsamp_event){
				.clockticks = rand() % 4 == 0,
				.calibrate = rand() % 2,
				.sav = DEFAULT,
				.sav_source = rand() % 3, /* default, of a file, explicit */
				.set = i < sets ? i : rand() % sets,
			};
			if (o.mode != VSAMP_CAL_NONE && !b.ev[i].clockticks &&
			    b.ev[i].sav_source != VSAMP_SAV_EXPLICIT &&
			    (o.mode == VSAMP_CAL_ALL || b.ev[i].calibrate))
				needs[o.mux ? 0 : b.ev[i].set] = true;
		}
		assert_int_equal(vsamp_cal_begin(&b.cal, &o, b.ev, n, sets, NULL), 0);
		for (unsigned int set = 0; set < (o.mux ? 1 : sets); set++)
			for (unsigned int collect = !needs[set]; collect < 2; collect++) {
				uint64_t ns = rand() % 3 * S;

				assert_true(vsamp_cal_next(&b.cal, &step));
				assert_int_equal(step.set, set);
				assert_int_equal(step.collect, collect);
				assert_int_equal(step.run, ++run);
				if (collect)
					bench_collected(&b, ns, o.launch && rand() % 2);
				else
					bench_counted(&b, ns, o.launch && rand() % 2,
						      rand() % 3 * 1e9);
				calibrated += !collect;
				collected += collect;
			}
		assert_false(vsamp_cal_next(&b.cal, &step));
		assert_int_equal(step.runs, run);
		for (unsigned int i = 0; i < n; i++)
			assert_in_range(b.ev[i].sav, FLOOR, MAX);
	}
	assert_true(calibrated > 20000);
	assert_true(collected > calibrated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order),	 cmocka_unit_test(order_32_sets),
		cmocka_unit_test(order_is_kept), cmocka_unit_test(order_after_zero),
		cmocka_unit_test(lengths),	 cmocka_unit_test(refusals),
		cmocka_unit_test(random_orders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
