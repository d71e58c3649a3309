// SPDX-License-Identifier: MIT
/* vsamp report: where the samples of a file fell */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "report.h"
#include "summary.h"
#include "terminal.h"

bool report_wants(const struct report *r, size_t event)
{
	return filter_wants_event(&r->filter, &r->event[event]);
}

void report_paused(const char *command, uint64_t samples)
{
	if (samples)
		fprintf(stderr,
			"vsamp %s: %" PRIu64 " samples are left out: their processes had "
			"paused collection\n",
			command, samples);
}

int report_fail(const struct vsamp_error *err)
{
	fprintf(stderr, "vsamp report: %s\n", err->text);
	return EXIT_ERROR;
}

static int open_profile(struct report *r)
{
	const struct vsamp_profile_options options = {
		.flags = (r->tree || r->children ? VSAMP_PROFILE_CALLERS : 0) |
			 (r->filter.mangled ? VSAMP_PROFILE_MANGLED : 0),
		.by = r->by,
		.slice = r->slice,
		.filter = r->filter.samples,
		.task = r->task,
		.tasks = r->tasks,
	};
	struct vsamp_error err;

	if (options.flags & VSAMP_PROFILE_CALLERS && !vsamp_recording_totals(r->rec)->stacks) {
		fprintf(stderr, "vsamp report: %s: has no call stacks: record with -g\n",
			r->filter.path);
		return EXIT_ERROR;
	}
	if (vsamp_profile_new(&r->profile, r->rec, &options, &err))
		return report_fail(&err);
	return 0;
}

static int report(struct report *r)
{
	struct vsamp_error err;
	int ret;

	if (vsamp_recording_open(&r->rec, r->filter.path, &err))
		return report_fail(&err);
	r->events = vsamp_recording_events(r->rec, &r->event);
	ret = filter_settle(&r->filter, r->rec);
	if (!ret && r->html)
		return report_html(r);
	if (!ret && r->gpu)
		return report_gpu(r);
	if (!ret)
		ret = report_settle(r);
	if (!ret && r->itt)
		return report_itt(r);
	if (!ret)
		ret = open_profile(r);
	if (ret)
		return ret;
	pager_begin();
	ret = r->form == REPORT_JSON ? report_json(r) :
	      r->form == REPORT_CSV  ? report_csv(r) :
				       report_print(r);
	if (ret)
		return ret;
	report_empty(r);
	report_paused("report", vsamp_profile_paused(r->profile));
	return summary_end("report", r->rec);
}

int cmd_report(int argc, char **argv)
{
	struct report r = { .filter.command = "report", .percent_limit = 0.5 };
	int ret = report_parse(&r, argc, argv);

	ret = ret < 0 ? 0 : ret ? ret : report(&r);
	vsamp_profile_free(r.profile);
	vsamp_recording_close(r.rec);
	filter_free(&r.filter);
	return ret;
}
