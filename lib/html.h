/* SPDX-License-Identifier: MIT */
/* html.h: the page of a recording: what its parts share */
#ifndef HTML_H
#define HTML_H

#include "export.h"

/* The files of lib/html/, each ending with a zero */
extern const char html_page[], html_style[], html_script[];

struct html {
	const struct export *x;
	FILE *out;
	uint64_t begin, end; /* ns: the first and the last record */
	struct intern strings;
	struct threads threads; /* the names that they had last */
	bool no_memory;		/* sticks: what was put since is wrong */
};

/* The page, with tasks, events and counters that are given; as vsamp_export() */
int html_put(const struct export *x, const struct export_timeline *timeline);

/* The number of a string in the page */
uint32_t html_string(struct html *h, const char *s);

/*
 * A value that at most @room of @value are above: those above it are shown, others are told together.
 * Where there is room for all it is below any.
 */
double html_limit(struct html *h, const double *value, size_t n, size_t room);

/* The largest part of an event that these counts are, of those wanted: 0 to 1 */
double html_share(const struct html *h, const uint64_t *samples, const double *events);

/* Each puts one member of the page's data, or several; 0 or an error */
void html_put_summary(struct html *h);
int html_put_bins(struct html *h);
int html_put_rows(struct html *h, struct vsamp_profile *profile);
void html_put_flame(struct html *h, struct vsamp_profile *profile);
void html_put_spans(struct html *h, const struct export_timeline *timeline);
void html_put_tracks(struct html *h, const struct export_timeline *timeline);

#endif
