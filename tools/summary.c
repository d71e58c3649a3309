// SPDX-License-Identifier: MIT
/* summary.c: what commands that read a recording say of it */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "escape.h"
#include "summary.h"

const char *summary_text(struct json_object *obj, const char *pointer)
{
	struct json_object *v;

	if (!obj || json_pointer_get(obj, pointer, &v) || !v)
		return "";
	return json_object_get_string(v);
}

char *summary_list(struct json_object *obj, const char *pointer)
{
	struct json_object *list;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!obj || json_pointer_get(obj, pointer, &list) ||
	    !json_object_is_type(list, json_type_array))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		const char *item = json_object_get_string(json_object_array_get_idx(list, i));

		fprintf(out, "%s%s", i ? " " : "", item ? item : "null");
	}
	fclose(out);
	return text;
}

static void put(const char *text)
{
	escape_print(stdout, text, 0);
}

/* " BEFORE TEXT", or nothing */
static void put_if(const char *before, const char *text)
{
	if (!*text)
		return;
	fputs(before, stdout);
	put(text);
}

static void print_run(const struct vsamp_recording *rec, const char *path)
{
	struct json_object *meta = vsamp_recording_meta(rec);
	const char *mode = summary_text(meta, "/calibration/mode");
	char *command = summary_list(meta, "/command_line");

	printf("# %s: ", path);
	put(summary_text(meta, "/hostname"));
	put_if(", Linux ", summary_text(meta, "/kernel_release"));
	put_if(", CPUs ", summary_text(meta, "/cpus_online"));
	put_if(", backend ", summary_text(meta, "/backend"));
	put_if(", clock ", summary_text(meta, "/clock/source"));
	putchar('\n');
	if (command) {
		fputs("# command: ", stdout);
		put(command);
		putchar('\n');
	}
	printf("# recorded: %.3f s", vsamp_recording_elapsed(rec) / 1e9);
	put_if(" of ", summary_text(meta, "/scope/kind"));
	put_if(", ended by ", summary_text(vsamp_recording_end(rec), "/reason"));
	if (*mode && strcmp(mode, "none")) {
		put_if("; calibrated: ", mode);
		put_if(", target per ", summary_text(meta, "/calibration/scope"));
		put_if(", ", summary_text(meta, "/calibration/runs"));
		fputs(" runs", stdout);
	}
	putchar('\n');
	free(command);
}

static void print_number(const char *what, int64_t n)
{
	if (n != VSAMP_UNKNOWN)
		printf(", %s %" PRId64, what, n);
}

/* Samples that should have been made and aren't in the file */
static int64_t event_lost(const struct vsamp_recording_event *e)
{
	if (e->overflows == VSAMP_UNKNOWN)
		return VSAMP_UNKNOWN;
	return e->overflows > (int64_t)e->samples ? e->overflows - (int64_t)e->samples : 0;
}

static void print_event(const struct vsamp_recording_event *e)
{
	fputs("# event ", stdout);
	put(e->name);
	printf(": sav %" PRIu64 " (", e->sav);
	put(e->sav_source);
	print_number("counted", e->counted);
	printf("), samples %" PRIu64, e->samples);
	print_number("target", e->target);
	print_number("lost", event_lost(e));
	print_number("count", e->count);
	putchar('\n');
}

static bool complete(const struct vsamp_recording *rec)
{
	return vsamp_reader_state(vsamp_recording_reader(rec), NULL) == VSAMP_FILE_COMPLETE;
}

void summary_print(const struct vsamp_recording *rec, const char *path)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);
	const struct vsamp_recording_event *event;
	size_t events = vsamp_recording_events(rec, &event);

	print_run(rec, path);
	printf("# records: %" PRIu64 " produced %s %" PRIu64 " written + %" PRIu64 " lost, %" PRIu64
	       " in the file; %s\n",
	       t->produced, t->balanced ? "=" : "is not", t->written, t->lost, t->records,
	       complete(rec) ? "complete" : "INCOMPLETE");
	for (size_t e = 0; e < events; e++)
		print_event(&event[e]);
}

static void add_number(struct json_object *o, const char *name, int64_t n)
{
	json_object_object_add(o, name, n == VSAMP_UNKNOWN ? NULL : json_object_new_int64(n));
}

void summary_json(const struct vsamp_recording *rec, const char *path, struct json_object *root)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);
	struct json_object *list = json_object_new_array();
	const char *const *warning;
	size_t warnings = vsamp_recording_warnings(rec, &warning);

	json_object_object_add(root, "version", json_object_new_int(1));
	json_object_object_add(root, "file", json_object_new_string(path));
	json_object_object_add(root, "complete", json_object_new_boolean(complete(rec)));
	json_object_object_add(root, "produced", json_object_new_uint64(t->produced));
	json_object_object_add(root, "written", json_object_new_uint64(t->written));
	json_object_object_add(root, "lost", json_object_new_uint64(t->lost));
	json_object_object_add(root, "elapsed_ns",
			       json_object_new_uint64(vsamp_recording_elapsed(rec)));
	for (size_t i = 0; i < warnings; i++)
		json_object_array_add(list, json_object_new_string(warning[i]));
	json_object_object_add(root, "warnings", list);
}

struct json_object *summary_json_event(const struct vsamp_recording_event *e)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(e->name));
	json_object_object_add(o, "sav", json_object_new_uint64(e->sav));
	json_object_object_add(o, "sav_source", json_object_new_string(e->sav_source));
	json_object_object_add(o, "samples", json_object_new_uint64(e->samples));
	add_number(o, "lost", event_lost(e));
	add_number(o, "target", e->target);
	add_number(o, "count", e->count);
	return o;
}

void summary_put(struct json_object *root)
{
	puts(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
							  JSON_C_TO_STRING_SPACED |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
}

int summary_end(const char *command, const struct vsamp_recording *rec)
{
	const char *const *warning;
	size_t warnings = vsamp_recording_warnings(rec, &warning);

	fflush(stdout);
	for (size_t i = 0; i < warnings; i++) {
		fprintf(stderr, "vsamp %s: WARNING: ", command);
		escape_print(stderr, warning[i], 0);
		putc('\n', stderr);
	}
	return vsamp_reader_state(vsamp_recording_reader(rec), NULL) == VSAMP_FILE_DAMAGED ?
		       EXIT_ERROR :
		       0;
}
