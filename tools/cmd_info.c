// SPDX-License-Identifier: MIT
/* vsamp info: what a file holds */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vsamp/recording.h>

#include "cmd.h"
#include "escape.h"
#include "summary.h"
#include "usage.h"

/* The chunks of one type */
struct chunk_sum {
	const char *name;
	uint64_t chunks, records, raw, stored;
};

#define CHUNK_TYPES 9 /* those of enum vsamp_chunk_type; 0: all others */

struct info {
	const char *path;
	struct vsamp_recording *rec;
	struct chunk_sum sum[CHUNK_TYPES];
	struct vsamp_recording_namespace *namespace;
	size_t namespaces;
};

static void usage(FILE *out)
{
	fputs("usage: vsamp info [--json] [FILE]\n"
	      "Shows what FILE (" FILE_DEFAULT ") holds: the run, its settings, what was lost.\n\n"
	      "  -i, --input FILE   the same as FILE\n"
	      "      --json         as JSON (docs/json.md)\n"
	      "  -h, --help         this text\n\n"
	      "Ends with 0, 1 if FILE can't be read or is damaged, 2 for wrong options.\n",
	      out);
}

static void sum_chunks(struct info *in)
{
	static const char *const names[CHUNK_TYPES] = {
		[0] = "unknown",
		[VSAMP_CHUNK_META] = "meta",
		[VSAMP_CHUNK_RECORDS] = "records",
		[VSAMP_CHUNK_SIDEBAND] = "sideband",
		[VSAMP_CHUNK_KALLSYMS] = "kallsyms",
		[VSAMP_CHUNK_END] = "end",
		[VSAMP_CHUNK_RUN] = "run",
		[VSAMP_CHUNK_ITT] = "itt",
		[VSAMP_CHUNK_TRACK] = "track",
	};
	const struct vsamp_chunk *chunk;
	size_t count = vsamp_reader_chunks(vsamp_recording_reader(in->rec), &chunk);

	for (size_t i = 0; i < CHUNK_TYPES; i++)
		in->sum[i].name = names[i];
	for (size_t i = 0; i < count; i++) {
		struct chunk_sum *s = &in->sum[chunk[i].type < CHUNK_TYPES ? chunk[i].type : 0];

		s->chunks++;
		s->records += chunk[i].count;
		s->raw += chunk[i].raw_size;
		s->stored += chunk[i].size;
	}
}

static void print_field(const char *name, const char *text)
{
	if (!*text)
		return;
	printf("%-12s ", name);
	escape_print(stdout, text, 0);
	putchar('\n');
}

static void print_field_list(const char *name, struct json_object *obj, const char *pointer)
{
	char *text = summary_list(obj, pointer);

	if (text)
		print_field(name, text);
	free(text);
}

static void print_started(struct json_object *meta)
{
	struct json_object *v;
	char text[64];
	struct tm tm;
	time_t t;

	if (json_pointer_get(meta, "/started_realtime_ns", &v))
		return;
	t = json_object_get_int64(v) / 1000000000;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof(text), "%F %T UTC", &tm))
		print_field("started", text);
}

static void print_stacks(const struct info *in)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(in->rec);
	char *text = summary_stacks(in->rec);

	if (!text)
		return;
	print_field("stacks", text);
	printf("%-12s of %" PRIu64 ": %" PRIu64 " in the kernel, %" PRIu64 " in user mode\n",
	       "stacks cut", t->stacks, t->kernel_cut, t->user_cut);
	free(text);
}

static void print_sleeps(const struct vsamp_recording *rec)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);

	if (t->sleeps)
		printf("%-12s %" PRIu64 " times, %.3f s, which are not in the duration\n", "asleep",
		       t->sleeps, t->asleep / 1e9);
}

static void print_run(const struct info *in)
{
	struct json_object *meta = vsamp_recording_meta(in->rec);
	struct json_object *end = vsamp_recording_end(in->rec);
	const char *why;

	print_field("file", in->path);
	vsamp_reader_state(vsamp_recording_reader(in->rec), &why);
	print_field("state", *why ? why : "complete");
	print_field("recorded by", summary_text(meta, "/generator"));
	print_field_list("command", meta, "/command_line");
	print_field("part", summary_text(meta, "/part"));
	print_field("host", summary_text(meta, "/hostname"));
	print_field("kernel", summary_text(meta, "/kernel_release"));
	print_field("machine", summary_text(meta, "/machine"));
	print_field("boot id", summary_text(meta, "/boot_id"));
	print_started(meta);
	printf("%-12s %.6f s", "duration", vsamp_recording_elapsed(in->rec) / 1e9);
	if (*summary_text(end, "/reason")) {
		fputs(", ended by ", stdout);
		escape_print(stdout, summary_text(end, "/reason"), 0);
	}
	putchar('\n');
	print_sleeps(in->rec);
	print_field("exit status", summary_text(end, "/exit_status"));
	print_field("CPUs online", summary_text(meta, "/cpus_online"));
	print_field("core PMUs", summary_text(meta, "/pmus"));
	print_field("scope", summary_text(meta, "/scope/kind"));
	print_field("scope CPUs", summary_text(meta, "/scope/cpus"));
	print_field_list("scope pids", meta, "/scope/pids");
	print_field_list("scope cgroups", meta, "/scope/cgroups");
	print_field_list("launched", meta, "/scope/command");
	print_field("backend", summary_text(meta, "/backend"));
	print_field("because", summary_text(meta, "/backend_reason"));
	print_field("interval ms", summary_text(meta, "/interval_ms"));
	print_field("calibration", summary_text(meta, "/calibration/mode"));
	print_field("adaptive", summary_text(meta, "/calibration/adaptive"));
	print_field("target", summary_target_scope(in->rec));
	print_field("runs", summary_text(meta, "/calibration/runs"));
	print_field("sets", summary_text(meta, "/calibration/sets"));
	print_field("slices ms", summary_text(meta, "/calibration/mux_ms"));
	print_stacks(in);
	print_field("ring size", summary_text(meta, "/ring_size"));
	print_field("sideband", summary_text(meta, "/sideband_size"));
}

static uint64_t run_number(struct json_object *run, const char *name)
{
	struct json_object *n = NULL;

	json_object_object_get_ex(run, name, &n);
	return json_object_get_uint64(n);
}

/* The runs of the sets, where there are several */
static void print_runs(const struct info *in)
{
	struct json_object *runs, *end = vsamp_recording_end(in->rec);

	if (!end || json_pointer_get(end, "/runs", &runs) ||
	    !json_object_is_type(runs, json_type_array) || json_object_array_length(runs) < 2)
		return;
	for (size_t i = 0; i < json_object_array_length(runs); i++) {
		struct json_object *run = json_object_array_get_idx(runs, i);

		printf("%-12s set %" PRIu64 ": %.6f s, ended by ", "run",
		       run_number(run, "set") + 1, run_number(run, "elapsed_ns") / 1e9);
		escape_print(stdout, summary_text(run, "/reason"), 0);
		if (*summary_text(run, "/exit_status")) {
			fputs(", exit status ", stdout);
			escape_print(stdout, summary_text(run, "/exit_status"), 0);
		}
		putchar('\n');
	}
}

/* Those besides the recorder's: containers */
static void print_namespaces(const struct info *in)
{
	struct json_object *meta = vsamp_recording_meta(in->rec);

	const char *own = summary_text(meta, "/pid_namespace");

	print_field("pid ns", own);
	for (size_t i = 0; i < in->namespaces; i++)
		if (in->namespace[i].inode != strtoull(own, NULL, 10))
			printf("%-12s %" PRIu64 ", of a container: %zu %s\n", "pid ns",
			       in->namespace[i].inode, in->namespace[i].processes,
			       in->namespace[i].processes == 1 ? "process" : "processes");
}

static void print_clock(const struct info *in)
{
	const struct vsamp_clock_fit *clock = vsamp_recording_clock(in->rec);

	printf("%-12s ", "clock");
	escape_print(stdout, summary_text(vsamp_recording_meta(in->rec), "/clock/source"), 0);
	if (!vsamp_clock_fit_points(clock)) {
		puts(", no points to convert it by");
		return;
	}
	printf(", %" PRIu64 " kHz; %zu points, conversion good to %" PRIu64 " ns\n",
	       vsamp_clock_fit_khz(clock), vsamp_clock_fit_points(clock),
	       vsamp_clock_fit_error(clock));
}

static void print_gpus(const struct info *in)
{
	const struct vsamp_gpu_recorded *gpu;
	size_t count = vsamp_recording_gpus(in->rec, &gpu);

	for (size_t i = 0; i < count; i++) {
		printf("%-12s ", "GPU");
		escape_print(stdout, gpu[i].slot, 0);
		fputs(": ", stdout);
		summary_print_gpu(&gpu[i]);
		putchar('\n');
	}
}

static void print_optional(int64_t n)
{
	if (n == VSAMP_UNKNOWN)
		printf(" %15s", "-");
	else
		printf(" %15" PRId64, n);
}

static void print_events(const struct info *in)
{
	const struct vsamp_recording_event *e;
	size_t count = vsamp_recording_events(in->rec, &e);

	printf("\n%-28s %3s %15s %15s %-10s %-11s %15s %15s %15s %7s %15s\n", "event", "set", "sav",
	       "at the end", "source", "calibration", "calibrated by", "target", "samples", "time",
	       "count");
	for (size_t i = 0; i < count; i++) {
		char name[256];

		snprintf(name, sizeof(name), "%.200s%s", e[i].name, e[i].levels);
		escape_print(stdout, name, 28);
		printf(" %3" PRIu32 " %15" PRIu64 " %15" PRIu64 " ", e[i].set + 1, e[i].sav,
		       e[i].sav_end);
		escape_print(stdout, e[i].sav_source, 10);
		putchar(' ');
		escape_print(stdout, e[i].calibration, 11);
		print_optional(e[i].counted);
		print_optional(e[i].target);
		printf(" %15" PRIu64 " %6.2f%%", e[i].samples, 100 * e[i].share);
		print_optional(e[i].count);
		putchar('\n');
	}
}

static const char *yes_no(bool yes)
{
	return yes ? "yes" : "NO";
}

static void print_cpus(const struct info *in)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(in->rec);
	const struct vsamp_recording_cpu *cpu;
	size_t count = vsamp_recording_cpus(in->rec, &cpu);

	printf("\n%-5s %12s %12s %12s %12s %12s %10s\n", "CPU", "produced", "written", "lost",
	       "in file", "marked lost", "throttled");
	for (size_t i = 0; i < count; i++) {
		printf("%-5u", cpu[i].cpu);
		if (cpu[i].told)
			printf(" %12" PRIu64 " %12" PRIu64 " %12" PRIu64, cpu[i].produced,
			       cpu[i].written, cpu[i].lost);
		else
			printf(" %12s %12s %12s", "-", "-", "-");
		printf(" %12" PRIu64 " %12" PRIu64 " %10" PRIu64 "\n", cpu[i].records,
		       cpu[i].lost_marked, cpu[i].throttles);
	}
	printf("%-5s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", "all", t->produced,
	       t->written, t->lost, t->records);
	if (vsamp_recording_end(in->rec))
		printf("produced = written + lost: %s; written = read = in the file: %s\n",
		       yes_no(t->balanced), yes_no(t->whole));
	else
		puts("produced = written + lost: not known, as the file has no totals");
	if (t->swaps)
		printf("swaps of sets: %" PRIu64 "\n", t->swaps);
	if (t->sav_changes)
		printf("changes of Sample-After values: %" PRIu64 "\n", t->sav_changes);
}

static void print_chunks(const struct info *in)
{
	printf("\n%-10s %10s %12s %14s %14s\n", "chunks", "number", "records", "bytes", "stored");
	for (size_t i = 0; i < CHUNK_TYPES; i++) {
		const struct chunk_sum *s = &in->sum[i];

		if (s->chunks)
			printf("%-10s %10" PRIu64 " %12" PRIu64 " %14" PRIu64 " %14" PRIu64 "\n",
			       s->name, s->chunks, s->records, s->raw, s->stored);
	}
}

static struct json_object *json_cpu(const struct vsamp_recording_cpu *cpu)
{
	struct json_object *o = json_object_new_object();
	const struct {
		const char *name;
		uint64_t n;
		bool known;
	} members[] = {
		{ "cpu", cpu->cpu, true },
		{ "produced", cpu->produced, cpu->told },
		{ "written", cpu->written, cpu->told },
		{ "lost", cpu->lost, cpu->told },
		{ "read", cpu->read, cpu->told },
		{ "records", cpu->records, true },
		{ "lost_marked", cpu->lost_marked, true },
		{ "throttled", cpu->throttles, true },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		json_object_object_add(o, members[i].name,
				       members[i].known ? json_object_new_uint64(members[i].n) :
							  NULL);
	return o;
}

static struct json_object *json_clock(const struct vsamp_clock_fit *clock)
{
	struct json_object *o = json_object_new_object();
	size_t points = vsamp_clock_fit_points(clock);

	json_object_object_add(o, "khz", json_object_new_uint64(vsamp_clock_fit_khz(clock)));
	json_object_object_add(o, "points", json_object_new_uint64(points));
	json_object_object_add(o, "error_ns",
			       points ? json_object_new_uint64(vsamp_clock_fit_error(clock)) :
					NULL);
	return o;
}

static struct json_object *json_chunks(const struct info *in)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < CHUNK_TYPES; i++) {
		struct json_object *o;

		if (!in->sum[i].chunks)
			continue;
		o = json_object_new_object();
		json_object_object_add(o, "type", json_object_new_string(in->sum[i].name));
		json_object_object_add(o, "chunks", json_object_new_uint64(in->sum[i].chunks));
		json_object_object_add(o, "records", json_object_new_uint64(in->sum[i].records));
		json_object_object_add(o, "bytes", json_object_new_uint64(in->sum[i].raw));
		json_object_object_add(o, "stored", json_object_new_uint64(in->sum[i].stored));
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_namespaces(const struct info *in)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < in->namespaces; i++) {
		struct json_object *o = json_object_new_object();

		json_object_object_add(o, "pid_namespace",
				       json_object_new_uint64(in->namespace[i].inode));
		json_object_object_add(o, "processes",
				       json_object_new_uint64(in->namespace[i].processes));
		json_object_array_add(list, o);
	}
	return list;
}

static void print_json(const struct info *in)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(in->rec);
	struct json_object *root = json_object_new_object();
	struct json_object *events = json_object_new_array(), *cpus = json_object_new_array();
	const struct vsamp_recording_event *e;
	const struct vsamp_recording_cpu *cpu;
	size_t count = vsamp_recording_events(in->rec, &e);

	summary_json(in->rec, in->path, root);
	json_object_object_add(root, "records", json_object_new_uint64(t->records));
	json_object_object_add(root, "swaps", json_object_new_uint64(t->swaps));
	json_object_object_add(root, "sav_changes", json_object_new_uint64(t->sav_changes));
	json_object_object_add(root, "balanced", json_object_new_boolean(t->balanced));
	json_object_object_add(root, "whole", json_object_new_boolean(t->whole));
	for (size_t i = 0; i < count; i++)
		json_object_array_add(events, summary_json_event(&e[i]));
	json_object_object_add(root, "events", events);
	count = vsamp_recording_cpus(in->rec, &cpu);
	for (size_t i = 0; i < count; i++)
		json_object_array_add(cpus, json_cpu(&cpu[i]));
	json_object_object_add(root, "cpus", cpus);
	json_object_object_add(root, "clock", json_clock(vsamp_recording_clock(in->rec)));
	json_object_object_add(root, "gpus", summary_json_gpus(in->rec));
	json_object_object_add(root, "pid_namespaces", json_namespaces(in));
	json_object_object_add(root, "chunks", json_chunks(in));
	json_object_object_add(root, "meta", json_object_get(vsamp_recording_meta(in->rec)));
	json_object_object_add(root, "end", json_object_get(vsamp_recording_end(in->rec)));
	summary_put(root);
	json_object_put(root);
}

int cmd_info(int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct info in = { 0 };
	struct vsamp_error err;
	bool json = false;
	int c, ret;

	optind = 0;
	while ((c = usage_next("info", argc, argv, ":i:h", options)) != -1) {
		switch (c) {
		case 'i':
			in.path = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			usage(stdout);
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	if (optind < argc && !in.path)
		in.path = argv[optind++];
	if (optind < argc)
		return usage_wrong("info", argv[optind], "one file is enough");
	if (!in.path)
		in.path = FILE_DEFAULT;
	if (vsamp_recording_open(&in.rec, in.path, &err)) {
		fprintf(stderr, "vsamp info: %s\n", err.text);
		return EXIT_ERROR;
	}
	sum_chunks(&in);
	/* Of a damaged file as many as there are, which is none: the end says what is wrong */
	if (vsamp_recording_namespaces(in.rec, &in.namespace, &in.namespaces, &err))
		in.namespaces = 0;
	if (json) {
		print_json(&in);
	} else {
		print_run(&in);
		print_runs(&in);
		print_namespaces(&in);
		print_clock(&in);
		print_gpus(&in);
		print_events(&in);
		print_cpus(&in);
		print_chunks(&in);
	}
	ret = summary_end("info", in.rec);
	free(in.namespace);
	vsamp_recording_close(in.rec);
	return ret;
}
