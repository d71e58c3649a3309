// SPDX-License-Identifier: MIT
/* Samples as JSON, an object a line (docs/json.md) */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "script.h"
#include "summary.h"

static void json_put(struct json_object *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
						       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

static struct json_object *json_record(const char *type, uint32_t cpu, uint64_t time)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "type", json_object_new_string(type));
	json_object_object_add(o, "time_ns", json_object_new_uint64(time));
	json_object_object_add(o, "cpu", json_object_new_int64(cpu));
	return o;
}

static void json_add_frame(struct json_object *o, const struct vsamp_trace_frame *frame)
{
	char ip[19];

	snprintf(ip, sizeof(ip), "0x%" PRIx64, frame->ip);
	json_object_object_add(o, "ip", frame->module ? json_object_new_string(ip) : NULL);
	json_object_object_add(o, "module",
			       frame->module ? json_object_new_string(frame->module) : NULL);
	json_object_object_add(o, "symbol", json_object_new_string(frame->symbol));
}

static struct json_object *json_callers(const struct vsamp_trace_sample *sample)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 1; i < sample->frames; i++) {
		struct json_object *o = json_object_new_object();

		json_add_frame(o, &sample->frame[i]);
		json_object_array_add(list, o);
	}
	return list;
}

void script_json_sample(const struct script *s, const struct vsamp_trace_sample *sample)
{
	struct json_object *o = json_record("sample", sample->cpu, sample->time);
	const char *mode = sample->guest ? "guest" : sample->user ? "user" : "kernel";

	json_object_object_add(o, "pid", json_object_new_int64(sample->pid));
	json_object_object_add(o, "tid", json_object_new_int64(sample->tid));
	json_object_object_add(o, "comm", json_object_new_string(sample->comm));
	json_object_object_add(o, "event", json_object_new_string(s->event[sample->event].name));
	json_object_object_add(o, "events", summary_json_real(sample->events));
	json_object_object_add(o, "mode", json_object_new_string(mode));
	json_add_frame(o, &sample->frame[0]);
	if (s->callers)
		json_object_object_add(o, "callers", json_callers(sample));
	json_put(o);
}

void script_json_lost(uint32_t cpu, uint64_t time, uint64_t count)
{
	struct json_object *o = json_record("lost", cpu, time);

	json_object_object_add(o, "records", json_object_new_uint64(count));
	json_put(o);
}
