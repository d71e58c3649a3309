// SPDX-License-Identifier: MIT
/*
 * From one file to the next, on a session that tells what a test says: which file has which records,
 * and whether the accounts of both add up
 */
#include <inttypes.h>
#include <sys/eventfd.h>

#include <vsamp/recorder.h>
#include <vsamp/recording.h>

#include "recorder_private.h"
#include "ring_private.h"
#include "session.h"

#include "mkfile.h"

#define CPUS 2

struct fake_ring {
	struct vsamp_ring ring;
	uint64_t head;	    /* bytes that can be read */
	uint64_t held;	    /* bytes that can be read later */
	unsigned int after; /* so many looks */
	_Alignas(8) char data[4096];
};

static struct fake_ring *rings[CPUS];
static struct vsamp_cpu_stats told[CPUS];
static struct vsamp_recorder *recorder;
static struct vsamp_writer *first, *second;
static struct vsamp_error err;
static char next_path[80];

static int fake_take(struct vsamp_ring *ring, const char **data, uint64_t *size,
		     struct vsamp_error *e)
{
	struct fake_ring *r = (struct fake_ring *)ring;

	if (r->held && !r->after--) {
		r->head += r->held;
		r->held = 0;
	}
	*data = r->data + ring->tail;
	*size = r->head - ring->tail;
	return 0;
}

static void fake_release(struct vsamp_ring *ring, uint64_t size)
{
}

static void fake_ring_close(struct vsamp_ring *ring)
{
	free(ring);
}

static int fake_stats(struct vsamp_session *s, struct vsamp_stats *stats, struct vsamp_error *e)
{
	stats->state = VSAMP_SESSION_RUNNING;
	stats->n = CPUS;
	stats->cpu = malloc(sizeof(told));
	assert_non_null(stats->cpu);
	memcpy(stats->cpu, told, sizeof(told));
	return 0;
}

static int fake_session_ring(struct vsamp_session *s, uint32_t cpu, struct vsamp_ring **ring,
			     struct vsamp_error *e)
{
	static const struct ring_ops ops = { fake_take, fake_release, fake_ring_close };

	rings[cpu] = calloc(1, sizeof(*rings[cpu]));
	assert_non_null(rings[cpu]);
	rings[cpu]->ring = (struct vsamp_ring){ .ops = &ops, .cpu = cpu, .data_size = 4096 };
	*ring = &rings[cpu]->ring;
	return 0;
}

static const struct session_ops session_ops = { .stats = fake_stats, .ring = fake_session_ring };
static struct vsamp_session session = { .ops = &session_ops };

static int setup(void **state)
{
	mk_setup(state);
	snprintf(next_path, sizeof(next_path), "%s-next", path);
	memset(told, 0, sizeof(told));
	told[1].cpu = 1;
	session.fd = eventfd(0, EFD_CLOEXEC);
	first = mk_open(path);
	second = mk_open(next_path);
	return vsamp_recorder_open(&recorder, &session, NULL, first, &err);
}

static int teardown(void **state)
{
	vsamp_recorder_close(recorder);
	close(session.fd);
	unlink(next_path);
	return mk_teardown(state);
}

/* Puts a record where it can be read; the statistics don't tell of it by themselves */
static void put(unsigned int cpu, const void *record)
{
	struct fake_ring *r = rings[cpu];
	uint16_t size = ((const struct vsamp_record_header *)record)->size;

	memcpy(r->data + r->head + r->held, record, size);
	r->head += size;
}

static void put_sample(unsigned int cpu, uint16_t event, uint64_t time)
{
	struct vsamp_record_sample s = mk_sample_record(event, true, time, 0x1000, 5, 5);

	put(cpu, &s);
}

static void put_lost(unsigned int cpu, uint64_t time, uint64_t count)
{
	struct vsamp_record_lost l = { { VSAMP_RECORD_LOST, sizeof(l), 0, 0 }, time, count };

	put(cpu, &l);
}

/* What was made on a CPU so far, by the kernel's count */
static void tell(unsigned int cpu, uint64_t written, uint64_t lost, uint64_t samples)
{
	told[cpu].written = written;
	told[cpu].lost = lost;
	told[cpu].produced = written + lost;
	told[cpu].event[0].samples = samples;
	told[cpu].event[0].count = samples * 1000;
}

/* Times of the samples of CPU 0 in a file */
static void expect_times(const char *file, const uint64_t *times, size_t n)
{
	struct vsamp_recording *rec;
	struct vsamp_item item;
	size_t i = 0;
	int ret;

	assert_int_equal(vsamp_recording_open(&rec, file, &err), 0);
	while ((ret = vsamp_recording_next(rec, &item, &err)) > 0) {
		if (!item.record || item.record->type != VSAMP_RECORD_SAMPLE || item.cpu)
			continue;
		assert_true(i < n);
		assert_int_equal(item.time, times[i++]);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(i, n);
	vsamp_recording_close(rec);
}

static void test_split(void **state)
{
	struct vsamp_recorder_totals a, b;

	for (uint64_t t = 1; t <= 5; t++)
		put_sample(0, t == 2, t);
	tell(0, 3, 0, 2);
	tell(1, 0, 0, 0);
	assert_int_equal(vsamp_recorder_prepare(recorder, second, NULL, 0, &err), 0);
	assert_int_equal(vsamp_recorder_switch(recorder, &a, &err), 0);
	assert_int_equal(a.produced, 3);
	assert_int_equal(a.read, 3);
	assert_int_equal(a.samples[0], 2);
	assert_int_equal(a.samples[1], 1);
	assert_int_equal(a.overflows[0], 2);
	assert_int_equal(a.count[0], 2000);

	put_sample(0, 0, 6);
	put_sample(1, 0, 7);
	tell(0, 6, 0, 5);
	tell(1, 1, 0, 1);
	assert_int_equal(vsamp_recorder_finish(recorder, &b, &err), 0);
	assert_int_equal(b.produced, 4);
	assert_int_equal(b.read, 4);
	assert_int_equal(b.n, 2);
	assert_int_equal(b.cpu[0].read, 3);
	assert_int_equal(b.cpu[1].read, 1);
	assert_int_equal(b.samples[0], 4);
	assert_int_equal(b.samples[1], 0);
	assert_int_equal(b.overflows[0], 4);
	assert_int_equal(b.count[0], 4000);
	mk_close(first);
	mk_close(second);
	expect_times(path, (const uint64_t[]){ 1, 2, 3 }, 3);
	expect_times(next_path, (const uint64_t[]){ 4, 5, 6 }, 3);
	vsamp_recorder_totals_free(&a);
	vsamp_recorder_totals_free(&b);
}

/* What was read before is split off, too, where nothing waits */
static void test_split_between(void **state)
{
	enum vsamp_recorder_why why;
	struct vsamp_recorder_totals a, b;

	put_sample(0, 0, 1);
	put_sample(0, 0, 2);
	assert_int_equal(vsamp_recorder_run(recorder, -1, recorder_now(), &why, &err), 0);
	tell(0, 2, 0, 2);
	assert_int_equal(vsamp_recorder_prepare(recorder, second, NULL, 0, &err), 0);
	assert_int_equal(vsamp_recorder_switch(recorder, &a, &err), 0);
	put_sample(0, 0, 3);
	tell(0, 3, 0, 3);
	assert_int_equal(vsamp_recorder_finish(recorder, &b, &err), 0);
	assert_int_equal(a.read, 2);
	assert_int_equal(b.read, 1);
	mk_close(first);
	mk_close(second);
	expect_times(path, (const uint64_t[]){ 1, 2 }, 2);
	expect_times(next_path, (const uint64_t[]){ 3 }, 1);
	vsamp_recorder_totals_free(&a);
	vsamp_recorder_totals_free(&b);
}

/* The loss is known, but its mark comes with the next record: it is the next file's */
static void test_split_at_loss(void **state)
{
	struct vsamp_recorder_totals a, b;

	put_sample(0, 0, 1);
	put_lost(0, 2, 3);
	put_sample(0, 0, 2);
	tell(0, 2, 7, 9);
	put_lost(0, 9, 5);
	put_sample(0, 0, 9);
	assert_int_equal(vsamp_recorder_prepare(recorder, second, NULL, 0, &err), 0);
	assert_int_equal(vsamp_recorder_switch(recorder, &a, &err), 0);
	tell(0, 3, 8, 11);
	assert_int_equal(vsamp_recorder_finish(recorder, &b, &err), 0);
	assert_int_equal(a.produced, 5);
	assert_int_equal(a.written, 2);
	assert_int_equal(a.lost, 3);
	assert_int_equal(b.produced, 6);
	assert_int_equal(b.written, 1);
	assert_int_equal(b.lost, 5);
	assert_int_equal(a.overflows[0] + b.overflows[0], 11);
	mk_close(first);
	mk_close(second);
	expect_times(path, (const uint64_t[]){ 1, 2 }, 2);
	expect_times(next_path, (const uint64_t[]){ 9 }, 1);
	vsamp_recorder_totals_free(&a);
	vsamp_recorder_totals_free(&b);
}

/* A record is counted a little before it can be read */
static void test_split_late(void **state)
{
	struct vsamp_recorder_totals a;

	put_sample(0, 0, 1);
	put_sample(0, 0, 2);
	rings[0]->head /= 2;
	rings[0]->held = rings[0]->head;
	rings[0]->after = 5;
	tell(0, 2, 0, 2);
	assert_int_equal(vsamp_recorder_prepare(recorder, second, NULL, 0, &err), 0);
	assert_int_equal(vsamp_recorder_switch(recorder, &a, &err), 0);
	assert_int_equal(a.read, 2);
	vsamp_recorder_totals_free(&a);
	mk_close(first);
	mk_close(second);
	expect_times(path, (const uint64_t[]){ 1, 2 }, 2);
}

/* A record that was counted never comes */
static void test_split_missing(void **state)
{
	struct vsamp_recorder_totals a;

	put_sample(1, 0, 1);
	tell(1, 2, 0, 2);
	assert_int_equal(vsamp_recorder_prepare(recorder, second, NULL, 0, &err), 0);
	assert_int_equal(vsamp_recorder_switch(recorder, &a, &err), -EBADMSG);
	assert_non_null(strstr(err.text, "CPU 1: 2 records written, but 1 read"));
	vsamp_recorder_totals_free(&a);
	mk_close(first);
	mk_close(second);
}

/* The last instant of any CPU */
static void test_clock(void **state)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, 20, 2, 300, 4, 5000
	};
	struct vsamp_record_clock got;
	enum vsamp_recorder_why why;

	assert_false(vsamp_recorder_clock(recorder, &got));
	put(0, &c);
	c.time = 10;
	put(1, &c);
	c.time = 15;
	put(1, &c);
	assert_int_equal(vsamp_recorder_run(recorder, -1, recorder_now(), &why, &err), 0);
	assert_true(vsamp_recorder_clock(recorder, &got));
	assert_int_equal(got.time, 20);
	assert_int_equal(got.monotonic_raw, 300);
	assert_int_equal(got.realtime, 5000);
	mk_close(first);
	mk_close(second);
}

/* A file with no CLOCK record of its own: 2 GHz from the instant that its META has */
static void test_clock_before(void **state)
{
	static const char meta[] =
		"{\"version\":1,\"clock\":{\"source\":\"tsc\",\"khz\":2000000,\"before\":{"
		"\"time\":1000000,\"bracket\":10,\"monotonic_raw\":7000,\"realtime\":9}},"
		"\"events\":[{\"index\":0,\"name\":\"x\",\"sav\":1000}]}";
	struct vsamp_recording *rec;

	mk_close(first);
	mk_close(second);
	first = mk_open_meta(path, meta);
	mk_sample(first, 0, 0, true, 1002000, 0x1000, 5);
	mk_close(first);
	assert_int_equal(vsamp_recording_open(&rec, path, &err), 0);
	assert_int_equal(vsamp_clock_fit_raw(vsamp_recording_clock(rec), 1002000), 8000);
	vsamp_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_split, setup, teardown),
		cmocka_unit_test_setup_teardown(test_split_between, setup, teardown),
		cmocka_unit_test_setup_teardown(test_split_at_loss, setup, teardown),
		cmocka_unit_test_setup_teardown(test_split_late, setup, teardown),
		cmocka_unit_test_setup_teardown(test_split_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clock, setup, teardown),
		cmocka_unit_test_setup_teardown(test_clock_before, setup, teardown),
	};

	return cmocka_run_group_tests_name("recorder_switch", tests, NULL, NULL);
}
