// SPDX-License-Identifier: MIT
/*
 * From a GPU's stream to tracks, and options for that: the stream, the recorder's clock and the file
 * are made up. The GPU has 12 MHz, its stream's times are ns, and the session has a clock of 3 GHz.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "gpu_recording.h"
#include "ring_private.h"

#define S	    1000000000ULL
#define MS	    1000000ULL
#define RAW_FIRST   (33 * S)
#define TICKS_MS    12000u
#define SESSION_KHZ 3000000ULL
#define POINTS_MAX  4096

static struct {
	struct vsamp_ring ring;
	char data[1 << 20];
	size_t size;
	int fails; /* when the ring is read next */
	bool runs, stopped;
	unsigned int ms; /* of the last report */
	uint32_t clock, a0;
	struct vsamp_record_clock session; /* its size is 0: none was read */
	uint64_t time[POINTS_MAX];
	double busy[POINTS_MAX];
	size_t points, appended; /* of GpuBusy; times */
} m;

static int ring_take(struct vsamp_ring *r, const char **data, uint64_t *size,
		     struct vsamp_error *err)
{
	*data = m.data;
	*size = m.size;
	return m.fails ? vsamp_fail(err, m.fails, "the GPU has gone") : 0;
}

static void ring_release(struct vsamp_ring *r, uint64_t size)
{
	m.size -= size;
}

static const struct ring_ops ops = { .take = ring_take, .release = ring_release };

static const struct vsamp_oa_device device = { .timestamp_hz = 12000000, .eus = 24 };

int vsamp_gpu_stream_open(struct vsamp_gpu_stream **stream, const struct vsamp_gpu *gpu,
			  struct vsamp_error *err)
{
	*stream = (void *)&m;
	return 0;
}

const struct vsamp_oa_device *vsamp_gpu_stream_device(const struct vsamp_gpu_stream *stream)
{
	return &device;
}

unsigned int vsamp_gpu_stream_bits(const struct vsamp_gpu_stream *stream)
{
	return 36;
}

int vsamp_gpu_stream_start(struct vsamp_gpu_stream *stream, const struct vsamp_oa_set *set,
			   uint64_t period_ns, struct vsamp_error *err)
{
	m.runs = true;
	return 0;
}

uint64_t vsamp_gpu_stream_period(const struct vsamp_gpu_stream *stream)
{
	return MS;
}

struct vsamp_ring *vsamp_gpu_stream_ring(const struct vsamp_gpu_stream *stream)
{
	return &m.ring;
}

int vsamp_gpu_stream_stop(struct vsamp_gpu_stream *stream, struct vsamp_error *err)
{
	m.stopped |= m.runs;
	m.runs = false;
	return 0;
}

void vsamp_gpu_stream_close(struct vsamp_gpu_stream *stream)
{
	m.runs = false;
}

bool vsamp_recorder_clock(const struct vsamp_recorder *recorder, struct vsamp_record_clock *clock)
{
	*clock = m.session;
	return m.session.h.size;
}

int vsamp_writer_track(struct vsamp_writer *w, const struct vsamp_track_id *id,
		       const uint64_t *time, const double *value, size_t points,
		       struct vsamp_error *err)
{
	assert_string_equal(id->group, "GPU 0000:00:02.0");
	assert_int_equal(id->pid, 0);
	if (strcmp(id->name, "GpuBusy"))
		return 0;
	assert_string_equal(id->unit, "percent");
	assert_true(m.points + points <= POINTS_MAX);
	memcpy(m.time + m.points, time, points * sizeof(*time));
	memcpy(m.busy + m.points, value, points * sizeof(*value));
	m.points += points;
	m.appended++;
	return 0;
}

/* What is said from now on goes to the file that is returned */
static FILE *listen(int *was)
{
	FILE *f = tmpfile();

	assert_non_null(f);
	fflush(stderr);
	*was = dup(STDERR_FILENO);
	dup2(fileno(f), STDERR_FILENO);
	return f;
}

/* What was said, in one text */
static void hear(FILE *f, int was, char *text, size_t size)
{
	fflush(stderr);
	dup2(was, STDERR_FILENO);
	close(was);
	rewind(f);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

static void put(const void *record, size_t size)
{
	assert_true(m.size + size <= sizeof(m.data));
	memcpy(m.data + m.size, record, size);
	m.size += size;
}

/* What the session's clock shows @ms after the start */
static uint64_t session_at(uint64_t ms)
{
	return 7000 + ms * SESSION_KHZ;
}

/* Both of the GPU's stream and the session's, @ms after the start: the readings took 1 us */
static void put_clocks(uint64_t ms)
{
	uint64_t raw = RAW_FIRST + ms * MS;
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, raw, 1000, raw, raw, raw
	};
	struct vsamp_record_gpu_clock g = {
		{ VSAMP_RECORD_GPU_CLOCK, sizeof(g), 0, 0 }, raw, 1000, (3ULL << 32) + ms * TICKS_MS
	};

	put(&c, sizeof(c));
	put(&g, sizeof(g));
	m.session = c;
	m.session.time = session_at(ms);
}

/* A report each ms from the last one on to that at @to, before which the GPU was half busy */
static void put_reports(unsigned int to)
{
	struct {
		struct vsamp_record_oa oa;
		uint32_t report[64];
	} r = { .oa.h = { VSAMP_RECORD_OA, sizeof(r), VSAMP_GPU_FORMAT_A32U40_A4U32_B8_C8, 0 } };

	while (m.ms < to) {
		m.ms++;
		r.report[0] = 1 << 19;
		r.report[1] = m.ms * TICKS_MS;
		r.report[3] = m.clock += 1000000;
		r.report[4] = m.a0 += 500000;
		put(&r, sizeof(r));
	}
}

static void begin(struct gpu_recording *g)
{
	memset(&m, 0, sizeof(m));
	m.ring.ops = &ops;
	m.ring.data_size = sizeof(m.data);
	*g = (struct gpu_recording){
		.gpu = { .slot = "0000:00:02.0",
			 .id = 0x5912,
			 .path = VSAMP_GPU_MODULE,
			 .platform = vsamp_oa_platform_name("kblgt2") },
		.period_ns = MS,
		.interval_ns = 10 * MS,
		.khz = SESSION_KHZ,
	};
	g->set = vsamp_oa_set_find(g->gpu.platform, "RenderBasic");
	assert_int_equal(gpu_recording_start(g, NULL), 0);
	assert_true(m.runs);
}

/* As the recording's loop does when it is time */
static void step(struct gpu_recording *g, bool write)
{
	g->due = 0;
	if (write)
		g->write_due = 0;
	assert_int_equal(gpu_recording_step(g, NULL, NULL, NULL), 0);
}

static void finish(struct gpu_recording *g)
{
	struct vsamp_error err = { 0 };

	gpu_recording_stop(g);
	assert_true(m.stopped);
	assert_int_equal(gpu_recording_end(g, NULL, NULL, &err), 0);
	assert_null(g->stream);
}

/* A point each 10 ms from that at 1 ms on, in the session's time: to within 0.2 us */
static void assert_points(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		uint64_t expected = session_at(1 + 10 * i);

		if (m.time[i] + 600 < expected || m.time[i] > expected + 600)
			fail_msg("point %zu: %llu, not %llu", i, (unsigned long long)m.time[i],
				 (unsigned long long)expected);
		assert_float_equal(m.busy[i], 50, 1e-9);
	}
}

static void test_recording(void **state)
{
	struct vsamp_gpu_recorded told;
	struct gpu_recording g;

	begin(&g);
	put_clocks(0);
	put_reports(500);
	step(&g, false);
	put_reports(1000);
	put_clocks(1000);
	put_reports(2001);
	put_clocks(2002);
	finish(&g);
	assert_int_equal(m.points, 201); /* and the end */
	assert_points(0, 200);
	assert_true(isnan(m.busy[200]));
	assert_int_equal(gpu_recording_account(&g, &told), 1);
	assert_string_equal(told.slot, "0000:00:02.0");
	assert_string_equal(told.path, "module");
	assert_string_equal(told.set, "RenderBasic");
	assert_int_equal(told.id, 0x5912);
	assert_int_equal(told.period_ns, MS);
	assert_int_equal(told.interval_ns, 10 * MS);
	assert_int_equal(told.totals.reports, 2001);
	assert_int_equal(told.totals.lost + told.totals.no_room, 0);
	assert_int_equal(told.totals.clock_pieces, 1);
	assert_in_range(told.totals.clock_error, 500, 700); /* half of 1 us, and a tick */
}

/* Losses are those of the file in which they are, and of all of them at the end */
static void test_files(void **state)
{
	struct vsamp_record_oa_lost oa_lost = { { VSAMP_RECORD_OA_LOST, sizeof(oa_lost), 0, 0 },
						.count = 5 };
	struct vsamp_record_lost lost = { { VSAMP_RECORD_LOST, sizeof(lost), 0, 0 }, .count = 3 };
	struct vsamp_gpu_recorded told;
	struct gpu_recording g;
	char text[512];
	FILE *f;
	int was;

	begin(&g);
	put_clocks(0);
	put_reports(100);
	put(&oa_lost, sizeof(oa_lost));
	put_reports(1000);
	put_clocks(1000);
	step(&g, true);
	assert_true(m.points > 90);
	gpu_recording_account(&g, &told);
	assert_int_equal(told.totals.reports, 1000);
	assert_int_equal(told.totals.lost, 5);
	assert_int_equal(told.totals.no_room, 0);
	put_reports(1200);
	put(&lost, sizeof(lost));
	put_reports(1300);
	put_clocks(2000);
	finish(&g);
	gpu_recording_account(&g, &told);
	assert_int_equal(told.totals.reports, 300);
	assert_int_equal(told.totals.lost, 0);
	assert_int_equal(told.totals.no_room, 3);
	f = listen(&was);
	gpu_recording_say(&g, true);
	hear(f, was, text, sizeof(text));
	assert_string_equal(
		text,
		"vsamp: GPU 0000:00:02.0: 5 of 1308 reports are lost: the GPU could not write them\n"
		"vsamp: GPU 0000:00:02.0: 3 of 1308 reports are lost: they came faster than they were read; a longer --gpu-period avoids it\n");
}

/* The stream fails after a second: what was read is kept, and nothing fails but that */
static void test_failure(void **state)
{
	struct vsamp_gpu_recorded told;
	struct gpu_recording g;
	char text[512];
	FILE *f;
	int was;

	begin(&g);
	put_clocks(0);
	put_reports(1001);
	put_clocks(1002);
	step(&g, false);
	m.fails = -EIO;
	f = listen(&was);
	step(&g, false);
	assert_false(m.runs);
	step(&g, true);
	finish(&g);
	hear(f, was, text, sizeof(text)); /* but once */
	assert_string_equal(
		text,
		"vsamp: GPU 0000:00:02.0: its reports end here, the recording goes on: the GPU has gone\n");
	assert_int_equal(m.points, 101);
	assert_points(0, 100);
	gpu_recording_account(&g, &told);
	assert_int_equal(told.totals.reports, 1001);
}

/* Half an hour: neither points nor readings of clocks gather in memory */
static void test_bounded(void **state)
{
	struct gpu_recording g;

	begin(&g);
	g.interval_ns = S;
	gpu_recording_close(&g);
	assert_int_equal(gpu_recording_start(&g, NULL), 0);
	put_clocks(0);
	for (unsigned int s = 1; s <= 1800; s++) {
		put_reports(1000 * s);
		put_clocks(1000 * s);
		step(&g, !(s % 10));
		assert_true(g.points < 20);
	}
	assert_true(m.appended == 180);
	finish(&g);
	assert_int_equal(m.points, 1801);
}

/* No GPU is recorded: nothing is done, whatever is called */
static void test_none(void **state)
{
	struct gpu_recording g = { 0 };
	struct vsamp_gpu_recorded told;

	memset(&m, 0, sizeof(m));
	assert_int_equal(gpu_recording_start(&g, NULL), 0);
	assert_int_equal(gpu_recording_next(&g, 0), 0);
	assert_int_equal(gpu_recording_next(&g, 77), 77);
	step(&g, true);
	gpu_recording_stop(&g);
	assert_int_equal(gpu_recording_end(&g, NULL, NULL, NULL), 0);
	assert_int_equal(gpu_recording_account(&g, &told), 0);
	assert_false(m.runs);
	assert_int_equal(m.appended, 0);
}

static void test_options(void **state)
{
	static const struct {
		const char *value, *slot, *set;
	} row[] = {
		{ "", NULL, "" },
		{ "ComputeBasic", NULL, "ComputeBasic" },
		{ "0000:00:02.0", "0000:00:02.0", "" },
		{ "0000:00:02.0:TestOa", "0000:00:02.0:TestOa", "TestOa" },
	};
	struct options o = { 0 };

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		assert_int_equal(options_take_gpu(&o, row[i].value, NULL), 0);
		assert_true(o.gpu);
		assert_string_equal(o.gpu_set, row[i].set);
		if (row[i].slot)
			assert_string_equal(o.gpu_slot, row[i].slot);
		else
			assert_null(o.gpu_slot);
	}
	assert_int_equal(options_take_gpu(&o, "0000:00:02.0:", NULL), -EINVAL);
	assert_int_equal(options_take_gpu_period(&o, "0.5", NULL), 0);
	assert_float_equal(o.gpu_period_ms, 0.5, 0);
	assert_int_equal(options_take_gpu_period(&o, "0.001", NULL), -EINVAL);
	assert_int_equal(options_take_gpu_interval(&o, "nan", NULL), -EINVAL);
	assert_int_equal(options_take_gpu_interval(&o, "10s", NULL), -EINVAL);
	assert_int_equal(options_check_gpu(&o, NULL), 0);
	o.gpu = false;
	assert_int_equal(options_check_gpu(&o, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recording), cmocka_unit_test(test_files),
		cmocka_unit_test(test_failure),	  cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_none),	  cmocka_unit_test(test_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
