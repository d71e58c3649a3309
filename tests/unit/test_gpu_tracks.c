// SPDX-License-Identifier: MIT
/* Metrics by time, of a made-up stream: its GPU has 12 MHz, its session a clock of 2 GHz */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/gpu_tracks.h>

#include "vsamp.h"

#define S	   1000000000ULL
#define MS	   1000000ULL
#define RAW_FIRST  (33 * S)
#define TICKS_MS   12000u
#define CLOCKS_MS  1000000u			 /* of the GPU's core */
#define GPU_FIRST  (0xffffffffu - 50 * TICKS_MS) /* the 32 bits wrap after 50 ms */
#define POINTS_MAX 400

static struct {
	struct vsamp_gpu_tracks *tracks;
	const struct vsamp_oa_set *set;
	uint32_t a0, a1, clock;
} t;

static void begin(uint64_t interval_ns)
{
	const struct vsamp_oa_platform *p = vsamp_oa_platform_name("kblgt2");
	struct vsamp_oa_device device = { .timestamp_hz = 12000000, .eus = 24 };

	memset(&t, 0, sizeof(t));
	t.set = vsamp_oa_set_find(p, "RenderBasic");
	assert_int_equal(vsamp_gpu_tracks_new(&t.tracks, p, t.set, &device, 36, interval_ns, NULL),
			 0);
}

static void add(const void *record, size_t size)
{
	assert_int_equal(vsamp_gpu_tracks_add(t.tracks, record, size), 0);
}

/* All clocks, @ms after the start: the readings took 1 us */
static void add_clocks(unsigned int ms)
{
	uint64_t time = 1000 + 2 * ms * MS;
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 2000, RAW_FIRST + ms * MS, 0, 0
	};
	struct vsamp_record_gpu_clock g = { { VSAMP_RECORD_GPU_CLOCK, sizeof(g), 0, 0 },
					    time,
					    2000,
					    (3ULL << 32) + GPU_FIRST + (uint64_t)ms * TICKS_MS };

	add(&c, sizeof(c));
	add(&g, sizeof(g));
}

/* A report @ms after the start; until then the GPU was busy for @busy percent, with @threads */
static void add_report(unsigned int ms, unsigned int busy, unsigned int threads)
{
	struct {
		struct vsamp_record_oa oa;
		uint32_t report[64];
	} r = { .oa.h = { VSAMP_RECORD_OA, sizeof(r), VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8, 0 } };

	t.clock += CLOCKS_MS;
	t.a0 += CLOCKS_MS / 100 * busy;
	t.a1 += threads;
	r.report[0] = 1 << 19;
	r.report[1] = GPU_FIRST + ms * TICKS_MS;
	r.report[3] = t.clock;
	r.report[4] = t.a0;
	r.report[5] = t.a1;
	add(&r, sizeof(r));
}

static void values_get(const char *name, double *value)
{
	for (unsigned int i = 0; i < t.set->metrics; i++)
		if (!strcmp(t.set->metric[i].name, name)) {
			vsamp_gpu_tracks_metric(t.tracks, i, value);
			return;
		}
	fail_msg("there is no metric %s", name);
}

static void assert_time(uint64_t time, unsigned int ms)
{
	uint64_t expected = RAW_FIRST + ms * MS;

	if (time + 200 < expected || time > expected + 200) /* two ticks and a bit */
		fail_msg("%llu, not %llu", (unsigned long long)time, (unsigned long long)expected);
}

/* 200 ms in intervals of 10 ms: half busy, from 100 ms on fully; 3 threads each ms, then 5 */
static void test_intervals(void **state)
{
	double busy[POINTS_MAX], threads[POINTS_MAX], hz[POINTS_MAX];
	struct vsamp_gpu_totals totals;
	const uint64_t *time;
	size_t n;

	begin(10 * MS);
	add_clocks(0);
	for (unsigned int ms = 1; ms <= 201; ms++) {
		if (ms == 60)
			add_clocks(ms);
		add_report(ms, ms <= 101 ? 50 : 100, ms <= 101 ? 3 : 5);
	}
	add_clocks(210);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, NULL), 0);
	n = vsamp_gpu_tracks_points(t.tracks, &time);
	assert_int_equal(n, 21); /* and the end */
	values_get("GpuBusy", busy);
	values_get("VsThreads", threads);
	values_get("AvgGpuCoreFrequency", hz);
	for (size_t i = 0; i < 20; i++) {
		assert_time(time[i], 1 + 10 * i);
		assert_true(busy[i] == (i < 10 ? 50 : 100));
		assert_true(threads[i] > (i < 10 ? 2999 : 4999));
		assert_true(threads[i] < (i < 10 ? 3001 : 5001));
		assert_true(hz[i] == 1e9);
	}
	assert_time(time[20], 201);
	assert_true(isnan(busy[20]) && isnan(threads[20]));
	vsamp_gpu_tracks_totals(t.tracks, &totals);
	assert_int_equal(totals.reports, 201);
	assert_int_equal(totals.lost, 0);
	assert_int_equal(totals.clock_pieces, 1);
	assert_true(totals.clock_error >= 500 && totals.clock_error < 1000);
	vsamp_gpu_tracks_free(t.tracks);
}

/* Reports 31 to 50 are lost by the GPU, and then some by the ring: no interval goes across a hole */
static void test_holes(void **state)
{
	static const unsigned int at[] = { 1, 11, 21, 30, 51, 55, 60, 65 };
	static const double expected[] = { 50, 50, 50, NAN, 50, NAN, 50, NAN };
	struct vsamp_record_oa_lost oa = { .h = { VSAMP_RECORD_OA_LOST, sizeof(oa), 0, 1 },
					   .count = 20 };
	struct vsamp_record_lost lost = { { VSAMP_RECORD_LOST, sizeof(lost), 0, 0 }, 0, 4 };
	struct vsamp_gpu_totals totals;
	double busy[POINTS_MAX];
	const uint64_t *time;

	begin(10 * MS);
	add_clocks(0);
	for (unsigned int ms = 1; ms <= 65; ms++) {
		if (ms == 51)
			add(&oa, sizeof(oa));
		if (ms == 60)
			add(&lost, sizeof(lost));
		if (ms <= 30 || (ms >= 51 && ms <= 55) || ms >= 60)
			add_report(ms, 50, 1);
	}
	add_clocks(70);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, NULL), 0);
	assert_int_equal(vsamp_gpu_tracks_points(t.tracks, &time), 8);
	values_get("GpuBusy", busy);
	for (size_t i = 0; i < 8; i++) {
		assert_time(time[i], at[i]);
		assert_true(isnan(expected[i]) ? isnan(busy[i]) : busy[i] == expected[i]);
	}
	vsamp_gpu_tracks_totals(t.tracks, &totals);
	assert_int_equal(totals.lost, 20);
	assert_int_equal(totals.no_room, 4);
	vsamp_gpu_tracks_free(t.tracks);
}

/* Taken piece by piece they are the same points, each once: those behind the last clock wait for another */
static void test_pieces(void **state)
{
	static const struct {
		unsigned int ms, points;
	} takes[] = { { 55, 5 }, { 65, 1 }, { 130, 6 }, { 140, 0 } };
	unsigned int take = 0, n = 0;
	double busy[POINTS_MAX];
	const uint64_t *time;
	size_t points;

	begin(10 * MS);
	add_clocks(0);
	for (unsigned int ms = 1; ms <= 141; ms++) {
		if (ms == 52 || ms == 60 || ms == 120)
			add_clocks(ms);
		add_report(ms, ms <= 101 ? 50 : 100, 1);
		if (take >= 4 || ms != takes[take].ms)
			continue;
		assert_int_equal(vsamp_gpu_tracks_settle(t.tracks, NULL), 0);
		points = vsamp_gpu_tracks_points(t.tracks, &time);
		assert_int_equal(points, takes[take++].points);
		for (size_t i = 0; i < points; i++, n++)
			assert_time(time[i], 1 + 10 * n);
		vsamp_gpu_tracks_forget(t.tracks);
		assert_int_equal(vsamp_gpu_tracks_points(t.tracks, &time), 0);
	}
	add_clocks(150);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, NULL), 0);
	points = vsamp_gpu_tracks_points(t.tracks, &time);
	assert_int_equal(n + points, 15);
	values_get("GpuBusy", busy);
	for (size_t i = 0; i < points; i++, n++) {
		assert_time(time[i], 1 + 10 * n);
		assert_true(i + 1 < points ? busy[i] == 100 : isnan(busy[i]));
	}
	vsamp_gpu_tracks_free(t.tracks);
}

/* Ten minutes, in which the timestamps wrap, again: each is near to the clocks before it */
static void test_wraps(void **state)
{
	const uint64_t *time;
	size_t n;

	begin(MS);
	for (unsigned int s = 0; s <= 600; s += 60) {
		add_clocks(s * 1000);
		add_report(s * 1000 + 7, 0, 0);
	}
	add_clocks(601000);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, NULL), 0);
	n = vsamp_gpu_tracks_points(t.tracks, &time);
	assert_int_equal(n, 11);
	for (size_t i = 0; i < n; i++)
		assert_time(time[i], i * 60000 + 7);
	vsamp_gpu_tracks_free(t.tracks);
}

/* No report, one, no clock; records of other kinds and layouts are no concern */
static void test_little(void **state)
{
	struct vsamp_record_oa foreign = {
		{ VSAMP_RECORD_OA, sizeof(foreign), VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8, 0 }, 0
	};
	struct vsamp_record_state stop = { .h = { VSAMP_RECORD_STATE, sizeof(stop), 1, 0 } };
	struct vsamp_error err;
	const uint64_t *time;

	begin(MS);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, &err), -EINVAL);
	assert_non_null(strstr(err.text, "no times"));
	vsamp_gpu_tracks_free(t.tracks);
	begin(MS);
	add_clocks(0);
	add(&foreign, sizeof(foreign));
	add(&stop, sizeof(stop));
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, &err), 0);
	assert_int_equal(vsamp_gpu_tracks_points(t.tracks, &time), 0);
	vsamp_gpu_tracks_free(t.tracks);
	begin(MS);
	add_clocks(0);
	add_report(5, 50, 1);
	assert_int_equal(vsamp_gpu_tracks_end(t.tracks, &err), 0);
	assert_int_equal(vsamp_gpu_tracks_points(t.tracks, &time), 1);
	assert_time(time[0], 5);
	vsamp_gpu_tracks_free(t.tracks);
	vsamp_gpu_tracks_free(NULL);
	assert_int_equal(vsamp_gpu_tracks_new(&t.tracks, vsamp_oa_platform_name("lnl"), t.set,
					      &(struct vsamp_oa_device){ 0 }, 36, MS, &err),
			 -EINVAL);
	assert_non_null(strstr(err.text, "Lunar Lake"));
}

/* What is counted is by the second, what is a part or a rate is so already */
static void test_units(void **state)
{
	static const struct {
		const char *name, *unit;
	} expected[] = {
		{ "GpuBusy", "percent" },     { "AvgGpuCoreFrequency", "Hz" },
		{ "CsThreads", "threads/s" }, { "GtiReadThroughput", "bytes/s" },
		{ "EuAvgIpcRate", "" },
	};
	const struct vsamp_oa_set *set = vsamp_oa_set_find(vsamp_oa_platform_name("kblgt2"),
							   "ComputeBasic");
	char unit[VSAMP_GPU_UNIT_SIZE];
	size_t found = 0;

	for (unsigned int i = 0; i < set->metrics; i++)
		for (size_t k = 0; k < 5; k++) {
			if (strcmp(set->metric[i].name, expected[k].name))
				continue;
			vsamp_gpu_tracks_unit(&set->metric[i], unit);
			assert_string_equal(unit, expected[k].unit);
			found++;
		}
	assert_int_equal(found, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals), cmocka_unit_test(test_holes),
		cmocka_unit_test(test_units),	  cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_wraps),	  cmocka_unit_test(test_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
