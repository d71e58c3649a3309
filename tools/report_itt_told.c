// SPDX-License-Identifier: MIT
/* report --itt: what programs told beside tasks: metadata, relations, histograms, and other calls */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

#include "escape.h"
#include "report_itt.h"
#include "summary.h"
#include "terminal.h"

#define LIST_MAX 100000 /* of a list of JSON */

static const struct vsamp_itt *itt_of(const struct report_itt *t)
{
	return vsamp_timeline_itt(t->timeline);
}

bool report_itt_told(const struct report_itt *t)
{
	const struct vsamp_itt_distribution *d;
	const struct vsamp_itt_attribute *a;
	const struct vsamp_itt_related *r;
	const struct vsamp_track *track;

	return vsamp_itt_distributions(itt_of(t), &d) || vsamp_itt_counters(itt_of(t), &track) ||
	       vsamp_itt_attributes(itt_of(t), &a) || vsamp_itt_relations(itt_of(t), &r);
}

static void print_histograms(const struct report_itt *t)
{
	const struct vsamp_itt_distribution *d;
	size_t n = vsamp_itt_distributions(itt_of(t), &d);

	if (!n)
		return;
	printf("\n%shistograms%s\n%9s%10s%14s%14s%14s  name\n", colour_heading(), colour_end(),
	       "calls", "points", "least x", "largest x", "total y");
	for (size_t i = 0; i < n && (!t->r->rows_max || i < t->r->rows_max); i++) {
		size_t last = d[i].buckets - 1;

		printf("%9" PRIu64 "%10" PRIu64, d[i].submits, d[i].points);
		if (d[i].buckets)
			printf("%14.6g%14.6g%14.6g  ", d[i].bucket[0].x, d[i].bucket[last].x,
			       d[i].total);
		else
			printf("%14s%14s%14s  ", "-", "-", "-");
		escape_print(stdout, *d[i].name ? d[i].name : "-", 0);
		fputs(" (", stdout);
		escape_print(stdout, d[i].domain, 0);
		fputs(")\n", stdout);
	}
}

/* What a counter was; it has a value at least */
struct range {
	double least, largest, last;
};

static struct range range_of(const struct vsamp_track *t)
{
	struct range r = { t->point[0].value, t->point[0].value, t->point[t->points - 1].value };

	for (size_t i = 1; i < t->points; i++) {
		r.least = t->point[i].value < r.least ? t->point[i].value : r.least;
		r.largest = t->point[i].value > r.largest ? t->point[i].value : r.largest;
	}
	return r;
}

static void print_counters(const struct report_itt *t)
{
	const struct vsamp_track *track;
	size_t n = vsamp_itt_counters(itt_of(t), &track), rows = 0;

	for (size_t i = 0; i < n && (!t->r->rows_max || rows < t->r->rows_max); i++) {
		struct range r;

		if (!track[i].points)
			continue;
		if (!rows++)
			printf("\n%scounters%s\n%9s%14s%14s%14s  name\n", colour_heading(),
			       colour_end(), "values", "least", "largest", "last");
		r = range_of(&track[i]);
		printf("%9zu%14.6g%14.6g%14.6g  ", track[i].points, r.least, r.largest, r.last);
		escape_print(stdout, track[i].name, 0);
		fputs(" (", stdout);
		escape_print(stdout, track[i].group, 0);
		printf(", process %" PRIu32 ")\n", track[i].pid);
	}
}

/* Calls that have no rows, by what they are called */
struct kind_of_call {
	const char *name;
	uint64_t count;
};

#define KINDS_OF_CALLS 8

static void count_calls(const struct report_itt *t, struct kind_of_call calls[KINDS_OF_CALLS])
{
	const struct vsamp_itt_counts *c = vsamp_itt_counts(itt_of(t));
	const struct kind_of_call all[KINDS_OF_CALLS] = {
		{ "metadata", c->metadata },	 { "relations", c->relations },
		{ "histograms", c->histograms }, { "synchronization", c->syncs },
		{ "stitching", c->stitches },	 { "paused_events", c->paused },
		{ "waits_again", c->prepared },	 { "others", c->others },
	};

	for (int i = 0; i < KINDS_OF_CALLS; i++)
		calls[i] = all[i];
}

void report_itt_print_told(const struct report_itt *t)
{
	struct kind_of_call calls[KINDS_OF_CALLS];
	const char *before = "\ncalls that tell of no span of their own: ";

	print_counters(t);
	print_histograms(t);
	count_calls(t, calls);
	for (int i = 0; i < KINDS_OF_CALLS; i++) {
		if (!calls[i].count)
			continue;
		printf("%s%s %" PRIu64, before, calls[i].name, calls[i].count);
		before = ", ";
	}
	if (*before == ',')
		putchar('\n');
}

/* From the recording's begin on, which what programs say may be before */
static struct json_object *json_time(const struct report_itt *t, uint64_t time)
{
	uint64_t begin, end;

	vsamp_recording_span(t->r->rec, &begin, &end);
	return json_object_new_int64((int64_t)(time - begin));
}

/* What it is of; null: nothing */
static struct json_object *json_span(const struct report_itt *t, const struct vsamp_span *span)
{
	struct json_object *o;

	if (!span)
		return NULL;
	o = json_object_new_object();
	json_object_object_add(o, "kind", json_object_new_string(report_itt_kind_name(span->kind)));
	json_object_object_add(o, "name", json_object_new_string(span->name));
	json_object_object_add(o, "domain", json_object_new_string(span->domain));
	json_object_object_add(o, "pid", json_object_new_uint64(span->pid));
	json_object_object_add(o, "tid", json_object_new_uint64(span->tid));
	json_object_object_add(o, "time_ns", json_time(t, span->begin));
	return o;
}

static struct json_object *json_call(const struct report_itt *t, uint32_t pid, uint32_t tid,
				     uint64_t time)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "pid", json_object_new_uint64(pid));
	json_object_object_add(o, "tid", json_object_new_uint64(tid));
	json_object_object_add(o, "time_ns", json_time(t, time));
	return o;
}

/* A text, or numbers, which are told as JSON has them but for what is around them */
static struct json_object *json_value(const struct vsamp_itt_attribute *a)
{
	char list[VSAMP_ITT_VALUE_MAX + 3];

	if (a->text)
		return json_object_new_string(a->value);
	snprintf(list, sizeof(list), "[%s]", a->value);
	return json_tokener_parse(list);
}

static void json_metadata(const struct report_itt *t, struct json_object *root)
{
	struct json_object *rows = json_object_new_array();
	const struct vsamp_itt_attribute *a;
	size_t n = vsamp_itt_attributes(itt_of(t), &a), told = n < LIST_MAX ? n : LIST_MAX;

	for (size_t i = 0; i < told; i++) {
		struct json_object *o = json_call(t, a[i].pid, a[i].tid, a[i].time);

		json_object_object_add(o, "span", json_span(t, a[i].span));
		json_object_object_add(o, "domain", json_object_new_string(a[i].domain));
		json_object_object_add(o, "key", json_object_new_string(a[i].key));
		json_object_object_add(o, "value", json_value(&a[i]));
		json_object_object_add(o, "cut", json_object_new_boolean(a[i].cut));
		json_object_array_add(rows, o);
	}
	json_object_object_add(root, "metadata", rows);
	json_object_object_add(root, "metadata_left", json_object_new_uint64(n - told));
}

static struct json_object *json_end(const struct report_itt *t, const struct vsamp_itt_id *id,
				    const struct vsamp_span *span)
{
	struct json_object *o = json_object_new_object();
	char text[64];

	snprintf(text, sizeof(text), "%" PRIx64 ":%" PRIx64 ":%" PRIx64, id->d[0], id->d[1],
		 id->d[2]);
	json_object_object_add(o, "id", json_object_new_string(text));
	json_object_object_add(o, "span", json_span(t, span));
	return o;
}

static void json_relations(const struct report_itt *t, struct json_object *root)
{
	struct json_object *rows = json_object_new_array();
	const struct vsamp_itt_related *r;
	size_t n = vsamp_itt_relations(itt_of(t), &r), told = n < LIST_MAX ? n : LIST_MAX;

	for (size_t i = 0; i < told; i++) {
		struct json_object *o = json_call(t, r[i].pid, r[i].tid, r[i].time);
		const char *name = vsamp_itt_relation_name(r[i].relation);

		json_object_object_add(o, "head", json_end(t, &r[i].head_id, r[i].head));
		json_object_object_add(o, "relation", json_object_new_string(name));
		json_object_object_add(o, "tail", json_end(t, &r[i].tail_id, r[i].tail));
		json_object_array_add(rows, o);
	}
	json_object_object_add(root, "relations", rows);
	json_object_object_add(root, "relations_left", json_object_new_uint64(n - told));
}

static struct json_object *json_histogram(const struct vsamp_itt_distribution *d)
{
	struct json_object *o = json_object_new_object(), *buckets = json_object_new_array();

	json_object_object_add(o, "name", json_object_new_string(d->name));
	json_object_object_add(o, "domain", json_object_new_string(d->domain));
	json_object_object_add(o, "calls", json_object_new_uint64(d->submits));
	json_object_object_add(o, "points", json_object_new_uint64(d->points));
	json_object_object_add(o, "points_left", json_object_new_uint64(d->left));
	json_object_object_add(o, "total", summary_json_real(d->total));
	for (size_t i = 0; i < d->buckets; i++) {
		struct json_object *bucket = json_object_new_object();

		json_object_object_add(bucket, "x", summary_json_real(d->bucket[i].x));
		json_object_object_add(bucket, "y", summary_json_real(d->bucket[i].y));
		json_object_array_add(buckets, bucket);
	}
	json_object_object_add(o, "buckets", buckets);
	return o;
}

static void json_counters(const struct report_itt *t, struct json_object *root)
{
	struct json_object *rows = json_object_new_array();
	const struct vsamp_track *track;
	size_t n = vsamp_itt_counters(itt_of(t), &track);

	for (size_t i = 0; i < n; i++) {
		struct json_object *o = json_object_new_object();
		struct range r = { NAN, NAN, NAN };

		if (track[i].points)
			r = range_of(&track[i]);
		json_object_object_add(o, "name", json_object_new_string(track[i].name));
		json_object_object_add(o, "domain", json_object_new_string(track[i].group));
		json_object_object_add(o, "unit", json_object_new_string(track[i].unit));
		json_object_object_add(o, "pid", json_object_new_uint64(track[i].pid));
		json_object_object_add(o, "values", json_object_new_uint64(track[i].points));
		json_object_object_add(o, "min", summary_json_real(r.least));
		json_object_object_add(o, "max", summary_json_real(r.largest));
		json_object_object_add(o, "last", summary_json_real(r.last));
		json_object_array_add(rows, o);
	}
	json_object_object_add(root, "counters", rows);
}

void report_itt_json_told(const struct report_itt *t, struct json_object *root)
{
	struct json_object *counts = json_object_new_object(), *rows = json_object_new_array();
	struct kind_of_call calls[KINDS_OF_CALLS];
	const struct vsamp_itt_distribution *d;
	size_t n = vsamp_itt_distributions(itt_of(t), &d);

	count_calls(t, calls);
	for (int i = 0; i < KINDS_OF_CALLS; i++)
		json_object_object_add(counts, calls[i].name,
				       json_object_new_uint64(calls[i].count));
	for (size_t i = 0; i < n; i++)
		json_object_array_add(rows, json_histogram(&d[i]));
	json_object_object_add(root, "calls", counts);
	json_object_object_add(root, "histograms", rows);
	json_counters(t, root);
	json_metadata(t, root);
	json_relations(t, root);
}
