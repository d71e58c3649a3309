// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <vsamp/machine.h>

#include "calibration.h"
#include "say.h"

/* Counted for a rate, where neither an option nor a command says how long */
#define CAL_SECONDS 2.0

static bool calibration_needs(const struct options *o, enum vsamp_cal_how how)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		if (vsamp_cal_how(&o->events[i], o->cal_mode) == how)
			return true;
	return false;
}

/* Length of the calibration run; 0: as long as the command */
static double calibration_seconds(const struct options *o)
{
	if (o->cal_time_s > 0)
		return o->cal_time_s;
	if (o->duration_s > 0)
		return o->duration_s;
	return o->command ? 0 : CAL_SECONDS;
}

void calibration_plan(struct calibration *c, const struct options *o, const struct run_cpus *cpus)
{
	bool process = run_is_launch(o) || o->n_pids;

	memset(c, 0, sizeof(*c));
	c->per_cpu = o->cal_scope == OPTIONS_CAL_AUTO ? !process : o->cal_scope == OPTIONS_CAL_CPU;
	c->cpus = c->per_cpu ? cpus->n : 1;
	c->runs = calibration_needs(o, VSAMP_CAL_RUN) ? 2 : 1;
	c->seconds = NAN;
	c->duration_s = o->duration_s > 0 ? o->duration_s : NAN;
	for (unsigned int i = 0; i < o->n_events; i++)
		c->event[i] = (struct vsamp_meta_event){ .counted = NAN, .target = NAN };
}

double calibration_target(const struct calibration *c, const struct options *o, unsigned int event,
			  double seconds)
{
	enum vsamp_sav_source source = o->events[event].sav_source;

	if (source != VSAMP_SAV_CALIBRATED && source != VSAMP_SAV_FREQUENCY)
		return NAN;
	return seconds * 1000 / o->interval_ms * c->cpus;
}

static uint64_t sav_floor(const struct options *o)
{
	return o->force ? VSAMP_SAV_MIN : VSAMP_SAV_FLOOR;
}

static void calibration_set(struct options *o, const struct run_cpus *cpus, struct vsamp_event *ev,
			    double events, enum vsamp_sav_source source)
{
	ev->sav = vsamp_cal_sav(events, sav_floor(o), cpus->caps.sav_max);
	ev->sav_source = source;
	if (events < sav_floor(o))
		say("%s: the target asks for a sample every %.0f events, which is below the floor of %" PRIu64
		    ": fewer samples will be taken%s",
		    ev->name, events, sav_floor(o), o->force ? "" : "; --force lowers the floor");
}

static int calibration_frequency(struct options *o, const struct run_cpus *cpus,
				 struct vsamp_event *ev, struct vsamp_error *err)
{
	const char *source;
	uint64_t khz = cpus->caps.clock == VSAMP_CLOCK_TSC ? cpus->caps.clock_khz : 0;
	uint64_t hz = vsamp_machine_frequency(khz, &source);

	if (!hz)
		return vsamp_fail(err, -ENODATA,
				  "%s: this machine does not tell its clock frequency; give :sav=N",
				  ev->name);
	calibration_set(o, cpus, ev, hz * o->interval_ms / 1000, VSAMP_SAV_FREQUENCY);
	if (!o->quiet)
		say("%s: SAV %" PRIu64 " = %.0f MHz (%s) x %g ms", ev->name, ev->sav, hz / 1e6,
		    source, o->interval_ms);
	return 0;
}

static void calibration_counted(struct calibration *c, struct options *o,
				const struct run_cpus *cpus, unsigned int i, uint64_t counted,
				uint64_t elapsed_ns)
{
	struct vsamp_event *ev = &o->events[i];
	struct vsamp_cal_run run = {
		.counted = counted,
		.counted_ns = elapsed_ns,
		.interval_ns = o->interval_ms * 1e6,
		.cpus = c->cpus,
	};

	c->event[i].counted = counted;
	if (!counted) {
		say("%s: no event came in the calibration run: its default SAV %" PRIu64 " is kept",
		    ev->name, ev->sav);
		return;
	}
	calibration_set(o, cpus, ev, vsamp_cal_events(&run), VSAMP_SAV_CALIBRATED);
	if (o->quiet)
		return;
	say("%s: %" PRIu64 " events in %.3f s: SAV %" PRIu64 ", for %.0f samples a second %s",
	    ev->name, counted, elapsed_ns / 1e9, ev->sav, 1000 / o->interval_ms,
	    c->per_cpu ? "per CPU" : "in total");
}

/* The length that the targets are for, now that a run has shown how long the command takes */
static void calibration_duration(struct calibration *c, const struct options *o,
				 const struct run *run)
{
	double seconds = run->elapsed_ns / 1e9;

	if (o->command && run->end == RUN_EXIT) {
		c->command_took = true;
		c->duration_s = seconds;
	}
}

static int calibration_run(struct calibration *c, struct options *o, const struct run_cpus *cpus,
			   struct ends *ends, int *exit_code, struct vsamp_error *err)
{
	double seconds = calibration_seconds(o);
	struct vsamp_stats stats;
	struct run run = { .rehearsal = true };
	int ret;

	if (!o->quiet) {
		if (seconds > 0)
			say("calibrating, 1 of %u runs: counting for %g s", c->runs, seconds);
		else
			say("calibrating, 1 of %u runs: counting until %s ends", c->runs,
			    o->command[0]);
	}
	ret = run_count(o, ends, seconds, &run, &stats, err);
	*exit_code = run.exit_code;
	if (!ret && run.end == RUN_SIGNAL)
		ret = vsamp_fail(err, -EINTR, "ended by a signal while calibrating: no file");
	else if (!ret && run.end == RUN_FOREIGN)
		ret = vsamp_fail(
			err, -EIO,
			"somebody else wrote to the performance counters while calibrating");
	else if (!ret && run.end == RUN_EXIT && o->n_pids)
		ret = vsamp_fail(err, -ESRCH, "the processes ended while calibrating");
	if (!ret) {
		c->seconds = run.elapsed_ns / 1e9;
		calibration_duration(c, o, &run);
	}
	for (unsigned int i = 0; i < o->n_events && !ret; i++)
		if (vsamp_cal_how(&o->events[i], o->cal_mode) == VSAMP_CAL_RUN)
			calibration_counted(c, o, cpus, i, run_stats_count(&stats, i),
					    run.elapsed_ns);
	vsamp_stats_free(&stats);
	return ret;
}

static void calibration_say_explicit(const struct options *o)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		if (o->events[i].sav_source == VSAMP_SAV_EXPLICIT)
			say("%s: not calibrated: SAV %" PRIu64 " was given", o->events[i].name,
			    o->events[i].sav);
}

int calibration_do(struct calibration *c, struct options *o, const struct run_cpus *cpus,
		   struct ends *ends, int *exit_code, struct vsamp_error *err)
{
	int ret = 0;

	*exit_code = 1;
	if (o->cal_mode != VSAMP_CAL_NONE && !o->quiet)
		calibration_say_explicit(o);
	if (c->runs > 1)
		ret = calibration_run(c, o, cpus, ends, exit_code, err);
	for (unsigned int i = 0; i < o->n_events && !ret; i++) {
		if (vsamp_cal_how(&o->events[i], o->cal_mode) == VSAMP_CAL_FREQUENCY)
			ret = calibration_frequency(o, cpus, &o->events[i], err);
		c->event[i].target = calibration_target(c, o, i, c->duration_s);
	}
	return ret;
}
