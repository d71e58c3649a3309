// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "say.h"
#include "outcome.h"

/* Reading keeps up only with room to spare */
#define SAV_MARGIN 1.25

uint64_t outcome_ring_size(const struct vsamp_recorder_totals *t, uint64_t ring_size)
{
	uint64_t worst = 0, size = VSAMP_RING_SIZE_MIN;

	for (unsigned int i = 0; i < t->n; i++)
		if (worst < t->cpu[i].lost)
			worst = t->cpu[i].lost;
	if (worst > VSAMP_RING_SIZE_MAX / sizeof(struct vsamp_record_sample))
		return 0;
	worst = ring_size + worst * sizeof(struct vsamp_record_sample);
	while (size < worst)
		size *= 2;
	return size <= VSAMP_RING_SIZE_MAX ? size : 0;
}

double outcome_sav_factor(const struct vsamp_recorder_totals *t)
{
	double worst = 1;

	for (unsigned int i = 0; i < t->n; i++) {
		const struct vsamp_recorder_cpu *c = &t->cpu[i];
		double factor = (double)c->produced / (c->written ? c->written : 1);

		if (factor > worst)
			worst = factor;
	}
	return worst * SAV_MARGIN;
}

static void size_text(char *out, size_t room, uint64_t size)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB" };
	double n = size;
	unsigned int u = 0;

	for (; n >= 1024 && u < 3; u++)
		n /= 1024;
	snprintf(out, room, u ? "%.1f %s" : "%.0f %s", n, units[u]);
}

static void outcome_say_lost(const struct outcome *s)
{
	const struct vsamp_recorder_totals *t = s->totals;
	uint64_t ring = s->o->ring_size ? s->o->ring_size : VSAMP_RING_SIZE_DEFAULT;
	uint64_t size = outcome_ring_size(t, ring);
	char advice[64] = "";

	if (size)
		snprintf(advice, sizeof(advice), "--ring-size %" PRIu64 "K would have held it, or ",
			 size >> 10);
	say("%" PRIu64 " of %" PRIu64
	    " records are lost (%.2f %%): the rings were full; %sSample-After values %.1f times as large",
	    t->lost, t->produced, 100.0 * t->lost / t->produced, advice, outcome_sav_factor(t));
}

static double outcome_share(const struct vsamp_recorder_totals *t, unsigned int i)
{
	return t->enabled[i] ? (double)t->running[i] / t->enabled[i] : 1;
}

static void outcome_get(const struct outcome *s, unsigned int i, struct vsamp_cal_outcome *out)
{
	const struct vsamp_cal *cal = &s->calibration->cal;
	const struct vsamp_cal_event *e = &cal->event[i];
	const struct vsamp_recorder_totals *t = s->totals;
	const struct vsamp_end_run *ended = &s->ended[cal->options.mux ? 0 : cal->events[i].set];
	double share = outcome_share(t, i);

	*out = (struct vsamp_cal_outcome){
		.target = e->target,
		.taken = share > 0 ? t->samples[i] / share : 0,
		.lost = t->overflows[i] > t->samples[i] ? t->overflows[i] - t->samples[i] : 0,
		.counted = e->counted,
		.cal_ns = e->cal_ns ? e->cal_ns : NAN,
		.count = share > 0 ? t->count[i] / share : 0,
		.elapsed_ns = ended->elapsed_ns,
		.sav = cal->events[i].sav,
		.floor = cal->options.floor,
		.throttled = ended->throttled,
		.how = e->how,
		.adaptive = s->o->adaptive,
	};
}

static void outcome_say_event(const struct outcome *s, unsigned int i)
{
	const struct vsamp_event *ev = &s->o->events[i];
	double share = outcome_share(s->totals, i), deviation;
	struct vsamp_cal_outcome out;
	char part[32] = "", miss[160];

	outcome_get(s, i, &out);
	if (share < 1)
		snprintf(part, sizeof(part), " in %.1f %% of the time", 100 * share);
	if (isnan(out.target)) {
		say("%s%s: %" PRIu64 " samples%s, SAV %" PRIu64 " (%s)", ev->name,
		    vsamp_event_levels(ev), s->totals->samples[i], part, ev->sav,
		    vsamp_sav_source_name(ev->sav_source));
		return;
	}
	deviation = vsamp_cal_deviation(&out);
	vsamp_cal_miss(&out, miss, sizeof(miss));
	say("%s%s: %" PRIu64 " samples%s, SAV %" PRIu64 " (%s), target %.0f %s: %+.1f %%%s%s",
	    ev->name, vsamp_event_levels(ev), s->totals->samples[i], part, ev->sav,
	    vsamp_sav_source_name(ev->sav_source), out.target,
	    s->calibration->per_cpu ? "(per CPU x CPUs)" : "(in total)",
	    /* no sign that only rounding gives it */
	    fabs(deviation) < 0.05 ? 0 : deviation, *miss ? ": " : "", miss);
}

static bool outcome_has(const struct outcome *s, unsigned int i)
{
	return s->o->mux_ms || s->o->events[i].set < s->sets;
}

void outcome_say(const struct outcome *s)
{
	const struct vsamp_recorder_totals *t = s->totals;
	uint64_t samples = 0;
	double seconds = 0;
	char size[32], files[32] = "";

	for (unsigned int i = 0; i < s->o->n_events; i++)
		samples += t->samples[i];
	for (unsigned int i = 0; i < s->sets; i++)
		seconds += s->ended[i].elapsed_ns / 1e9;
	if (!s->o->quiet) {
		for (unsigned int i = 0; i < s->o->n_events; i++)
			if (outcome_has(s, i))
				outcome_say_event(s, i);
		size_text(size, sizeof(size), s->file_size);
		if (s->files)
			snprintf(files, sizeof(files), "%u file%s ", s->files,
				 s->files == 1 ? "" : "s");
		say("%" PRIu64 " samples in %.3f s on %u CPUs, %" PRIu64
		    " records lost; %s in %s%s%s",
		    samples, seconds, t->n, t->lost, size, files, s->o->output,
		    s->files ? ".*" : "");
	}
	if (t->lost)
		outcome_say_lost(s);
	if (t->throttled)
		say("sampling was held back %" PRIu64
		    " time%s: more interrupts than --pmi-limit allows; larger Sample-After values avoid it",
		    t->throttled, t->throttled == 1 ? "" : "s");
	if (t->sideband_lost)
		say("%" PRIu64
		    " records of what processes did are lost: some samples may be named wrongly; a larger --sideband-size avoids it",
		    t->sideband_lost);
}
