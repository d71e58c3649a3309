// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include <vsamp/guardian.h>

#include "cmd.h"
#include "run.h"
#include "say.h"

static const char help[] =
	"usage: vsamp stat [OPTIONS] [--] [COMMAND [ARGUMENT]...]\n"
	"\n"
	"Counts events of the machine, or of the processes of -p or of COMMAND; takes no samples.\n"
	"Ends after -d, with COMMAND, or by Ctrl-C.\n"
	"\n"
	"  -e, --event EVENT[,EVENT]...   NAME[:u][:k]; can be repeated\n"
	"                        (default: CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY)\n"
	"  -a, --all-cpus        whatever runs (default where no COMMAND is given)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, and those they start\n"
	"      --user NAME       COMMAND runs as this user (default: who called sudo, else the caller)\n"
	"  -d, --duration SECONDS\n"
	"  -D, --delay MS        begin later\n"
	"  -b, --backend intel   program the processor's counters, also where it says it is virtual\n"
	"      --nmi-watchdog=off  turn the NMI watchdog, which holds a counter, off for this time\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -v, --verbose         also each CPU's counts\n"
	"  -h, --help\n"
	"\n"
	"Exit code: 0; of COMMAND where it ended the counting; 1 failure; 2 usage; 126, 127 COMMAND\n"
	"can't be launched.\n";

static const char *event_levels(const struct vsamp_event *ev)
{
	return ev->user && ev->kernel ? "" : ev->user ? ":u" : ":k";
}

static void stat_print(const struct options *o, const struct run *run,
		       const struct vsamp_stats *stats)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		printf("%20" PRIu64 "  %s%s\n", run_stats_count(stats, i), o->events[i].name,
		       event_levels(&o->events[i]));
	for (unsigned int c = 0; c < stats->n && o->verbose; c++)
		for (unsigned int i = 0; i < o->n_events; i++)
			printf("%20" PRIu64 "  %s%s on CPU %u\n", stats->cpu[c].event[i].count,
			       o->events[i].name, event_levels(&o->events[i]), stats->cpu[c].cpu);
	printf("%20.6f  seconds on %u CPUs\n", run->elapsed_ns / 1e9, stats->n);
}

static struct json_object *stat_json_event(const struct vsamp_event *ev, uint64_t count)
{
	struct json_object *e = json_object_new_object();

	json_object_object_add(e, "name", json_object_new_string(ev->name));
	json_object_object_add(e, "user", json_object_new_boolean(ev->user));
	json_object_object_add(e, "kernel", json_object_new_boolean(ev->kernel));
	json_object_object_add(e, "count", json_object_new_uint64(count));
	return e;
}

static struct json_object *stat_json_cpu(const struct vsamp_cpu_stats *cpu, unsigned int n_events)
{
	struct json_object *c = json_object_new_object();
	struct json_object *counts = json_object_new_array();

	for (unsigned int i = 0; i < n_events; i++)
		json_object_array_add(counts, json_object_new_uint64(cpu->event[i].count));
	json_object_object_add(c, "cpu", json_object_new_uint64(cpu->cpu));
	json_object_object_add(c, "counts", counts);
	return c;
}

static void stat_print_json(const struct options *o, const struct run *run,
			    const struct vsamp_stats *stats)
{
	struct json_object *root = json_object_new_object();
	struct json_object *events = json_object_new_array();
	struct json_object *cpus = json_object_new_array();

	for (unsigned int i = 0; i < o->n_events; i++)
		json_object_array_add(events,
				      stat_json_event(&o->events[i], run_stats_count(stats, i)));
	for (unsigned int i = 0; i < stats->n; i++)
		json_object_array_add(cpus, stat_json_cpu(&stats->cpu[i], o->n_events));
	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "elapsed_ns", json_object_new_uint64(run->elapsed_ns));
	json_object_object_add(root, "exit_status",
			       run->child.ended ? json_object_new_int(run->child.status) : NULL);
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "cpus", cpus);
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY));
	json_object_put(root);
}

static int stat_do(const struct options *o, struct ends *ends)
{
	struct vsamp_error err = { 0 };
	struct vsamp_stats stats;
	struct run run = { 0 };
	int code = EXIT_ERROR;

	if (run_count(o, ends, o->duration_s, &run, &stats, &err)) {
		say("%s", err.text);
		return run.exit_code;
	}
	if (o->json)
		stat_print_json(o, &run, &stats);
	else
		stat_print(o, &run, &stats);
	if (run.end == RUN_FOREIGN)
		say("somebody else wrote to the performance counters: the counting ended there");
	else
		code = run.end == RUN_EXIT && o->command ? run.child.status : 0;
	vsamp_stats_free(&stats);
	return code;
}

int cmd_stat(int argc, char **argv)
{
	static struct options o;
	struct run_cpus cpus;
	struct ends ends = ENDS_NOT_OPEN;
	struct vsamp_guardian *guardian = NULL;
	struct vsamp_error err = { 0 };
	int code = EXIT_ERROR, ret;

	if (options_parse(&o, OPTIONS_STAT, argv, &err)) {
		say("stat: %s ('vsamp stat -h' has the options)", err.text);
		return EXIT_USAGE;
	}
	if (o.help) {
		fputs(help, stdout);
		return 0;
	}
	ret = run_cpus_get(&cpus, &o, &err);
	if (!ret)
		ret = ends_open(&ends, o.pids, o.n_pids, &err);
	if (!ret && o.watchdog_off)
		ret = vsamp_guardian_open(&guardian, &err);
	if (ret)
		say("%s", err.text);
	else
		code = stat_do(&o, &ends);
	if (vsamp_guardian_close(guardian, &err))
		say("%s", err.text);
	ends_close(&ends);
	return code;
}
