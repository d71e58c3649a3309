// SPDX-License-Identifier: MIT
/* report --itt --json */
#include <json-c/json.h>
#include <stdlib.h>

#include "report_itt.h"
#include "summary.h"

static struct json_object *json_durations(const struct vsamp_itt_durations *d)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "total_ns", json_object_new_uint64(d->total));
	json_object_object_add(o, "min_ns", json_object_new_uint64(d->min));
	json_object_object_add(o, "average_ns", summary_json_real(d->average));
	json_object_object_add(o, "p50_ns", json_object_new_uint64(d->p50));
	json_object_object_add(o, "p90_ns", json_object_new_uint64(d->p90));
	json_object_object_add(o, "p99_ns", json_object_new_uint64(d->p99));
	json_object_object_add(o, "max_ns", json_object_new_uint64(d->max));
	return o;
}

/* What is in a row of samples, or what is its own, in the same form as durations */
static void json_samples(const struct report_itt *t, size_t row, bool exclusive,
			 struct json_object *o)
{
	struct json_object *samples = json_object_new_array(), *events = json_object_new_array();
	struct json_object *ratios = json_object_new_array();
	double *sum = calloc(t->r->events, sizeof(*sum));

	for (size_t e = 0; sum && e < t->r->events; e++) {
		const struct vsamp_itt_share *share = &t->share[row * t->r->events + e];

		if (!report_wants(t->r, e))
			continue;
		json_object_array_add(samples,
				      json_object_new_uint64(exclusive ? share->exclusive_samples :
									 share->samples));
		json_object_array_add(
			events,
			summary_json_real(exclusive ? share->exclusive_events : share->events));
	}
	if (sum)
		report_itt_events(t, row, exclusive, sum);
	for (size_t i = 0; sum && i < t->r->ratios; i++)
		json_object_array_add(ratios,
				      summary_json_real(vsamp_ratio_value(&t->r->ratio[i], sum)));
	free(sum);
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "events", events);
	json_object_object_add(o, "ratios", ratios);
}

static struct json_object *json_row(const struct report_itt *t, size_t row)
{
	const struct vsamp_itt_stat *s = &t->stat[row];
	struct json_object *o = json_object_new_object(), *part;

	json_object_object_add(o, "kind", json_object_new_string(report_itt_kind_name(s->kind)));
	json_object_object_add(o, "name", json_object_new_string(s->name));
	json_object_object_add(o, "domain", json_object_new_string(s->domain));
	json_object_object_add(o, "count", json_object_new_uint64(s->count));
	json_object_object_add(o, "ticks", json_object_new_uint64(s->ticks));
	json_object_object_add(o, "cut", json_object_new_uint64(s->cut));
	part = json_durations(&s->inclusive);
	json_samples(t, row, false, part);
	json_object_object_add(o, "inclusive", part);
	part = json_durations(&s->exclusive);
	json_samples(t, row, true, part);
	json_object_object_add(o, "exclusive", part);
	return o;
}

void report_itt_json(const struct report_itt *t)
{
	struct json_object *root = json_object_new_object(), *events = json_object_new_array();
	struct json_object *rows = json_object_new_array(), *ratios = json_object_new_array();
	struct json_object *texts = json_object_new_array();
	const char *const *text;
	size_t n = vsamp_itt_diagnoses(vsamp_timeline_itt(t->timeline), &text);

	summary_json(t->r->rec, t->r->filter.path, root);
	for (size_t e = 0; e < t->r->events; e++)
		if (report_wants(t->r, e))
			json_object_array_add(events, summary_json_event(&t->r->event[e]));
	for (size_t i = 0; i < t->r->ratios; i++)
		json_object_array_add(ratios, json_object_new_string(t->r->ratio[i].name));
	for (size_t i = 0; i < n; i++)
		json_object_array_add(texts, json_object_new_string(text[i]));
	for (size_t row = 0; row < t->rows; row++)
		json_object_array_add(rows, json_row(t, row));
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "samples_paused", json_object_new_uint64(t->paused));
	json_object_object_add(root, "ratios", ratios);
	json_object_object_add(root, "itt_diagnoses", texts);
	json_object_object_add(root, "rows", rows);
	report_itt_json_told(t, root);
	summary_put(root);
	json_object_put(root);
}
