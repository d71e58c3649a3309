// SPDX-License-Identifier: MIT
/* A report as a page. It gets its name when it is whole, so that no half of one is left or seen. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp.h>
#include <vsamp/export.h>

#include "cmd.h"
#include "report.h"
#include "summary.h"

static int fail(const struct report *r, int error)
{
	fprintf(stderr, "vsamp report: %s: can't be written: %s\n", r->html, strerror(error));
	return EXIT_ERROR;
}

/* What is there already may be a page, and nothing else */
static int check_place(const struct report *r)
{
	struct stat there, recording;

	if (lstat(r->html, &there))
		return 0;
	if (!S_ISREG(there.st_mode))
		return filter_error(&r->filter, "--html", r->html,
				    "is no regular file: give another name");
	if (!stat(r->filter.path, &recording) && there.st_dev == recording.st_dev &&
	    there.st_ino == recording.st_ino)
		return filter_error(&r->filter, "--html", r->html,
				    "is what is read: give another name");
	return 0;
}

/* A new file beside the page, readable as a new file is; NULL: failed, and said */
static FILE *open_new(const struct report *r, char *path)
{
	mode_t mask = umask(0);
	int fd = mkostemp(path, O_CLOEXEC);
	FILE *out = NULL;

	umask(mask);
	if (fd >= 0 && !fchmod(fd, 0666 & ~mask))
		out = fdopen(fd, "w");
	if (out)
		return out;
	fail(r, errno);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return NULL;
}

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
	fprintf(stderr, "vsamp report: %s\n", err.text);
	return EXIT_ERROR;
}

int report_html(struct report *r)
{
	char *path;
	FILE *out;
	int ret = check_place(r);

	if (ret)
		return ret;
	if (asprintf(&path, "%s.XXXXXX", r->html) < 0)
		return fail(r, ENOMEM);
	out = open_new(r, path);
	if (!out) {
		free(path);
		return EXIT_ERROR;
	}
	ret = put_page(r, out);
	if (fclose(out) && !ret)
		ret = fail(r, errno);
	if (!ret && rename(path, r->html))
		ret = fail(r, errno);
	if (ret)
		unlink(path);
	free(path);
	return ret ? ret : summary_end("report", r->rec);
}
