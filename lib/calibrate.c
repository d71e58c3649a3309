// SPDX-License-Identifier: MIT

#include <vsamp/calibrate.h>

static const char *const mode_names[] = {
	[VSAMP_CAL_NONE] = "none",
	[VSAMP_CAL_ALL] = "all",
	[VSAMP_CAL_EVENT] = "event",
};

const char *vsamp_cal_mode_name(enum vsamp_cal_mode mode)
{
	return mode_names[mode];
}

enum vsamp_cal_how vsamp_cal_how(const struct vsamp_event *ev, enum vsamp_cal_mode mode)
{
	if (mode == VSAMP_CAL_NONE || ev->sav_source == VSAMP_SAV_EXPLICIT)
		return VSAMP_CAL_KEEP;
	if (mode == VSAMP_CAL_EVENT && !ev->calibrate)
		return VSAMP_CAL_KEEP;
	return ev->clockticks ? VSAMP_CAL_FREQUENCY : VSAMP_CAL_RUN;
}

double vsamp_cal_target(uint64_t duration_ns, uint64_t interval_ns)
{
	return (double)duration_ns / interval_ns;
}

static bool coprime_to_10(uint64_t n)
{
	return n % 2 && n % 5;
}

uint64_t vsamp_cal_sav(double events, uint64_t floor, uint64_t max)
{
	uint64_t sav, reach;

	if (!(events > floor))
		sav = floor;
	else if (events >= (double)max)
		sav = max;
	else
		sav = (uint64_t)(events + 0.5);

	/* Any number is within 2 of one that ends in 1, 3, 7 or 9 */
	reach = sav / 1000 < 2 ? sav / 1000 : 2;
	for (uint64_t step = 0; step <= reach; step++) {
		if (sav + step <= max && coprime_to_10(sav + step))
			return sav + step;
		if (sav - step >= floor && coprime_to_10(sav - step))
			return sav - step;
	}
	return sav;
}

double vsamp_cal_events(const struct vsamp_cal_run *run)
{
	if (!run->counted_ns)
		return 0;
	return run->counted / vsamp_cal_target(run->counted_ns, run->interval_ns) / run->cpus;
}
