// SPDX-License-Identifier: MIT
/* Argument vectors of record, stat and calibrate */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp/backend.h>

#include "cmd.h"
#include "options.h"

#define PROCESSOR_INTEL true
#include "processor_is.h"

#define ARGS 14

/* Who the next word belongs to: the calibration option, or is it the command? */
static const struct {
	const char *args[ARGS];
	enum vsamp_cal_mode mode;
	const char *command; /* NULL: none */
	int words;	     /* of the command */
} calibration[] = {
	{ { NULL }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "-cal" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--cal" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-calibration" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--calibration" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-cal", "yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-cal", "no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--cal", "yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--cal", "no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "-calibration", "yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-calibration", "no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--calibration", "yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--calibration", "no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--cal", "all" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--cal", "event" }, VSAMP_CAL_EVENT, NULL, 0 },
	{ { "--cal", "none" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--cal", "adaptive" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-cal", "adaptive" }, VSAMP_CAL_ALL, "adaptive", 1 },
	{ { "--calibration", "event" }, VSAMP_CAL_EVENT, NULL, 0 },
	{ { "-cal=yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-cal=no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--cal=yes" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--cal=all" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "--cal=event" }, VSAMP_CAL_EVENT, NULL, 0 },
	{ { "--cal=none" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "--calibration=event" }, VSAMP_CAL_EVENT, NULL, 0 },
	{ { "-calibration=no" }, VSAMP_CAL_NONE, NULL, 0 },
	/* never starts /usr/bin/yes, unless that is meant */
	{ { "-cal", "yes", "ls" }, VSAMP_CAL_ALL, "ls", 1 },
	{ { "-cal", "yes", "yes" }, VSAMP_CAL_ALL, "yes", 1 },
	{ { "-cal", "--", "yes" }, VSAMP_CAL_ALL, "yes", 1 },
	{ { "-cal=yes", "yes" }, VSAMP_CAL_ALL, "yes", 1 },
	{ { "--cal=no", "no", "yes" }, VSAMP_CAL_NONE, "no", 2 },
	{ { "-cal", "no", "--", "./app", "-cal" }, VSAMP_CAL_NONE, "./app", 2 },
	/* the words are exact, and those of the long form are not the classic option's */
	{ { "-cal", "Yes" }, VSAMP_CAL_ALL, "Yes", 1 },
	{ { "-cal", "yess" }, VSAMP_CAL_ALL, "yess", 1 },
	{ { "-cal", "ye" }, VSAMP_CAL_ALL, "ye", 1 },
	{ { "-cal", "" }, VSAMP_CAL_ALL, "", 1 },
	{ { "-cal", "all" }, VSAMP_CAL_ALL, "all", 1 },
	{ { "-cal", "event", "x" }, VSAMP_CAL_ALL, "event", 2 },
	{ { "-calibration", "none" }, VSAMP_CAL_ALL, "none", 1 },
	{ { "--cal", "./app" }, VSAMP_CAL_ALL, "./app", 1 },
	{ { "-cal", "./app", "yes" }, VSAMP_CAL_ALL, "./app", 2 },
	{ { "ls", "-cal", "no" }, VSAMP_CAL_NONE, "ls", 3 },
	/* the last one counts */
	{ { "-cal", "-cal", "no" }, VSAMP_CAL_NONE, NULL, 0 },
	{ { "-cal", "no", "-cal" }, VSAMP_CAL_ALL, NULL, 0 },
	/* beside others */
	{ { "-e", "INST_RETIRED", "-cal", "-i", "1", "-d", "5", "-a" }, VSAMP_CAL_ALL, NULL, 0 },
	{ { "-e", "INST_RETIRED", "-cal", "--", "./app" }, VSAMP_CAL_ALL, "./app", 1 },
	{ { "-cal", "yes", "-d", "5", "sleep", "9" }, VSAMP_CAL_ALL, "sleep", 2 },
};

static int parse(struct options *o, enum options_for command, const char *const *args,
		 struct vsamp_error *err)
{
	static char *argv[ARGS + 2];
	int n = 0;

	argv[n++] = (char *)"record";
	for (int i = 0; i < ARGS && args[i]; i++)
		argv[n++] = (char *)args[i];
	argv[n] = NULL;
	return options_parse(o, command, argv, err);
}

static void calibration_words(void **state)
{
	for (size_t i = 0; i < sizeof(calibration) / sizeof(calibration[0]); i++) {
		static struct options o;
		struct vsamp_error err = { 0 };
		int words = 0;

		if (parse(&o, OPTIONS_RECORD, calibration[i].args, &err))
			fail_msg("row %zu: %s", i, err.text);
		while (o.command && o.command[words])
			words++;
		if (o.cal_mode != calibration[i].mode || words != calibration[i].words)
			fail_msg("row %zu: mode %d, %d words", i, o.cal_mode, words);
		if (calibration[i].command)
			assert_string_equal(o.command[0], calibration[i].command);
	}
}

static const struct {
	const char *args[ARGS];
	const char *text; /* part of what is said */
} bad[] = {
	{ { "-cal=" }, "yes, no, all, event, adaptive or none" },
	{ { "-cal=maybe" }, "yes, no, all, event, adaptive or none" },
	{ { "--cal=YES" }, "yes, no, all, event, adaptive or none" },
	{ { "-call" }, "no option -c" },
	{ { "--calx" }, "no option --calx" },
	{ { "-x" }, "no option -x" },
	{ { "--json" }, "no option --json" }, /* of stat */
	/* as getopt_long() has it: a begin will do where it is of one option alone */
	{ { "--st" }, "--st may be one of several options" },
	{ { "--no=1" }, "--no may be one of several options" },
	{ { "--dura" }, "--duration needs a value" },
	{ { "--durations" }, "no option --durations" },
	{ { "--verb=1" }, "--verbose takes no value" },
	{ { "--gpu-" }, "--gpu- may be one of several options" },
	{ { "-e" }, "-e needs a value" },
	{ { "-e", "INST_RETIRD" }, "-e: INST_RETIRD: no such event" },
	{ { "--event=cycles,cycles" }, "-e: cycles: already selected" },
	{ { "-e", "cycles", "-e", "Clockticks" }, "already selected" },
	{ { "-d" }, "-d needs a value" },
	{ { "-d", "0" }, "'0' is no duration" },
	{ { "-d", "-1" }, "'-1' is no duration" },
	{ { "-d", "5s" }, "'5s' is no duration" },
	{ { "-d", "1e99" }, "'1e99' is no duration" },
	{ { "-d", "nan" }, "'nan' is no duration" },
	{ { "-d", "0x10" }, NULL }, /* sixteen, as strtod has it */
	{ { "-i", "0" }, "'0' is no sampling interval" },
	{ { "-i", "inf" }, "'inf' is no sampling interval" },
	{ { "-i", "1e-9" }, "the least there is is 0.001" },
	{ { "-e", "" }, "the name of an event is missing" },
	{ { "-e", "INST_RETIRED:sav=-1" }, "no Sample-After value" },
	{ { "-e", "INST_RETIRED:sav=99999999999999999999" }, "no Sample-After value" },
	{ { "-D", "x" }, "'x' is no start delay" },
	{ { "-C", "" }, "no list of CPUs" },
	{ { "-C", "0-" }, "no list of CPUs" },
	{ { "-C", "3-1" }, "no list of CPUs" },
	{ { "-C", "0,,1" }, "no list of CPUs" },
	{ { "-C", "99999" }, "no list of CPUs" },
	{ { "-p", "0" }, "no list of processes" },
	{ { "-p", "1,,2" }, "no list of processes" },
	{ { "-p", "99999999999" }, "no list of processes" },
	{ { "-p", "1", "ls" }, "-p and a command" },
	{ { "-p", "1", "-a" }, "-p and -a" },
	{ { "-p", "1", "--children" }, NULL },
	{ { "-G", "" }, "no list of cgroups" },
	{ { "-G", "a,,b" }, "no list of cgroups" },
	{ { "-G", "a," }, "no list of cgroups" },
	{ { "--cgroup", ",a" }, "no list of cgroups" },
	{ { "-G" }, "needs a value" },
	{ { "-G", "a,b/c", "-G/sys/fs/cgroup/d", "-a", "ls" }, NULL },
	{ { "-G", "a", "-p", "1" }, "-p and -G" },
	{ { "-G", "a", "--children", "ls" }, "--children and --no-children are for processes" },
	{ { "--children" }, "--children and --no-children are for processes" },
	{ { "-a", "--no-inherit", "ls" }, "--children and --no-children are for processes" },
	{ { "--children=yes", "ls" }, "takes no value" },
	{ { "-o", "-" }, "to a file only" },
	{ { "-o", "" }, "to a file only" },
	{ { "--user", "nobody" }, "--user is for a command" },
	{ { "-b", "kperf" }, NULL },
	{ { "-b", "perf" }, NULL },
	{ { "-b", "amd" }, "they are intel, kperf and perf" },
	{ { "-b", "" }, "is no backend" },
	{ { "--ring-size", "0" }, "no ring size" },
	{ { "--ring-size", "8K" }, "no ring size" },
	{ { "--ring-size", "24K" }, "no ring size" },
	{ { "--ring-size", "2G" }, "no ring size" },
	{ { "--ring-size", "1MB" }, "no ring size" },
	{ { "--ring-size", "99999999999999999999" }, "no ring size" },
	{ { "--ring-size", "18446744073709551615K" }, "no ring size" },
	{ { "--ring-size", "18014398509482000K" }, "no ring size" }, /* 2^64 + 16K */
	{ { "--sideband-size", "2K" }, "no sideband buffer size" },
	{ { "--sideband-size", "12K" }, "no sideband buffer size" },
	{ { "--sideband-size", "2G" }, "no sideband buffer size" },
	{ { "--sideband-size", "1M", "--no-sideband" }, "one or the other" },
	{ { "--pmi-limit", "1.5" }, "whole number" },
	{ { "--pmi-limit", "0" }, "no number of interrupts" },
	{ { "--nmi-watchdog" }, "needs a value" },
	{ { "--nmi-watchdog=on" }, "--nmi-watchdog=off is all" },
	{ { "--no-sideband=yes" }, "takes no value" },
	{ { "--cal-scope=core" }, "cpu or total" },
	{ { "-q", "-v" }, "-q and -v" },
	{ { "--mux", "0" }, "'0' is no time slice" },
	{ { "--mux", "1001" }, "at most 1000" },
	{ { "--mux", "1.5" }, "whole number" },
	{ { "--mux=4", "--cal=adaptive" }, "one or the other" },
	{ { "--call-graph=dwarf" },
	  "user, kernel or both; user stacks are found by frame pointers" },
	{ { "-g=user" }, "no option -=" },
	{ { "-g", "--stack-depth", "0" }, "'0' is no number of frames: give one from 1 to 127" },
	{ { "-g", "--stack-depth", "128" }, "no number of frames" },
	{ { "-g", "--stack-depth=1x" }, "no number of frames" },
	{ { "--stack-depth=8" }, "--stack-depth is for call stacks: add -g" },
	{ { "-g", "--stack-depth=127" }, NULL },
	{ { "--event-config", "/no/such/file" }, "/no/such/file" },
	{ { "--event-config" }, "needs a value" },
};

static void refusals(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		static struct options o;
		struct vsamp_error err = { 0 };
		int ret = parse(&o, OPTIONS_RECORD, bad[i].args, &err);

		if (!bad[i].text) {
			assert_int_equal(ret, 0);
			continue;
		}
		if (!ret || !strstr(err.text, bad[i].text))
			fail_msg("row %zu (%s): %d, '%s' does not say '%s'", i, bad[i].args[0], ret,
				 err.text, bad[i].text);
	}
}

static void defaults(void **state)
{
	const char *const none[] = { NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, none, NULL), 0);
	/* which, depends on what counts here */
	assert_int_equal(o.n_events, 0);
	assert_int_equal(o.backend, 0);
	assert_int_equal(options_add_events(&o, VSAMP_EVENTS_DEFAULT, NULL), 0);
	assert_int_equal(o.n_events, 2);
	assert_string_equal(o.events[0].name, "CPU_CLK_UNHALTED.THREAD");
	assert_string_equal(o.events[1].name, "INST_RETIRED.ANY");
	assert_true(o.all);
	assert_float_equal(o.interval_ms, 1, 0);
	assert_float_equal(o.duration_s, 0, 0);
	assert_string_equal(o.output, FILE_DEFAULT);
	assert_null(o.command);
}

static const struct {
	const char *args[ARGS];
	bool children;
} children[] = {
	{ { "-p", "1" }, false },
	{ { "-p", "1", "--children" }, true },
	{ { "-p", "1", "--children", "--no-children" }, false },
	{ { "ls" }, true },
	{ { "--no-children", "ls" }, false },
	{ { "--no-inherit", "ls" }, false },
	{ { "--no-ch", "ls" }, false },
	{ { "-p", "1", "--chi" }, true },
	{ { "--pid=1", "--children" }, true },
	{ { "--pi=1", "--chi" }, true },
	{ { "--no-inherit", "--children", "ls" }, true },
	{ { "-a" }, false },
	{ { "-a", "ls" }, false },
};

static void children_of_processes(void **state)
{
	static const enum options_for commands[] = { OPTIONS_RECORD, OPTIONS_STAT,
						     OPTIONS_CALIBRATE };
	static struct options o;

	for (size_t i = 0; i < sizeof(children) / sizeof(children[0]); i++)
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(parse(&o, commands[k], children[i].args, NULL), 0);
			if (o.children != children[i].children)
				fail_msg("row %zu, command %zu", i, k);
		}
}

static const struct {
	const char *args[ARGS];
	uint32_t stacks, depth; /* as they are asked for */
	uint32_t settled;	/* as the levels of the events go */
	bool all;
	const char *command;
} stacks[] = {
	{ { "-e", "cpu-clock" }, 0, 0, 0, true, NULL },
	{ { "-g", "-e", "cpu-clock" }, 3, 0, 3, true, NULL },
	{ { "-ag", "-e", "cpu-clock" }, 3, 0, 3, true, NULL },
	{ { "-ga", "-e", "cpu-clock" }, 3, 0, 3, true, NULL },
	{ { "-e", "cpu-clock", "-g", "user" }, 3, 0, 3, false, "user" },
	{ { "-e", "cpu-clock", "--call-graph", "user" }, 3, 0, 3, false, "user" },
	{ { "--call-graph=both", "-e", "cpu-clock" }, 3, 0, 3, true, NULL },
	{ { "--call-graph=user", "-e", "cpu-clock" }, 2, 0, 2, true, NULL },
	{ { "-g", "-e", "cpu-clock:u" }, 3, 0, 2, true, NULL },
	{ { "-g", "-e", "cpu-clock:u,cycles:k" }, 3, 0, 3, true, NULL },
	{ { "--call-graph=kernel", "--stack-depth", "5", "-e", "cpu-clock" }, 1, 5, 1, true, NULL },
	{ { "--call-graph=kernel", "-e", "cpu-clock:u" }, 1, 0, 0, true, NULL },
};

static void call_stacks(void **state)
{
	static struct options o;

	for (size_t i = 0; i < sizeof(stacks) / sizeof(stacks[0]); i++) {
		struct vsamp_error err = { 0 };
		int ret;

		if (parse(&o, OPTIONS_RECORD, stacks[i].args, &err))
			fail_msg("row %zu: %s", i, err.text);
		if (o.stacks != stacks[i].stacks || o.stack_depth != stacks[i].depth ||
		    o.all != stacks[i].all || !o.command != !stacks[i].command)
			fail_msg("row %zu: stacks %u, depth %u", i, o.stacks, o.stack_depth);
		if (o.command)
			assert_string_equal(o.command[0], stacks[i].command);
		ret = options_settle_stacks(&o, VSAMP_BACKEND_KPERF, &err);
		assert_int_equal(ret, stacks[i].settled || !stacks[i].stacks ? 0 : -EINVAL);
		if (o.stacks != stacks[i].settled)
			fail_msg("row %zu: settled %u", i, o.stacks);
		if (o.stacks)
			assert_int_equal(o.stack_depth, stacks[i].depth ? stacks[i].depth : 127);
	}
}

static void values(void **state)
{
	const char *const args[] = { "-eINST_RETIRED:u",
				     "--event",
				     "branches",
				     "-C0-3,8",
				     "--ring-size=64K",
				     "--sideband-size",
				     "4k",
				     "-d.5",
				     "-D",
				     "100",
				     "-av",
				     "-i2.5",
				     NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, args, NULL), 0);
	assert_int_equal(o.n_events, 2);
	assert_int_equal(o.events[1].config, 0xc4);
	assert_string_equal(o.cpus, "0-3,8");
	assert_int_equal(o.ring_size, 65536);
	assert_int_equal(o.sideband_size, 4096);
	assert_float_equal(o.duration_s, 0.5, 0);
	assert_float_equal(o.delay_ms, 100, 0);
	assert_float_equal(o.interval_ms, 2.5, 0);
	assert_true(o.all);
	assert_true(o.verbose);
}

static void more_values(void **state)
{
	const char *const args[] = { "-p",	"12,345", "--ring-size=1g",	"--pmi-limit=7",
				     "--force", "-q",	  "--nmi-watchdog=off", "--cal-time=3",
				     "-p",	"6",	  "--no-sideband",	NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, args, NULL), 0);
	assert_int_equal(o.n_pids, 3);
	assert_int_equal(o.pids[1], 345);
	assert_int_equal(o.pids[2], 6);
	assert_false(o.all);
	assert_int_equal(o.ring_size, 1 << 30);
	assert_int_equal(o.pmi_limit, 7);
	assert_true(o.force && o.quiet && o.watchdog_off && o.no_sideband);
	assert_float_equal(o.cal_time_s, 3, 0);
}

/* Whoever is in them: a command beside them says how long */
static void cgroups(void **state)
{
	const char *const args[] = { "-Ga,b/c", "--cgroup=d", "ls", NULL };
	static const enum options_for commands[] = { OPTIONS_RECORD, OPTIONS_STAT,
						     OPTIONS_CALIBRATE };
	static struct options o;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(parse(&o, commands[i], args, NULL), 0);
		assert_int_equal(o.n_cgroup_lists, 2);
		assert_string_equal(o.cgroup_list[0], "a,b/c");
		assert_string_equal(o.cgroup_list[1], "d");
		assert_true(o.all);
		assert_false(o.children);
		assert_string_equal(o.command[0], "ls");
	}
}

/* A command is a scope of its own, unless the machine is asked for beside it */
static void command_scope(void **state)
{
	const char *const alone[] = { "ls", "-a", NULL };
	const char *const both[] = { "-a", "ls", NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, alone, NULL), 0);
	assert_false(o.all);
	assert_string_equal(o.command[1], "-a");
	assert_int_equal(parse(&o, OPTIONS_RECORD, both, NULL), 0);
	assert_true(o.all);
	assert_string_equal(o.command[0], "ls");
}

/* Counting has neither samples nor a calibration: there -cal is letters, and no such */
static void of_stat(void **state)
{
	const char *const good[] = { "--json", "-d", "1", "-e", "cycles", "ls", NULL };
	const char *const cal[] = { "-cal", NULL };
	const char *const output[] = { "-o", "x", NULL };
	struct vsamp_error err = { 0 };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_STAT, good, NULL), 0);
	assert_true(o.json);
	assert_int_equal(parse(&o, OPTIONS_STAT, cal, &err), -EINVAL);
	assert_int_equal(parse(&o, OPTIONS_STAT, output, &err), -EINVAL);
}

/* It calibrates without being asked to, and can't be asked not to */
static void of_calibrate(void **state)
{
	const char *const none[] = { "-e", "cycles", NULL };
	const char *const event[] = { "--cal=event", "--mux", "4", "ls", NULL };
	const char *const no[] = { "-cal", "no", NULL };
	const char *const adaptive[] = { "--cal=adaptive", NULL };
	const char *const output[] = { "-o", "x", NULL };
	struct vsamp_error err = { 0 };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_CALIBRATE, none, NULL), 0);
	assert_int_equal(o.cal_mode, VSAMP_CAL_ALL);
	assert_int_equal(parse(&o, OPTIONS_CALIBRATE, event, NULL), 0);
	assert_int_equal(o.cal_mode, VSAMP_CAL_EVENT);
	assert_int_equal(o.mux_ms, 4);
	assert_string_equal(o.command[0], "ls");
	assert_int_equal(parse(&o, OPTIONS_CALIBRATE, no, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nothing is calibrated"));
	assert_int_equal(parse(&o, OPTIONS_CALIBRATE, adaptive, &err), -EINVAL);
	assert_non_null(strstr(err.text, "vsamp record"));
	assert_int_equal(parse(&o, OPTIONS_CALIBRATE, output, &err), -EINVAL);
}

/* Adaptive is a way of all; the last word counts for both */
static void adaptive(void **state)
{
	const char *const yes[] = { "-cal", "no", "--cal=adaptive", NULL };
	const char *const no[] = { "--cal=adaptive", "--cal", "event", NULL };
	const char *const bare[] = { "--cal=adaptive", "-cal", NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, yes, NULL), 0);
	assert_true(o.adaptive);
	assert_int_equal(o.cal_mode, VSAMP_CAL_ALL);
	assert_int_equal(parse(&o, OPTIONS_RECORD, no, NULL), 0);
	assert_false(o.adaptive);
	assert_int_equal(o.cal_mode, VSAMP_CAL_EVENT);
	assert_int_equal(parse(&o, OPTIONS_RECORD, bare, NULL), 0);
	assert_false(o.adaptive);
}

/* Help is given whatever else is there */
static void help(void **state)
{
	const char *const args[] = { "-h", "-x", NULL };
	static struct options o;

	assert_int_equal(parse(&o, OPTIONS_RECORD, args, NULL), 0);
	assert_true(o.help);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calibration_words),
		cmocka_unit_test(refusals),
		cmocka_unit_test(defaults),
		cmocka_unit_test(call_stacks),
		cmocka_unit_test(values),
		cmocka_unit_test(more_values),
		cmocka_unit_test(command_scope),
		cmocka_unit_test(children_of_processes),
		cmocka_unit_test(cgroups),
		cmocka_unit_test(of_stat),
		cmocka_unit_test(help),
		cmocka_unit_test(of_calibrate),
		cmocka_unit_test(adaptive),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
