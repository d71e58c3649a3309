// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/machine.h>

#include "calibration.h"
#include "say.h"

static uint64_t ns_of(double seconds)
{
	return seconds * 1e9 + 0.5;
}

static void calibration_say_begun(const struct calibration *c, const struct options *o,
				  const char *clock_source)
{
	for (unsigned int i = 0; i < o->n_events && o->cal_mode != VSAMP_CAL_NONE; i++) {
		const struct vsamp_event *ev = &o->events[i];

		switch (c->cal.event[i].how) {
		case VSAMP_CAL_EXPLICIT:
			say("%s%s: not calibrated: SAV %" PRIu64 " was given", ev->name,
			    vsamp_event_levels(ev), ev->sav);
			break;
		case VSAMP_CAL_PROPERTY:
			say("%s%s: not calibrated: its property says no; SAV %" PRIu64 " (%s)",
			    ev->name, vsamp_event_levels(ev), ev->sav,
			    vsamp_sav_source_name(ev->sav_source));
			break;
		case VSAMP_CAL_FREQUENCY:
			say("%s%s: SAV %" PRIu64 " = %.0f MHz (%s) x %g ms", ev->name,
			    vsamp_event_levels(ev), ev->sav,
			    (ev->clock_hz ? ev->clock_hz : c->cal.options.clock_hz) / 1e6,
			    ev->clock_hz ? "its own" : clock_source, o->interval_ms);
			break;
		default:
			break;
		}
	}
}

/* Told always: fewer samples will come than were asked for */
static void calibration_say_floor(const struct calibration *c, const struct options *o,
				  unsigned int i)
{
	uint64_t floor = vsamp_event_sav_floor(&o->events[i], o->force);
	double wanted = c->cal.event[i].wanted;

	if (wanted < floor)
		say("%s%s: the target asks for a sample every %.0f events, which is below the floor of %" PRIu64
		    ": fewer samples will be taken%s",
		    o->events[i].name, vsamp_event_levels(&o->events[i]), wanted, floor,
		    o->force ? "" : "; --force lowers the floor");
}

int calibration_begin(struct calibration *c, struct options *o, const struct run_cpus *cpus,
		      struct vsamp_error *err)
{
	uint64_t khz = cpus->caps.clock == VSAMP_CLOCK_TSC ? cpus->caps.clock_khz : 0;
	bool process = run_is_launch(o) || o->n_pids || o->cgroups.n;
	const char *clock_source;
	int ret;

	c->per_cpu = o->cal_scope == OPTIONS_CAL_AUTO ? !process : o->cal_scope == OPTIONS_CAL_CPU;
	ret = vsamp_cal_begin(&c->cal,
			      &(struct vsamp_cal_options){
				      .mode = o->cal_mode,
				      .interval_ns = o->interval_ms * 1e6 + 0.5,
				      .duration_ns = ns_of(o->duration_s),
				      .cal_ns = ns_of(o->cal_time_s),
				      .launch = o->command,
				      .mux = o->mux_ms,
				      .cpus = c->per_cpu ? cpus->n : 1,
				      .clock_hz = vsamp_machine_frequency(khz, &clock_source),
				      .floor = o->force ? VSAMP_SAV_MIN : VSAMP_SAV_FLOOR,
				      .sav_max = cpus->caps.sav_max,
			      },
			      o->events, o->n_events, cpus->sets, err);
	if (ret)
		return ret;
	if (o->interval_given && o->cal_mode == VSAMP_CAL_NONE)
		say("-i %g does nothing without calibration: -cal makes a sample each %g ms",
		    o->interval_ms, o->interval_ms);
	if (!o->quiet)
		calibration_say_begun(c, o, clock_source);
	for (unsigned int i = 0; i < o->n_events; i++)
		if (c->cal.event[i].how == VSAMP_CAL_FREQUENCY)
			calibration_say_floor(c, o, i);
	return 0;
}

void calibration_set_text(const struct calibration *c, const struct vsamp_cal_step *step,
			  char *text, size_t size)
{
	const char *between = "";
	size_t n;

	text[0] = '\0';
	if (c->cal.sets < 2 || c->cal.options.mux)
		return;
	n = snprintf(text, size, " set %u of %u (", step->set + 1, c->cal.sets);
	for (unsigned int i = 0; i < c->cal.n && n < size; i++) {
		const struct vsamp_event *ev = &c->cal.events[i];

		if (ev->set != step->set)
			continue;
		n += snprintf(text + n, size - n, "%s%s%s", between, ev->name,
			      vsamp_event_levels(ev));
		between = ", ";
	}
	if (n < size)
		snprintf(text + n, size - n, "),");
}

static void calibration_say_run(const struct calibration *c, const struct options *o,
				const struct vsamp_cal_step *step)
{
	char set[512];

	if (o->quiet)
		return;
	calibration_set_text(c, step, set, sizeof(set));
	if (step->duration_ns)
		say("calibrating, %u of %u runs:%s counting for %g s", step->run, step->runs, set,
		    step->duration_ns / 1e9);
	else
		say("calibrating, %u of %u runs:%s counting until %s ends", step->run, step->runs,
		    set, o->command[0]);
}

static void calibration_say_event(const struct calibration *c, const struct options *o,
				  unsigned int i, double share)
{
	const struct vsamp_cal_event *e = &c->cal.event[i];
	const struct vsamp_event *ev = &o->events[i];
	char part[32] = "";

	if (e->how == VSAMP_CAL_ZERO) {
		say("%s%s: no event came in the calibration run: its default SAV %" PRIu64
		    " is kept",
		    ev->name, vsamp_event_levels(ev), ev->sav);
		return;
	}
	if (share < 1)
		snprintf(part, sizeof(part), " (counted %.1f %% of it)", 100 * share);
	if (!o->quiet)
		say("%s%s: %.0f events in %.3f s%s: SAV %" PRIu64 ", for %.0f samples a second %s",
		    ev->name, vsamp_event_levels(ev), e->counted, e->cal_ns / 1e9, part, ev->sav,
		    1000 / o->interval_ms, c->per_cpu ? "per CPU" : "in total");
	calibration_say_floor(c, o, i);
}

/* A run that ended in a way that nothing follows from */
static int calibration_check_end(const struct options *o, const struct run *r,
				 struct vsamp_error *err)
{
	if (r->end == RUN_SIGNAL)
		return vsamp_fail(err, -EINTR, "ended by a signal while calibrating%s",
				  r->writer ? "" : ": no file");
	if (run_end_text(r->end))
		return vsamp_fail(err, -EIO, "%s: calibrating ended there", run_end_text(r->end));
	if (r->end == RUN_EXIT && o->n_pids)
		return vsamp_fail(err, -ESRCH, "the processes ended while calibrating");
	return 0;
}

static void calibration_settle(struct calibration *c, const struct options *o,
			       const struct vsamp_cal_step *step, const struct run *r,
			       const struct vsamp_stats *stats)
{
	struct vsamp_cal_run run = {
		.elapsed_ns = r->elapsed_ns,
		.program_ended = o->command && r->end == RUN_EXIT,
	};
	uint64_t produced = 0;

	for (unsigned int i = 0; i < o->n_events; i++)
		run.counted[i] = run_stats_count(stats, i);
	for (unsigned int i = 0; i < stats->n; i++)
		produced += stats->cpu[i].produced;
	if (o->verbose)
		say("calibration run %u: produced %" PRIu64 " records", step->run, produced);
	vsamp_cal_counted(&c->cal, &run);
	if (run.program_ended && r->child.status)
		say("%s ended with status %d in the calibration run", o->command[0],
		    r->child.status);
	for (unsigned int i = 0; i < o->n_events; i++)
		if (c->cal.event[i].cal_ns && (c->cal.options.mux || o->events[i].set == step->set))
			calibration_say_event(c, o, i, run_stats_share(stats, i));
}

int calibration_run(struct calibration *c, const struct options *o,
		    const struct vsamp_cal_step *step, struct run *r, struct vsamp_error *err)
{
	struct vsamp_stats stats;
	int ret;

	calibration_say_run(c, o, step);
	ret = run_count(r, step->duration_ns, &stats, err);
	if (!ret)
		ret = calibration_check_end(o, r, err);
	if (!ret)
		calibration_settle(c, o, step, r, &stats);
	vsamp_stats_free(&stats);
	return ret;
}
