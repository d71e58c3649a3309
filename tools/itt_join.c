// SPDX-License-Identifier: MIT
/* vsamp itt join: what programs left, as a recording */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/itt_alone.h>

#include "cmd.h"
#include "itt.h"
#include "output.h"
#include "say.h"
#include "spooling.h"
#include "usage.h"

struct join {
	const char *from, *to;
	char **argv; /* with "vsamp" in front */
	struct output output;
	struct vsamp_itt_totals totals;
};

/* -1: go on; else the exit code */
static int join_parse(struct join *j, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	optind = 0;
	while ((c = usage_next("itt join", argc, argv, ":o:h", options)) != -1) {
		switch (c) {
		case 'o':
			j->to = optarg;
			break;
		case 'h':
			itt_help();
			return 0;
		default:
			return EXIT_USAGE;
		}
	}
	j->from = argv[optind];
	if (!j->from)
		return itt_usage("join", "of which folder?");
	if (optind + 1 < argc)
		return usage_wrong("itt join", argv[optind + 1], "one folder at a time");
	return *j->to ? -1 : itt_usage("join", "-o: '' is no file");
}

static int join_write(struct join *j, int clock, struct vsamp_error *err)
{
	int ret = output_open(&j->output, j->to, err);

	if (!ret)
		ret = vsamp_itt_alone_write(j->output.writer, j->from, clock, j->argv, &j->totals,
					    err);
	if (!ret)
		ret = output_keep(&j->output, err);
	return ret ? (output_close(&j->output, NULL), ret) : output_close(&j->output, err);
}

int itt_join(int argc, char **argv)
{
	struct join j = { .to = FILE_DEFAULT, .argv = argv - 2 };
	struct vsamp_error err = { 0 };
	int ret = join_parse(&j, argc, argv);

	if (ret >= 0)
		return ret;
	ret = join_write(&j, VSAMP_CLOCK_MONOTONIC_RAW, &err);
	if (ret == -ENODATA && j.totals.clocks)
		ret = join_write(&j, VSAMP_CLOCK_MONOTONIC, &err);
	if (ret) {
		say("itt join: %s", err.text);
		return EXIT_ERROR;
	}
	spooling_say(&j.totals);
	say("%s: %" PRIu64 " records of %u threads in %u processes", j.to, j.totals.records,
	    j.totals.files, j.totals.processes);
	return 0;
}
