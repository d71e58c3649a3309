// SPDX-License-Identifier: MIT
/* vsamp top: the hottest symbols, while they run */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <vsamp/guardian.h>

#include "clock.h"
#include "cmd.h"
#include "follow.h"
#include "say.h"
#include "screen.h"
#include "top.h"

static const char help[] =
	"usage: vsamp top [OPTIONS]\n"
	"\n"
	"Shows the symbols in which the machine, or the processes of -p, are, and goes on showing them.\n"
	"\n"
	"What is sampled\n"
	"  -e, --event EVENT[,EVENT]...   NAME[:u][:k][:sav=N]; can be repeated\n"
	"                        (default: CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY)\n"
	"      --event-config FILE  properties of events (vsamp-events(5))\n"
	"      --mux MS          events that don't fit the counters at once: so long each in turn\n"
	"  -a, --all-cpus        whatever runs (default)\n"
	"  -C, --cpu LIST        only on these CPUs, e.g. 0-3,8\n"
	"  -p, --pid PID[,PID]...  these processes, with all their threads\n"
	"  -G, --cgroup CGROUP[,CGROUP]...  what runs in these cgroups (of version 2), and below them\n"
	"      --children        also the processes that those of -p start from now on\n"
	"      --no-children     not those (default; also --no-inherit)\n"
	"How often\n"
	"  -i, --interval MS     between samples, aimed at by calibration (default 1)\n"
	"  --cal[=]all|event|none, --cal, -cal, -cal yes, -cal no\n"
	"                        calibrate Sample-After values, before anything is shown\n"
	"      --cal-time SECONDS  length of the calibration run (default 2)\n"
	"      --cal-scope cpu|total  the target is per CPU, or a total\n"
	"      --force           allow Sample-After values below 1000, from 2 on\n"
	"      --pmi-limit N     interrupts a tick of 4 ms and CPU before sampling is held back\n"
	"What is shown\n"
	"  -d, --delay SECONDS   between refreshes (default 1)\n"
	"  -n, --iterations N    end after so many\n"
	"      --rows N          so many symbols (default: as there is room for; 20)\n"
	"      --batch           text, block by block, as where there is no terminal\n"
	"By what\n"
	"  -b, --backend NAME    what counts: intel, kperf or perf (default: the first that can)\n"
	"      --nmi-watchdog=off  turn the NMI watchdog, which holds a counter, off for this time\n"
	"      --ring-size SIZE  of each CPU's buffer: a power of two, 16K to 1024M (default 1M)\n"
	"      --sideband-size SIZE  of each CPU's buffer for what processes do (default 512K)\n"
	"Else\n"
	"  -v, --verbose; -h, --help\n"
	"\n"
	"Keys: q leave, e next event, p hold, z begin anew, h help.\n"
	"Exit code: 0; 1 failure; 2 usage.\n";

static int step(struct top *t, struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int ret = vsamp_live_step(t->live, err);

	t->step_s = (now - t->since_ns) / 1e9;
	t->since_ns = now;
	t->steps++;
	return ret || t->paused ? ret : top_print(t, err);
}

/* false: it is over */
static bool take_key(struct top *t, int key)
{
	switch (key) {
	case 'q':
		return false;
	case 'e':
		t->event = (t->event + 1) % t->o.n_events;
		break;
	case 'p':
		t->paused = !t->paused;
		break;
	case 'z':
		vsamp_live_zero(t->live);
		break;
	case 'h':
	case '?':
		t->help = !t->help;
		break;
	}
	return true;
}

/* What has woken us; *over: it ends */
static int look(struct top *t, bool *over, struct vsamp_error *err)
{
	enum ends_what what = ends_look(&t->ends, &t->run.child);
	int key;

	*over = what != ENDS_NONE;
	if (what == ENDS_SIGNAL)
		t->run.end = RUN_SIGNAL;
	if (*over || !t->interactive)
		return 0;
	while ((key = screen_key()) && !*over)
		*over = !take_key(t, key);
	return *over ? 0 : top_print(t, err);
}

static int loop(struct top *t, int wake, struct vsamp_error *err)
{
	uint64_t every = t->o.refresh_s * 1e9, next = clock_ns(CLOCK_MONOTONIC) + every;
	enum vsamp_recorder_why why;
	bool over = false;
	int ret = 0;

	t->since_ns = next - every;
	while (!ret && !over && !ferror(stdout)) {
		ret = vsamp_recorder_run(t->run.recorder, wake, next, &why, err);
		if (!ret && why == VSAMP_RECORDER_WAKE)
			ret = look(t, &over, err);
		if (!ret && why == VSAMP_RECORDER_ENDED)
			ret = vsamp_fail(
				err, -EIO,
				"the session ended by itself: somebody else wrote to the performance counters, or the machine is being rebooted");
		if (ret || over || clock_ns(CLOCK_MONOTONIC) < next)
			continue;
		ret = step(t, err);
		/* a stop, or a slow terminal, is not made up for */
		next = t->since_ns + every;
		over = t->o.refreshes && t->steps >= t->o.refreshes;
	}
	return ret;
}

static int wake_add(int wake, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(wake, EPOLL_CTL_ADD, fd, &event);
}

/* On the terminal until it ends */
static int show(struct top *t, struct vsamp_error *err)
{
	int wake = epoll_create1(EPOLL_CLOEXEC), ret = 0;

	if (t->interactive)
		ret = screen_open(err);
	if (!ret && (wake < 0 || wake_add(wake, t->ends.fd) ||
		     (t->interactive && wake_add(wake, screen_fd()))))
		ret = vsamp_fail(err, -errno, "epoll: %s", strerror(errno));
	if (!ret)
		ret = loop(t, wake, err);
	if (t->interactive)
		screen_close();
	if (wake >= 0)
		close(wake);
	return ret;
}

/* What is known before the first sample */
static int prepare(struct top *t, struct vsamp_error *err)
{
	uint64_t khz = t->cpus.caps.clock == VSAMP_CLOCK_TSC ? t->cpus.caps.clock_khz : 0;
	struct vsamp_error why = { 0 };
	int ret = vsamp_live_open(&t->live, t->o.events, t->o.n_events, khz, err);

	if (ret)
		return ret;
	t->run.collect = true;
	t->run.writer = vsamp_live_writer(t->live);
	ret = run_open(&t->run, err);
	if (!ret)
		ret = follow_open(&t->sideband, &t->o, &t->run, err);
	if (ret)
		return ret;
	t->run.sideband = t->sideband;
	if (vsamp_writer_kallsyms(t->run.writer, &why))
		say("%s", why.text);
	return follow_synthesize(t->run.writer, &t->o, &t->run, err);
}

static int sample(struct top *t, struct vsamp_error *err)
{
	struct vsamp_recorder_totals totals = { 0 };
	int ret = prepare(t, err);

	if (!ret)
		ret = run_start(&t->run, err);
	if (!ret)
		ret = show(t, err);
	if (!ret)
		ret = vsamp_session_stop(t->run.session, err);
	if (!ret)
		ret = vsamp_recorder_finish(t->run.recorder, &totals, err);
	vsamp_recorder_totals_free(&totals);
	run_close(&t->run);
	vsamp_sideband_close(t->sideband);
	vsamp_live_close(t->live);
	return ret;
}

/* The calibration runs, if there are any, then what is shown */
static int run_all(struct top *t, struct vsamp_error *err)
{
	struct vsamp_cal_step step;
	int ret = calibration_begin(&t->calibration, &t->o, &t->cpus, err);

	if (!ret)
		ret = vsamp_events_check_sav(t->o.events, t->o.n_events, t->o.force,
					     t->cpus.caps.sav_max, err);
	if (!ret && t->cpus.sets > 1 && !t->o.mux_ms)
		ret = vsamp_fail(
			err, -EINVAL,
			"-e: these events need %u sets of counters: take fewer, or add --mux MS",
			t->cpus.sets);
	while (!ret && vsamp_cal_next(&t->calibration.cal, &step)) {
		t->run = (struct run){
			.o = &t->o,
			.backend = t->cpus.choice.backend,
			.ends = &t->ends,
			.set = step.set,
			.exit_code = EXIT_ERROR,
		};
		if (step.collect)
			return sample(t, err);
		ret = calibration_run(&t->calibration, &t->o, &step, &t->run, err);
	}
	return ret;
}

static int top_begin(struct top *t, struct vsamp_error *err)
{
	int ret = run_cpus_get(&t->cpus, &t->o, err);

	t->interactive = !t->o.batch && screen_there();
	return ret ? ret : ends_open(&t->ends, t->o.pids, t->o.n_pids, err);
}

int cmd_top(int argc, char **argv)
{
	static struct top t;
	struct vsamp_guardian *guardian = NULL;
	struct vsamp_error err = { 0 };
	int ret;

	t.ends = ENDS_NOT_OPEN;
	ret = options_parse(&t.o, OPTIONS_TOP, argv, &err);
	if (!ret && t.o.command)
		ret = vsamp_fail(&err, -EINVAL,
				 "'%s': top shows what runs already; -p names processes",
				 t.o.command[0]);
	if (!ret && t.o.adaptive)
		ret = vsamp_fail(&err, -EINVAL, "--cal=adaptive is of vsamp record");
	if (ret) {
		say("top: %s ('vsamp top -h' has the options)", err.text);
		return EXIT_USAGE;
	}
	if (t.o.help) {
		fputs(help, stdout);
		return 0;
	}
	ret = top_begin(&t, &err);
	if (!ret && t.o.watchdog_off && t.cpus.choice.backend == VSAMP_BACKEND_INTEL)
		ret = vsamp_guardian_open(&guardian, &err);
	if (!ret)
		ret = run_all(&t, &err);
	if (ret)
		say("%s", err.text);
	if (vsamp_guardian_close(guardian, &err))
		say("%s", err.text);
	ends_close(&t.ends);
	return ret ? EXIT_ERROR : 0;
}
