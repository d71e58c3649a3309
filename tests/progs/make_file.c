// SPDX-License-Identifier: MIT
/*
 * usage: make_file FILE [NAME | --sets | --mux | --stacks | --several]
 *
 * Writes a small recording of known contents: two events on CPUs 0 and 2; 60 samples of "one" in
 * the kernel's work_a, 30 of "two" in work_b, 10 of pid 9, which nothing tells the name of, in user
 * space; of the second event 5 of "one", which NAME renames. 20 records were lost.
 *
 * --sets: two sets, one after the other. INST_RETIRED with 10 samples in work_a that took 1000
 * events each, then 20 in work_b of 500 on CPU 0, where the value changed, and 5 in work_a of 1000
 * on CPU 2. BR_INST with 10 samples of 300; 10 more were lost.
 *
 * --mux: the sets in time slices. INST_RETIRED was counted for 1/4 of the time and has 25 samples
 * of 1000, BR_INST for 3/4 and has 30 of 500.
 *
 * --stacks: 60 samples of "one" in work_a: 40 that work_b called, which _stext called; 10 that
 * work_a, and 5 that work_a called, which work_b called; 4 whose user frames are missing, and 1
 * without callers. 40 of "two" in work_b: 39 that _stext called, 1 that work_a did. All of
 * INST_RETIRED; BR_INST has 5 samples without stacks.
 *
 * --several: clockticks of 2000 and instructions of 1000, from 0 to 2 s. In the first ms the first
 * thread of "one", 7, has 30 and 20 of them in work_a on CPU 0; from 1 s on its thread 17, "worker", 10
 * and 40 in work_b on CPU 2; from 1.5 s on "two", 8, 5 and none in work_a there.
 */
#include <json-c/json.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/file.h>

#include "../../lib/file_private.h"

#define META(calibration, events)                                                                    \
	"{\"version\":1,\"generator\":\"make_file\",\"command_line\":[\"vsamp\",\"record\",\"-a\"]," \
	"\"hostname\":\"somewhere\",\"kernel_release\":\"6.1\",\"machine\":\"x86_64\","              \
	"\"boot_id\":\"-\",\"cpus_online\":\"0,2\",\"started_realtime_ns\":86400000000000,"          \
	"\"clock\":{\"source\":\"tsc\",\"khz\":1000000},\"backend\":\"intel\","                      \
	"\"scope\":{\"kind\":\"machine\",\"cpus\":\"0,2\",\"pids\":[],\"command\":null},"            \
	"\"calibration\":{" calibration "},\"events\":[" events "]}"

#define EVENT_INST                                                                                     \
	"{\"index\":0,\"name\":\"INST_RETIRED\",\"user\":true,\"kernel\":true,\"set\":0,\"sav\":1000," \
	"\"sav_source\":\"calibrated\",\"calibration\":\"run\",\"counted\":100000,"                    \
	"\"cal_ns\":2000000000,\"target\":100}"

#define EVENT_BR                                                                                     \
	"{\"index\":1,\"name\":\"BR_INST\",\"user\":true,\"kernel\":false,\"set\":0,\"sav\":500,"    \
	"\"sav_source\":\"explicit\",\"calibration\":\"explicit\",\"counted\":null,\"cal_ns\":null," \
	"\"target\":null}"

static const char meta[] = META(
	"\"mode\":\"all\",\"adaptive\":false,\"scope\":\"cpu\",\"runs\":2,\"sets\":1,"
	"\"mux_ms\":null,\"sav_floor\":100",
	EVENT_INST "," EVENT_BR);

static const char meta_stacks[] = META(
	"\"mode\":\"none\",\"adaptive\":false,\"scope\":\"cpu\",\"runs\":1,\"sets\":1,"
	"\"mux_ms\":null,\"sav_floor\":100},"
	"\"stacks\":{\"kernel\":true,\"user\":true,\"depth\":127",
	EVENT_INST "," EVENT_BR);

static const char meta_sets[] = META(
	"\"mode\":\"all\",\"adaptive\":true,\"scope\":\"total\",\"runs\":4,\"sets\":2,"
	"\"mux_ms\":null,\"sav_floor\":100",
	"{\"index\":0,\"name\":\"INST_RETIRED\",\"user\":true,\"kernel\":true,\"set\":0,\"sav\":1000,"
	"\"sav_source\":\"calibrated\",\"calibration\":\"run\",\"counted\":35000,"
	"\"cal_ns\":2000000000,\"target\":35},"
	"{\"index\":1,\"name\":\"BR_INST\",\"user\":true,\"kernel\":false,\"set\":1,\"sav\":7777,\"sav_source\":\"default\","
	"\"calibration\":\"run\",\"counted\":null,\"cal_ns\":null,\"target\":null}");

static const char meta_several[] = META(
	"\"mode\":\"none\",\"adaptive\":false,\"scope\":\"cpu\",\"runs\":1,\"sets\":1,"
	"\"mux_ms\":null,\"sav_floor\":100",
	"{\"index\":0,\"name\":\"Clockticks\",\"user\":true,\"kernel\":true,\"set\":0,\"sav\":2000,"
	"\"sav_source\":\"explicit\",\"calibration\":\"explicit\",\"counted\":null,"
	"\"cal_ns\":null,\"target\":null},"
	"{\"index\":1,\"name\":\"INST_RETIRED\",\"user\":true,\"kernel\":true,\"set\":0,\"sav\":1000,"
	"\"sav_source\":\"explicit\",\"calibration\":\"explicit\",\"counted\":null,"
	"\"cal_ns\":null,\"target\":null}");

static const char run_1[] =
	"{\"set\":1,\"events\":[{\"index\":1,\"sav\":300,\"sav_source\":\"calibrated\","
	"\"calibration\":\"run\",\"counted\":6000,\"cal_ns\":1500000000,\"target\":20}]}";

static const char meta_mux[] = META(
	"\"mode\":\"none\",\"adaptive\":false,\"scope\":\"total\",\"runs\":1,\"sets\":2,"
	"\"mux_ms\":10,\"sav_floor\":100",
	"{\"index\":0,\"name\":\"INST_RETIRED\",\"user\":true,\"kernel\":true,\"set\":0,\"sav\":1000,"
	"\"sav_source\":\"default\",\"calibration\":\"off\",\"counted\":null,"
	"\"cal_ns\":null,\"target\":100},"
	"{\"index\":1,\"name\":\"BR_INST\",\"user\":true,\"kernel\":false,\"set\":1,\"sav\":500,\"sav_source\":\"config\","
	"\"calibration\":\"off\",\"counted\":null,\"cal_ns\":null,\"target\":null}");

#define END(runs, cpu_0, cpu_2, events)                                            \
	"{\"reason\":\"duration\",\"elapsed_ns\":2000000000,\"exit_status\":null," \
	"\"sideband_lost\":0,\"runs\":[" runs "],\"cpus\":[" cpu_0 "," cpu_2       \
	"],\"events\":[" events "]}"

#define RUN(set, ns) \
	"{\"set\":" #set ",\"reason\":\"duration\",\"elapsed_ns\":" #ns ",\"exit_status\":null}"

#define CPU(cpu, produced, written, lost)                                                       \
	"{\"cpu\":" #cpu ",\"produced\":" #produced ",\"written\":" #written ",\"lost\":" #lost \
	",\"read\":" #written "}"

static const char end[] = END(
	RUN(0, 2000000000), CPU(0, 87, 67, 20), CPU(2, 41, 41, 0),
	"{\"index\":0,\"sav\":1000,\"count\":120000,\"samples\":120,\"target\":100},"
	"{\"index\":1,\"sav\":500,\"count\":2500,\"samples\":5,\"target\":null}");

static const char end_stacks[] = END(
	RUN(0, 2000000000), CPU(0, 107, 107, 0), CPU(2, 0, 0, 0),
	"{\"index\":0,\"sav\":1000,\"count\":100000,\"samples\":100,\"target\":null},"
	"{\"index\":1,\"sav\":500,\"count\":2500,\"samples\":5,\"target\":null}");

static const char end_several[] = END(
	RUN(0, 2000000000), CPU(0, 52, 52, 0), CPU(2, 56, 56, 0),
	"{\"index\":0,\"sav\":2000,\"count\":90000,\"samples\":45,\"target\":null},"
	"{\"index\":1,\"sav\":1000,\"count\":60000,\"samples\":60,\"target\":null}");

static const char end_sets[] = END(
	RUN(0, 500000000) "," RUN(1, 1500000000), CPU(0, 53, 43, 10), CPU(2, 6, 6, 0),
	"{\"index\":0,\"sav\":500,\"count\":25000,\"samples\":35,\"target\":35},"
	"{\"index\":1,\"sav\":300,\"count\":6000,\"samples\":20,\"target\":20}");

static const char end_mux[] = END(
	RUN(0, 2000000000), CPU(0, 61, 61, 0), CPU(2, 1, 1, 0),
	"{\"index\":0,\"sav\":1000,\"count\":25000,\"samples\":25,\"target\":100,"
	"\"enabled\":2000000000,\"running\":500000000},"
	"{\"index\":1,\"sav\":500,\"count\":15000,\"samples\":30,\"target\":null,"
	"\"enabled\":2000000000,\"running\":1500000000}");

static const char kernel[] = "ffffffff81000000 T _stext\n"
			     "ffffffff81001000 T work_a\n"
			     "ffffffff81002000 t work_b\t[mod]\n";

static struct vsamp_writer *w;
static struct vsamp_error err;

static void must(int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "make_file: %s\n", err.text);
	exit(1);
}

static void put_json(enum vsamp_chunk_type type, const char *text)
{
	struct json_object *obj = json_tokener_parse(text);

	must(vsamp_writer_json(w, type, obj, &err));
	json_object_put(obj);
}

static void put_name(uint32_t pid, uint32_t tid, const char *name)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[8];
		struct sideband_id id;
	} comm = { { PERF_RECORD_COMM, 0, sizeof(comm) }, pid, tid, "", { .pid = pid } };

	strncpy(comm.comm, name, sizeof(comm.comm) - 1);
	must(vsamp_writer_sideband(w, 0, &comm, sizeof(comm), &err));
}

static void put_clock(uint32_t cpu, uint64_t time)
{
	struct vsamp_record_clock c = {
		{ VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 }, time, 20, time, 0, 0
	};

	must(vsamp_writer_records(w, cpu, &c, sizeof(c), &err));
}

static uint64_t now = 1000;

static void put_thread(int count, uint32_t cpu, uint16_t event, uint64_t ip, uint32_t pid,
		       uint32_t tid)
{
	while (count--) {
		struct vsamp_record_sample s = {
			{ VSAMP_RECORD_SAMPLE, sizeof(s), event, ip >> 63 ? 0 : VSAMP_SAMPLE_USER },
			now += 1000,
			ip,
			pid,
			tid,
		};

		must(vsamp_writer_records(w, cpu, &s, sizeof(s), &err));
	}
}

static void put_samples(int count, uint32_t cpu, uint16_t event, uint64_t ip, uint32_t pid)
{
	put_thread(count, cpu, event, ip, pid, pid);
}

#define WORK_A 0xffffffff81001010
#define WORK_B 0xffffffff81002020

static void put_lost(uint64_t count)
{
	struct vsamp_record_lost lost = { { VSAMP_RECORD_LOST, sizeof(lost), 0, 0 },
					  500000,
					  count };

	must(vsamp_writer_records(w, 0, &lost, sizeof(lost), &err));
}

static void put_sav(uint32_t cpu, uint16_t event, uint64_t time, uint64_t sav)
{
	struct vsamp_record_sav s = { { VSAMP_RECORD_SAV, sizeof(s), event, 0 }, time, sav };

	must(vsamp_writer_records(w, cpu, &s, sizeof(s), &err));
}

static void put_set(uint16_t set, uint64_t time, uint64_t enabled, uint64_t running)
{
	struct vsamp_record_set s = {
		{ VSAMP_RECORD_SET, sizeof(s), set, 0 }, time, enabled, running
	};

	must(vsamp_writer_records(w, 0, &s, sizeof(s), &err));
}

static void put_plain(void)
{
	put_clock(0, 1000);
	put_samples(60, 0, 0, WORK_A, 7);
	put_samples(5, 0, 1, WORK_A + 16, 7);
	put_lost(20);
	put_clock(0, 2000000000);
	put_clock(2, 1010);
	put_samples(30, 2, 0, WORK_B, 8);
	put_samples(10, 2, 0, 0x401000, 9);
	put_json(VSAMP_CHUNK_END, end);
}

#define RET_S 0xffffffff81000010
#define RET_A 0xffffffff81001020
#define RET_B 0xffffffff81002030

static void put_stacks(int count, uint64_t ip, uint32_t pid, uint32_t flags, uint16_t frames,
		       uint64_t first, uint64_t second)
{
	static uint64_t time = 1000;

	while (count--) {
		struct {
			struct vsamp_record_sample sample;
			struct vsamp_stack stack;
			uint64_t ip[2];
		} s = {
			{ { VSAMP_RECORD_SAMPLE, 40 + 8 * frames, 0, VSAMP_SAMPLE_STACK },
			  time += 1000,
			  ip,
			  pid,
			  pid },
			{ frames, 0, flags },
			{ first, second },
		};

		must(vsamp_writer_records(w, 0, &s, s.sample.h.size, &err));
	}
}

static void put_callers(void)
{
	put_clock(0, 1000);
	put_stacks(40, WORK_A, 7, 0, 2, RET_B, RET_S);
	put_stacks(10, WORK_A, 7, 0, 2, RET_A, RET_S);
	put_stacks(5, WORK_A, 7, 0, 2, RET_A, RET_B);
	put_stacks(4, WORK_A, 7, VSAMP_STACK_USER_CUT, 0, 0, 0);
	put_stacks(1, WORK_A, 7, 0, 0, 0, 0);
	put_stacks(39, WORK_B, 8, 0, 1, RET_S, 0);
	put_stacks(1, WORK_B, 8, 0, 1, RET_A, 0);
	put_samples(5, 0, 1, WORK_A, 7);
	put_clock(0, 2000000000);
	put_json(VSAMP_CHUNK_END, end_stacks);
}

static void put_sets(void)
{
	put_clock(0, 1000);
	put_samples(10, 0, 0, WORK_A, 7);
	put_sav(0, 0, 11500, 500);
	put_samples(20, 0, 0, WORK_B, 8);
	put_clock(2, 1010);
	put_samples(5, 2, 0, WORK_A, 7);
	put_json(VSAMP_CHUNK_RUN, run_1);
	put_lost(10);
	put_samples(10, 0, 1, WORK_A, 7);
	put_clock(0, 2000000000);
	put_json(VSAMP_CHUNK_END, end_sets);
}

static void put_mux(void)
{
	put_clock(0, 1000);
	put_samples(25, 0, 0, WORK_A, 7);
	put_set(0, 26500, 25500, 25500);
	put_samples(30, 0, 1, WORK_B, 8);
	put_set(1, 60000, 59000, 33500);
	put_set(0, 500026500, 525500 + 33500, 525500);
	put_set(1, 2000000000, 2000000000, 1500000000);
	put_clock(0, 2000000000);
	put_clock(2, 1010);
	put_json(VSAMP_CHUNK_END, end_mux);
}

static void put_several(void)
{
	put_name(7, 17, "worker");
	put_clock(0, 0);
	put_samples(30, 0, 0, WORK_A, 7);
	put_samples(20, 0, 1, WORK_A, 7);
	put_clock(0, 2000000000);
	put_clock(2, 10);
	now = 1000000000;
	put_thread(10, 2, 0, WORK_B, 7, 17);
	put_thread(40, 2, 1, WORK_B, 7, 17);
	now = 1500000000;
	put_samples(5, 2, 0, WORK_A, 8);
	put_json(VSAMP_CHUNK_END, end_several);
}

int main(int argc, char **argv)
{
	FILE *symbols = fmemopen((void *)kernel, sizeof(kernel) - 1, "r");
	const char *name = argc > 2 ? argv[2] : "one";
	bool sets = !strcmp(name, "--sets"), mux = !strcmp(name, "--mux");
	bool stacks = !strcmp(name, "--stacks"), several = !strcmp(name, "--several");

	if (argc < 2 || argc > 3 || !symbols) {
		fputs("usage: make_file FILE [NAME | --sets | --mux | --stacks | --several]\n",
		      stderr);
		return 2;
	}
	must(vsamp_writer_open(&w, argv[1], &err));
	put_json(VSAMP_CHUNK_META, sets	   ? meta_sets :
				   mux	   ? meta_mux :
				   stacks  ? meta_stacks :
				   several ? meta_several :
					     meta);
	must(writer_kallsyms(w, symbols, NULL, 0, &err));
	put_name(7, 7, sets || mux || stacks || several ? "one" : name);
	put_name(8, 8, "two");
	if (sets)
		put_sets();
	else if (mux)
		put_mux();
	else if (stacks)
		put_callers();
	else if (several)
		put_several();
	else
		put_plain();
	must(vsamp_writer_close(w, &err));
	fclose(symbols);
	return 0;
}
