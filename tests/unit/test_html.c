// SPDX-License-Identifier: MIT
/* What is too much for a page: what is shown then, and what is told of the rest */
#include "mkfile.h"

#include <math.h>

#include "html.h"

#define SAMPLES 6000

static struct vsamp_recording *rec;
static struct vsamp_export_options options;

/* As many samples, each at an address of its own in a row, and so of a symbol of its own */
static int setup(void **state)
{
	struct vsamp_writer *w;
	char *symbols = NULL;
	size_t size;
	FILE *f = open_memstream(&symbols, &size);

	for (int i = 0; i < SAMPLES; i++)
		fprintf(f, "%lx T f%d\n", 0xffffffff81000000UL + 16 * i, i);
	fclose(f);
	mk_setup(state);
	w = mk_open(path);
	f = fmemopen(symbols, size, "r");
	assert_int_equal(writer_kallsyms(w, f, NULL, 0, NULL), 0);
	fclose(f);
	free(symbols);
	mk_clock(w, 0, 2000, 10, 1000);
	/* of f0 three, of f1 two */
	for (int i = 0; i < SAMPLES; i++)
		for (int j = 0; j < (i == 0 ? 3 : i == 1 ? 2 : 1); j++)
			mk_sample(w, 0, 0, false, 2000 + 10 * i, 0xffffffff81000000UL + 16 * i, 1);
	mk_clock(w, 0, 2000 + 10 * SAMPLES, 10, 1000 + 5 * SAMPLES);
	mk_json(w, VSAMP_CHUNK_END, "{\"reason\":\"duration\"}");
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	return 0;
}

static int teardown(void **state)
{
	vsamp_recording_close(rec);
	return mk_teardown(state);
}

/* The data of a page with this timeline */
static struct json_object *page(const struct export_timeline *timeline)
{
	struct vsamp_error err;
	struct export x = {
		.rec = rec, .options = &options, .event = { 0 }, .events = 1, .err = &err
	};
	static const char begin[] = "id=\"data\">\n";
	struct json_object *data;
	char *text = NULL, *at;
	size_t size;

	x.out = open_memstream(&text, &size);
	assert_int_equal(html_put(&x, timeline), 0);
	fclose(x.out);
	at = strstr(text, begin) + strlen(begin);
	*strstr(at, "</script>") = 0;
	data = json_tokener_parse(at);
	assert_non_null(data);
	free(text);
	return data;
}

static struct json_object *get(struct json_object *data, const char *pointer)
{
	struct json_object *v;

	assert_int_equal(json_pointer_get(data, pointer, &v), 0);
	return v;
}

static int64_t number(struct json_object *data, const char *pointer)
{
	return json_object_get_int64(get(data, pointer));
}

static size_t length(struct json_object *data, const char *pointer)
{
	return json_object_array_length(get(data, pointer));
}

/* At most so many are above the limit, and no other is */
static void test_limit(void **state)
{
	const double value[] = { 3, 1, 2, 2, 5 };
	struct html h = { 0 };

	assert_true(html_limit(&h, value, 5, 5) < 1);
	assert_true(html_limit(&h, value, 5, 4) == 1);
	assert_true(html_limit(&h, value, 5, 3) == 2);
	assert_true(html_limit(&h, value, 5, 1) == 3);
	assert_false(h.no_memory);
}

/* 5000 rows are shown at most: of equal ones all or none */
static void test_rows(void **state)
{
	struct json_object *data = page(&(struct export_timeline){ 0 });

	assert_int_equal(length(data, "/rows/0/symbol"), 2);
	assert_int_equal(number(data, "/rows/0/counts/0/samples/0"), 3);
	assert_int_equal(number(data, "/rows/0/counts/0/samples/1"), 2);
	assert_int_equal(number(data, "/rows/0/counts/0/other_samples"), SAMPLES - 2);
	assert_int_equal(number(data, "/rows/0/others"), SAMPLES - 2);
	assert_int_equal(number(data, "/rows/2/counts/0/samples/0"), SAMPLES + 3);
	assert_int_equal(number(data, "/rows/2/others"), 0);
	/* a sample stands for 1000 */
	assert_int_equal(number(data, "/rows/0/counts/0/other_events"), 1000 * (SAMPLES - 2));
	/* the process, its module, and all functions: a page has room for more frames */
	assert_int_equal(length(data, "/flame/name"), SAMPLES + 2);
	json_object_put(data);
}

/* Of 50002 tasks those that are longer than the third shortest are shown */
static void test_spans(void **state)
{
	static struct vsamp_span span[50002];
	struct export_timeline timeline = { .span = span, .spans = 50002 };
	struct json_object *data;

	for (size_t i = 0; i < 50002; i++)
		span[i] = (struct vsamp_span){ .pid = 1 + (i > 9),
					       .tid = 1,
					       .name = "task",
					       .domain = "",
					       .begin = 900 + i,
					       .end = 900 + i + i,
					       .tick = i == 0 };
	data = page(&timeline);
	assert_int_equal(number(data, "/spans/left"), 2);
	assert_int_equal(length(data, "/spans/begin"), 50000);
	/* the first of them is before the first record, at 1000 */
	assert_int_equal(number(data, "/spans/begin/0"), 2 - 100);
	assert_int_equal(number(data, "/spans/length/0"), 2);
	assert_int_equal(number(data, "/spans/thread/7"), 0);
	assert_int_equal(number(data, "/spans/thread/8"), 1);
	assert_int_equal(number(data, "/spans/thread/49999"), 1);
	assert_int_equal(length(data, "/threads"), 2);
	json_object_put(data);
	timeline.spans = 9;
	data = page(&timeline);
	assert_int_equal(number(data, "/spans/left"), 0);
	assert_int_equal(number(data, "/spans/length/0"), -1);
	json_object_put(data);
}

/* A peak stays, and so does a hole and what is behind it, however many points there are */
static void test_track(void **state)
{
	static struct vsamp_track_point point[100000];
	struct vsamp_track track = { "GPU", "busy", "%", 0, point, 100000 };
	struct export_timeline timeline = { .track = &track, .tracks = 1 };
	struct json_object *data;
	size_t peaks = 0, dips = 0, holes = 0, behind = 0, n;

	for (size_t i = 0; i < 100000; i++)
		point[i] = (struct vsamp_track_point){ 1000 + i, i == 77777 ? 99 :
								 i == 33333 ? -9 :
									      7 };
	point[5].value = NAN;
	point[50000].value = NAN;
	data = page(&timeline);
	n = length(data, "/tracks/0/value");
	assert_in_range(n, 1000, 4000);
	assert_int_equal(length(data, "/tracks/0/time"), n);
	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(get(data, "/tracks/0/value"), i);
		double value = json_object_get_double(v);
		int64_t time = json_object_get_int64(
			json_object_array_get_idx(get(data, "/tracks/0/time"), i));

		peaks += value == 99 && time == 77777;
		dips += value == -9 && time == 33333;
		holes += !v && time == 50000;
		behind += v && time == 50001;
	}
	assert_int_equal(peaks, 1);
	assert_int_equal(dips, 1);
	assert_int_equal(holes, 1);
	assert_int_equal(behind, 1);
	assert_true(json_object_get_boolean(get(data, "/tracks/0/thinned")));
	json_object_put(data);
	track.points = 6;
	data = page(&timeline);
	assert_int_equal(length(data, "/tracks/0/value"), 6);
	assert_null(json_object_array_get_idx(get(data, "/tracks/0/value"), 5));
	assert_false(json_object_get_boolean(get(data, "/tracks/0/thinned")));
	json_object_put(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_track),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
