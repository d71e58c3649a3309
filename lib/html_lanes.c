// SPDX-License-Identifier: MIT
/* html_lanes.c: tasks and events of threads, and counters, by time, as columns */
#include <inttypes.h>
#include <math.h>

#include "html.h"

#define SPANS_MAX  50000
#define POINTS_MAX 4000 /* of a track: beyond it, of each slice of its time some */
#define SLICE \
	6 /* points of a slice: the first, least, largest, last, the longest hole, what is behind */
#define TRACKS_MAX 500
#define FIRST_MAX  8 /* of a group, which are seen at once: others are folded */

struct spans {
	struct html *h;
	const struct export_timeline *timeline;
	const struct vsamp_span *span; /* the timeline's */
	size_t count;
	double *length;
	double limit;
};

static bool shown(const struct spans *s, size_t i)
{
	return s->length[i] > s->limit;
}

/* ns since the begin, which a program's may be before */
static int64_t since(const struct html *h, uint64_t time)
{
	return (int64_t)(time - h->begin);
}

static uint32_t thread_name(const struct spans *s, const struct vsamp_span *span)
{
	const char *name = export_thread(s->timeline, &s->h->threads, span->pid, span->tid);

	s->h->no_memory |= !name;
	return html_string(s->h, name ? name : "");
}

/* Each thread once: they follow each other */
static void put_threads(struct spans *s)
{
	FILE *out = s->h->out;

	fputs(",\n\"threads\":[", out);
	for (size_t i = 0; i < s->count; i++) {
		const struct vsamp_span *at = &s->span[i];

		if (i && at->pid == at[-1].pid && at->tid == at[-1].tid)
			continue;
		fprintf(out, "%s[%" PRIu32 ",%" PRIu32 ",%" PRIu32 "]", i ? "," : "", at->pid,
			at->tid, thread_name(s, at));
	}
	putc(']', out);
}

/* A column: what @get tells of a span and the number of its thread */
static void put_column(const struct spans *s, const char *name,
		       int64_t (*get)(struct html *h, const struct vsamp_span *at, size_t thread))
{
	const char *comma = "";
	size_t thread = 0;

	fprintf(s->h->out, "\"%s\":[", name);
	for (size_t i = 0; i < s->count; i++) {
		const struct vsamp_span *at = &s->span[i];

		thread += i && (at->pid != at[-1].pid || at->tid != at[-1].tid);
		if (!shown(s, i))
			continue;
		fprintf(s->h->out, "%s%" PRId64, comma, get(s->h, at, thread));
		comma = ",";
	}
	fputs("],\n", s->h->out);
}

static int64_t span_thread(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return thread;
}

static int64_t span_kind(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->kind;
}

static int64_t span_begin(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return since(h, s->begin);
}

/* -1: a tick mark */
static int64_t span_length(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->tick ? -1 : s->end > s->begin ? (int64_t)(s->end - s->begin) : 0;
}

static int64_t span_inclusive(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->inclusive;
}

static int64_t span_own(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->exclusive;
}

static int64_t span_depth(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->depth;
}

static int64_t span_cut(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return s->cut;
}

static int64_t span_name(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return html_string(h, s->name);
}

static int64_t span_domain(struct html *h, const struct vsamp_span *s, size_t thread)
{
	return html_string(h, s->domain);
}

/* Metadata as text, by number of a string; nothing where there is none at all */
static void put_told(const struct spans *s)
{
	const char *comma = "";
	char text[EXPORT_TOLD_TEXT];

	fputs("\"told\":[", s->h->out);
	for (size_t i = 0; s->timeline->told && i < s->count; i++) {
		if (!shown(s, i))
			continue;
		export_told_text(s->timeline, i, text);
		fprintf(s->h->out, "%s%" PRIu32, comma, html_string(s->h, text));
		comma = ",";
	}
	fputs("],\n", s->h->out);
}

void html_put_spans(struct html *h, const struct export_timeline *timeline)
{
	struct spans s = { h, timeline, timeline->span, timeline->spans, NULL, 0 };
	size_t left = 0;

	s.length = calloc(s.count + 1, sizeof(*s.length));
	if (!s.length) {
		h->no_memory = true;
		return;
	}
	for (size_t i = 0; i < s.count; i++)
		s.length[i] = span_length(h, &s.span[i], 0) + 1;
	s.limit = html_limit(h, s.length, s.count, SPANS_MAX);
	for (size_t i = 0; i < s.count; i++)
		left += !shown(&s, i);
	put_threads(&s);
	fputs(",\n\"spans\":{", h->out);
	put_column(&s, "thread", span_thread);
	put_column(&s, "kind", span_kind);
	put_column(&s, "begin", span_begin);
	put_column(&s, "length", span_length);
	put_column(&s, "inclusive", span_inclusive);
	put_column(&s, "own", span_own);
	put_column(&s, "depth", span_depth);
	put_column(&s, "cut", span_cut);
	put_column(&s, "name", span_name);
	put_column(&s, "domain", span_domain);
	put_told(&s);
	fprintf(h->out, "\"left\":%zu}", left);
	free(s.length);
}

static uint64_t length_of(const struct vsamp_track *t, size_t i)
{
	return i + 1 < t->points ? t->point[i + 1].time - t->point[i].time : UINT64_MAX;
}

/* Points are chosen by number: all, or of each slice those that a drawing of it needs */
static size_t choose_points(const struct vsamp_track *t, size_t begin, size_t end,
			    size_t chosen[SLICE])
{
	size_t least = end, most = end, hole = end, n = 0;

	for (size_t i = begin; i < end; i++) {
		double value = t->point[i].value;

		if (isnan(value)) {
			if (hole == end || length_of(t, i) > length_of(t, hole))
				hole = i;
			continue;
		}
		if (least == end || value < t->point[least].value)
			least = i;
		if (most == end || value > t->point[most].value)
			most = i;
	}
	for (size_t i = begin; i < end; i++)
		if (i == begin || i == least || i == most || i == hole || i == hole + 1 ||
		    i == end - 1)
			chosen[n++] = i;
	return n;
}

static void put_points(struct html *h, const struct vsamp_track *t, bool times)
{
	size_t slice = t->points > POINTS_MAX ? t->points * SLICE / POINTS_MAX + 1 : 1;
	size_t chosen[SLICE];
	const char *comma = "";

	for (size_t i = 0; i < t->points; i += slice) {
		size_t end = i + slice < t->points ? i + slice : t->points;
		size_t n = choose_points(t, i, end, chosen);

		for (size_t j = 0; j < n; j++, comma = ",") {
			const struct vsamp_track_point *p = &t->point[chosen[j]];

			if (times)
				fprintf(h->out, "%s%" PRId64, comma, since(h, p->time));
			else if (isnan(p->value))
				fprintf(h->out, "%snull", comma);
			else
				fprintf(h->out, "%s%.9g", comma, p->value);
		}
	}
}

/* Group by group; one more than there is room for isn't worth a fold */
static void choose_tracks(const struct vsamp_track *track, size_t tracks, bool *first)
{
	size_t next;

	for (size_t i = 0; i < tracks; i = next) {
		size_t room = FIRST_MAX;

		for (next = i + 1; next < tracks && !strcmp(track[next].group, track[i].group);)
			next++;
		if (next - i == room + 1)
			room++;
		vsamp_tracks_choose(&track[i], next - i, room, &first[i]);
	}
}

void html_put_tracks(struct html *h, const struct export_timeline *timeline)
{
	size_t n = timeline->tracks < TRACKS_MAX ? timeline->tracks : TRACKS_MAX;
	bool first[TRACKS_MAX];

	choose_tracks(timeline->track, n, first);
	fputs(",\n\"tracks\":[", h->out);
	for (size_t i = 0; i < n; i++) {
		const struct vsamp_track *t = &timeline->track[i];

		fprintf(h->out, "%s{\"pid\":%" PRIu32 ",\"first\":%s,\"thinned\":%s,\"group\":",
			i ? ",\n" : "", t->pid, first[i] ? "true" : "false",
			t->points > POINTS_MAX ? "true" : "false");
		export_json(h->out, t->group);
		fputs(",\"name\":", h->out);
		export_json(h->out, t->name);
		fputs(",\"unit\":", h->out);
		export_json(h->out, t->unit);
		fputs(",\"time\":[", h->out);
		put_points(h, t, true);
		fputs("],\"value\":[", h->out);
		put_points(h, t, false);
		fputs("]}", h->out);
	}
	fprintf(h->out, "],\"tracks_left\":%zu", timeline->tracks - n);
}
