// SPDX-License-Identifier: MIT
/* recording_meta.c: reads what the META, RUN and END chunks tell */
#include <math.h>

#include <vsamp.h>

#include "json_member.h"
#include "recording_private.h"

uint64_t recording_meta_khz(const struct vsamp_recording *rec)
{
	return member_count(member(rec->meta, "clock"), "khz");
}

uint64_t recording_meta_sav_floor(const struct vsamp_recording *rec)
{
	return member_count(member(rec->meta, "calibration"), "sav_floor");
}

uint64_t recording_meta_pid_namespace(const struct vsamp_recording *rec)
{
	return member_count(rec->meta, "pid_namespace");
}

/* None if it isn't told, or isn't one */
void recording_meta_id(const struct vsamp_recording *rec, const char *name, struct buildid *id)
{
	if (buildid_parse(id, member_string(rec->meta, name, ""), NULL))
		*id = (struct buildid){ 0 };
}

bool recording_meta_adaptive(const struct vsamp_recording *rec)
{
	return json_object_get_boolean(member(member(rec->meta, "calibration"), "adaptive"));
}

uint64_t recording_meta_config(const struct vsamp_recording *rec, size_t event)
{
	struct json_object *list;

	if (event >= member_list(rec->meta, "events", &list))
		return 0;
	return strtoull(member_string(json_object_array_get_idx(list, event), "config", "0"), NULL,
			0);
}

bool recording_meta_intel(const struct vsamp_recording *rec)
{
	return !strcmp(member_string(rec->meta, "backend", ""), "intel");
}

/* What calibration decides, where it is told */
static void read_calibrated(struct vsamp_recording_event *e, struct json_object *o)
{
	int64_t counted = member_number(o, "counted"), cal_ns = member_number(o, "cal_ns");
	int64_t target = member_number(o, "target");

	e->sav_source = member_string(o, "sav_source", e->sav_source);
	e->calibration = member_string(o, "calibration", e->calibration);
	if (counted >= 0)
		e->counted = counted;
	if (cal_ns >= 0)
		e->cal_ns = cal_ns;
	if (target >= 0)
		e->target = target;
}

/* An instant of the file before: this one may have none for long */
static void read_clock_before(struct vsamp_recording *rec)
{
	struct json_object *o = member(member(rec->meta, "clock"), "before");
	int64_t time = member_number(o, "time"), raw = member_number(o, "monotonic_raw");

	if (time < 0 || raw < 0)
		return;
	rec->before = (struct vsamp_record_clock){
		.h = { VSAMP_RECORD_CLOCK, sizeof(rec->before), 0, 0 },
		.time = time,
		.bracket = member_count(o, "bracket"),
		.monotonic_raw = raw,
		.monotonic = member_count(o, "monotonic"),
		.realtime = member_count(o, "realtime"),
	};
}

static int read_sets(struct vsamp_recording *rec)
{
	struct json_object *calibration = member(rec->meta, "calibration");

	rec->sets = member_count(calibration, "sets");
	if (!rec->sets)
		rec->sets = 1;
	if (rec->sets > VSAMP_EVENTS_MAX)
		return -EBADMSG;
	rec->mux = member_count(calibration, "mux_ms");
	rec->set_counted = calloc(rec->sets, sizeof(*rec->set_counted));
	rec->set_throttles = calloc(rec->sets, sizeof(*rec->set_throttles));
	if (!rec->set_counted || !rec->set_throttles)
		return -ENOMEM;
	rec->set_counted[0] = true; /* until something tells otherwise */
	for (size_t i = 1; i < rec->sets; i++)
		rec->set_counted[i] = rec->mux;
	return 0;
}

static int read_event(struct vsamp_recording *rec, struct json_object *o, size_t i)
{
	struct vsamp_recording_event *e = &rec->event[i];

	if (member_number(o, "index") != (int64_t)i || member_count(o, "set") >= rec->sets)
		return -EBADMSG;
	*e = (struct vsamp_recording_event){
		.name = member_string(o, "name", "?"),
		.set = member_count(o, "set"),
		.sav = member_count(o, "sav"),
		.sav_source = "?",
		.calibration = "?",
		.counted = VSAMP_UNKNOWN,
		.cal_ns = VSAMP_UNKNOWN,
		.target = VSAMP_UNKNOWN,
		.count = VSAMP_UNKNOWN,
		.overflows = VSAMP_UNKNOWN,
		.elapsed = VSAMP_UNKNOWN,
		.share = NAN,
		.deviation = NAN,
	};
	e->user = member_bool(o, "user");
	e->kernel = member_bool(o, "kernel");
	e->levels = e->user == e->kernel ? "" : e->user ? ":u" : ":k";
	e->sav_end = e->sav;
	read_calibrated(e, o);
	return 0;
}

int recording_read_meta(struct vsamp_recording *rec, struct vsamp_error *err)
{
	const char *path = vsamp_reader_path(rec->reader);
	struct json_object *list;
	size_t count = member_list(rec->meta, "events", &list);
	int ret;

	if (!count || count > VSAMP_EVENTS_MAX)
		return vsamp_fail(
			err, -EBADMSG,
			"%s: its first chunk tells of no events, or of more than there can be",
			path);
	ret = read_sets(rec);
	if (ret == -EBADMSG)
		return vsamp_fail(err, ret, "%s: it has more sets than can be", path);
	rec->event = calloc(count, sizeof(*rec->event));
	rec->boot_id = strdup(member_string(rec->meta, "boot_id", ""));
	read_clock_before(rec);
	if (ret || !rec->event || !rec->boot_id)
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
	for (size_t i = 0; i < count; i++)
		if (read_event(rec, json_object_array_get_idx(list, i), i))
			return vsamp_fail(err, -EBADMSG,
					  "%s: event %zu is out of order, or in no set", path, i);
	rec->events = count;
	return 0;
}

/* An event of a run that begins: whatever CPU it is sampled on, it begins with this value */
static int read_run_event(struct vsamp_recording *rec, struct json_object *o, size_t set)
{
	int64_t index = member_number(o, "index"), sav = member_number(o, "sav");
	struct vsamp_recording_event *e;

	if (index < 0 || (size_t)index >= rec->events || sav <= 0)
		return -EBADMSG;
	e = &rec->event[index];
	if (e->set != set)
		return -EBADMSG;
	e->sav = sav;
	e->sav_end = sav;
	for (size_t i = 0; i < rec->cpus; i++)
		if (rec->told[rec->cpu[i].cpu])
			rec->told[rec->cpu[i].cpu]->sav[index] = sav;
	read_calibrated(e, o);
	return 0;
}

int recording_read_run(struct vsamp_recording *rec, struct json_object *run,
		       struct vsamp_error *err)
{
	int64_t set = member_number(run, "set");
	struct json_object *list;
	size_t count = member_list(run, "events", &list);
	/* each set runs once, one after the other; all of them in time slices are one run */
	bool good = !rec->mux && count && count <= rec->events && set > (int64_t)rec->last_set &&
		    set < (int64_t)rec->sets;

	for (size_t i = 0; i < count && good; i++)
		good = !read_run_event(rec, json_object_array_get_idx(list, i), set);
	if (!good)
		return vsamp_fail(err, -EBADMSG, "%s: a run of events begins that can't be",
				  vsamp_reader_path(rec->reader));
	rec->last_set = set;
	rec->set_counted[set] = true;
	return 0;
}

/* What records told of may be told again, whole: some of them may be among the lost */
static void raise_to(uint64_t *n, uint64_t told)
{
	if (*n < told)
		*n = told;
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
		raise_to(&cpu->throttles, member_count(o, "throttled"));
	}
	return 0;
}

static int read_end_event(struct vsamp_recording *rec, struct json_object *o)
{
	int64_t index = member_number(o, "index"), sav = member_number(o, "sav");
	uint64_t enabled = member_count(o, "enabled"), running = member_count(o, "running");
	struct vsamp_recording_event *e;

	if (index < 0 || (size_t)index >= rec->events)
		return 0;
	if (running > enabled)
		return -EBADMSG;
	e = &rec->event[index];
	e->count = member_number(o, "count");
	e->overflows = member_number(o, "samples");
	if (sav > 0)
		e->sav_end = sav;
	if (enabled)
		e->share = (double)running / enabled;
	read_calibrated(e, o);
	return 0;
}

/* Which sets were counted, and for how long */
static void read_end_runs(struct vsamp_recording *rec)
{
	struct json_object *list;
	size_t count = member_list(rec->end, "runs", &list);

	if (!count) { /* an older recording: of one run */
		for (size_t e = 0; e < rec->events; e++)
			rec->event[e].elapsed = rec->elapsed;
		return;
	}
	if (!rec->mux)
		memset(rec->set_counted, 0, rec->sets * sizeof(*rec->set_counted));
	for (size_t i = 0; i < count && i < rec->sets; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		uint64_t set = member_count(o, "set");

		if (set < rec->sets) {
			rec->set_counted[set] = true;
			raise_to(&rec->set_throttles[set], member_count(o, "throttled"));
		}
		for (size_t e = 0; e < rec->events; e++)
			if (rec->mux || rec->event[e].set == set)
				rec->event[e].elapsed = member_number(o, "elapsed_ns");
	}
}

int recording_read_end(struct vsamp_recording *rec, struct vsamp_error *err)
{
	const char *path = vsamp_reader_path(rec->reader);
	struct json_object *list;
	size_t count = member_list(rec->end, "events", &list);

	for (size_t i = 0; i < count; i++)
		if (read_end_event(rec, json_object_array_get_idx(list, i)))
			return vsamp_fail(err, -EBADMSG, "%s: its totals make no sense", path);
	rec->elapsed = member_count(rec->end, "elapsed_ns");
	rec->totals.sideband_lost = member_count(rec->end, "sideband_lost");
	read_end_runs(rec);
	if (read_end_cpus(rec) || recording_read_gpus(rec))
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
	return 0;
}
