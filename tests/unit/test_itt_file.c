// SPDX-License-Identifier: MIT
/* ITT and TRACK chunks: records, what is written, what is refused */
#include "mkfile.h"

#include <math.h>

#include <vsamp/recording.h>

#include "mkitt.h"
#include "track.h"

#define ID(a, b, c)             \
	{                       \
		{               \
			a, b, c \
		}               \
	}

/* The first chunk of a type, loaded */
static void *load(const char *path, uint16_t type, struct vsamp_chunk *chunk)
{
	const struct vsamp_chunk *chunks;
	struct vsamp_reader *r;
	void *data = NULL;
	size_t n;

	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	n = vsamp_reader_chunks(r, &chunks);
	for (size_t i = 0; i < n && !data; i++) {
		if (chunks[i].type != type)
			continue;
		*chunk = chunks[i];
		assert_int_equal(vsamp_reader_load(r, &chunks[i], &data, NULL), 0);
	}
	assert_non_null(data);
	vsamp_reader_close(r);
	return data;
}

/* The bytes of docs/file-format.md, by hand */
static void test_bytes(void **state)
{
	static const uint8_t end[] = { 9, 0, 0, 0, 0, 0, 0, 0, 33, 0, 16, 0, 5, 0, 0, 0 };
	static const uint8_t begin[] = {
		9, 0, 0, 0, 0, 0, 0, 0, 32, 0x1d, 96, 0, 5, 0, 0, 0, /* header: name, clock, ids */
		7, 0, 0, 0, 0, 0, 0, 0,				     /* name */
		3, 0, 0, 0, 0, 0, 0, 0, 8,  0,	  0,  0, 0, 0, 0, 0, /* clock, time */
		1, 0, 0, 0, 0, 0, 0, 0, 0,  0,	  0,  0, 0, 0, 0, 0, 2, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0,  0,	  0,  0, 0, 4, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0,  0,	  0,  0, 0, 0, 0, 0, 0, 0,
	};
	struct vsamp_itt_call c = { .time = 9, .type = VSAMP_ITT_TASK_END, .handle = 5 }, got;
	uint64_t space[VSAMP_ITT_RECORD_MAX / 8];

	assert_int_equal(vsamp_itt_encode(space, &c), sizeof(end));
	assert_memory_equal(space, end, sizeof(end));
	c.type = VSAMP_ITT_TASK_BEGIN;
	c.name = 7;
	c.clock = 3;
	c.stamp = 8;
	c.id = (struct vsamp_itt_id)ID(1, 0, 2);
	c.parent = (struct vsamp_itt_id)ID(0, 4, 0);
	assert_int_equal(vsamp_itt_encode(space, &c), 88);
	assert_memory_equal(space, begin, 10);
	assert_int_equal(((uint8_t *)space)[10], 88);
	assert_memory_equal((uint8_t *)space + 12, begin + 12, 76);
	/* as a later version would have it: with bytes behind */
	memcpy(space, begin, sizeof(begin));
	assert_int_equal(vsamp_itt_decode(space, sizeof(begin), &got), 96);
	assert_int_equal(got.time, 9);
	assert_int_equal(got.handle, 5);
	assert_int_equal(got.name, 7);
	assert_int_equal(got.clock, 3);
	assert_int_equal(got.stamp, 8);
	assert_memory_equal(&got.id, &c.id, sizeof(c.id));
	assert_memory_equal(&got.parent, &c.parent, sizeof(c.parent));
	assert_int_equal(got.body_size, 8);
}

struct bad {
	const char *what;
	uint8_t type, flags;
	uint16_t size;
	uint32_t word[4]; /* of the body */
};

static void test_records_that_make_no_sense(void **state)
{
	static const struct bad bad[] = {
		{ "no header", VSAMP_ITT_TASK_END, 0, 8, { 0 } },
		{ "odd size", VSAMP_ITT_TASK_END, 0, 20, { 0 } },
		{ "over the end", VSAMP_ITT_TASK_END, 0, 40, { 0 } },
		{ "unknown part", VSAMP_ITT_TASK_END, 0x80, 16, { 0 } },
		{ "no room for a name", VSAMP_ITT_TASK_BEGIN, VSAMP_ITT_HAS_NAME, 16, { 0 } },
		{ "no room for an id", VSAMP_ITT_TASK_BEGIN, VSAMP_ITT_HAS_ID, 32, { 0 } },
		{ "no body", VSAMP_ITT_LOST, 0, 16, { 0 } },
		{ "text too long", VSAMP_ITT_STRING, 0, 32, { 9 } },
		{ "zero in a text", VSAMP_ITT_STRING, 0, 32, { 3, 0, 0x610061 } },
		{ "too many values", VSAMP_ITT_METADATA, 0, 32, { VSAMP_ITT_U64, 2 } },
		{ "too many points", VSAMP_ITT_HISTOGRAM_SUBMIT, 0, 32, { 1, 1 } },
	};
	struct vsamp_itt_call call;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct {
			struct vsamp_itt_header h;
			uint32_t body[4];
		} rec = { { 1, bad[i].type, bad[i].flags, bad[i].size, 1 }, { 0 } };
		struct vsamp_writer *w = mk_open(path);
		struct vsamp_itt_thread thread = { 1, 1, 1 };
		struct vsamp_error err;

		memcpy(rec.body, bad[i].word, sizeof(rec.body));
		if (vsamp_itt_decode(&rec, sizeof(rec), &call) != -EBADMSG)
			fail_msg("%s: taken", bad[i].what);
		assert_int_equal(vsamp_writer_itt(w, &thread, &rec, sizeof(rec), &err), -EINVAL);
		assert_non_null(strstr(err.text, "thread 1: not whole ITT records"));
		mk_close(w);
	}
}

/* Threads have chunks of their own, in the order of their records, and each its times */
static void test_chunks(void **state)
{
	struct vsamp_itt_thread thread[2] = { { 10, 11, 5 }, { 10, 12, 5 } };
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_chunk *chunks;
	struct vsamp_reader *r;
	size_t n, count[2] = { 0 };
	uint64_t next[2] = { 0 };

	/* of each thread more than fits a chunk */
	for (uint64_t i = 0; i < 10000; i++)
		for (int t = 0; t < 2; t++) {
			struct vsamp_itt_header h = { i, VSAMP_ITT_TASK_END, 0, 16, t };

			assert_int_equal(vsamp_writer_itt(w, &thread[t], &h, sizeof(h), NULL), 0);
		}
	mk_close(w);
	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	n = vsamp_reader_chunks(r, &chunks);
	for (size_t i = 1; i < n; i++) {
		const struct vsamp_itt_header *h;
		struct vsamp_itt_thread *who;
		void *data;
		int t;

		assert_int_equal(chunks[i].type, VSAMP_CHUNK_ITT);
		assert_int_equal(vsamp_reader_load(r, &chunks[i], &data, NULL), 0);
		who = data;
		t = who->tid - 11;
		assert_memory_equal(who, &thread[t], sizeof(*who));
		assert_int_equal(chunks[i].raw_size, sizeof(*who) + 16 * chunks[i].count);
		assert_int_equal(chunks[i].time_min, next[t]);
		h = (void *)(who + 1);
		for (uint32_t k = 0; k < chunks[i].count; k++)
			assert_int_equal(h[k].time, next[t]++);
		assert_int_equal(chunks[i].time_max, next[t] - 1);
		count[t]++;
		free(data);
	}
	assert_int_equal(next[0], 10000);
	assert_int_equal(next[1], 10000);
	assert_true(count[0] == 3 && count[1] == 3);
	vsamp_reader_close(r);
}

/* A reader that doesn't know them finds all else; this one, told that they are of a later version */
static void test_others_still_read(void **state)
{
	struct vsamp_itt_header h = { 1, VSAMP_ITT_TASK_END, 0, 16, 1 };
	struct vsamp_itt_thread thread = { 1, 1, 1 };
	struct vsamp_track_id id = { 0, "g", "n", "" };
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_recording *rec;
	double value = 1;
	uint64_t time = 1;

	mk_sample(w, 0, 0, true, 5, 0x10, 1);
	assert_int_equal(vsamp_writer_itt(w, &thread, &h, sizeof(h), NULL), 0);
	assert_int_equal(vsamp_writer_track(w, &id, &time, &value, 1, NULL), 0);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_recording_totals(rec)->records, 1);
	vsamp_recording_close(rec);
}

static void test_track(void **state)
{
	static const uint8_t bytes[] = {
		0, 0,	0,   0,	  6,   0,   3,	  0,	1,   0, 0, 0,  3, 0, 0,
		0, 'G', 'P', 'U', ' ', '0', 0,	  'E',	'U', 0, 0, 20, 3, 4, /* zigzag of 10, -2, 2 */
		0, 0,	0,   0,	  0,   0,   0xf0, 0x3f,			     /* 1.0 */
		0, 0,	0,   0,	  0,   0,   0xf8, 0x7f,			     /* NaN */
		0, 0,	0,   0,	  0,   0,   0xe0, 0xbf,			     /* -0.5 */
	};
	static const uint64_t time[] = { 10, 8, 10 };
	static const double value[] = { 1, NAN, -0.5 };
	struct vsamp_track_id id = { 0, "GPU 0", "EU", "" };
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_chunk chunk;
	struct track track;
	void *data;

	assert_int_equal(vsamp_writer_track(w, &id, time, value, 3, NULL), 0);
	mk_close(w);
	data = load(path, VSAMP_CHUNK_TRACK, &chunk);
	assert_int_equal(chunk.count, 3);
	assert_int_equal(chunk.time_min, 8);
	assert_int_equal(chunk.time_max, 10);
	assert_int_equal(chunk.raw_size, sizeof(bytes));
	assert_memory_equal(data, bytes, sizeof(bytes));
	assert_int_equal(track_unpack(&track, data, chunk.raw_size, 3), 0);
	assert_string_equal(track.id.group, "GPU 0");
	assert_string_equal(track.id.name, "EU");
	assert_string_equal(track.id.unit, "");
	assert_memory_equal(track.time, time, sizeof(time));
	assert_memory_equal(track.value, value, sizeof(value));
	free(track.time);
	/* cut, with a byte more, or with another number of points */
	for (size_t size = 0; size < sizeof(bytes); size++)
		assert_int_equal(track_unpack(&track, data, size, 3), -EBADMSG);
	assert_int_equal(track_unpack(&track, data, sizeof(bytes) + 1, 3), -EBADMSG);
	assert_int_equal(track_unpack(&track, data, sizeof(bytes), 2), -EBADMSG);
	/* and with an infinite value */
	((uint8_t *)data)[sizeof(bytes) - 10] = 0xf0;
	assert_int_equal(track_unpack(&track, data, sizeof(bytes), 3), -EBADMSG);
	free(data);
}

static void test_track_refused(void **state)
{
	struct vsamp_track_id id = { 0, "GPU 0", "EU", "" };
	struct vsamp_writer *w = mk_open(path);
	char text[TRACK_TEXT_MAX + 2];
	uint64_t time = 1, size = vsamp_writer_size(w);
	double value = INFINITY;
	struct vsamp_error err;

	assert_int_equal(vsamp_writer_track(w, &id, &time, &value, 1, &err), -EINVAL);
	assert_non_null(strstr(err.text, "counter \"EU\""));
	value = 1;
	memset(text, 'a', sizeof(text));
	text[TRACK_TEXT_MAX + 1] = 0;
	id.unit = text;
	assert_int_equal(vsamp_writer_track(w, &id, &time, &value, 1, &err), -EINVAL);
	assert_int_equal(vsamp_writer_size(w), size);
	text[TRACK_TEXT_MAX] = 0;
	assert_int_equal(vsamp_writer_track(w, &id, &time, &value, 1, &err), 0);
	mk_close(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test_setup_teardown(test_records_that_make_no_sense, mk_setup,
						mk_teardown),
		cmocka_unit_test_setup_teardown(test_chunks, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_others_still_read, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_track, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_track_refused, mk_setup, mk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
