// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/clock.h>

#include "clock.h"
#include "gpu_recording.h"
#include "say.h"

#define READ_NS	 100000000ULL
#define WRITE_NS 10000000000ULL
#define SLICE	 16384 /* points that are written at once, at most */

/* So that what waits in memory is bounded */
static uint64_t write_every(const struct gpu_recording *g)
{
	uint64_t slice = g->interval_ns * SLICE;

	return slice < WRITE_NS ? slice : WRITE_NS;
}

static int run_start(struct gpu_recording *g, struct vsamp_error *err)
{
	const struct vsamp_oa_device *device = vsamp_gpu_stream_device(g->stream);
	int ret = vsamp_gpu_tracks_new(&g->tracks, g->gpu.platform, g->set, device,
				       vsamp_gpu_stream_bits(g->stream), g->interval_ns, err);

	if (!ret)
		ret = vsamp_gpu_stream_start(g->stream, g->set, g->period_ns, err);
	if (ret)
		return ret;
	g->actual_ns = vsamp_gpu_stream_period(g->stream);
	g->broken = false;
	g->due = clock_ns(CLOCK_MONOTONIC) + READ_NS;
	g->write_due = g->due + write_every(g);
	return 0;
}

int gpu_recording_start(struct gpu_recording *g, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };
	int ret;

	if (!g->set)
		return 0;
	ret = vsamp_gpu_stream_open(&g->stream, &g->gpu, &why);
	if (!ret)
		ret = run_start(g, &why);
	return ret ? vsamp_fail(err, ret, "--gpu: %s", why.text) : 0;
}

uint64_t gpu_recording_next(const struct gpu_recording *g, uint64_t deadline)
{
	return g->stream && (!deadline || g->due < deadline) ? g->due : deadline;
}

static int ring_read(struct gpu_recording *g, struct vsamp_error *err)
{
	struct vsamp_ring *ring = vsamp_gpu_stream_ring(g->stream);
	const void *data;
	size_t size;
	int ret;

	while ((ret = vsamp_ring_begin(ring, &data, &size, err)) > 0) {
		ret = vsamp_gpu_tracks_add(g->tracks, data, size);
		vsamp_ring_end(ring);
		if (ret)
			return vsamp_fail(err, ret, "--gpu: out of memory");
	}
	return ret;
}

/* What goes wrong with the GPU doesn't end the recording: what it told by then is kept */
static void ring_take(struct gpu_recording *g)
{
	struct vsamp_error why = { 0 };

	if (g->broken || !ring_read(g, &why))
		return;
	say("GPU %s: its reports end here, the recording goes on: %s", g->gpu.slot, why.text);
	vsamp_gpu_stream_stop(g->stream, NULL);
	g->broken = true;
}

/* What the recorder has read last of the session's clock beside the machine's */
static int clock_take(struct gpu_recording *g, const struct vsamp_recorder *recorder,
		      struct vsamp_error *err)
{
	struct vsamp_clock_point *point;
	struct vsamp_record_clock c;

	if (!vsamp_recorder_clock(recorder, &c) ||
	    (g->points && g->point[g->points - 1].ticks == c.time))
		return 0;
	point = realloc(g->point, (g->points + 1) * sizeof(*point));
	if (!point)
		return vsamp_fail(err, -ENOMEM, "--gpu: out of memory");
	g->point = point;
	point[g->points++] = (struct vsamp_clock_point){ c.time, c.bracket, c.monotonic_raw,
							 false };
	return 0;
}

/* Those that only times before @raw need */
static void clocks_forget(struct gpu_recording *g, uint64_t raw)
{
	size_t n = 0;

	while (n + 2 < g->points && g->point[n + 2].raw <= raw)
		n++;
	g->points -= n;
	if (n)
		memmove(g->point, g->point + n, g->points * sizeof(*g->point));
}

/* A GPU that lacks what a metric counts has no such track */
static int track_write(const struct gpu_recording *g, unsigned int metric, const uint64_t *ticks,
		       double *value, size_t points, struct vsamp_writer *w,
		       struct vsamp_error *err)
{
	const struct vsamp_oa_metric *m = &g->set->metric[metric];
	char group[sizeof(g->gpu.slot) + 4], unit[VSAMP_GPU_UNIT_SIZE];
	struct vsamp_track_id id = { 0, group, m->name, unit };
	int ret = 0;

	snprintf(group, sizeof(group), "GPU %s", g->gpu.slot);
	vsamp_gpu_tracks_unit(m, unit);
	vsamp_gpu_tracks_metric(g->tracks, metric, value);
	for (size_t i = 0; i < points; i++)
		if (!isfinite(value[i]))
			value[i] = NAN;
	for (size_t i = 0; i < points && !ret; i += SLICE)
		ret = vsamp_writer_track(w, &id, ticks + i, value + i,
					 points - i < SLICE ? points - i : SLICE, err);
	return ret;
}

static int tracks_write(const struct gpu_recording *g, const uint64_t *ticks, double *value,
			size_t points, struct vsamp_writer *w, struct vsamp_error *err)
{
	const struct vsamp_oa_device *device = vsamp_gpu_stream_device(g->stream);
	struct vsamp_oa_value *has = calloc(g->set->metrics, sizeof(*has));
	int ret = 0;

	if (!has)
		return vsamp_fail(err, -ENOMEM, "--gpu: out of memory");
	vsamp_oa_evaluate(has, g->set, device, &(struct vsamp_oa_deltas){ 0 });
	for (unsigned int i = 0; i < g->set->metrics && !ret; i++)
		if (has[i].available)
			ret = track_write(g, i, ticks, value, points, w, err);
	free(has);
	return ret;
}

/* The points that have been settled, in the session's time */
static int points_write(struct gpu_recording *g, const struct vsamp_recorder *recorder,
			struct vsamp_writer *w, struct vsamp_error *err)
{
	struct vsamp_clock_fit *fit = NULL;
	const uint64_t *raw;
	size_t points = vsamp_gpu_tracks_points(g->tracks, &raw);
	uint64_t *ticks = calloc(points + 1, sizeof(*ticks));
	double *value = calloc(points + 1, sizeof(*value));
	int ret = clock_take(g, recorder, err);

	if (!ret && (!ticks || !value ||
		     vsamp_clock_fit_new(&fit, g->point, g->points, g->points ? g->khz : 0)))
		ret = vsamp_fail(err, -ENOMEM, "--gpu: out of memory");
	for (size_t i = 0; i < points && !ret; i++)
		ticks[i] = vsamp_clock_fit_ticks(fit, raw[i]);
	if (!ret && points) {
		ret = tracks_write(g, ticks, value, points, w, err);
		clocks_forget(g, raw[points - 1]);
	}
	vsamp_clock_fit_free(fit);
	free(ticks);
	free(value);
	vsamp_gpu_tracks_forget(g->tracks);
	return ret;
}

int gpu_recording_write(struct gpu_recording *g, const struct vsamp_recorder *recorder,
			struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret;

	if (!g->stream)
		return 0;
	ret = vsamp_gpu_tracks_settle(g->tracks, err);
	if (ret == -EINVAL) /* its clock hasn't been read yet */
		return 0;
	return ret ? ret : points_write(g, recorder, w, err);
}

int gpu_recording_step(struct gpu_recording *g, const struct vsamp_recorder *recorder,
		       struct vsamp_writer *w, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int ret;

	if (!g->stream || now < g->due)
		return 0;
	g->due = now + READ_NS;
	ring_take(g);
	ret = clock_take(g, recorder, err);
	if (ret || now < g->write_due)
		return ret;
	g->write_due = now + write_every(g);
	return gpu_recording_write(g, recorder, w, err);
}

void gpu_recording_stop(struct gpu_recording *g)
{
	struct vsamp_error why = { 0 };

	if (!g->stream)
		return;
	if (vsamp_gpu_stream_stop(g->stream, &why))
		say("GPU %s: its reports ended before the recording did: %s", g->gpu.slot,
		    why.text);
	ring_take(g);
}

static void totals_add(struct vsamp_gpu_totals *sum, const struct vsamp_gpu_totals *t)
{
	sum->reports += t->reports;
	sum->lost += t->lost;
	sum->no_room += t->no_room;
	if (t->clock_error != UINT64_MAX && t->clock_error > sum->clock_error)
		sum->clock_error = t->clock_error;
	if (t->clock_pieces > sum->clock_pieces)
		sum->clock_pieces = t->clock_pieces;
}

/* Of all runs, and that which goes on. What isn't known is left out: 0 */
static struct vsamp_gpu_totals totals_get(const struct gpu_recording *g)
{
	struct vsamp_gpu_totals sum = g->before, now;

	if (g->tracks) {
		vsamp_gpu_tracks_totals(g->tracks, &now);
		totals_add(&sum, &now);
	}
	return sum;
}

int gpu_recording_end(struct gpu_recording *g, const struct vsamp_recorder *recorder,
		      struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret;

	if (!g->stream)
		return 0;
	ret = vsamp_gpu_tracks_end(g->tracks, err);
	if (ret == -EINVAL) {
		say("GPU %s: %s", g->gpu.slot, err->text);
		ret = 0;
	} else if (!ret) {
		ret = points_write(g, recorder, w, err);
	}
	if (ret)
		return ret;
	g->before = totals_get(g);
	gpu_recording_close(g);
	return 0;
}

unsigned int gpu_recording_account(struct gpu_recording *g, struct vsamp_gpu_recorded *gpu)
{
	struct vsamp_gpu_totals all = totals_get(g), since = all;

	if (!g->set)
		return 0;
	since.reports -= g->told.reports;
	since.lost -= g->told.lost;
	since.no_room -= g->told.no_room;
	if (!since.clock_error)
		since.clock_error = UINT64_MAX;
	g->told = all;
	*gpu = (struct vsamp_gpu_recorded){
		.slot = g->gpu.slot,
		.platform = g->gpu.platform->title,
		.path = vsamp_gpu_path_name(g->gpu.path),
		.set = g->set->name,
		.id = g->gpu.id,
		.period_ns = g->actual_ns,
		.interval_ns = g->interval_ns,
		.totals = since,
	};
	return 1;
}

static void say_lost(const struct gpu_recording *g, uint64_t lost, uint64_t all, const char *how)
{
	if (lost)
		say("GPU %s: %" PRIu64 " of %" PRIu64 " reports are lost: %s", g->gpu.slot, lost,
		    all, how);
}

void gpu_recording_say(const struct gpu_recording *g, bool quiet)
{
	struct vsamp_gpu_totals t = totals_get(g);
	uint64_t lost = t.lost + t.no_room;
	char error[64] = "how far times may be off is not known";

	if (!g->set)
		return;
	if (t.clock_error)
		snprintf(error, sizeof(error), "times to within %.1f us", t.clock_error / 1e3);
	if (!quiet)
		say("GPU %s: %s by %s: %" PRIu64 " reports, one each %.3f ms, %" PRIu64 " lost; %s",
		    g->gpu.slot, g->set->name, vsamp_gpu_path_name(g->gpu.path), t.reports,
		    g->actual_ns / 1e6, lost, error);
	say_lost(g, t.lost, t.reports + lost, "the GPU could not write them");
	say_lost(g, t.no_room, t.reports + lost,
		 "they came faster than they were read; a longer --gpu-period avoids it");
	if (t.clock_pieces > 1)
		say("GPU %s: its clock was set anew in between: the machine slept, or the GPU was reset",
		    g->gpu.slot);
}

void gpu_recording_close(struct gpu_recording *g)
{
	vsamp_gpu_stream_close(g->stream);
	vsamp_gpu_tracks_free(g->tracks);
	free(g->point);
	g->stream = NULL;
	g->tracks = NULL;
	g->point = NULL;
	g->points = 0;
}
