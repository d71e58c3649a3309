// SPDX-License-Identifier: MIT
#include <errno.h>
#include <json-c/json.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include <vsamp/guardian.h>

#include "calibration.h"
#include "cmd.h"
#include "output.h"
#include "say.h"
#include "outcome.h"

static const char help[] =
	"usage: vsamp record [OPTIONS] [--] [COMMAND [ARGUMENT]...]\n"
	"\n"
	"Samples whatever runs on the machine, or only the processes of -p or of COMMAND.\n"
	"Ends after -d, with COMMAND, or by Ctrl-C.\n"
	"\n"
	"What is sampled\n"
	"  -e, --event EVENT[,EVENT]...   NAME[:u][:k][:sav=N]; can be repeated\n"
	"                        (default: CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY)\n"
	"  -a, --all-cpus        whatever runs (default where no COMMAND is given)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, and those they start\n"
	"      --user NAME       COMMAND runs as this user (default: who called sudo, else the caller)\n"
	"How long\n"
	"  -d, --duration SECONDS\n"
	"  -D, --delay MS        begin later\n"
	"How often\n"
	"  -i, --interval MS     between samples, aimed at by calibration (default 1)\n"
	"  --cal[=]all|event|none, --cal, -cal, -cal yes, -cal no\n"
	"                        calibrate Sample-After values: all events, or by event property\n"
	"      --cal-time SECONDS  length of the calibration run (default: as -d, as COMMAND takes, or 2)\n"
	"      --cal-scope cpu|total  the target is per CPU (default for the machine), or a total\n"
	"                        (default for processes)\n"
	"      --force           allow Sample-After values below 1000, from 2 on\n"
	"      --pmi-limit N     interrupts a tick of 4 ms and CPU before sampling is held back\n"
	"Where to\n"
	"  -o, --output FILE     (default " FILE_DEFAULT "; one that exists becomes FILE.old)\n"
	"      --ring-size SIZE  of each CPU's buffer: a power of two, 16K to 1024M (default 1M)\n"
	"      --sideband-size SIZE  of each CPU's buffer for what processes do (default 512K)\n"
	"      --no-sideband     without what processes did: samples have no names of processes and files\n"
	"By what\n"
	"  -b, --backend intel   program the processor's counters, also where it says it is virtual\n"
	"      --nmi-watchdog=off  turn the NMI watchdog, which holds a counter, off for this time\n"
	"Else\n"
	"  -q, --quiet; -v, --verbose; -h, --help\n"
	"\n"
	"Exit code: 0; of COMMAND where it ended the recording; 1 failure; 2 usage; 126, 127 COMMAND\n"
	"can't be launched; 130 Ctrl-C while calibrating.\n";

struct record {
	struct options o;
	struct run_cpus cpus;
	struct ends ends;
	struct calibration calibration;
	struct output output;
	struct run run;
	char **argv;
};

static void record_meta(struct record *rec, struct vsamp_meta *meta)
{
	const struct options *o = &rec->o;

	*meta = (struct vsamp_meta){
		.command_line = rec->argv,
		.caps = &rec->cpus.caps,
		.backend_reason = o->backend ? "asked for by -b intel" :
					       "Intel counters, not under a hypervisor",
		.scope = run_is_launch(o) || o->n_pids ? VSAMP_SCOPE_PROCESS :
			 o->cpus		       ? VSAMP_SCOPE_CPUS :
							 VSAMP_SCOPE_MACHINE,
		.cpus = rec->cpus.list,
		.pids = run_is_launch(o) ? &rec->run.child.pid : o->pids,
		.n_pids = run_is_launch(o) ? 1 : o->n_pids,
		.command = o->command,
		.interval_ms = o->interval_ms,
		.duration_s = o->duration_s > 0 ? o->duration_s : NAN,
		.cal_mode = o->cal_mode,
		.cal_per_cpu = rec->calibration.per_cpu,
		.cal_seconds = rec->calibration.seconds,
		.runs = rec->calibration.runs,
		.events = o->events,
		.event = rec->calibration.event,
		.n_events = o->n_events,
		.ring_size = o->ring_size ? o->ring_size : VSAMP_RING_SIZE_DEFAULT,
		.sideband_size = o->no_sideband ? 0 : vsamp_sideband_size(rec->run.sideband),
	};
}

static int record_write_json(struct record *rec, enum vsamp_chunk_type type,
			     struct json_object *object, struct vsamp_error *err)
{
	int ret = object ? vsamp_writer_json(rec->output.writer, type, object, err) :
			   vsamp_fail(err, -ENOMEM, "out of memory");

	json_object_put(object);
	return ret;
}

static bool record_counts_kernel(const struct options *o)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		if (o->events[i].kernel)
			return true;
	return false;
}

static int record_open_sideband(struct record *rec, struct vsamp_error *err)
{
	const struct options *o = &rec->o;
	size_t size = o->sideband_size ? o->sideband_size : VSAMP_SIDEBAND_SIZE_DEFAULT;
	int ret = vsamp_sideband_open(&rec->run.sideband, size, err);

	if (ret)
		return ret;
	if (vsamp_sideband_size(rec->run.sideband) < size)
		say("sideband: the locked-memory limit (ulimit -l, kernel.perf_event_mlock_kb) allows buffers of %zu KiB only, not %zu",
		    vsamp_sideband_size(rec->run.sideband) >> 10, size >> 10);
	return 0;
}

/* What stands before the records: how it is taken, the kernel's symbols, what runs already */
static int record_write_start(struct record *rec, struct vsamp_error *err)
{
	struct vsamp_writer *w = rec->output.writer;
	struct vsamp_error why = { 0 };
	struct vsamp_meta meta;
	int ret = rec->o.no_sideband ? 0 : record_open_sideband(rec, err);

	if (ret)
		return ret;
	record_meta(rec, &meta);
	ret = record_write_json(rec, VSAMP_CHUNK_META, vsamp_meta_json(&meta), err);
	if (ret)
		return ret;
	if (vsamp_writer_kallsyms(w, &why) && record_counts_kernel(&rec->o))
		say("%s", why.text);
	if (rec->o.no_sideband)
		return 0;
	return vsamp_sideband_synthesize(w, run_is_launch(&rec->o) ? rec->run.child.pid : 0, err);
}

static void record_say_start(const struct record *rec)
{
	const struct options *o = &rec->o;
	const struct calibration *c = &rec->calibration;

	if (o->quiet)
		return;
	for (unsigned int i = 0; i < o->n_events && o->verbose; i++)
		say("%s: on %s counter %u, SAV %" PRIu64 " (%s)", o->events[i].name,
		    o->events[i].counter < VSAMP_COUNTER_FIXED ? "general" : "fixed",
		    o->events[i].counter % VSAMP_COUNTER_FIXED, o->events[i].sav,
		    vsamp_sav_source_name(o->events[i].sav_source));
	if (rec->cpus.caps.clock != VSAMP_CLOCK_TSC)
		say("the TSC is not invariant here: times are of the kernel's monotonic clock");
	if (o->duration_s > 0)
		say("recording, %u of %u runs: for %g s", c->runs, c->runs, o->duration_s);
	else
		say("recording, %u of %u runs: until %s", c->runs, c->runs,
		    o->command ? "the command ends" :
		    o->n_pids  ? "the processes end, or Ctrl-C" :
				 "Ctrl-C");
}

static const char *record_reason(const struct run *run)
{
	static const char *const reasons[] = {
		[RUN_DURATION] = "duration",
		[RUN_SIGNAL] = "signal",
		[RUN_EXIT] = "exit",
		[RUN_FOREIGN] = "foreign",
	};

	return reasons[run->end];
}

/* A run cut short is measured by what it was; else the targets stay those of the start */
static void record_targets(const struct record *rec, double *target)
{
	const struct calibration *c = &rec->calibration;
	double seconds = rec->run.elapsed_ns / 1e9;
	bool whole = rec->run.end == RUN_DURATION || (rec->run.end == RUN_EXIT && c->command_took);

	for (unsigned int i = 0; i < rec->o.n_events; i++)
		target[i] = calibration_target(
			c, &rec->o, i, whole && !isnan(c->duration_s) ? c->duration_s : seconds);
}

/* The account, the END chunk and the last lines */
static int record_write_end(struct record *rec, struct vsamp_error *err)
{
	double target[VSAMP_EVENTS_MAX];
	struct vsamp_recorder_totals totals;
	struct vsamp_end end = {
		.reason = record_reason(&rec->run),
		.elapsed_ns = rec->run.elapsed_ns,
		.exit_status = rec->run.child.ended ? rec->run.child.status : -1,
		.totals = &totals,
		.target = target,
		.n_events = rec->o.n_events,
	};
	struct vsamp_error wrong = { 0 };
	int account, ret;

	record_targets(rec, target);
	account = vsamp_recorder_finish(rec->run.recorder, &totals, &wrong);
	if (account && account != -EBADMSG) {
		vsamp_recorder_totals_free(&totals);
		return vsamp_fail(err, account, "%s", wrong.text);
	}
	if (account)
		end.reason = "error";
	ret = record_write_json(rec, VSAMP_CHUNK_END, vsamp_end_json(&end), err);
	if (!ret) {
		outcome_say(&(struct outcome){
			.o = &rec->o,
			.calibration = &rec->calibration,
			.totals = &totals,
			.target = target,
			.seconds = rec->run.elapsed_ns / 1e9,
			.file_size = vsamp_writer_size(rec->output.writer),
		});
		if (account)
			ret = vsamp_fail(err, account, "%s", wrong.text);
	}
	vsamp_recorder_totals_free(&totals);
	return ret;
}

static int record_session(struct record *rec, struct vsamp_error *err)
{
	struct run *run = &rec->run;
	int ret = output_open(&rec->output, rec->o.output, err);

	if (ret)
		return ret;
	run->writer = rec->output.writer;
	ret = run_open(run, &rec->o, &rec->ends, err);
	if (!ret)
		ret = record_write_start(rec, err);
	if (ret)
		return ret;
	record_say_start(rec);
	ret = run_start(run, err);
	if (!ret)
		ret = output_keep(&rec->output, err);
	if (!ret)
		ret = run_finish(run, rec->o.duration_s, err);
	if (!ret)
		ret = record_write_end(rec, err);
	return ret;
}

static int record_exit_code(const struct record *rec, int ret, const struct vsamp_error *err)
{
	const struct run *run = &rec->run;

	if (ret) {
		say("%s", err->text);
		return run->exit_code ? run->exit_code : EXIT_ERROR;
	}
	if (run->end == RUN_FOREIGN) {
		say("somebody else wrote to the performance counters: the recording ended there");
		return EXIT_ERROR;
	}
	return run->end == RUN_EXIT && rec->o.command ? run->child.status : 0;
}

static int record_do(struct record *rec)
{
	struct vsamp_error err = { 0 };
	int code, ret;

	calibration_plan(&rec->calibration, &rec->o, &rec->cpus);
	ret = calibration_do(&rec->calibration, &rec->o, &rec->cpus, &rec->ends, &code, &err);
	if (!ret)
		ret = vsamp_events_check_sav(rec->o.events, rec->o.n_events, rec->o.force,
					     rec->cpus.caps.sav_max, &err);
	if (ret) {
		say("%s", err.text);
		return ret == -EINTR ? 128 + rec->ends.signal : code;
	}
	ret = record_session(rec, &err);
	/* Their order: the recorder uses all of them, and closing the file tells of a full disk */
	run_close(&rec->run);
	vsamp_sideband_close(rec->run.sideband);
	if (!ret)
		ret = output_close(&rec->output, &err);
	else
		output_close(&rec->output, NULL);
	return record_exit_code(rec, ret, &err);
}

int cmd_record(int argc, char **argv)
{
	static struct record rec;
	struct vsamp_guardian *guardian = NULL;
	struct vsamp_error err = { 0 };
	int code = EXIT_ERROR, ret;

	rec.argv = argv - 1; /* with "vsamp" in front */
	rec.ends = ENDS_NOT_OPEN;
	if (options_parse(&rec.o, OPTIONS_RECORD, argv, &err)) {
		say("record: %s ('vsamp record -h' has the options)", err.text);
		return EXIT_USAGE;
	}
	if (rec.o.help) {
		fputs(help, stdout);
		return 0;
	}
	ret = run_cpus_get(&rec.cpus, &rec.o, &err);
	if (!ret)
		ret = ends_open(&rec.ends, rec.o.pids, rec.o.n_pids, &err);
	if (!ret && rec.o.watchdog_off)
		ret = vsamp_guardian_open(&guardian, &err);
	if (ret)
		say("%s", err.text);
	else
		code = record_do(&rec);
	if (vsamp_guardian_close(guardian, &err))
		say("%s", err.text);
	ends_close(&rec.ends);
	return code;
}
