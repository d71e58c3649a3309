// SPDX-License-Identifier: MIT
/*
 * usage: make_itt FILE SCRIPT [SUFFIX]
 *
 * Writes a recording of 100 ms of the process "app" (pid 10), whose threads make the ITT calls that the
 * script tells (tests/unit/itt_ops.h), times in ms. Its first thread has tid 10, the others 2, 3 and 4.
 * In each ms, half way, the first thread has a sample of CPU_CLK_UNHALTED.THREAD, which stands for 2000,
 * and in each second ms, from 0 on, one of INST_RETIRED.ANY, which stands for 1000.
 *
 * SUFFIX is put behind the name of each thread, by the calls that give them one.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>
#include <vsamp.h>
#include <vsamp/file.h>

#include "../../lib/file_private.h"

/* As cmocka has them in unit tests */
#define fail_msg(...)                         \
	do {                                  \
		fprintf(stderr, __VA_ARGS__); \
		exit(2);                      \
	} while (0)
#define assert_true(x)                                      \
	do {                                                \
		if (!(x))                                   \
			fail_msg("make_itt: not " #x "\n"); \
	} while (0)
#define assert_int_equal(a, b) assert_true((a) == (b))

#include "../unit/itt_ops.h"

#define MS  1000000ULL
#define PID 10

static struct vsamp_writer *w;
static struct vsamp_error err;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "make_itt: %s\n", err.text);
	exit(1);
}

static void put_meta(void)
{
	struct json_object *obj = json_tokener_parse(
		"{\"version\":1,\"generator\":\"make_itt\",\"command_line\":[\"vsamp\",\"record\"],"
		"\"hostname\":\"server\",\"kernel_release\":\"6.1.0\",\"machine\":\"x86_64\","
		"\"boot_id\":\"-\",\"cpus_online\":\"0\",\"started_realtime_ns\":1767225600000000000,"
		"\"clock\":{\"source\":\"tsc\",\"khz\":1000000},\"backend\":\"intel\","
		"\"scope\":{\"kind\":\"machine\",\"cpus\":\"0\",\"pids\":[],\"command\":null},"
		"\"events\":[{\"index\":0,\"name\":\"CPU_CLK_UNHALTED.THREAD\",\"user\":true,"
		"\"kernel\":true,\"set\":0,\"sav\":2000,\"sav_source\":\"default\"},"
		"{\"index\":1,\"name\":\"INST_RETIRED.ANY\",\"user\":true,\"kernel\":true,"
		"\"set\":0,\"sav\":1000,\"sav_source\":\"default\"}]}");

	must(vsamp_writer_json(w, VSAMP_CHUNK_META, obj, &err));
	json_object_put(obj);
}

static void put_end(void)
{
	struct json_object *obj = json_tokener_parse(
		"{\"reason\":\"exit\",\"elapsed_ns\":100000000,\"exit_status\":0,"
		"\"sideband_lost\":0,\"runs\":[],\"cpus\":[{\"cpu\":0,\"produced\":152,"
		"\"written\":152,\"lost\":0,\"read\":152}],\"events\":["
		"{\"index\":0,\"sav\":2000,\"count\":200000,\"samples\":100},"
		"{\"index\":1,\"sav\":1000,\"count\":50000,\"samples\":50}]}");

	must(vsamp_writer_json(w, VSAMP_CHUNK_END, obj, &err));
	json_object_put(obj);
}

static void put_clock(uint64_t time)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 20, time, 0, 0
	};

	must(vsamp_writer_records(w, 0, &c, sizeof(c), &err));
}

static void put_sample(uint16_t event, uint64_t time)
{
	struct vsamp_record_sample s = {
		{ VSAMP_RECORD_SAMPLE, sizeof(s), event, 0 }, time, 0x10, PID, PID
	};

	must(vsamp_writer_records(w, 0, &s, sizeof(s), &err));
}

static void put_calls(const char *script, const char *suffix)
{
	struct mkitt threads[OPS_THREADS];
	static struct op ops[OPS_MAX];
	size_t n = ops_parse(ops, script);
	char name[4096];

	for (size_t i = 0; i < n; i++) {
		ops[i].time *= MS;
		if (ops[i].what == 'U') {
			ops[i].value[0] *= MS;
			ops[i].value[1] *= MS;
		}
	}
	ops_encode(threads, ops, n);
	for (uint32_t t = 0; t < OPS_THREADS; t++) {
		threads[t].thread.tid = t ? t + 1 : PID;
		snprintf(name, sizeof(name), "worker %" PRIu32 "%s", t + 1, suffix);
		mkitt_text(&threads[t], VSAMP_ITT_THREAD_NAME, 0, name);
		mkitt_write(w, &threads[t]);
	}
}

int main(int argc, char **argv)
{
	if (argc < 3 || argc > 4) {
		fputs("usage: make_itt FILE SCRIPT [SUFFIX]\n", stderr);
		return 2;
	}
	must(vsamp_writer_open(&w, argv[1], &err));
	put_meta();
	put_clock(0);
	for (uint64_t ms = 0; ms < 100; ms++) {
		put_sample(0, ms * MS + MS / 2);
		if (ms % 2 == 0)
			put_sample(1, ms * MS + MS / 2 + 1);
	}
	put_calls(argv[2], argc > 3 ? argv[3] : "");
	put_clock(100 * MS);
	put_end();
	must(vsamp_writer_close(w, &err));
	return 0;
}
