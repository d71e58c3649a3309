// SPDX-License-Identifier: MIT
/* What comes of calibration's runs: Sample-After values and targets */
#include <math.h>

#include "cal_bench.h"

/* events / target, in one run of 10 s and, unless said otherwise, 10000 samples to be taken */
static const struct {
	double counted;
	uint64_t elapsed;
	unsigned int cpus;
	uint64_t sav;
	double wanted, target;
} values[] = {
	{ 1e10, 10 * S, 1, 1000001, 1e6, 10000 },
	{ 20000030000, 10 * S, 1, 2000003, 2000003, 10000 },
	/* counted for less: the target of that time */
	{ 1e9, 1 * S, 1, 1000001, 1e6, 10000 },
	{ 1e9, 3 * S, 1, 333333, 1e9 / 3000, 10000 },
	/* the target is of each of 4 CPUs; of 0, which is taken as a total */
	{ 4e10, 10 * S, 4, 1000001, 1e6, 40000 },
	{ 1e10, 10 * S, 0, 1000001, 1e6, 10000 },
	/* fewer events than would do: the floor, and what was wanted is kept */
	{ 2500000, 10 * S, 1, 1001, 250, 10000 },
	{ 1, 10 * S, 1, 1001, 1e-4, 10000 },
	/* beyond 48 bits, and beyond what the counter takes */
	{ 1ULL << 52, 10 * S, 1, 450359962737, (1ULL << 52) / 1e4, 10000 },
	{ 0x1p63, 10 * S, 1, MAX, 0x1p63 / 1e4, 10000 },
};

static void value(void **state)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct vsamp_cal_options o = basic;
		const struct vsamp_cal_event *event;
		struct bench b;

		o.cpus = values[i].cpus;
		bench_begin(&b, "r", &o);
		event = &b.cal.event[0];
		assert_true(isnan(event->counted));
		assert_true(isnan(event->wanted));
		bench_counted(&b, values[i].elapsed, false, values[i].counted);
		assert_int_equal(b.ev[0].sav, values[i].sav);
		assert_int_equal(b.ev[0].sav_source, VSAMP_SAV_CALIBRATED);
		assert_int_equal(event->how, VSAMP_CAL_RUN);
		assert_true(event->counted == values[i].counted);
		assert_true(fabs(event->wanted / values[i].wanted - 1) < 1e-12);
		assert_true(event->target == values[i].target);
		assert_int_equal(event->cal_ns, values[i].elapsed);
	}
}

/* No event, no time, or what is no number of events: all is as it was, and aimed at nevertheless */
static void value_zero(void **state)
{
	const struct {
		double counted;
		uint64_t elapsed;
	} row[] = { { 0, 10 * S },	  { -1, 10 * S },	 { NAN, 10 * S },
		    { INFINITY, 10 * S }, { -INFINITY, 10 * S }, { 1e9, 0 } };

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct bench b;

		bench_begin(&b, "r", &basic);
		bench_counted(&b, row[i].elapsed, false, row[i].counted);
		assert_int_equal(b.ev[0].sav, DEFAULT);
		assert_int_equal(b.ev[0].sav_source, VSAMP_SAV_DEFAULT);
		assert_int_equal(b.cal.event[0].how, VSAMP_CAL_ZERO);
		assert_true(b.cal.event[0].counted == 0);
		assert_true(isnan(b.cal.event[0].wanted));
		assert_true(b.cal.event[0].target == 10000);
	}
}

/* Of a set's run, only those events of the set that are to be calibrated; with mux, all sets */
static void value_in_its_set(void **state)
{
	for (int mux = 0; mux < 2; mux++) {
		struct vsamp_cal_options o = basic;
		struct bench b;

		o.mux = mux;
		bench_begin(&b, "rx r", &o);
		bench_counted(&b, 10 * S, false, 1e9);
		assert_int_equal(b.ev[0].sav, 100001);
		assert_int_equal(b.ev[1].sav, DEFAULT);
		assert_int_equal(b.ev[1].sav_source, VSAMP_SAV_EXPLICIT);
		assert_true(isnan(b.cal.event[1].counted));
		assert_true(isnan(b.cal.event[1].target));
		assert_int_equal(b.ev[2].sav, mux ? 100001 : DEFAULT);
		assert_int_equal(isnan(b.cal.event[2].counted), !mux);
	}
}

static void frequency(void **state)
{
	const struct {
		uint64_t hz, interval, sav;
		double wanted;
	} row[] = {
		{ GHZ, MS, 1000001, 1e6 },	   { 2400 * MS, MS, 2400001, 2.4e6 },
		{ 3 * GHZ, MS / 10, 300001, 3e5 }, { 2893202000, 10 * MS, 28932021, 28932020 },
		{ GHZ, 500, 1001, 500 }, /* below the floor */
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_cal_options o = basic;
		struct vsamp_cal_step step;
		struct bench b;

		o.clock_hz = row[i].hz;
		o.interval_ns = row[i].interval;
		bench_begin(&b, "c", &o);
		assert_int_equal(b.ev[0].sav, row[i].sav);
		assert_int_equal(b.ev[0].sav_source, VSAMP_SAV_FREQUENCY);
		assert_int_equal(b.cal.event[0].how, VSAMP_CAL_FREQUENCY);
		assert_true(fabs(b.cal.event[0].wanted / row[i].wanted - 1) < 1e-12);
		assert_true(isnan(b.cal.event[0].counted));
		assert_true(b.cal.event[0].target == 10.0 * S / row[i].interval);
		/* and it is the only run */
		assert_true(vsamp_cal_next(&b.cal, &step));
		assert_true(step.collect);
		assert_int_equal(step.runs, 1);
	}
}

/* Of an event with a clock of its own, whatever the machine's is, if it is known at all */
static void own_frequency(void **state)
{
	const struct {
		uint64_t hz, interval, sav;
	} row
		[] = {
			{ 3 * GHZ, MS, 1000001 }, { 0, MS, 1000001 },
			{ 0, 10 * MS, 10000001 }, { 3 * GHZ, 20011, 20011 },
			{ 3 * GHZ, 9000, 10001 }, /* below what the kernel's timers do */
		};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_event ev[VSAMP_EVENTS_MAX];
		struct vsamp_cal_options o = basic;
		struct vsamp_error err = { 0 };
		struct vsamp_cal cal;
		unsigned int n = 0;

		o.clock_hz = row[i].hz;
		o.interval_ns = row[i].interval;
		assert_int_equal(vsamp_events_parse(ev, &n, "cpu-clock", NULL, &err), 0);
		if (vsamp_cal_begin(&cal, &o, ev, n, 1, &err))
			fail_msg("%s", err.text);
		assert_int_equal(ev[0].sav, row[i].sav);
		assert_int_equal(ev[0].sav_source, VSAMP_SAV_FREQUENCY);
		assert_true(fabs(cal.event[0].wanted / row[i].interval - 1) < 1e-12);
	}
}

/* Without calibration everything stays as it is, and there is no target */
static void mode_none(void **state)
{
	struct vsamp_cal_options o = basic;
	struct bench b;

	o.mode = VSAMP_CAL_NONE;
	bench_begin(&b, "rcx", &o);
	bench_collected(&b, 10 * S, false);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(b.ev[i].sav, DEFAULT);
		assert_int_equal(b.ev[i].sav_source,
				 i == 2 ? VSAMP_SAV_EXPLICIT : VSAMP_SAV_DEFAULT);
		assert_int_equal(b.cal.event[i].how, VSAMP_CAL_OFF);
		assert_true(isnan(b.cal.event[i].target));
	}
}

/* Samples to be taken: known at the beginning, after the calibration run, at the end; 0: not known */
static const struct {
	const char *events;
	bool launch;
	uint64_t duration;
	uint64_t calibrated; /* for how long; and did the program end it? */
	bool calibrated_ended;
	uint64_t collected;
	bool collected_ended;
	double begin, counted, end;
} targets[] = {
	/* as long as it was to be; and, ended by Ctrl-C, as long as it was */
	{ "r", false, 10 * S, 10 * S, false, 10 * S, false, 10000, 10000, 10000 },
	{ "r", false, 10 * S, 10 * S, false, 10 * S + MS, false, 10000, 10000, 10000 },
	{ "r", false, 10 * S, 10 * S, false, 4 * S, false, 10000, 10000, 4000 },
	{ "r", false, 10 * S, 3 * S, false, 10 * S, false, 10000, 10000, 10000 },
	/* the machine, until Ctrl-C */
	{ "r", false, 0, 2 * S, false, 7 * S, false, 0, 0, 7000 },
	{ "c", false, 0, 0, false, 7 * S, false, 0, 0, 7000 },
	/* a program gives in its whole run what was calculated for it, be it slower when sampled */
	{ "r", true, 0, 5 * S, true, 6 * S, true, 0, 5000, 5000 },
	{ "cr", true, 0, 5 * S, true, 6 * S, true, 0, 5000, 5000 },
	/* but was ended */
	{ "r", true, 0, 5 * S, true, 3 * S, false, 0, 5000, 3000 },
	/* it ended before the duration */
	{ "r", true, 10 * S, 5 * S, true, 6 * S, true, 10000, 5000, 5000 },
	{ "r", true, 10 * S, 12 * S, true, 9 * S, true, 10000, 10000, 10000 },
	{ "c", true, 10 * S, 0, false, 4 * S, true, 10000, 10000, 4000 },
	/* or did so only the first time, or the second */
	{ "r", true, 10 * S, 5 * S, true, 10 * S, false, 10000, 5000, 10000 },
	{ "r", true, 10 * S, 10 * S, false, 9 * S, true, 10000, 10000, 9000 },
	/* it was calibrated by a part of it */
	{ "r", true, 0, 3 * S, false, 8 * S, true, 0, 0, 8000 },
	/* nothing was counted */
	{ "z", true, 0, 5 * S, true, 6 * S, true, 0, 5000, 5000 },
};

static void assert_target(const struct bench *b, double target)
{
	for (unsigned int i = 0; i < b->cal.n; i++)
		if (target)
			assert_true(b->cal.event[i].target == target);
		else
			assert_true(isnan(b->cal.event[i].target));
}

static void target(void **state)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct vsamp_cal_options o = basic;
		struct bench b;

		o.launch = targets[i].launch;
		o.duration_ns = targets[i].duration;
		bench_begin(&b, targets[i].events, &o);
		assert_target(&b, targets[i].begin);
		bench_counted(&b, targets[i].calibrated, targets[i].calibrated_ended,
			      *targets[i].events == 'z' ? 0 : 1e10);
		assert_target(&b, targets[i].counted);
		bench_collected(&b, targets[i].collected, targets[i].collected_ended);
		assert_target(&b, targets[i].end);
	}
}

/* How long the program took in one set's runs says nothing of the next set's */
static void target_of_each_set(void **state)
{
	struct vsamp_cal_options o = basic;
	struct bench b;

	o.launch = true;
	o.duration_ns = 0;
	bench_begin(&b, "r c r", &o);
	bench_counted(&b, 5 * S, true, 1e10);
	assert_true(b.cal.event[0].target == 5000);
	assert_true(isnan(b.cal.event[1].target));
	bench_collected(&b, 6 * S, true);
	bench_collected(&b, 7 * S, true);
	assert_true(b.cal.event[1].target == 7000);
	bench_counted(&b, 4 * S, true, 1e10);
	bench_collected(&b, 8 * S, true);
	assert_true(b.cal.event[0].target == 5000);
	assert_true(b.cal.event[1].target == 7000);
	assert_true(b.cal.event[2].target == 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(value),
		cmocka_unit_test(value_zero),
		cmocka_unit_test(value_in_its_set),
		cmocka_unit_test(frequency),
		cmocka_unit_test(own_frequency),
		cmocka_unit_test(mode_none),
		cmocka_unit_test(target),
		cmocka_unit_test(target_of_each_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
