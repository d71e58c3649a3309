// SPDX-License-Identifier: MIT
/* export_timeline.c: tasks, events, pauses, metadata and counters, for the formats that have them */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "filter.h"

bool export_wants_span(const struct export *x, const struct vsamp_span *span)
{
	const struct vsamp_filter *f = &x->options->filter;
	struct vsamp_filter threads = *f;

	threads.cpus = 0; /* it is of none */
	return filter_wants_record(&threads, 0, span->pid, span->tid) && span->end >= f->from &&
	       (!f->to || span->begin <= f->to);
}

/* A span that is put, and what is told of it */
struct row {
	const struct vsamp_span *span;
	struct export_told told;
	size_t order;
};

struct rows {
	const struct export *x;
	struct row *row;
	size_t count;
	struct vsamp_span *more; /* that the timeline doesn't have as spans */
	size_t mores;
	bool told;
};

static void row_add(struct rows *r, const struct vsamp_span *span,
		    const struct vsamp_itt_attribute *attribute, size_t attributes)
{
	if (!export_wants_span(r->x, span) || (span->tick && span->continued))
		return;
	if (attributes > EXPORT_TOLD_MAX)
		attributes = EXPORT_TOLD_MAX;
	r->row[r->count] = (struct row){ span, { attribute, attributes }, r->count };
	r->count++;
	r->told |= attributes;
}

static void add_spans(struct rows *r, const struct vsamp_itt *itt)
{
	const struct vsamp_itt_attribute *attribute = NULL;
	const struct vsamp_span *span;
	size_t spans = vsamp_itt_spans(itt, &span);
	bool any = vsamp_itt_attributes(itt, &attribute);

	for (size_t i = 0; i < spans; i++) {
		size_t n = any ? vsamp_itt_span_attributes(itt, &span[i], &attribute) : 0;

		row_add(r, &span[i], attribute, n);
	}
}

/* Within the recording */
static void add_pauses(struct rows *r, const struct vsamp_pause *pause, size_t pauses)
{
	uint64_t begin, end;

	vsamp_recording_span(r->x->rec, &begin, &end);
	for (size_t i = 0; i < pauses; i++) {
		struct vsamp_span *span = &r->more[r->mores];

		*span = (struct vsamp_span){
			.kind = EXPORT_PAUSE,
			.pid = pause[i].pid,
			.tid = pause[i].pid,
			.begin = pause[i].begin > begin ? pause[i].begin : begin,
			.end = pause[i].end < end ? pause[i].end : end,
			.name = pause[i].pid ? "paused" : "recording paused",
			.domain = "",
		};
		if (span->end <= span->begin)
			continue;
		span->inclusive = span->exclusive = span->end - span->begin;
		r->mores++;
		row_add(r, span, NULL, 0);
	}
}

static void add_metadata(struct rows *r, const struct vsamp_itt_attribute *a, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct vsamp_span *span = &r->more[r->mores++];

		*span = (struct vsamp_span){
			.kind = EXPORT_METADATA,
			.pid = a[i].pid,
			.tid = a[i].tid,
			.begin = a[i].time,
			.end = a[i].time,
			.tick = true,
			.name = a[i].key,
			.domain = a[i].domain,
		};
		row_add(r, span, &a[i], 1);
	}
}

static int row_order(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->span->pid != y->span->pid)
		return x->span->pid < y->span->pid ? -1 : 1;
	if (x->span->tid != y->span->tid)
		return x->span->tid < y->span->tid ? -1 : 1;
	if (x->span->begin != y->span->begin)
		return x->span->begin < y->span->begin ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* All that is wanted as far as threads and times tell, in its order. -ENOMEM */
static int choose_rows(struct rows *r, const struct vsamp_itt *itt)
{
	const struct vsamp_itt_attribute *attribute;
	const struct vsamp_pause *pause;
	const struct vsamp_span *span;
	size_t spans = vsamp_itt_spans(itt, &span), pauses = vsamp_itt_pause_list(itt, &pause);
	size_t attributes = vsamp_itt_attributes(itt, &attribute);

	/* those of none are last */
	while (attributes && attribute->span) {
		attribute++;
		attributes--;
	}
	r->row = malloc((spans + pauses + attributes + 1) * sizeof(*r->row));
	r->more = malloc((pauses + attributes + 1) * sizeof(*r->more));
	if (!r->row || !r->more)
		return -ENOMEM;
	add_spans(r, itt);
	add_pauses(r, pause, pauses);
	add_metadata(r, attribute, attributes);
	if (r->mores)
		qsort(r->row, r->count, sizeof(*r->row), row_order);
	return 0;
}

/* Apart, as most formats have no use for what is told. -ENOMEM */
static int give_rows(const struct rows *r, struct export_timeline *timeline)
{
	struct vsamp_span *span = malloc((r->count + 1) * sizeof(*span));
	struct export_told *told = r->told ? malloc(r->count * sizeof(*told)) : NULL;

	timeline->span = span;
	timeline->spans = r->count;
	timeline->told = told;
	if (!span || (r->told && !told))
		return -ENOMEM;
	for (size_t i = 0; i < r->count; i++) {
		span[i] = *r->row[i].span;
		if (!*span[i].name) /* as of frames */
			span[i].name = span[i].domain;
		if (told)
			told[i] = r->row[i].told;
	}
	return 0;
}

int export_timeline(const struct export *x,
		    int (*put)(const struct export *x, const struct export_timeline *timeline))
{
	struct export_timeline arrays = { 0 };
	struct vsamp_timeline *timeline;
	struct rows rows = { .x = x };
	int ret = vsamp_timeline_new(&timeline, x->rec, x->err);

	if (ret)
		return ret;
	arrays.from = timeline;
	arrays.tracks = vsamp_timeline_tracks(timeline, &arrays.track);
	ret = choose_rows(&rows, vsamp_timeline_itt(timeline));
	if (!ret)
		ret = give_rows(&rows, &arrays);
	free(rows.row);
	free(rows.more);
	ret = ret ? export_no_memory(x) : put(x, &arrays);
	free((void *)arrays.span);
	free((void *)arrays.told);
	vsamp_timeline_free(timeline);
	return ret;
}

const char *const export_kinds[EXPORT_KINDS] = {
	[VSAMP_SPAN_TASK] = "ITT task",	    [VSAMP_SPAN_OVERLAPPED] = "ITT overlapped task",
	[VSAMP_SPAN_EVENT] = "ITT event",   [VSAMP_SPAN_REGION] = "ITT region",
	[VSAMP_SPAN_FRAME] = "ITT frame",   [VSAMP_SPAN_MARKER] = "ITT marker",
	[VSAMP_SPAN_WAIT] = "ITT wait",	    [EXPORT_PAUSE] = "ITT pause",
	[EXPORT_METADATA] = "ITT metadata",
};

void export_told_text(const struct export_timeline *timeline, size_t span,
		      char text[EXPORT_TOLD_TEXT])
{
	const struct export_told *told = timeline->told ? &timeline->told[span] : NULL;
	size_t size = 0;

	text[0] = 0;
	for (size_t i = 0; told && i < told->attributes; i++) {
		const struct vsamp_itt_attribute *a = &told->attribute[i];

		size += snprintf(text + size, EXPORT_TOLD_TEXT - size, "%s%s: %s%s", i ? ", " : "",
				 a->key, a->value, a->cut ? "..." : "");
		if (size >= EXPORT_TOLD_TEXT) {
			memcpy(text + EXPORT_TOLD_TEXT - 4, "...", 4);
			return;
		}
	}
}

const char *export_own_name(const struct export_timeline *timeline, uint32_t pid, uint32_t tid)
{
	return timeline->from ? vsamp_timeline_thread_name(timeline->from, pid, tid) : NULL;
}

const char *export_thread(const struct export_timeline *timeline, struct threads *threads,
			  uint32_t pid, uint32_t tid)
{
	const char *own = export_own_name(timeline, pid, tid);
	int64_t number = own ? -1 : threads_number(threads, tid, "");

	if (own)
		return own;
	if (number >= 0 && !*threads_name(threads, number))
		number = threads_number(threads, pid, "");
	return number < 0 ? NULL : threads_name(threads, number);
}

void export_ns(FILE *out, int64_t ns, int64_t unit)
{
	uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	int digits = 0;

	for (int64_t i = unit; i > 1; i /= 10)
		digits++;
	fprintf(out, "%s%" PRIu64 ".%0*" PRIu64, ns < 0 ? "-" : "", size / unit, digits,
		size % unit);
}
