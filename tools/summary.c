// SPDX-License-Identifier: MIT
/* summary.c: what commands that read a recording say of it */
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
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

size_t summary_sets(const struct vsamp_recording *rec)
{
	const struct vsamp_recording_event *event;
	size_t sets = 0, events = vsamp_recording_events(rec, &event);

	for (size_t e = 0; e < events; e++)
		if (event[e].set >= sets)
			sets = event[e].set + 1UL;
	return sets;
}

char *summary_stacks(const struct vsamp_recording *rec)
{
	struct json_object *meta = vsamp_recording_meta(rec);
	bool kernel = !strcmp(summary_text(meta, "/stacks/kernel"), "true");
	bool user = !strcmp(summary_text(meta, "/stacks/user"), "true");
	char *text;

	if ((!kernel && !user) ||
	    asprintf(&text, "%s%s%s, up to %s frames%s", kernel ? "kernel" : "",
		     kernel && user ? " and " : "", user ? "user" : "",
		     summary_text(meta, "/stacks/depth"), kernel && user ? " each" : "") < 0)
		return NULL;
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

const char *summary_target_scope(const struct vsamp_recording *rec)
{
	const char *scope = summary_text(vsamp_recording_meta(rec), "/calibration/scope");

	return strcmp(scope, "cpu") ? strcmp(scope, "total") ? "" : "in total" : "per cpu";
}

static void print_run(const struct vsamp_recording *rec, const char *path)
{
	struct json_object *meta = vsamp_recording_meta(rec);
	const char *mode = summary_text(meta, "/calibration/mode");
	char *command = summary_list(meta, "/command_line");
	char *cgroups = summary_list(meta, "/scope/cgroups");

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
	put_if(" ", cgroups ? cgroups : "");
	put_if(", ended by ", summary_text(vsamp_recording_end(rec), "/reason"));
	if (!strcmp(mode, "none"))
		fputs("; not calibrated", stdout);
	else
		put_if("; calibrated: ", mode);
	if (!strcmp(summary_text(meta, "/calibration/adaptive"), "true"))
		fputs(", adaptive", stdout);
	put_if(", target ", summary_target_scope(rec));
	put_if(", runs: ", summary_text(meta, "/calibration/runs"));
	put_if("; time slices of ", summary_text(meta, "/calibration/mux_ms"));
	if (*summary_text(meta, "/calibration/mux_ms"))
		fputs(" ms", stdout);
	putchar('\n');
	free(command);
	free(cgroups);
}

static void print_number(const char *what, int64_t n)
{
	if (n != VSAMP_UNKNOWN)
		printf(", %s %" PRId64, what, n);
}

int64_t summary_lost(const struct vsamp_recording_event *e)
{
	if (e->overflows == VSAMP_UNKNOWN)
		return VSAMP_UNKNOWN;
	return e->overflows > (int64_t)e->samples ? e->overflows - (int64_t)e->samples : 0;
}

/* How its Sample-After value was calibrated, or why it wasn't */
static void print_calibration(const struct vsamp_recording_event *e)
{
	static const struct {
		const char *how, *text;
	} texts[] = {
		{ "run", "calibrated" },
		{ "frequency", "calibrated by the frequency" },
		{ "off", ", not calibrated: it was not asked for" },
		{ "explicit", ", not calibrated: the value was given" },
		{ "property", ", not calibrated: off for this event" },
		{ "zero", ", not calibrated: none came in its calibration run" },
	};
	size_t i, n = sizeof(texts) / sizeof(texts[0]);

	for (i = 0; i < n && strcmp(texts[i].how, e->calibration); i++)
		;
	fputs(" (", stdout);
	if (i == n || texts[i].text[0] == ',')
		put(e->sav_source);
	if (i < n)
		fputs(texts[i].text, stdout);
	print_number("counted", e->counted);
	if (e->cal_ns != VSAMP_UNKNOWN)
		printf(" in %.3f s", e->cal_ns / 1e9);
	putchar(')');
}

static void print_target(const struct vsamp_recording_event *e)
{
	print_number("target", e->target);
	if (isnan(e->deviation))
		return;
	printf(" (%+.2f %%", e->deviation);
	put_if(": ", e->miss);
	putchar(')');
}

static void print_event(const struct vsamp_recording_event *e, size_t sets)
{
	fputs("# event ", stdout);
	put(e->name);
	put(e->levels);
	if (sets > 1)
		printf(", set %" PRIu32 " of %zu", e->set + 1, sets);
	printf(": sav %" PRIu64, e->sav);
	if (e->sav_end != e->sav)
		printf("..%" PRIu64, e->sav_end);
	print_calibration(e);
	printf(", samples %" PRIu64, e->samples);
	if (e->share < 1)
		printf(" (counted %.2f %% of the time: as %.0f)", 100 * e->share,
		       e->samples / e->share);
	print_target(e);
	print_number("lost", summary_lost(e));
	print_number("count", e->count);
	putchar('\n');
}

static bool complete(const struct vsamp_recording *rec)
{
	return vsamp_reader_state(vsamp_recording_reader(rec), NULL) == VSAMP_FILE_COMPLETE;
}

/* What stacks samples have, and how many of them lack something */
static void print_stacks(const struct vsamp_recording *rec)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);
	char *text = summary_stacks(rec);

	if (!text)
		return;
	fputs("# stacks: ", stdout);
	put(text);
	printf("; %" PRIu64 " samples have one, cut: %" PRIu64 " in the kernel, %" PRIu64
	       " in user mode\n",
	       t->stacks, t->kernel_cut, t->user_cut);
	free(text);
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
	print_stacks(rec);
	for (size_t e = 0; e < events; e++)
		print_event(&event[e], summary_sets(rec));
}

static void add_number(struct json_object *o, const char *name, int64_t n)
{
	json_object_object_add(o, name, n == VSAMP_UNKNOWN ? NULL : json_object_new_int64(n));
}

struct json_object *summary_json_real(double x)
{
	if (isnan(x))
		return NULL;
	/* 2^53: beyond it doubles have gaps anyway */
	if (x == floor(x) && fabs(x) <= 9007199254740992.0)
		return json_object_new_int64((int64_t)x);
	return json_object_new_double(x);
}

static void add_real(struct json_object *o, const char *name, double x)
{
	json_object_object_add(o, name, summary_json_real(x));
}

static struct json_object *json_stacks(const struct vsamp_recording *rec)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);
	static const char *const names[] = { "kernel", "user", "depth" };
	struct json_object *o, *meta, *v;

	if (json_pointer_get(vsamp_recording_meta(rec), "/stacks", &meta) ||
	    !json_object_is_type(meta, json_type_object))
		return NULL;
	o = json_object_new_object();
	for (size_t i = 0; i < 3; i++) {
		json_object_object_get_ex(meta, names[i], &v);
		json_object_object_add(o, names[i], json_object_get(v));
	}
	json_object_object_add(o, "samples", json_object_new_uint64(t->stacks));
	json_object_object_add(o, "kernel_cut", json_object_new_uint64(t->kernel_cut));
	json_object_object_add(o, "user_cut", json_object_new_uint64(t->user_cut));
	return o;
}

void summary_json(const struct vsamp_recording *rec, const char *path, struct json_object *root)
{
	const struct vsamp_recording_totals *t = vsamp_recording_totals(rec);
	struct json_object *list = json_object_new_array();
	const char *scope = summary_text(vsamp_recording_meta(rec), "/calibration/scope");
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
	json_object_object_add(root, "sleeps", json_object_new_uint64(t->sleeps));
	json_object_object_add(root, "asleep_ns", json_object_new_uint64(t->asleep));
	json_object_object_add(root, "target_scope", *scope ? json_object_new_string(scope) : NULL);
	json_object_object_add(root, "stacks", json_stacks(rec));
	for (size_t i = 0; i < warnings; i++)
		json_object_array_add(list, json_object_new_string(warning[i]));
	json_object_object_add(root, "warnings", list);
}

struct json_object *summary_json_event(const struct vsamp_recording_event *e)
{
	struct json_object *o = json_object_new_object();

	json_object_object_add(o, "name", json_object_new_string(e->name));
	json_object_object_add(o, "user", json_object_new_boolean(e->user));
	json_object_object_add(o, "kernel", json_object_new_boolean(e->kernel));
	json_object_object_add(o, "set", json_object_new_uint64(e->set));
	json_object_object_add(o, "sav", json_object_new_uint64(e->sav));
	json_object_object_add(o, "sav_end", json_object_new_uint64(e->sav_end));
	json_object_object_add(o, "sav_source", json_object_new_string(e->sav_source));
	json_object_object_add(o, "calibration", json_object_new_string(e->calibration));
	add_number(o, "counted", e->counted);
	add_real(o, "cal_seconds", e->cal_ns == VSAMP_UNKNOWN ? NAN : e->cal_ns / 1e9);
	add_number(o, "target", e->target);
	add_real(o, "deviation", e->deviation);
	json_object_object_add(o, "miss", *e->miss ? json_object_new_string(e->miss) : NULL);
	add_real(o, "share", e->share);
	json_object_object_add(o, "samples", json_object_new_uint64(e->samples));
	add_number(o, "lost", summary_lost(e));
	add_number(o, "count", e->count);
	add_real(o, "estimated", e->estimated);
	add_number(o, "elapsed_ns", e->elapsed);
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
