// SPDX-License-Identifier: MIT
#include <errno.h>

#include "adapt.h"
#include "clock.h"
#include "run.h"

/* A look so often; more often where only so many would come in the whole collection */
#define ADAPT_NS_MAX 100000000ULL
#define ADAPT_NS_MIN 10000000ULL
#define ADAPT_LOOKS  40
/* Where no duration is told the target is that of a second */
#define OPEN_NS	     1e9

static uint64_t adapt_period(uint64_t duration_ns)
{
	uint64_t ns = duration_ns / ADAPT_LOOKS;

	if (!duration_ns || ns > ADAPT_NS_MAX)
		return ADAPT_NS_MAX;
	return ns > ADAPT_NS_MIN ? ns : ADAPT_NS_MIN;
}

void adapt_begin(struct adapt *a, const struct vsamp_cal *cal, uint32_t set, uint64_t duration_ns,
		 bool force)
{
	*a = (struct adapt){
		.cal = cal, .force = force, .set = set, .began_ns = clock_ns(CLOCK_MONOTONIC)
	};
	a->last_ns = a->began_ns;
	a->period_ns = adapt_period(duration_ns);
	for (unsigned int i = 0; i < cal->n; i++)
		a->pace[i] = (struct vsamp_cal_pace){
			.target = duration_ns ?
					  cal->event[i].target :
					  OPEN_NS / cal->options.interval_ns * cal->options.cpus,
			.duration_ns = duration_ns,
			.sav_begin = cal->events[i].sav,
			.floor = cal->options.floor,
			.sav_max = cal->options.sav_max,
		};
}

uint64_t adapt_next(const struct adapt *a, uint64_t deadline)
{
	uint64_t next = a->last_ns + a->period_ns;

	return deadline && deadline < next ? deadline : next;
}

static uint64_t adapt_samples(const struct vsamp_stats *stats, unsigned int event)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < stats->n; i++)
		sum += stats->cpu[i].event[event].samples;
	return sum;
}

static uint64_t adapt_sav(struct adapt *a, unsigned int i, const struct vsamp_stats *stats,
			  uint64_t now)
{
	struct vsamp_cal_pace *pace = &a->pace[i];
	double count = run_stats_count(stats, i), share = run_stats_share(stats, i);

	pace->elapsed_ns = now - a->began_ns;
	pace->taken = share > 0 ? adapt_samples(stats, i) / share : 0;
	pace->counted = count - a->counted[i];
	pace->window_ns = now - a->last_ns;
	pace->sav = a->cal->events[i].sav;
	a->counted[i] = count;
	return vsamp_cal_adapt(pace);
}

/* Those that a calibration run was made for; all else has a value that is to hold */
static bool adapt_is_for(const struct adapt *a, unsigned int i)
{
	return a->cal->events[i].set == a->set &&
	       (a->cal->event[i].how == VSAMP_CAL_RUN || a->cal->event[i].how == VSAMP_CAL_ZERO);
}

int adapt_step(struct adapt *a, struct vsamp_session *session, struct vsamp_recorder *recorder,
	       struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	struct vsamp_stats stats;
	int ret;

	if (now < a->last_ns + a->period_ns)
		return 0;
	ret = vsamp_recorder_stats(recorder, &stats, err);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < a->cal->n && stats.state != VSAMP_SESSION_ENDED; i++) {
		uint64_t sav;

		if (!adapt_is_for(a, i))
			continue;
		sav = adapt_sav(a, i, &stats, now);
		if (sav == a->cal->events[i].sav)
			continue;
		ret = vsamp_session_set_sav(session, i, sav, a->force, err);
		/* It ended just now: whoever waits for it will tell */
		if (ret == -EBADFD)
			ret = 0;
		if (ret)
			break;
		a->cal->events[i].sav = sav;
	}
	a->last_ns = now;
	vsamp_stats_free(&stats);
	return ret;
}
