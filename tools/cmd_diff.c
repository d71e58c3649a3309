// SPDX-License-Identifier: MIT
/* vsamp diff: what has become more, or less, from one recording to others */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "diff.h"
#include "escape.h"
#include "report.h"
#include "summary.h"
#include "terminal.h"
#include "usage.h"

#define KEYS_TEXT \
	"process, comm, cpu, module, symbol, line, task and itt-event, with commas between them"

static void usage(FILE *out)
{
	fputs("usage: vsamp diff [OPTIONS] [BASELINE FILE...]\n"
	      "Shows how FILEs differ from BASELINE (" FILE_DEFAULT " from " FILE_DEFAULT
	      ".old), what differs most first.\n"
	      "Compared are events that samples stand for, as shares of their recording's.\n\n"
	      "  -s, --sort KEYS      what rows are told apart by: " KEYS_TEXT "\n"
	      "                       (module,symbol); modules by the last part of their path\n"
	      "      --per-second     compare events a second\n"
	      "  -n, --rows N         the first N rows of each event\n"
	      "  -e, --event EVENTS   only these events, with commas between them (NAME, or NAME:u)\n"
	      "  -p, --pid PIDS       only these processes\n"
	      "      --tid TIDS       only these threads\n"
	      "  -C, --cpu LIST       only these CPUs, as 0-3,8\n"
	      "  -c, --comms NAMES    only threads of these names\n"
	      "  -d, --dsos MODULES   only samples in these modules (also --modules)\n"
	      "  -S, --symbols NAMES  only samples in these functions\n"
	      "      --time A,B       only from A to B, seconds from the begin, or percent as 10%\n"
	      "      --json           all of it as JSON (docs/json.md)\n"
	      "  -h, --help           this text\n\n"
	      "Ends with 0, 1 if files can't be read or have no event in common, 2 for wrong options.\n",
	      out);
}

/* What has the same name from run to run: not a pid, nor a time */
#define BY_NAMED                                                                               \
	(VSAMP_BY_PROCESS | VSAMP_BY_COMM | VSAMP_BY_CPU | VSAMP_BY_MODULE | VSAMP_BY_SYMBOL | \
	 VSAMP_BY_LINE | VSAMP_BY_TASK | VSAMP_BY_ITT_EVENT)

static int parse_sort(struct diff *d, char *list)
{
	char *name, *save;

	d->keys = 0;
	for (name = strtok_r(list, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		const struct report_key *key = report_key_find(name);

		if (!key || !(key->by & BY_NAMED) || d->keys == DIFF_KEYS_MAX)
			return filter_error(&d->filter, "--sort", name, "the keys are " KEYS_TEXT);
		d->key[d->keys++] = key;
	}
	return d->keys ? 0 : filter_error(&d->filter, "--sort", "", "the keys are " KEYS_TEXT);
}

static int parse_rows(struct diff *d, const char *text)
{
	uint64_t n;

	if (filter_number(text, 1, SIZE_MAX, &n))
		return filter_error(&d->filter, "--rows", text, "a number from 1 on");
	d->rows_max = n;
	return 0;
}

static int parse_files(struct diff *d, int argc, char **argv)
{
	static const char *const usual[] = { FILE_DEFAULT ".old", FILE_DEFAULT };

	if (argc - optind == 1)
		return filter_error(&d->filter, "two files or more", argv[optind],
				    "name the baseline before it");
	if (argc - optind > DIFF_FILES_MAX)
		return filter_error(&d->filter, "too many files", argv[optind + DIFF_FILES_MAX],
				    "16 are the most");
	for (int i = optind; i < argc; i++)
		d->file[d->files++].path = argv[i];
	while (d->files < 2) {
		d->file[d->files].path = usual[d->files];
		d->files++;
	}
	return 0;
}

static int parse_option(struct diff *d, int c, char **argv)
{
	switch (c) {
	case 's':
		return parse_sort(d, optarg);
	case 'n':
		return parse_rows(d, optarg);
	case 'r':
		d->per_second = true;
		return 0;
	case 'j':
		d->json = true;
		return 0;
	case 'h':
		usage(stdout);
		return -1;
	}
	return filter_option(&d->filter, c);
}

static int parse(struct diff *d, int argc, char **argv)
{
	static const struct option options[] = {
		{ "sort", required_argument, NULL, 's' },
		{ "per-second", no_argument, NULL, 'r' },
		{ "rows", required_argument, NULL, 'n' },
		FILTER_LONG_SAMPLES,
		FILTER_LONG_CODE,
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, ret;

	optind = 0;
	while ((c = usage_next("diff", argc, argv, ":s:n:e:p:C:c:d:S:h", options)) != -1) {
		ret = parse_option(d, c, argv);
		if (ret)
			return ret;
	}
	return parse_files(d, argc, argv);
}

static int open_file(struct diff *d, struct diff_file *f)
{
	struct vsamp_profile_options options = { 0 };
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&f->rec, f->path, &err)) {
		fprintf(stderr, "vsamp diff: %s\n", err.text);
		return EXIT_ERROR;
	}
	f->events = vsamp_recording_events(f->rec, &f->event);
	ret = filter_settle(&d->filter, f->rec);
	if (ret)
		return ret;
	options.filter = d->filter.samples;
	for (size_t i = 0; i < d->keys; i++)
		options.by |= d->key[i]->by;
	if (!vsamp_profile_new(&f->profile, f->rec, &options, &err))
		return 0;
	fprintf(stderr, "vsamp diff: %s\n", err.text);
	return EXIT_ERROR;
}

static bool same_event(const struct vsamp_recording_event *a, const struct vsamp_recording_event *b)
{
	return !strcasecmp(a->name, b->name) && !strcmp(a->levels, b->levels);
}

static bool find_event(const struct diff_file *f, const struct vsamp_recording_event *event,
		       size_t *index)
{
	for (*index = 0; *index < f->events; ++*index)
		if (same_event(&f->event[*index], event))
			return true;
	return false;
}

static void say_event(const struct vsamp_recording_event *event)
{
	escape_print(stderr, event->name, 0);
	fputs(event->levels, stderr);
}

static int say_no_event(const struct diff *d)
{
	fputs("vsamp diff: the recordings have no event in common: record them with the same -e\n",
	      stderr);
	for (size_t f = 0; f < d->files; f++) {
		fputs("  ", stderr);
		escape_print(stderr, d->file[f].path, 0);
		putc(':', stderr);
		for (size_t e = 0; e < d->file[f].events; e++) {
			fputs(e ? ", " : " ", stderr);
			say_event(&d->file[f].event[e]);
		}
		putc('\n', stderr);
	}
	return EXIT_ERROR;
}

static bool in_all(const struct diff *d, const struct vsamp_recording_event *event,
		   struct diff_event *found)
{
	for (size_t f = 0; f < d->files; f++)
		if (!find_event(&d->file[f], event, &found->index[f]))
			return false;
	return true;
}

/* Events that are asked for and some recording lacks */
static void say_left_out(const struct diff *d)
{
	struct diff_event none;

	for (size_t f = 0; f < d->files; f++) {
		for (size_t e = 0; e < d->file[f].events; e++) {
			const struct vsamp_recording_event *event = &d->file[f].event[e];

			if (!filter_wants_event(&d->filter, event) || in_all(d, event, &none))
				continue;
			fputs("vsamp diff: left out, as not all recordings have it: ", stderr);
			say_event(event);
			fputs(" of ", stderr);
			escape_print(stderr, d->file[f].path, 0);
			putc('\n', stderr);
		}
	}
}

static int compare(struct diff *d)
{
	const struct diff_file *base = &d->file[0];
	struct diff_event *events = calloc(base->events + 1, sizeof(*events));
	size_t count = 0;
	int ret;

	if (!events) {
		fputs("vsamp diff: out of memory\n", stderr);
		return EXIT_ERROR;
	}
	for (size_t e = 0; e < base->events; e++)
		count += filter_wants_event(&d->filter, &base->event[e]) &&
			 in_all(d, &base->event[e], &events[count]);
	if (count) {
		say_left_out(d);
		pager_begin();
	}
	ret = !count  ? say_no_event(d) :
	      d->json ? diff_json(d, events, count) :
			diff_print(d, events, count);
	free(events);
	return ret;
}

int cmd_diff(int argc, char **argv)
{
	static struct diff d = {
		.filter.command = "diff",
	};
	int ret = parse(&d, argc, argv);

	if (!d.keys) {
		d.key[d.keys++] = report_key_find("module");
		d.key[d.keys++] = report_key_find("symbol");
	}
	for (size_t i = 0; i < d.files && !ret; i++)
		ret = open_file(&d, &d.file[i]);
	if (!ret)
		ret = compare(&d);
	for (size_t i = 0; i < d.files; i++) {
		if (!ret)
			report_paused("diff", vsamp_profile_paused(d.file[i].profile));
		if (!ret)
			ret = summary_end("diff", d.file[i].rec);
		vsamp_profile_free(d.file[i].profile);
		vsamp_recording_close(d.file[i].rec);
	}
	filter_free(&d.filter);
	return ret < 0 ? 0 : ret;
}
