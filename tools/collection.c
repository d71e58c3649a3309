// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>

#include "collection.h"
#include "collection_parts.h"
#include "follow.h"
#include "joining.h"
#include "outcome.h"
#include "say.h"

bool collection_rotates(const struct collection *c)
{
	return c->o->rotate_s > 0;
}

static void collection_meta(const struct collection *c, const struct run *r,
			    struct vsamp_meta *meta)
{
	const struct vsamp_cal *cal = &c->calibration->cal;
	const struct options *o = c->o;
	struct vsamp_cal_step first;

	/* How many runs there are, whichever is next */
	vsamp_cal_next(cal, &first);
	*meta = (struct vsamp_meta){
		.command_line = c->argv,
		.caps = &c->cpus->caps,
		.backend = c->cpus->choice.backend,
		.backend_reason = c->cpus->choice.reason,
		.scope = o->cgroups.n		       ? VSAMP_SCOPE_CGROUP :
			 run_is_launch(o) || o->n_pids ? VSAMP_SCOPE_PROCESS :
			 o->cpus		       ? VSAMP_SCOPE_CPUS :
							 VSAMP_SCOPE_MACHINE,
		.cpus = c->cpus->list,
		.pids = run_is_launch(o) ? &r->child.pid : o->pids,
		.n_pids = run_is_launch(o) ? 1 : o->n_pids,
		.children = o->children,
		.cgroups = o->cgroups.name,
		.n_cgroups = o->cgroups.n,
		.command = o->command,
		.interval_ms = o->interval_ms,
		.duration_s = o->duration_s > 0 ? o->duration_s : NAN,
		.cal_mode = o->cal_mode,
		.cal_per_cpu = c->calibration->per_cpu,
		.adaptive = o->adaptive,
		.sav_floor = cal->options.floor,
		.runs = first.runs,
		.sets = c->cpus->sets,
		.mux_ms = o->mux_ms,
		.events = o->events,
		.event = collection_rotates(c) ? c->part_event : cal->event,
		.n_events = o->n_events,
		.part = collection_rotates(c) ? c->rotation.parts + 1 : 0,
		.stacks = o->stacks,
		.stack_depth = o->stack_depth,
		.ring_size = o->ring_size ? o->ring_size : VSAMP_RING_SIZE_DEFAULT,
		.sideband_size = c->sideband ? vsamp_sideband_size(c->sideband) : 0,
	};
}

static int collection_write_json(struct vsamp_writer *w, enum vsamp_chunk_type type,
				 struct json_object *object, struct vsamp_error *err)
{
	int ret = object ? vsamp_writer_json(w, type, object, err) :
			   vsamp_fail(err, -ENOMEM, "out of memory");

	json_object_put(object);
	return ret;
}

static bool collection_counts_kernel(const struct options *o)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		if (o->events[i].kernel)
			return true;
	return false;
}

int collection_write_head(struct collection *c, const struct run *r, struct vsamp_writer *w,
			  struct vsamp_error *err)
{
	struct vsamp_record_clock clock;
	struct vsamp_error why = { 0 };
	struct vsamp_meta meta;
	int ret;

	collection_meta(c, r, &meta);
	if (r->recorder && vsamp_recorder_clock(r->recorder, &clock))
		meta.clock_before = &clock;
	ret = collection_write_json(w, VSAMP_CHUNK_META, vsamp_meta_json(&meta), err);
	if (ret)
		return ret;
	if (!vsamp_writer_kallsyms(w, &why))
		return 0;
	ret = vsamp_writer_flush(w, err);
	/* That it can't be had was said of the first file */
	if (!ret && collection_counts_kernel(c->o) && !r->recorder)
		say("%s", why.text);
	return ret;
}

/* What stands before the records: how it is taken, the kernel's symbols, what runs already */
static int collection_write_start(struct collection *c, const struct run *r,
				  struct vsamp_error *err)
{
	int ret = c->o->no_sideband ? 0 : follow_open(&c->sideband, c->o, r, err);

	if (!ret && collection_rotates(c))
		collection_parts_begin(c);
	if (!ret)
		ret = collection_write_head(c, r, c->output.writer, err);
	return ret || c->o->no_sideband ? ret : follow_synthesize(c->output.writer, c->o, r, err);
}

/* Before the records of a further set: what is known of its events now */
static int collection_write_run(struct collection *c, const struct run *r, struct vsamp_error *err)
{
	struct vsamp_meta meta;

	collection_meta(c, r, &meta);
	return collection_write_json(c->output.writer, VSAMP_CHUNK_RUN,
				     vsamp_run_json(&meta, r->set), err);
}

static void collection_say_event(const struct collection *c, const struct vsamp_event *ev)
{
	char counter[32] = "";

	if (c->cpus->choice.backend == VSAMP_BACKEND_INTEL)
		snprintf(counter, sizeof(counter), "on %s counter %u, ",
			 ev->counter < VSAMP_COUNTER_FIXED ? "general" : "fixed",
			 ev->counter % VSAMP_COUNTER_FIXED);
	say("%s%s: %sSAV %" PRIu64 " (%s)", ev->name, vsamp_event_levels(ev), counter, ev->sav,
	    vsamp_sav_source_name(ev->sav_source));
}

static void collection_say_start(const struct collection *c, const struct vsamp_cal_step *step)
{
	const struct options *o = c->o;
	char set[512];

	if (o->quiet)
		return;
	for (unsigned int i = 0; i < o->n_events && o->verbose; i++)
		if (o->mux_ms || o->events[i].set == step->set)
			collection_say_event(c, &o->events[i]);
	if (c->cpus->caps.clock == VSAMP_CLOCK_MONOTONIC && !c->sets)
		say("the TSC is not invariant here: times are of the kernel's monotonic clock");
	calibration_set_text(c->calibration, step, set, sizeof(set));
	if (step->duration_ns)
		say("recording, %u of %u runs:%s for %g s", step->run, step->runs, set,
		    step->duration_ns / 1e9);
	else
		say("recording, %u of %u runs:%s until %s", step->run, step->runs, set,
		    o->command ? "the command ends" :
		    o->n_pids  ? "the processes end, or Ctrl-C" :
				 "Ctrl-C");
}

static const char *run_reason(const struct run *r)
{
	static const char *const reasons[] = {
		[RUN_DURATION] = "duration", [RUN_SIGNAL] = "signal", [RUN_EXIT] = "exit",
		[RUN_FOREIGN] = "foreign",   [RUN_REBOOT] = "reboot",
	};

	return reasons[r->end];
}

/* A collection that is over: its account, and what it means for the targets */
static int collection_settle(struct collection *c, struct run *r, struct vsamp_error *err)
{
	struct vsamp_end_run *ended = &c->ended[c->sets];
	struct vsamp_recorder_totals totals;
	struct vsamp_error wrong = { 0 }, gpu = { 0 };
	int account, ret = 0;

	account = vsamp_recorder_finish(r->recorder, &totals, &wrong);
	if (!account || account == -EBADMSG)
		ret = vsamp_recorder_totals_add(&c->totals, &totals, &wrong);
	ended->throttled = totals.throttled;
	if (ret || (account && account != -EBADMSG)) {
		vsamp_recorder_totals_free(&totals);
		return vsamp_fail(err, ret ? ret : account, "%s", wrong.text);
	}
	ended->reason = account ? "error" : run_reason(r);
	ended->elapsed_ns = r->elapsed_ns;
	ended->exit_status = r->child.ended ? r->child.status : -1;
	ret = gpu_recording_end(&c->gpu, r->recorder, c->output.writer, &gpu);
	if (collection_rotates(c))
		collection_parts_settle(c, &totals);
	vsamp_recorder_totals_free(&totals);
	c->sets++;
	c->incomplete = false;
	vsamp_cal_collected(&c->calibration->cal,
			    &(struct vsamp_cal_run){
				    .elapsed_ns = r->elapsed_ns,
				    .program_ended = c->o->command && r->end == RUN_EXIT,
			    });
	if (account)
		return vsamp_fail(err, account, "%s", wrong.text);
	return ret ? vsamp_fail(err, ret, "%s", gpu.text) : 0;
}

static void collection_adapt(struct collection *c, const struct vsamp_cal_step *step, struct run *r)
{
	const struct vsamp_cal *cal = &c->calibration->cal;
	uint64_t duration = step->duration_ns;

	/* The program will take as long as it took to calibrate */
	for (unsigned int i = 0; i < cal->n && !duration; i++)
		if (cal->events[i].set == step->set && !isnan(cal->event[i].target))
			duration = cal->event[i].cal_ns;
	adapt_begin(&c->adapt, cal, step->set, duration, c->o->force);
	r->adapt = &c->adapt;
}

static int collection_open(struct collection *c, struct run *r, struct vsamp_error *err)
{
	bool first = !c->output.writer;
	int ret = !first		? 0 :
		  collection_rotates(c) ? collection_parts_open(c, err) :
					  output_open(&c->output, c->o->output, err);

	if (ret)
		return ret;
	r->collect = true;
	r->writer = c->output.writer;
	spooling_begin(&c->spooling, c->o, c->cpus->caps.clock, r->ends);
	ret = joining_open(&c->spooling, c->o, err);
	if (ret)
		return ret;
	ret = pausing_begin(&c->pausing, c->o, c->o->itt_dir ? c->o->itt_dir : c->spooling.dir,
			    c->cpus->caps.clock, r->ends, err);
	r->pauses = c->pausing.all;
	if (!ret)
		ret = run_open(r, err);
	if (!ret)
		ret = first ? collection_write_start(c, r, err) : collection_write_run(c, r, err);
	if (!ret && !c->spooling.joins)
		ret = spooling_start(&c->spooling, c->output.writer, err);
	r->sideband = c->sideband;
	r->spooling = &c->spooling;
	r->gpu = &c->gpu;
	return ret;
}

int collection_run(struct collection *c, const struct vsamp_cal_step *step, struct run *r,
		   struct vsamp_error *err)
{
	int ret = collection_open(c, r, err);

	if (!ret) {
		collection_say_start(c, step);
		ret = run_start(r, err);
	}
	if (!ret && c->spooling.joins)
		ret = spooling_start(&c->spooling, c->output.writer, err);
	if (!ret) {
		c->incomplete = true;
		ret = output_keep(&c->output, err);
	}
	if (!ret && c->o->adaptive)
		collection_adapt(c, step, r);
	if (!ret && collection_rotates(c))
		collection_parts_follow(c, r);
	if (!ret)
		ret = run_finish(r, step->duration_ns, err);
	if (!ret)
		ret = collection_settle(c, r, err);
	gpu_recording_close(&c->gpu);
	run_close(r);
	pausing_end(&c->pausing);
	ret = spooling_end(&c->spooling, ret ? NULL : c->output.writer, ret, err);
	if (!ret)
		pausing_say(&c->pausing, c->o, &c->spooling.told);
	return ret;
}

unsigned int collection_missing(const struct collection *c)
{
	return (c->o->mux_ms ? 1 : c->calibration->cal.sets) - c->sets;
}

int collection_write_account(struct collection *c, struct vsamp_error *err)
{
	bool part = collection_rotates(c);
	struct vsamp_gpu_recorded gpu;
	struct vsamp_end end = {
		.run = part ? &c->part_ended : c->ended,
		.runs = part ? 1 : c->sets,
		.totals = part ? &c->part : &c->totals,
		.events = c->o->events,
		.event = part ? c->part_event : c->calibration->cal.event,
		.n_events = c->o->n_events,
		.gpus = &gpu,
		.n_gpus = gpu_recording_account(&c->gpu, &gpu),
	};

	return collection_write_json(c->output.writer, VSAMP_CHUNK_END, vsamp_end_json(&end), err);
}

static void collection_say_outcome(const struct collection *c, uint64_t size)
{
	outcome_say(&(struct outcome){
		.o = c->o,
		.calibration = c->calibration,
		.totals = &c->totals,
		.ended = c->ended,
		.sets = c->sets,
		.file_size = size,
		.files = c->rotation.parts,
	});
}

/* Tells of a full disk, too */
static int collection_close_output(struct collection *c, bool complete, struct vsamp_error *err)
{
	if (!c->output.writer)
		return 0;
	if (complete && collection_rotates(c))
		return rotation_complete(&c->rotation, &c->output, err);
	return output_close(&c->output, err);
}

int collection_end(struct collection *c, struct vsamp_error *err)
{
	bool complete = c->sets && !c->incomplete;
	int ret = 0, closed;
	uint64_t size;

	if (c->sideband && c->sets)
		ret = vsamp_sideband_drain(c->sideband, c->output.writer, err);
	if (!ret && complete)
		ret = collection_write_account(c, err);
	vsamp_sideband_close(c->sideband);
	size = c->output.writer ? c->rotation.size + vsamp_writer_size(c->output.writer) : 0;
	closed = collection_close_output(c, !ret && complete, ret ? NULL : err);
	if (!ret && complete && !closed)
		collection_say_outcome(c, size);
	if (!ret && complete && !closed)
		gpu_recording_say(&c->gpu, c->o->quiet);
	vsamp_recorder_totals_free(&c->totals);
	vsamp_recorder_totals_free(&c->part);
	rotation_free(&c->rotation);
	return ret ? ret : closed;
}
