// SPDX-License-Identifier: MIT
/* recording_event.c: what became of the events of a recording */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/calibrate.h>

#include "recording_private.h"

/*
 * The part of the time in which a set was counted, by the records alone; NAN: there are none. A CPU
 * that went on with another set has told of enabled there, later than this set's last record.
 */
static double set_share(const struct vsamp_recording *rec, size_t set)
{
	double enabled = 0, running = 0;

	for (size_t i = 0; i < rec->cpus; i++) {
		const struct recording_told *told = rec->told[rec->cpu[i].cpu];

		if (!told)
			continue;
		enabled += told->enabled;
		running += told->running[set];
	}
	return enabled > 0 ? running / enabled : NAN;
}

static void settle_share(struct vsamp_recording *rec, struct vsamp_recording_event *e)
{
	if (isnan(e->share))
		e->share = set_share(rec, e->set);
	if (e->share == 0)
		rec->set_counted[e->set] = false;
	if (!(e->share > 0))
		e->share = 1; /* there was but one set, or nothing to scale */
	e->estimated /= e->share;
}

static enum vsamp_cal_how cal_how(const char *name)
{
	for (int how = VSAMP_CAL_RUN; how <= VSAMP_CAL_ZERO; how++)
		if (!strcmp(vsamp_cal_how_name(how), name))
			return how;
	return VSAMP_CAL_OFF;
}

static double known(int64_t n)
{
	return n == VSAMP_UNKNOWN ? NAN : (double)n;
}

static double event_lost(const struct vsamp_recording_event *e)
{
	if (e->overflows == VSAMP_UNKNOWN)
		return NAN;
	return e->overflows > (int64_t)e->samples ? e->overflows - (double)e->samples : 0;
}

static void settle_outcome(const struct vsamp_recording *rec, struct vsamp_recording_event *e)
{
	const struct vsamp_cal_outcome outcome = {
		.target = known(e->target),
		.taken = e->samples / e->share,
		.lost = event_lost(e),
		.counted = known(e->counted),
		.cal_ns = known(e->cal_ns),
		.count = known(e->count) / e->share,
		.elapsed_ns = known(e->elapsed),
		.sav = e->sav_end,
		.floor = recording_meta_sav_floor(rec),
		.throttled = rec->mux || rec->sets == 1 ? rec->totals.throttles :
							  rec->set_throttles[e->set],
		.how = cal_how(e->calibration),
		.adaptive = recording_meta_adaptive(rec),
	};

	e->deviation = vsamp_cal_deviation(&outcome);
	if (!isfinite(e->deviation)) {
		e->deviation = NAN;
		return;
	}
	vsamp_cal_miss(&outcome, e->miss, sizeof(e->miss));
	if (!e->miss[0])
		return;
	if (!rec->set_counted[e->set])
		snprintf(e->miss, sizeof(e->miss), "the recording ended before its set's turn");
	else if (!rec->end)
		snprintf(e->miss, sizeof(e->miss), "the recording is incomplete");
}

void recording_settle(struct vsamp_recording *rec)
{
	for (size_t i = 0; i < rec->events; i++) {
		struct vsamp_recording_event *e = &rec->event[i];

		settle_share(rec, e);
		if (e->elapsed == VSAMP_UNKNOWN && (rec->mux || rec->sets == 1))
			e->elapsed = rec->elapsed;
		settle_outcome(rec, e);
	}
}

bool vsamp_recording_event_is(const struct vsamp_recording_event *e, const char *text,
			      size_t length)
{
	size_t name = strlen(e->name), levels = strlen(e->levels);

	if (length < name || strncasecmp(text, e->name, name))
		return false;
	return length == name ||
	       (length == name + levels && !strncasecmp(text + name, e->levels, levels));
}
