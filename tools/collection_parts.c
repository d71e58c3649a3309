// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "collection_parts.h"
#include "say.h"

int collection_parts_open(struct collection *c, struct vsamp_error *err)
{
	struct stat st;

	if (!stat(c->o->output, &st) && !S_ISREG(st.st_mode))
		return vsamp_fail(err, -EINVAL,
				  "%s: is no file: --rotate writes files beside it, named %s.TIME",
				  c->o->output, c->o->output);
	c->rotation = (struct rotation){
		.prefix = c->o->output,
		.every_ns = c->o->rotate_s * 1e9,
		.keep = c->o->keep,
	};
	return rotation_open(&c->rotation, &c->output, err);
}

/* Targets of so many ns */
static void parts_aim(struct collection *c, uint64_t ns)
{
	const struct vsamp_cal *cal = &c->calibration->cal;

	for (unsigned int i = 0; i < cal->n; i++) {
		c->part_event[i] = cal->event[i];
		c->part_event[i].target = vsamp_cal_target(cal, i, ns);
	}
}

void collection_parts_begin(struct collection *c)
{
	parts_aim(c, c->rotation.every_ns);
}

/* The account of a file, which takes the totals over */
static void parts_account(struct collection *c, struct vsamp_recorder_totals *totals,
			  uint64_t elapsed_ns, const char *reason)
{
	vsamp_recorder_totals_free(&c->part);
	c->part = *totals;
	memset(totals, 0, sizeof(*totals));
	c->part_ended = (struct vsamp_end_run){
		.reason = reason,
		.elapsed_ns = elapsed_ns,
		.exit_status = -1,
		.throttled = c->part.throttled,
	};
	parts_aim(c, elapsed_ns);
}

void collection_parts_settle(struct collection *c, struct vsamp_recorder_totals *totals)
{
	struct vsamp_end_run *whole = &c->ended[0];
	uint64_t before = c->part_began_ns - c->began_ns;

	whole->throttled = c->totals.throttled;
	parts_account(c, totals, whole->elapsed_ns > before ? whole->elapsed_ns - before : 0,
		      whole->reason);
	c->part_ended.exit_status = whole->exit_status;
}

/* In time with those before, unless that was missed */
static void parts_next_due(struct collection *c, struct run *r)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (r->rotate_due <= now && r->rotate_due + c->rotation.every_ns > now)
		r->rotate_due += c->rotation.every_ns;
	else
		r->rotate_due = now + c->rotation.every_ns;
}

/* Makes the next file ready */
static int parts_prepare(struct collection *c, struct run *r, struct output *next,
			 struct vsamp_error *err)
{
	const struct options *o = c->o;
	const pid_t *pids = run_is_launch(o) ? &r->child.pid : o->pids;
	unsigned int n = run_is_launch(o) ? 1 : o->n_pids;
	int ret = rotation_open(&c->rotation, next, err);

	if (ret)
		return ret;
	/* Whoever they forked isn't known here */
	if (c->cpus->choice.backend != VSAMP_BACKEND_PERF || o->children)
		n = 0;
	c->rotation.parts++;
	collection_parts_begin(c);
	ret = collection_write_head(c, r, next->writer, err);
	c->rotation.parts--;
	if (!ret)
		ret = vsamp_recorder_prepare(r->recorder, next->writer, pids, n, err);
	if (ret)
		rotation_cancel(&c->rotation, next);
	return ret;
}

static void parts_say(const struct collection *c, const char *path, uint64_t size)
{
	uint64_t samples = 0;

	for (unsigned int i = 0; i < c->o->n_events; i++)
		samples += c->part.samples[i];
	if (!c->o->quiet)
		say("%s: %" PRIu64 " samples in %.3f s, %" PRIu64 " records lost; %" PRIu64 " KiB",
		    path, samples, c->part_ended.elapsed_ns / 1e9, c->part.lost, size >> 10);
}

/* The former file is over: its account, and its name */
static int parts_complete(struct collection *c, struct vsamp_recorder_totals *part,
			  struct vsamp_error *err)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_RAW), size;
	const char *path = c->output.path;
	int ret = vsamp_recorder_totals_add(&c->totals, part, err);

	if (ret) {
		vsamp_recorder_totals_free(part);
		return ret;
	}
	parts_account(c, part, now - c->part_began_ns, "rotate");
	c->part_began_ns = now;
	ret = collection_write_account(c, err);
	if (ret)
		return ret;
	size = vsamp_writer_size(c->output.writer);
	ret = rotation_complete(&c->rotation, &c->output, err);
	if (!ret)
		parts_say(c, path, size);
	return ret;
}

static int parts_rotate(struct run *r, void *arg, struct vsamp_error *err)
{
	struct vsamp_recorder_totals part;
	struct vsamp_error why = { 0 };
	struct collection *c = arg;
	struct output next;
	int ret;

	parts_next_due(c, r);
	if (parts_prepare(c, r, &next, &why)) {
		say("%s; what is recorded goes on into %s.part", why.text, c->rotation.path);
		return 0;
	}
	ret = vsamp_recorder_switch(r->recorder, &part, err);
	if (ret) {
		rotation_cancel(&c->rotation, &next);
		return ret;
	}
	output_keep(&next, NULL);
	ret = r->pauses ? vsamp_itt_pauses_start(r->pauses, next.writer, err) : 0;
	if (!ret)
		ret = spooling_start(&c->spooling, next.writer, err);
	if (!ret)
		ret = gpu_recording_write(&c->gpu, r->recorder, c->output.writer, err);
	if (!ret)
		ret = parts_complete(c, &part, err);
	output_close(&c->output, NULL); /* where it could not be completed */
	c->output = next;
	r->writer = next.writer;
	return ret;
}

void collection_parts_follow(struct collection *c, struct run *r)
{
	c->began_ns = r->began_ns;
	c->part_began_ns = r->began_ns;
	r->ends->rotate = false; /* asked for before there was a file */
	r->rotate = parts_rotate;
	r->rotate_arg = c;
	r->rotate_due = clock_ns(CLOCK_MONOTONIC) + c->rotation.every_ns;
}
