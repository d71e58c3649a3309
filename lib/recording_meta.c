// SPDX-License-Identifier: MIT
/* recording_meta.c: reads what the META and END chunks tell */
#include "recording_private.h"

#define EVENTS_MAX 1024

static struct json_object *member(struct json_object *obj, const char *name)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(obj, name, &v);
	return v;
}

/* The text of a member, which lives as long as @obj; @other where it isn't a string */
static const char *member_string(struct json_object *obj, const char *name, const char *other)
{
	struct json_object *v = member(obj, name);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : other;
}

/* A number that isn't negative, or VSAMP_UNKNOWN */
static int64_t member_number(struct json_object *obj, const char *name)
{
	struct json_object *v = member(obj, name);
	int64_t n;

	if (!json_object_is_type(v, json_type_int))
		return VSAMP_UNKNOWN;
	n = json_object_get_int64(v);
	return n < 0 ? VSAMP_UNKNOWN : n;
}

static uint64_t member_count(struct json_object *obj, const char *name)
{
	int64_t n = member_number(obj, name);

	return n < 0 ? 0 : n;
}

/* A list of objects; its length, 0 where it isn't one */
static size_t member_list(struct json_object *obj, const char *name, struct json_object **list)
{
	*list = member(obj, name);
	return json_object_is_type(*list, json_type_array) ? json_object_array_length(*list) : 0;
}

uint64_t recording_meta_khz(const struct vsamp_recording *rec)
{
	return member_count(member(rec->meta, "clock"), "khz");
}

int recording_read_meta(struct vsamp_recording *rec, struct vsamp_error *err)
{
	const char *path = vsamp_reader_path(rec->reader);
	struct json_object *list;
	size_t count = member_list(rec->meta, "events", &list);

	if (!count || count > EVENTS_MAX)
		return vsamp_fail(err, -EBADMSG, "%s: its first chunk tells of no events", path);
	rec->event = calloc(count, sizeof(*rec->event));
	if (!rec->event)
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
	for (size_t i = 0; i < count; i++) {
		struct json_object *e = json_object_array_get_idx(list, i);

		if (member_number(e, "index") != (int64_t)i)
			return vsamp_fail(err, -EBADMSG, "%s: event %zu is out of order", path, i);
		rec->event[i] = (struct vsamp_recording_event){
			.name = member_string(e, "name", "?"),
			.sav = member_count(e, "sav"),
			.sav_source = member_string(e, "sav_source", "?"),
			.counted = member_number(e, "counted"),
			.target = member_number(e, "target"),
			.count = VSAMP_UNKNOWN,
			.overflows = VSAMP_UNKNOWN,
		};
	}
	rec->events = count;
	rec->boot_id = strdup(member_string(rec->meta, "boot_id", ""));
	return rec->boot_id ? 0 : vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
}

static int read_end_cpus(struct vsamp_recording *rec)
{
	struct json_object *list;
	size_t count = member_list(rec->end, "cpus", &list);

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		int64_t number = member_number(o, "cpu");
		struct vsamp_recording_cpu *cpu;

		if (number < 0 || number >= VSAMP_CPUS_MAX)
			continue;
		cpu = recording_cpu(rec, number);
		if (!cpu)
			return -ENOMEM;
		cpu->told = true;
		cpu->produced = member_count(o, "produced");
		cpu->written = member_count(o, "written");
		cpu->lost = member_count(o, "lost");
		cpu->read = member_count(o, "read");
		/* The records that tell of it may be among the lost */
		if (cpu->throttles < member_count(o, "throttled"))
			cpu->throttles = member_count(o, "throttled");
	}
	return 0;
}

int recording_read_end(struct vsamp_recording *rec, struct vsamp_error *err)
{
	struct json_object *list;
	size_t count = member_list(rec->end, "events", &list);

	for (size_t i = 0; i < count; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		int64_t index = member_number(o, "index"), target = member_number(o, "target");

		if (index < 0 || (size_t)index >= rec->events)
			continue;
		rec->event[index].count = member_number(o, "count");
		rec->event[index].overflows = member_number(o, "samples");
		if (target >= 0)
			rec->event[index].target = target;
	}
	rec->elapsed = member_count(rec->end, "elapsed_ns");
	rec->totals.sideband_lost = member_count(rec->end, "sideband_lost");
	if (read_end_cpus(rec))
		return vsamp_fail(err, -ENOMEM, "%s: out of memory",
				  vsamp_reader_path(rec->reader));
	return 0;
}
