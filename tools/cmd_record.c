// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/guardian.h>

#include "cmd.h"
#include "collection.h"
#include "say.h"

static const char help[] =
	"usage: vsamp record [OPTIONS] [--] [COMMAND [ARGUMENT]...]\n"
	"\n"
	"Samples whatever runs on the machine, or only the processes of -p or of COMMAND.\n"
	"Ends after -d, with COMMAND, or by Ctrl-C.\n"
	"\n"
	"What is sampled\n"
	"  -e, --event EVENT[,EVENT]...   NAME[:u][:k][:sav=N]; can be repeated\n"
	"                        (default: CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY)\n"
	"      --event-config FILE  properties of events (vsamp-events(5))\n"
	"      --mux MS          events that don't fit the counters at once: count their sets in turn,\n"
	"                        so long each (default: one set after the other, each for all of -d,\n"
	"                        with COMMAND launched for each)\n"
	"  -a, --all-cpus        whatever runs (default where no COMMAND is given)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, with all their threads\n"
	"  -G, --cgroup CGROUP[,CGROUP]...  what runs in these cgroups (of version 2), and below them;\n"
	"                        COMMAND only says how long\n"
	"      --children        also the processes that those of -p start from now on\n"
	"      --no-children     not those that COMMAND starts (also --no-inherit)\n"
	"      --user NAME       COMMAND runs as this user (default: who called sudo, else the caller)\n"
	"  -g, --call-graph[=user|kernel|both]  with the call stack of each sample, as far as the event's\n"
	"                        levels go (-g: both); user stacks are found by frame pointers\n"
	"      --stack-depth N   frames of either side, 1 to 127 (default 127)\n"
	"How long\n"
	"  -d, --duration SECONDS\n"
	"  -D, --delay MS        begin later\n"
	"How often\n"
	"  -i, --interval MS     between samples, aimed at by calibration (default 1)\n"
	"  --cal[=]all|event|adaptive|none, --cal, -cal, -cal yes, -cal no\n"
	"                        calibrate Sample-After values: all events; by event property; all,\n"
	"                        and go on adjusting them while recording\n"
	"      --cal-time SECONDS  length of the calibration run (default: as -d, as COMMAND takes, or 2)\n"
	"      --cal-scope cpu|total  the target is per CPU (default for the machine), or a total\n"
	"                        (default for processes)\n"
	"      --force           allow Sample-After values below 1000, from 2 on\n"
	"      --pmi-limit N     interrupts a tick of 4 ms and CPU before sampling is held back\n"
	"Where to\n"
	"  -o, --output FILE     (default " FILE_DEFAULT "; one that exists becomes FILE.old)\n"
	"      --rotate LENGTH   go on to another file after 60s, 10m, 1h, and by SIGUSR2: FILE.TIME\n"
	"      --keep N          of these files: the older ones are removed (default: all are kept)\n"
	"      --ring-size SIZE  of each CPU's buffer: a power of two, 16K to 1024M (default 1M)\n"
	"      --sideband-size SIZE  of each CPU's buffer for what processes do (default 512K)\n"
	"      --no-sideband     without what processes did: samples have no names of processes and files\n"
	"      --itt-dir DIR     with those that programs tell of there, which run already (vsamp itt env)\n"
	"      --itt on|off      with the tasks and events that COMMAND tells of by ITT (default: on)\n"
	"      --itt-pause session|process  a program's __itt_pause() pauses the recording, or what is taken\n"
	"                        of its process (default: process)\n"
	"      --start-paused    it begins with such a pause, up to a program's __itt_resume()\n"
	"      --gpu[=[DEVICE:]SET]  also what an Intel GPU reports: metrics of SET (vsamp gpu list; default:\n"
	"                        RenderBasic); without -e the CPUs are sampled by time, without a counter\n"
	"      --gpu-period MS   between its reports (default 1)\n"
	"      --gpu-interval MS  between values of its metrics (default 10)\n"
	"By what\n"
	"  -b, --backend NAME    what counts: intel (also where the processor says it is virtual), kperf or\n"
	"                        perf (default: the first of them that can)\n"
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
	struct collection collection;
	enum run_end end; /* of the last run */
	int status;	  /* of the command in it */
};

/* Runs what is next. 0, or a negative errno value; then *code is the exit code. */
static int record_step(struct record *rec, const struct vsamp_cal_step *step, int *code,
		       struct vsamp_error *err)
{
	struct run run = {
		.o = &rec->o,
		.backend = rec->cpus.choice.backend,
		.ends = &rec->ends,
		.set = step->set,
		.rehearsal = step->run < step->runs,
		.writer = rec->collection.output.writer,
		.sideband = rec->collection.sideband,
		.exit_code = EXIT_ERROR,
	};
	int ret = step->collect ? collection_run(&rec->collection, step, &run, err) :
				  calibration_run(&rec->calibration, &rec->o, step, &run, err);

	rec->end = run.end;
	rec->status = run.child.status;
	*code = ret == -EINTR ? 128 + rec->ends.signal : run.exit_code;
	return ret;
}

/* A run that was ended from outside is the last one */
static bool record_goes_on(const struct record *rec)
{
	return rec->end == RUN_DURATION || (rec->end == RUN_EXIT && rec->o.command);
}

static int record_exit_code(const struct record *rec)
{
	unsigned int missing = collection_missing(&rec->collection);

	if (run_end_text(rec->end)) {
		say("%s: the recording ended there", run_end_text(rec->end));
		return EXIT_ERROR;
	}
	if (missing) {
		say("%u of %u sets of events were not recorded: the recording ended before",
		    missing, rec->calibration.cal.sets);
		return rec->end == RUN_SIGNAL ? 128 + rec->ends.signal : EXIT_ERROR;
	}
	return rec->end == RUN_EXIT && rec->o.command ? rec->status : 0;
}

static int record_do(struct record *rec)
{
	struct vsamp_error err = { 0 }, end = { 0 };
	struct vsamp_cal_step step;
	int code = EXIT_ERROR;
	int ret = calibration_begin(&rec->calibration, &rec->o, &rec->cpus, &err);

	if (!ret)
		ret = vsamp_events_check_sav(rec->o.events, rec->o.n_events, rec->o.force,
					     rec->cpus.caps.sav_max, &err);
	while (!ret && vsamp_cal_next(&rec->calibration.cal, &step)) {
		ret = record_step(rec, &step, &code, &err);
		if (!ret && !record_goes_on(rec))
			break;
	}
	if (ret)
		say("%s", err.text);
	if (collection_end(&rec->collection, &end)) {
		/* A full disk is met again */
		if (strcmp(end.text, err.text))
			say("%s", end.text);
		return EXIT_ERROR;
	}
	if (ret && rec->collection.sets)
		say("%s has what was recorded before: %u of %u sets of events", rec->o.output,
		    rec->collection.sets, rec->calibration.cal.sets);
	return ret ? code : record_exit_code(rec);
}

static int record_check_rotate(const struct record *rec, struct vsamp_error *err)
{
	if (rec->o.rotate_s > 0 && rec->cpus.sets > 1 && !rec->o.mux_ms)
		return vsamp_fail(
			err, -EINVAL,
			"--rotate: the events form %u sets, which are recorded one after the other: count them in time slices (--mux), or select fewer",
			rec->cpus.sets);
	return 0;
}

int cmd_record(int argc, char **argv)
{
	static struct record rec;
	struct vsamp_guardian *guardian = NULL;
	struct vsamp_error err = { 0 };
	int code = EXIT_ERROR, ret;

	rec.collection = (struct collection){
		.o = &rec.o,
		.cpus = &rec.cpus,
		.calibration = &rec.calibration,
		.argv = argv - 1, /* with "vsamp" in front */
	};
	rec.ends = ENDS_NOT_OPEN;
	ends_hold_rotate();
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
		ret = record_check_rotate(&rec, &err);
	if (!ret)
		ret = gpu_recording_find(&rec.collection.gpu, &rec.o, rec.cpus.caps.clock_khz,
					 &err);
	if (!ret)
		ret = options_settle_stacks(&rec.o, rec.cpus.choice.backend, &err);
	if (!ret)
		ret = ends_open(&rec.ends, rec.o.pids, rec.o.n_pids, &err);
	if (!ret && rec.o.rotate_s > 0)
		ret = ends_take_rotate(&rec.ends, &err);
	if (!ret && rec.o.watchdog_off && rec.cpus.choice.backend == VSAMP_BACKEND_INTEL)
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
