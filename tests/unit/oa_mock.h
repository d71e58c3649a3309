/* SPDX-License-Identifier: MIT */
/* oa_mock.h: a kernel that answers as it is told, and remembers what it was asked; i915 is of it */
#ifndef OA_MOCK_H
#define OA_MOCK_H

#include <errno.h>
#include <libdrm/i915_drm.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp/gpu_stream.h>

#include "oa_drm_private.h"
#include "oa_xe_uapi.h"

#define CONFIG 42

/* What the kernel is to answer, and what it was asked */
static struct {
	int node, stream;				  /* file descriptors */
	int oa_hz, cs_hz;				  /* -1: no such parameter */
	int fail_add, fail_open, fail_enable, fail_query; /* errno values */
	uint64_t now, step[8]; /* the machine's clock, and how it goes on at each reading */
	unsigned int steps;
	uint64_t ticks;
	uint32_t width;
	uint64_t status;
	uint8_t data[2048]; /* to be read */
	size_t size;
	int read_errno; /* where there is nothing more */

	unsigned int adds, removes, opens, enables, disables;
	uint64_t property[16];
	unsigned int properties, flags;
	char uuid[37];
	struct vsamp_oa_reg reg[512];
	unsigned int mux, boolean, flex, regs;
	uint64_t topology_query;
} k;

static inline int failed(int code)
{
	errno = code;
	return -1;
}

static inline int i915_getparam(struct drm_i915_getparam *p)
{
	int v = p->param == 54 ? 5 : p->param == 57 ? k.oa_hz : p->param == 51 ? k.cs_hz : -1;

	if (k.fail_query)
		return failed(k.fail_query);
	if (v < 0)
		return failed(EINVAL);
	*p->value = v;
	return 0;
}

/* A slice of 3 subslices of 8 execution units */
static inline int i915_topology(struct drm_i915_query *q)
{
	static const struct {
		struct drm_i915_query_topology_info info;
		uint8_t data[5];
	} t = { { 0, 1, 3, 8, 1, 1, 2, 1 }, { 1, 7, 0xff, 0xff, 0xff } };
	struct drm_i915_query_item *item = (void *)(uintptr_t)q->items_ptr;

	assert_int_equal(q->num_items, 1);
	k.topology_query = item->query_id;
	if (item->data_ptr) {
		assert_int_equal(item->length, sizeof(t.info) + 5);
		memcpy((void *)(uintptr_t)item->data_ptr, &t, item->length);
	}
	item->length = sizeof(t.info) + 5;
	return 0;
}

static inline void regs_take(unsigned int n, uint64_t ptr)
{
	assert_true(k.regs + n <= 512);
	if (n)
		memcpy(&k.reg[k.regs], (void *)(uintptr_t)ptr, n * sizeof(k.reg[0]));
	k.regs += n;
}

static inline int i915_add(struct drm_i915_perf_oa_config *c)
{
	k.adds++;
	k.regs = 0;
	memcpy(k.uuid, c->uuid, 36);
	regs_take(k.mux = c->n_mux_regs, c->mux_regs_ptr);
	regs_take(k.boolean = c->n_boolean_regs, c->boolean_regs_ptr);
	regs_take(k.flex = c->n_flex_regs, c->flex_regs_ptr);
	return k.fail_add ? failed(k.fail_add) : CONFIG;
}

static inline int i915_open(struct drm_i915_perf_open_param *p)
{
	k.opens++;
	k.flags = p->flags;
	k.properties = p->num_properties;
	memcpy(k.property, (void *)(uintptr_t)p->properties_ptr, 16 * k.properties);
	if (k.fail_open)
		return failed(k.fail_open);
	return k.stream = eventfd(0, 0);
}

static inline int remove_config(const uint64_t *config)
{
	assert_int_equal(*config, CONFIG);
	k.removes++;
	return 0;
}

static inline int on_stream(int fd, unsigned long request, void *arg)
{
	assert_int_equal(fd, k.stream);
	if (request == _IO('i', 0)) {
		k.enables++;
		return k.fail_enable ? failed(k.fail_enable) : 0;
	}
	if (request == _IO('i', 1)) {
		k.disables++;
		return 0;
	}
	assert_int_equal(request, _IO('i', 3));
	((struct xe_oa_stream_status *)arg)->oa_status = k.status;
	k.status = 0;
	return 0;
}

static inline int i915_ioctl(int fd, unsigned long request, void *arg)
{
	if (fd != k.node)
		return on_stream(fd, request, arg);
	switch (request) {
	case DRM_IOCTL_I915_GETPARAM:
		return i915_getparam(arg);
	case DRM_IOCTL_I915_QUERY:
		return i915_topology(arg);
	case DRM_IOCTL_I915_PERF_ADD_CONFIG:
		return i915_add(arg);
	case DRM_IOCTL_I915_PERF_REMOVE_CONFIG:
		return remove_config(arg);
	case DRM_IOCTL_I915_PERF_OPEN:
		return i915_open(arg);
	case DRM_IOCTL_I915_REG_READ:
		assert_int_equal(((struct drm_i915_reg_read *)arg)->offset, 0x2359);
		((struct drm_i915_reg_read *)arg)->val = k.ticks;
		return 0;
	}
	fail_msg("ioctl %lx", request);
	return -1;
}

static inline ssize_t mock_read(int fd, void *buf, size_t size)
{
	size_t n = k.size;

	assert_int_equal(fd, k.stream);
	if (!n)
		return k.read_errno ? failed(k.read_errno) : 0;
	assert_true(size >= n);
	memcpy(buf, k.data, n);
	k.size = 0;
	return n;
}

static inline uint64_t mock_raw(void)
{
	return k.now += k.step[k.steps++ % 8];
}

static const struct oa_calls i915_calls = { i915_ioctl, mock_read, mock_raw };

static inline struct oa_drm *drm_new(const char *platform, enum vsamp_gpu_path path,
				     const struct oa_calls *calls)
{
	struct vsamp_gpu gpu = { .slot = "0000:00:02.0", .card = "card9", .path = path };
	struct oa_drm *d;
	struct vsamp_error err;
	int ret;

	gpu.platform = vsamp_oa_platform_name(platform);
	gpu.max_hz = 1150000000;
	k.read_errno = EAGAIN;
	k.node = eventfd(0, 0);
	ret = oa_drm_new(&d, &gpu, k.node, calls, &err);
	if (ret)
		fail_msg("%s", err.text);
	return d;
}

static inline struct oa_drm *i915_new(const char *platform, int oa_hz, int cs_hz)
{
	memset(&k, 0, sizeof(k));
	k.oa_hz = oa_hz;
	k.cs_hz = cs_hz;
	return drm_new(platform, VSAMP_GPU_I915, &i915_calls);
}

static inline void start(struct oa_drm *d, const char *set)
{
	struct vsamp_error err;

	if (oa_drm_start(d, vsamp_oa_set_find(d->gpu.platform, set), 1000000, &err))
		fail_msg("%s", err.text);
}

static inline void assert_refused(struct oa_drm *d, int code, const char *word)
{
	struct vsamp_error err = { 0 };
	unsigned int removes = k.removes;

	assert_int_equal(
		oa_drm_start(d, vsamp_oa_set_find(d->gpu.platform, "TestOa"), 1000000, &err),
		-code);
	if (!strstr(err.text, word) || !strstr(err.text, "0000:00:02.0"))
		fail_msg("no '%s' in: %s", word, err.text);
	/* nothing is left behind */
	assert_int_equal(k.removes, removes + !k.fail_add);
	assert_int_equal(oa_drm_fd(d), -1);
}

static inline void record_put(uint32_t type, uint16_t size, uint8_t fill)
{
	struct drm_i915_perf_record_header h = { .type = type, .size = size };

	memcpy(k.data + k.size, &h, sizeof(h));
	if (size > sizeof(h))
		memset(k.data + k.size + sizeof(h), fill, size - sizeof(h));
	k.size += size;
}

static inline void assert_report(struct oa_drm *d, uint8_t fill)
{
	struct oa_record r;
	uint8_t expected[VSAMP_OA_REPORT_SIZE];

	memset(expected, fill, sizeof(expected));
	assert_int_equal(oa_drm_next(d, &r, NULL), 1);
	assert_int_equal(r.type, OA_REPORT);
	assert_memory_equal(r.report, expected, sizeof(expected));
}

static inline void assert_lost(struct oa_drm *d, enum oa_record_type type)
{
	struct oa_record r;

	assert_int_equal(oa_drm_next(d, &r, NULL), 1);
	assert_int_equal(r.type, type);
	assert_null(r.report);
}

static inline void assert_none(struct oa_drm *d)
{
	struct oa_record r;

	assert_int_equal(oa_drm_next(d, &r, NULL), 0);
}

#endif
