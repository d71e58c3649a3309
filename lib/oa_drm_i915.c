// SPDX-License-Identifier: MIT
/* oa_drm_i915.c: how i915 is asked for OA reports */
#include <errno.h>
#include <libdrm/i915_drm.h>
#include <stdlib.h>
#include <string.h>

#include "oa_drm_private.h"

/* Those that headers of older kernels lack */
#define PARAM_OA_TIMESTAMP_FREQUENCY 57
#define FORMAT_A24U40_A14U32_B8_C8   12

/* The render engine's clock, to be read as a whole */
#define RENDER_TIMESTAMP	     (0x2358 | I915_REG_READ_8B_WA)
#define RENDER_TIMESTAMP_BITS	     36

#define TOPOLOGY_MAX		     65536

static int param(const struct oa_drm *d, int number, int *value)
{
	struct drm_i915_getparam p = { .param = number, .value = value };

	*value = 0;
	return oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_GETPARAM, &p);
}

static int query_item(const struct oa_drm *d, struct drm_i915_query_item *item)
{
	struct drm_i915_query q = { .num_items = 1, .items_ptr = (uintptr_t)item };
	int ret = oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_QUERY, &q);

	return ret < 0 ? ret : item->length < 0 ? item->length : 0;
}

/* Before 12.55 all engines have the same subslices; from there on it is asked of an engine: render */
static int topology_read(struct oa_drm *d, struct vsamp_error *err)
{
	struct drm_i915_query_item item = { 0 };
	unsigned int version = d->gpu.platform->version;
	struct drm_i915_query_topology_info *t = NULL;
	int ret;

	item.query_id = version < 1255 ? DRM_I915_QUERY_TOPOLOGY_INFO :
					 DRM_I915_QUERY_GEOMETRY_SUBSLICES;
	ret = query_item(d, &item);
	if (!ret && item.length <= TOPOLOGY_MAX)
		t = calloc(1, item.length + 1);
	item.data_ptr = (uintptr_t)t;
	if (!ret)
		ret = t ? query_item(d, &item) : -ENOMEM;
	if (ret)
		vsamp_fail(err, ret, "%s: i915 does not tell what the GPU consists of: %s",
			   d->gpu.slot, strerror(-ret));
	else
		ret = vsamp_oa_device_topology(&d->device, version, t, item.length, err);
	free(t);
	return ret;
}

static int i915_query(struct oa_drm *d, struct vsamp_error *err)
{
	int revision, oa_hz, cs_hz;

	if (param(d, I915_PARAM_PERF_REVISION, &revision))
		return vsamp_fail(
			err, -ENODEV,
			"%s: i915 of this kernel has no OA unit for this GPU: a newer kernel "
			"may have",
			d->gpu.slot);
	if (param(d, I915_PARAM_CS_TIMESTAMP_FREQUENCY, &cs_hz))
		cs_hz = 0;
	if (param(d, PARAM_OA_TIMESTAMP_FREQUENCY, &oa_hz))
		oa_hz = cs_hz; /* of kernels before there was a GPU where they differ */
	if (cs_hz <= 0 || oa_hz < cs_hz || oa_hz % cs_hz || (oa_hz / cs_hz) & (oa_hz / cs_hz - 1))
		return vsamp_fail(
			err, -ENODEV,
			"%s: i915 tells no usable rate of the GPU's clock: %d Hz of reports, %d "
			"Hz of engines",
			d->gpu.slot, oa_hz, cs_hz);
	d->device.timestamp_hz = oa_hz;
	d->ticks_of_stamp = oa_hz / cs_hz;
	d->stamp_bits = RENDER_TIMESTAMP_BITS;
	return topology_read(d, err);
}

static int i915_config_add(struct oa_drm *d, const struct vsamp_oa_set *set, uint64_t *config)
{
	struct drm_i915_perf_oa_config c = {
		.n_mux_regs = set->mux.n,
		.n_boolean_regs = set->boolean.n,
		.n_flex_regs = set->flex.n,
		.mux_regs_ptr = (uintptr_t)set->mux.reg,
		.boolean_regs_ptr = (uintptr_t)set->boolean.reg,
		.flex_regs_ptr = (uintptr_t)set->flex.reg,
	};
	int ret;

	memcpy(c.uuid, set->uuid, sizeof(c.uuid));
	ret = oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &c);
	if (ret > 0)
		*config = ret;
	return ret > 0 ? 0 : ret ? ret : -EPROTO;
}

static void i915_config_remove(struct oa_drm *d, uint64_t config)
{
	oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &config);
}

static int i915_stream_open(struct oa_drm *d, uint64_t config, unsigned int exponent)
{
	bool a24 = vsamp_oa_platform_format(d->gpu.platform) == VSAMP_OA_FORMAT_A24U40_A14U32_B8_C8;
	uint64_t properties[] = {
		DRM_I915_PERF_PROP_SAMPLE_OA,
		1,
		DRM_I915_PERF_PROP_OA_METRICS_SET,
		config,
		DRM_I915_PERF_PROP_OA_FORMAT,
		a24 ? FORMAT_A24U40_A14U32_B8_C8 : I915_OA_FORMAT_A32u40_A4u32_B8_C8,
		DRM_I915_PERF_PROP_OA_EXPONENT,
		exponent,
	};
	struct drm_i915_perf_open_param p = {
		.flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK |
			 I915_PERF_FLAG_DISABLED,
		.num_properties = sizeof(properties) / sizeof(properties[0]) / 2,
		.properties_ptr = (uintptr_t)properties,
	};

	return oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_PERF_OPEN, &p);
}

static size_t i915_record(const uint8_t *at, size_t left, int *type, const void **report)
{
	struct drm_i915_perf_record_header h;

	if (left < sizeof(h))
		return 0;
	memcpy(&h, at, sizeof(h));
	if (h.size < sizeof(h) || h.size > left)
		return 0;
	*type = -1;
	if (h.type == DRM_I915_PERF_RECORD_SAMPLE) {
		if (h.size != sizeof(h) + VSAMP_OA_REPORT_SIZE)
			return 0;
		*type = OA_REPORT;
		*report = at + sizeof(h);
	} else if (h.type == DRM_I915_PERF_RECORD_OA_REPORT_LOST) {
		*type = OA_REPORTS_LOST;
	} else if (h.type == DRM_I915_PERF_RECORD_OA_BUFFER_LOST) {
		*type = OA_BUFFER_LOST;
	}
	return h.size;
}

static int i915_pair(struct oa_drm *d, struct vsamp_oa_pair *pair)
{
	struct drm_i915_reg_read r = { .offset = RENDER_TIMESTAMP };
	uint64_t before = d->calls->raw();
	int ret = oa_drm_ioctl(d, d->fd, DRM_IOCTL_I915_REG_READ, &r);

	pair->bracket = d->calls->raw() - before;
	pair->raw = before + pair->bracket / 2;
	pair->ticks = r.val & ((1ULL << RENDER_TIMESTAMP_BITS) - 1);
	return ret;
}

const struct oa_driver oa_driver_i915 = {
	.name = "i915",
	.paranoid = "dev.i915.perf_stream_paranoid",
	.query = i915_query,
	.config_add = i915_config_add,
	.config_remove = i915_config_remove,
	.stream_open = i915_stream_open,
	.record = i915_record,
	.pair = i915_pair,
};
