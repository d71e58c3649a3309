// SPDX-License-Identifier: MIT
/* A report as a page */
#include <sys/stat.h>

#include <vsamp.h>
#include <vsamp/export.h>

#include "cmd.h"
#include "place.h"
#include "report.h"
#include "summary.h"

static int put_page(struct report *r, FILE *out)
{
	size_t wanted[VSAMP_EVENTS_MAX];
	struct vsamp_export_options options = {
		.event = wanted,
		.filter = r->filter.samples,
	};
	struct vsamp_error err;

	for (size_t e = 0; e < r->events && r->filter.events; e++)
		if (report_wants(r, e))
			wanted[options.events++] = e;
	if (!vsamp_export(r->rec, "html", &options, out, &err))
		return 0;
	fprintf(stderr, "vsamp report: %s: %s\n", r->html, err.text);
	return EXIT_ERROR;
}

int report_html(struct report *r)
{
	struct place p = { .command = "report", .option = "--html", .path = r->html };
	struct stat there;
	int ret;

	/* What is there already may be a page, and nothing else */
	if (!lstat(r->html, &there) && !S_ISREG(there.st_mode))
		return filter_error(&r->filter, "--html", r->html,
				    "is no regular file: give another name");
	ret = place_open(&p, r->filter.path);
	if (!ret)
		ret = place_close(&p, put_page(r, p.out));
	return ret ? ret : summary_end("report", r->rec);
}
