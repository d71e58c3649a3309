// SPDX-License-Identifier: MIT
/*
 * calibrate EVENTS SECONDS: counts events on the whole machine, and prints the Sample-After values
 * that make a sample every millisecond on each CPU, for vsamp record --event-config
 *
 *	cc calibrate.c -o calibrate $(pkg-config --cflags --libs libvsamp)
 *	./calibrate Clockticks,INST_RETIRED,LLC-misses 2 >events.conf
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <vsamp/calibrate.h>
#include <vsamp/control.h>
#include <vsamp/event_config.h>
#include <vsamp/machine.h>
#include <vsamp/schedule.h>

#define NS_PER_S 1000000000ULL

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* A calibration run: counts the events of a set, in a session that takes no samples */
static int count(struct vsamp_cal *cal, const struct vsamp_cal_step *step, struct vsamp_error *err)
{
	struct vsamp_config config = {
		.events = cal->events,
		.n_events = cal->n,
		.set = step->set,
		.count_only = true,
	};
	struct timespec length = { step->duration_ns / NS_PER_S, step->duration_ns % NS_PER_S };
	struct vsamp_cal_run run = { 0 };
	struct vsamp_session *session;
	struct vsamp_stats stats;
	int ret = vsamp_session_open(&session, VSAMP_BACKEND_INTEL, err);

	if (ret)
		return ret;
	ret = vsamp_session_configure(session, &config, err);
	if (!ret)
		ret = vsamp_session_start(session, err);
	if (ret)
		goto close;
	run.elapsed_ns = now_ns();
	nanosleep(&length, NULL);
	ret = vsamp_session_stop(session, err);
	run.elapsed_ns = now_ns() - run.elapsed_ns;
	if (!ret)
		ret = vsamp_session_stats(session, &stats, err);
	if (ret)
		goto close;
	for (unsigned int cpu = 0; cpu < stats.n; cpu++)
		for (unsigned int i = 0; i < cal->n; i++)
			run.counted[i] += stats.cpu[cpu].event[i].count;
	vsamp_stats_free(&stats);
	vsamp_cal_counted(cal, &run);
close:
	vsamp_session_close(session);
	return ret;
}

/* Set after set, as vsamp_cal_next() tells; where it is to collect, nothing is */
static int calibrate(const struct vsamp_cal_options *options, const struct vsamp_cpu_caps *cpu,
		     struct vsamp_event *events, unsigned int n, struct vsamp_error *err)
{
	uint32_t counted = vsamp_cal_needs_runs(events, n, options->mode);
	struct vsamp_cal_run nothing = { 0 };
	struct vsamp_cal_step step;
	struct vsamp_cal cal;
	unsigned int sets;
	int ret = vsamp_events_schedule(events, n, cpu->counters, cpu->events_absent, counted,
					&sets, err);

	if (!ret)
		ret = vsamp_cal_begin(&cal, options, events, n, sets, err);
	while (!ret && vsamp_cal_next(&cal, &step))
		if (step.collect)
			vsamp_cal_collected(&cal, &nothing);
		else
			ret = count(&cal, &step, err);
	return ret;
}

int main(int argc, char **argv)
{
	struct vsamp_cal_options options = {
		.mode = VSAMP_CAL_ALL,
		.interval_ns = NS_PER_S / 1000,
		.floor = VSAMP_SAV_FLOOR,
	};
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	struct vsamp_error err = { 0 };
	struct vsamp_caps caps = { 0 };
	const char *source;
	unsigned int n = 0;
	int ret;

	if (argc != 3 || !(atof(argv[2]) > 0)) {
		fprintf(stderr, "usage: calibrate EVENTS SECONDS\n");
		return 2;
	}
	options.duration_ns = atof(argv[2]) * NS_PER_S;
	ret = vsamp_events_parse(events, &n, argv[1], NULL, &err);
	if (!ret)
		ret = vsamp_caps_get(&caps, VSAMP_BACKEND_INTEL, &err);
	if (!ret) {
		options.cpus = caps.n;
		options.sav_max = caps.cpu[0].sav_max;
		options.clock_hz = vsamp_machine_frequency(
			caps.cpu[0].clock == VSAMP_CLOCK_TSC ? caps.cpu[0].clock_khz : 0, &source);
		ret = calibrate(&options, &caps.cpu[0], events, n, &err);
	}
	if (ret)
		fprintf(stderr, "calibrate: %s\n", err.text);
	else
		vsamp_event_config_write(stdout, events, n);
	vsamp_caps_free(&caps);
	return ret ? 1 : 0;
}
