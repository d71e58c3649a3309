// SPDX-License-Identifier: MIT
/* Differences as JSON (docs/json.md) */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

#include "cmd.h"
#include "diff.h"
#include "summary.h"

static struct json_object *json_row(const struct diff *d, const struct diff_row *row)
{
	struct json_object *o = json_object_new_object(), *samples = json_object_new_array(),
			   *events = json_object_new_array(), *values = json_object_new_array(),
			   *deltas = json_object_new_array(), *ratios = json_object_new_array();

	for (size_t k = 0; k < d->keys; k++)
		json_object_object_add(o, d->key[k]->name, json_object_new_string(row->text[k]));
	for (size_t f = 0; f < d->files; f++) {
		double base = row->value[0], value = row->value[f];

		json_object_array_add(samples, json_object_new_uint64(row->samples[f]));
		json_object_array_add(events, summary_json_real(row->events[f]));
		json_object_array_add(values, summary_json_real(value));
		json_object_array_add(deltas, summary_json_real(value - base));
		json_object_array_add(ratios, summary_json_real(base > 0 ? value / base : NAN));
	}
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "events", events);
	json_object_object_add(o, "values", values);
	json_object_object_add(o, "deltas", deltas);
	json_object_object_add(o, "ratios", ratios);
	return o;
}

static struct json_object *json_files(const struct diff *d)
{
	struct json_object *list = json_object_new_array();

	for (size_t f = 0; f < d->files; f++) {
		struct json_object *o = json_object_new_object();

		summary_json(d->file[f].rec, d->file[f].path, o);
		json_object_object_del(o, "version");
		json_object_array_add(list, o);
	}
	return list;
}

static int json_event(const struct diff *d, const struct diff_event *event,
		      struct json_object *list)
{
	struct json_object *o = json_object_new_object(), *of = json_object_new_array(),
			   *row_list = json_object_new_array();
	struct vsamp_error err;
	struct diff_row *rows;
	size_t count;
	int ret = diff_rows(d, event, &rows, &count, &err);

	if (ret)
		fprintf(stderr, "vsamp diff: %s\n", err.text);
	for (size_t f = 0; f < d->files; f++)
		json_object_array_add(of, summary_json_event(diff_event(d, event, f)));
	for (size_t i = 0; i < count && !ret && (!d->rows_max || i < d->rows_max); i++)
		json_object_array_add(row_list, json_row(d, &rows[i]));
	json_object_object_add(o, "recordings", of);
	json_object_object_add(o, "rows", row_list);
	json_object_array_add(list, o);
	diff_rows_free(d, rows, count);
	return ret ? EXIT_ERROR : 0;
}

int diff_json(const struct diff *d, const struct diff_event *events, size_t count)
{
	struct json_object *root = json_object_new_object(), *list = json_object_new_array();
	int ret = 0;

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "compared",
			       json_object_new_string(d->per_second ? "rate" : "share"));
	json_object_object_add(root, "files", json_files(d));
	for (size_t i = 0; i < count && !ret; i++)
		ret = json_event(d, &events[i], list);
	json_object_object_add(root, "events", list);
	if (!ret)
		summary_put(root);
	json_object_put(root);
	return ret;
}
