// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <vsamp/event_config.h>
#include <vsamp/guardian.h>
#include <vsamp/machine.h>

#include "calibration.h"
#include "cmd.h"
#include "say.h"

static const char help[] =
	"usage: vsamp calibrate [OPTIONS] [--] [COMMAND [ARGUMENT]...] > FILE\n"
	"\n"
	"Counts events as record does before it records, and prints the Sample-After values that follow\n"
	"from it: 'vsamp record --event-config FILE' uses them, here or on other machines. What COMMAND\n"
	"prints goes to standard error.\n"
	"\n"
	"  -e, --event EVENT[,EVENT]...   NAME[:u][:k][:sav=N]; can be repeated\n"
	"                        (default: CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY)\n"
	"      --event-config FILE  properties of events (vsamp-events(5))\n"
	"      --mux MS          count sets of events in turn, so long each, not one after the other\n"
	"  -a, --all-cpus        whatever runs (default where no COMMAND is given)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, with all their threads\n"
	"  -G, --cgroup CGROUP[,CGROUP]...  what runs in these cgroups (of version 2), and below them;\n"
	"                        COMMAND only says how long\n"
	"      --children        also the processes that those of -p start from now on\n"
	"      --no-children     not those that COMMAND starts (also --no-inherit)\n"
	"      --user NAME       COMMAND runs as this user (default: who called sudo, else the caller)\n"
	"  -d, --duration SECONDS  of each set's run (default: as COMMAND takes, or 2)\n"
	"  -D, --delay MS        begin later\n"
	"  -i, --interval MS     between samples, aimed at (default 1)\n"
	"      --cal all|event   all events (default), or by event property\n"
	"      --cal-scope cpu|total  the target is per CPU (default for the machine), or a total\n"
	"      --force           allow Sample-After values below 1000, from 2 on\n"
	"  -b, --backend NAME    what counts: intel (also where the processor says it is virtual), kperf or\n"
	"                        perf (default: the first of them that can)\n"
	"      --nmi-watchdog=off  turn the NMI watchdog, which holds a counter, off for this time\n"
	"  -q, --quiet; -v, --verbose; -h, --help\n"
	"\n"
	"Exit code: 0; 1 failure; 2 usage; 126, 127 COMMAND can't be launched; 130 Ctrl-C. Nothing is\n"
	"printed then.\n";

struct calibrate {
	struct options o;
	struct run_cpus cpus;
	struct ends ends;
	struct calibration calibration;
	FILE *out;
};

static void calibrate_print(const struct calibrate *c)
{
	const struct options *o = &c->o;
	struct vsamp_machine m;

	vsamp_machine_get(&m);
	fprintf(c->out,
		"# Sample-After values by vsamp " VSAMP_VERSION
		" calibrate, on %s (Linux %s, CPUs %s):\n"
		"# a sample each %g ms %s\n",
		m.hostname, m.kernel_release, c->cpus.list, o->interval_ms,
		c->calibration.per_cpu ? "on each CPU" : "in total");
	vsamp_event_config_write(c->out, o->events, o->n_events);
}

static unsigned int calibrate_count_runs(const struct vsamp_cal *cal)
{
	uint32_t sets = 0;

	for (unsigned int i = 0; i < cal->n; i++)
		if (cal->event[i].how == VSAMP_CAL_RUN)
			sets |= cal->options.mux ? 1 : 1U << cal->events[i].set;
	return __builtin_popcount(sets);
}

/* The calibration runs of all sets; what would be collected in between isn't */
static int calibrate_runs(struct calibrate *c, int *code, struct vsamp_error *err)
{
	struct vsamp_cal *cal = &c->calibration.cal;
	struct vsamp_cal_step step;
	unsigned int n = 0, runs = calibrate_count_runs(cal);

	while (vsamp_cal_next(cal, &step)) {
		struct run run = {
			.o = &c->o,
			.backend = c->cpus.choice.backend,
			.ends = &c->ends,
			.set = step.set,
			.rehearsal = true,
			.exit_code = EXIT_ERROR,
		};
		int ret;

		if (step.collect) {
			vsamp_cal_collected(cal, &(struct vsamp_cal_run){ 0 });
			continue;
		}
		step.run = ++n;
		step.runs = runs;
		ret = calibration_run(&c->calibration, &c->o, &step, &run, err);
		*code = ret == -EINTR ? 128 + c->ends.signal : run.exit_code;
		if (ret)
			return ret;
	}
	return 0;
}

static int calibrate_do(struct calibrate *c)
{
	struct vsamp_error err = { 0 };
	int code = EXIT_ERROR;
	int ret;

	/* A calibration run is all there is: it lasts as long as the recording would */
	if (!c->o.command && !(c->o.duration_s > 0))
		c->o.duration_s = VSAMP_CAL_NS_DEFAULT / 1e9;
	ret = calibration_begin(&c->calibration, &c->o, &c->cpus, &err);
	if (!ret)
		ret = calibrate_runs(c, &code, &err);
	if (ret) {
		say("%s", err.text);
		return code;
	}
	calibrate_print(c);
	if (fflush(c->out) || ferror(c->out)) {
		say("standard output: cannot write");
		return EXIT_ERROR;
	}
	return 0;
}

/* What is printed here is for a file: a command's own output is not to be in it */
static int calibrate_open_output(struct calibrate *c, struct vsamp_error *err)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	c->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!c->out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return vsamp_fail(err, -errno, "standard output: %s", strerror(errno));
	return 0;
}

int cmd_calibrate(int argc, char **argv)
{
	static struct calibrate c;
	struct vsamp_guardian *guardian = NULL;
	struct vsamp_error err = { 0 };
	int code = EXIT_ERROR, ret;

	c.ends = ENDS_NOT_OPEN;
	if (options_parse(&c.o, OPTIONS_CALIBRATE, argv, &err)) {
		say("calibrate: %s ('vsamp calibrate -h' has the options)", err.text);
		return EXIT_USAGE;
	}
	if (c.o.help) {
		fputs(help, stdout);
		return 0;
	}
	ret = calibrate_open_output(&c, &err);
	if (!ret)
		ret = run_cpus_get(&c.cpus, &c.o, &err);
	if (!ret)
		ret = ends_open(&c.ends, c.o.pids, c.o.n_pids, &err);
	if (!ret && c.o.watchdog_off && c.cpus.choice.backend == VSAMP_BACKEND_INTEL)
		ret = vsamp_guardian_open(&guardian, &err);
	if (ret)
		say("%s", err.text);
	else
		code = calibrate_do(&c);
	if (vsamp_guardian_close(guardian, &err))
		say("%s", err.text);
	ends_close(&c.ends);
	return code;
}
