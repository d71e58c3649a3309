// SPDX-License-Identifier: MIT
/* The order in which the records of several CPUs come, by time and loosely */
#include "mkfile.h"
#include "recording_private.h"

#define CPUS	4
#define CHUNKS	6
#define SAMPLES 40 /* of a chunk */

/*
 * Ticks are ns. CPU c has samples at 10 * n + c, beginning c chunks late; the second last of a chunk
 * is told behind the last. After every seventh there is a COMM record of it, on any CPU, whose name
 * counts them.
 */
static void make(void)
{
	static const char meta[] = "{\"version\":1,\"clock\":{\"source\":\"tsc\",\"khz\":1000000},"
				   "\"events\":[{\"index\":0,\"name\":\"E\",\"sav\":1}]}";
	struct vsamp_writer *w = mk_open_meta(path, meta);
	char name[16];
	int told = 0;

	for (uint32_t c = 0; c < CPUS; c++)
		mk_clock(w, c, 1, 0, 1);
	for (int chunk = 0; chunk < CHUNKS; chunk++) {
		for (int n = chunk * SAMPLES + 1; n <= (chunk + 1) * SAMPLES; n++) {
			for (uint32_t c = 0; c < CPUS; c++) {
				bool swapped = n % SAMPLES > SAMPLES - 2 || n % SAMPLES == 0;
				int at = !swapped ? n : n % SAMPLES ? n + 1 : n - 1;

				if (chunk >= (int)c)
					mk_sample(w, c, 0, true, 10 * at + c, at, c + 1);
			}
			if (n % 7)
				continue;
			snprintf(name, sizeof(name), "%d", ++told);
			mk_comm(w, told % CPUS, 1, 1, name, false, 10 * n + 1);
		}
		assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	}
	mk_close(w);
}

/* merge_next_loose() gave several samples at once */
static bool several;

static int comm_number(const struct perf_event_header *h)
{
	return atoi((const char *)h + sizeof(*h) + 8);
}

/*
 * What each sample must have before it: of the sideband all up to its own tick, or up to that of the
 * one before it on its CPU, if that is later; of its CPU all those before it.
 */
static void check(int (*next)(struct merge *, struct vsamp_item *, struct vsamp_error *),
		  bool by_time)
{
	struct vsamp_recording *rec;
	uint64_t key[CPUS] = { 0 }, last = 0;
	int samples[CPUS] = { 0 }, told = 0, ret;
	struct vsamp_item item;

	make();
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	while ((ret = next(&rec->merge, &item, NULL)) > 0) {
		if (item.sideband) {
			assert_int_equal(comm_number(item.sideband), ++told);
			continue;
		}
		if (item.record->type != VSAMP_RECORD_SAMPLE)
			continue;
		samples[item.cpu]++;
		if (item.time > key[item.cpu])
			key[item.cpu] = item.time;
		if (by_time)
			assert_true(key[item.cpu] >= last);
		last = key[item.cpu];
		/* told at 71, 141, ... */
		assert_int_equal(told, (last - 1) / 70 < CHUNKS * SAMPLES / 7 ?
					       (last - 1) / 70 :
					       CHUNKS * SAMPLES / 7);
	}
	assert_int_equal(ret, 0);
	assert_int_equal(told, CHUNKS * SAMPLES / 7);
	for (int c = 0; c < CPUS; c++)
		assert_int_equal(samples[c], (CHUNKS - c) * SAMPLES);
	/* a second time it is the same */
	merge_rewind(&rec->merge);
	for (told = 0; (ret = next(&rec->merge, &item, NULL)) > 0;)
		told++;
	assert_int_equal(told, CHUNKS * SAMPLES / 7 + CPUS +
				       (CPUS * CHUNKS - CPUS * (CPUS - 1) / 2) * SAMPLES);
	vsamp_recording_close(rec);
}

static void test_by_time(void **state)
{
	check(merge_next, true);
}

/* The same samples one by one */
static int next_loose(struct merge *m, struct vsamp_item *item, struct vsamp_error *err)
{
	static struct vsamp_item last;
	static size_t left;
	const struct vsamp_record_sample *s;
	int ret;

	if (!left) {
		ret = merge_next_loose(m, &last, &left, err);
		if (ret <= 0)
			return ret;
		several |= left > 1;
	} else {
		s = (const struct vsamp_record_sample *)last.record + 1;
		last.record = &s->h;
		last.time = s->time;
	}
	left--;
	*item = last;
	return 1;
}

static void test_loose(void **state)
{
	several = false;
	check(next_loose, false);
	assert_true(several);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_by_time, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_loose, mk_setup, mk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
