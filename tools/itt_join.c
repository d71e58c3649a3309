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

struct join {
	const char *from, *to;
	char **argv; /* with "vsamp" in front */
	struct output output;
	struct vsamp_itt_totals totals;
};

static int join_parse(struct join *j, char **argv)
{
	while (*++argv) {
		const char *arg = *argv;

		if (!strncmp(arg, "--output=", 9)) {
			j->to = arg + 9;
		} else if (!strcmp(arg, "-o") || !strcmp(arg, "--output")) {
			j->to = *++argv;
			if (!j->to)
				return itt_usage("join", "%s needs a value: %s FILE", arg, arg);
		} else if (*arg == '-' && arg[1]) {
			return itt_usage("join", "there is no option %s", arg);
		} else if (j->from) {
			return itt_usage("join", "'%s': one folder at a time", arg);
		} else {
			j->from = arg;
		}
	}
	if (!j->from)
		return itt_usage("join", "of which folder?");
	return *j->to ? 0 : itt_usage("join", "-o: '' is no file");
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
	int code, ret;

	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		itt_help();
		return 0;
	}
	code = join_parse(&j, argv);
	if (code)
		return code;
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
