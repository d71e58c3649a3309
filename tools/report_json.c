// SPDX-License-Identifier: MIT
/* A report as JSON (docs/json.md) */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "summary.h"

static struct json_object *json_samples(const struct report *r, const uint64_t *samples)
{
	struct json_object *list = json_object_new_array();

	for (size_t e = 0; e < r->events; e++)
		if (report_wants(r, e))
			json_object_array_add(list, json_object_new_uint64(samples[e]));
	return list;
}

static struct json_object *json_events(const struct report *r, const double *events)
{
	struct json_object *list = json_object_new_array();

	for (size_t e = 0; e < r->events; e++)
		if (report_wants(r, e))
			json_object_array_add(list, summary_json_real(events[e]));
	return list;
}

static void put_number(void *arg, const char *name, uint64_t value, bool known)
{
	json_object_object_add(arg, name, known ? json_object_new_uint64(value) : NULL);
}

static void put_text(void *arg, const char *name, const char *value)
{
	json_object_object_add(arg, name, value ? json_object_new_string(value) : NULL);
}

static struct json_object *json_row(const struct report *r, const struct vsamp_profile_row *row,
				    unsigned int by)
{
	struct json_object *o = json_object_new_object();
	const struct report_sink sink = { put_number, put_text, o };

	report_fields(r, row, by, &sink);
	if (by == VSAMP_BY_MODULE) {
		put_text(o, "build_id", row->build_id);
		put_text(o, "note", row->note);
	}
	json_object_object_add(o, "samples", json_samples(r, row->samples));
	json_object_object_add(o, "events", json_events(r, row->events));
	if (!row->total_samples)
		return o;
	json_object_object_add(o, "total_samples", json_samples(r, row->total_samples));
	json_object_object_add(o, "total_events", json_events(r, row->total_events));
	return o;
}

static struct json_object *json_ratios(const struct report *r, const struct vsamp_profile_row *row)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->ratios; i++)
		json_object_array_add(
			list, summary_json_real(vsamp_ratio_value(&r->ratio[i], row->events)));
	return list;
}

static void put_event(struct json_object *o, const char *name,
		      const struct vsamp_recording_event *e)
{
	char text[256];

	snprintf(text, sizeof(text), "%s%s", e->name, e->levels);
	put_text(o, name, text);
}

static struct json_object *json_ratio_names(const struct report *r)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < r->ratios; i++) {
		struct json_object *o = json_object_new_object();

		put_text(o, "name", r->ratio[i].name);
		put_event(o, "numerator", &r->event[r->ratio[i].numerator]);
		put_event(o, "denominator", &r->event[r->ratio[i].denominator]);
		json_object_array_add(list, o);
	}
	return list;
}

/* Whether it is as large a part of one of the events as callers must be to be shown */
static bool caller_shown(const struct report *r, const struct vsamp_profile_caller *c)
{
	for (size_t e = 0; e < r->events; e++)
		if (report_wants(r, e) && c->samples[e] &&
		    report_percent(r, c->events, e) >= r->percent_limit)
			return true;
	return false;
}

static struct json_object *json_caller(const struct report *r, const char *module,
				       const char *symbol, const uint64_t *samples,
				       const double *events)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "module", module ? json_object_new_string(module) : NULL);
	json_object_object_add(o, "symbol", json_object_new_string(symbol));
	json_object_object_add(o, "samples", json_samples(r, samples));
	json_object_object_add(o, "events", json_events(r, events));
	return o;
}

/* What a row's tree, and what is below it, is called */
static const char *tree_name(const struct report *r)
{
	return r->tree == REPORT_CALLEES ? "callees" : "callers";
}

/* What those are together that are not shown; NULL: nothing, or no memory */
static struct json_object *json_rest(const struct report *r,
				     const struct vsamp_profile_caller *callers, size_t count)
{
	uint64_t *samples = calloc(r->events, sizeof(*samples)), any = 0;
	double *events = calloc(r->events, sizeof(*events));
	struct json_object *o = NULL;

	for (size_t i = 0; i < count && samples && events; i++) {
		for (size_t e = 0; e < r->events && !caller_shown(r, &callers[i]); e++) {
			samples[e] += callers[i].samples[e];
			events[e] += callers[i].events[e];
			any += report_wants(r, e) ? callers[i].samples[e] : 0;
		}
	}
	if (any) {
		o = json_caller(r, NULL, "[...]", samples, events);
		json_object_object_add(o, tree_name(r), json_object_new_array());
	}
	free(samples);
	free(events);
	return o;
}

static struct json_object *json_callers(const struct report *r,
					const struct vsamp_profile_caller *callers, size_t count)
{
	struct json_object *list = json_object_new_array(), *rest;

	for (size_t i = 0; i < count; i++) {
		const struct vsamp_profile_caller *c = &callers[i];
		struct json_object *o;

		if (!caller_shown(r, c))
			continue;
		o = json_caller(r, c->module, c->symbol, c->samples, c->events);
		json_object_object_add(o, tree_name(r), json_callers(r, c->callers, c->count));
		json_object_array_add(list, o);
	}
	rest = json_rest(r, callers, count);
	if (rest)
		json_object_array_add(list, rest);
	return list;
}

static int json_add_tree(struct report *r, const struct vsamp_profile_row *row,
			 struct json_object *o)
{
	struct vsamp_profile_caller *callers;
	size_t count;
	int ret = report_tree(r, row, r->sort_event, &callers, &count);

	if (ret)
		return ret;
	json_object_object_add(o, tree_name(r), json_callers(r, callers, count));
	free(callers);
	return 0;
}

/* Rows told apart by some keys, whatever the report is sorted by */
static int json_rows_by(struct report *r, struct json_object *root, const char *name,
			unsigned int by)
{
	struct json_object *list = json_object_new_array();
	struct vsamp_profile_row *rows;
	size_t count;

	json_object_object_add(root, name, list);
	if (report_rows_by(r, by, &rows, &count))
		return EXIT_ERROR;
	for (size_t i = 0; i < count && (!r->rows_max || i < r->rows_max); i++)
		json_object_array_add(list, json_row(r, &rows[i], by));
	free(rows);
	return 0;
}

static int json_rows(struct report *r, struct json_object *root)
{
	struct json_object *list = json_object_new_array();
	struct vsamp_profile_row *rows;
	size_t count;
	int ret = report_rows(r, REPORT_ALL, &rows, &count);

	json_object_object_add(root, "rows", list);
	if (ret)
		return ret;
	for (size_t i = 0; i < count && (!r->rows_max || i < r->rows_max) && !ret; i++) {
		struct json_object *o = json_row(r, &rows[i], r->by);

		if (r->ratios)
			json_object_object_add(o, "ratios", json_ratios(r, &rows[i]));
		json_object_array_add(list, o);
		if (r->tree)
			ret = json_add_tree(r, &rows[i], o);
	}
	free(rows);
	return ret;
}

int report_json(struct report *r)
{
	struct json_object *root = json_object_new_object(), *events = json_object_new_array();
	int ret;

	summary_json(r->rec, r->filter.path, root);
	for (size_t e = 0; e < r->events; e++)
		if (report_wants(r, e))
			json_object_array_add(events, summary_json_event(&r->event[e]));
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "samples_paused",
			       json_object_new_int64(vsamp_profile_paused(r->profile)));
	json_object_object_add(root, "ratios", json_ratio_names(r));
	ret = json_rows_by(r, root, "processes", VSAMP_BY_PROCESS);
	if (!ret)
		ret = json_rows_by(r, root, "modules", VSAMP_BY_MODULE);
	if (!ret)
		ret = json_rows_by(r, root, "symbols", VSAMP_BY_MODULE | VSAMP_BY_SYMBOL);
	if (!ret)
		ret = json_rows(r, root);
	if (!ret)
		summary_put(root);
	json_object_put(root);
	return ret;
}
