// SPDX-License-Identifier: MIT
/*
 * Folding a recording made by hand: two CPUs, ticks of half a ns that started 1000 ns before
 * CLOCK_MONOTONIC_RAW did, so that time T ns is tick 2 * (T + 1000).
 */
#include "mkfile.h"

#include <vsamp/profile.h>

#define TICK(ns) (2 * ((ns) + 1000))

static struct vsamp_writer *make_start(void)
{
	struct vsamp_writer *w = mk_open(path);

	mk_clock(w, 0, TICK(0), 2, 0);
	mk_clock(w, 1, TICK(10), 2, 10);
	return w;
}

static void make_end(struct vsamp_writer *w)
{
	mk_clock(w, 0, TICK(2000000000ULL), 2, 2000000000ULL);
	mk_close(w);
}

struct expect {
	const char *comm, *module, *symbol;
	uint32_t pid;
	uint64_t samples[2];
};

static void check(unsigned int by, size_t event, const uint32_t *pids, size_t n_pids,
		  const struct expect *expect, size_t n)
{
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_profile_row *rows;
	struct vsamp_profile_options options = { .filter = { .pid = pids, .pids = n_pids } };
	size_t count;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
	assert_int_equal(vsamp_profile_rows(p, by, event, &rows, &count, NULL), 0);
	assert_int_equal(count, n);
	for (size_t i = 0; i < n; i++) {
		if (by & VSAMP_BY_PROCESS) {
			assert_string_equal(rows[i].comm, expect[i].comm);
			assert_int_equal(rows[i].pid, expect[i].pid);
		}
		if (by & VSAMP_BY_MODULE)
			assert_string_equal(rows[i].module, expect[i].module);
		if (by & VSAMP_BY_SYMBOL)
			assert_string_equal(rows[i].symbol, expect[i].symbol);
		assert_int_equal(rows[i].samples[0], expect[i].samples[0]);
		assert_int_equal(rows[i].samples[1], expect[i].samples[1]);
	}
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

/*
 * The process moves between CPUs while it execs: what counts is the time, not the order in the
 * file. Its samples on CPU 1 are written before the records of CPU 0 that name them.
 */
static void make_exec(void)
{
	struct vsamp_writer *w = make_start();

	mk_comm(w, 0, 40, 40, "before", false, 0);
	mk_mmap2(w, 0, 40, 0x10000, 0x1000, 0, "/nonexistent/old", NULL, 1, 0);
	mk_sample(w, 1, 0, true, TICK(100), 0x10010, 40);
	mk_sample(w, 1, 0, true, TICK(499), 0x10020, 40);
	mk_sample(w, 1, 0, true, TICK(500), 0x10030, 40); /* at exec: it has happened */
	mk_sample(w, 1, 0, true, TICK(600), 0x10040, 40);
	mk_sample(w, 1, 0, true, TICK(701), 0x10050, 40);
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	mk_comm(w, 0, 40, 40, "after", true, 500);
	mk_mmap2(w, 0, 40, 0x10000, 0x1000, 0, "/nonexistent/new", NULL, 2, 700);
	make_end(w);
}

static void test_exec_on_another_cpu(void **state)
{
	static const struct expect expect[] = {
		{ "before", "/nonexistent/old", NULL, 40, { 2, 0 } },
		{ "after", "[unknown]", NULL, 40, { 2, 0 } },
		{ "after", "/nonexistent/new", NULL, 40, { 1, 0 } },
	};

	make_exec();
	check(VSAMP_BY_PROCESS | VSAMP_BY_MODULE, 0, NULL, 0, expect, 3);
}

/* Sideband records of a chunk in no order, and a chunk that is earlier than the one before it */
static void test_sideband_in_no_order(void **state)
{
	static const struct expect expect[] = {
		{ "third", NULL, NULL, 40, { 3, 0 } },
		{ "second", NULL, NULL, 40, { 2, 0 } },
		{ "first", NULL, NULL, 40, { 1, 0 } },
	};
	struct vsamp_writer *w = make_start();

	mk_comm(w, 0, 40, 40, "third", true, 300);
	mk_comm(w, 0, 40, 40, "second", true, 200);
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	mk_comm(w, 0, 40, 40, "first", false, 0);
	mk_sample(w, 0, 0, true, TICK(100), 0, 40);
	mk_sample(w, 0, 0, true, TICK(200), 0, 40);
	mk_sample(w, 0, 0, true, TICK(299), 0, 40);
	for (int i = 0; i < 3; i++)
		mk_sample(w, 0, 0, true, TICK(300 + i), 0, 40);
	make_end(w);
	check(VSAMP_BY_PROCESS, 0, NULL, 0, expect, 3);
}

static const char kernel_one[] = "ffffffff81000000 T _stext\n"
				 "ffffffff81001000 T schedule\n"
				 "ffffffff81002000 T _etext\n";

/* A module came, with a symbol where none was, and later another took its place */
static const char kernel_two[] = "ffffffff81000000 T _stext\n"
				 "ffffffff81001000 T schedule\n"
				 "ffffffff81002000 T _etext\n"
				 "ffffffffc0000000 t one_work\t[one]\n";

static const char kernel_three[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81001000 T schedule\n"
				   "ffffffff81002000 T _etext\n"
				   "ffffffffc0000000 t two_work\t[two]\n";

static void make_kernel(void)
{
	struct vsamp_record_sample guest = {
		.h = { VSAMP_RECORD_SAMPLE, sizeof(guest), 0, VSAMP_SAMPLE_GUEST },
		.ip = 0xffffffff81001004,
		.pid = 1,
		.tid = 1,
	};
	struct vsamp_writer *w = make_start();

	mk_kallsyms(w, kernel_one, 0);
	mk_sample(w, 0, 0, false, TICK(100), 0xffffffff81001004, 1);
	mk_sample(w, 0, 1, false, TICK(100), 0xffffffff81001008, 2);
	/* loaded, but the snapshot of it is yet to come: at 300 */
	mk_sample(w, 0, 0, false, TICK(200), 0xffffffffc0000004, 1);
	mk_sample(w, 0, 0, false, TICK(400), 0xffffffffc0000008, 1);
	mk_sample(w, 0, 0, false, TICK(600), 0xffffffffc000000c, 1);
	/* nowhere */
	mk_sample(w, 0, 1, false, TICK(700), 0xffffffffd0000000, 1);
	/* in virtual machines, whose kernels have such addresses, too */
	guest.time = TICK(800);
	mk_record(w, 0, &guest);
	guest.h.flags |= VSAMP_SAMPLE_USER;
	mk_record(w, 0, &guest);
	mk_kallsyms(w, kernel_two, 300);
	mk_kallsyms(w, kernel_three, 500);
	make_end(w);
}

static void test_kernel_snapshots(void **state)
{
	static const struct expect expect[] = {
		{ NULL, "[guest]", "[unknown]", 0, { 2, 0 } },
		{ NULL, "[one]", "one_work", 0, { 2, 0 } },
		{ NULL, "[kernel]", "schedule", 0, { 1, 1 } },
		{ NULL, "[two]", "two_work", 0, { 1, 0 } },
		{ NULL, "[kernel]", "[unknown]", 0, { 0, 1 } },
	};

	make_kernel();
	check(VSAMP_BY_MODULE | VSAMP_BY_SYMBOL, 0, NULL, 0, expect, 5);
}

/* The same work recorded where the kernel was put 0x12345000 higher: the same names */
static void test_other_kaslr_offset(void **state)
{
	static const char shifted[] = "ffffffff93345000 T _stext\n"
				      "ffffffff93346000 T schedule\n"
				      "ffffffff93347000 T _etext\n";
	static const struct expect expect[] = {
		{ NULL, "[kernel]", "schedule", 0, { 2, 0 } },
		{ NULL, "[kernel]", "_stext", 0, { 1, 0 } },
	};

	for (int i = 0; i < 2; i++) {
		struct vsamp_writer *w = make_start();
		uint64_t offset = i ? 0x12345000 : 0;

		mk_kallsyms(w, i ? shifted : kernel_one, 0);
		mk_sample(w, 0, 0, false, TICK(1), 0xffffffff81001004 + offset, 1);
		mk_sample(w, 0, 0, false, TICK(2), 0xffffffff81001ffc + offset, 1);
		mk_sample(w, 0, 0, false, TICK(3), 0xffffffff81000ffc + offset, 1);
		make_end(w);
		check(VSAMP_BY_MODULE | VSAMP_BY_SYMBOL, 0, NULL, 0, expect, 2);
	}
}

/* No sideband and no kernel symbols: pids, and that is all */
static void make_bare(void)
{
	struct vsamp_writer *w = make_start();

	for (int i = 0; i < 3; i++)
		mk_sample(w, 0, 0, true, TICK(10 + i), 0x1000 * i, 11);
	mk_sample(w, 1, 1, false, TICK(20), 0xffffffff81001004, 12);
	mk_sample(w, 1, 0, false, TICK(21), 0xffffffff81001004, 0);
	make_end(w);
}

static void test_no_sideband(void **state)
{
	static const struct expect expect[] = {
		{ "", "[unknown]", "[unknown]", 11, { 3, 0 } },
		{ "swapper", "[kernel]", "[unknown]", 0, { 1, 0 } },
		{ "", "[kernel]", "[unknown]", 12, { 0, 1 } },
	};
	static const uint32_t pids[] = { 12, 11 };
	static const struct expect wanted[] = {
		{ "", NULL, NULL, 12, { 0, 1 } },
		{ "", NULL, NULL, 11, { 3, 0 } },
	};

	make_bare();
	check(VSAMP_BY_PROCESS | VSAMP_BY_MODULE | VSAMP_BY_SYMBOL, 0, NULL, 0, expect, 3);
	check(VSAMP_BY_PROCESS, 1, pids, 2, wanted, 2);
}

static const uint8_t id_one[20] = { 1 }, id_two[20] = { 2 };

/* Records of one file with and without its build-id are one module; another id is another */
static void test_module_identity(void **state)
{
	static const struct expect expect[] = {
		{ NULL, "/nonexistent/x", NULL, 0, { 2, 0 } },
		{ NULL, "/nonexistent/x", NULL, 0, { 1, 0 } },
	};
	struct vsamp_writer *w = make_start();

	mk_mmap2(w, 0, 1, 0x1000, 0x1000, 0, "/nonexistent/x", NULL, 7, 0);
	mk_mmap2(w, 0, 2, 0x1000, 0x1000, 0, "/nonexistent/x", id_one, 0, 1);
	mk_mmap2(w, 0, 3, 0x1000, 0x1000, 0, "/nonexistent/x", id_two, 0, 2);
	for (uint32_t pid = 1; pid <= 3; pid++)
		mk_sample(w, 0, 0, true, TICK(10 + pid), 0x1004, pid);
	make_end(w);
	check(VSAMP_BY_MODULE, 0, NULL, 0, expect, 2);
}

/* A sample of an event that the file doesn't tell of: there is no such file */
static void test_unknown_event(void **state)
{
	struct vsamp_writer *w = make_start();
	struct vsamp_recording *rec;

	mk_sample(w, 0, 2, true, TICK(1), 0, 1);
	make_end(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exec_on_another_cpu),
		cmocka_unit_test(test_sideband_in_no_order),
		cmocka_unit_test(test_kernel_snapshots),
		cmocka_unit_test(test_other_kaslr_offset),
		cmocka_unit_test(test_no_sideband),
		cmocka_unit_test(test_module_identity),
		cmocka_unit_test(test_unknown_event),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
