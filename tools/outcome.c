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

/* In percent; without a sign that only rounding gives it */
static double outcome_deviation(uint64_t samples, double target)
{
	double deviation = target > 0 ? 100 * (samples - target) / target : 0;

	return fabs(deviation) < 0.05 ? 0 : deviation;
}

static void outcome_say_event(const struct outcome *s, unsigned int i)
{
	const struct vsamp_event *ev = &s->o->events[i];
	uint64_t samples = s->totals->samples[i];
	double target = s->target[i];

	if (isnan(target)) {
		say("%s: %" PRIu64 " samples, SAV %" PRIu64 " (%s)", ev->name, samples, ev->sav,
		    vsamp_sav_source_name(ev->sav_source));
		return;
	}
	say("%s: %" PRIu64 " samples, SAV %" PRIu64 " (%s), target %.0f %s: %+.1f %%", ev->name,
	    samples, ev->sav, vsamp_sav_source_name(ev->sav_source), target,
	    s->calibration->per_cpu ? "(per CPU x CPUs)" : "(in total)",
	    outcome_deviation(samples, target));
}

void outcome_say(const struct outcome *s)
{
	const struct vsamp_recorder_totals *t = s->totals;
	uint64_t samples = 0;
	char size[32];

	for (unsigned int i = 0; i < s->o->n_events; i++)
		samples += t->samples[i];
	if (!s->o->quiet) {
		for (unsigned int i = 0; i < s->o->n_events; i++)
			outcome_say_event(s, i);
		size_text(size, sizeof(size), s->file_size);
		say("%" PRIu64 " samples in %.3f s on %u CPUs, %" PRIu64 " records lost; %s in %s",
		    samples, s->seconds, t->n, t->lost, size, s->o->output);
	}
	if (t->lost)
		outcome_say_lost(s);
	if (t->throttled)
		say("sampling was held back %" PRIu64
		    " times: more interrupts than --pmi-limit allows; larger Sample-After values avoid it",
		    t->throttled);
	if (t->sideband_lost)
		say("%" PRIu64
		    " records of what processes did are lost: some samples may be named wrongly; a larger --sideband-size avoids it",
		    t->sideband_lost);
}
