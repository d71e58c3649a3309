// SPDX-License-Identifier: MIT
/* gpu_stream.c: a GPU's reports by whom they are had */
#include <errno.h>
#include <stdlib.h>

#include <vsamp/gpu_stream.h>

#include "gpu_module.h"
#include "oa_drm.h"

/* One of both */
struct vsamp_gpu_stream {
	struct oa_drm *drm;
	struct gpu_module *module;
};

int vsamp_gpu_stream_open(struct vsamp_gpu_stream **stream, const struct vsamp_gpu *gpu,
			  struct vsamp_error *err)
{
	struct vsamp_gpu_stream *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	if (gpu->path == VSAMP_GPU_MODULE)
		ret = gpu_module_open(&s->module, gpu, err);
	else
		ret = oa_drm_open(&s->drm, gpu, err);
	if (ret) {
		free(s);
		return ret;
	}
	*stream = s;
	return 0;
}

const struct vsamp_oa_device *vsamp_gpu_stream_device(const struct vsamp_gpu_stream *s)
{
	return s->drm ? oa_drm_device(s->drm) : gpu_module_device(s->module);
}

unsigned int vsamp_gpu_stream_bits(const struct vsamp_gpu_stream *s)
{
	return s->drm ? oa_drm_bits(s->drm) : gpu_module_bits(s->module);
}

int vsamp_gpu_stream_start(struct vsamp_gpu_stream *s, const struct vsamp_oa_set *set,
			   uint64_t period_ns, struct vsamp_error *err)
{
	return s->drm ? oa_drm_start(s->drm, set, period_ns, err) :
			gpu_module_start(s->module, set, period_ns, err);
}

uint64_t vsamp_gpu_stream_period(const struct vsamp_gpu_stream *s)
{
	return s->drm ? oa_drm_period(s->drm) : gpu_module_period(s->module);
}

int vsamp_gpu_stream_fd(const struct vsamp_gpu_stream *s)
{
	return s->drm ? oa_drm_fd(s->drm) : gpu_module_fd(s->module);
}

struct vsamp_ring *vsamp_gpu_stream_ring(const struct vsamp_gpu_stream *s)
{
	return s->drm ? oa_drm_ring(s->drm) : gpu_module_ring(s->module);
}

int vsamp_gpu_stream_stop(struct vsamp_gpu_stream *s, struct vsamp_error *err)
{
	return s->drm ? oa_drm_stop(s->drm, err) : gpu_module_stop(s->module, err);
}

void vsamp_gpu_stream_close(struct vsamp_gpu_stream *s)
{
	if (!s)
		return;
	oa_drm_free(s->drm);
	gpu_module_close(s->module);
	free(s);
}

unsigned int vsamp_gpu_exponent(uint64_t hz, uint64_t period_ns, uint64_t *actual_ns)
{
	unsigned int e = 0;

	while (e < VSAMP_GPU_EXPONENT_MAX &&
	       (4ULL << e) * (unsigned __int128)1000000000 <= (unsigned __int128)period_ns * hz)
		e++;
	*actual_ns = ((2ULL << e) * (unsigned __int128)1000000000 + hz - 1) / hz;
	return e;
}
