// SPDX-License-Identifier: MIT
/* An annotated symbol as JSON (docs/json.md) */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "annotate.h"
#include "cmd.h"
#include "summary.h"

static struct json_object *json_address(uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return json_object_new_string(text);
}

static struct json_object *json_line(const struct annotate *a, const struct annotate_line *line)
{
	struct json_object *o = json_object_new_object(), *samples, *events;

	if (line->line && !line->line->code) {
		json_object_object_add(o, "source", json_object_new_string(line->line->text));
		return o;
	}
	samples = json_object_new_array();
	events = json_object_new_array();
	for (size_t e = 0; e < a->events; e++) {
		if (!annotate_wants(a, e))
			continue;
		json_object_array_add(samples, json_object_new_uint64(annotate_samples(line, e)));
		json_object_array_add(events, summary_json_real(annotate_events(line, e)));
	}
	json_object_object_add(o, "address", json_address(line->address));
	json_object_object_add(o, "code",
			       line->line ? json_object_new_string(line->line->text) : NULL);
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "events", events);
	return o;
}

static int json_range(const struct annotate *a, const struct vsamp_code_range *range,
		      struct json_object *list)
{
	struct json_object *o = json_object_new_object(), *rows = json_object_new_array();
	struct objdump_line *code;
	struct annotate_line *lines;
	size_t count, n;
	int ret = objdump_run(&a->objdump, a->code->fd, a->code->section, range->start, range->end,
			      &code, &count);

	lines = ret ? NULL : annotate_lines(code, count, range, &n);
	for (size_t i = 0; lines && i < n; i++)
		json_object_array_add(rows, json_line(a, &lines[i]));
	json_object_object_add(o, "start", json_address(range->start));
	json_object_object_add(o, "end", json_address(range->end));
	json_object_object_add(o, "lines", rows);
	json_object_array_add(list, o);
	free(lines);
	objdump_free(code, count);
	return lines ? 0 : EXIT_ERROR;
}

static struct json_object *json_symbol(const struct annotate *a)
{
	struct json_object *o = json_object_new_object(), *samples = json_object_new_array(),
			   *events = json_object_new_array();

	for (size_t e = 0; e < a->events; e++) {
		if (!annotate_wants(a, e))
			continue;
		json_object_array_add(samples, json_object_new_uint64(a->row.samples[e]));
		json_object_array_add(events, summary_json_real(a->row.events[e]));
	}
	json_object_object_add(o, "module", json_object_new_string(a->row.module));
	json_object_object_add(o, "build_id", json_object_new_string(a->row.build_id));
	json_object_object_add(o, "symbol", json_object_new_string(a->row.symbol));
	json_object_object_add(o, "samples", samples);
	json_object_object_add(o, "events", events);
	return o;
}

int annotate_json(struct annotate *a)
{
	struct json_object *root = json_object_new_object(), *ranges = json_object_new_array(),
			   *events = json_object_new_array();
	int ret = 0;

	summary_json(a->rec, a->filter.path, root);
	for (size_t e = 0; e < a->events; e++)
		if (annotate_wants(a, e))
			json_object_array_add(events, summary_json_event(&a->event[e]));
	json_object_object_add(root, "events", events);
	json_object_object_add(root, "symbol", json_symbol(a));
	for (size_t i = 0; i < a->code->count && !ret; i++)
		ret = json_range(a, &a->code->ranges[i], ranges);
	json_object_object_add(root, "ranges", ranges);
	if (!ret)
		summary_put(root);
	json_object_put(root);
	return ret;
}
