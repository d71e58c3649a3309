// SPDX-License-Identifier: MIT
/*
 * usage: make_file FILE [NAME]
 *
 * Writes a small recording of known contents: two events on CPUs 0 and 2; 60 samples of "one" in
 * the kernel's work_a, 30 of "two" in work_b, 10 of pid 9, which nothing tells the name of, in user
 * space; of the second event 5 of "one", which NAME renames. 20 records were lost.
 */
#include <json-c/json.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/file.h>

#include "../../lib/file_private.h"

static const char meta[] =
	"{\"version\":1,\"generator\":\"make_file\",\"command_line\":[\"vsamp\",\"record\",\"-a\"],"
	"\"hostname\":\"somewhere\",\"kernel_release\":\"6.1\",\"machine\":\"x86_64\",\"boot_id\":\"-\","
	"\"cpus_online\":\"0,2\",\"started_realtime_ns\":86400000000000,"
	"\"clock\":{\"source\":\"tsc\",\"khz\":1000000},\"backend\":\"intel\","
	"\"scope\":{\"kind\":\"machine\",\"cpus\":\"0,2\",\"pids\":[],\"command\":null},"
	"\"calibration\":{\"mode\":\"all\",\"scope\":\"cpu\",\"seconds\":2,\"runs\":2},"
	"\"events\":[{\"index\":0,\"name\":\"INST_RETIRED\",\"sav\":1000,\"sav_source\":\"calibrated\","
	"\"counted\":100000,\"target\":100},{\"index\":1,\"name\":\"BR_INST\",\"sav\":500,"
	"\"sav_source\":\"explicit\",\"counted\":null,\"target\":null}]}";

static const char end[] =
	"{\"reason\":\"duration\",\"elapsed_ns\":2000000000,\"exit_status\":null,\"sideband_lost\":0,"
	"\"cpus\":[{\"cpu\":0,\"produced\":87,\"written\":67,\"lost\":20,\"read\":67},"
	"{\"cpu\":2,\"produced\":41,\"written\":41,\"lost\":0,\"read\":41}],"
	"\"events\":[{\"index\":0,\"count\":120000,\"samples\":120,\"target\":100},"
	"{\"index\":1,\"count\":2500,\"samples\":5,\"target\":null}]}";

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

static void put_name(uint32_t pid, const char *name)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[8];
		struct sideband_id id;
	} comm = { { PERF_RECORD_COMM, 0, sizeof(comm) }, pid, pid, "", { .pid = pid } };

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

static void put_samples(int count, uint32_t cpu, uint16_t event, uint64_t ip, uint32_t pid)
{
	static uint64_t time = 1000;

	while (count--) {
		struct vsamp_record_sample s = {
			{ VSAMP_RECORD_SAMPLE, sizeof(s), event, ip >> 63 ? 0 : VSAMP_SAMPLE_USER },
			time += 1000,
			ip,
			pid,
			pid,
		};

		must(vsamp_writer_records(w, cpu, &s, sizeof(s), &err));
	}
}

int main(int argc, char **argv)
{
	struct vsamp_record_lost lost = { { VSAMP_RECORD_LOST, sizeof(lost), 0, 0 }, 500000, 20 };
	FILE *symbols = fmemopen((void *)kernel, sizeof(kernel) - 1, "r");

	if (argc < 2 || argc > 3 || !symbols) {
		fputs("usage: make_file FILE [NAME]\n", stderr);
		return 2;
	}
	must(vsamp_writer_open(&w, argv[1], &err));
	put_json(VSAMP_CHUNK_META, meta);
	must(writer_kallsyms(w, symbols, NULL, 0, &err));
	put_name(7, argc > 2 ? argv[2] : "one");
	put_name(8, "two");
	put_clock(0, 1000);
	put_samples(60, 0, 0, 0xffffffff81001010, 7);
	put_samples(5, 0, 1, 0xffffffff81001020, 7);
	must(vsamp_writer_records(w, 0, &lost, sizeof(lost), &err));
	put_clock(0, 2000000000);
	put_clock(2, 1010);
	put_samples(30, 2, 0, 0xffffffff81002020, 8);
	put_samples(10, 2, 0, 0x401000, 9);
	put_json(VSAMP_CHUNK_END, end);
	must(vsamp_writer_close(w, &err));
	fclose(symbols);
	return 0;
}
