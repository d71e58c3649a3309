// SPDX-License-Identifier: MIT
/* The options of vsamp report */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "usage.h"

#define SLICES	   10 /* where nothing else is said */
#define SLICES_MAX 1000000

enum {
	OPTION_LIMIT = 128,
	OPTION_GROUP,
	OPTION_NO_GROUP,
	OPTION_CHILDREN,
	OPTION_NO_CHILDREN,
	OPTION_RATIO,
	OPTION_SORT_BY,
	OPTION_SLICE,
	OPTION_SLICES,
	OPTION_JSON,
	OPTION_CSV,
	OPTION_HTML,
	OPTION_ITT,
	OPTION_TASK,
	OPTION_GPU,
	OPTION_METRIC,
};

static const struct option options[] = {
	FILTER_LONG,
	{ "no-demangle", no_argument, NULL, FILTER_MANGLED },
	{ "sort", required_argument, NULL, 's' },
	{ "sort-by", required_argument, NULL, OPTION_SORT_BY },
	{ "ratio", required_argument, NULL, OPTION_RATIO },
	{ "group", no_argument, NULL, OPTION_GROUP },
	{ "no-group", no_argument, NULL, OPTION_NO_GROUP },
	{ "time-slice", required_argument, NULL, OPTION_SLICE },
	{ "time-slices", required_argument, NULL, OPTION_SLICES },
	{ "rows", required_argument, NULL, 'n' },
	{ "call-graph", optional_argument, NULL, 'g' },
	{ "children", no_argument, NULL, OPTION_CHILDREN },
	{ "no-children", no_argument, NULL, OPTION_NO_CHILDREN },
	{ "percent-limit", required_argument, NULL, OPTION_LIMIT },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "html", required_argument, NULL, OPTION_HTML },
	{ "itt", no_argument, NULL, OPTION_ITT },
	{ "task", required_argument, NULL, OPTION_TASK },
	{ "gpu", no_argument, NULL, OPTION_GPU },
	{ "metric", required_argument, NULL, OPTION_METRIC },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

static void usage(FILE *out)
{
	fprintf(out,
		"usage: vsamp report [OPTIONS] [FILE]\n"
		"Shows where the samples of FILE (" FILE_DEFAULT ") fell.\n\n"
		"  -s, --sort KEYS      what rows are told apart by, some of:\n"
		"                       %s\n"
		"      --sort-by NAME   event or ratio that rows with most of it are first of\n"
		"      --ratio NAME=EVENT/EVENT  a ratio of events, beside those that are known (CPI)\n"
		"      --group, --no-group  a table for all events, or one for each of them\n"
		"      --time-slices N  -s time: so many slices (10)\n"
		"      --time-slice MS  -s time: slices of so many milliseconds\n"
		"  -n, --rows N         the first N rows\n"
		"  -g, --call-graph[=callee|caller]  below each row who called it, and who called these;\n"
		"                       caller: whom it called, and whom these, with --children\n"
		"      --children, --no-children  functions with all that they called, or by themselves\n"
		"      --percent-limit P  of -g what stands for P percent of an event (0.5) or more\n"
		"      --no-demangle    names of C++ and Rust as linkers know them\n"
		"      --json           all of it as JSON (docs/json.md)\n"
		"      --csv            rows as comma-separated values\n"
		"      --html FILE      all of it as a page for browsers, with timeline and flame graph\n"
		"      --itt            tasks and events of programs: how often, how long, their samples\n"
		"      --gpu            metrics of GPUs; with slices of time, in each of them\n"
		"      --metric NAMES   of GPUs only these\n"
		"      --task NAMES     only samples of the time that these ITT tasks or events have alone\n"
		"  -h, --help           this text\n\n"
		"What is shown:\n" FILTER_HELP
		"      --time A,B       only from A to B, seconds from the begin on; either may be left out\n"
		"      --time A%%-B%%     only this part of the recording\n\n"
		"Ends with 0, 1 if FILE can't be read or is damaged, 2 for wrong options.\n",
		report_key_names());
}

static int parse_sort(struct report *r, char *keys)
{
	char *name, *save, all[256];

	r->by = 0;
	r->keys = 0;
	snprintf(all, sizeof(all), "the keys are %s", report_key_names());
	for (name = strtok_r(keys, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct report_key *key = report_key_find(name);

		if (!key)
			return filter_error(&r->filter, "--sort", name, all);
		if (!(r->by & key->by))
			r->key[r->keys++] = key;
		r->by |= key->by;
	}
	return r->by ? 0 : filter_error(&r->filter, "--sort", keys, all);
}

static int parse_percent(struct report *r, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		return filter_error(&r->filter, "--percent-limit", text, "a number from 0 to 100");
	r->percent_limit = percent;
	return 0;
}

static int parse_slice(struct report *r, const char *text)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !(ms >= 0.000001 && ms <= 1e9))
		return filter_error(&r->filter, "--time-slice", text,
				    "milliseconds, 0.000001 or more");
	r->slice = ms * 1e6;
	return 0;
}

static int parse_number(struct report *r, const char *option, const char *text, uint64_t max,
			uint64_t *n)
{
	if (!filter_number(text, 1, max, n))
		return 0;
	return filter_error(&r->filter, option, text, "a number from 1 on");
}

/* perf's words; "-g caller" is as good as "-gcaller" */
static int parse_tree(struct report *r, char **argv)
{
	const char *order = optarg;

	if (!order && argv[optind] &&
	    (!strcmp(argv[optind], "caller") || !strcmp(argv[optind], "callee")))
		order = argv[optind++];
	if (order && strcmp(order, "caller") && strcmp(order, "callee"))
		return filter_error(&r->filter, "--call-graph", order,
				    "callee: who called a row, or caller: whom it called");
	r->tree = order && !strcmp(order, "caller") ? REPORT_CALLEES : REPORT_CALLERS;
	r->children |= r->tree == REPORT_CALLEES;
	return 0;
}

static int parse_ratio(struct report *r, const char *text)
{
	if (r->ratio_texts == REPORT_RATIOS_MAX / 2)
		return filter_error(&r->filter, "--ratio", text, "too many ratios");
	r->ratio_text[r->ratio_texts++] = text;
	return 0;
}

static int parse_option(struct report *r, int c, char **argv)
{
	uint64_t n;

	switch (c) {
	case 's':
		r->keyed = true;
		return parse_sort(r, optarg);
	case 'n':
		if (parse_number(r, "--rows", optarg, SIZE_MAX, &n))
			return EXIT_USAGE;
		r->rows_max = n;
		return 0;
	case 'g':
		return parse_tree(r, argv);
	case OPTION_LIMIT:
		return parse_percent(r, optarg);
	case OPTION_GROUP:
	case OPTION_NO_GROUP:
		r->blocks = c == OPTION_NO_GROUP;
		return 0;
	case OPTION_CHILDREN:
	case OPTION_NO_CHILDREN:
		r->children = c == OPTION_CHILDREN;
		return 0;
	case OPTION_RATIO:
		return parse_ratio(r, optarg);
	case OPTION_SORT_BY:
		r->sort_text = optarg;
		return 0;
	case OPTION_SLICE:
		r->sliced = true;
		return parse_slice(r, optarg);
	case OPTION_SLICES:
		r->sliced = true;
		r->slice = 0;
		return parse_number(r, "--time-slices", optarg, SLICES_MAX, &r->slices);
	case OPTION_JSON:
		r->form = REPORT_JSON;
		return 0;
	case OPTION_CSV:
		r->form = REPORT_CSV;
		return 0;
	case OPTION_HTML:
		r->html = optarg;
		return 0;
	case OPTION_ITT:
		r->itt = true;
		return 0;
	case OPTION_TASK:
		return filter_names(&r->filter, "--task", optarg, r->task, &r->tasks);
	case OPTION_GPU:
		r->gpu = true;
		return 0;
	case OPTION_METRIC:
		return filter_names(&r->filter, "--metric", optarg, r->metric, &r->metrics);
	}
	return filter_option(&r->filter, c);
}

/* What doesn't go with it, and whether it is in slices */
static int check_gpu(struct report *r)
{
	if (!r->gpu && r->metrics)
		return filter_error(&r->filter, "--metric", r->metric[0], "is of --gpu");
	if (!r->gpu)
		return 0;
	if (r->itt || r->html || r->tree || r->children || r->tasks)
		return filter_error(&r->filter, "--gpu", "--itt, --html, -g, --children or --task",
				    "metrics of GPUs are told alone; pages have them anyway");
	if (r->keyed && r->by != VSAMP_BY_TIME)
		return filter_error(&r->filter, "--gpu", "-s",
				    "metrics of GPUs are told apart by time alone: -s time");
	r->sliced |= r->keyed;
	return 0;
}

int report_parse(struct report *r, int argc, char **argv)
{
	char default_keys[] = "process,module,symbol";
	int c, ret = parse_sort(r, default_keys);

	optind = 0;
	r->slices = SLICES;
	while (!ret &&
	       (c = usage_next("report", argc, argv, ":" FILTER_SHORT "s:n:g::h", options)) != -1) {
		if (c == 'h') {
			usage(stdout);
			return -1;
		}
		ret = parse_option(r, c, argv);
	}
	if (!ret)
		ret = filter_file(&r->filter, argc, argv);
	if (!ret && r->tree == REPORT_CALLEES && !r->children)
		ret = filter_error(&r->filter, "--no-children", "-g caller",
				   "whom a function called is known with --children only");
	if (!ret && r->tree && r->form == REPORT_CSV)
		ret = filter_error(&r->filter, "--csv", "-g",
				   "rows have no trees there: use --json");
	if (!ret && r->tasks && (r->itt || r->html))
		ret = filter_error(&r->filter, "--task", "--itt or --html",
				   "these tell of all tasks");
	if (!ret && r->itt && (r->tree || r->children || r->html))
		ret = filter_error(&r->filter, "--itt", "-g, --children or --html",
				   "tasks and events are told as text, by --json or --csv");
	return ret ? ret : check_gpu(r);
}

/* Those that are asked for, then those that are known of the events shown */
static int settle_ratios(struct report *r)
{
	struct vsamp_ratio known[REPORT_RATIOS_MAX / 2];
	size_t n = vsamp_ratios_known(r->rec, known, REPORT_RATIOS_MAX / 2);
	struct vsamp_error err;

	for (size_t i = 0; i < n; i++)
		if (report_wants(r, known[i].numerator) && report_wants(r, known[i].denominator))
			r->ratio[r->ratios++] = known[i];
	for (size_t i = 0; i < r->ratio_texts; i++) {
		if (vsamp_ratio_parse(&r->ratio[r->ratios++], r->rec, r->ratio_text[i], &err)) {
			fprintf(stderr, "vsamp report: --ratio: %s\n", err.text);
			return EXIT_USAGE;
		}
	}
	return 0;
}

static int settle_sort(struct report *r)
{
	while (!report_wants(r, r->sort_event))
		r->sort_event++;
	if (!r->sort_text)
		return 0;
	for (size_t i = 0; i < r->ratios; i++)
		if (!strcasecmp(r->sort_text, r->ratio[i].name))
			r->sort_ratio = &r->ratio[i];
	if (r->sort_ratio)
		return 0;
	for (size_t e = 0; e < r->events; e++) {
		if (report_wants(r, e) &&
		    vsamp_recording_event_is(&r->event[e], r->sort_text, strlen(r->sort_text))) {
			r->sort_event = e;
			return 0;
		}
	}
	return filter_error(&r->filter, "--sort-by", r->sort_text,
			    "neither an event nor a ratio that is shown");
}

/*
 * So many slices, or less where they are long enough to be of whole milli- or microseconds. The very
 * last ns is behind the last one.
 */
uint64_t report_slice(uint64_t length, uint64_t slices)
{
	uint64_t slice = (length + slices - 1) / slices;
	uint64_t unit = slice >= 100000000 ? 1000000 : slice >= 100000 ? 1000 : 1;

	return slice ? (slice + unit - 1) / unit * unit : 1;
}

int report_settle(struct report *r)
{
	uint64_t begin, end;
	int ret = settle_ratios(r);

	vsamp_recording_span(r->rec, &begin, &end);
	if (!r->slice)
		r->slice = report_slice(end - begin, r->slices);
	return ret ? ret : settle_sort(r);
}
