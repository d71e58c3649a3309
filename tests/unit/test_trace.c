// SPDX-License-Identifier: MIT
/* Samples one by one, of a recording made by hand: names of threads, stacks, what they stand for */
#include "mkfile.h"

#include <vsamp/profile.h>
#include <vsamp/trace.h>

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T work\n"
			     "ffffffff81002000 T one\n"
			     "ffffffff81003000 T _etext\n";

static struct vsamp_recording *rec;
static struct vsamp_trace *trace;

static void open_trace(unsigned int flags)
{
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_trace_new(&trace, rec, flags, NULL), 0);
}

static void close_trace(void)
{
	vsamp_trace_free(trace);
	vsamp_recording_close(rec);
}

/* The next sample; NULL at the end */
static const struct vsamp_trace_sample *next(void)
{
	static struct vsamp_trace_sample sample;
	struct vsamp_item item;
	int ret;

	do
		ret = vsamp_trace_next(trace, &item, &sample, NULL);
	while (ret == 1);
	assert_true(ret == 0 || ret == 2);
	return ret ? &sample : NULL;
}

/* A tick is half a ns */
static void put_thread(struct vsamp_writer *w, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct vsamp_record_sample s = mk_sample_record(0, true, 2 * time, 0x1000, pid, tid);

	mk_record(w, 0, &s);
}

static void expect_comm(uint32_t tid, const char *comm)
{
	const struct vsamp_trace_sample *s = next();

	assert_non_null(s);
	assert_int_equal(s->tid, tid);
	assert_string_equal(s->comm, comm);
}

/* A thread begins with the name of the one that made it, and may take its own */
static void test_thread_names(void **state)
{
	struct vsamp_writer *w = mk_open(path);

	mk_clock(w, 0, 0, 2, 0);
	mk_comm(w, 0, 7, 7, "main", false, 0);
	mk_fork(w, 0, 7, 7, 8, 10);
	put_thread(w, 20, 7, 8);
	mk_comm(w, 0, 7, 8, "worker", false, 30);
	put_thread(w, 40, 7, 8);
	put_thread(w, 41, 7, 7);
	/* a process that the worker makes, and a thread that nothing tells of */
	mk_fork(w, 0, 9, 7, 9, 50);
	put_thread(w, 60, 7, 10);
	put_thread(w, 61, 11, 11);
	/* and another that makes its own out of it */
	mk_comm(w, 0, 7, 7, "other", true, 70);
	put_thread(w, 80, 7, 7);
	put_thread(w, 81, 7, 8);
	mk_close(w);
	open_trace(0);
	expect_comm(8, "main");
	expect_comm(8, "worker");
	expect_comm(7, "main");
	expect_comm(10, "main");
	expect_comm(11, "");
	expect_comm(7, "other");
	expect_comm(8, "worker");
	assert_null(next());
	close_trace();
}

static void expect_frame(const struct vsamp_trace_frame *frame, uint64_t ip, const char *module,
			 const char *symbol)
{
	assert_int_equal(frame->ip, ip);
	if (module)
		assert_string_equal(frame->module, module);
	else
		assert_null(frame->module);
	assert_string_equal(frame->symbol, symbol);
}

static const uint64_t ips[] = { 0xffffffff81002008, 0xffffffff81002000, 0x10010, 0x20000 };

static void make_stacks(void)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_record_sample s = mk_sample_record(0, false, 100, 0xffffffff81001004, 7, 7);

	mk_clock(w, 0, 0, 2, 0);
	mk_kallsyms(w, kernel, 0);
	mk_mmap2(w, 0, 7, 0x10000, 0x1000, 0, "/nonexistent/a", NULL, 1, 0);
	mk_stack(w, 0, s, 2, 2, VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT, ips);
	s.time = 200;
	mk_record(w, 0, &s);
	mk_close(w);
}

/* Addresses are as recorded, names those of the calls before them, and missing frames are told */
static void test_frames(void **state)
{
	const struct vsamp_trace_sample *s;

	make_stacks();
	open_trace(VSAMP_TRACE_CALLERS);
	s = next();
	assert_int_equal(s->time, 50);
	assert_int_equal(s->frames, 7);
	expect_frame(&s->frame[0], 0xffffffff81001004, "[kernel]", "work");
	expect_frame(&s->frame[1], ips[0], "[kernel]", "one");
	expect_frame(&s->frame[2], ips[1], "[kernel]", "work");
	expect_frame(&s->frame[3], 0, NULL, VSAMP_CALLER_TRUNCATED);
	expect_frame(&s->frame[4], ips[2], "/nonexistent/a", "[unknown]");
	expect_frame(&s->frame[5], ips[3], "[unknown]", "[unknown]");
	expect_frame(&s->frame[6], 0, NULL, VSAMP_CALLER_TRUNCATED);
	assert_ptr_equal(s->frame[0].symbol, s->frame[2].symbol);
	s = next();
	assert_int_equal(s->frames, 1);
	assert_null(next());
	close_trace();
	open_trace(0);
	assert_int_equal(next()->frames, 1);
	close_trace();
}

/* Each CPU has its own Sample-After values, and both passes begin with the first */
static void test_events(void **state)
{
	struct vsamp_writer *w = mk_open(path);

	mk_sample(w, 0, 0, true, 10, 0, 7);
	mk_sav(w, 0, 0, 20, 333);
	mk_sample(w, 0, 0, true, 30, 0, 7);
	mk_sample(w, 0, 1, true, 31, 0, 7);
	mk_sample(w, 1, 0, true, 40, 0, 7);
	mk_close(w);
	open_trace(0);
	assert_true(next()->events == 1000);
	assert_true(next()->events == 333);
	assert_true(next()->events == 77);
	assert_true(next()->events == 1000);
	assert_null(next());
	close_trace();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_names),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_events),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
