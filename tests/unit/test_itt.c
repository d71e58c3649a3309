// SPDX-License-Identifier: MIT
/* ITT calls of a recording: timelines, counters, names, statistics; what pairs what: test_itt_match */
#include "mkfile.h"

#include <math.h>

#include <vsamp/itt.h>
#include <vsamp/profile.h>
#include <vsamp/timeline.h>
#include <vsamp/trace.h>

#include "file_writer.h"
#include "itt_ops.h"

static void assert_means(const struct vsamp_span *span, size_t spans, const char *means)
{
	static const struct vsamp_itt_counts none;
	char text[4096];

	meaning_text(text, sizeof(text), span, spans, &none);
	assert_string_equal(text, means);
}

/* The name of the task, or of the event, that a time is in; "-": none */
static const char *at(const struct vsamp_itt *itt, uint32_t tid, uint64_t time, bool event)
{
	const struct vsamp_span *span[2];

	vsamp_itt_at(itt, 10, tid, time, &span[0], &span[1]);
	return span[event] ? span[event]->name : "-";
}

static void test_at(void **state)
{
	struct vsamp_itt *itt = match("@2 Ba @4 Bb @6 E @8 E t2 @3 Oc#1 @5 Od#2 @7 X#1 @9 X#2 "
				      "t1 @10 Sx @12 Sy @14 Nx @16 Ny @20 Sz");
	static const char tasks[2][13] = { "--aabbaa----", "---ccdddd---" };

	for (uint32_t t = 0; t < 2; t++)
		for (uint64_t time = 0; time < 12; time++)
			assert_int_equal(at(itt, t + 1, time, false)[0], tasks[t][time]);
	for (uint64_t time = 8; time < 22; time++)
		assert_int_equal(at(itt, 1, time, true)[0], "--xxyyyy------"[time - 8]);
	assert_string_equal(at(itt, 1, UINT64_MAX, false), "-");
	assert_string_equal(at(itt, 3, 5, false), "-");
	assert_string_equal(at(itt, 77, 5, false), "-");
	vsamp_itt_free(itt);
}

static void test_paused(void **state)
{
	struct vsamp_itt *itt = match("@2 P @4 C @4 P @6 C @9 P");

	for (uint64_t time = 0; time < 12; time++)
		assert_int_equal(vsamp_itt_paused(itt, 10, time),
				 (time >= 2 && time < 6) || time >= 9);
	assert_false(vsamp_itt_paused(itt, 11, 3));
	assert_false(vsamp_itt_paused(itt, 9, 3));
	vsamp_itt_free(itt);
}

/* The name of the parent of the span of a name */
static const char *parent_of(const struct vsamp_itt *itt, const char *name)
{
	const struct vsamp_span *span, *parent;
	size_t spans = vsamp_itt_spans(itt, &span);

	for (size_t i = 0; i < spans; i++)
		if (!strcmp(span[i].name, name)) {
			parent = vsamp_itt_parent(itt, &span[i]);
			return parent ? parent->name : "-";
		}
	return "?";
}

static void test_parents(void **state)
{
	struct vsamp_itt *itt = match("@0 K3:1000000000:0 @1 Ga#7 @2 Bb^7 E Bc#8^7 @3 E "
				      "t2 @4 Bd^8 E t1 @5 Ge#7 @6 Bf^7 E $7 @7 Bg^7 E @8 Bh^9 E "
				      "@9 Bi^9~3:0 E Bj#9^8~3:1 E t2 @10 Bk^9 E");

	assert_string_equal(parent_of(itt, "b"), "a");
	assert_string_equal(parent_of(itt, "c"), "a");
	assert_string_equal(parent_of(itt, "d"), "c");
	assert_string_equal(parent_of(itt, "f"), "e"); /* the last definition */
	assert_string_equal(parent_of(itt, "g"), "-"); /* destroyed */
	assert_string_equal(parent_of(itt, "h"), "-"); /* not defined yet */
	/* those whose time moved them */
	assert_string_equal(parent_of(itt, "i"), "-");
	assert_string_equal(parent_of(itt, "j"), "c");
	assert_string_equal(parent_of(itt, "k"), "j");
	vsamp_itt_free(itt);
}

static void counter_set(struct mkitt *to, uint32_t handle, uint64_t time, uint64_t bits)
{
	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER_SET,
						.handle = handle,
						.time = time,
						.body = &bits,
						.body_size = sizeof(bits) });
}

static void test_counter_types(void **state)
{
	const union {
		float f;
		uint32_t bits;
	} f = { -1.5f };
	const union {
		double d;
		uint64_t bits;
	} d = { 1e100 };
	const struct {
		uint32_t type;
		uint64_t bits;
		double value;
	} types[] = {
		{ 0, 1ULL << 63, 0x1p63 },	     { VSAMP_ITT_U64, 7, 7 },
		{ VSAMP_ITT_S64, -7ULL, -7 },	     { VSAMP_ITT_U32, 0xffffffff, 4294967295.0 },
		{ VSAMP_ITT_S32, 0xffffffff, -1 },   { VSAMP_ITT_U16, 0xffff, 65535 },
		{ VSAMP_ITT_S16, 0xfffe, -2 },	     { VSAMP_ITT_FLOAT, f.bits, -1.5 },
		{ VSAMP_ITT_DOUBLE, d.bits, 1e100 },
	};
	struct mkitt to = { .thread = { 5, 5, 0 } };
	const struct vsamp_track *track;
	struct vsamp_itt *itt;

	mkitt_string(&to, 1, "group");
	for (uint32_t i = 0; i < 9; i++) {
		struct vsamp_itt_counter body = { 1, types[i].type };
		char name[] = { 'a' + i, 0 };

		counter_set(&to, i + 1, i, types[i].bits); /* the definition may be behind */
		mkitt_string(&to, i + 2, name);
		mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER,
							 .handle = i + 1,
							 .name = i + 2,
							 .body = &body,
							 .body_size = sizeof(body) });
	}
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_counters(itt, &track), 9);
	for (int i = 0; i < 9; i++) {
		assert_int_equal(track[i].name[0], 'a' + i);
		assert_string_equal(track[i].group, "group");
		assert_string_equal(track[i].unit, "");
		assert_int_equal(track[i].pid, 5);
		assert_int_equal(track[i].points, 1);
		assert_int_equal(track[i].point[0].time, i);
		assert_true(track[i].point[0].value == types[i].value);
	}
	vsamp_itt_free(itt);
}

/* Increments add up; what is told by domain and name is a counter too; the unit is metadata */
static void test_counter_sums(void **state)
{
	struct mkitt to = { .thread = { 5, 5, 0 } };
	struct vsamp_itt_counter_meta meta = { .kind = 5 };
	struct vsamp_itt_counter body = { 1, VSAMP_ITT_DOUBLE };
	const struct vsamp_track *track;
	static const double sums[] = { 12, 2, 3 };
	uint64_t nan, by[] = { 3, -1ULL, 10 };
	struct vsamp_itt *itt;
	double value = NAN;

	memcpy(&nan, &value, sizeof(nan));
	mkitt_string(&to, 1, "group");
	mkitt_string(&to, 2, "jobs");
	mkitt_string(&to, 3, "load");
	mkitt_string(&to, 4, "W");
	mkitt_call(&to,
		   (struct vsamp_itt_call){ .type = VSAMP_ITT_DOMAIN, .handle = 1, .name = 1 });
	mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER,
						 .handle = 1,
						 .name = 3,
						 .body = &body,
						 .body_size = sizeof(body) });
	mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER_META,
						 .handle = 1,
						 .name = 4,
						 .body = &meta,
						 .body_size = sizeof(meta) });
	for (uint64_t i = 0; i < 3; i++)
		mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER_ADD,
							 .handle = 1,
							 .name = 2,
							 .time = 7 - i, /* points go by time */
							 .body = &by[i],
							 .body_size = 8 });
	counter_set(&to, 1, 8, nan);
	counter_set(&to, 2, 9, 1); /* isn't defined */
	counter_set(&to, 1, 10, 0);
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_counters(itt, &track), 2);
	assert_string_equal(track[0].name, "jobs");
	assert_int_equal(track[0].points, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(track[0].point[i].time, 5 + i);
		assert_true(track[0].point[i].value == sums[i]);
	}
	assert_string_equal(track[1].name, "load");
	assert_string_equal(track[1].unit, "W");
	assert_int_equal(track[1].points, 1); /* what is no number is left out */
	assert_int_equal(vsamp_itt_counts(itt)->undefined, 1);
	vsamp_itt_free(itt);
}

void target_of_a_task(void);

void target_of_a_task(void)
{
}

/* The mapping of this program that an address is in */
static struct vsamp_itt_mapping own_mapping(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct vsamp_itt_mapping m = { 0 };
	unsigned long start, end, offset;
	char line[512];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			m = (struct vsamp_itt_mapping){ .start = start,
							.length = end - start,
							.offset = offset };
	fclose(maps);
	assert_true(m.length);
	return m;
}

static void task_fn(struct mkitt *to, uint64_t time, uint64_t address)
{
	mkitt_call(to, (struct vsamp_itt_call){
			       .type = VSAMP_ITT_TASK_BEGIN, .time = time, .fn = address });
	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_END, .time = time });
}

static void map(struct mkitt *to, uint64_t time, uint32_t path, struct vsamp_itt_mapping m)
{
	mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_MAPPING,
						.time = time,
						.name = path,
						.body = &m,
						.body_size = sizeof(m) });
}

static void test_function_names(void **state)
{
	uintptr_t address = (uintptr_t)target_of_a_task;
	struct vsamp_itt_mapping own = own_mapping(address), other = own;
	struct mkitt to = { .thread = { 5, 5, 0 } };
	const struct vsamp_span *span;
	struct vsamp_itt *itt;
	char path[4096] = { 0 };

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	mkitt_string(&to, 1, path);
	mkitt_string(&to, 2, "/nowhere/lib.so");
	task_fn(&to, 1, 0x9030); /* before its mapping is told */
	map(&to, 2, 1, own);
	task_fn(&to, 3, address);
	task_fn(&to, 4, 0x10);
	/* something else was loaded there */
	other.start = address & ~0xfffUL;
	other.length = 0x1000;
	other.offset = 0x5000;
	map(&to, 5, 2, other);
	task_fn(&to, 6, other.start + 0x20);
	other.start = 0x9000;
	map(&to, 7, 2, other);
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_spans(itt, &span), 4);
	assert_string_equal(span[0].name, "lib.so+0x5030");
	assert_string_equal(span[1].name, "target_of_a_task");
	assert_string_equal(span[2].name, "0x10");
	assert_string_equal(span[3].name, "lib.so+0x5020");
	vsamp_itt_free(itt);
}

static void test_diagnoses(void **state)
{
	struct vsamp_itt *itt = match("@0 Oa#7 d2 @1 Ob#7 @4 X#7 d1 @6 X#7 @7 E @8 Bx");
	static const char *const texts[] = {
		"process 10: id 7:0:0 (\"a\") of domain \"one\" is used in domain \"two\" too: it is "
		"of that from then on",
		"2 uses of an id that was of another domain",
		"1 ends of tasks have no begin in their thread",
		"1 tasks, regions or frames had no end of their own",
	};
	const char *const *text;

	assert_int_equal(vsamp_itt_diagnoses(itt, &text), 4);
	for (int i = 0; i < 4; i++)
		assert_string_equal(text[i], texts[i]);
	vsamp_itt_free(itt);
	itt = match("@0 Ba @1 E");
	assert_int_equal(vsamp_itt_diagnoses(itt, &text), 0);
	vsamp_itt_free(itt);
	/* a parent's id, of what has no name, and one that is told already */
	itt = match("@0 G#7 d2 @1 Bb^7 E d3 Bb^7 E #8 d4 #8");
	assert_int_equal(vsamp_itt_diagnoses(itt, &text), 3);
	assert_string_equal(text[0],
			    "process 10: id 7:0:0 of domain \"one\" is used in domain \"two\" "
			    "too: it is of that from then on");
	assert_string_equal(text[1], "process 10: id 8:0:0 of domain \"three\" is used in domain "
				     "\"four\" too: it is of that from then on");
	assert_string_equal(text[2], "3 uses of an id that was of another domain");
	vsamp_itt_free(itt);
}

/* 16 ids are told one by one, however many there are */
static void test_many_diagnoses(void **state)
{
	struct op ops[2 * 40];
	const char *const *text;
	struct vsamp_itt *itt;

	for (unsigned int i = 0; i < 80; i++)
		ops[i] = (struct op){
			.what = '#', .thread = 1, .domain = 1 + i / 40, .time = i, .id = 1 + i % 40
		};
	itt = ops_match(ops, 80, 90);
	assert_int_equal(vsamp_itt_diagnoses(itt, &text), 17);
	assert_non_null(strstr(text[15], "id 10:0:0 of domain \"one\""));
	assert_string_equal(text[16], "40 uses of an id that was of another domain");
	vsamp_itt_free(itt);
}

/* Names, and what calls that are counted alone add up to */
static void test_names_and_counts(void **state)
{
	struct mkitt to = { .thread = { 5, 6, 0 } };
	uint64_t n = 1000;
	struct vsamp_itt *itt;

	mkitt_text(&to, VSAMP_ITT_THREAD_NAME, 0, "worker");
	mkitt_text(&to, VSAMP_ITT_THREAD_NAME, 0, "better name");
	mkitt_string(&to, 1, "suppress_push");
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_CALLS, .name = 1, .body = &n, .body_size = 8 });
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_SYNC, .handle = 1, .body = &n, .body_size = 8 });
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_RELATION, .body = &n, .body_size = 8 });
	mkitt_call(&to, (struct vsamp_itt_call){ .type = 200 });
	itt = match_records(&to);
	assert_string_equal(vsamp_itt_thread_name(itt, 5, 6), "better name");
	assert_null(vsamp_itt_thread_name(itt, 5, 5));
	assert_int_equal(vsamp_itt_counts(itt)->others, 1000);
	assert_int_equal(vsamp_itt_counts(itt)->syncs, 1);
	assert_int_equal(vsamp_itt_counts(itt)->relations, 1);
	assert_int_equal(vsamp_itt_counts(itt)->unknown, 1);
	assert_int_equal(vsamp_itt_counts(itt)->records, 6);
	vsamp_itt_free(itt);
}

/* 100 tasks of 1, 2, .. 100 units; others that count, but not for durations */
static void test_stats(void **state)
{
	struct mkitt to = { .thread = { 5, 5, 0 } };
	struct vsamp_itt_stat *stat;
	struct vsamp_itt *itt;
	uint64_t time = 0;
	size_t count;

	mkitt_string(&to, 1, "a");
	mkitt_string(&to, 2, "b");
	mkitt_call(&to, (struct vsamp_itt_call){ .type = VSAMP_ITT_EVENT, .handle = 1, .name = 1 });
	for (uint64_t i = 100; i > 0; i--) {
		mkitt_call(&to, (struct vsamp_itt_call){
					.type = VSAMP_ITT_TASK_BEGIN, .time = time, .name = 1 });
		time += i;
		mkitt_call(&to,
			   (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_END, .time = time });
	}
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_EVENT_START, .time = time, .handle = 1 });
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_TASK_BEGIN, .time = time, .name = 2 });
	mkitt_call(&to, (struct vsamp_itt_call){
				.type = VSAMP_ITT_TASK_BEGIN, .time = time + 3, .name = 1 });
	mkitt_call(&to,
		   (struct vsamp_itt_call){ .type = VSAMP_ITT_THREAD_END, .time = time + 10000 });
	itt = match_records(&to);
	assert_int_equal(vsamp_itt_stats(itt, &stat, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_string_equal(stat[0].name, "a");
	assert_int_equal(stat[0].kind, VSAMP_SPAN_TASK);
	assert_int_equal(stat[0].count, 101);
	assert_int_equal(stat[0].cut, 1);
	assert_int_equal(stat[0].inclusive.total, 5050);
	assert_int_equal(stat[0].inclusive.min, 1);
	assert_int_equal(stat[0].inclusive.max, 100);
	assert_int_equal(stat[0].inclusive.p50, 50);
	assert_int_equal(stat[0].inclusive.p90, 90);
	assert_int_equal(stat[0].inclusive.p99, 99);
	assert_true(stat[0].inclusive.average == 50.5);
	assert_memory_equal(&stat[0].exclusive, &stat[0].inclusive, sizeof(stat[0].exclusive));
	assert_string_equal(stat[1].name, "b");
	assert_int_equal(stat[1].count, 1);
	assert_int_equal(stat[1].exclusive.total, 0);
	assert_int_equal(stat[2].kind, VSAMP_SPAN_EVENT);
	assert_int_equal(stat[2].ticks, 1);
	free(stat);
	vsamp_itt_free(itt);
}

/* What began in an earlier file is counted there, and isn't as long as what is seen of it */
static void test_continued(void **state)
{
	struct vsamp_itt *itt = match("@0 Ba+ Sb+ Se+ @4 E Nb @10 Ba @17 E @20 Sb @30 Ba+");
	struct vsamp_itt_stat *stat;
	size_t count;

	assert_int_equal(vsamp_itt_stats(itt, &stat, &count, NULL), 0);
	assert_int_equal(count, 3);
	assert_string_equal(stat[0].name, "a");
	assert_int_equal(stat[0].count, 1);
	assert_int_equal(stat[0].cut, 0);
	assert_int_equal(stat[0].inclusive.total, 7);
	assert_int_equal(stat[0].inclusive.min, 7);
	assert_string_equal(stat[1].name, "b");
	assert_int_equal(stat[1].count, 1);
	assert_int_equal(stat[1].ticks, 1);
	assert_string_equal(stat[2].name, "e");
	assert_int_equal(stat[2].count, 0);
	free(stat);
	vsamp_itt_free(itt);
}

static void assert_share(const struct vsamp_itt_share *share, uint64_t samples, double events,
			 uint64_t exclusive_samples, double exclusive_events)
{
	assert_int_equal(share->samples, samples);
	assert_true(share->events == events);
	assert_int_equal(share->exclusive_samples, exclusive_samples);
	assert_true(share->exclusive_events == exclusive_events);
}

/* One sample of event 0 at each time, and of event 1 at each even one, worth 10 and 3 */
static void test_tally(void **state)
{
	/* a 0-10, in it b 2-8 and in that a 4-6: a is one row; a pause from 5 to 6; c is on its own */
	struct vsamp_itt *itt = match("@0 Ba @2 Bb @4 Ba @5 P @6 C E @8 E @9 Se @10 E @12 Ne "
				      "t2 @3 Oc#1 @90 X#1");
	const struct vsamp_itt_share *share;
	const struct vsamp_itt_stat *stat;
	struct vsamp_itt_tally *tally;
	uint64_t paused;

	assert_int_equal(vsamp_itt_tally_new(&tally, itt, 2, NULL), 0);
	for (uint64_t t = 0; t < 14; t++) {
		assert_int_equal(vsamp_itt_tally_add(tally, 10, 1, t, 0, 10), t != 5);
		if (t % 2 == 0)
			assert_int_equal(vsamp_itt_tally_add(tally, 10, 1, t, 1, 3), 1);
	}
	assert_int_equal(vsamp_itt_tally_add(tally, 10, 2, 50, 0, 1), 1);
	assert_int_equal(vsamp_itt_tally_add(tally, 10, 99, 5, 0, 1), 0);
	assert_int_equal(vsamp_itt_tally_add(tally, 11, 1, 5, 0, 1), 1);
	assert_int_equal(vsamp_itt_tally_end(tally, &stat, &share, &paused), 4);
	assert_int_equal(paused, 2);
	/* a: 0-10 but 5; its own: 0, 1, 4, 8, 9 */
	assert_string_equal(stat[0].name, "a");
	assert_share(&share[0], 9, 90, 5, 50);
	assert_share(&share[1], 5, 15, 3, 9);
	/* b: 2-8 but 5; its own: 2, 3, 6, 7 */
	assert_string_equal(stat[1].name, "b");
	assert_share(&share[2], 5, 50, 4, 40);
	assert_share(&share[3], 3, 9, 2, 6);
	assert_string_equal(stat[2].name, "c");
	assert_share(&share[4], 1, 1, 1, 1);
	assert_share(&share[5], 0, 0, 0, 0);
	/* e: 9, 10, 11 */
	assert_string_equal(stat[3].name, "e");
	assert_share(&share[6], 3, 30, 3, 30);
	assert_share(&share[7], 1, 3, 1, 3);
	vsamp_itt_tally_free(tally);
	vsamp_itt_free(itt);
}

/* The records of a script, of calls that began to be collected at @start */
static void mk_ops(struct vsamp_writer *w, const char *script, uint64_t start)
{
	struct mkitt threads[OPS_THREADS];
	struct op ops[OPS_MAX];

	ops_encode(threads, ops, ops_parse(ops, script));
	for (int t = 0; t < OPS_THREADS; t++) {
		threads[t].thread.start = start;
		mkitt_write(w, &threads[t]);
		buf_free(&threads[t].records);
	}
}

/* A clock whose ticks are half a ns, two processes of one number, an exit, a counter of a device */
static void test_recording(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_track_id id = { 0, "GPU 0", "EU", "%" };
	static const uint64_t times[] = { 2040, 2020 };
	static const double values[] = { 1, 2 };
	uint32_t exit[6] = { 10, 1, 2, 1, 0, 0 };
	const struct vsamp_track *track;
	const struct vsamp_span *span, *task, *event;
	struct vsamp_timeline *timeline;
	struct vsamp_recording *rec;
	size_t n;

	mk_clock(w, 0, 2000, 0, 1000);
	mk_clock(w, 0, 3000, 0, 1500);
	mk_ops(w, "@2010 Ba @2020 P @2030 C t2 @2022 Bb", 2000);
	/* the exec: other numbers, other threads, another pause that goes on */
	mk_ops(w, "@2100 Bc @2110 E @2120 P", 2090);
	mk_sideband(w, 0, PERF_RECORD_EXIT, 0, exit, sizeof(exit), NULL, 1025);
	assert_int_equal(vsamp_writer_track(w, &id, times, values, 1, NULL), 0);
	assert_int_equal(vsamp_writer_track(w, &id, times + 1, values + 1, 1, NULL), 0);
	mk_close(w);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_timeline_new(&timeline, rec, NULL), 0);
	n = vsamp_timeline_spans(timeline, &span);
	assert_means(span, n,
		     "Ta 1005-1045 35/35 cut; Tc 1050-1055 5/5; T2b 1011-1025 10/10 cut; ");
	assert_string_equal(span[0].domain, "one");
	assert_int_equal(span[0].pid, 10);
	assert_true(vsamp_timeline_paused(timeline, 10, 1012));
	assert_false(vsamp_timeline_paused(timeline, 10, 1015));
	assert_true(vsamp_timeline_paused(timeline, 10, 1060));
	vsamp_timeline_at(timeline, 10, 1, 1052, &task, &event);
	assert_ptr_equal(task, &span[1]);
	assert_null(event);
	vsamp_timeline_at(timeline, 10, 1, 1055, &task, &event);
	assert_null(task);
	n = vsamp_timeline_tracks(timeline, &track);
	assert_int_equal(n, 1);
	assert_string_equal(track[0].unit, "%");
	assert_int_equal(track[0].points, 2);
	assert_int_equal(track[0].point[0].time, 1010);
	assert_true(track[0].point[0].value == 2 && track[0].point[1].value == 1);
	vsamp_timeline_free(timeline);
	vsamp_recording_close(rec);
}

/* Those of the recorder are of all processes, beside their own, and of all programs that they become */
static void test_paused_session(void **state)
{
	struct mkitt session = { .thread = { 0, 0, 0 } };
	static const struct vsamp_itt_call calls[] = {
		{ .type = VSAMP_ITT_PAUSE, .time = 40 },  { .type = VSAMP_ITT_RESUME, .time = 60 },
		{ .type = VSAMP_ITT_PAUSE, .time = 120 }, { .type = VSAMP_ITT_RESUME, .time = 140 },
		{ .type = VSAMP_ITT_PAUSE, .time = 200 },
	};
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_timeline *timeline;
	const struct vsamp_span *span;
	struct vsamp_recording *rec;
	size_t n;

	mk_clock(w, 0, 0, 0, 0);
	mk_clock(w, 0, 1000, 0, 500);
	mk_ops(w, "@20 Ba @42 Ps @44 Sx @50 P @58 Cs @64 Sy @70 C @80 E @82 Ny @84 Nx", 0);
	mk_ops(w, "@110 Bc @130 Bd @150 E @160 E @180 Be @220 E", 100);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		mkitt_call(&session, calls[i]);
	mkitt_write(w, &session);
	buf_free(&session.records);
	mk_close(w);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_timeline_new(&timeline, rec, NULL), 0);
	n = vsamp_timeline_spans(timeline, &span);
	assert_means(span, n,
		     "Ta 10-40 15/15; Tc 55-80 15/10; Td 65-75 5/5 depth 1; Te 90-110 10/10; ");
	for (uint64_t time = 0; time < 120; time++)
		assert_int_equal(vsamp_timeline_paused(timeline, 10, time),
				 (time >= 20 && time < 35) || (time >= 60 && time < 70) ||
					 time >= 100);
	vsamp_timeline_free(timeline);
	vsamp_recording_close(rec);
}

/* Also of what its pid was before, unless that had a collector */
static void test_paused_start(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_timeline *timeline;
	struct vsamp_recording *rec;

	mk_clock(w, 0, 0, 0, 0);
	mk_clock(w, 0, 1000, 0, 500);
	mk_ops(w, "@20 Pb Ba @30 C @40 E", 20);
	mk_ops(w, "@60 Pb @70 C @80 Ba @90 E", 60);
	mk_close(w);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_timeline_new(&timeline, rec, NULL), 0);
	for (uint64_t time = 0; time < 50; time++)
		assert_int_equal(vsamp_timeline_paused(timeline, 10, time),
				 time < 15 || (time >= 30 && time < 35));
	vsamp_timeline_free(timeline);
	vsamp_recording_close(rec);
}

static size_t count_trace(struct vsamp_recording *rec, unsigned int flags)
{
	struct vsamp_trace_sample sample;
	struct vsamp_trace *trace;
	struct vsamp_item item;
	size_t n = 0;
	int ret;

	assert_int_equal(vsamp_trace_new(&trace, rec, flags, NULL), 0);
	while ((ret = vsamp_trace_next(trace, &item, &sample, NULL)) > 0)
		n += ret == 2;
	assert_int_equal(ret, 0);
	vsamp_trace_free(trace);
	return n;
}

/* Samples in pauses of their process are in no row, whatever the rows are by */
static void test_paused_samples(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_profile_options options = { 0 };
	struct vsamp_profile_row *row;
	struct vsamp_profile *profile;
	struct vsamp_recording *rec;
	size_t n;

	mk_clock(w, 0, 0, 0, 0);
	mk_clock(w, 0, 1000, 0, 1000);
	mk_ops(w, "t2 @20 P @30 C @35 Bx @40 E", 0);
	for (uint64_t t = 0; t < 50; t++) {
		mk_sample(w, 0, 0, true, t, 0x10, 10); /* 10 of 50 are in the pause */
		mk_sample(w, 0, 0, true, t, 0x10, 11);
	}
	mk_close(w);
	for (int filtered = 0; filtered < 2; filtered++) {
		uint32_t pid = 11;

		options.filter.pid = &pid;
		options.filter.pids = filtered;
		assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
		assert_int_equal(vsamp_profile_new(&profile, rec, &options, NULL), 0);
		assert_int_equal(vsamp_profile_paused(profile), filtered ? 0 : 10);
		assert_int_equal(vsamp_profile_rows(profile, VSAMP_BY_PID, 0, &row, &n, NULL), 0);
		assert_int_equal(n, filtered ? 1 : 2);
		assert_int_equal(row[0].samples[0], 50);
		if (!filtered)
			assert_int_equal(row[1].samples[0], 40);
		free(row);
		vsamp_profile_free(profile);
		assert_int_equal(count_trace(rec, 0), 90);
		assert_int_equal(count_trace(rec, VSAMP_TRACE_PAUSED), 100);
		vsamp_recording_close(rec);
	}
}

/* A timeline without anything is one, too */
static void test_empty(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_track *track;
	const struct vsamp_span *span, *event;
	struct vsamp_timeline *timeline;
	struct vsamp_recording *rec;

	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_timeline_new(&timeline, rec, NULL), 0);
	assert_int_equal(vsamp_timeline_spans(timeline, &span), 0);
	assert_int_equal(vsamp_timeline_tracks(timeline, &track), 0);
	assert_false(vsamp_timeline_paused(timeline, 1, 1));
	vsamp_timeline_at(timeline, 1, 1, 1, &span, &event);
	assert_true(!span && !event);
	vsamp_timeline_free(timeline);
	vsamp_recording_close(rec);
}

/* A chunk of anything */
static void mk_chunk(struct vsamp_writer *w, uint16_t type, const void *data, size_t size,
		     uint32_t count)
{
	struct chunk_header h = { .type = type, .cpu = VSAMP_CPU_NONE, .count = count };
	struct buf raw = { 0 };

	assert_int_equal(buf_add(&raw, data, size), 0);
	assert_int_equal(writer_chunk(w, &h, &raw, NULL, 0, NULL), 0);
	buf_free(&raw);
}

static void test_hostile_chunks(void **state)
{
	static const uint8_t payload[][32] = {
		{ 1, 0, 0, 0, 1 }, /* a record without a size */
		{ 1, 0, 0, 0, 1, [24] = VSAMP_ITT_TASK_END, [26] = 24 },
		{ 1, 0, 0, 0, 1, [24] = VSAMP_ITT_TASK_END, [25] = 0x80, [26] = 16 },
	};

	for (size_t i = 0; i < 2 * sizeof(payload) / sizeof(*payload); i++) {
		uint16_t type = i % 2 ? VSAMP_CHUNK_TRACK : VSAMP_CHUNK_ITT;
		struct vsamp_writer *w = mk_open(path);
		struct vsamp_timeline *timeline;
		struct vsamp_recording *rec;
		struct vsamp_error err;

		mk_chunk(w, type, payload[i / 2], i == 4 ? 15 : 32, 1);
		mk_close(w);
		assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
		assert_int_equal(vsamp_timeline_new(&timeline, rec, &err), -EBADMSG);
		assert_non_null(strstr(err.text, ": its contents make no sense"));
		vsamp_recording_close(rec);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at),
		cmocka_unit_test(test_paused),
		cmocka_unit_test(test_parents),
		cmocka_unit_test(test_counter_types),
		cmocka_unit_test(test_counter_sums),
		cmocka_unit_test(test_function_names),
		cmocka_unit_test(test_diagnoses),
		cmocka_unit_test(test_many_diagnoses),
		cmocka_unit_test(test_names_and_counts),
		cmocka_unit_test(test_stats),
		cmocka_unit_test(test_continued),
		cmocka_unit_test(test_tally),
		cmocka_unit_test_setup_teardown(test_recording, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_paused_samples, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_paused_session, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_paused_start, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_empty, mk_setup, mk_teardown),
		cmocka_unit_test_setup_teardown(test_hostile_chunks, mk_setup, mk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
