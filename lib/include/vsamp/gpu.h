/* SPDX-License-Identifier: MIT */
/*
 * vsamp/gpu.h: the Intel GPUs of a machine, and who reads their OA reports for us
 *
 * All functions are thread-safe for distinct results.
 */
#ifndef VSAMP_GPU_H
#define VSAMP_GPU_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/error.h>
#include <vsamp/oa.h>

#include "vsamp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum vsamp_gpu_path {
	VSAMP_GPU_NONE,	  /* its reports can't be had */
	VSAMP_GPU_I915,	  /* by the stream of i915, which has the GPU */
	VSAMP_GPU_XE,	  /* by that of xe */
	VSAMP_GPU_MODULE, /* by vsamp's module, which has it */
	VSAMP_GPU_FREE,	  /* nobody has it: by vsamp's module, once it is bound */
};

struct vsamp_gpu {
	char slot[16];		  /* PCI's name of the device: 0000:00:02.0 */
	uint32_t id, revision;	  /* PCI's */
	char driver[32];	  /* that has it; empty: none */
	char driver_override[32]; /* that alone may have it; empty: not set */
	char card[16];		  /* its driver's name of it: card0; empty: none */
	char node[32];		  /* of its driver: /dev/dri/renderD128; empty: none */
	uint64_t max_hz;	  /* of the GPU's core; 0: not known */
	const struct vsamp_oa_platform *platform; /* NULL: its id is not known */
	enum vsamp_gpu_path path;
	char why[256]; /* it is that path, and what to do for a better one */
};

/**
 * vsamp_gpus_find - the Intel GPUs of a machine, by their slots
 * @gpu: receives them, for free(); NULL where there are none
 * @gpus: receives how many
 * @root: what stands before /sys; "" is this machine's
 * @err: receives what went wrong; may be NULL
 *
 * 0, -ENOMEM, or why /sys can't be read.
 */
int vsamp_gpus_find(struct vsamp_gpu **gpu, size_t *gpus, const char *root,
		    struct vsamp_error *err);

/** vsamp_gpu_path_name - i915, xe, module, unbound, none */
const char *vsamp_gpu_path_name(enum vsamp_gpu_path path);

/**
 * vsamp_gpu_bind - gives a GPU that no driver has to vsamp's module
 * @gpu: as it was found
 * @root: where
 * @err: receives why not, and what to do; may be NULL
 *
 * 0; -EBUSY: a driver has it; -ENODEV: the module is not loaded, or doesn't know such a GPU; or why
 * the kernel refuses. Where it fails nothing is changed.
 */
int vsamp_gpu_bind(const struct vsamp_gpu *gpu, const char *root, struct vsamp_error *err);

/**
 * vsamp_gpu_unbind - takes a GPU from vsamp's module; other drivers may have it then
 * @gpu: as it was found
 * @root: where
 * @err: receives why not; may be NULL
 *
 * 0; -ENODEV: the module doesn't have it; or why the kernel refuses.
 */
int vsamp_gpu_unbind(const struct vsamp_gpu *gpu, const char *root, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
