/* SPDX-License-Identifier: MIT */
/* gpu_module.h: OA reports of a GPU that the module has; its functions are as of vsamp/gpu_stream.h */
#ifndef GPU_MODULE_H
#define GPU_MODULE_H

#include <vsamp/gpu.h>
#include <vsamp/ring.h>

struct gpu_module;
struct nlmsghdr;

int gpu_module_open(struct gpu_module **module, const struct vsamp_gpu *gpu,
		    struct vsamp_error *err);
const struct vsamp_oa_device *gpu_module_device(const struct gpu_module *m);
unsigned int gpu_module_bits(const struct gpu_module *m);
int gpu_module_start(struct gpu_module *m, const struct vsamp_oa_set *set, uint64_t period_ns,
		     struct vsamp_error *err);
uint64_t gpu_module_period(const struct gpu_module *m);
int gpu_module_fd(const struct gpu_module *m);
struct vsamp_ring *gpu_module_ring(const struct gpu_module *m);
int gpu_module_stop(struct gpu_module *m, struct vsamp_error *err);
void gpu_module_close(struct gpu_module *m); /* NULL is nothing to do */

/* What the module says of a GPU */
struct gpu_module_info {
	const char *slot; /* which is looked for */
	bool found;
	uint32_t number, formats;
	uint32_t slices, subslices, eus; /* as uapi/vsamp.h has them */
	uint64_t hz;
};

/* Takes a message of GPU_GET, if it is of the slot */
int gpu_module_message(const struct nlmsghdr *nlh, void *info);

/* Puts what a stream is to be into a request of GPU_CONFIGURE, as of GPU @number */
void gpu_module_config_put(struct nlmsghdr *nlh, uint32_t number, uint32_t format,
			   uint32_t exponent, const struct vsamp_oa_set *set);

#endif
