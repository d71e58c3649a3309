// SPDX-License-Identifier: MIT
/* .vsamp files: what goes in comes out; cut, flipped and hostile ones are told from good ones */
#include "mkfile.h"

#include <signal.h>
#include <sys/resource.h>

#include <vsamp/recording.h>

#include "chunk.h"
#include "crc32c.h"
#include "pack.h"

/* Two CPUs, both events, a loss, three chunks of records */
static void make_small(void)
{
	struct vsamp_writer *w = mk_open(path);

	mk_kallsyms(w, "ffffffff81000000 T _stext\nffffffff81000100 t foo\n", 1);
	mk_comm(w, 0, 7, 7, "seven", false, 0);
	mk_clock(w, 0, 2000, 2, 1000);
	mk_sample(w, 0, 0, true, 2100, 0x401000, 7);
	mk_sample(w, 0, 1, false, 2200, 0xffffffff81000104, 7);
	mk_sample(w, 1, 0, true, 2150, 0x401010, 8);
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	mk_lost(w, 0, 2300, 5);
	mk_sample(w, 0, 0, true, 2301, 0x401004, 7);
	mk_json(w, VSAMP_CHUNK_END,
		"{\"reason\":\"exit\",\"elapsed_ns\":500,\"cpus\":["
		"{\"cpu\":0,\"produced\":9,\"written\":4,\"lost\":5,\"read\":4},"
		"{\"cpu\":1,\"produced\":1,\"written\":1,\"lost\":0,\"read\":1}],"
		"\"events\":[{\"index\":0,\"count\":8000,\"samples\":8,\"target\":null}]}");
	mk_close(w);
}

#define SMALL_ITEMS 7

/* Its items by time: ticks are 2 a ns, and the name has time 0 */
static void check_small(struct vsamp_recording *rec, size_t items)
{
	static const struct {
		uint16_t type;
		uint32_t cpu;
		uint64_t time, ip;
	} expect[SMALL_ITEMS] = {
		{ 0, 0, 0, 0 }, /* the name */
		{ VSAMP_RECORD_CLOCK, 0, 2000, 0 },
		{ VSAMP_RECORD_SAMPLE, 0, 2100, 0x401000 },
		{ VSAMP_RECORD_SAMPLE, 1, 2150, 0x401010 },
		{ VSAMP_RECORD_SAMPLE, 0, 2200, 0xffffffff81000104 },
		{ VSAMP_RECORD_LOST, 0, 2300, 0 },
		{ VSAMP_RECORD_SAMPLE, 0, 2301, 0x401004 },
	};
	struct vsamp_item item;
	size_t i;

	for (i = 0; vsamp_recording_next(rec, &item, NULL) > 0; i++) {
		const struct vsamp_record_sample *s = (const void *)item.record;

		assert_true(i < SMALL_ITEMS);
		assert_int_equal(item.cpu, expect[i].cpu);
		assert_int_equal(item.time, expect[i].time);
		assert_int_equal(!item.sideband, expect[i].type != 0);
		if (!item.record)
			continue;
		assert_int_equal(s->h.type, expect[i].type);
		if (s->h.type != VSAMP_RECORD_SAMPLE)
			continue;
		assert_int_equal(s->ip, expect[i].ip);
		assert_int_equal(s->pid, item.cpu ? 8 : 7);
		assert_int_equal(s->tid, s->pid);
		assert_int_equal(s->h.event, s->time == 2200);
		assert_int_equal(s->h.flags, s->time == 2200 ? 0 : VSAMP_SAMPLE_USER);
	}
	assert_int_equal(i, items);
}

static void test_round_trip(void **state)
{
	const struct vsamp_recording_totals *t;
	const struct vsamp_recording_event *event;
	const char *const *warning;
	struct vsamp_recording *rec;
	const char *why;

	make_small();
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_reader_state(vsamp_recording_reader(rec), &why),
			 VSAMP_FILE_COMPLETE);
	assert_string_equal(why, "");
	check_small(rec, SMALL_ITEMS);
	vsamp_recording_rewind(rec);
	check_small(rec, SMALL_ITEMS);

	t = vsamp_recording_totals(rec);
	assert_int_equal(t->produced, 10);
	assert_int_equal(t->written, 5);
	assert_int_equal(t->lost, 5);
	assert_int_equal(t->records, 5);
	assert_true(t->balanced);
	assert_true(t->whole);
	assert_int_equal(vsamp_recording_elapsed(rec), 500);
	assert_int_equal(vsamp_recording_events(rec, &event), 2);
	assert_string_equal(event[0].name, "INST_RETIRED");
	assert_int_equal(event[0].sav, 1000);
	assert_int_equal(event[0].samples, 3);
	assert_int_equal(event[0].overflows, 8);
	assert_int_equal(event[0].target, 10);
	assert_int_equal(event[0].counted, VSAMP_UNKNOWN);
	assert_int_equal(event[1].samples, 1);
	assert_int_equal(event[1].counted, 770000);
	assert_int_equal(event[1].overflows, VSAMP_UNKNOWN);
	/* the loss, and nothing else */
	assert_int_equal(vsamp_recording_warnings(rec, &warning), 1);
	assert_non_null(strstr(warning[0], "5 of 10 records (50.00 %) were lost"));
	vsamp_recording_close(rec);
}

/* What is kept of a chunk comes back once, and the same; then the file is read again */
static void test_kept(void **state)
{
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;
	void *data[2], *again;

	make_small();
	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	assert_true(vsamp_reader_chunks(r, &chunk) > 2);
	for (int i = 0; i < 2; i++)
		assert_int_equal(vsamp_reader_load(r, &chunk[i], &data[i], NULL), 0);
	reader_keep(r, &chunk[0], data[0]);
	reader_keep(r, &chunk[1], data[1]);
	assert_int_equal(vsamp_reader_load(r, &chunk[1], &again, NULL), 0);
	assert_ptr_equal(again, data[1]);
	assert_int_equal(vsamp_reader_load(r, &chunk[1], &data[1], NULL), 0);
	assert_ptr_not_equal(again, data[1]);
	assert_memory_equal(again, data[1], chunk[1].raw_size + 1);
	free(again);
	free(data[1]);
	/* the other one is freed with the reader */
	vsamp_reader_close(r);
}

static void test_same_input_same_bytes(void **state)
{
	size_t size, again_size;
	uint8_t *bytes, *again;

	make_small();
	bytes = mk_bytes(path, &size);
	make_small();
	again = mk_bytes(path, &again_size);
	assert_int_equal(size, again_size);
	assert_memory_equal(bytes, again, size);
	free(bytes);
	free(again);
}

/* How many of the small file's items are in the chunks that end at or before @size */
static size_t items_before(const uint8_t *bytes, size_t size)
{
	size_t at = sizeof(struct file_header), items = 0;

	while (at + sizeof(struct chunk_header) <= size) {
		struct chunk_header h;

		memcpy(&h, bytes + at, sizeof(h));
		at += sizeof(h) + h.size;
		if (at <= size && (h.type == VSAMP_CHUNK_RECORDS || h.type == VSAMP_CHUNK_SIDEBAND))
			items += h.count;
	}
	return items;
}

/* Chunks are in the file in the order CPU 0, CPU 1, CPU 0: of a cut file check numbers only */
static size_t count_items(struct vsamp_recording *rec)
{
	struct vsamp_item item;
	size_t n = 0;
	int ret;

	while ((ret = vsamp_recording_next(rec, &item, NULL)) > 0)
		n++;
	assert_int_equal(ret, 0);
	return n;
}

static void test_cut_at_every_byte(void **state)
{
	size_t size, meta_end;
	struct chunk_header h;
	uint8_t *bytes;

	make_small();
	bytes = mk_bytes(path, &size);
	memcpy(&h, bytes + sizeof(struct file_header), sizeof(h));
	meta_end = sizeof(struct file_header) + sizeof(h) + h.size;
	for (size_t cut = 0; cut < size; cut++) {
		struct vsamp_recording *rec;
		struct vsamp_error err;
		const char *const *warning;
		int ret;

		mk_write(path, bytes, cut);
		ret = vsamp_recording_open(&rec, path, &err);
		if (cut < meta_end) {
			assert_true(ret == -EINVAL || ret == -EBADMSG);
			assert_non_null(strstr(err.text, path));
			continue;
		}
		assert_int_equal(ret, 0);
		assert_int_equal(vsamp_reader_state(vsamp_recording_reader(rec), NULL),
				 VSAMP_FILE_INCOMPLETE);
		assert_true(vsamp_recording_warnings(rec, &warning) >= 1);
		assert_ptr_equal(warning[0], strstr(warning[0], "the recording is incomplete: the "
								"file is cut off "));
		assert_int_equal(count_items(rec), items_before(bytes, cut));
		vsamp_recording_close(rec);
	}
	free(bytes);
}

static void test_flip_every_byte(void **state)
{
	static const uint8_t flips[] = { 0x01, 0x80, 0xff };
	uint8_t *bytes;
	size_t size;

	make_small();
	bytes = mk_bytes(path, &size);
	for (size_t i = 0; i < size * 3; i++) {
		struct vsamp_recording *rec;

		bytes[i / 3] ^= flips[i % 3];
		mk_write(path, bytes, size);
		bytes[i / 3] ^= flips[i % 3];
		if (vsamp_recording_open(&rec, path, NULL))
			continue;
		assert_int_not_equal(vsamp_reader_state(vsamp_recording_reader(rec), NULL),
				     VSAMP_FILE_COMPLETE);
		/* what is read is a part of what was written */
		assert_true(count_items(rec) < SMALL_ITEMS || vsamp_recording_end(rec) == NULL);
		vsamp_recording_close(rec);
	}
	free(bytes);
}

static void test_bytes_behind_the_end(void **state)
{
	struct vsamp_reader *r;
	uint8_t *bytes;
	size_t size;

	make_small();
	bytes = mk_bytes(path, &size);
	bytes[size] = 0;
	mk_write(path, bytes, size + 1);
	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	assert_int_equal(vsamp_reader_state(r, NULL), VSAMP_FILE_DAMAGED);
	vsamp_reader_close(r);
	free(bytes);
}

/* A file of the META chunk and one whose header says @h, with a right CRC, behind it */
static void make_hostile(struct chunk_header h, const void *payload)
{
	struct vsamp_writer *w = mk_open(path);
	uint8_t *bytes;
	size_t size;
	FILE *f;

	mk_close(w);
	h.crc = crc32c(crc32c(0, &h.type, sizeof(h) - 4), payload, h.size);
	bytes = mk_bytes(path, &size);
	f = fopen(path, "w");
	fwrite(bytes, 1, size, f);
	fwrite(&h, 1, sizeof(h), f);
	fwrite(payload, 1, h.size, f);
	fclose(f);
	free(bytes);
}

static enum vsamp_file_state hostile_state(struct chunk_header h, const void *payload)
{
	enum vsamp_file_state state;
	struct vsamp_reader *r;

	make_hostile(h, payload);
	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	state = vsamp_reader_state(r, NULL);
	vsamp_reader_close(r);
	return state;
}

static void test_hostile_sizes(void **state)
{
	static const uint8_t payload[64];
	struct chunk_header good = { .type = VSAMP_CHUNK_SIDEBAND, .raw_size = 64, .size = 64 };
	struct chunk_header h;

	assert_int_equal(hostile_state(good, payload), VSAMP_FILE_INCOMPLETE);
	h = good;
	h.flags = CHUNK_ZSTD;
	h.raw_size = (1U << 20) + 1; /* more than a chunk of this type may have */
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h.raw_size = UINT32_MAX;
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h = good;
	h.raw_size = 65; /* stored as it is, yet longer */
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h.raw_size = 63; /* compressed, yet longer */
	h.flags = CHUNK_ZSTD;
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h = good;
	h.flags = 2;
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h = good;
	h.cpu = VSAMP_CPUS_MAX;
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h = good;
	h.type = VSAMP_CHUNK_META; /* a second one */
	h.cpu = VSAMP_CPU_NONE;
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_DAMAGED);
	h = good;
	h.type = 99; /* of a later version: skipped */
	assert_int_equal(hostile_state(h, payload), VSAMP_FILE_INCOMPLETE);
}

/* Size and CRC are right, but the payload isn't what it is said to be */
static void hostile_payload(struct chunk_header h, const void *payload)
{
	struct vsamp_recording *rec;
	struct vsamp_item item;

	make_hostile(h, payload);
	if (vsamp_recording_open(&rec, path, NULL))
		return;
	assert_int_equal(vsamp_recording_next(rec, &item, NULL), -EBADMSG);
	assert_int_equal(vsamp_recording_next(rec, &item, NULL), -EBADMSG);
	vsamp_recording_close(rec);
}

static void test_hostile_payloads(void **state)
{
	uint8_t payload[64] = { 0 };
	struct chunk_header h = { .type = VSAMP_CHUNK_SIDEBAND, .raw_size = 64, .size = 64 };
	struct perf_event_header rec = { .size = 72 };

	/* sideband records: of no size, and beyond the end */
	hostile_payload(h, payload);
	memcpy(payload, &rec, sizeof(rec));
	hostile_payload(h, payload);

	/* columns: more than there is; less, with bytes left */
	h.type = VSAMP_CHUNK_RECORDS;
	memset(payload, 0xff, 4);
	hostile_payload(h, payload);
	memset(payload, 0, sizeof(payload));
	hostile_payload(h, payload);

	/* no zstd frame, and one that is larger than it is said to be */
	h.flags = CHUNK_ZSTD;
	h.raw_size = 65;
	hostile_payload(h, payload);
}

static void test_not_a_file(void **state)
{
	struct vsamp_reader *r;
	struct vsamp_error err;

	mk_write(path, "PERFILE2 and something more, which is 32 bytes", 46);
	assert_int_equal(vsamp_reader_open(&r, path, &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a .vsamp file"));
	assert_int_equal(vsamp_reader_open(&r, "/dev/null", &err), -EINVAL);
	assert_non_null(strstr(err.text, "not a regular file"));
	assert_int_equal(vsamp_reader_open(&r, "/nonexistent/x", &err), -ENOENT);
}

static void test_writer_refuses(void **state)
{
	struct vsamp_record_sample s = mk_sample_record(0, true, 1, 2, 3, 3);
	struct vsamp_writer *w;
	uint64_t size;

	assert_int_equal(vsamp_writer_open(&w, "-", NULL), -EINVAL);
	w = mk_open(path);
	size = vsamp_writer_size(w);
	assert_int_equal(vsamp_writer_records(w, 0, &s, sizeof(s) - 8, NULL), -EINVAL);
	s.h.size = 16; /* too short for a sample */
	assert_int_equal(vsamp_writer_records(w, 0, &s, 16, NULL), -EINVAL);
	s.h.size = 0;
	assert_int_equal(vsamp_writer_records(w, 0, &s, sizeof(s), NULL), -EINVAL);
	s.h.size = sizeof(s);
	assert_int_equal(vsamp_writer_records(w, VSAMP_CPUS_MAX, &s, sizeof(s), NULL), -EINVAL);
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	assert_int_equal(vsamp_writer_size(w), size);
	mk_close(w);
}

/* A device that is full: the error says so, stays, and the file is whole up to there */
static void test_disk_full(void **state)
{
	struct vsamp_writer *w;
	struct vsamp_error err;

	assert_int_equal(vsamp_writer_open(&w, "/dev/full", &err), -ENOSPC);
	assert_non_null(strstr(err.text, "/dev/full: cannot write: No space left on device"));
}

/* The room ends within a chunk: the part of it is taken back, and nothing is written behind it */
static void test_no_more_room(void **state)
{
	struct rlimit old, small;
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_chunk *chunk;
	struct vsamp_recording *rec;
	struct vsamp_error err;
	const char *why;
	int ret;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	mk_clock(w, 0, 2000, 2, 1000);
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	small = (struct rlimit){ vsamp_writer_size(w) + 50, old.rlim_max };
	setrlimit(RLIMIT_FSIZE, &small);
	mk_sample(w, 0, 0, true, 2100, 0x401000, 7);
	assert_int_equal(vsamp_writer_flush(w, &err), -EFBIG);
	assert_non_null(strstr(err.text, "cannot write: File too large"));
	setrlimit(RLIMIT_FSIZE, &old);
	mk_sample(w, 0, 0, true, 2200, 0x401000, 7);
	ret = vsamp_writer_close(w, &err);
	assert_int_equal(ret, -EFBIG);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_reader_state(vsamp_recording_reader(rec), &why),
			 VSAMP_FILE_INCOMPLETE);
	assert_non_null(strstr(why, "cut off before its totals"));
	assert_int_equal(vsamp_reader_chunks(vsamp_recording_reader(rec), &chunk), 2);
	vsamp_recording_close(rec);
}

/* Extremes of every column, records of unknown types, and longer ones than are known */
static void test_columns_extremes(void **state)
{
	static const uint64_t values[] = { 0,	       1,	   UINT64_MAX, UINT64_MAX - 1,
					   1ULL << 63, UINT32_MAX, 0x7fffffff, 0xffffffff81000000 };
	struct vsamp_writer *w = mk_open(path);
	struct {
		struct vsamp_record_header h;
		uint64_t words[5];
	} odd = { { 77, sizeof(odd), 9, 5 }, { 1, 2, 3, 4, 5 } };
	struct vsamp_recording *rec;
	struct vsamp_item item;
	size_t n = 0;

	for (size_t i = 0; i < 64; i++) {
		struct vsamp_record_sample s = mk_sample_record(
			i % 2, i % 3, values[i % 8], values[i / 8], values[i % 8], values[i / 8]);

		mk_record(w, 0, &s);
		odd.h.type = i % 2 ? 77 : VSAMP_RECORD_SAMPLE;
		odd.h.event = 0;
		odd.words[0] = values[i % 8];
		mk_record(w, 0, &odd);
	}
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	while (vsamp_recording_next(rec, &item, NULL) > 0) {
		size_t i = n / 2;
		struct vsamp_record_sample s = mk_sample_record(
			i % 2, i % 3, values[i % 8], values[i / 8], values[i % 8], values[i / 8]);

		if (n++ % 2 == 0) {
			assert_memory_equal(item.record, &s, sizeof(s));
			continue;
		}
		assert_int_equal(item.record->type, i % 2 ? 77 : VSAMP_RECORD_SAMPLE);
		assert_int_equal(item.record->size, sizeof(odd));
		assert_int_equal(((const uint64_t *)item.record)[5], 5);
	}
	assert_int_equal(n, 128);
	vsamp_recording_close(rec);
}

/* More tasks and kinds than a chunk's tables hold, and more records than a chunk */
static void test_chunks_split(void **state)
{
	const uint32_t count = 3 * PACK_RECORDS_MAX;
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_chunk *chunk;
	struct vsamp_recording *rec;
	struct vsamp_item item;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct vsamp_record_sample s = mk_sample_record(i % 2, true, i, i * 7, i, i + 1);

		s.h.flags |= (i % 100) << 4;
		mk_record(w, 3, &s);
	}
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_true(vsamp_reader_chunks(vsamp_recording_reader(rec), &chunk) >
		    count / PACK_ROWS_MAX);
	while (vsamp_recording_next(rec, &item, NULL) > 0) {
		struct vsamp_record_sample s = mk_sample_record(n % 2, true, n, n * 7, n, n + 1);

		s.h.flags |= (n % 100) << 4;
		assert_memory_equal(item.record, &s, sizeof(s));
		n++;
	}
	assert_int_equal(n, count);
	vsamp_recording_close(rec);
}

/* However small the records become, a chunk has no more than a reader may expect */
static void test_chunks_bounded(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;

	for (uint32_t i = 0; i < PACK_RECORDS_MAX + 10; i++)
		mk_sample(w, 0, 0, true, i, 1, 1);
	mk_close(w);
	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	assert_int_equal(vsamp_reader_chunks(r, &chunk), 3);
	assert_int_equal(chunk[1].count, PACK_RECORDS_MAX);
	assert_int_equal(chunk[2].count, 10);
	assert_int_equal(chunk[2].time_min, PACK_RECORDS_MAX);
	assert_int_equal(chunk[2].time_max, PACK_RECORDS_MAX + 9);
	vsamp_reader_close(r);
}

/* xorshift: the same stream everywhere */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/*
 * A busy machine: a sample a millisecond and CPU with 10 % jitter, at 2 GHz; 200 tasks, a third of
 * the samples in the kernel, addresses spread over 64 KiB of hot code in each of 20 modules.
 */
static void test_bytes_a_sample(void **state)
{
	const uint32_t seconds = 60, cpus = 4;
	struct vsamp_writer *w = mk_open(path);
	uint64_t x = 88172645463325252ULL, size = vsamp_writer_size(w);
	uint32_t samples = 0;

	for (uint32_t ms = 0; ms < seconds * 1000; ms++) {
		for (uint32_t cpu = 0; cpu < cpus; cpu++) {
			uint64_t r = next_random(&x);
			bool user = r % 3;
			uint64_t time = 2000000ULL * ms + r % 200000;
			uint64_t ip = (user ? 0x7f0000000000 : 0xffffffff81000000) +
				      (r >> 20) % 20 * 0x200000 + (r >> 30) % 65536;

			mk_sample(w, cpu, (r >> 50) % 2, user, time, ip,
				  1000 + (ms / 5 + cpu) % 200);
			samples++;
		}
		if (ms % 1000 == 999)
			assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	}
	size = vsamp_writer_size(w) - size;
	mk_close(w);
	print_message("# %.2f bytes a sample\n", (double)size / samples);
	assert_true(size <= 8 * samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_same_input_same_bytes),
		cmocka_unit_test(test_cut_at_every_byte),
		cmocka_unit_test(test_flip_every_byte),
		cmocka_unit_test(test_bytes_behind_the_end),
		cmocka_unit_test(test_hostile_sizes),
		cmocka_unit_test(test_hostile_payloads),
		cmocka_unit_test(test_not_a_file),
		cmocka_unit_test(test_writer_refuses),
		cmocka_unit_test(test_disk_full),
		cmocka_unit_test(test_no_more_room),
		cmocka_unit_test(test_columns_extremes),
		cmocka_unit_test(test_chunks_split),
		cmocka_unit_test(test_chunks_bounded),
		cmocka_unit_test(test_bytes_a_sample),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
