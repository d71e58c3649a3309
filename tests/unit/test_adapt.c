// SPDX-License-Identifier: MIT
/* Adaptive Sample-After values, with programs whose rate is known */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/calibrate.h>

#include "adapt.h"

#define MS	1000000ULL
#define S	1000000000ULL
#define MAX	((1ULL << 47) - 1)
#define FAST	1.0 /* events a ns, where a program is at its fastest */
#define TICK	(MS / 20)
#define WINDOW	(100 * MS)
#define SETTLED (300 * MS) /* after a change of the rate */
#define MARGIN	500	   /* events that the period under way is given at least */
#define CPUS	4

/* A program: its rate at a time of the collection's duration, events a ns of all CPUs */
typedef double (*rate_fn)(double t, double duration);

static double constant(double t, double duration)
{
	return FAST;
}

/* No two windows are the same, by up to 2 % */
static double jitter(double t, double duration)
{
	return FAST * (1 + 0.01 * sin(7 * floor(t / WINDOW)));
}

static double step_down(double t, double duration)
{
	return t < duration / 2 ? FAST : FAST / 10;
}

static double step_up(double t, double duration)
{
	return t < duration / 2 ? FAST / 10 : FAST;
}

/* 2 s fast, 2 s slow */
static double square(double t, double duration)
{
	return fmod(t, 4 * S) < 2 * S ? FAST : FAST / 10;
}

/* Changes as fast as it is looked at: what was is never what will be */
static double square_fast(double t, double duration)
{
	return fmod(t, 2 * WINDOW) < WINDOW ? FAST : FAST / 3;
}

static double ramp_up(double t, double duration)
{
	return FAST * (0.1 + 0.9 * t / duration);
}

static double ramp_down(double t, double duration)
{
	return FAST * (1 - 0.9 * t / duration);
}

/* 20 bursts, and nothing at all between them */
static double bursts(double t, double duration)
{
	return fmod(t, duration / 20) < 0.35 * duration / 20 ? FAST : 0;
}

/* Next to nothing between them */
static double bursts_low(double t, double duration)
{
	return fmod(t, duration / 20) < 0.35 * duration / 20 ? FAST : FAST / 1000;
}

static double wave(double t, double duration)
{
	return FAST * (0.6 + 0.4 * sin(t / S * 2 * M_PI / 3));
}

/* A CPU's counter, and what the module does with it */
struct counter {
	double since;	 /* events since the last reload */
	uint64_t period; /* that the sample under way is taken after */
};

struct simulation {
	struct counter counter[CPUS];
	struct vsamp_cal_pace pace;
	unsigned int changes;
};

/* A new value holds for the period under way, if it isn't over by then */
static void counter_set_sav(struct counter *c, uint64_t sav)
{
	uint64_t least = (uint64_t)c->since + MARGIN;

	c->period = least < sav ? sav : least;
}

static void counter_run(struct counter *c, double events, struct simulation *s)
{
	c->since += events;
	for (; c->since >= c->period; c->period = s->pace.sav) {
		c->since -= c->period;
		s->pace.taken++;
	}
}

static void simulate_window(struct simulation *s, rate_fn rate, double duration)
{
	struct vsamp_cal_pace *p = &s->pace;

	p->counted = 0;
	p->window_ns = WINDOW;
	for (uint64_t t = 0; t < WINDOW; t += TICK) {
		double events = rate(p->elapsed_ns + t + TICK / 2.0, duration) * TICK;

		for (int i = 0; i < CPUS; i++)
			counter_run(&s->counter[i], events / CPUS, s);
		p->counted += events;
	}
	p->elapsed_ns += WINDOW;
}

static void simulate_adapt(struct simulation *s)
{
	uint64_t sav = vsamp_cal_adapt(&s->pace);

	if (sav == s->pace.sav)
		return;
	s->changes++;
	s->pace.sav = sav;
	for (int i = 0; i < CPUS; i++)
		counter_set_sav(&s->counter[i], sav);
}

static void simulate_begin(struct simulation *s, double target, uint64_t duration, uint64_t sav)
{
	*s = (struct simulation){
		.pace = {
			.target = target,
			.duration_ns = duration,
			.sav = sav,
			.sav_begin = sav,
			.floor = VSAMP_SAV_FLOOR,
			.sav_max = MAX,
		},
	};
	for (int i = 0; i < CPUS; i++)
		/* they don't go in step */
		s->counter[i] = (struct counter){ sav * i / CPUS * 0.5, sav };
}

/* Events of all of it */
static double program_total(rate_fn rate, uint64_t duration)
{
	double events = 0;

	for (uint64_t t = 0; t < duration; t += TICK)
		events += rate(t + TICK / 2.0, duration) * TICK;
	return events;
}

static const struct program {
	const char *name;
	rate_fn rate;
	double within;	     /* percent of the target */
	unsigned int phases; /* of equal lengths, in which the rate is constant; 0: it changes on */
	uint64_t phase_ns;   /* or of this length each */
} programs[] = {
	{ "constant", constant, 2, 1, 0 },
	{ "jitter", jitter, 2, 1, 0 },
	{ "step down", step_down, 2, 2, 0 },
	{ "step up", step_up, 2, 2, 0 },
	{ "square", square, 5, 0, 2 * S },
	{ "fast square", square_fast, 2, 0, 0 },
	{ "ramp up", ramp_up, 2, 0, 0 },
	{ "ramp down", ramp_down, 2, 0, 0 },
	{ "wave", wave, 2, 0, 0 },
	{ "bursts", bursts, 5, 0, 0 },
	{ "bursts and little between", bursts_low, 5, 0, 0 },
};

/* The rate of samples in the phase under way, from when it has settled */
struct phase {
	uint64_t ns; /* length; 0: there are none */
	uint64_t settled, end;
	double taken;  /* when it had settled */
	double wanted; /* samples by its end */
};

static unsigned int phases_checked;

static void phase_follow(struct phase *ph, const struct simulation *s, uint64_t duration,
			 const char *name)
{
	const struct vsamp_cal_pace *p = &s->pace;
	double left = duration - p->elapsed_ns;

	if (!ph->ns)
		return;
	if (ph->end && p->elapsed_ns == ph->end) {
		double off = (p->taken - ph->taken) / ph->wanted - 1;

		if (fabs(off) > 0.15)
			fail_msg("%s: %+.1f %% in the phase that ends at %.1f s of %.1f s", name,
				 100 * off, ph->end / 1e9, duration / 1e9);
		ph->end = 0;
		phases_checked++;
	}
	if (p->elapsed_ns % ph->ns == SETTLED) {
		ph->settled = p->elapsed_ns;
		ph->end = ph->settled - SETTLED + ph->ns;
		if (ph->end > duration)
			ph->end = duration;
		ph->taken = p->taken;
		ph->wanted = p->duration_ns ? (p->target - p->taken) / left : p->target / S;
		ph->wanted *= ph->end - ph->settled;
		/* only where it is longer than 1 s */
		if (ph->end - ph->settled + SETTLED <= S)
			ph->end = 0;
	}
}

static void simulate(struct simulation *s, const struct program *prog, double target,
		     uint64_t duration, bool endless, uint64_t sav)
{
	struct phase ph = { .ns = prog->phases ? duration / prog->phases : prog->phase_ns };

	simulate_begin(s, target, endless ? 0 : duration, sav);
	while (s->pace.elapsed_ns < duration) {
		simulate_window(s, prog->rate, duration);
		phase_follow(&ph, s, duration, prog->name);
		simulate_adapt(s);
	}
}

/* Calibrated by the same program, as a whole */
static uint64_t calibrated(const struct program *prog, double target, uint64_t duration)
{
	return vsamp_cal_sav(program_total(prog->rate, duration) / target, VSAMP_SAV_FLOOR, MAX);
}

static void meets_the_target(void **state)
{
	phases_checked = 0;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (uint64_t duration = 5 * S; duration <= 20 * S; duration += 5 * S) {
			const struct program *prog = &programs[i];
			double target = (double)duration / MS, off;
			struct simulation s;

			simulate(&s, prog, target, duration, false,
				 calibrated(prog, target, duration));
			off = 100 * (s.pace.taken / target - 1);
			if (fabs(off) > prog->within)
				fail_msg("%s: %+.2f %% of the target of %.0f s", prog->name, off,
					 duration / 1e9);
		}
	/* constant and jitter have 1 phase, steps 2, square 2 + 5 + 7 + 10, those of 1 s left out */
	assert_int_equal(phases_checked, 4 * (1 + 1 + 2 + 2) + 2 + 5 + 7 + 10);
}

/* Calibrated by something else, at a fifth or five times its rate */
static void meets_the_target_all_the_same(void **state)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		for (int more = 0; more < 2; more++) {
			const struct program *prog = &programs[i];
			double target = 10000, off;
			struct simulation s;
			uint64_t sav = calibrated(prog, target, 10 * S);

			/* whether a phase is within the limits depends on where they begin */
			struct program loose = { prog->name, prog->rate, prog->within, 0, 0 };

			simulate(&s, &loose, target, 10 * S, false, more ? sav * 5 : sav / 5);
			off = 100 * (s.pace.taken / target - 1);
			if (fabs(off) > prog->within)
				fail_msg("%s: %+.2f %% of the target", prog->name, off);
		}
}

/* Without an end: the rate of samples is as wanted in every phase */
static void follows_the_rate(void **state)
{
	phases_checked = 0;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct simulation s;

		simulate(&s, &programs[i], 1000, 20 * S, true,
			 calibrated(&programs[i], 20000, 20 * S));
	}
	assert_int_equal(phases_checked, 1 + 1 + 2 + 2 + 10);
}

static void is_quiet(void **state)
{
	const struct {
		rate_fn rate;
		uint64_t times; /* of the right value, at the beginning, by tenths */
		unsigned int changes;
	} row[] = {
		{ constant, 10, 0 }, { constant, 2, 1 }, { constant, 50, 1 },
		{ constant, 11, 1 }, { jitter, 10, 0 },	 { jitter, 50, 3 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct program prog = { "quiet", row[i].rate, 2, 0, 0 };
		struct simulation s;

		/* with 10 samples a window, too: one more or less is a lot then */
		for (double target = 1000; target <= 10000; target *= 10) {
			uint64_t sav = calibrated(&prog, target, 10 * S) * row[i].times / 10;

			simulate(&s, &prog, target, 10 * S, false, sav);
			assert_in_range(s.changes, 0, row[i].changes);
		}
	}
}

/* The later value of a field holds */
#pragma GCC diagnostic ignored "-Woverride-init"

static const struct {
	struct vsamp_cal_pace pace;
	uint64_t sav;
} steps[] = {
#define PACE                                                                         \
	.target = 10000, .duration_ns = 10 * S, .elapsed_ns = 5 * S, .taken = 5000,  \
	.counted = 1e8, .window_ns = 100 * MS, .sav = 1000003, .sav_begin = 1000003, \
	.floor = VSAMP_SAV_FLOOR, .sav_max = MAX
	/* 5e9 events are to come, for 5000 samples */
	{ { PACE }, 1000003 },
	{ { PACE, .counted = 1.019e8 }, 1000003 },
	{ { PACE, .counted = 1.03e8 }, 1030001 },
	{ { PACE, .counted = 0.97e8 }, 970001 },
	{ { PACE, .counted = 2e8 }, 2000001 },
	/* as much in half of the window */
	{ { PACE, .window_ns = 50 * MS }, 2000001 },
	/* more, or less, than that is left */
	{ { PACE, .taken = 7500 }, 2000001 },
	{ { PACE, .taken = 0 }, 500001 },
	{ { PACE, .elapsed_ns = 9 * S, .taken = 9500 }, 2000001 },
	/* idle for half of the time */
	{ { PACE, .idle_ns = 2500 * MS }, 500001 },
	{ { PACE, .idle_ns = 5 * S, .counted = 2e8 }, 2000001 },
	/* half a percent of the target is nothing; nor is a single sample */
	{ { PACE, .elapsed_ns = 9950 * MS, .taken = 9905 }, 1000003 },
	{ { PACE, .elapsed_ns = 9950 * MS, .taken = 9895 }, 476191 },
	{ { PACE, .target = 100, .elapsed_ns = 9 * S, .taken = 91, .sav = 100000001,
	    .sav_begin = 100000001 },
	  100000001 },
	{ { PACE, .target = 100, .elapsed_ns = 9 * S, .taken = 92, .sav = 100000001,
	    .sav_begin = 100000001 },
	  125000001 },
	/* nobody can say */
	{ { PACE, .counted = 0 }, 1000003 },
	{ { PACE, .counted = -1 }, 1000003 },
	{ { PACE, .counted = NAN }, 1000003 },
	{ { PACE, .counted = 2e8, .window_ns = 0 }, 1000003 },
	{ { PACE, .counted = 2e8, .target = NAN }, 1000003 },
	{ { PACE, .counted = 2e8, .target = 0 }, 1000003 },
	{ { PACE, .counted = 2e8, .taken = NAN }, 1000003 },
	/* over */
	{ { PACE, .counted = 2e8, .elapsed_ns = 10 * S }, 1000003 },
	{ { PACE, .counted = 2e8, .elapsed_ns = 11 * S }, 1000003 },
	/* the limits: 8 times at once, 32 times in all, those of the counter */
	{ { PACE, .counted = 1e10 }, 8000023 },
	{ { PACE, .counted = 1e7, .taken = 0 }, 125001 },
	{ { PACE, .counted = 1e10, .sav = 8000023 }, 32000096 },
	{ { PACE, .counted = 0.5e7, .sav = 125001, .taken = 0 }, 31251 },
	{ { PACE, .counted = 2e8, .sav_max = 1500001 }, 1500001 },
	{ { PACE, .counted = 0.5e8, .floor = 700001 }, 700001 },
	/* all were taken already */
	{ { PACE, .taken = 10000 }, 8000023 },
	{ { PACE, .taken = 20000 }, 8000023 },
	/* too little for the limits: idle */
	{ { PACE, .counted = 3e6 }, 1000003 },
	/* without an end: 1000 samples a second */
	{ { PACE, .target = 1000, .duration_ns = 0 }, 1000003 },
	{ { PACE, .target = 1000, .duration_ns = 0, .counted = 2e8 }, 2000001 },
	/* and 10, where one more is a lot */
	{ { PACE, .target = 10, .duration_ns = 0, .counted = 1.09e8, .sav = 100000001,
	    .sav_begin = 100000001 },
	  109000001 },
	{ { PACE, .target = 1000, .duration_ns = 0, .taken = 1e9, .idle_ns = S, .counted = 2e8 },
	  2000001 },
};

static void one_step(void **state)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct vsamp_cal_pace pace = steps[i].pace;

		assert_int_equal(vsamp_cal_adapt(&pace), steps[i].sav);
	}
}

static void counts_idle_time(void **state)
{
	struct vsamp_cal_pace pace = { PACE };

	vsamp_cal_adapt(&pace);
	assert_int_equal(pace.idle_ns, 0);
	pace.counted = 3e6; /* asks for a 33rd */
	vsamp_cal_adapt(&pace);
	assert_int_equal(pace.idle_ns, 100 * MS);
	pace.counted = 3.2e6; /* for a 31st */
	vsamp_cal_adapt(&pace);
	assert_int_equal(pace.idle_ns, 100 * MS);
	pace.counted = 0;
	vsamp_cal_adapt(&pace);
	assert_int_equal(pace.idle_ns, 200 * MS);
}

/* Whatever it is told, the value is one that can be set */
static void stays_in_the_limits(void **state)
{
	static const double odd[] = { 0, -1, 1, 1e9, 1e30, NAN, INFINITY, -INFINITY };
	const unsigned int n = sizeof(odd) / sizeof(odd[0]);
	unsigned int changed = 0;

	srand(1);
	for (int round = 0; round < 200000; round++) {
		struct vsamp_cal_pace pace = {
			.target = rand() % 2 ? rand() % 100000 : odd[rand() % n],
			.duration_ns = rand() % 4 * S,
			.elapsed_ns = rand() % 4000 * MS,
			.idle_ns = rand() % 4000 * MS,
			.taken = rand() % 2 ? rand() % 100000 : odd[rand() % n],
			.counted = rand() % 2 ? rand() : odd[rand() % n],
			.window_ns = rand() % 4 * WINDOW,
			.sav_begin = VSAMP_SAV_FLOOR + rand(),
			.sav = VSAMP_SAV_FLOOR + rand(),
			.floor = VSAMP_SAV_FLOOR,
			.sav_max = MAX,
		};
		uint64_t sav = vsamp_cal_adapt(&pace);

		if (sav == pace.sav)
			continue;
		changed++;
		assert_in_range(sav, VSAMP_SAV_FLOOR, MAX);
		assert_in_range(sav, pace.sav_begin / 32, pace.sav_begin * 32);
	}
	assert_true(changed > 10000);
}

/* 40 looks in the whole collection, but no more than 100 ms apart, and no less than 10 */
static void looks_more_often_in_a_short_one(void **state)
{
	static const struct {
		uint64_t duration, period;
	} row[] = {
		{ 0, 100 * MS },      { 3600 * S, 100 * MS }, { 4 * S, 100 * MS },
		{ 2 * S, 50 * MS },   { 500 * MS, 12500000 }, { 400 * MS, 10 * MS },
		{ 50 * MS, 10 * MS },
	};
	static const struct vsamp_cal cal;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct adapt a;

		adapt_begin(&a, &cal, 0, row[i].duration, false);
		assert_int_equal(adapt_next(&a, 0) - a.began_ns, row[i].period);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_step),
		cmocka_unit_test(counts_idle_time),
		cmocka_unit_test(stays_in_the_limits),
		cmocka_unit_test(meets_the_target),
		cmocka_unit_test(meets_the_target_all_the_same),
		cmocka_unit_test(follows_the_rate),
		cmocka_unit_test(is_quiet),
		cmocka_unit_test(looks_more_often_in_a_short_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
