// SPDX-License-Identifier: MIT
/* gpu_tracks.c: metrics of a GPU by time: a row of values for each interval between two reports */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/clock.h>
#include <vsamp/gpu_tracks.h>
#include <vsamp/oa_clock.h>

#include "buf.h"
#include "vsamp.h"

/* Where a row begins, until the clocks are known */
struct mark {
	size_t pair; /* of clocks, the one before it */
	uint32_t timestamp;
};

struct vsamp_gpu_tracks {
	const struct vsamp_oa_set *set;
	enum vsamp_oa_format format;
	struct vsamp_oa_device device;
	unsigned int bits, version;
	uint64_t interval; /* ticks */

	uint8_t last[VSAMP_OA_REPORT_SIZE];
	struct vsamp_oa_head head; /* of that */
	bool any;		   /* there is a last one */
	struct mark first;	   /* of the interval */
	struct vsamp_oa_deltas deltas;
	struct vsamp_oa_value *value;

	struct buf marks, rows; /* struct mark, double of each metric */
	struct buf pairs;	/* struct vsamp_record_gpu_clock */
	struct buf points;	/* struct vsamp_clock_point */
	uint64_t *time;		/* of the rows that are settled */
	size_t settled;
	struct vsamp_gpu_totals totals;
};

int vsamp_gpu_tracks_new(struct vsamp_gpu_tracks **tracks, const struct vsamp_oa_platform *platform,
			 const struct vsamp_oa_set *set, const struct vsamp_oa_device *device,
			 unsigned int bits, uint64_t interval_ns, struct vsamp_error *err)
{
	struct vsamp_gpu_tracks *t = calloc(1, sizeof(*t));

	if (t)
		t->value = calloc(set->metrics, sizeof(*t->value));
	if (!t || !t->value) {
		vsamp_gpu_tracks_free(t);
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	t->set = set;
	t->format = vsamp_oa_platform_format(platform);
	t->version = platform->version;
	t->device = *device;
	t->bits = bits;
	t->interval = (unsigned __int128)interval_ns * device->timestamp_hz / 1000000000;
	t->totals.clock_error = UINT64_MAX;
	if (t->format == VSAMP_OA_FORMAT_NONE) {
		vsamp_gpu_tracks_free(t);
		return vsamp_fail(err, -EINVAL, "no layout of reports of %s is known",
				  platform->title);
	}
	*tracks = t;
	return 0;
}

/* Counts by the second; the others are so already */
static bool is_count(const struct vsamp_oa_metric *m)
{
	static const char *const as_is[] = { "percent", "Hz", "number" };

	for (size_t i = 0; i < sizeof(as_is) / sizeof(as_is[0]); i++)
		if (!strcmp(m->unit, as_is[i]))
			return false;
	return true;
}

static int row_add(struct vsamp_gpu_tracks *t, const struct mark *mark, bool hole)
{
	uint64_t ticks = t->deltas.value[VSAMP_OA_TIME];
	double per_second = ticks ? (double)t->device.timestamp_hz / ticks : 0;
	int ret = buf_add(&t->marks, mark, sizeof(*mark));

	if (!hole)
		vsamp_oa_evaluate(t->value, t->set, &t->device, &t->deltas);
	for (unsigned int i = 0; !ret && i < t->set->metrics; i++) {
		double v = hole ? NAN : t->value[i].value.real;

		if (is_count(&t->set->metric[i]))
			v *= per_second;
		ret = buf_add(&t->rows, &v, sizeof(v));
	}
	return ret;
}

static struct mark mark_of(const struct vsamp_gpu_tracks *t, uint32_t timestamp)
{
	size_t pairs = t->pairs.size / sizeof(struct vsamp_record_gpu_clock);

	return (struct mark){ pairs ? pairs - 1 : 0, timestamp };
}

/* At a hole, and at the end: what is up to the last report is a row, and then there is nothing */
static int interval_break(struct vsamp_gpu_tracks *t)
{
	struct mark here = mark_of(t, t->head.timestamp);
	int ret = 0;

	if (t->any && t->head.timestamp != t->first.timestamp)
		ret = row_add(t, &t->first, false);
	if (!ret && t->any)
		ret = row_add(t, &here, true);
	t->any = false;
	return ret;
}

static int add_report(struct vsamp_gpu_tracks *t, const void *report)
{
	struct mark here;
	int ret = 0;

	t->totals.reports++;
	if (t->any)
		vsamp_oa_accumulate(&t->deltas, t->format, t->last, report);
	memcpy(t->last, report, sizeof(t->last));
	vsamp_oa_head_read(&t->head, report, t->version);
	here = mark_of(t, t->head.timestamp);
	if (t->any && t->deltas.value[VSAMP_OA_TIME] < t->interval)
		return 0;
	if (t->any)
		ret = row_add(t, &t->first, false);
	memset(&t->deltas, 0, sizeof(t->deltas));
	t->first = here;
	t->any = true;
	return ret;
}

static int add_clock(struct vsamp_gpu_tracks *t, const struct vsamp_record_clock *c)
{
	struct vsamp_clock_point p = { c->time, c->bracket, c->monotonic_raw, false };

	return buf_add(&t->points, &p, sizeof(p));
}

static int add_record(struct vsamp_gpu_tracks *t, const struct vsamp_record_header *h)
{
	const struct vsamp_record_oa_lost *oa_lost = (const void *)h;
	const struct vsamp_record_lost *lost = (const void *)h;

	if (h->type == VSAMP_RECORD_OA && h->event == t->format &&
	    h->size >= sizeof(struct vsamp_record_oa) + VSAMP_OA_REPORT_SIZE)
		return add_report(t, ((const struct vsamp_record_oa *)h)->report);
	if (h->type == VSAMP_RECORD_CLOCK && h->size >= sizeof(struct vsamp_record_clock))
		return add_clock(t, (const void *)h);
	if (h->type == VSAMP_RECORD_GPU_CLOCK && h->size >= sizeof(struct vsamp_record_gpu_clock))
		return buf_add(&t->pairs, h, sizeof(struct vsamp_record_gpu_clock));
	if (h->type == VSAMP_RECORD_OA_LOST && h->size >= sizeof(*oa_lost))
		t->totals.lost += oa_lost->count;
	else if (h->type == VSAMP_RECORD_LOST && h->size >= sizeof(*lost))
		t->totals.no_room += lost->count;
	else
		return 0;
	return interval_break(t);
}

int vsamp_gpu_tracks_add(struct vsamp_gpu_tracks *t, const void *data, size_t size)
{
	const char *at = data, *end = at + size;
	int ret = 0;

	while (!ret && at < end) {
		const struct vsamp_record_header *h = (const void *)at;

		ret = add_record(t, h);
		at += h->size;
	}
	return ret;
}

/* Ticks of the session's clock a millisecond, as far as its ends tell; 0: they don't */
static uint64_t session_khz(const struct vsamp_clock_point *p, size_t n)
{
	if (n < 2 || p[n - 1].raw <= p[0].raw || p[n - 1].ticks <= p[0].ticks)
		return 0;
	return (unsigned __int128)(p[n - 1].ticks - p[0].ticks) * 1000000 /
	       (p[n - 1].raw - p[0].raw);
}

/* The readings of the GPU's clock, by ns of CLOCK_MONOTONIC_RAW */
static int clock_make(const struct vsamp_gpu_tracks *t, struct vsamp_oa_clock **clock,
		      struct vsamp_error *err)
{
	const struct vsamp_record_gpu_clock *g = (const void *)t->pairs.data;
	size_t n = t->pairs.size / sizeof(*g);
	struct vsamp_oa_pair *pair = calloc(n + 1, sizeof(*pair));
	const struct vsamp_clock_point *p = (const void *)t->points.data;
	size_t points = t->points.size / sizeof(*p);
	struct vsamp_clock_fit *fit = NULL;
	int ret = -ENOMEM;

	if (pair)
		ret = vsamp_clock_fit_new(&fit, p, points, session_khz(p, points));
	if (ret) {
		free(pair);
		return vsamp_fail(err, ret, "out of memory");
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t half = g[i].bracket / 2;
		uint64_t from = vsamp_clock_fit_raw(fit, g[i].time - half);

		pair[i].ticks = g[i].timestamp;
		pair[i].raw = vsamp_clock_fit_raw(fit, g[i].time);
		pair[i].bracket = vsamp_clock_fit_raw(fit, g[i].time + half) - from;
	}
	vsamp_clock_fit_free(fit);
	ret = vsamp_oa_clock_new(clock, pair, n, t->device.timestamp_hz, t->bits, err);
	free(pair);
	return ret;
}

/* The first rows get their times */
static int rows_settle(struct vsamp_gpu_tracks *t, size_t n, struct vsamp_error *err)
{
	const struct mark *mark = (const void *)t->marks.data;
	uint64_t *time = realloc(t->time, (n + 1) * sizeof(*time));
	struct vsamp_oa_clock *clock;
	int ret;

	if (!time)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	t->time = time;
	ret = clock_make(t, &clock, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++)
		time[i] = vsamp_oa_clock_time(clock, mark[i].pair, mark[i].timestamp).raw;
	t->settled = n;
	t->totals.clock_error = vsamp_oa_clock_error(clock);
	t->totals.clock_pieces = vsamp_oa_clock_pieces(clock);
	vsamp_oa_clock_free(clock);
	return 0;
}

int vsamp_gpu_tracks_settle(struct vsamp_gpu_tracks *t, struct vsamp_error *err)
{
	const struct mark *mark = (const void *)t->marks.data;
	size_t pairs = t->pairs.size / sizeof(struct vsamp_record_gpu_clock);
	size_t n = t->marks.size / sizeof(*mark);

	while (n && mark[n - 1].pair + 1 >= pairs)
		n--;
	return rows_settle(t, n, err);
}

/* Those that are left move up */
static void buf_drop(struct buf *b, size_t size)
{
	b->size -= size;
	if (b->size)
		memmove(b->data, b->data + size, b->size);
}

void vsamp_gpu_tracks_forget(struct vsamp_gpu_tracks *t)
{
	buf_drop(&t->marks, t->settled * sizeof(struct mark));
	buf_drop(&t->rows, t->settled * t->set->metrics * sizeof(double));
	t->settled = 0;
}

int vsamp_gpu_tracks_end(struct vsamp_gpu_tracks *t, struct vsamp_error *err)
{
	if (interval_break(t))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	return rows_settle(t, t->marks.size / sizeof(struct mark), err);
}

size_t vsamp_gpu_tracks_points(const struct vsamp_gpu_tracks *t, const uint64_t **time)
{
	*time = t->time;
	return t->settled;
}

void vsamp_gpu_tracks_metric(const struct vsamp_gpu_tracks *t, unsigned int metric, double *value)
{
	const double *row = (const void *)t->rows.data;

	for (size_t i = 0; i < t->settled; i++)
		value[i] = row[i * t->set->metrics + metric];
}

void vsamp_gpu_tracks_unit(const struct vsamp_oa_metric *metric, char unit[VSAMP_GPU_UNIT_SIZE])
{
	bool number = !strcmp(metric->unit, "number");

	snprintf(unit, VSAMP_GPU_UNIT_SIZE, "%s%s", number ? "" : metric->unit,
		 is_count(metric) ? "/s" : "");
}

void vsamp_gpu_tracks_totals(const struct vsamp_gpu_tracks *t, struct vsamp_gpu_totals *totals)
{
	*totals = t->totals;
}

void vsamp_gpu_tracks_free(struct vsamp_gpu_tracks *t)
{
	if (!t)
		return;
	buf_free(&t->marks);
	buf_free(&t->rows);
	buf_free(&t->pairs);
	buf_free(&t->points);
	free(t->value);
	free(t->time);
	free(t);
}
