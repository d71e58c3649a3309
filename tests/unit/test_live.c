// SPDX-License-Identifier: MIT
/* A live profile that is fed by hand: where samples fall, step by step */
#include "mkfile.h"

#include <time.h>

#include <vsamp/live.h>

#include "live_private.h"
#include "need.h"

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T work\n"
			     "ffffffff81002000 T other\n"
			     "ffffffff81003000 T _etext\n";

static struct vsamp_live *live;
static struct vsamp_writer *w;

static int setup(void **state)
{
	struct vsamp_event events[] = { { .name = "one", .sav = 1000 },
					{ .name = "two", .sav = 7 } };

	/* a tick is half a ns */
	assert_int_equal(vsamp_live_open(&live, events, 2, 2000000, NULL), 0);
	w = vsamp_live_writer(live);
	mk_clock(w, 0, 0, 2, 0);
	mk_kallsyms(w, kernel, 0);
	return 0;
}

static int teardown(void **state)
{
	vsamp_live_close(live);
	return 0;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* At an offset in the kernel's code */
static void put(uint32_t cpu, uint16_t event, uint64_t time_ns, uint64_t offset)
{
	mk_sample(w, cpu, event, false, 2 * time_ns, 0xffffffff81000000 + offset, 7);
}

static void step(void)
{
	assert_int_equal(vsamp_live_step(live, NULL), 0);
}

struct want {
	const char *symbol;
	uint64_t samples[2];
	double events[2], sums[2];
};

static void expect(size_t event, const struct want *want, size_t n)
{
	struct vsamp_live_row *rows;
	size_t count;

	assert_int_equal(vsamp_live_rows(live, event, &rows, &count, NULL), 0);
	assert_int_equal(count, n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(rows[i].symbol, want[i].symbol);
		for (int e = 0; e < 2; e++) {
			assert_int_equal(rows[i].samples[e], want[i].samples[e]);
			assert_true(rows[i].events[e] == want[i].events[e]);
			assert_true(rows[i].sums[e] == want[i].sums[e]);
		}
	}
	free(rows);
}

/* Each step's samples alone, and sums of which an eighth goes with each step */
static void test_steps(void **state)
{
	NEED_CPUS(2);
	put(0, 0, 1000, 0x1010);
	put(0, 0, 2000, 0x1500);
	put(1, 0, 1500, 0x2000);
	put(1, 1, 1600, 0x2000);
	step();
	expect(0,
	       (struct want[]){ { "work", { 2, 0 }, { 2000, 0 }, { 2000, 0 } },
				{ "other", { 1, 1 }, { 1000, 7 }, { 1000, 7 } } },
	       2);
	expect(1, (struct want[]){ { "other", { 1, 1 }, { 1000, 7 }, { 1000, 7 } } }, 1);
	put(0, 0, 3000, 0x2000);
	put(0, 0, 3000, 0x2000);
	step();
	expect(0,
	       (struct want[]){ { "other", { 2, 0 }, { 2000, 0 }, { 2875, 6.125 } },
				{ "work", { 0, 0 }, { 0, 0 }, { 1750, 0 } } },
	       2);
	assert_int_equal(vsamp_live_last(live)->samples, 2);
	assert_int_equal(vsamp_live_all(live)->samples, 6);
	assert_int_equal(vsamp_live_all(live)->event_samples[1], 1);
	assert_true(vsamp_live_last(live)->sums[0] == 4625);
	vsamp_live_zero(live);
	expect(0, NULL, 0);
	assert_int_equal(vsamp_live_all(live)->samples, 0);
	put(0, 0, 4000, 0x1000);
	step();
	expect(0, (struct want[]){ { "work", { 1, 0 }, { 1000, 0 }, { 1000, 0 } } }, 1);
}

/* What a sample stands for changes with the value, on its CPU, from that time on */
static void test_sav(void **state)
{
	NEED_CPUS(2);
	put(0, 0, 1000, 0x1010);
	put(0, 0, 3000, 0x1010);
	mk_sav(w, 0, 0, 2 * 2000, 300);
	put(1, 0, 3000, 0x2000);
	step();
	expect(0,
	       (struct want[]){ { "work", { 2, 0 }, { 1300, 0 }, { 1300, 0 } },
				{ "other", { 1, 0 }, { 1000, 0 }, { 1000, 0 } } },
	       2);
}

/* Losses, of the step and in all */
static void test_lost(void **state)
{
	struct {
		uint64_t id, lost;
	} body = { 1, 5 };

	mk_lost(w, 0, 100, 20);
	mk_sideband(w, 0, PERF_RECORD_LOST, 0, &body, sizeof(body), NULL, 100);
	step();
	mk_lost(w, 1, 200, 3);
	step();
	assert_int_equal(vsamp_live_last(live)->lost, 3);
	assert_int_equal(vsamp_live_last(live)->sideband_lost, 0);
	assert_int_equal(vsamp_live_all(live)->lost, 23);
	assert_int_equal(vsamp_live_all(live)->sideband_lost, 5);
	assert_int_equal(vsamp_live_all(live)->samples, 0);
}

/* Mappings hold from their time on, in whatever order the buffers were read */
static void test_order(void **state)
{
	struct vsamp_live_row *rows;
	size_t count;

	mk_sample(w, 0, 0, true, 2 * 3000, 0x7000, 9);
	mk_sample(w, 0, 0, true, 2 * 1000, 0x7000, 9);
	mk_sample(w, 0, 0, true, 2 * 5000, 0x7000, 9);
	mk_mmap2(w, 1, 9, 0x7000, 0x1000, 0, "/nosuch/late", NULL, 1, 4000);
	mk_mmap2(w, 1, 9, 0x7000, 0x1000, 0, "/nosuch/early", NULL, 1, 2000);
	step();
	assert_int_equal(vsamp_live_rows(live, 0, &rows, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].module, "/nosuch/early");
	assert_string_equal(rows[1].module, "/nosuch/late");
	assert_string_equal(rows[2].module, "[unknown]");
	for (int i = 0; i < 3; i++)
		assert_int_equal(rows[i].samples[0], 1);
	assert_non_null(rows[0].note);
	free(rows);
}

static void put_exit(uint32_t pid, uint64_t time)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} body = { pid, 1, pid, 1, time };

	mk_sideband(w, 0, PERF_RECORD_EXIT, 0, &body, sizeof(body), NULL, time);
}

/* Whether a sample of the process, at an address that it had mapped once, has its module */
static bool has_module(uint32_t pid, uint64_t time)
{
	struct vsamp_live_row *rows;
	size_t count;
	bool has;

	vsamp_live_zero(live);
	mk_sample(w, 0, 0, true, 2 * time, 0x7000, pid);
	step();
	assert_int_equal(vsamp_live_rows(live, 0, &rows, &count, NULL), 0);
	assert_int_equal(count, 1);
	has = !strcmp(rows[0].module, "/nosuch/file");
	free(rows);
	return has;
}

/* A process that is no more is forgotten; one that lost a thread isn't */
static void test_exit(void **state)
{
	uint32_t gone = 0x3ffffff0;

	mk_mmap2(w, 0, gone, 0x7000, 0x1000, 0, "/nosuch/file", NULL, 1, 1000);
	mk_mmap2(w, 0, getpid(), 0x7000, 0x1000, 0, "/nosuch/file", NULL, 1, 1000);
	assert_true(has_module(gone, 2000));
	assert_true(has_module(getpid(), 2000));
	put_exit(getpid(), 3000);
	put_exit(gone, 3000);
	assert_true(has_module(gone, 2900));
	assert_false(has_module(gone, 4000));
	assert_true(has_module(getpid(), 4000));
}

/* Names of processes don't gather for ever, and go on being those of their processes */
static void test_names(void **state)
{
	char name[16];

	for (int i = 0; i < 10000; i++) {
		snprintf(name, sizeof(name), "name%d", i);
		mk_comm(w, 0, 7 + i % 5, 7 + i % 5, name, true, 1000 + i);
	}
	step();
	assert_true(live->placer.procmap.identities.count <= 5);
	assert_string_equal(procmap_identity_at(&live->placer.procmap,
						procmap_identity(&live->placer.procmap, 9))
				    ->comm,
			    "name9997");
}

/* What is newer than the step's begin waits, as records of other CPUs may not have been read yet */
static void test_later(void **state)
{
	put(0, 0, 1000, 0x1010);
	put(0, 0, now_ns() + 50000000, 0x2000);
	step();
	expect(0, (struct want[]){ { "work", { 1, 0 }, { 1000, 0 }, { 1000, 0 } } }, 1);
	usleep(60000);
	step();
	expect(0,
	       (struct want[]){ { "other", { 1, 0 }, { 1000, 0 }, { 1000, 0 } },
				{ "work", { 0, 0 }, { 0, 0 }, { 875, 0 } } },
	       2);
}

/* Other records, and samples of events that there aren't, are nothing */
static void test_others(void **state)
{
	struct vsamp_record_header unknown = { 999, 64, 0, 0 };
	uint64_t record[8] = { 0 };

	memcpy(record, &unknown, sizeof(unknown));
	mk_record(w, 0, record);
	put(0, 2, 1000, 0x1010);
	put(0, 31, 1000, 0x1010);
	mk_state(w, 0, VSAMP_STATE_START, 1000, 0);
	step();
	expect(0, NULL, 0);
	assert_int_equal(vsamp_live_all(live)->samples, 0);
	assert_int_equal(vsamp_writer_records(w, 0, record, 8, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_sav, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
