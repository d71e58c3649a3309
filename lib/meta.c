// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <vsamp/machine.h>
#include <vsamp/meta.h>

#ifndef VSAMP_VERSION
#define VSAMP_VERSION "unversioned"
#endif

static void put(struct json_object *o, const char *key, struct json_object *value)
{
	json_object_object_add(o, key, value);
}

static struct json_object *text(const char *s)
{
	return s ? json_object_new_string(s) : NULL;
}

static struct json_object *number(uint64_t n)
{
	return json_object_new_uint64(n);
}

static struct json_object *real(double x)
{
	return isnan(x) ? NULL : json_object_new_double(x);
}

/* A count that may not be known */
static struct json_object *whole(double x)
{
	return isnan(x) ? NULL : json_object_new_uint64((uint64_t)(x + 0.5));
}

static struct json_object *words(char *const *argv)
{
	struct json_object *a;

	if (!argv)
		return NULL;
	a = json_object_new_array();
	for (; *argv; argv++)
		json_object_array_add(a, text(*argv));
	return a;
}

static void meta_put_machine(struct json_object *o)
{
	struct vsamp_machine m;
	struct timespec now;

	vsamp_machine_get(&m);
	clock_gettime(CLOCK_REALTIME, &now);
	put(o, "hostname", text(m.hostname));
	put(o, "kernel_release", text(m.kernel_release));
	put(o, "machine", text(m.machine));
	put(o, "boot_id", text(m.boot_id));
	put(o, "cpus_online", text(m.cpus_online));
	put(o, "started_realtime_ns", number(now.tv_sec * 1000000000ULL + now.tv_nsec));
	put(o, "pid_namespace", number(m.pid_namespace));
}

static struct json_object *meta_clock(const struct vsamp_cpu_caps *caps)
{
	struct json_object *o = json_object_new_object();

	put(o, "source", text(caps->clock == VSAMP_CLOCK_TSC ? "tsc" : "monotonic"));
	put(o, "khz", number(caps->clock_khz));
	return o;
}

static struct json_object *meta_scope(const struct vsamp_meta *meta)
{
	static const char *const kinds[] = {
		[VSAMP_SCOPE_MACHINE] = "machine",
		[VSAMP_SCOPE_CPUS] = "cpus",
		[VSAMP_SCOPE_PROCESS] = "process",
	};
	struct json_object *o = json_object_new_object();
	struct json_object *pids = json_object_new_array();

	for (unsigned int i = 0; i < meta->n_pids; i++)
		json_object_array_add(pids, json_object_new_int(meta->pids[i]));
	put(o, "kind", text(kinds[meta->scope]));
	put(o, "cpus", text(meta->cpus));
	put(o, "pids", pids);
	put(o, "command", words(meta->command));
	return o;
}

static struct json_object *meta_calibration(const struct vsamp_meta *meta)
{
	struct json_object *o = json_object_new_object();

	put(o, "mode", text(vsamp_cal_mode_name(meta->cal_mode)));
	put(o, "scope", text(meta->cal_per_cpu ? "cpu" : "total"));
	put(o, "seconds", real(meta->cal_seconds));
	put(o, "runs", number(meta->runs));
	return o;
}

static struct json_object *meta_event(const struct vsamp_meta *meta, unsigned int i)
{
	const struct vsamp_event *ev = &meta->events[i];
	struct json_object *o = json_object_new_object();
	char config[24];

	snprintf(config, sizeof(config), "%#" PRIx64, ev->config);
	put(o, "index", number(i));
	put(o, "name", text(ev->name));
	put(o, "config", text(config));
	put(o, "counter", number(ev->counter));
	put(o, "user", json_object_new_boolean(ev->user));
	put(o, "kernel", json_object_new_boolean(ev->kernel));
	put(o, "sav", number(ev->sav));
	put(o, "sav_source", text(vsamp_sav_source_name(ev->sav_source)));
	put(o, "counted", whole(meta->event[i].counted));
	put(o, "target", whole(meta->event[i].target));
	return o;
}

struct json_object *vsamp_meta_json(const struct vsamp_meta *meta)
{
	struct json_object *o = json_object_new_object();
	struct json_object *events = json_object_new_array();

	if (!o || !events) {
		json_object_put(o);
		json_object_put(events);
		return NULL;
	}
	put(o, "version", number(1));
	put(o, "generator", text("vsamp " VSAMP_VERSION));
	put(o, "command_line", words(meta->command_line));
	meta_put_machine(o);
	put(o, "clock", meta_clock(meta->caps));
	put(o, "backend", text("intel"));
	put(o, "backend_reason", text(meta->backend_reason));
	put(o, "scope", meta_scope(meta));
	put(o, "interval_ms", real(meta->interval_ms));
	put(o, "duration_s", real(meta->duration_s));
	put(o, "calibration", meta_calibration(meta));
	for (unsigned int i = 0; i < meta->n_events; i++)
		json_object_array_add(events, meta_event(meta, i));
	put(o, "events", events);
	put(o, "ring_size", number(meta->ring_size));
	put(o, "sideband", json_object_new_boolean(meta->sideband_size));
	put(o, "sideband_size", number(meta->sideband_size));
	return o;
}

static struct json_object *end_cpu(const struct vsamp_recorder_cpu *c)
{
	struct json_object *o = json_object_new_object();

	put(o, "cpu", number(c->cpu));
	put(o, "produced", number(c->produced));
	put(o, "written", number(c->written));
	put(o, "lost", number(c->lost));
	put(o, "read", number(c->read));
	put(o, "pmis", number(c->pmis));
	put(o, "throttled", number(c->throttled));
	return o;
}

static struct json_object *end_event(const struct vsamp_end *end, unsigned int i)
{
	struct json_object *o = json_object_new_object();

	put(o, "index", number(i));
	put(o, "count", number(end->totals->count[i]));
	put(o, "samples", number(end->totals->samples[i]));
	put(o, "target", whole(end->target[i]));
	return o;
}

struct json_object *vsamp_end_json(const struct vsamp_end *end)
{
	struct json_object *o = json_object_new_object();
	struct json_object *cpus = json_object_new_array();
	struct json_object *events = json_object_new_array();

	if (!o || !cpus || !events) {
		json_object_put(o);
		json_object_put(cpus);
		json_object_put(events);
		return NULL;
	}
	for (unsigned int i = 0; i < end->totals->n; i++)
		json_object_array_add(cpus, end_cpu(&end->totals->cpu[i]));
	for (unsigned int i = 0; i < end->n_events; i++)
		json_object_array_add(events, end_event(end, i));
	put(o, "reason", text(end->reason));
	put(o, "elapsed_ns", number(end->elapsed_ns));
	put(o, "exit_status", end->exit_status < 0 ? NULL : json_object_new_int(end->exit_status));
	put(o, "cpus", cpus);
	put(o, "events", events);
	put(o, "sideband_lost", number(end->totals->sideband_lost));
	return o;
}
