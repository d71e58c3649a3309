// SPDX-License-Identifier: MIT
/* Whether a target was met, and why not */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/calibrate.h>

#define MET	   2.0 /* percent */
/* Below it the parts of a Sample-After value that every CPU has left at the end come to percents */
#define FEW	   1000
/* It takes samples away, at most one a CPU; that so many are too many it doesn't explain */
#define FEW_EXCESS (FEW * MET / 100)

double vsamp_cal_deviation(const struct vsamp_cal_outcome *o)
{
	return o->target > 0 ? 100 * (o->taken - o->target) / o->target : NAN;
}

/* A phrase that grows */
struct phrase {
	char *text;
	size_t size;
};

__attribute__((format(printf, 2, 3))) static void phrase_add(struct phrase *p, const char *fmt, ...)
{
	size_t used = strnlen(p->text, p->size);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->text + used, p->size - used, fmt, ap);
	va_end(ap);
}

static void phrase_held_back(struct phrase *p, uint64_t times)
{
	phrase_add(p, "sampling was held back %llu time%s", (unsigned long long)times,
		   times == 1 ? "" : "s");
}

/* What kept samples from the file. A few that were lost don't explain that many are missing. */
static bool miss_lost(const struct vsamp_cal_outcome *o, struct phrase *p)
{
	bool lost = o->lost >= (o->target - o->taken) / 2;

	if (o->taken >= o->target || !(lost || o->throttled))
		return false;
	if (o->lost > 0)
		phrase_add(p, "%.0f sample%s lost%s", o->lost, o->lost == 1 ? " was" : "s were",
			   o->throttled ? ", and " : "");
	if (o->throttled)
		phrase_held_back(p, o->throttled);
	return true;
}

/* A value that was made coprime to 10 is at most 2 above the floor */
static bool miss_floor(const struct vsamp_cal_outcome *o, struct phrase *p)
{
	double asks = o->count / o->target;

	if (o->sav > o->floor + 2 || !(asks > 0) || asks >= o->floor)
		return false;
	phrase_add(p, "the Sample-After value is at its floor, %llu: the target asks for %.*f",
		   (unsigned long long)o->floor, asks < 10, asks);
	return true;
}

static bool miss_uncalibrated(const struct vsamp_cal_outcome *o, struct phrase *p)
{
	switch (o->how) {
	case VSAMP_CAL_OFF:
		phrase_add(p, "not calibrated: calibration was off");
		return true;
	case VSAMP_CAL_EXPLICIT:
		phrase_add(p, "not calibrated: the Sample-After value was given");
		return true;
	case VSAMP_CAL_PROPERTY:
		phrase_add(p, "not calibrated: its property says so");
		return true;
	case VSAMP_CAL_ZERO:
		phrase_add(p, "no event came in the calibration run");
		return true;
	default:
		return false;
	}
}

/* Does a ratio to what was expected explain the deviation? */
static bool explains(const struct vsamp_cal_outcome *o, double ratio)
{
	return o->taken > o->target ? ratio > 1 + MET / 200 : ratio < 1 - MET / 200;
}

static bool miss_rate(const struct vsamp_cal_outcome *o, struct phrase *p)
{
	double events = o->count / o->counted;
	double rate = events * o->cal_ns / o->elapsed_ns;
	double clock = o->count / (o->sav * o->target);

	if (o->count == 0)
		phrase_add(p, "no event came");
	else if (o->adaptive)
		return false;
	else if (o->how == VSAMP_CAL_FREQUENCY && explains(o, clock))
		phrase_add(p, "%.0f %% of the nominal clock's cycles were run", 100 * clock);
	else if (o->how == VSAMP_CAL_RUN && explains(o, rate))
		phrase_add(p, "the rate was %.*f times that of the calibration run",
			   rate < 0.1 ? 4 :
			   rate < 10  ? 2 :
					0,
			   rate);
	else if (o->how == VSAMP_CAL_RUN && explains(o, events))
		phrase_add(p, "%.*f times the events of the calibration run came",
			   events < 0.1 ? 4 :
			   events < 10	? 2 :
					  0,
			   events);
	else
		return false;
	return true;
}

void vsamp_cal_miss(const struct vsamp_cal_outcome *o, char *text, size_t size)
{
	struct phrase p = { text, size };
	double deviation = vsamp_cal_deviation(o);

	if (!size)
		return;
	text[0] = '\0';
	if (isnan(deviation) || fabs(deviation) <= MET)
		return;
	if (miss_lost(o, &p))
		return;
	if (!miss_floor(o, &p) && !miss_uncalibrated(o, &p) && !miss_rate(o, &p)) {
		if (o->target < FEW && o->taken - o->target <= FEW_EXCESS)
			phrase_add(&p, "only %.0f sample%s aimed at", o->target,
				   o->target == 1 ? " was" : "s were");
		else if (o->adaptive)
			phrase_add(&p, "the rate changed faster, or by more, than is followed");
		else
			phrase_add(&p, "the reason is not known");
	}
	if (o->throttled) {
		phrase_add(&p, ", though ");
		phrase_held_back(&p, o->throttled);
	}
}
