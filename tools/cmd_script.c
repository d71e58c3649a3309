// SPDX-License-Identifier: MIT
/* vsamp script: the samples of a file, one by one */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>

#include "cmd.h"
#include "escape.h"
#include "script.h"
#include "summary.h"
#include "terminal.h"
#include "usage.h"

static const struct {
	const char *name;
	unsigned int field;
} fields[] = {
	{ "comm", SCRIPT_COMM },     { "pid", SCRIPT_PID },   { "tid", SCRIPT_TID },
	{ "cpu", SCRIPT_CPU },	     { "time", SCRIPT_TIME }, { "period", SCRIPT_PERIOD },
	{ "event", SCRIPT_EVENT },   { "ip", SCRIPT_IP },     { "symbol", SCRIPT_SYMBOL },
	{ "module", SCRIPT_MODULE },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static void usage(FILE *out)
{
	fputs("usage: vsamp script [OPTIONS] [FILE]\n"
	      "Shows the samples of FILE (" FILE_DEFAULT ") by time, one a line.\n\n" FILTER_HELP
	      "      --time A,B       only from A to B, seconds as shown; either may be left out\n"
	      "      --time A%-B%     only this part of the recording\n"
	      "  -F, --fields LIST    of comm,pid,tid,cpu,time,period,event,ip,symbol,module; all of it\n"
	      "  -g, --call-graph     below each sample its callers, innermost first\n"
	      "      --no-demangle    names of C++ and Rust as linkers know them\n"
	      "      --json           an object a line (docs/json.md)\n"
	      "  -h, --help           this text\n\n"
	      "Ends with 0, 1 if FILE can't be read or is damaged, 2 for wrong options.\n",
	      out);
}

static int parse_fields(struct script *s, char *list)
{
	const char *all = "the fields are comm, pid, tid, cpu, time, period, event, ip, symbol and "
			  "module, with commas between them";
	char *name, *save;

	s->fields = 0;
	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		size_t i;

		for (i = 0; i < FIELDS && strcmp(name, fields[i].name); i++)
			;
		if (i == FIELDS)
			return filter_error(&s->filter, "--fields", name, all);
		s->fields |= fields[i].field;
	}
	return s->fields ? 0 : filter_error(&s->filter, "--fields", list, all);
}

static int parse(struct script *s, int argc, char **argv)
{
	static const struct option options[] = {
		FILTER_LONG,
		{ "no-demangle", no_argument, NULL, FILTER_MANGLED },
		{ "fields", required_argument, NULL, 'F' },
		{ "call-graph", no_argument, NULL, 'g' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, ret;

	optind = 0;
	while ((c = usage_next("script", argc, argv, ":" FILTER_SHORT "F:gh", options)) != -1) {
		ret = 0;
		switch (c) {
		case 'F':
			ret = parse_fields(s, optarg);
			break;
		case 'g':
			s->callers = true;
			break;
		case 'j':
			s->json = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			ret = filter_option(&s->filter, c);
		}
		if (ret)
			return ret;
	}
	return filter_file(&s->filter, argc, argv);
}

static bool wants_sample(const struct script *s, const struct vsamp_trace_sample *sample)
{
	return vsamp_filter_wants(&s->filter.samples, sample) &&
	       filter_wants_event(&s->filter, &s->event[sample->event]);
}

/* By its CPU and its time: samples of anybody may be among it */
static bool wants_lost(const struct script *s, uint32_t cpu, uint64_t time)
{
	const struct vsamp_filter *f = &s->filter.samples;
	bool wanted = !f->cpus;

	for (size_t i = 0; i < f->cpus; i++)
		wanted |= f->cpu[i] == cpu;
	return wanted && time >= f->from && (!f->to || time <= f->to);
}

/* What was lost is shown where it was */
static void put_lost(const struct script *s, const struct vsamp_item *item)
{
	const struct vsamp_record_lost *lost = (const void *)item->record;
	uint64_t time;

	if (item->sideband || item->record->type != VSAMP_RECORD_LOST)
		return;
	time = vsamp_clock_fit_raw(vsamp_recording_clock(s->rec), item->time);
	if (!wants_lost(s, item->cpu, time))
		return;
	if (s->json)
		script_json_lost(item->cpu, time, lost->count);
	else
		script_print_lost(s, item->cpu, time, lost->count);
}

static int put_all(struct script *s, struct vsamp_trace *trace)
{
	struct vsamp_trace_sample sample;
	struct vsamp_item item;
	struct vsamp_error err;
	int ret;

	while ((ret = vsamp_trace_next(trace, &item, &sample, &err)) > 0) {
		if (ret == 1)
			put_lost(s, &item);
		else if (!wants_sample(s, &sample))
			continue;
		else if (s->json)
			script_json_sample(s, &sample);
		else
			script_print_sample(s, &sample);
		if (ferror(stdout))
			return 0; /* which is said in the end */
	}
	script_print_end();
	if (!ret)
		return 0;
	fflush(stdout);
	fprintf(stderr, "vsamp script: %s\n", err.text);
	return EXIT_ERROR;
}

static int script(struct script *s)
{
	struct vsamp_trace *trace;
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&s->rec, s->filter.path, &err)) {
		fprintf(stderr, "vsamp script: %s\n", err.text);
		return EXIT_ERROR;
	}
	vsamp_recording_events(s->rec, &s->event);
	ret = filter_settle(&s->filter, s->rec);
	if (ret)
		return ret;
	if (s->callers && !vsamp_recording_totals(s->rec)->stacks) {
		fprintf(stderr, "vsamp script: %s: has no call stacks: record with -g\n",
			s->filter.path);
		return EXIT_ERROR;
	}
	if (vsamp_trace_new(&trace, s->rec,
			    (s->callers ? VSAMP_TRACE_CALLERS : 0) |
				    (s->filter.mangled ? VSAMP_TRACE_MANGLED : 0) |
				    VSAMP_TRACE_PAUSED,
			    &err)) {
		fprintf(stderr, "vsamp script: %s\n", err.text);
		return EXIT_ERROR;
	}
	pager_begin();
	ret = put_all(s, trace);
	vsamp_trace_free(trace);
	return ret ? ret : summary_end("script", s->rec);
}

int cmd_script(int argc, char **argv)
{
	struct script s = {
		.filter = { .command = "script", .absolute = true },
		.fields = SCRIPT_ALL,
	};
	int ret = parse(&s, argc, argv);

	ret = ret < 0 ? 0 : ret ? ret : script(&s);
	vsamp_recording_close(s.rec);
	filter_free(&s.filter);
	return ret;
}
