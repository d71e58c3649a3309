// SPDX-License-Identifier: MIT
/*
 * Recordings of several sets, one after the other or in time slices, and of Sample-After values that
 * change: what the file tells of each event, and what its samples stand for
 */
#include "mkfile.h"

#include <math.h>

#include <vsamp/meta.h>
#include <vsamp/profile.h>

#define EVENT(i, name, set, sav, more)                                           \
	"{\"index\":" #i ",\"name\":\"" name "\",\"set\":" #set ",\"sav\":" #sav \
	",\"sav_source\":\"default\",\"calibration\":\"off\"" more "}"

#define META(sets, mux, events)                                                                 \
	"{\"version\":1,\"boot_id\":\"b\",\"clock\":{\"source\":\"tsc\",\"khz\":2000000},"      \
	"\"calibration\":{\"mode\":\"all\",\"scope\":\"cpu\",\"sav_floor\":100,\"sets\":" #sets \
	",\"mux_ms\":" #mux "},\"events\":[" events "]}"

/* Set after set */
#define META_SETS     \
	META(2, null, \
	     EVENT(0, "A", 0, 1000, "") "," EVENT(1, "B", 1, 77, "") "," EVENT(2, "C", 1, 88, ""))

/* In time slices */
#define META_MUX META(2, 10, EVENT(0, "A", 0, 1000, ",\"target\":40") "," EVENT(1, "B", 1, 500, ""))

#define RUN_1                                                                               \
	"{\"set\":1,\"events\":[{\"index\":1,\"sav\":300,\"sav_source\":\"calibrated\","    \
	"\"calibration\":\"run\",\"counted\":6000,\"cal_ns\":2000000000,\"target\":20},"    \
	"{\"index\":2,\"sav\":88,\"sav_source\":\"explicit\",\"calibration\":\"explicit\"," \
	"\"counted\":null,\"cal_ns\":null,\"target\":null}]}"

static struct vsamp_recording *open_made(void)
{
	struct vsamp_recording *rec;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	return rec;
}

/* The text of the warning that begins with @begin, NULL: there is none */
static const char *warning(const struct vsamp_recording *rec, const char *begin)
{
	const char *const *text;
	size_t n = vsamp_recording_warnings(rec, &text);

	for (size_t i = 0; i < n; i++)
		if (!strncmp(text[i], begin, strlen(begin)))
			return text[i];
	return NULL;
}

static void mk_samples(struct vsamp_writer *w, unsigned int n, uint32_t cpu, uint16_t event,
		       uint64_t time, uint32_t pid)
{
	while (n--)
		mk_sample(w, cpu, event, false, time++, 0xffffffff81001004, pid);
}

/* A's run with 3 samples, then B's and C's with 18 and 2 */
static struct vsamp_writer *make_sets(void)
{
	struct vsamp_writer *w = mk_open_meta(path, META_SETS);

	mk_clock(w, 0, 1000, 2, 500);
	mk_samples(w, 3, 0, 0, 2000, 1);
	mk_json(w, VSAMP_CHUNK_RUN, RUN_1);
	mk_samples(w, 18, 0, 1, 3000, 1);
	mk_samples(w, 2, 0, 2, 3100, 2);
	return w;
}

static void test_sets(void **state)
{
	struct vsamp_writer *w = make_sets();
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_json(w, VSAMP_CHUNK_END,
		"{\"reason\":\"exit\",\"elapsed_ns\":5000,\"runs\":["
		"{\"set\":0,\"reason\":\"exit\",\"elapsed_ns\":2000,\"exit_status\":0},"
		"{\"set\":1,\"reason\":\"exit\",\"elapsed_ns\":3000,\"exit_status\":0}],"
		"\"cpus\":[{\"cpu\":0,\"produced\":24,\"written\":24,\"lost\":0,\"read\":24}],"
		"\"events\":[{\"index\":0,\"sav\":1000,\"count\":3000,\"samples\":3,\"target\":3},"
		"{\"index\":1,\"sav\":300,\"count\":5400,\"samples\":18,\"target\":20},"
		"{\"index\":2,\"sav\":88,\"count\":200,\"samples\":2,\"target\":null}]}");
	mk_close(w);
	rec = open_made();
	assert_int_equal(vsamp_recording_events(rec, &e), 3);
	assert_int_equal(e[0].set, 0);
	assert_int_equal(e[0].sav, 1000);
	assert_int_equal(e[0].elapsed, 2000);
	assert_int_equal(e[0].target, 3); /* known only at the end */
	assert_string_equal(e[0].calibration, "off");
	assert_int_equal(e[0].cal_ns, VSAMP_UNKNOWN);
	assert_float_equal(e[0].deviation, 0, 1e-9);
	assert_string_equal(e[0].miss, "");

	assert_int_equal(e[1].set, 1);
	assert_int_equal(e[1].sav, 300);
	assert_int_equal(e[1].sav_end, 300);
	assert_string_equal(e[1].sav_source, "calibrated");
	assert_string_equal(e[1].calibration, "run");
	assert_int_equal(e[1].counted, 6000);
	assert_int_equal(e[1].cal_ns, 2000000000);
	assert_int_equal(e[1].elapsed, 3000);
	assert_float_equal(e[1].deviation, -10, 1e-9);
	assert_true(e[1].miss[0]);
	assert_float_equal(e[1].estimated, 18 * 300, 0);

	assert_string_equal(e[2].calibration, "explicit");
	assert_int_equal(e[2].target, VSAMP_UNKNOWN);
	assert_true(isnan(e[2].deviation));
	assert_string_equal(e[2].miss, "");
	assert_float_equal(e[2].share, 1, 0);
	assert_float_equal(e[2].estimated, 2 * 88, 0);
	assert_null(warning(rec, "event"));
	vsamp_recording_close(rec);
}

/* What held back one set's run is no reason for what another set's events missed */
static void test_throttled_set(void **state)
{
	struct vsamp_record_throttle throttle = {
		.h = { VSAMP_RECORD_THROTTLE, sizeof(throttle) },
		.time = 2900,
	};
	struct vsamp_writer *w = mk_open_meta(path, META_SETS);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_samples(w, 3, 0, 0, 2000, 1);
	mk_record(w, 0, &throttle);
	mk_json(w, VSAMP_CHUNK_RUN, RUN_1);
	mk_samples(w, 18, 0, 1, 3000, 1);
	/* one of the two times, the records tell of it */
	mk_json(w, VSAMP_CHUNK_END,
		"{\"reason\":\"exit\",\"elapsed_ns\":5000,\"runs\":["
		"{\"set\":0,\"reason\":\"exit\",\"elapsed_ns\":2000,\"throttled\":2},"
		"{\"set\":1,\"reason\":\"exit\",\"elapsed_ns\":3000,\"throttled\":0}],"
		"\"cpus\":[{\"cpu\":0,\"produced\":22,\"written\":22,\"lost\":0,\"read\":22,"
		"\"throttled\":2}],"
		"\"events\":[{\"index\":0,\"sav\":1000,\"count\":3000,\"samples\":3,\"target\":6},"
		"{\"index\":1,\"sav\":300,\"count\":5400,\"samples\":18,\"target\":20}]}");
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_string_equal(e[0].miss, "sampling was held back 2 times");
	assert_string_equal(e[1].miss, "0.90 times the events of the calibration run came");
	vsamp_recording_close(rec);
}

/* What was gathered before a run begins is before it in the file */
static void test_run_flushes(void **state)
{
	static const uint16_t types[] = { VSAMP_CHUNK_META, VSAMP_CHUNK_RECORDS, VSAMP_CHUNK_RUN,
					  VSAMP_CHUNK_RECORDS };
	const struct vsamp_chunk *chunk;
	struct vsamp_recording *rec;

	mk_close(make_sets());
	rec = open_made();
	assert_int_equal(vsamp_reader_chunks(vsamp_recording_reader(rec), &chunk), 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(chunk[i].type, types[i]);
	assert_int_equal(chunk[1].count, 4);
	assert_int_equal(chunk[3].count, 20);
	vsamp_recording_close(rec);
}

/* Ended in the first set's run: nothing is said of the others but that */
static void test_sets_without_turn(void **state)
{
	struct vsamp_writer *w = mk_open_meta(path, META_SETS);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_samples(w, 3, 0, 0, 2000, 1);
	mk_json(w, VSAMP_CHUNK_END,
		"{\"reason\":\"signal\",\"elapsed_ns\":2000,\"runs\":["
		"{\"set\":0,\"reason\":\"signal\",\"elapsed_ns\":2000,\"exit_status\":null}],"
		"\"cpus\":[{\"cpu\":0,\"produced\":3,\"written\":3,\"lost\":0,\"read\":3}],"
		"\"events\":[{\"index\":1,\"target\":50}]}");
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_int_equal(e[0].elapsed, 2000);
	assert_int_equal(e[1].elapsed, VSAMP_UNKNOWN);
	assert_float_equal(e[1].deviation, -100, 1e-9);
	assert_string_equal(e[1].miss, "the recording ended before its set's turn");
	assert_string_equal(
		warning(rec, "event"),
		"events B, C were not recorded: the recording ended before their set's turn");
	vsamp_recording_close(rec);
}

/* Without totals: a set whose run began was recorded, the others were not */
static void test_cut_off(void **state)
{
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_close(make_sets());
	rec = open_made();
	assert_null(warning(rec, "event"));
	vsamp_recording_events(rec, &e);
	assert_int_equal(e[1].sav, 300);
	assert_int_equal(e[1].samples, 18);
	assert_string_equal(e[1].miss, "the recording is incomplete");
	assert_int_equal(e[1].elapsed, VSAMP_UNKNOWN);
	vsamp_recording_close(rec);

	mk_close(mk_open_meta(path, META_SETS));
	rec = open_made();
	assert_non_null(warning(rec, "events B, C were not recorded"));
	vsamp_recording_close(rec);
}

struct expect {
	uint32_t pid;
	uint64_t samples[2];
	double events[2];
};

static void check_pids(const uint32_t *pids, size_t n_pids, const struct expect *expect, size_t n)
{
	struct vsamp_recording *rec = open_made();
	struct vsamp_profile_row *rows;
	struct vsamp_profile *p;
	struct vsamp_profile_options options = { .filter = { .pid = pids, .pids = n_pids } };
	size_t count;

	assert_int_equal(vsamp_profile_new(&p, rec, &options, NULL), 0);
	assert_int_equal(vsamp_profile_rows(p, VSAMP_BY_PROCESS, 0, &rows, &count, NULL), 0);
	assert_int_equal(count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(rows[i].pid, expect[i].pid);
		for (size_t e = 0; e < 2; e++) {
			assert_int_equal(rows[i].samples[e], expect[i].samples[e]);
			assert_float_equal(rows[i].events[e], expect[i].events[e], 1e-6);
		}
	}
	free(rows);
	vsamp_profile_free(p);
	vsamp_recording_close(rec);
}

/*
 * The value of event 0 changes on CPU 0 from 1000 to 2500 to 10, on CPU 1 at another time to 3000;
 * event 1 keeps its 77. Pid 5 has 4 samples of event 0, pid 6 has 4 that stand for less.
 */
static void make_changes(void)
{
	struct vsamp_writer *w = mk_open(path);

	mk_clock(w, 0, 1000, 2, 500);
	mk_sample(w, 0, 0, true, 2000, 0, 5); /* 1000 */
	mk_sav(w, 0, 0, 2001, 2500);
	mk_sample(w, 0, 0, true, 2010, 0, 5); /* 2500 */
	mk_sample(w, 0, 1, true, 2011, 0, 5); /* 77 */
	mk_sample(w, 1, 0, true, 2012, 0, 6); /* 1000: CPU 1 has no other yet */
	mk_sav(w, 1, 0, 2020, 3000);
	mk_sample(w, 1, 0, true, 2030, 0, 5); /* 3000 */
	mk_sample(w, 0, 0, true, 2030, 0, 5); /* 2500 */
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	mk_sample(w, 0, 0, true, 2030, 0, 6); /* 2500, of the chunk before */
	mk_sav(w, 0, 0, 2040, 10);
	mk_sample(w, 0, 0, true, 2040, 0, 6); /* 10 */
	assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	mk_sample(w, 0, 0, true, 2039, 0, 6); /* 10: its time was read before it was interrupted */
	mk_close(w);
}

static void test_changing_sav(void **state)
{
	static const struct expect expect[] = {
		{ 5, { 4, 1 }, { 1000 + 2500 + 3000 + 2500, 77 } },
		{ 6, { 4, 0 }, { 1000 + 2500 + 10 + 10, 0 } },
	};
	static const uint32_t six = 6;
	const struct vsamp_recording_totals *t;
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	make_changes();
	check_pids(NULL, 0, expect, 2);
	check_pids(&six, 1, &expect[1], 1);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_float_equal(e[0].estimated, 9000 + 3520, 0);
	assert_float_equal(e[1].estimated, 77, 0);
	assert_int_equal(e[0].sav, 1000);
	assert_int_equal(e[0].sav_end, 10);
	assert_int_equal(e[1].sav_end, 77);
	t = vsamp_recording_totals(rec);
	assert_int_equal(t->sav_changes, 3);
	assert_int_equal(t->records, 13);
	vsamp_recording_close(rec);
}

/* Values that changed in the first set's run; the second begins with its own */
static void test_changing_sav_then_run(void **state)
{
	static const struct expect expect[] = {
		{ 1, { 2, 3 }, { 1000 + 4000, 3 * 300 } },
	};
	struct vsamp_writer *w = mk_open_meta(path, META_SETS);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_samples(w, 1, 0, 0, 2000, 1);
	mk_sav(w, 0, 0, 2010, 4000);
	mk_samples(w, 1, 0, 0, 2020, 1);
	mk_json(w, VSAMP_CHUNK_RUN, RUN_1);
	mk_samples(w, 3, 0, 1, 3000, 1);
	mk_close(w);
	check_pids(NULL, 0, expect, 1);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_float_equal(e[0].estimated, 5000, 0);
	assert_float_equal(e[1].estimated, 900, 0);
	vsamp_recording_close(rec);
}

/* Rows are in the order of events, which is another one than that of samples */
static void test_order_by_events(void **state)
{
	static const struct expect expect[] = {
		{ 6, { 1, 0 }, { 5000, 0 } },
		{ 5, { 3, 0 }, { 3000, 0 } },
	};
	struct vsamp_writer *w = mk_open(path);

	mk_samples(w, 3, 0, 0, 2000, 5);
	mk_sav(w, 0, 0, 2010, 5000);
	mk_samples(w, 1, 0, 0, 2011, 6);
	mk_close(w);
	check_pids(NULL, 0, expect, 2);
}

/* Of CPU 0 and 1, by the totals: A was counted for 1/4 of the time, B for 3/4 */
static void test_slices(void **state)
{
	static const struct expect expect[] = {
		{ 1, { 10, 3 }, { 4 * 10 * 1000, 3 * 500 * 4 / 3 } }
	};
	struct vsamp_writer *w = mk_open_meta(path, META_MUX);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_clock(w, 0, 1000, 2, 500);
	mk_samples(w, 10, 0, 0, 2000, 1);
	mk_set(w, 0, 0, 2100, 100, 100);
	mk_samples(w, 3, 0, 1, 2200, 1);
	mk_set(w, 0, 1, 2200, 200, 100);
	mk_json(w, VSAMP_CHUNK_END,
		"{\"reason\":\"exit\",\"elapsed_ns\":5000,\"runs\":["
		"{\"set\":0,\"reason\":\"exit\",\"elapsed_ns\":5000,\"exit_status\":0}],"
		"\"cpus\":[{\"cpu\":0,\"produced\":16,\"written\":16,\"lost\":0,\"read\":16}],"
		"\"events\":[{\"index\":0,\"count\":9999,\"samples\":10,\"enabled\":800,\"running\":200},"
		"{\"index\":1,\"count\":1600,\"samples\":3,\"enabled\":800,\"running\":600}]}");
	mk_close(w);
	check_pids(NULL, 0, expect, 1);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_float_equal(e[0].share, 0.25, 0);
	assert_float_equal(e[1].share, 0.75, 0);
	assert_float_equal(e[0].estimated, 40000, 0);
	assert_float_equal(e[1].estimated, 2000, 1e-9);
	/* 10 samples in a quarter of the time are the 40 that were aimed at */
	assert_float_equal(e[0].deviation, 0, 1e-9);
	assert_int_equal(e[0].elapsed, 5000);
	assert_int_equal(e[1].elapsed, 5000);
	assert_int_equal(vsamp_recording_totals(rec)->swaps, 2);
	assert_null(warning(rec, "event"));
	vsamp_recording_close(rec);
}

/*
 * Without totals the records tell, of each CPU and set the last one: A had 300 + 50 of 500 + 100
 * ticks, B the rest. The first CPU ended with B's slice, the second with A's.
 */
static void test_slices_cut_off(void **state)
{
	struct vsamp_writer *w = mk_open_meta(path, META_MUX);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_set(w, 0, 0, 2100, 100, 100);
	mk_set(w, 0, 1, 2200, 200, 100);
	mk_set(w, 0, 0, 2400, 400, 300);
	mk_set(w, 0, 1, 2500, 500, 200);
	mk_set(w, 1, 1, 2050, 50, 50);
	mk_set(w, 1, 0, 2100, 100, 50);
	mk_samples(w, 7, 1, 0, 2090, 1);
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_float_equal(e[0].share, 350.0 / 600, 1e-12);
	assert_float_equal(e[1].share, 250.0 / 600, 1e-12);
	assert_float_equal(e[0].estimated, 7000 / (350.0 / 600), 1e-6);
	vsamp_recording_close(rec);
}

/* A set that had no slice, and one that had little */
static void test_slices_unfair(void **state)
{
	struct vsamp_writer *w = mk_open_meta(path, META_MUX);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_set(w, 0, 0, 2100, 100, 100);
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_float_equal(e[0].share, 1, 0);
	assert_float_equal(e[1].share, 1, 0);
	assert_string_equal(warning(rec, "event"),
			    "event B was not recorded: the recording ended before its set's turn");
	vsamp_recording_close(rec);

	w = mk_open_meta(path, META_MUX);
	mk_set(w, 0, 0, 2100, 80, 80);
	mk_set(w, 0, 1, 2110, 100, 20);
	mk_close(w);
	rec = open_made();
	assert_non_null(
		warning(rec, "event B was counted for 20 % of the time, instead of 50 %: "));
	vsamp_recording_close(rec);
}

/* As recorded by the command: written from its structures, and read back */
static const struct vsamp_event events[] = {
	{ .name = "INST", .user = true, .sav = 2003, .sav_source = VSAMP_SAV_CALIBRATED },
	{ .name = "BRANCHES",
	  .kernel = true,
	  .sav = 400,
	  .sav_source = VSAMP_SAV_CONFIG,
	  .set = 1 },
};

static const struct vsamp_cal_event cal[] = {
	{ .how = VSAMP_CAL_RUN, .counted = 200300.4, .target = 100, .cal_ns = 1500000000 },
	{ .how = VSAMP_CAL_ZERO, .counted = 0, .target = NAN, .cal_ns = 1000000000 },
};

static const struct vsamp_meta meta = {
	.caps = &(struct vsamp_cpu_caps){ .clock = VSAMP_CLOCK_TSC, .clock_khz = 2000000 },
	.cal_mode = VSAMP_CAL_ALL,
	.adaptive = true,
	.sav_floor = 1000,
	.runs = 4,
	.sets = 2,
	.interval_ms = 1,
	.duration_s = NAN,
	.events = events,
	.event = cal,
	.n_events = 2,
};

static void put(struct vsamp_writer *w, enum vsamp_chunk_type type, struct json_object *o)
{
	assert_non_null(o);
	assert_int_equal(vsamp_writer_json(w, type, o, NULL), 0);
	json_object_put(o);
}

static const char *at(struct json_object *o, const char *pointer)
{
	struct json_object *v;

	assert_int_equal(json_pointer_get(o, pointer, &v), 0);
	return v ? json_object_get_string(v) : "null";
}

static void check_end(struct json_object *end)
{
	assert_string_equal(at(end, "/reason"), "signal");
	assert_string_equal(at(end, "/elapsed_ns"), "30");
	assert_string_equal(at(end, "/exit_status"), "null");
	assert_string_equal(at(end, "/runs/0/exit_status"), "7");
	assert_string_equal(at(end, "/runs/0/throttled"), "3");
	assert_string_equal(at(end, "/runs/1/set"), "1");
	assert_string_equal(at(end, "/runs/1/elapsed_ns"), "20");
	assert_string_equal(at(end, "/events/0/enabled"), "null");
	assert_string_equal(at(end, "/events/1/enabled"), "64");
	assert_string_equal(at(end, "/events/1/running"), "16");
}

static void test_written_and_read(void **state)
{
	static const struct vsamp_end_run runs[] = { { "exit", 10, 7, 3 },
						     { "signal", 20, -1, 0 } };
	struct vsamp_recorder_totals totals = {
		.count = { 1, 2 },
		.samples = { 3, 4 },
		.overflows = { 5, 6 },
		.enabled = { 0, 64 },
		.running = { 0, 16 },
	};
	const struct vsamp_end end = { runs, 2, &totals, events, cal, 2, NULL, 0 };
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;
	struct vsamp_writer *w;

	assert_int_equal(vsamp_writer_open(&w, path, NULL), 0);
	put(w, VSAMP_CHUNK_META, vsamp_meta_json(&meta));
	put(w, VSAMP_CHUNK_RUN, vsamp_run_json(&meta, 1));
	put(w, VSAMP_CHUNK_END, vsamp_end_json(&end));
	mk_close(w);
	rec = open_made();
	assert_int_equal(vsamp_recording_events(rec, &e), 2);
	assert_string_equal(e[0].calibration, "run");
	assert_int_equal(e[0].counted, 200300);
	assert_int_equal(e[0].cal_ns, 1500000000);
	assert_int_equal(e[0].target, 100);
	assert_int_equal(e[0].overflows, 5);
	assert_int_equal(e[0].elapsed, 10);
	assert_float_equal(e[0].share, 1, 0);
	assert_int_equal(e[1].set, 1);
	assert_string_equal(e[1].sav_source, "config");
	assert_string_equal(e[1].calibration, "zero");
	assert_int_equal(e[1].counted, 0);
	assert_int_equal(e[1].target, VSAMP_UNKNOWN);
	assert_int_equal(e[1].elapsed, 20);
	assert_float_equal(e[1].share, 0.25, 0);
	assert_string_equal(at(vsamp_recording_meta(rec), "/calibration/adaptive"), "true");
	assert_string_equal(at(vsamp_recording_meta(rec), "/calibration/mux_ms"), "null");
	assert_string_equal(at(vsamp_recording_meta(rec), "/calibration/sav_floor"), "1000");
	check_end(vsamp_recording_end(rec));
	vsamp_recording_close(rec);
}

static void hostile_run(const char *run)
{
	struct vsamp_writer *w = mk_open_meta(path, META_SETS);
	struct vsamp_recording *rec;
	struct vsamp_error err;

	mk_json(w, VSAMP_CHUNK_RUN, run);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, &err), -EBADMSG);
	assert_non_null(strstr(err.text, path));
}

static void test_hostile_runs(void **state)
{
	static const char *const runs[] = {
		"[1]",
		"{}",
		"{\"set\":1}",
		"{\"set\":1,\"events\":[]}",
		"{\"set\":1,\"events\":7}",
		"{\"set\":1,\"events\":[7]}",
		"{\"set\":1,\"events\":[{\"index\":3,\"sav\":1}]}",
		"{\"set\":1,\"events\":[{\"index\":-1,\"sav\":1}]}",
		"{\"set\":1,\"events\":[{\"index\":0,\"sav\":1}]}", /* of the other set */
		"{\"set\":1,\"events\":[{\"index\":1}]}",
		"{\"set\":1,\"events\":[{\"index\":1,\"sav\":0}]}",
		"{\"set\":1,\"events\":[{\"index\":1,\"sav\":-5}]}",
		"{\"set\":0,\"events\":[{\"index\":0,\"sav\":1}]}", /* META tells of it */
		"{\"set\":2,\"events\":[{\"index\":1,\"sav\":1}]}",
		"{\"set\":-1,\"events\":[{\"index\":1,\"sav\":1}]}",
		"{\"set\":\"1\",\"events\":[{\"index\":1,\"sav\":1}]}",
	};
	struct vsamp_writer *w;
	struct vsamp_recording *rec;

	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
		hostile_run(runs[i]);

	/* twice the same, and one where all sets are one run */
	w = make_sets();
	mk_json(w, VSAMP_CHUNK_RUN, RUN_1);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), -EBADMSG);
	w = mk_open_meta(path, META_MUX);
	mk_json(w, VSAMP_CHUNK_RUN, "{\"set\":1,\"events\":[{\"index\":1,\"sav\":5}]}");
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), -EBADMSG);
}

static void test_hostile_meta(void **state)
{
	static const char *const metas[] = {
		META(1, null, EVENT(0, "A", 1, 5, "")),
		META(2000000000, null, EVENT(0, "A", 1, 5, "")),
		META(2, null, EVENT(0, "A", 4294967296, 5, "")),
		META(1, null, EVENT(1, "A", 0, 5, "")),
	};
	struct vsamp_recording *rec;

	for (size_t i = 0; i < sizeof(metas) / sizeof(metas[0]); i++) {
		mk_close(mk_open_meta(path, metas[i]));
		assert_int_equal(vsamp_recording_open(&rec, path, NULL), -EBADMSG);
	}
}

static int open_with(const void *record)
{
	struct vsamp_writer *w = mk_open_meta(path, META_MUX);
	struct vsamp_recording *rec;
	int ret;

	mk_record(w, 0, record);
	mk_close(w);
	ret = vsamp_recording_open(&rec, path, NULL);
	if (!ret)
		vsamp_recording_close(rec);
	return ret;
}

static void test_hostile_records(void **state)
{
	const struct vsamp_record_sav good_sav = { { VSAMP_RECORD_SAV, 24, 1, 0 }, 1, 5 };
	const struct vsamp_record_set good_set = { { VSAMP_RECORD_SET, 32, 1, 0 }, 1, 5, 5 };
	struct vsamp_record_sav sav = good_sav;
	struct vsamp_record_set set = good_set;
	struct vsamp_writer *w;

	assert_int_equal(open_with(&sav), 0);
	sav.sav = UINT64_MAX;
	assert_int_equal(open_with(&sav), 0);
	sav.sav = 0;
	assert_int_equal(open_with(&sav), -EBADMSG);
	sav = good_sav;
	sav.h.event = 2;
	assert_int_equal(open_with(&sav), -EBADMSG);
	assert_int_equal(open_with(&set), 0);
	set.running = 6;
	assert_int_equal(open_with(&set), -EBADMSG);
	set = good_set;
	set.h.event = 2;
	assert_int_equal(open_with(&set), -EBADMSG);
	set.enabled = 0;
	set.running = 0;
	set.h.event = 0;
	assert_int_equal(open_with(&set), 0);

	/* too short for what they are */
	w = mk_open_meta(path, META_MUX);
	sav.h.size = 16;
	assert_int_equal(vsamp_writer_records(w, 0, &sav, 16, NULL), -EINVAL);
	set.h.size = 24;
	assert_int_equal(vsamp_writer_records(w, 0, &set, 24, NULL), -EINVAL);
	mk_close(w);
}

/* Times that go back can't make a part of more than all */
static void test_hostile_slices(void **state)
{
	struct vsamp_writer *w = mk_open_meta(path, META_MUX);
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;

	mk_set(w, 0, 0, 2000, UINT64_MAX, UINT64_MAX);
	mk_set(w, 0, 1, 2010, 1, 1);
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_true(e[0].share > 0 && e[0].share <= 1);
	assert_true(e[1].share > 0 && e[1].share <= 1);
	vsamp_recording_close(rec);
}

static void test_hostile_end(void **state)
{
	static const char *const ends[] = {
		"{\"events\":[{\"index\":0,\"enabled\":5,\"running\":6}]}",
		"{\"events\":[{\"index\":0,\"running\":6}]}",
	};
	static const char odd[] =
		"{\"events\":[{\"index\":9,\"enabled\":1},7,{\"index\":0,\"enabled\":0,\"running\":0,"
		"\"sav\":0,\"target\":0,\"calibration\":\"nonsense\"}],"
		"\"runs\":[7,{\"set\":9,\"elapsed_ns\":5},{\"set\":-1},null]}";
	const struct vsamp_recording_event *e;
	struct vsamp_recording *rec;
	struct vsamp_writer *w;

	for (size_t i = 0; i < 2; i++) {
		w = mk_open_meta(path, META_MUX);
		mk_json(w, VSAMP_CHUNK_END, ends[i]);
		mk_close(w);
		assert_int_equal(vsamp_recording_open(&rec, path, NULL), -EBADMSG);
	}
	w = mk_open_meta(path, META_MUX);
	mk_json(w, VSAMP_CHUNK_END, odd);
	mk_close(w);
	rec = open_made();
	vsamp_recording_events(rec, &e);
	assert_int_equal(e[0].sav_end, 1000);
	assert_float_equal(e[0].share, 1, 0);
	assert_true(isnan(e[0].deviation));
	vsamp_recording_close(rec);
}

static void test_totals_add(void **state)
{
	struct vsamp_recorder_cpu first[] = { { 0, 10, 8, 2, 5, 1, 8 }, { 4, 3, 3, 0, 3, 0, 3 } };
	struct vsamp_recorder_cpu second[] = { { 2, 7, 7, 0, 7, 0, 7 }, { 4, 1, 1, 0, 1, 0, 1 } };
	struct vsamp_recorder_totals sum = { 0 }, a = {
		.n = 2, .cpu = first, .produced = 13, .written = 11, .lost = 2, .read = 11, .throttled = 1,
		.count = { 100 }, .samples = { 9 }, .overflows = { 11 }, .enabled = { 50 }, .running = { 20 },
		.sideband_lost = 3, .end_reason = VSAMP_END_STOP,
	}, b = {
		.n = 2, .cpu = second, .produced = 8, .written = 8, .read = 8,
		.count = { 1, 200 }, .samples = { 0, 6 }, .overflows = { 0, 6 }, .enabled = { 5, 60 },
		.running = { 1, 30 }, .sideband_lost = 4, .end_reason = VSAMP_END_FOREIGN,
	};

	assert_int_equal(vsamp_recorder_totals_add(&sum, &a, NULL), 0);
	assert_int_equal(vsamp_recorder_totals_add(&sum, &b, NULL), 0);
	assert_int_equal(sum.n, 3);
	assert_int_equal(sum.cpu[0].cpu, 0);
	assert_int_equal(sum.cpu[0].lost, 2);
	assert_int_equal(sum.cpu[1].cpu, 2);
	assert_int_equal(sum.cpu[1].read, 7);
	assert_int_equal(sum.cpu[2].cpu, 4);
	assert_int_equal(sum.cpu[2].produced, 4);
	assert_int_equal(sum.cpu[2].pmis, 4);
	assert_int_equal(sum.produced, 21);
	assert_int_equal(sum.written, 19);
	assert_int_equal(sum.lost, 2);
	assert_int_equal(sum.read, 19);
	assert_int_equal(sum.throttled, 1);
	assert_int_equal(sum.count[0], 101);
	assert_int_equal(sum.count[1], 200);
	assert_int_equal(sum.samples[1], 6);
	assert_int_equal(sum.overflows[0], 11);
	assert_int_equal(sum.enabled[0], 55);
	assert_int_equal(sum.running[1], 30);
	assert_int_equal(sum.sideband_lost, 7);
	assert_int_equal(sum.end_reason, VSAMP_END_FOREIGN);
	vsamp_recorder_totals_free(&sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_throttled_set),
		cmocka_unit_test(test_run_flushes),
		cmocka_unit_test(test_sets_without_turn),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_changing_sav),
		cmocka_unit_test(test_changing_sav_then_run),
		cmocka_unit_test(test_order_by_events),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_slices_cut_off),
		cmocka_unit_test(test_slices_unfair),
		cmocka_unit_test(test_written_and_read),
		cmocka_unit_test(test_hostile_runs),
		cmocka_unit_test(test_hostile_meta),
		cmocka_unit_test(test_hostile_records),
		cmocka_unit_test(test_hostile_slices),
		cmocka_unit_test(test_hostile_end),
		cmocka_unit_test(test_totals_add),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
