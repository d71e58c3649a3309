// SPDX-License-Identifier: MIT
/* vsamp annotate: at which instructions of a symbol the samples fell */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate.h"
#include "cmd.h"
#include "escape.h"
#include "report.h"
#include "summary.h"
#include "terminal.h"
#include "usage.h"

#define BY	  (VSAMP_BY_MODULE | VSAMP_BY_SYMBOL)
#define SHOWN_MAX 5 /* of rows that are offered, and of modules without symbols */
#define UNKNOWN	  "[unknown]"

static void usage(FILE *out)
{
	fputs("usage: vsamp annotate [OPTIONS] [[MODULE:]SYMBOL]\n"
	      "Shows the code of SYMBOL, of the one with most samples if none is named, with the samples\n"
	      "of each instruction. They are at the instruction behind the one that counted, or further.\n\n"
	      "  -i, --input FILE     the recording (" FILE_DEFAULT ")\n"
	      "  -e, --event EVENTS   only these events, with commas between them (NAME, or NAME:u)\n"
	      "  -p, --pid PIDS       only these processes\n"
	      "      --tid TIDS       only these threads\n"
	      "  -C, --cpu LIST       only these CPUs, as 0-3,8\n"
	      "  -c, --comms NAMES    only threads of these names\n"
	      "      --time A,B       only from A to B, seconds from the begin, or percent as 10%\n"
	      "  -l, --line-numbers   where instructions come from, as FILE:LINE, by debug information\n"
	      "  -S, --source         these lines themselves, where their files are here\n"
	      "      --objdump PATH   disassembles (objdump)\n"
	      "      --vmlinux FILE   code of the kernel or its module (where distributions have it)\n"
	      "      --json           all of it as JSON (docs/json.md)\n"
	      "  -h, --help           this text\n\n"
	      "Ends with 0, 1 if there is no such code or FILE can't be read, 2 for wrong options.\n",
	      out);
}

static int parse_rest(struct annotate *a, int argc, char **argv)
{
	if (optind < argc)
		a->wanted = argv[optind++];
	if (optind < argc)
		return filter_error(&a->filter, "one symbol is enough", argv[optind],
				    "-i names the file");
	if (!a->filter.path)
		a->filter.path = FILE_DEFAULT;
	return 0;
}

static int parse(struct annotate *a, int argc, char **argv)
{
	static const struct option options[] = {
		{ "input", required_argument, NULL, 'i' },
		FILTER_LONG_SAMPLES,
		{ "line-numbers", no_argument, NULL, 'l' },
		{ "source", no_argument, NULL, 'S' },
		{ "objdump", required_argument, NULL, 'o' },
		{ "vmlinux", required_argument, NULL, 'v' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, ret;

	optind = 0;
	while ((c = usage_next("annotate", argc, argv, ":i:e:p:C:c:lSh", options)) != -1) {
		ret = 0;
		switch (c) {
		case 'l':
			a->objdump.lines = true;
			break;
		case 'S':
			a->objdump.source = true;
			break;
		case 'o':
			a->objdump.program = optarg;
			break;
		case 'v':
			a->vmlinux = optarg;
			break;
		case 'j':
			a->json = true;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			ret = filter_option(&a->filter, c);
		}
		if (ret)
			return ret;
	}
	return parse_rest(a, argc, argv);
}

bool annotate_wants(const struct annotate *a, size_t event)
{
	return filter_wants_event(&a->filter, &a->event[event]);
}

static bool module_is(const struct vsamp_profile_row *row, const char *name, size_t length)
{
	const char *base = report_module(row->module);

	return (strlen(base) == length && !strncmp(base, name, length)) ||
	       (strlen(row->module) == length && !strncmp(row->module, name, length));
}

/* SYMBOL, or MODULE:SYMBOL; names of symbols have colons, too, though in pairs */
static bool row_is(const struct vsamp_profile_row *row, const char *wanted)
{
	size_t symbol = strlen(row->symbol), length = strlen(wanted);
	const char *at = wanted + length - symbol;

	if (length < symbol || strcmp(at, row->symbol))
		return false;
	return at == wanted ||
	       (at - wanted > 1 && at[-1] == ':' && module_is(row, wanted, at - wanted - 1));
}

static void say_rows(const struct vsamp_profile_row *rows, size_t count, const char *wanted)
{
	for (size_t i = 0, shown = 0; i < count && shown < SHOWN_MAX; i++) {
		if (wanted ? !row_is(&rows[i], wanted) : !strcmp(rows[i].symbol, UNKNOWN))
			continue;
		shown++;
		fputs("  ", stderr);
		escape_print(stderr, report_module(rows[i].module), 0);
		putc(':', stderr);
		escape_print(stderr, rows[i].symbol, 0);
		putc('\n', stderr);
	}
}

/* A module that lacks symbols may be why one isn't there */
static void say_notes(const struct annotate *a, size_t event)
{
	struct vsamp_profile_row *rows;
	struct vsamp_error err;
	size_t count, shown = 0;

	if (vsamp_profile_rows(a->profile, VSAMP_BY_MODULE, event, &rows, &count, &err))
		return;
	for (size_t i = 0; i < count && shown < SHOWN_MAX; i++) {
		if (!rows[i].note)
			continue;
		shown++;
		fputs("vsamp annotate: ", stderr);
		escape_print(stderr, rows[i].module, 0);
		fprintf(stderr, ": %s\n", rows[i].note);
	}
	free(rows);
}

static int say_none(struct annotate *a, const struct vsamp_profile_row *rows, size_t count,
		    size_t event)
{
	if (!a->wanted) {
		fprintf(stderr, "vsamp annotate: %s: no sample fell into a symbol\n",
			a->filter.path);
	} else {
		fputs("vsamp annotate: no sample fell into ", stderr);
		escape_print(stderr, a->wanted, 0);
		fputs("; symbols that have most:\n", stderr);
		say_rows(rows, count, NULL);
	}
	say_notes(a, event);
	return EXIT_ERROR;
}

/* The row that is asked for; those of @event's most samples come first */
static int choose(struct annotate *a, const struct vsamp_profile_row *rows, size_t count,
		  size_t event)
{
	const struct vsamp_profile_row *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (a->wanted ? !row_is(&rows[i], a->wanted) :
				!strcmp(rows[i].symbol, UNKNOWN) || found)
			continue;
		if (found && strcmp(found->module, rows[i].module)) {
			fputs("vsamp annotate: several modules have it; name one:\n", stderr);
			say_rows(rows, count, a->wanted);
			return EXIT_ERROR;
		}
		if (found)
			fprintf(stderr,
				"vsamp annotate: there were several files of this name: this is the code of the one with most samples\n");
		else
			found = &rows[i];
	}
	if (!found)
		return say_none(a, rows, count, event);
	a->row = *found;
	return 0;
}

static int fail(const struct annotate *a, const char *why)
{
	fputs("vsamp annotate: ", stderr);
	escape_print(stderr, a->row.symbol, 0);
	fputs(" in ", stderr);
	escape_print(stderr, a->row.module, 0);
	fprintf(stderr, ": %s\n", why);
	return EXIT_ERROR;
}

/* Finds the symbol, and its code */
static int find(struct annotate *a)
{
	struct vsamp_profile_row *rows;
	struct vsamp_error err;
	size_t count, first = 0;
	int ret;

	while (!annotate_wants(a, first))
		first++;
	if (vsamp_profile_rows(a->profile, BY, first, &rows, &count, &err)) {
		fprintf(stderr, "vsamp annotate: %s\n", err.text);
		return EXIT_ERROR;
	}
	ret = choose(a, rows, count, first);
	free(rows);
	if (ret)
		return ret;
	if (vsamp_profile_code(a->profile, a->row.number, a->vmlinux, &a->code, &err))
		return fail(a, err.text);
	return a->code->fd < 0 ? fail(a, a->code->why) : 0;
}

static int annotate(struct annotate *a)
{
	struct vsamp_profile_options options = { .flags = VSAMP_PROFILE_CODE };
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&a->rec, a->filter.path, &err)) {
		fprintf(stderr, "vsamp annotate: %s\n", err.text);
		return EXIT_ERROR;
	}
	a->events = vsamp_recording_events(a->rec, &a->event);
	ret = filter_settle(&a->filter, a->rec);
	if (ret)
		return ret;
	options.filter = a->filter.samples;
	if (vsamp_profile_new(&a->profile, a->rec, &options, &err)) {
		fprintf(stderr, "vsamp annotate: %s\n", err.text);
		return EXIT_ERROR;
	}
	ret = find(a);
	if (ret)
		return ret;
	pager_begin();
	ret = a->json ? annotate_json(a) : annotate_print(a);
	if (!ret)
		report_paused("annotate", vsamp_profile_paused(a->profile));
	return ret ? ret : summary_end("annotate", a->rec);
}

int cmd_annotate(int argc, char **argv)
{
	struct annotate a = {
		.filter.command = "annotate",
		.objdump.program = "objdump",
	};
	int ret = parse(&a, argc, argv);

	ret = ret < 0 ? 0 : ret ? ret : annotate(&a);
	vsamp_code_free(a.code);
	vsamp_profile_free(a.profile);
	vsamp_recording_close(a.rec);
	filter_free(&a.filter);
	return ret;
}
