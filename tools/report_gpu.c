// SPDX-License-Identifier: MIT
/* report --gpu: the metrics of GPUs, and beside slices of them the samples of CPUs */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/trace.h>

#include "cmd.h"
#include "escape.h"
#include "report_gpu.h"
#include "summary.h"
#include "terminal.h"

#define PREFIX	   "GPU " /* of the group of a GPU's tracks; then its slot */
#define SLICES_MAX 1000000
#define CELLS_MAX  2000000	    /* slices of metrics: what JSON of it takes fits in memory */
#define TIME_MAX   (UINT64_MAX / 8) /* 73 years: what is added to it fits */
#define FIRST_MAX  6 /* metrics of a GPU that are shown where there is no room for all */

static bool is_gpu(const struct vsamp_track *t)
{
	return !t->pid && !strncmp(t->group, PREFIX, strlen(PREFIX));
}

static bool wants(const struct report *r, const struct vsamp_track *t)
{
	bool wanted = !r->metrics;

	for (size_t i = 0; i < r->metrics; i++)
		wanted |= !strcasecmp(r->metric[i], t->name);
	return wanted;
}

static const struct vsamp_gpu_recorded *told_of(const struct vsamp_recording *rec, const char *slot)
{
	const struct vsamp_gpu_recorded *gpu;
	size_t n = vsamp_recording_gpus(rec, &gpu);

	for (size_t i = 0; i < n; i++)
		if (!strcmp(gpu[i].slot, slot))
			return &gpu[i];
	return NULL;
}

/* A GPU of these tracks, which follow each other */
static int add_device(struct report_gpu *g, const struct vsamp_track *track, size_t tracks)
{
	struct report_gpu_device *d = &g->device[g->devices];
	bool *chosen = calloc(tracks, sizeof(*chosen));

	d->name = track->group;
	d->told = told_of(g->r->rec, track->group + strlen(PREFIX));
	d->track = calloc(tracks, sizeof(const struct vsamp_track *));
	d->first = calloc(tracks, sizeof(*d->first));
	g->devices++;
	if (!chosen || !d->track || !d->first) {
		free(chosen);
		return -ENOMEM;
	}
	vsamp_tracks_choose(track, tracks, FIRST_MAX, chosen);
	for (size_t i = 0; i < tracks; i++) {
		if (!wants(g->r, &track[i]))
			continue;
		d->first[d->tracks] = chosen[i] || g->r->metrics;
		d->track[d->tracks++] = &track[i];
	}
	free(chosen);
	return 0;
}

static int add_devices(struct report_gpu *g)
{
	const struct vsamp_track *track;
	size_t n = vsamp_timeline_tracks(g->timeline, &track), next;
	int ret = 0;

	g->device = calloc(n + 1, sizeof(*g->device));
	if (!g->device)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i = next) {
		for (next = i + 1; next < n && is_gpu(&track[next]) &&
				   !strcmp(track[next].group, track[i].group);)
			next++;
		if (is_gpu(&track[i]))
			ret = add_device(g, &track[i], next - i);
	}
	return ret;
}

/* Names that no GPU has; says so, and what there is */
static int check_metrics(const struct report_gpu *g)
{
	const struct report *r = g->r;
	const struct vsamp_track *track;
	size_t n = vsamp_timeline_tracks(g->timeline, &track);

	for (size_t i = 0; i < r->metrics; i++) {
		bool found = false;

		for (size_t d = 0; d < g->devices; d++)
			for (size_t k = 0; k < g->device[d].tracks; k++)
				found |= !strcasecmp(g->device[d].track[k]->name, r->metric[i]);
		if (found)
			continue;
		filter_error(&r->filter, "--metric", r->metric[i],
			     "the recording has no such metric");
		fputs("vsamp report: its metrics are", stderr);
		for (size_t k = 0; k < n; k++) {
			if (!is_gpu(&track[k]))
				continue;
			putc(' ', stderr);
			escape_print(stderr, track[k].name, 0);
		}
		putc('\n', stderr);
		return EXIT_USAGE;
	}
	return 0;
}

/* All of the recording and of the tracks, as far as it is asked for */
static void settle_times(struct report_gpu *g)
{
	const struct vsamp_filter *f = &g->r->filter.samples;
	uint64_t begin = UINT64_MAX, end = 0, first, last;

	for (size_t d = 0; d < g->devices; d++)
		for (size_t i = 0; i < g->device[d].tracks; i++) {
			const struct vsamp_track *t = g->device[d].track[i];

			if (!t->points)
				continue;
			first = t->point[0].time;
			last = t->point[t->points - 1].time;
			begin = first < begin ? first : begin;
			end = last > end ? last : end;
		}
	vsamp_recording_span(g->r->rec, &first, &last);
	g->zero = last ? first : begin;
	g->from = g->zero < begin ? g->zero : begin;
	g->to = last > end ? last : end;
	if (f->from > g->from)
		g->from = f->from;
	if (f->to && f->to < g->to)
		g->to = f->to;
	if (g->to < g->from)
		g->to = g->from;
}

/* The number of the slice that a time is in, rounded down also before zero */
static int64_t slice_of(const struct report_gpu *g, uint64_t time)
{
	if (time >= g->zero)
		return (time - g->zero) / g->r->slice;
	return -(int64_t)((g->zero - time - 1) / g->r->slice) - 1;
}

static size_t metrics_of(const struct report_gpu *g)
{
	size_t n = 0;

	for (size_t i = 0; i < g->devices; i++)
		n += g->device[i].tracks;
	return n;
}

static int settle_slices(struct report_gpu *g)
{
	struct vsamp_error err;
	uint64_t slices;

	if (!g->r->slice)
		g->r->slice = report_slice(g->to - g->from, g->r->slices);
	if (g->zero > TIME_MAX || g->to > TIME_MAX)
		return filter_error(&g->r->filter, "--gpu", "-s time",
				    "times in the recording are too far apart: ask for some of it "
				    "by --time");
	g->slice = slice_of(g, g->from);
	slices = g->to > g->from ? slice_of(g, g->to - 1) - g->slice + 1 : 0;
	if (slices > SLICES_MAX)
		return filter_error(&g->r->filter, "--gpu", "-s time",
				    "that is more than 1000000 slices: ask for longer ones, or "
				    "for less of the time by --time");
	g->slices = slices;
	if (slices && metrics_of(g) > CELLS_MAX / slices)
		return filter_error(
			&g->r->filter, "--gpu", "-s time",
			"that is more than 2000000 numbers: ask for longer slices, for less "
			"of the time by --time, or for less metrics by --metric");
	g->samples = calloc(slices * g->r->events + 1, sizeof(*g->samples));
	if (g->samples)
		return 0;
	vsamp_fail(&err, -ENOMEM, "out of memory");
	return report_fail(&err);
}

struct report_gpu_slice report_gpu_slice(const struct report_gpu *g, size_t number)
{
	int64_t time = (g->slice + (int64_t)number) * (int64_t)g->r->slice;
	uint64_t from = g->zero + time, to = from + g->r->slice;

	if ((g->slice + (int64_t)number) < 0 && from > g->zero)
		from = 0; /* zero is nearer to the begin of all times */
	return (struct report_gpu_slice){
		.time = time,
		.from = from > g->from ? from : g->from,
		.to = to < g->to ? to : g->to,
		.samples = &g->samples[number * g->r->events],
	};
}

bool report_gpu_shows(const struct report_gpu *g, size_t event)
{
	return report_wants(g->r, event) && g->r->event[event].samples;
}

static int add_samples(struct report_gpu *g, struct vsamp_error *err)
{
	struct vsamp_trace_sample sample;
	struct vsamp_trace *trace;
	struct vsamp_item item;
	size_t slice;
	int ret;

	if (!g->slices)
		return 0;
	ret = vsamp_trace_new(&trace, g->r->rec, 0, err);
	if (ret)
		return ret;
	while ((ret = vsamp_trace_next(trace, &item, &sample, err)) > 0) {
		if (ret != 2 || sample.time < g->from || sample.time > g->to ||
		    !vsamp_filter_wants(&g->r->filter.samples, &sample))
			continue;
		slice = slice_of(g, sample.time) - g->slice;
		if (slice == g->slices) /* the very last */
			slice--;
		g->samples[slice * g->r->events + sample.event]++;
	}
	vsamp_trace_free(trace);
	return ret;
}

static int gather(struct report_gpu *g)
{
	struct vsamp_error err;
	int ret;

	if (vsamp_timeline_new(&g->timeline, g->r->rec, &err))
		return report_fail(&err);
	if (add_devices(g)) {
		vsamp_fail(&err, -ENOMEM, "out of memory");
		return report_fail(&err);
	}
	if (!g->devices) {
		vsamp_fail(&err, -ENODATA,
			   "%s: has no metrics of GPUs: they are recorded by 'vsamp record --gpu'",
			   g->r->filter.path);
		return report_fail(&err);
	}
	ret = check_metrics(g);
	settle_times(g);
	if (ret || !g->r->sliced)
		return ret;
	ret = settle_slices(g);
	if (!ret && add_samples(g, &err))
		ret = report_fail(&err);
	return ret;
}

static void report_gpu_free(struct report_gpu *g)
{
	for (size_t i = 0; i < g->devices; i++) {
		free(g->device[i].track);
		free(g->device[i].first);
	}
	free(g->device);
	free(g->samples);
	vsamp_timeline_free(g->timeline);
}

int report_gpu(struct report *r)
{
	struct report_gpu g = { .r = r };
	int ret = gather(&g);

	if (!ret) {
		pager_begin();
		if (r->form == REPORT_JSON)
			report_gpu_json(&g);
		else if (r->form == REPORT_CSV)
			ret = report_gpu_csv(&g);
		else
			report_gpu_print(&g);
	}
	report_gpu_free(&g);
	return ret ? ret : summary_end("report", r->rec);
}
