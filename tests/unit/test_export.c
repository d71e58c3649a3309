// SPDX-License-Identifier: MIT
/* Exports byte by byte, where no reader tells: of recordings made by hand */
#include "mkfile.h"

#include <linux/perf_event.h>

#include <vsamp/export.h>

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T a\n"
			     "ffffffff81002000 T b\n";

#define A     0xffffffff81001004
#define B     0xffffffff81002004
#define GUEST (VSAMP_SAMPLE_GUEST | VSAMP_SAMPLE_USER)

/* What the recording is in a format, ended by a zero */
static char *exported(const char *format, size_t *size)
{
	static const struct vsamp_export_options all;
	struct vsamp_recording *rec;
	FILE *out = tmpfile();
	char *text;

	assert_non_null(out);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_export(rec, format, &all, out, NULL), 0);
	vsamp_recording_close(rec);
	fseek(out, 0, SEEK_END);
	*size = ftell(out);
	rewind(out);
	text = calloc(1, *size + 1);
	assert_int_equal(fread(text, 1, *size, out), *size);
	fclose(out);
	return text;
}

/* A sample in a, which b called, which a called, which b called: 1000 events, of each call once */
static void test_callgrind_counts_calls_once(void **state)
{
	static const uint64_t ips[] = { B, A, B };
	struct vsamp_writer *w = mk_open(path);
	size_t size;
	char *text;

	mk_kallsyms(w, kernel, 0);
	mk_stack(w, 0, mk_sample_record(0, false, 100, A, 7, 7), 3, 0, 0, ips);
	mk_close(w);
	text = exported("callgrind", &size);
	assert_non_null(strstr(text, "\nsummary: 1000 0 1 0\n"));
	assert_non_null(strstr(text, "fn=(1) a\n0 1000 0 1 0\n"
				     "cob=(2) [kernel]\ncfn=(2) b\ncalls=1 0\n0 1000 0 1 0\n"));
	assert_non_null(strstr(text, "fn=(2) b\n0 0 0 0 0\n"
				     "cob=(2) [kernel]\ncfn=(1) a\ncalls=1 0\n0 1000 0 1 0\n"));
	free(text);
}

/* The samples of a perf.data file: misc and what is behind the header; returns how many */
static size_t perf_samples(const char *data, const uint64_t **sample, uint16_t *misc, size_t max)
{
	uint64_t at, end;
	size_t n = 0;

	assert_memory_equal(data, "PERFILE2", 8);
	memcpy(&at, data + 40, sizeof(at));
	memcpy(&end, data + 48, sizeof(end));
	for (end += at; at < end;) {
		const struct perf_event_header *h = (const void *)(data + at);

		if (h->type == PERF_RECORD_SAMPLE) {
			assert_true(n < max);
			misc[n] = h->misc;
			sample[n++] = (const uint64_t *)(h + 1);
		}
		at += h->size;
	}
	assert_int_equal(at, end);
	return n;
}

/* Words say where the kernel's frames end and the user's begin; nothing is known of guests */
static void test_perf_chains(void **state)
{
	static const uint64_t ips[] = { B, 0x1000, 0x2000 };
	static const uint64_t mixed[] = {
		1, A, 7 | 8ULL << 32,	 50,	 3,	1000, 6, PERF_CONTEXT_KERNEL,
		A, B, PERF_CONTEXT_USER, 0x1000, 0x2000
	};
	static const uint64_t user[] = { 2,	0x3000, 7 | 8ULL << 32,	   100,	   3,
					 77,	4,	PERF_CONTEXT_USER, 0x3000, 0x1000,
					 0x2000 };
	static const uint64_t guest[] = { 1, 0x4000, 7 | 8ULL << 32, 150, 3, 1000, 0 };
	struct vsamp_record_sample s = mk_sample_record(0, true, 300, 0x4000, 7, 8);
	struct vsamp_writer *w = mk_open(path);
	const uint64_t *sample[3];
	uint16_t misc[3];
	size_t size;
	char *data;

	s.h.flags = GUEST;
	mk_clock(w, 3, 0, 2, 0);
	mk_stack(w, 3, mk_sample_record(0, false, 100, A, 7, 8), 1, 2, 0, ips);
	mk_stack(w, 3, mk_sample_record(1, true, 200, 0x3000, 7, 8), 0, 2, 0, ips + 1);
	mk_record(w, 3, &s);
	mk_close(w);
	data = exported("perf", &size);
	assert_int_equal(perf_samples(data, sample, misc, 3), 3);
	assert_int_equal(misc[0], PERF_RECORD_MISC_KERNEL);
	assert_memory_equal(sample[0], mixed, sizeof(mixed));
	assert_int_equal(misc[1], PERF_RECORD_MISC_USER);
	assert_memory_equal(sample[1], user, sizeof(user));
	assert_int_equal(misc[2], PERF_RECORD_MISC_GUEST_USER);
	assert_memory_equal(sample[2], guest, sizeof(guest));
	free(data);
}

/* What can't be had is refused before a byte is written */
static void test_refusals(void **state)
{
	static const size_t events[] = { 0, 1, 2 };
	struct vsamp_export_options two = { .event = events, .events = 2 };
	struct vsamp_export_options none = { .event = events + 2, .events = 1 };
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_recording *rec;
	struct vsamp_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	mk_sample(w, 0, 0, true, 10, 0, 7);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_export(rec, "elf", &two, out, &err), -EINVAL);
	assert_int_equal(vsamp_export(rec, "folded", &two, out, &err), -EINVAL);
	assert_int_equal(vsamp_export(rec, "chrome", &none, out, &err), -EINVAL);
	assert_int_equal(vsamp_export(rec, "kallsyms", &two, out, &err), -ENOENT);
	assert_non_null(strstr(err.text, "no kernel symbols"));
	fclose(out);
	assert_int_equal(size, 0);
	free(text);
	vsamp_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callgrind_counts_calls_once),
		cmocka_unit_test(test_perf_chains),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
