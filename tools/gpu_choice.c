// SPDX-License-Identifier: MIT
/* --gpu and what belongs to it; and which GPU and set of metrics that is here */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_recording.h"

#define SET_DEFAULT "RenderBasic"
#define PERIOD_MS   1
#define INTERVAL_MS 10
#define MS_MIN	    0.01
#define MS_MAX	    1e6

/* SLOT, SET, or SLOT:SET, where a slot has colons and a dot, 0000:00:02.0 */
int options_take_gpu(struct options *o, const char *value, struct vsamp_error *err)
{
	const char *last = strrchr(value, ':');

	if (last && !last[1])
		return vsamp_fail(err, -EINVAL, "'%s' is no GPU and set: [DEVICE:][SET]", value);
	o->gpu = true;
	o->gpu_slot = last ? value : NULL;
	o->gpu_set = !last ? value : strchr(last, '.') ? "" : last + 1;
	return 0;
}

static int take_ms(double *to, const char *value, const char *what, struct vsamp_error *err)
{
	char *end;
	double ms = strtod(value, &end);

	if (end == value || *end || !(ms >= MS_MIN && ms <= MS_MAX))
		return vsamp_fail(err, -EINVAL, "'%s' is no %s: give %g to %g milliseconds", value,
				  what, MS_MIN, MS_MAX);
	*to = ms;
	return 0;
}

int options_take_gpu_period(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_ms(&o->gpu_period_ms, value, "time between a GPU's reports", err);
}

int options_take_gpu_interval(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_ms(&o->gpu_interval_ms, value, "time between values of a GPU's metrics", err);
}

int options_check_gpu(const struct options *o, struct vsamp_error *err)
{
	if (!o->gpu && (o->gpu_period_ms > 0 || o->gpu_interval_ms > 0))
		return vsamp_fail(
			err, -EINVAL,
			"--gpu-period and --gpu-interval are for a GPU's reports: add --gpu");
	return 0;
}

static bool has_path(const struct vsamp_gpu *g)
{
	return g->path == VSAMP_GPU_I915 || g->path == VSAMP_GPU_XE || g->path == VSAMP_GPU_MODULE;
}

/* The one that is named; or the only one whose reports can be had */
static int gpu_find(struct vsamp_gpu *found, const struct options *o, struct vsamp_error *err)
{
	size_t length = o->gpu_slot ? strlen(o->gpu_slot) : 0, n, fit = 0, named = 0;
	struct vsamp_gpu *gpu;
	int ret = vsamp_gpus_find(&gpu, &n, "", err);

	if (ret)
		return ret;
	if (length && *o->gpu_set)
		length -= strlen(o->gpu_set) + 1;
	for (size_t i = 0; i < n; i++) {
		if (length && (strncmp(gpu[i].slot, o->gpu_slot, length) || gpu[i].slot[length]))
			continue;
		named++;
		if (!fit || has_path(&gpu[i]))
			*found = gpu[i];
		fit += has_path(&gpu[i]);
	}
	free(gpu);
	if (!named)
		return vsamp_fail(
			err, -ENODEV,
			"--gpu: there is no GPU of Intel's%s%.*s here: 'vsamp gpu list' lists them",
			length ? " at " : "", (int)length, length ? o->gpu_slot : "");
	if (fit > 1)
		return vsamp_fail(
			err, -EINVAL,
			"--gpu: there are several: name one that 'vsamp gpu list' lists, as --gpu=%s",
			found->slot);
	if (!fit)
		return vsamp_fail(err, -ENODEV, "--gpu: %s: %s", found->slot, found->why);
	return 0;
}

static int set_find(struct gpu_recording *g, const char *name, struct vsamp_error *err)
{
	const struct vsamp_oa_platform *p = g->gpu.platform;
	char names[256] = "";
	size_t at = 0;

	for (unsigned int i = 0; p && i < p->sets && at < sizeof(names); i++)
		at += snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "",
			       p->set[i].name);
	if (!p || !p->sets)
		return vsamp_fail(err, -ENODEV, "--gpu: %s: no metrics are known of such a GPU",
				  g->gpu.slot);
	g->set = vsamp_oa_set_find(p, name);
	if (!g->set)
		return vsamp_fail(err, -EINVAL, "--gpu: %s has no set %s: it has %s", g->gpu.slot,
				  name, names);
	return 0;
}

/* Whether it can be had, or somebody else reads it, is known only by taking it */
static int gpu_try(const struct gpu_recording *g, struct vsamp_error *err)
{
	struct vsamp_gpu_stream *stream = NULL;
	struct vsamp_error why = { 0 };
	int ret = vsamp_gpu_stream_open(&stream, &g->gpu, &why);

	if (!ret)
		ret = vsamp_gpu_stream_start(stream, g->set, g->period_ns, &why);
	vsamp_gpu_stream_close(stream);
	return ret ? vsamp_fail(err, ret, "--gpu: %s", why.text) : 0;
}

int gpu_recording_find(struct gpu_recording *g, const struct options *o, uint64_t khz,
		       struct vsamp_error *err)
{
	double period = o->gpu_period_ms > 0 ? o->gpu_period_ms : PERIOD_MS;
	double interval = o->gpu_interval_ms > 0 ? o->gpu_interval_ms : INTERVAL_MS;
	int ret;

	if (!o->gpu)
		return 0;
	ret = gpu_find(&g->gpu, o, err);
	if (!ret)
		ret = set_find(g, *o->gpu_set ? o->gpu_set : SET_DEFAULT, err);
	g->khz = khz;
	g->period_ns = period * 1e6;
	g->interval_ns = (interval > period ? interval : period) * 1e6;
	return ret ? ret : gpu_try(g, err);
}
