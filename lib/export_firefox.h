/* SPDX-License-Identifier: MIT */
/* export_firefox.h: markers and counters of the Firefox Profiler's profiles */
#ifndef EXPORT_FIREFOX_H
#define EXPORT_FIREFOX_H

#include "export.h"

/* Of a thread */
struct firefox_markers {
	struct intern names;
	struct buf spans; /* size_t, of the timeline */
	const struct export_timeline *timeline;
};

/* -ENOMEM */
int firefox_markers_add(struct firefox_markers *m, const struct export_timeline *timeline,
			size_t span);
void firefox_markers_free(struct firefox_markers *m);

/* The table of a thread's markers, whose names are strings from number @first on; @begin: ns */
void firefox_put_markers(FILE *out, struct firefox_markers *m, size_t first, uint64_t begin);

/* What viewers show of markers of a kind */
void firefox_put_schemas(FILE *out);

/* A counter, with the thread of number @thread, which is of the process @pid: viewers want one */
void firefox_put_counter(FILE *out, const struct vsamp_track *track, size_t thread, uint32_t pid,
			 uint64_t begin);

#endif
