// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/cpulist.h>
#include <vsamp/sideband.h>

#include "cmd.h"
#include "options.h"

#define EVENTS_DEFAULT	"CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY"
#define SECONDS_MAX	(366 * 86400.0)
#define INTERVAL_MS_MIN 0.001

/* An option: its value is checked and kept by take, which gets "" where none is taken */
struct option {
	char letter; /* 0: none */
	const char *name;
	unsigned int commands;
	const char *value; /* what it takes, for texts; NULL: nothing */
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

static int take_event(struct options *o, const char *value, struct vsamp_error *err)
{
	return vsamp_events_parse(o->events, &o->n_events, value, err);
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
	if (strcmp(value, "intel"))
		return vsamp_fail(err, -EINVAL, "'%s' is no backend: there is intel", value);
	o->backend = true;
	return 0;
}

static int take_force(struct options *o, const char *value, struct vsamp_error *err)
{
	o->force = true;
	return 0;
}

/* A power of two, in bytes or with one of the units */
static int take_size(uint32_t *size, const char *value, uint32_t min, const char *what,
		     struct vsamp_error *err)
{
	static const char units[] = "KMG";
	unsigned long long n;
	const char *unit;
	char *end;

	errno = 0;
	n = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
	unit = n && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit && n <= VSAMP_RING_SIZE_MAX) {
		n <<= 10 * (unit - units + 1);
		end++;
	}
	if (!n || errno || *end || n < min || n > VSAMP_RING_SIZE_MAX || n & (n - 1))
		return vsamp_fail(
			err, -EINVAL,
			"'%s' is no %s size: give a power of two from %uK to %uM, bytes a CPU",
			value, what, min >> 10, VSAMP_RING_SIZE_MAX >> 20);
	*size = n;
	return 0;
}

static int take_ring_size(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_size(&o->ring_size, value, VSAMP_RING_SIZE_MIN, "ring", err);
}

static int take_sideband_size(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_size(&o->sideband_size, value, VSAMP_SIDEBAND_SIZE_MIN, "sideband buffer", err);
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

#define BOTH (OPTIONS_RECORD | OPTIONS_STAT)

static const struct option table[] = {
	{ 'e', "event", BOTH, "EVENT", take_event },
	{ 'a', "all-cpus", BOTH, NULL, take_all },
	{ 'C', "cpu", BOTH, "LIST", take_cpus },
	{ 'p', "pid", BOTH, "PID", take_pids },
	{ 'd', "duration", BOTH, "SECONDS", take_duration },
	{ 'D', "delay", BOTH, "MS", take_delay },
	{ 'i', "interval", OPTIONS_RECORD, "MS", take_interval },
	{ 'o', "output", OPTIONS_RECORD, "FILE", take_output },
	{ 'b', "backend", BOTH, "BACKEND", take_backend },
	{ 0, "user", BOTH, "NAME", take_user },
	{ 0, "force", OPTIONS_RECORD, NULL, take_force },
	{ 0, "ring-size", OPTIONS_RECORD, "SIZE", take_ring_size },
	{ 0, "pmi-limit", OPTIONS_RECORD, "N", take_pmi_limit },
	{ 0, "sideband-size", OPTIONS_RECORD, "SIZE", take_sideband_size },
	{ 0, "no-sideband", OPTIONS_RECORD, NULL, take_no_sideband },
	{ 0, "nmi-watchdog", BOTH, "off", take_nmi_watchdog },
	{ 0, "cal-time", OPTIONS_RECORD, "SECONDS", take_cal_time },
	{ 0, "cal-scope", OPTIONS_RECORD, "cpu|total", take_cal_scope },
	{ 0, "json", OPTIONS_STAT, NULL, take_json },
	{ 'q', "quiet", OPTIONS_RECORD, NULL, take_quiet },
	{ 'v', "verbose", BOTH, NULL, take_verbose },
	{ 'h', "help", BOTH, NULL, take_help },
};

struct parser {
	struct options *o;
	enum options_for command;
	char **next; /* argument not looked at yet; NULL at the end */
	struct vsamp_error *err;
};

/* A value out of range is the option's fault: say which it was */
static int parser_take(struct parser *p, const struct option *opt, const char *spelt,
		       const char *value)
{
	struct vsamp_error why = { 0 };
	int ret;

	if (opt->value && !value) {
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

/* --name, --name=value, --name value */
static int parser_long(struct parser *p, const char *arg)
{
	size_t length = strcspn(arg + 2, "=");
	const char *value = arg[2 + length] ? arg + 2 + length + 1 : NULL;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char spelt[32] = "--";

		if (!(table[i].commands & p->command) || strlen(table[i].name) != length ||
		    strncmp(table[i].name, arg + 2, length))
			continue;
		strcat(spelt, table[i].name);
		return parser_take(p, &table[i], spelt, value);
	}
	return vsamp_fail(p->err, -EINVAL, "there is no option %.*s", (int)length + 2, arg);
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
		ret = parser_take(p, opt, spelt, opt->value && c[1] ? c + 1 : NULL);
		if (ret || opt->value)
			return ret;
	}
	return 0;
}

/*
 * Calibration options: -cal, -calibration, --cal, --calibration
 *
 * Bare, with =VALUE, or followed by a word that is exactly a value. Any other next word is not
 * theirs: it is the command. With one dash the words are those of the classic option, yes and no.
 */
static const struct {
	const char *word;
	enum vsamp_cal_mode mode;
	bool classic;
} cal_words[] = {
	{ "yes", VSAMP_CAL_ALL, true },	   { "no", VSAMP_CAL_NONE, true },
	{ "all", VSAMP_CAL_ALL, false },   { "event", VSAMP_CAL_EVENT, false },
	{ "none", VSAMP_CAL_NONE, false },
};

static bool cal_word(const char *word, bool classic, enum vsamp_cal_mode *mode)
{
	for (size_t i = 0; word && i < sizeof(cal_words) / sizeof(cal_words[0]); i++)
		if (!strcmp(word, cal_words[i].word) && (cal_words[i].classic || !classic)) {
			*mode = cal_words[i].mode;
			return true;
		}
	return false;
}

/* 1: arg was a calibration option, 0: it is none */
static int parser_calibration(struct parser *p, const char *arg)
{
	bool classic = strncmp(arg, "--", 2);
	const char *name = arg + (classic ? 1 : 2);
	size_t length = strcspn(name, "=");

	if ((length != 3 || strncmp(name, "cal", 3)) &&
	    (length != 11 || strncmp(name, "calibration", 11)))
		return 0;
	if (name[length]) {
		if (!cal_word(name + length + 1, false, &p->o->cal_mode))
			return vsamp_fail(p->err, -EINVAL, "%s: it is yes, no, all, event or none",
					  arg);
	} else if (cal_word(*p->next, classic, &p->o->cal_mode)) {
		p->next++;
	} else {
		p->o->cal_mode = VSAMP_CAL_ALL;
	}
	return 1;
}

static int parser_option(struct parser *p, const char *arg)
{
	if (p->command == OPTIONS_RECORD) {
		int ret = parser_calibration(p, arg);

		if (ret)
			return ret < 0 ? ret : 0;
	}
	return arg[1] == '-' ? parser_long(p, arg) : parser_letters(p, arg);
}

static int options_check(struct options *o, struct vsamp_error *err)
{
	if (o->n_pids && o->command)
		return vsamp_fail(err, -EINVAL,
				  "-p and a command: one or the other says what is sampled");
	if (o->n_pids && o->all)
		return vsamp_fail(err, -EINVAL,
				  "-p and -a: sample either processes or the whole machine");
	if (o->user && !o->command)
		return vsamp_fail(err, -EINVAL, "--user is for a command that is launched");
	if (o->no_sideband && o->sideband_size)
		return vsamp_fail(err, -EINVAL,
				  "--no-sideband and --sideband-size: one or the other");
	if (o->quiet && o->verbose)
		return vsamp_fail(err, -EINVAL, "-q and -v: either quiet or verbose");
	if (!o->command && !o->n_pids)
		o->all = true;
	if (!o->n_events)
		return vsamp_events_parse(o->events, &o->n_events, EVENTS_DEFAULT, err);
	return 0;
}

int options_parse(struct options *o, enum options_for command, char **argv, struct vsamp_error *err)
{
	struct parser p = { .o = o, .command = command, .next = argv + 1, .err = err };

	memset(o, 0, sizeof(*o));
	o->interval_ms = 1;
	o->output = FILE_DEFAULT;
	while (*p.next && (*p.next)[0] == '-' && (*p.next)[1]) {
		const char *arg = *p.next++;
		int ret;

		if (!strcmp(arg, "--"))
			break;
		ret = parser_option(&p, arg);
		if (ret || o->help)
			return ret;
	}
	if (*p.next)
		o->command = p.next;
	return options_check(o, err);
}
