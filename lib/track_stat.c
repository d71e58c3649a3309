// SPDX-License-Identifier: MIT
/* track_stat.c: what counters by time were in a part of it, and which of many are looked at first */
#include <math.h>
#include <string.h>

#include <vsamp/timeline.h>

/* The first point that is behind @time */
static size_t point_behind(const struct vsamp_track *t, uint64_t time)
{
	size_t low = 0, high = t->points;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->point[middle].time > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

void vsamp_track_stat(const struct vsamp_track *track, uint64_t from, uint64_t to,
		      struct vsamp_track_stat *stat)
{
	size_t first = point_behind(track, from);
	long double sum = 0;

	*stat = (struct vsamp_track_stat){ 0, NAN, NAN, NAN };
	for (size_t i = first ? first - 1 : 0; i < track->points; i++) {
		const struct vsamp_track_point *p = &track->point[i];
		uint64_t begin = p->time > from ? p->time : from;
		uint64_t end = i + 1 < track->points && p[1].time < to ? p[1].time : to;

		if (begin >= to)
			break;
		if (end <= begin || isnan(p->value))
			continue;
		sum += (long double)p->value * (end - begin);
		stat->min = p->value < stat->min || !stat->known ? p->value : stat->min;
		stat->max = p->value > stat->max || !stat->known ? p->value : stat->max;
		stat->known += end - begin;
	}
	if (stat->known)
		stat->mean = sum / stat->known;
}

/* What comes first where there is no room for all, in this order: the same of several families of GPUs */
static const char *const first[] = {
	"GpuBusy",	     "AvgGpuCoreFrequency",
	"EuActive",	     "XveActive",
	"EuStall",	     "XveStall",
	"EuThreadOccupancy", "XveThreadOccupancy",
	"ComputeBusy",	     "RenderBusy",
	"GtiReadThroughput", "GtiWriteThroughput",
	"SamplersBusy",
};

#define FIRST (sizeof(first) / sizeof(first[0]))

/* Less is better: one of those above; a percentage, by its mean; any; one that never was anything */
static double rank(const struct vsamp_track *t)
{
	struct vsamp_track_stat s;

	if (!t->points)
		return INFINITY;
	vsamp_track_stat(t, t->point[0].time, t->point[t->points - 1].time, &s);
	if (!s.known || (s.min == 0 && s.max == 0))
		return INFINITY;
	for (size_t i = 0; i < FIRST; i++)
		if (!strcmp(t->name, first[i]))
			return i;
	if (strcmp(t->unit, "percent") && strcmp(t->unit, "%"))
		return FIRST + 1;
	return FIRST + 1 / (1 + fabs(s.mean));
}

void vsamp_tracks_choose(const struct vsamp_track *track, size_t tracks, size_t room, bool *chosen)
{
	memset(chosen, tracks <= room, tracks * sizeof(*chosen));
	if (tracks <= room)
		return;
	for (; room; room--) {
		double least = INFINITY;
		size_t best = tracks;

		for (size_t i = 0; i < tracks; i++) {
			double r = chosen[i] ? INFINITY : rank(&track[i]);

			if (r < least) {
				least = r;
				best = i;
			}
		}
		if (best == tracks)
			return;
		chosen[best] = true;
	}
}
