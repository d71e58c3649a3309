// SPDX-License-Identifier: MIT
/* report --gpu --json */
#include <json-c/json.h>
#include <stdio.h>

#include "report_gpu.h"
#include "summary.h"

static void json_stat(struct json_object *o, const struct vsamp_track_stat *s)
{
	json_object_object_add(o, "known_ns", json_object_new_uint64(s->known));
	json_object_object_add(o, "mean", summary_json_real(s->mean));
	json_object_object_add(o, "min", summary_json_real(s->min));
	json_object_object_add(o, "max", summary_json_real(s->max));
}

static struct json_object *json_metrics(const struct report_gpu *g,
					const struct report_gpu_device *d)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->tracks; i++) {
		struct json_object *o = json_object_new_object();
		struct vsamp_track_stat s;

		vsamp_track_stat(d->track[i], g->from, g->to, &s);
		json_object_object_add(o, "name", json_object_new_string(d->track[i]->name));
		json_object_object_add(o, "unit", json_object_new_string(d->track[i]->unit));
		json_stat(o, &s);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_device(const struct report_gpu *g,
				       const struct report_gpu_device *d)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(d->name));
	json_object_object_add(o, "recorded", d->told ? summary_json_gpu(d->told) : NULL);
	json_object_object_add(o, "metrics", json_metrics(g, d));
	return o;
}

/* Of a GPU a list by metric */
static struct json_object *json_part(const struct report_gpu_device *d,
				     const struct report_gpu_slice *slice)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < d->tracks; i++) {
		struct json_object *o = json_object_new_object();
		struct vsamp_track_stat s;

		vsamp_track_stat(d->track[i], slice->from, slice->to, &s);
		json_stat(o, &s);
		json_object_array_add(list, o);
	}
	return list;
}

static struct json_object *json_slice(const struct report_gpu *g, size_t number)
{
	struct report_gpu_slice slice = report_gpu_slice(g, number);
	struct json_object *o = json_object_new_object(), *gpus = json_object_new_array();
	struct json_object *samples = json_object_new_array();

	for (size_t e = 0; e < g->r->events; e++)
		if (report_gpu_shows(g, e))
			json_object_array_add(samples, json_object_new_uint64(slice.samples[e]));
	for (size_t i = 0; i < g->devices; i++)
		json_object_array_add(gpus, json_part(&g->device[i], &slice));
	json_object_object_add(o, "time_ns", json_object_new_int64(slice.time));
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "gpus", gpus);
	return o;
}

void report_gpu_json(const struct report_gpu *g)
{
	struct json_object *root = json_object_new_object(), *events = json_object_new_array();
	struct json_object *gpus = json_object_new_array(), *slices = json_object_new_array();

	summary_json(g->r->rec, g->r->filter.path, root);
	for (size_t e = 0; e < g->r->events; e++)
		if (report_gpu_shows(g, e))
			json_object_array_add(events, summary_json_event(&g->r->event[e]));
	for (size_t i = 0; i < g->devices; i++)
		json_object_array_add(gpus, json_device(g, &g->device[i]));
	for (size_t i = 0; i < g->slices; i++)
		json_object_array_add(slices, json_slice(g, i));
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "gpus", gpus);
	json_object_object_add(root, "slice_ns",
			       g->r->sliced ? json_object_new_uint64(g->r->slice) : NULL);
	json_object_object_add(root, "slices", slices);
	summary_put(root);
	json_object_put(root);
}
