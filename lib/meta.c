// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#include <vsamp/backend.h>
#include <vsamp/machine.h>
#include <vsamp/meta.h>
#include <vsamp/pmu.h>

#include "vdso.h"

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
	char hex[BUILDID_HEX];
	struct vsamp_machine m;
	struct timespec now;
	struct buildid id;

	vsamp_machine_get(&m);
	clock_gettime(CLOCK_REALTIME, &now);
	put(o, "hostname", text(m.hostname));
	put(o, "kernel_release", text(m.kernel_release));
	put(o, "machine", text(m.machine));
	put(o, "boot_id", text(m.boot_id));
	put(o, "cpus_online", text(m.cpus_online));
	put(o, "started_realtime_ns", number(now.tv_sec * 1000000000ULL + now.tv_nsec));
	put(o, "pid_namespace", number(m.pid_namespace));
	if (!buildid_from_notes_file(&id, KERNEL_NOTES))
		put(o, "kernel_build_id", text(buildid_format(&id, hex)));
	vdso_id(&id);
	if (id.size)
		put(o, "vdso_build_id", text(buildid_format(&id, hex)));
}

static struct json_object *meta_clock_before(const struct vsamp_record_clock *c)
{
	struct json_object *o = json_object_new_object();

	put(o, "time", number(c->time));
	put(o, "bracket", number(c->bracket));
	put(o, "monotonic_raw", number(c->monotonic_raw));
	put(o, "monotonic", number(c->monotonic));
	put(o, "realtime", number(c->realtime));
	return o;
}

static struct json_object *meta_clock(const struct vsamp_cpu_caps *caps,
				      const struct vsamp_record_clock *before)
{
	static const char *const sources[] = {
		[VSAMP_CLOCK_TSC] = "tsc",
		[VSAMP_CLOCK_MONOTONIC] = "monotonic",
		[VSAMP_CLOCK_MONOTONIC_RAW] = "monotonic-raw",
	};
	struct json_object *o = json_object_new_object();

	if (caps->clock < sizeof(sources) / sizeof(sources[0]) && sources[caps->clock])
		put(o, "source", text(sources[caps->clock]));
	put(o, "khz", number(caps->clock_khz));
	put(o, "before", before ? meta_clock_before(before) : NULL);
	return o;
}

static struct json_object *meta_scope(const struct vsamp_meta *meta)
{
	static const char *const kinds[] = {
		[VSAMP_SCOPE_MACHINE] = "machine",
		[VSAMP_SCOPE_CPUS] = "cpus",
		[VSAMP_SCOPE_PROCESS] = "process",
		[VSAMP_SCOPE_CGROUP] = "cgroup",
	};
	struct json_object *o = json_object_new_object();
	struct json_object *pids = json_object_new_array();
	struct json_object *cgroups = json_object_new_array();

	for (unsigned int i = 0; i < meta->n_pids; i++)
		json_object_array_add(pids, json_object_new_int(meta->pids[i]));
	for (unsigned int i = 0; i < meta->n_cgroups; i++)
		json_object_array_add(cgroups, text(meta->cgroups[i]));
	put(o, "kind", text(kinds[meta->scope]));
	put(o, "cpus", text(meta->cpus));
	put(o, "pids", pids);
	put(o, "cgroups", cgroups);
	put(o, "children", json_object_new_boolean(meta->children));
	put(o, "command", words(meta->command));
	return o;
}

static struct json_object *meta_calibration(const struct vsamp_meta *meta)
{
	struct json_object *o = json_object_new_object();

	put(o, "mode", text(vsamp_cal_mode_name(meta->cal_mode)));
	put(o, "adaptive", json_object_new_boolean(meta->adaptive));
	put(o, "scope", text(meta->cal_per_cpu ? "cpu" : "total"));
	put(o, "runs", number(meta->runs));
	put(o, "sets", number(meta->sets));
	put(o, "mux_ms", meta->mux_ms ? number(meta->mux_ms) : NULL);
	put(o, "sav_floor", number(meta->sav_floor));
	return o;
}

static struct json_object *meta_stacks(const struct vsamp_meta *meta)
{
	struct json_object *o;

	if (!meta->stacks)
		return NULL;
	o = json_object_new_object();
	put(o, "kernel", json_object_new_boolean(meta->stacks & VSAMP_STACKS_KERNEL));
	put(o, "user", json_object_new_boolean(meta->stacks & VSAMP_STACKS_USER));
	put(o, "depth", number(meta->stack_depth));
	return o;
}

/* What calibration decides, and so changes from run to run */
static void put_calibrated(struct json_object *o, const struct vsamp_event *ev,
			   const struct vsamp_cal_event *cal)
{
	put(o, "sav", number(ev->sav));
	put(o, "sav_source", text(vsamp_sav_source_name(ev->sav_source)));
	put(o, "calibration", text(vsamp_cal_how_name(cal->how)));
	put(o, "counted", whole(cal->counted));
	put(o, "cal_ns", cal->cal_ns ? number(cal->cal_ns) : NULL);
	put(o, "target", whole(cal->target));
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
	put(o, "set", number(ev->set));
	put(o, "counter", number(ev->counter));
	put(o, "user", json_object_new_boolean(ev->user));
	put(o, "kernel", json_object_new_boolean(ev->kernel));
	put_calibrated(o, ev, &meta->event[i]);
	return o;
}

/* "cpu_core (CPUs 0-7), cpu_atom (CPUs 8-15)" */
static struct json_object *meta_pmus(void)
{
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	char names[256];

	vsamp_pmus_text(pmu, vsamp_pmus_get(pmu, ""), names, sizeof(names));
	return text(names);
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
	put(o, "clock", meta_clock(meta->caps, meta->clock_before));
	put(o, "backend", text(vsamp_backend_name(meta->backend)));
	put(o, "backend_reason", text(meta->backend_reason));
	put(o, "pmus", meta_pmus());
	put(o, "scope", meta_scope(meta));
	put(o, "part", meta->part ? number(meta->part) : NULL);
	put(o, "interval_ms", real(meta->interval_ms));
	put(o, "duration_s", real(meta->duration_s));
	put(o, "calibration", meta_calibration(meta));
	for (unsigned int i = 0; i < meta->n_events; i++)
		json_object_array_add(events, meta_event(meta, i));
	put(o, "events", events);
	put(o, "stacks", meta_stacks(meta));
	put(o, "ring_size", number(meta->ring_size));
	put(o, "sideband", json_object_new_boolean(meta->sideband_size));
	put(o, "sideband_size", number(meta->sideband_size));
	return o;
}

struct json_object *vsamp_run_json(const struct vsamp_meta *meta, uint32_t set)
{
	struct json_object *o = json_object_new_object();
	struct json_object *events = json_object_new_array();

	if (!o || !events) {
		json_object_put(o);
		json_object_put(events);
		return NULL;
	}
	for (unsigned int i = 0; i < meta->n_events; i++) {
		struct json_object *e;

		if (meta->events[i].set != set)
			continue;
		e = json_object_new_object();
		put(e, "index", number(i));
		put_calibrated(e, &meta->events[i], &meta->event[i]);
		json_object_array_add(events, e);
	}
	put(o, "set", number(set));
	put(o, "events", events);
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
	const struct vsamp_recorder_totals *t = end->totals;
	struct json_object *o = json_object_new_object();

	put(o, "index", number(i));
	put_calibrated(o, &end->events[i], &end->event[i]);
	put(o, "count", number(t->count[i]));
	put(o, "samples", number(t->overflows[i]));
	/* without time slices: of no meaning */
	put(o, "enabled", t->enabled[i] ? number(t->enabled[i]) : NULL);
	put(o, "running", t->enabled[i] ? number(t->running[i]) : NULL);
	return o;
}

static struct json_object *exit_status(const struct vsamp_end_run *run)
{
	return run->exit_status < 0 ? NULL : json_object_new_int(run->exit_status);
}

/* How the runs ended, one by one, and the recording as a whole: as the last of them */
static void end_put_runs(struct json_object *o, const struct vsamp_end *end)
{
	struct json_object *runs = json_object_new_array();
	uint64_t elapsed = 0;

	for (unsigned int i = 0; i < end->runs; i++) {
		const struct vsamp_end_run *run = &end->run[i];
		struct json_object *r = json_object_new_object();

		put(r, "set", number(i));
		put(r, "reason", text(run->reason));
		put(r, "elapsed_ns", number(run->elapsed_ns));
		put(r, "exit_status", exit_status(run));
		put(r, "throttled", number(run->throttled));
		json_object_array_add(runs, r);
		elapsed += run->elapsed_ns;
	}
	put(o, "reason", end->runs ? text(end->run[end->runs - 1].reason) : NULL);
	put(o, "elapsed_ns", number(elapsed));
	put(o, "exit_status", end->runs ? exit_status(&end->run[end->runs - 1]) : NULL);
	put(o, "runs", runs);
}

static struct json_object *end_gpu(const struct vsamp_gpu_recorded *g)
{
	struct json_object *o = json_object_new_object();

	put(o, "slot", text(g->slot));
	put(o, "id", number(g->id));
	put(o, "platform", text(g->platform));
	put(o, "path", text(g->path));
	put(o, "set", text(g->set));
	put(o, "period_ns", number(g->period_ns));
	put(o, "interval_ns", number(g->interval_ns));
	put(o, "reports", number(g->totals.reports));
	put(o, "lost", number(g->totals.lost));
	put(o, "no_room", number(g->totals.no_room));
	put(o, "clock_error_ns",
	    g->totals.clock_error == UINT64_MAX ? NULL : number(g->totals.clock_error));
	put(o, "clock_pieces", number(g->totals.clock_pieces));
	return o;
}

static struct json_object *end_gpus(const struct vsamp_end *end)
{
	struct json_object *gpus = json_object_new_array();

	for (unsigned int i = 0; i < end->n_gpus; i++)
		json_object_array_add(gpus, end_gpu(&end->gpus[i]));
	return gpus;
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
	end_put_runs(o, end);
	put(o, "cpus", cpus);
	put(o, "events", events);
	put(o, "sideband_lost", number(end->totals->sideband_lost));
	put(o, "gpus", end->n_gpus ? end_gpus(end) : NULL);
	return o;
}
