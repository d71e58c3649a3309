// SPDX-License-Identifier: MIT
#include <errno.h>
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
	"      --event-config FILE  properties of events (vsamp-events(5))\n"
	"      --mux MS          events that don't fit the counters at once: count their sets in turn,\n"
	"                        so long each, and scale what they counted to all of the time\n"
	"  -a, --all-cpus        whatever runs (default where no COMMAND is given)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, with all their threads\n"
	"  -G, --cgroup CGROUP[,CGROUP]...  what runs in these cgroups (of version 2), and below them;\n"
	"                        COMMAND only says how long\n"
	"      --children        also the processes that those of -p start from now on\n"
	"      --no-children     not those that COMMAND starts (also --no-inherit)\n"
	"      --user NAME       COMMAND runs as this user (default: who called sudo, else the caller)\n"
	"  -d, --duration SECONDS\n"
	"  -D, --delay MS        begin later\n"
	"  -b, --backend NAME    what counts: intel (also where the processor says it is virtual), kperf or\n"
	"                        perf (default: the first of them that can)\n"
	"      --nmi-watchdog=off  turn the NMI watchdog, which holds a counter, off for this time\n"
	"      --json            print JSON (docs/json.md)\n"
	"  -v, --verbose         also each CPU's counts\n"
	"  -h, --help\n"
	"\n"
	"Exit code: 0; of COMMAND where it ended the counting; 1 failure; 2 usage; 126, 127 COMMAND\n"
	"can't be launched.\n";

static void stat_print(const struct options *o, const struct run *run,
		       const struct vsamp_stats *stats)
{
	for (unsigned int i = 0; i < o->n_events; i++) {
		double share = run_stats_share(stats, i);

		printf("%20.0f  %s%s", run_stats_count(stats, i), o->events[i].name,
		       vsamp_event_levels(&o->events[i]));
		if (share < 1)
			printf("  (counted %.1f %% of the time)", 100 * share);
		putchar('\n');
	}
	for (unsigned int c = 0; c < stats->n && o->verbose; c++)
		for (unsigned int i = 0; i < o->n_events; i++)
			printf("%20.0f  %s%s on CPU %u\n", run_cpu_count(&stats->cpu[c], i),
			       o->events[i].name, vsamp_event_levels(&o->events[i]),
			       stats->cpu[c].cpu);
	printf("%20.6f  seconds on %u CPUs\n", run->elapsed_ns / 1e9, stats->n);
}

static struct json_object *stat_json_count(double count)
{
	return json_object_new_uint64(count + 0.5);
}

static struct json_object *stat_json_event(const struct vsamp_event *ev, double count, double share)
{
	struct json_object *e = json_object_new_object();

	json_object_object_add(e, "name", json_object_new_string(ev->name));
	json_object_object_add(e, "user", json_object_new_boolean(ev->user));
	json_object_object_add(e, "kernel", json_object_new_boolean(ev->kernel));
	json_object_object_add(e, "count", stat_json_count(count));
	json_object_object_add(e, "share", json_object_new_double(share));
	return e;
}

static struct json_object *stat_json_cpu(const struct vsamp_cpu_stats *cpu, unsigned int n_events)
{
	struct json_object *c = json_object_new_object();
	struct json_object *counts = json_object_new_array();

	for (unsigned int i = 0; i < n_events; i++)
		json_object_array_add(counts, stat_json_count(run_cpu_count(cpu, i)));
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
				      stat_json_event(&o->events[i], run_stats_count(stats, i),
						      run_stats_share(stats, i)));
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

/* All at once, or in turn: a count of one set after the other would be of other runs */
static int stat_check_sets(const struct options *o, const struct run_cpus *cpus,
			   struct vsamp_error *err)
{
	if (cpus->sets == 1 || o->mux_ms)
		return 0;
	return vsamp_fail(
		err, -ENOSPC,
		"%u events don't fit the counters at once, they make %u sets: --mux 4 counts these in turn, 4 ms each",
		o->n_events, cpus->sets);
}

static int stat_do(const struct options *o, const struct run_cpus *cpus, struct ends *ends)
{
	struct vsamp_error err = { 0 };
	struct vsamp_stats stats;
	struct run run = {
		.o = o,
		.backend = cpus->choice.backend,
		.ends = ends,
		.exit_code = EXIT_ERROR,
	};
	int code = EXIT_ERROR;

	if (run_count(&run, o->duration_s * 1e9, &stats, &err)) {
		say("%s", err.text);
		return run.exit_code;
	}
	if (o->json)
		stat_print_json(o, &run, &stats);
	else
		stat_print(o, &run, &stats);
	if (run_end_text(run.end))
		say("%s: the counting ended there", run_end_text(run.end));
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
		ret = stat_check_sets(&o, &cpus, &err);
	if (!ret)
		ret = ends_open(&ends, o.pids, o.n_pids, &err);
	if (!ret && o.watchdog_off && cpus.choice.backend == VSAMP_BACKEND_INTEL)
		ret = vsamp_guardian_open(&guardian, &err);
	if (ret)
		say("%s", err.text);
	else
		code = stat_do(&o, &cpus, &ends);
	if (vsamp_guardian_close(guardian, &err))
		say("%s", err.text);
	ends_close(&ends);
	return code;
}
