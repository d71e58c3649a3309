// SPDX-License-Identifier: MIT
/* vsamp export: a recording in the format of another tool */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/export.h>

#include "cmd.h"
#include "filter.h"
#include "place.h"
#include "summary.h"
#include "usage.h"

struct exported {
	const char *output;
	const struct vsamp_export_format *format;
	struct vsamp_recording *rec;
	struct filter filter;
};

static void usage(FILE *out)
{
	const struct vsamp_export_format *format;
	size_t formats = vsamp_export_formats(&format);

	fputs("usage: vsamp export -f FORMAT [OPTIONS] [FILE]\n"
	      "Writes the samples of FILE (" FILE_DEFAULT ") in the format of another tool.\n\n"
	      "  -f, --format FORMAT  one of those below\n"
	      "  -o, --output FILE    where to; without it, standard output\n" FILTER_HELP
	      "      --time A,B       only from A to B, seconds from the begin on; either may be left out\n"
	      "      --time A%-B%     only this part of the recording\n"
	      "  -h, --help           this text\n\n"
	      "Formats:\n",
	      out);
	for (size_t i = 0; i < formats; i++)
		fprintf(out, "  %-10s %s\n", format[i].name, format[i].what);
	fputs("\nEnds with 0, 1 if FILE can't be read or is damaged, 2 for wrong options.\n", out);
}

static int parse_format(struct exported *x, const char *name)
{
	const struct vsamp_export_format *format;
	size_t formats = vsamp_export_formats(&format);

	for (size_t i = 0; i < formats; i++) {
		if (!strcmp(format[i].name, name)) {
			x->format = &format[i];
			return 0;
		}
	}
	return filter_error(&x->filter, "--format", name, "'vsamp export -h' tells the formats");
}

static int parse_rest(struct exported *x, int argc, char **argv)
{
	int ret = filter_file(&x->filter, argc, argv);

	if (ret)
		return ret;
	if (!x->format)
		return filter_error(&x->filter, "--format", "",
				    "say which: 'vsamp export -h' tells the formats");
	if (x->format->seeks && !x->output)
		return filter_error(&x->filter, "--format", x->format->name,
				    "has to go to a file: use -o FILE");
	if (x->format->binary && !x->output && isatty(STDOUT_FILENO))
		return filter_error(&x->filter, "--format", x->format->name,
				    "is nothing for a terminal: use -o FILE");
	return 0;
}

static int parse(struct exported *x, int argc, char **argv)
{
	static const struct option options[] = {
		FILTER_LONG,
		{ "format", required_argument, NULL, 'f' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c, ret;

	optind = 0;
	while ((c = usage_next("export", argc, argv, ":" FILTER_SHORT "f:o:h", options)) != -1) {
		ret = 0;
		switch (c) {
		case 'f':
			ret = parse_format(x, optarg);
			break;
		case 'o':
			x->output = optarg;
			break;
		case 'h':
			usage(stdout);
			return -1;
		default:
			ret = filter_option(&x->filter, c);
		}
		if (ret)
			return ret;
	}
	return parse_rest(x, argc, argv);
}

static int write_to(struct exported *x, FILE *out)
{
	const struct vsamp_recording_event *event;
	size_t events = vsamp_recording_events(x->rec, &event), wanted[VSAMP_EVENTS_MAX];
	struct vsamp_export_options options = {
		.event = wanted,
		.filter = x->filter.samples,
	};
	struct vsamp_error err;

	for (size_t e = 0; e < events && x->filter.events; e++)
		if (filter_wants_event(&x->filter, &event[e]))
			wanted[options.events++] = e;
	if (!vsamp_export(x->rec, x->format->name, &options, out, &err))
		return 0;
	fprintf(stderr, "vsamp export: %s: %s\n", x->output ? x->output : "standard output",
		err.text);
	return EXIT_ERROR;
}

static int write_file(struct exported *x)
{
	struct place p = { .command = "export", .option = "--output", .path = x->output };
	int ret = place_open(&p, x->filter.path);

	return ret ? ret : place_close(&p, write_to(x, p.out));
}

/* Says what there is no place for */
static void say_left(const struct exported *x)
{
	const struct vsamp_chunk *chunk;
	size_t chunks = vsamp_reader_chunks(vsamp_recording_reader(x->rec), &chunk);

	for (size_t i = 0; i < chunks && !x->format->counters; i++) {
		if (chunk[i].type != VSAMP_CHUNK_TRACK)
			continue;
		fprintf(stderr,
			"vsamp export: %s has no counters by time: those of GPUs are left out; html, "
			"firefox and chrome have them\n",
			x->format->name);
		return;
	}
}

static int export_recording(struct exported *x)
{
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&x->rec, x->filter.path, &err)) {
		fprintf(stderr, "vsamp export: %s\n", err.text);
		return EXIT_ERROR;
	}
	ret = filter_settle(&x->filter, x->rec);
	if (!ret)
		ret = x->output ? write_file(x) : write_to(x, stdout);
	if (ret)
		return ret;
	say_left(x);
	return summary_end("export", x->rec);
}

int cmd_export(int argc, char **argv)
{
	struct exported x = { .filter.command = "export" };
	int ret = parse(&x, argc, argv);

	ret = ret < 0 ? 0 : ret ? ret : export_recording(&x);
	vsamp_recording_close(x.rec);
	filter_free(&x.filter);
	return ret;
}
