// SPDX-License-Identifier: MIT
/*
 * A page of its own, which needs no network: the files of lib/html/, and the recording as JSON, whose
 * strings are told once and referred to by number. What is too much for a page is summed up. Times
 * are ns since the first record.
 */
#include <errno.h>

#include "html.h"

uint32_t html_string(struct html *h, const char *s)
{
	int64_t number = intern_string(&h->strings, s);

	h->no_memory |= number < 0;
	return number < 0 ? 0 : number;
}

static int larger_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x < y) - (x > y);
}

double html_limit(struct html *h, const double *value, size_t n, size_t room)
{
	double *sorted, limit;

	if (n <= room)
		return -1;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted) {
		h->no_memory = true;
		return -1;
	}
	memcpy(sorted, value, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), larger_first);
	limit = sorted[room];
	free(sorted);
	return limit;
}

double html_share(const struct html *h, const uint64_t *samples, const double *events)
{
	double share = 0;

	for (size_t i = 0; i < h->x->events; i++) {
		size_t e = h->x->event[i];
		double part = samples[e] ? events[e] / h->x->rec->event[e].estimated : 0;

		share = part > share ? part : share;
	}
	return share;
}

static void put_strings(struct html *h)
{
	fputs(",\n\"strings\":[", h->out);
	for (uint32_t i = 0; i < h->strings.count; i++) {
		fputs(i ? "," : "", h->out);
		export_json(h->out, intern_key(&h->strings, i));
	}
	fputs("]\n}\n", h->out);
}

static int put_data(struct html *h, const struct export_timeline *timeline)
{
	struct vsamp_profile *profile;
	int ret = export_profile(h->x, 0, &profile);

	if (ret)
		return ret;
	html_put_summary(h);
	ret = html_put_rows(h, profile);
	if (!ret) {
		html_put_flame(h, profile);
		ret = html_put_bins(h);
	}
	vsamp_profile_free(profile);
	if (ret)
		return ret;
	html_put_spans(h, timeline);
	html_put_tracks(h, timeline);
	put_strings(h);
	return h->no_memory ? export_no_memory(h->x) : 0;
}

/* The page up to a mark, @what, whose place is taken by something else; what comes behind it */
static const char *put_until(FILE *out, const char *page, const char *what)
{
	const char *mark = strstr(page, what);

	fwrite(page, 1, mark - page, out);
	return mark + strlen(what);
}

int html_put(const struct export *x, const struct export_timeline *timeline)
{
	struct html h = {
		.x = x,
		.out = x->out,
	};
	const char *page;
	int ret;

	vsamp_recording_span(x->rec, &h.begin, &h.end);
	page = put_until(x->out, html_page, "@style@");
	fputs(html_style, x->out);
	page = put_until(x->out, page, "@data@");
	ret = put_data(&h, timeline);
	page = put_until(x->out, page, "@script@");
	fputs(html_script, x->out);
	fputs(page, x->out);
	intern_free(&h.strings);
	threads_free(&h.threads);
	return ret;
}

int export_html(const struct export *x)
{
	return export_timeline(x, html_put);
}
