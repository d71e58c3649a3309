/* SPDX-License-Identifier: MIT */
/* json_member.h: what a member of an object is, where it is of the kind that is looked for */
#ifndef JSON_MEMBER_H
#define JSON_MEMBER_H

#include <json-c/json.h>

#include <vsamp/recording.h>

static inline struct json_object *member(struct json_object *obj, const char *name)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(obj, name, &v);
	return v;
}

/* The text of a member, which lives as long as @obj; @other where it isn't a string */
static inline const char *member_string(struct json_object *obj, const char *name,
					const char *other)
{
	struct json_object *v = member(obj, name);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : other;
}

/* A number that isn't negative, or VSAMP_UNKNOWN */
static inline int64_t member_number(struct json_object *obj, const char *name)
{
	struct json_object *v = member(obj, name);
	int64_t n;

	if (!json_object_is_type(v, json_type_int))
		return VSAMP_UNKNOWN;
	n = json_object_get_int64(v);
	return n < 0 ? VSAMP_UNKNOWN : n;
}

static inline uint64_t member_count(struct json_object *obj, const char *name)
{
	int64_t n = member_number(obj, name);

	return n < 0 ? 0 : n;
}

static inline bool member_bool(struct json_object *obj, const char *name)
{
	return json_object_get_boolean(member(obj, name));
}

/* A list of objects; its length, 0 where it isn't one */
static inline size_t member_list(struct json_object *obj, const char *name,
				 struct json_object **list)
{
	*list = member(obj, name);
	return json_object_is_type(*list, json_type_array) ? json_object_array_length(*list) : 0;
}

#endif
