/* SPDX-License-Identifier: MIT */
/* cal_bench.h: calibrations that tests run by hand */
#ifndef CAL_BENCH_H
#define CAL_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/calibrate.h>

#define FLOOR	1000
#define MAX	((1ULL << 47) - 1)
#define MS	1000000ULL
#define S	1000000000ULL
#define GHZ	1000000000ULL
#define DEFAULT 2000003 /* SAV of all events here, before they are calibrated */

/* System-wide for 10 s, a sample every ms */
static const struct vsamp_cal_options basic = {
	.mode = VSAMP_CAL_ALL,
	.interval_ns = MS,
	.duration_ns = 10 * S,
	.cpus = 1,
	.clock_hz = GHZ,
	.floor = FLOOR,
	.sav_max = MAX,
};

/*
 * A character for each event: 'r' needs a run, 'c' is Clockticks, 'x' has an explicit value. A
 * space begins the next set.
 */
static inline unsigned int make_events(struct vsamp_event *ev, const char *events,
				       unsigned int *sets)
{
	unsigned int n = 0, set = 0;

	for (; *events; events++) {
		if (*events == ' ') {
			set++;
			continue;
		}
		ev[n] = (struct vsamp_event){
			.clockticks = *events == 'c',
			.sav = DEFAULT,
			.sav_source = *events == 'x' ? VSAMP_SAV_EXPLICIT : VSAMP_SAV_DEFAULT,
			.set = set,
		};
		snprintf(ev[n].name, sizeof(ev[n].name), "E%u", n);
		n++;
	}
	*sets = set + 1;
	return n;
}

/* A calibration with its events */
struct bench {
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	struct vsamp_cal cal;
};

static inline void bench_begin(struct bench *b, const char *events,
			       const struct vsamp_cal_options *o)
{
	struct vsamp_error err = { 0 };
	unsigned int sets, n = make_events(b->ev, events, &sets);

	if (vsamp_cal_begin(&b->cal, o, b->ev, n, sets, &err))
		fail_msg("'%s': %s", events, err.text);
}

/* A calibration run in which every event counted so much */
static inline void bench_counted(struct bench *b, uint64_t elapsed_ns, bool program_ended,
				 double counted)
{
	struct vsamp_cal_run run = { .elapsed_ns = elapsed_ns, .program_ended = program_ended };

	for (unsigned int i = 0; i < VSAMP_EVENTS_MAX; i++)
		run.counted[i] = counted;
	vsamp_cal_counted(&b->cal, &run);
}

static inline void bench_collected(struct bench *b, uint64_t elapsed_ns, bool program_ended)
{
	struct vsamp_cal_run run = { .elapsed_ns = elapsed_ns, .program_ended = program_ended };

	vsamp_cal_collected(&b->cal, &run);
}

#endif
