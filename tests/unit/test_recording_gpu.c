// SPDX-License-Identifier: MIT
/* What END tells of GPUs, as it was written; and what a file may tell instead */
#include "mkfile.h"

#include <json-c/json.h>

#include <vsamp/meta.h>
#include <vsamp/recording.h>

#define META \
	"{\"version\":1,\"clock\":{\"khz\":1},\"events\":[{\"index\":0,\"name\":\"a\",\"sav\":1}]}"

static struct vsamp_recording *of_end(const char *end)
{
	struct vsamp_recording *rec;
	struct vsamp_writer *w;

	assert_int_equal(vsamp_writer_open(&w, path, NULL), 0);
	mk_json(w, VSAMP_CHUNK_META, META);
	mk_json(w, VSAMP_CHUNK_END, end);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	return rec;
}

static void test_as_written(void **state)
{
	const struct vsamp_gpu_recorded gpu[] = {
		{ "0000:00:02.0",
		  "Kaby Lake GT2",
		  "module",
		  "RenderBasic",
		  0x5916,
		  682667,
		  10000000,
		  { 14000, 3, 2, 1234, 1 } },
		{ "0000:03:00.0",
		  "DG1",
		  "i915",
		  "ComputeBasic",
		  0x4905,
		  853334,
		  20000000,
		  { 7, 0, 0, UINT64_MAX, 2 } },
	};
	struct vsamp_recorder_totals totals = { 0 };
	struct vsamp_end end = { .totals = &totals, .gpus = gpu, .n_gpus = 2 };
	struct json_object *o = vsamp_end_json(&end);
	struct vsamp_recording *rec = of_end(json_object_to_json_string(o));
	const struct vsamp_gpu_recorded *g;

	assert_int_equal(vsamp_recording_gpus(rec, &g), 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(g[i].slot, gpu[i].slot);
		assert_string_equal(g[i].platform, gpu[i].platform);
		assert_string_equal(g[i].path, gpu[i].path);
		assert_string_equal(g[i].set, gpu[i].set);
		assert_int_equal(g[i].id, gpu[i].id);
		assert_int_equal(g[i].period_ns, gpu[i].period_ns);
		assert_int_equal(g[i].interval_ns, gpu[i].interval_ns);
		assert_memory_equal(&g[i].totals, &gpu[i].totals, sizeof(g[i].totals));
	}
	vsamp_recording_close(rec);
	json_object_put(o);
}

static void test_strange(void **state)
{
	static const char *const none[] = { "{}", "{\"gpus\":null}", "{\"gpus\":7}",
					    "{\"gpus\":[]}" };
	const struct vsamp_gpu_recorded *g;
	struct vsamp_recording *rec;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		rec = of_end(none[i]);
		assert_int_equal(vsamp_recording_gpus(rec, &g), 0);
		vsamp_recording_close(rec);
	}
	rec = of_end("{\"gpus\":[null,5,{\"slot\":{},\"set\":1,\"id\":-1,\"reports\":\"x\"}]}");
	assert_int_equal(vsamp_recording_gpus(rec, &g), 3);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(g[i].slot, "");
		assert_string_equal(g[i].set, "");
		assert_int_equal(g[i].id, 0);
		assert_int_equal(g[i].totals.reports, 0);
		assert_true(g[i].totals.clock_error == UINT64_MAX);
	}
	vsamp_recording_close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_written),
		cmocka_unit_test(test_strange),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
