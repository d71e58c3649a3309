/* SPDX-License-Identifier: MIT */
/*
 * oa_drm.h: OA reports of a GPU that i915 or xe has, through the stream of that driver; functions are
 * as of vsamp/gpu_stream.h
 */
#ifndef OA_DRM_H
#define OA_DRM_H

#include <vsamp/gpu.h>
#include <vsamp/ring.h>

struct oa_drm;

int oa_drm_open(struct oa_drm **drm, const struct vsamp_gpu *gpu, struct vsamp_error *err);
const struct vsamp_oa_device *oa_drm_device(const struct oa_drm *drm);
unsigned int oa_drm_bits(const struct oa_drm *drm);
int oa_drm_start(struct oa_drm *drm, const struct vsamp_oa_set *set, uint64_t period_ns,
		 struct vsamp_error *err);
uint64_t oa_drm_period(const struct oa_drm *drm);
int oa_drm_fd(const struct oa_drm *drm);
struct vsamp_ring *oa_drm_ring(const struct oa_drm *drm);
int oa_drm_stop(struct oa_drm *drm, struct vsamp_error *err);
void oa_drm_free(struct oa_drm *drm); /* NULL is nothing to do */

#endif
