// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/backend.h>
#include <vsamp/cpulist.h>
#include <vsamp/sideband.h>

#include "cmd.h"
#include "options.h"

#define SECONDS_MAX	(366 * 86400.0)
#define INTERVAL_MS_MIN 0.001

/* An option: its value is checked and kept by take, which gets "" where none is taken */
struct option {
	char letter; /* 0: none */
	const char *name;
	unsigned int commands;
	const char *value; /* what it takes, for texts; NULL: nothing; in [] : only with = */
	int (*take)(struct options *o, const char *value, struct vsamp_error *err);
};

/* A number above 0, or from 0 on; NAN if it is none */
static double number_parse(const char *text, double max, bool zero)
{
	char *end;
	double x;

	if (!isdigit((unsigned char)*text) && *text != '.')
		return NAN;
	x = strtod(text, &end);
	return *end || !(x <= max) || !(zero ? x >= 0 : x > 0) ? NAN : x;
}

static int take_number(double *number, const char *value, double max, bool zero, const char *what,
		       struct vsamp_error *err)
{
	*number = number_parse(value, max, zero);
	if (isnan(*number))
		return vsamp_fail(err, -EINVAL, "'%s' is no %s: give a number %s, at most %.0f",
				  value, what, zero ? "from 0" : "above 0", max);
	return 0;
}

static int take_list(const char **lists, unsigned int *n, const char *value,
		     struct vsamp_error *err)
{
	if (*n == OPTIONS_LISTS_MAX)
		return vsamp_fail(err, -E2BIG, "is given more than %d times", OPTIONS_LISTS_MAX);
	lists[(*n)++] = value;
	return 0;
}

static int take_event(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_list(o->event_list, &o->n_event_lists, value, err);
}

static int take_event_config(struct options *o, const char *value, struct vsamp_error *err)
{
	o->event_config = value;
	return 0;
}

static int take_mux(struct options *o, const char *value, struct vsamp_error *err)
{
	double ms;
	int ret = take_number(&ms, value, VSAMP_MUX_MS_MAX, false, "time slice in milliseconds",
			      err);

	if (!ret && ms != (uint32_t)ms)
		return vsamp_fail(err, -EINVAL, "'%s': give a whole number of milliseconds", value);
	if (!ret)
		o->mux_ms = ms;
	return ret;
}

static int take_all(struct options *o, const char *value, struct vsamp_error *err)
{
	o->all = true;
	return 0;
}

static int take_cpus(struct options *o, const char *value, struct vsamp_error *err)
{
	struct vsamp_cpulist list;

	if (vsamp_cpulist_parse(&list, value))
		return vsamp_fail(err, -EINVAL, "'%s' is no list of CPUs: give one like 0-3,8",
				  value);
	vsamp_cpulist_free(&list);
	o->cpus = value;
	return 0;
}

static int take_pids(struct options *o, const char *value, struct vsamp_error *err)
{
	char *end;

	for (const char *p = value;; p = end + 1) {
		unsigned long pid = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : 0;

		if (!pid || pid > INT32_MAX || (*end && *end != ','))
			return vsamp_fail(err, -EINVAL,
					  "'%s' is no list of processes: give pids like 123,456",
					  value);
		if (o->n_pids == VSAMP_PIDS_MAX)
			return vsamp_fail(err, -E2BIG, "more than %d processes", VSAMP_PIDS_MAX);
		o->pids[o->n_pids++] = pid;
		if (!*end)
			return 0;
	}
}

static int take_cgroups(struct options *o, const char *value, struct vsamp_error *err)
{
	size_t length = strlen(value);

	if (!length || value[0] == ',' || value[length - 1] == ',' || strstr(value, ",,"))
		return vsamp_fail(
			err, -EINVAL,
			"'%s' is no list of cgroups: give names below the cgroup v2 tree like system.slice/ssh.service",
			value);
	return take_list(o->cgroup_list, &o->n_cgroup_lists, value, err);
}

static int take_children(struct options *o, const char *value, struct vsamp_error *err)
{
	o->children = true;
	o->children_given = true;
	return 0;
}

static int take_no_children(struct options *o, const char *value, struct vsamp_error *err)
{
	o->children = false;
	o->children_given = true;
	return 0;
}

static int take_duration(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_number(&o->duration_s, value, SECONDS_MAX, false, "duration in seconds", err);
}

static int take_delay(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_number(&o->delay_ms, value, SECONDS_MAX * 1000, true,
			   "start delay in milliseconds", err);
}

static int take_interval(struct options *o, const char *value, struct vsamp_error *err)
{
	int ret = take_number(&o->interval_ms, value, 1e6, false,
			      "sampling interval in milliseconds", err);

	/* No processor takes samples closer together; the arithmetic has limits, too */
	if (!ret && o->interval_ms < INTERVAL_MS_MIN)
		return vsamp_fail(err, -EINVAL, "'%s': the least there is is %g milliseconds",
				  value, INTERVAL_MS_MIN);
	o->interval_given = true;
	return ret;
}

static int take_output(struct options *o, const char *value, struct vsamp_error *err)
{
	if (!*value || !strcmp(value, "-"))
		return vsamp_fail(err, -EINVAL, "'%s': a recording goes to a file only", value);
	o->output = value;
	return 0;
}

static int take_user(struct options *o, const char *value, struct vsamp_error *err)
{
	o->user = value;
	return 0;
}

static int take_backend(struct options *o, const char *value, struct vsamp_error *err)
{
	o->backend = vsamp_backend_find(value);
	if (!o->backend)
		return vsamp_fail(err, -EINVAL,
				  "'%s' is no backend: they are intel, kperf and perf", value);
	return 0;
}

static int take_force(struct options *o, const char *value, struct vsamp_error *err)
{
	o->force = true;
	return 0;
}

static int take_pmi_limit(struct options *o, const char *value, struct vsamp_error *err)
{
	double limit;
	int ret = take_number(&limit, value, 1e5, false, "number of interrupts a tick and CPU",
			      err);

	if (!ret && limit != (uint32_t)limit)
		return vsamp_fail(err, -EINVAL, "'%s': give a whole number of interrupts", value);
	if (!ret)
		o->pmi_limit = limit;
	return ret;
}

static int take_no_sideband(struct options *o, const char *value, struct vsamp_error *err)
{
	o->no_sideband = true;
	return 0;
}

static int take_itt_dir(struct options *o, const char *value, struct vsamp_error *err)
{
	if (!*value)
		return vsamp_fail(err, -EINVAL, "'' is no folder");
	o->itt_dir = value;
	return 0;
}

static int take_nmi_watchdog(struct options *o, const char *value, struct vsamp_error *err)
{
	if (strcmp(value, "off"))
		return vsamp_fail(err, -EINVAL,
				  "'%s': --nmi-watchdog=off is all that can be asked for", value);
	o->watchdog_off = true;
	return 0;
}

static int take_cal_time(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_number(&o->cal_time_s, value, SECONDS_MAX, false,
			   "length of a calibration run in seconds", err);
}

static int take_cal_scope(struct options *o, const char *value, struct vsamp_error *err)
{
	if (!strcmp(value, "cpu"))
		o->cal_scope = OPTIONS_CAL_CPU;
	else if (!strcmp(value, "total"))
		o->cal_scope = OPTIONS_CAL_TOTAL;
	else
		return vsamp_fail(err, -EINVAL, "'%s': --cal-scope is cpu or total", value);
	return 0;
}

static int take_json(struct options *o, const char *value, struct vsamp_error *err)
{
	o->json = true;
	return 0;
}

static int take_help(struct options *o, const char *value, struct vsamp_error *err)
{
	o->help = true;
	return 0;
}

static int take_quiet(struct options *o, const char *value, struct vsamp_error *err)
{
	o->quiet = true;
	return 0;
}

static int take_verbose(struct options *o, const char *value, struct vsamp_error *err)
{
	o->verbose = true;
	return 0;
}

#define RUN   (OPTIONS_RECORD | OPTIONS_CALIBRATE)
#define COUNT (RUN | OPTIONS_TOP)
#define EACH  (COUNT | OPTIONS_STAT)
#define TIMED (RUN | OPTIONS_STAT)
#define TAKE  (OPTIONS_RECORD | OPTIONS_TOP)

static const struct option table[] = {
	{ 'e', "event", EACH, "EVENT", take_event },
	{ 0, "event-config", EACH, "FILE", take_event_config },
	{ 0, "mux", EACH, "MS", take_mux },
	{ 'a', "all-cpus", EACH, NULL, take_all },
	{ 'C', "cpu", EACH, "LIST", take_cpus },
	{ 'p', "pid", EACH, "PID", take_pids },
	{ 'G', "cgroup", EACH, "CGROUP", take_cgroups },
	{ 0, "children", EACH, NULL, take_children },
	{ 0, "no-children", EACH, NULL, take_no_children },
	{ 0, "no-inherit", EACH, NULL, take_no_children }, /* as perf calls it */
	{ 'd', "duration", TIMED, "SECONDS", take_duration },
	{ 'D', "delay", TIMED, "MS", take_delay },
	{ 'i', "interval", COUNT, "MS", take_interval },
	{ 'o', "output", OPTIONS_RECORD, "FILE", take_output },
	{ 0, "rotate", OPTIONS_RECORD, "LENGTH", options_take_rotate },
	{ 0, "keep", OPTIONS_RECORD, "N", options_take_keep },
	{ 'b', "backend", EACH, "BACKEND", take_backend },
	{ 0, "user", TIMED, "NAME", take_user },
	{ 0, "force", COUNT, NULL, take_force },
	{ 0, "ring-size", TAKE, "SIZE", options_take_ring_size },
	{ 'g', "call-graph", OPTIONS_RECORD, "[user|kernel|both]", options_take_call_graph },
	{ 0, "stack-depth", OPTIONS_RECORD, "N", options_take_stack_depth },
	{ 0, "pmi-limit", TAKE, "N", take_pmi_limit },
	{ 0, "sideband-size", TAKE, "SIZE", options_take_sideband_size },
	{ 0, "no-sideband", OPTIONS_RECORD, NULL, take_no_sideband },
	{ 0, "itt", OPTIONS_RECORD, "on|off", options_take_itt },
	{ 0, "itt-dir", OPTIONS_RECORD, "DIR", take_itt_dir },
	{ 0, "itt-pause", OPTIONS_RECORD, "session|process", options_take_itt_pause },
	{ 0, "start-paused", OPTIONS_RECORD, NULL, options_take_start_paused },
	{ 0, "gpu", OPTIONS_RECORD, "[[DEVICE:]SET]", options_take_gpu },
	{ 0, "gpu-period", OPTIONS_RECORD, "MS", options_take_gpu_period },
	{ 0, "gpu-interval", OPTIONS_RECORD, "MS", options_take_gpu_interval },
	{ 0, "nmi-watchdog", EACH, "off", take_nmi_watchdog },
	{ 0, "cal-time", TAKE, "SECONDS", take_cal_time },
	{ 0, "cal-scope", COUNT, "cpu|total", take_cal_scope },
	{ 'd', "delay", OPTIONS_TOP, "SECONDS", options_take_refresh },
	{ 'n', "iterations", OPTIONS_TOP, "N", options_take_refreshes },
	{ 0, "rows", OPTIONS_TOP, "N", options_take_rows },
	{ 0, "batch", OPTIONS_TOP, NULL, options_take_batch },
	{ 0, "json", OPTIONS_STAT, NULL, take_json },
	{ 'q', "quiet", RUN, NULL, take_quiet },
	{ 'v', "verbose", EACH, NULL, take_verbose },
	{ 'h', "help", EACH, NULL, take_help },
};

struct parser {
	struct options *o;
	enum options_for command;
	char **next; /* argument not looked at yet; NULL at the end */
	struct vsamp_error *err;
};

static bool option_needs_value(const struct option *opt)
{
	return opt->value && *opt->value != '[';
}

/* A value out of range is the option's fault: say which it was */
static int parser_take(struct parser *p, const struct option *opt, const char *spelt,
		       const char *value)
{
	struct vsamp_error why = { 0 };
	int ret;

	if (option_needs_value(opt) && !value) {
		value = *p->next;
		if (!value)
			return vsamp_fail(p->err, -EINVAL, "%s needs a value: %s %s", spelt, spelt,
					  opt->value);
		p->next++;
	} else if (!opt->value && value) {
		return vsamp_fail(p->err, -EINVAL, "%s takes no value", spelt);
	}
	ret = opt->take(p->o, value ? value : "", &why);
	if (ret)
		vsamp_fail(p->err, ret, "%s: %s", spelt, why.text);
	return ret;
}

/* The one of this name, or the only one that begins so; *n: how many it may be */
static const struct option *parser_find(const struct parser *p, const char *name, size_t length,
					unsigned int *n)
{
	const struct option *found = NULL;

	*n = 0;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!(table[i].commands & p->command) || strncmp(table[i].name, name, length))
			continue;
		found = &table[i];
		*n += 1;
		if (table[i].name[length])
			continue;
		*n = 1;
		break;
	}
	return found;
}

/* --name, --name=value, --name value */
static int parser_long(struct parser *p, const char *arg)
{
	size_t length = strcspn(arg + 2, "=");
	const char *value = arg[2 + length] ? arg + 2 + length + 1 : NULL;
	char spelt[32] = "--";
	unsigned int n;
	const struct option *opt = parser_find(p, arg + 2, length, &n);

	if (!n)
		return vsamp_fail(p->err, -EINVAL, "there is no option %.*s", (int)length + 2, arg);
	if (n > 1)
		return vsamp_fail(p->err, -EINVAL, "%.*s may be one of several options",
				  (int)length + 2, arg);
	strcat(spelt, opt->name);
	return parser_take(p, opt, spelt, value);
}

/* -x, -xy, -xvalue, -x value */
static int parser_letters(struct parser *p, const char *arg)
{
	for (const char *c = arg + 1; *c; c++) {
		const char spelt[] = { '-', *c, '\0' };
		const struct option *opt = NULL;
		int ret;

		for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
			if (table[i].letter == *c && table[i].commands & p->command)
				opt = &table[i];
		if (!opt)
			return vsamp_fail(p->err, -EINVAL, "there is no option %s", spelt);
		ret = parser_take(p, opt, spelt, option_needs_value(opt) && c[1] ? c + 1 : NULL);
		if (ret || option_needs_value(opt))
			return ret;
	}
	return 0;
}

static int parser_option(struct parser *p, const char *arg)
{
	if (p->command & COUNT) {
		bool next = false;
		int ret = options_take_calibration(p->o, arg, *p->next, &next, p->err);

		p->next += next;
		if (ret)
			return ret < 0 ? ret : 0;
	}
	return arg[1] == '-' ? parser_long(p, arg) : parser_letters(p, arg);
}

static int options_check_calibrate(const struct options *o, struct vsamp_error *err)
{
	if (o->cal_mode == VSAMP_CAL_NONE)
		return vsamp_fail(err, -EINVAL,
				  "nothing is calibrated then: --cal is all or event");
	if (o->adaptive)
		return vsamp_fail(
			err, -EINVAL,
			"--cal=adaptive goes on in a recording: use it with vsamp record");
	return 0;
}

static int options_check_itt(const struct options *o, struct vsamp_error *err)
{
	if (o->no_itt && (o->itt_session || o->start_paused))
		return vsamp_fail(
			err, -EINVAL,
			"--itt off: pauses of programs, for --itt-pause and --start-paused, are told by ITT");
	if (o->itt_dir && o->no_itt)
		return vsamp_fail(err, -EINVAL, "--itt-dir and --itt off: one or the other");
	if (o->itt_dir && o->start_paused && !o->itt_session)
		return vsamp_fail(
			err, -EINVAL,
			"--itt-dir is of programs that run already, which can't begin paused: --start-paused with --itt-pause=session pauses the recording");
	if (o->itt_dir && o->command && !o->all && !o->n_cgroup_lists)
		return vsamp_fail(
			err, -EINVAL,
			"--itt-dir is of programs that run already, and only COMMAND is sampled: add -a or -G, or leave one out");
	return 0;
}

static int options_check(struct options *o, struct vsamp_error *err)
{
	if (o->n_pids && o->command)
		return vsamp_fail(err, -EINVAL,
				  "-p and a command: one or the other says what is sampled");
	if (o->n_pids && o->all)
		return vsamp_fail(err, -EINVAL,
				  "-p and -a: sample either processes or the whole machine");
	if (o->n_pids && o->n_cgroup_lists)
		return vsamp_fail(
			err, -EINVAL,
			"-p and -G: sample either processes or cgroups, whoever is in them");
	if (o->user && !o->command)
		return vsamp_fail(err, -EINVAL, "--user is for a command that is launched");
	if (o->no_sideband && o->sideband_size)
		return vsamp_fail(err, -EINVAL,
				  "--no-sideband and --sideband-size: one or the other");
	if (o->quiet && o->verbose)
		return vsamp_fail(err, -EINVAL, "-q and -v: either quiet or verbose");
	if (o->keep && !(o->rotate_s > 0))
		return vsamp_fail(err, -EINVAL,
				  "--keep is for files that follow each other: add --rotate");
	if (o->stack_depth && !o->stacks)
		return vsamp_fail(err, -EINVAL, "--stack-depth is for call stacks: add -g");
	if (o->mux_ms && o->adaptive)
		return vsamp_fail(
			err, -EINVAL,
			"--mux and --cal=adaptive: time slices can't be adapted; take one or the other");
	if (o->n_cgroup_lists || (!o->command && !o->n_pids))
		o->all = true;
	if (o->children_given && o->all)
		return vsamp_fail(
			err, -EINVAL,
			"--children and --no-children are for processes of -p or of a command: else whatever runs is sampled");
	/* Those of a process that already runs may be as little to do with it as a shell's */
	if (!o->children_given)
		o->children = o->command && !o->all;
	return 0;
}

int options_parse(struct options *o, enum options_for command, char **argv, struct vsamp_error *err)
{
	struct parser p = { .o = o, .command = command, .next = argv + 1, .err = err };
	int ret;

	memset(o, 0, sizeof(*o));
	o->interval_ms = 1;
	o->refresh_s = 1;
	o->output = FILE_DEFAULT;
	/* That is what it is for */
	if (command == OPTIONS_CALIBRATE)
		o->cal_mode = VSAMP_CAL_ALL;
	while (*p.next && (*p.next)[0] == '-' && (*p.next)[1]) {
		const char *arg = *p.next++;

		if (!strcmp(arg, "--"))
			break;
		ret = parser_option(&p, arg);
		if (ret || o->help)
			return ret;
	}
	if (*p.next)
		o->command = p.next;
	ret = options_check(o, err);
	if (!ret)
		ret = options_check_itt(o, err);
	if (!ret)
		ret = options_check_gpu(o, err);
	if (!ret && command == OPTIONS_CALIBRATE)
		ret = options_check_calibrate(o, err);
	return ret ? ret : options_read_events(o, err);
}
