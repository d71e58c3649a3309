// SPDX-License-Identifier: MIT
/*
 * usage: make_timeline [--gpus] FILE [SUFFIX]
 *
 * Writes a recording of a second, of known contents. CPU 0 runs "app" (pid 7): in each
 * ms, as many samples of both events as 1 + ms / 20 % 5; by ms % 10 they are 4 times in decode_block,
 * which decode called, 3 times in filter_row, which filter called, twice in copy, which decode called,
 * and once in schedule; main called all. So of 3000: 1200, 900, 600, 300. CPU 2 runs its thread
 * "worker" (tid 12) in the first 70 ms of each 100: a sample of CPU_CLK_UNHALTED.THREAD in each ms,
 * 5 times of 10 in encode_block, 4 times in filter_row, which encode called, once in schedule;
 * worker_main called all. So of 700: 350, 280, 70. Of INST_RETIRED.ANY those of each second ms: 210,
 * 140, 0. A cycle sample stands for 2000 events, the other for 1000. 5 records were lost.
 *
 * Tasks of "app", in the domain "video": each 100 ms a "frame" of 90 ms; in it "decode" of 40 ms, and
 * behind it "filter" of 30 ms; in decode 4 times "block" of 8 ms. "worker" has three overlapped tasks
 * "request", from 50 to 450, 250 to 650 and 500 to 900 ms; events "key frame" without an end at 100,
 * 400 and 700 ms, and "upload" from 150 to 300 and from 550 to 800 ms. The counter "busy" of "GPU 0"
 * has a point each 10 ms, of 0 to 95 %; "frequency" has three.
 *
 * SUFFIX is put behind each name.
 *
 * --gpus: instead of GPU 0 there are two, which END tells of. Of 0000:00:02.0 nothing is known from 200
 * to 300 ms, and from 500 ms on. Its metrics, up to 100, 200 and 500 ms: GpuBusy 40, 80, 20 percent;
 * AvgGpuCoreFrequency 300, 1150, 600 MHz; GtiReadThroughput 1, 3, 2 GB/s; CsThreads 0; and L3Bank0Reads to
 * L3Bank15Reads, of the number a second. Of 0000:03:00.0: GpuBusy 0, 60, 100 percent from 50, 350, 600
 * up to 1000 ms, written the last first, and at 350 ms 999 before it is 60; EuActive 10 percent from
 * 500 ms on, without an end.
 */
#include <inttypes.h>
#include <json-c/json.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/file.h>
#include <vsamp/itt_record.h>

#include "../../lib/file_private.h"

#define MS 1000000ULL

static const char symbols[] = "ffffffff81000000 T main%1$s\t[app%1$s]\n"
			      "ffffffff81001000 T decode%1$s\t[app%1$s]\n"
			      "ffffffff81002000 T decode_block%1$s\t[codec%1$s]\n"
			      "ffffffff81003000 T filter%1$s\t[app%1$s]\n"
			      "ffffffff81004000 T filter_row%1$s\t[codec%1$s]\n"
			      "ffffffff81005000 T copy%1$s\n"
			      "ffffffff81006000 T schedule%1$s\n"
			      "ffffffff81007000 T worker_main%1$s\t[app%1$s]\n"
			      "ffffffff81008000 T encode%1$s\t[app%1$s]\n"
			      "ffffffff81009000 T encode_block%1$s\t[codec%1$s]\n";

enum {
	MAIN,
	DECODE,
	DECODE_BLOCK,
	FILTER,
	FILTER_ROW,
	COPY,
	SCHEDULE,
	WORKER_MAIN,
	ENCODE,
	ENCODE_BLOCK
};

#define IP(function) (0xffffffff81000010 + 0x1000ULL * (function))

static struct vsamp_writer *w;
static struct vsamp_error err;
static const char *suffix = "";
static bool gpus;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "make_timeline: %s\n", err.text);
	exit(1);
}

/* A name with the suffix; never freed */
static char *named(const char *format)
{
	char *text;

	if (asprintf(&text, "%s%s", format, suffix) < 0)
		exit(1);
	return text;
}

static void put_json(enum vsamp_chunk_type type, const char *text)
{
	struct json_object *obj = json_tokener_parse(text);

	must(vsamp_writer_json(w, type, obj, &err));
	json_object_put(obj);
}

static void put_meta(void)
{
	struct json_object *obj = json_tokener_parse(
		"{\"version\":1,\"generator\":\"make_timeline\","
		"\"command_line\":[\"vsamp\",\"record\",\"-g\",\"--\",\"./app\"],"
		"\"kernel_release\":\"6.1.0\",\"machine\":\"x86_64\",\"boot_id\":\"-\","
		"\"cpus_online\":\"0,2\",\"started_realtime_ns\":1767225600000000000,"
		"\"clock\":{\"source\":\"tsc\",\"khz\":1000000},\"backend\":\"intel\","
		"\"scope\":{\"kind\":\"machine\",\"cpus\":\"0,2\",\"pids\":[],\"command\":null},"
		"\"stacks\":{\"kernel\":true,\"user\":true,\"depth\":127},"
		"\"events\":[{\"index\":0,\"name\":\"CPU_CLK_UNHALTED.THREAD\",\"user\":true,"
		"\"kernel\":true,\"set\":0,\"sav\":2000,\"sav_source\":\"default\"},"
		"{\"index\":1,\"name\":\"INST_RETIRED.ANY\",\"user\":true,\"kernel\":true,"
		"\"set\":0,\"sav\":1000,\"sav_source\":\"calibrated\",\"calibration\":\"run\","
		"\"target\":3400}]}");

	json_object_object_add(obj, "hostname", json_object_new_string(named("server")));
	must(vsamp_writer_json(w, VSAMP_CHUNK_META, obj, &err));
	json_object_put(obj);
}

static void put_kallsyms(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, symbols, suffix);
	fclose(f);
	f = fmemopen(text, size, "r");
	must(writer_kallsyms(w, f, NULL, 0, &err));
	fclose(f);
	free(text);
}

static void put_name(uint32_t pid, uint32_t tid, const char *name)
{
	uint64_t space[64] = { 0 };
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
	} comm = { { PERF_RECORD_COMM, 0, 0 }, pid, tid };
	struct sideband_id id = { .pid = pid, .tid = tid };
	size_t size = sizeof(comm) + (strlen(name) + 8) / 8 * 8;

	comm.h.size = size + sizeof(id);
	memcpy(space, &comm, sizeof(comm));
	strcpy((char *)space + sizeof(comm), name);
	memcpy((char *)space + size, &id, sizeof(id));
	must(vsamp_writer_sideband(w, 0, space, comm.h.size, &err));
}

static void put_clock(uint32_t cpu, uint64_t time)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 20, time, 0, 0
	};

	must(vsamp_writer_records(w, cpu, &c, sizeof(c), &err));
}

static void put_lost(uint64_t time, uint64_t count)
{
	struct vsamp_record_lost lost = { { VSAMP_RECORD_LOST, sizeof(lost), 0, 0 }, time, count };

	must(vsamp_writer_records(w, 0, &lost, sizeof(lost), &err));
}

/* @called: the function, who called it, and who called that; 0 and 0 if that is all */
static void put_sample(uint32_t cpu, uint16_t event, uint64_t time, const int called[3])
{
	struct {
		struct vsamp_record_sample sample;
		struct vsamp_stack stack;
		uint64_t ip[2];
	} s = {
		{ { VSAMP_RECORD_SAMPLE, 0, event, VSAMP_SAMPLE_STACK },
		  time,
		  IP(called[0]),
		  7,
		  cpu ? 12 : 7 },
		{ called[2] == called[1] ? 1 : 2, 0, 0 },
		{ IP(called[1]), IP(called[2]) },
	};

	s.sample.h.size = sizeof(s.sample) + sizeof(s.stack) + 8 * s.stack.kernel;
	must(vsamp_writer_records(w, cpu, &s, s.sample.h.size, &err));
}

static void put_app(uint64_t ms)
{
	static const int calls[10][3] = {
		{ DECODE_BLOCK, DECODE, MAIN }, { DECODE_BLOCK, DECODE, MAIN },
		{ DECODE_BLOCK, DECODE, MAIN }, { DECODE_BLOCK, DECODE, MAIN },
		{ FILTER_ROW, FILTER, MAIN },	{ FILTER_ROW, FILTER, MAIN },
		{ FILTER_ROW, FILTER, MAIN },	{ COPY, DECODE, MAIN },
		{ COPY, DECODE, MAIN },		{ SCHEDULE, MAIN, MAIN },
	};

	for (uint64_t i = 0; i < 1 + ms / 20 % 5; i++) {
		put_sample(0, 0, ms * MS + 1000 + i * 150000, calls[ms % 10]);
		put_sample(0, 1, ms * MS + 71000 + i * 150000, calls[ms % 10]);
	}
}

static void put_worker(uint64_t ms)
{
	static const int encode[3] = { ENCODE_BLOCK, ENCODE, WORKER_MAIN };
	static const int filter[3] = { FILTER_ROW, ENCODE, WORKER_MAIN };
	static const int schedule[3] = { SCHEDULE, WORKER_MAIN, WORKER_MAIN };
	const int *calls = ms % 10 < 5 ? encode : ms % 10 < 9 ? filter : schedule;

	if (ms % 100 >= 70)
		return;
	put_sample(2, 0, ms * MS + 1000, calls);
	if (ms % 2 == 0)
		put_sample(2, 1, ms * MS + 71000, calls);
}

/* Definitions: a string of each number, and the domain and the events with the numbers of their names */
enum { VIDEO = 1, FRAME, DECODE_TASK, BLOCK, FILTER_TASK, REQUEST, KEY_FRAME, UPLOAD, NAMES };

static const char *const names[NAMES] = { "",	    "video",   "frame",	    "decode", "block",
					  "filter", "request", "key frame", "upload" };

static void put_itt(uint32_t tid, const struct vsamp_itt_call *call)
{
	static uint64_t record[VSAMP_ITT_RECORD_MAX / 8 + 1];
	struct vsamp_itt_thread thread = { 7, tid, 0 };

	must(vsamp_writer_itt(w, &thread, record, vsamp_itt_encode(record, call), &err));
}

static void put_call(uint32_t tid, uint64_t ms, enum vsamp_itt_type type, uint32_t name,
		     uint64_t id)
{
	bool event = type == VSAMP_ITT_EVENT_START || type == VSAMP_ITT_EVENT_END;
	struct vsamp_itt_call call = {
		.time = ms * MS,
		.type = type,
		.handle = event ? name : VIDEO,
		.name = event ? 0 : name,
		.id = { { id } },
	};

	put_itt(tid, &call);
}

static void put_definitions(void)
{
	for (uint32_t i = 1; i < NAMES; i++) {
		uint64_t body[64] = { 0 };
		struct vsamp_itt_text *text = (void *)body;
		struct vsamp_itt_call call = { .type = VSAMP_ITT_STRING, .handle = i };

		strcpy(text->text, named(names[i]));
		text->length = strlen(text->text);
		call.body = text;
		call.body_size = sizeof(*text) + text->length;
		put_itt(7, &call);
		call = (struct vsamp_itt_call){ .handle = i, .name = i };
		call.type = i == VIDEO ? VSAMP_ITT_DOMAIN : VSAMP_ITT_EVENT;
		if (i == VIDEO || i >= KEY_FRAME)
			put_itt(7, &call);
	}
}

static void put_task(uint64_t begin, uint64_t end, uint32_t name)
{
	put_call(7, begin, VSAMP_ITT_TASK_BEGIN, name, 0);
	if (name == FRAME) {
		put_task(begin, begin + 40, DECODE_TASK);
		put_task(begin + 45, begin + 75, FILTER_TASK);
	}
	for (uint64_t i = 0; name == DECODE_TASK && i < 4; i++)
		put_task(begin + 1 + 10 * i, begin + 9 + 10 * i, BLOCK);
	put_call(7, end, VSAMP_ITT_TASK_END, 0, 0);
}

static void put_calls(void)
{
	static const struct {
		uint64_t ms;
		enum vsamp_itt_type type;
		uint32_t name;
		uint64_t id;
	} calls[] = {
		{ 50, VSAMP_ITT_OVERLAPPED_BEGIN, REQUEST, 1 },
		{ 100, VSAMP_ITT_EVENT_START, KEY_FRAME, 0 },
		{ 150, VSAMP_ITT_EVENT_START, UPLOAD, 0 },
		{ 250, VSAMP_ITT_OVERLAPPED_BEGIN, REQUEST, 2 },
		{ 300, VSAMP_ITT_EVENT_END, UPLOAD, 0 },
		{ 400, VSAMP_ITT_EVENT_START, KEY_FRAME, 0 },
		{ 450, VSAMP_ITT_OVERLAPPED_END, 0, 1 },
		{ 500, VSAMP_ITT_OVERLAPPED_BEGIN, REQUEST, 3 },
		{ 550, VSAMP_ITT_EVENT_START, UPLOAD, 0 },
		{ 650, VSAMP_ITT_OVERLAPPED_END, 0, 2 },
		{ 700, VSAMP_ITT_EVENT_START, KEY_FRAME, 0 },
		{ 800, VSAMP_ITT_EVENT_END, UPLOAD, 0 },
		{ 900, VSAMP_ITT_OVERLAPPED_END, 0, 3 },
	};

	put_definitions();
	for (uint64_t at = 0; at < 1000; at += 100)
		put_task(at, at + 90, FRAME);
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		put_call(12, calls[i].ms, calls[i].type, calls[i].name, calls[i].id);
}

static void put_tracks(void)
{
	struct vsamp_track_id busy = { 0, named("GPU 0"), named("busy"), "%" };
	struct vsamp_track_id frequency = { 0, named("GPU 0"), named("frequency"), "MHz" };
	uint64_t time[100], times[] = { 0, 200 * MS, 900 * MS };
	double value[100], values[] = { 300, 1150, 600 };

	for (uint64_t i = 0; i < 100; i++) {
		time[i] = i * 10 * MS;
		value[i] = i % 20 * 5;
	}
	must(vsamp_writer_track(w, &busy, time, value, 100, &err));
	must(vsamp_writer_track(w, &frequency, times, values, 3, &err));
}

#define MHZ 1e6
#define GB  1e9

static void put_metric(const char *gpu, const char *name, const char *unit, const uint64_t *time,
		       const double *value, size_t points)
{
	struct vsamp_track_id id = { 0, gpu, name, unit };

	must(vsamp_writer_track(w, &id, time, value, points, &err));
}

static void put_gpus(void)
{
	static const uint64_t time[] = { 0, 100 * MS, 200 * MS, 300 * MS, 500 * MS };
	static const uint64_t back[] = { 1000 * MS, 600 * MS, 350 * MS, 350 * MS, 50 * MS };
	const char *first = "GPU 0000:00:02.0", *second = "GPU 0000:03:00.0";
	double reads[] = { 0, 0, NAN, 0, NAN };
	char name[32];

	put_metric(first, "GpuBusy", "percent", time, (double[]){ 40, 80, NAN, 20, NAN }, 5);
	put_metric(first, "AvgGpuCoreFrequency", "Hz", time,
		   (double[]){ 300 * MHZ, 1150 * MHZ, NAN, 600 * MHZ, NAN }, 5);
	put_metric(first, "GtiReadThroughput", "bytes/s", time,
		   (double[]){ 1 * GB, 3 * GB, NAN, 2 * GB, NAN }, 5);
	put_metric(first, "CsThreads", "threads/s", time, reads, 5);
	for (int i = 0; i < 16; i++) {
		reads[0] = reads[1] = reads[3] = i;
		snprintf(name, sizeof(name), "L3Bank%dReads", i);
		put_metric(first, name, "messages/s", time, reads, 5);
	}
	put_metric(second, "GpuBusy", "percent", back, (double[]){ NAN, 100, 999, 60, 0 }, 5);
	put_metric(second, "EuActive", "percent", &time[4], (double[]){ 10 }, 1);
}

static const char gpus_json[] =
	",\"gpus\":[{\"slot\":\"0000:00:02.0\",\"id\":22806,\"platform\":\"Kaby Lake GT2\","
	"\"path\":\"module\",\"set\":\"RenderBasic\",\"period_ns\":1000000,"
	"\"interval_ns\":10000000,\"reports\":400,\"lost\":60,\"no_room\":40,"
	"\"clock_error_ns\":1234,\"clock_pieces\":1},{\"slot\":\"0000:03:00.0\",\"id\":18693,"
	"\"platform\":\"DG1\",\"path\":\"i915\",\"set\":\"ComputeBasic\",\"period_ns\":853333,"
	"\"interval_ns\":20000000,\"reports\":1113,\"lost\":0,\"no_room\":0,"
	"\"clock_error_ns\":null,\"clock_pieces\":2}]}";

static void put_end(void)
{
	static const char end[] =
		"{\"reason\":\"exit\",\"elapsed_ns\":1000000000,\"exit_status\":0,"
		"\"sideband_lost\":0,\"runs\":[],\"cpus\":["
		"{\"cpu\":0,\"produced\":6007,\"written\":6002,\"lost\":5,\"read\":6002},"
		"{\"cpu\":2,\"produced\":1052,\"written\":1052,\"lost\":0,\"read\":1052}],"
		"\"events\":[{\"index\":0,\"sav\":2000,\"count\":7400000,\"samples\":3700},"
		"{\"index\":1,\"sav\":1000,\"count\":3355000,\"samples\":3355}]";
	char text[sizeof(end) + sizeof(gpus_json)];

	snprintf(text, sizeof(text), "%s%s", end, gpus ? gpus_json : "}");
	put_json(VSAMP_CHUNK_END, text);
}

static void put_all(void)
{
	put_meta();
	put_kallsyms();
	put_name(7, 7, named("app"));
	put_name(7, 12, named("worker"));
	put_clock(0, 0);
	put_clock(2, 0);
	for (uint64_t ms = 0; ms < 1000; ms++) {
		put_app(ms);
		put_worker(ms);
	}
	put_lost(999 * MS, 5);
	put_calls();
	if (gpus)
		put_gpus();
	else
		put_tracks();
	put_clock(0, 1000 * MS);
	put_clock(2, 1000 * MS);
	put_end();
}

int main(int argc, char **argv)
{
	gpus = argc > 1 && !strcmp(argv[1], "--gpus");
	argc -= gpus;
	argv += gpus;
	if (argc < 2 || argc > 3) {
		fputs("usage: make_timeline [--gpus] FILE [SUFFIX]\n", stderr);
		return 2;
	}
	suffix = argc > 2 ? argv[2] : "";
	must(vsamp_writer_open(&w, argv[1], &err));
	put_all();
	must(vsamp_writer_close(w, &err));
	return 0;
}
