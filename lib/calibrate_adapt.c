// SPDX-License-Identifier: MIT
/* Sample-After values that follow the program while it is sampled */
#include <math.h>

#include <vsamp/calibrate.h>

#define RANGE	 32   /* times more or less than at the beginning */
#define JUMP	 8    /* times more or less than now */
#define DEADBAND 0.02 /* of now */
#define NOTHING	 200  /* such a part of the target, or a single sample, is not worth a change */
#define NS_PER_S 1000000000ULL

/* Would the rate, all the time, ask for a value below the limits? Then it is a pause. */
static bool pace_idle(const struct vsamp_cal_pace *p, double rate)
{
	double sav = rate * (p->duration_ns ? p->duration_ns : NS_PER_S) / p->target;

	return !p->window_ns || !(sav * RANGE >= p->sav_begin);
}

/* Time in which events are to come, in what is left */
static double pace_left(const struct vsamp_cal_pace *p)
{
	double left = p->duration_ns - p->elapsed_ns;

	if (!p->duration_ns)
		return NS_PER_S;
	if (p->elapsed_ns >= p->duration_ns)
		return 0;
	return p->idle_ns < p->elapsed_ns ? left * (p->elapsed_ns - p->idle_ns) / p->elapsed_ns :
					    left;
}

static uint64_t pace_clamp(const struct vsamp_cal_pace *p, double wanted)
{
	uint64_t floor = p->floor > p->sav_begin / RANGE ? p->floor : p->sav_begin / RANGE;
	uint64_t max = p->sav_begin < p->sav_max / RANGE ? p->sav_begin * RANGE : p->sav_max;

	wanted = fmin(fmax(wanted, (double)p->sav / JUMP), (double)p->sav * JUMP);
	return vsamp_cal_sav(wanted, floor, max);
}

uint64_t vsamp_cal_adapt(struct vsamp_cal_pace *p)
{
	double rate = p->counted / p->window_ns, events, samples;
	uint64_t sav;

	if (!(p->target > 0))
		return p->sav;
	if (pace_idle(p, rate)) {
		p->idle_ns += p->window_ns;
		return p->sav;
	}
	events = rate * pace_left(p);
	samples = p->duration_ns ? p->target - p->taken : p->target;
	if (!(events > 0) || isnan(samples))
		return p->sav;
	if (p->duration_ns && fabs(events / p->sav - samples) <= fmax(1, p->target / NOTHING))
		return p->sav;
	sav = pace_clamp(p, samples > 0 ? events / samples : INFINITY);
	return fabs((double)sav - p->sav) < DEADBAND * p->sav ? p->sav : sav;
}
