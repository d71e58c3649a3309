// SPDX-License-Identifier: MIT
/*
 * What rows are told apart by beside processes and code, and which samples are wanted: a recording
 * made by hand, ticks of half a ns from 0 on
 */
#include "mkfile.h"
#include "mkitt.h"

#include "profile_private.h"

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T work\n"
			     "ffffffff81002000 T idle\n"
			     "ffffffff81003000 T _etext\n";

#define WORK	 0xffffffff81001004
#define IDLE	 0xffffffff81002008
#define TICK(ns) (2 * (uint64_t)(ns))

static void put(struct vsamp_writer *w, uint32_t cpu, uint16_t event, uint64_t time, uint64_t ip,
		uint32_t pid, uint32_t tid)
{
	struct vsamp_record_sample s = mk_sample_record(event, !(ip >> 63), TICK(time), ip, pid,
							tid);

	mk_record(w, cpu, &s);
}

static void put_fork(struct vsamp_writer *w, uint32_t pid, uint32_t maker, uint32_t tid)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} body = { pid, pid, tid, maker, 0 };

	mk_sideband(w, 0, PERF_RECORD_FORK, 0, &body, sizeof(body), NULL, 0);
}

static int make(void **state)
{
	struct vsamp_writer *w;

	mk_setup(state);
	w = mk_open(path);
	mk_clock(w, 0, 0, 2, 0);
	mk_kallsyms(w, kernel, 0);
	mk_comm(w, 0, 40, 40, "app", false, 0);
	mk_comm(w, 0, 40, 41, "io", false, 0);
	put_fork(w, 40, 41, 42);
	mk_comm(w, 0, 50, 50, "other", false, 0);
	mk_mmap2(w, 0, 50, 0x1000, 0x1000, 0, "/nonexistent/lib/a", NULL, 1, 0);
	mk_comm(w, 0, 40, 41, "net", false, 500);
	put(w, 0, 0, 100, WORK, 40, 40);
	put(w, 1, 0, 200, WORK, 40, 41);
	put(w, 1, 1, 600, IDLE, 40, 41);
	put(w, 1, 0, 700, IDLE, 40, 42);
	put(w, 0, 0, 1000, WORK, 50, 50);
	put(w, 0, 0, 1100, 0x1000, 50, 51);
	mk_clock(w, 0, TICK(2000), 2, 2000);
	mk_close(w);
	return 0;
}

static void text_row(FILE *out, unsigned int by, const struct vsamp_profile_row *r)
{
	if (by & VSAMP_BY_PID)
		fprintf(out, "%u ", r->pid);
	if (by & VSAMP_BY_THREAD)
		fprintf(out, "%u=", r->tid);
	if (by & (VSAMP_BY_THREAD | VSAMP_BY_COMM))
		fprintf(out, "%s ", r->thread);
	if (by & VSAMP_BY_CPU)
		fprintf(out, "cpu%u ", r->cpu);
	if (by & VSAMP_BY_TIME)
		fprintf(out, "%lu ", r->time);
	if (by & VSAMP_BY_SYMBOL)
		fprintf(out, "%s ", r->symbol);
	if (by & VSAMP_BY_EVENT)
		fprintf(out, "e%u ", r->event);
	if (by & VSAMP_BY_TASK)
		fprintf(out, "%s/%s ", r->task_domain, r->task);
	if (by & VSAMP_BY_ITT_EVENT)
		fprintf(out, "%s ", r->itt_event);
	fprintf(out, "%lu/%lu\n", r->samples[0], r->samples[1]);
	assert_true(r->events[0] == r->samples[0] * 1000.0);
	assert_true(r->events[1] == r->samples[1] * 77.0);
}

static void check(unsigned int by, const struct vsamp_profile_options *options, const char *expect)
{
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_profile_row *rows;
	size_t count, size;
	char *text;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, options, NULL), 0);
	assert_int_equal(vsamp_profile_rows(p, by, 0, &rows, &count, NULL), 0);
	for (size_t i = 0; i < count; i++)
		text_row(out, by, &rows[i]);
	fclose(out);
	assert_string_equal(text, expect);
	free(text);
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

static void check_by(unsigned int by, const char *expect)
{
	struct vsamp_profile_options options = { .by = by, .slice = 500 };

	check(by, &options, expect);
	/* callers are found another way: the sums are the same */
	options.flags = VSAMP_PROFILE_CALLERS;
	check(by, &options, expect);
	/* as are those of a profile that is made for more */
	options.by = BY_BESIDE & ~(VSAMP_BY_TASK | VSAMP_BY_ITT_EVENT);
	check(by, &options, expect);
}

/* A thread has the name of its time; one that was made, its maker's; one that nothing names, its process's */
static void test_threads(void **state)
{
	check_by(VSAMP_BY_THREAD, "40=app 1/0\n41=io 1/0\n42=io 1/0\n50=other 1/0\n51=other 1/0\n"
				  "41=net 0/1\n");
	check_by(VSAMP_BY_COMM, "io 2/0\nother 2/0\napp 1/0\nnet 0/1\n");
}

static void test_numbers(void **state)
{
	check_by(VSAMP_BY_CPU, "cpu0 3/0\ncpu1 2/1\n");
	check_by(VSAMP_BY_PID, "40 3/1\n50 2/0\n");
	check_by(VSAMP_BY_CPU | VSAMP_BY_SYMBOL,
		 "cpu0 work 2/0\ncpu1 idle 1/1\ncpu0 [unknown] 1/0\ncpu1 work 1/0\n");
}

static void test_slices(void **state)
{
	const struct vsamp_profile_options one = { .by = VSAMP_BY_TIME, .slice = 1 };
	const struct vsamp_profile_options all = { .by = VSAMP_BY_TIME, .slice = UINT64_MAX };

	check_by(VSAMP_BY_TIME, "0 2/0\n1000 2/0\n500 1/1\n");
	check_by(VSAMP_BY_TIME | VSAMP_BY_COMM,
		 "other 1000 2/0\napp 0 1/0\nio 0 1/0\nio 500 1/0\nnet 500 0/1\n");
	check(VSAMP_BY_TIME, &one, "100 1/0\n200 1/0\n700 1/0\n1000 1/0\n1100 1/0\n600 0/1\n");
	check(VSAMP_BY_TIME, &all, "0 5/1\n");
}

static void test_events(void **state)
{
	check_by(VSAMP_BY_EVENT, "e0 5/0\ne1 0/1\n");
	check_by(VSAMP_BY_EVENT | VSAMP_BY_PID, "40 e0 3/0\n50 e0 2/0\n40 e1 0/1\n");
}

static void test_filters(void **state)
{
	static const uint32_t tids[] = { 41, 50 }, one[] = { 1 }, pids[] = { 50, 9 };
	static const char *const comms[] = { "app", "net" }, *const work[] = { "work" };
	static const char *const modules[] = { "a", "/nonexistent/lib/a", "lib/a" };
	static const struct {
		struct vsamp_filter filter;
		const char *expect;
	} cases[] = {
		{ { .tid = tids, .tids = 2 }, "work 2/0\nidle 0/1\n" },
		{ { .cpu = one, .cpus = 1 }, "idle 1/1\nwork 1/0\n" },
		{ { .pid = pids, .pids = 2 }, "[unknown] 1/0\nwork 1/0\n" },
		{ { .pid = pids, .pids = 2, .cpu = one, .cpus = 1 }, "" },
		{ { .comm = comms, .comms = 2 }, "work 1/0\nidle 0/1\n" },
		{ { .comm = comms + 1, .comms = 1 }, "idle 0/1\n" },
		{ { .symbol = work, .symbols = 1 }, "work 3/0\n" },
		{ { .module = modules, .modules = 1 }, "[unknown] 1/0\n" },
		{ { .module = modules + 1, .modules = 1 }, "[unknown] 1/0\n" },
		{ { .module = modules + 2, .modules = 1 }, "" },
		{ { .module = modules, .modules = 1, .symbol = work, .symbols = 1 }, "" },
		{ { .from = 200, .to = 700 }, "idle 1/1\nwork 1/0\n" },
		{ { .from = 701 }, "[unknown] 1/0\nwork 1/0\n" },
		{ { .to = 199 }, "work 1/0\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vsamp_profile_options options = { .filter = cases[i].filter };

		check(VSAMP_BY_SYMBOL, &options, cases[i].expect);
		options.flags = VSAMP_PROFILE_CALLERS;
		check(VSAMP_BY_SYMBOL, &options, cases[i].expect);
	}
}

/* A trace's samples are selected by the same filter */
static void test_trace(void **state)
{
	static const char *const comms[] = { "net", "io", "other" };
	static const uint32_t one[] = { 1 };
	const struct vsamp_filter f = {
		.comm = comms,
		.comms = 3,
		.cpu = one,
		.cpus = 1,
		.from = 200,
		.to = 600,
	};
	struct vsamp_recording *rec;
	struct vsamp_trace_sample sample;
	struct vsamp_trace *trace;
	struct vsamp_item item;
	uint64_t times[2];
	int n = 0, ret;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_trace_new(&trace, rec, 0, NULL), 0);
	while ((ret = vsamp_trace_next(trace, &item, &sample, NULL)) > 0) {
		if (ret == 2 && vsamp_filter_wants(&f, &sample)) {
			assert_true(n < 2);
			times[n++] = sample.time;
		}
	}
	assert_int_equal(n, 2);
	assert_int_equal(times[0], 200);
	assert_int_equal(times[1], 600);
	vsamp_trace_free(trace);
	vsamp_recording_close(rec);
}

static void refuse(unsigned int by, int expect, const char *text)
{
	const struct vsamp_profile_options options = { .by = by };
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_error err;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, &options, &err), expect);
	assert_non_null(strstr(err.text, text));
	vsamp_recording_close(rec);
}

static void test_refused(void **state)
{
	const struct vsamp_profile_options options = { .by = VSAMP_BY_CPU };
	struct vsamp_recording *rec;
	struct vsamp_profile *p;
	struct vsamp_profile_row *rows;
	size_t count;

	refuse(VSAMP_BY_TIME, -EINVAL, "no length");
	refuse(VSAMP_BY_TASK, -ENODATA, "has no ITT tasks");
	refuse(VSAMP_BY_ITT_EVENT, -ENODATA, "has no ITT events");
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
	for (unsigned int by = VSAMP_BY_LINE; by <= VSAMP_BY_ITT_EVENT; by <<= 1)
		if (by != VSAMP_BY_CPU)
			assert_int_equal(vsamp_profile_rows(p, by, 0, &rows, &count, NULL),
					 -EINVAL);
	assert_int_equal(vsamp_profile_inclusive(p, VSAMP_BY_PID, 0, &rows, &count, NULL), -EINVAL);
	assert_int_equal(vsamp_profile_rows(p, VSAMP_BY_CPU, 0, &rows, &count, NULL), 0);
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

static void itt(struct mkitt *to, uint8_t type, uint64_t time, uint32_t handle, uint32_t name)
{
	mkitt_call(to, (struct vsamp_itt_call){
			       .type = type, .time = TICK(time), .handle = handle, .name = name });
}

/*
 * Thread 41: "load" of domain "disk" from 100 to 400 ns, in it "sort" of another domain from 200 to
 * 300, in which "load" of no domain is from 220 to 240; and event "tick" from 600 to 700
 */
static void make_tasks(void)
{
	struct vsamp_writer *w = mk_open(path);
	struct mkitt to = { .thread = { 40, 41, 0 } };
	static const char *const texts[] = { "load", "sort", "tick", "disk", "cpu" };

	mk_clock(w, 0, 0, 2, 0);
	for (uint32_t i = 0; i < 5; i++)
		mkitt_string(&to, i + 1, texts[i]);
	itt(&to, VSAMP_ITT_DOMAIN, 0, 1, 4);
	itt(&to, VSAMP_ITT_DOMAIN, 0, 2, 5);
	itt(&to, VSAMP_ITT_EVENT, 0, 1, 3);
	itt(&to, VSAMP_ITT_TASK_BEGIN, 100, 1, 1);
	itt(&to, VSAMP_ITT_TASK_BEGIN, 200, 2, 2);
	itt(&to, VSAMP_ITT_TASK_BEGIN, 220, 0, 1);
	itt(&to, VSAMP_ITT_TASK_END, 240, 0, 0);
	itt(&to, VSAMP_ITT_TASK_END, 300, 2, 0);
	itt(&to, VSAMP_ITT_TASK_END, 400, 1, 0);
	itt(&to, VSAMP_ITT_EVENT_START, 600, 1, 0);
	itt(&to, VSAMP_ITT_EVENT_END, 700, 1, 0);
	mkitt_write(w, &to);
	for (uint64_t time = 50; time < 800; time += 100)
		put(w, 0, time > 600, time, WORK, 40, 41);
	put(w, 0, 0, 230, WORK, 40, 41);
	/* another thread is in none of it */
	put(w, 0, 0, 150, WORK, 40, 40);
	mk_clock(w, 0, TICK(2000), 2, 2000);
	mk_close(w);
	buf_free(&to.records);
}

static void test_tasks(void **state)
{
	struct vsamp_profile_options options = { .by = VSAMP_BY_TASK | VSAMP_BY_ITT_EVENT };

	make_tasks();
	/* none: 50, 450, 550, and 150 of the other thread; then of event 1, 650 and 750 */
	check(VSAMP_BY_TASK, &options, "/ 4/2\ndisk/load 2/0\n/load 1/0\ncpu/sort 1/0\n");
	check(VSAMP_BY_ITT_EVENT, &options, " 8/1\ntick 0/1\n");
	options.by |= VSAMP_BY_TIME | VSAMP_BY_THREAD;
	options.slice = 400;
	check(VSAMP_BY_TASK | VSAMP_BY_TIME | VSAMP_BY_THREAD, &options,
	      "41= 400 / 2/2\n41= 0 disk/load 2/0\n40= 0 / 1/0\n41= 0 / 1/0\n41= 0 /load 1/0\n"
	      "41= 0 cpu/sort 1/0\n");
	make(NULL);
}

/* What is not asked for tells no places apart, where samples are counted */
static void test_small(void **state)
{
	struct vsamp_profile_options options = { .by = VSAMP_BY_LINE };
	struct vsamp_recording *rec;
	struct vsamp_profile *p;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
		/* of pid 40 two addresses; of 50 two */
		assert_int_equal(p->places.count, i ? 6 : 4);
		vsamp_profile_free(p);
		options.by = VSAMP_BY_THREAD;
	}
	vsamp_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_slices),	cmocka_unit_test(test_events),
		cmocka_unit_test(test_filters), cmocka_unit_test(test_trace),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_small),
		cmocka_unit_test(test_tasks),
	};

	return cmocka_run_group_tests(tests, make, mk_teardown);
}
