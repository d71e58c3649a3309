// SPDX-License-Identifier: MIT
/* oa_drm_xe.c: how xe is asked for OA reports */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "oa_drm_private.h"
#include "oa_xe_uapi.h"

/* Of both layouts that are known here; above them the kind of unit: that of all engines, 0 */
#define FORMAT_256_BYTES (5u << 8)

#define QUERY_MAX	 (1u << 20)

/* An answer of xe's, for free(); NULL and errno */
static void *query(const struct oa_drm *d, uint32_t number, size_t *size)
{
	struct xe_device_query q = { .query = number };
	void *data = NULL;
	int ret = oa_drm_ioctl(d, d->fd, XE_IOCTL_DEVICE_QUERY, &q);

	if (!ret && q.size <= QUERY_MAX)
		data = calloc(1, q.size + 1);
	q.data = (uintptr_t)data;
	*size = q.size;
	if (!ret && data)
		ret = oa_drm_ioctl(d, d->fd, XE_IOCTL_DEVICE_QUERY, &q);
	if (!ret && data)
		return data;
	free(data);
	errno = ret ? -ret : ENOMEM;
	return NULL;
}

/* The first unit of all engines, and the first engine of it */
static int unit_choose(struct oa_drm *d, const uint8_t *data, size_t size)
{
	struct xe_query_oa_units head;
	struct xe_oa_unit unit;
	size_t at = sizeof(head);

	if (size < sizeof(head))
		return -ENODEV;
	memcpy(&head, data, sizeof(head));
	for (uint32_t i = 0; i < head.num_oa_units && size - at >= sizeof(unit); i++) {
		memcpy(&unit, data + at, sizeof(unit));
		at += sizeof(unit);
		if (unit.num_engines > (size - at) / sizeof(struct xe_engine))
			break;
		if (unit.oa_unit_type == XE_OA_UNIT_TYPE_OAG && unit.num_engines) {
			d->unit = unit.oa_unit_id;
			d->device.timestamp_hz = unit.oa_timestamp_freq;
			memcpy(d->engine, data + at, sizeof(d->engine));
			return 0;
		}
		at += unit.num_engines * sizeof(struct xe_engine);
	}
	return -ENODEV;
}

/* The rate of engines' clocks, 0: it is not told */
static uint32_t engine_hz(const struct oa_drm *d)
{
	struct xe_query_gt_list head;
	size_t size, at = sizeof(head);
	uint8_t *data = query(d, XE_QUERY_GT_LIST, &size);
	uint32_t hz = 0;
	struct xe_gt gt;

	if (!data || size < sizeof(head))
		goto out;
	memcpy(&head, data, sizeof(head));
	for (uint32_t i = 0; i < head.num_gt && size - at >= sizeof(gt); i++, at += sizeof(gt)) {
		memcpy(&gt, data + at, sizeof(gt));
		if (gt.gt_id == d->engine[2])
			hz = gt.reference_clock;
	}
out:
	free(data);
	return hz;
}

static unsigned int bits_set(const uint8_t *mask, size_t n)
{
	unsigned int set = 0;

	for (size_t i = 0; i < n; i++)
		set += __builtin_popcount(mask[i]);
	return set;
}

/* Subslices come in groups, of which each is a slice */
static void subslices_set(struct vsamp_oa_device *dev, unsigned int version, const uint8_t *mask,
			  size_t n)
{
	unsigned int of_slice = version < 1255 ? 6 : 4;

	for (unsigned int i = 0; i < n * 8 && i / of_slice < 8; i++) {
		unsigned int slice = i / of_slice;

		if (!(mask[i / 8] >> i % 8 & 1))
			continue;
		dev->subslices++;
		dev->subslice_mask |= 1ULL << (slice * 8 + i % of_slice);
		dev->slice_mask |= 1ULL << slice;
	}
	dev->slices = __builtin_popcountll(dev->slice_mask);
}

static void topology_set(struct oa_drm *d, const uint8_t *data, size_t size)
{
	struct xe_query_topology_mask m;
	unsigned int eus = 0;
	uint8_t dss[8] = { 0 };

	for (size_t at = 0; size - at >= sizeof(m); at += m.num_bytes) {
		memcpy(&m, data + at, sizeof(m));
		at += sizeof(m);
		if (m.num_bytes > size - at)
			break;
		if (m.gt_id != d->engine[2])
			continue;
		if (m.type == XE_TOPO_EU_PER_DSS || m.type == XE_TOPO_SIMD16_EU_PER_DSS)
			eus = bits_set(data + at, m.num_bytes);
		else if (m.type == XE_TOPO_DSS_GEOMETRY || m.type == XE_TOPO_DSS_COMPUTE)
			for (size_t i = 0; i < m.num_bytes && i < sizeof(dss); i++)
				dss[i] |= data[at + i];
	}
	subslices_set(&d->device, d->gpu.platform->version, dss, sizeof(dss));
	d->device.eus = d->device.subslices * eus;
	d->device.eu_threads = d->gpu.platform->version < 1255 ? 7 : 8;
}

static int clock_set(struct oa_drm *d, struct vsamp_error *err)
{
	uint64_t hz = engine_hz(d), times = hz ? d->device.timestamp_hz / hz : 0;

	if (!times || d->device.timestamp_hz % hz || times & (times - 1) || times > UINT32_MAX)
		return vsamp_fail(
			err, -ENODEV,
			"%s: xe tells no usable rate of the GPU's clock: %llu Hz of reports, "
			"%llu Hz of engines",
			d->gpu.slot, (unsigned long long)d->device.timestamp_hz,
			(unsigned long long)hz);
	d->ticks_of_stamp = times;
	d->stamp_bits = 64; /* until a reading tells */
	return 0;
}

static int xe_query(struct oa_drm *d, struct vsamp_error *err)
{
	struct vsamp_oa_pair pair;
	size_t size;
	void *data;
	int ret;

	data = query(d, XE_QUERY_OA_UNITS, &size);
	ret = data ? unit_choose(d, data, size) : -ENODEV;
	free(data);
	if (ret)
		return vsamp_fail(
			err, ret,
			"%s: xe of this kernel has no OA unit for this GPU: a newer kernel may "
			"have",
			d->gpu.slot);
	data = query(d, XE_QUERY_GT_TOPOLOGY, &size);
	if (!data)
		return vsamp_fail(err, -errno, "%s: xe does not tell what the GPU consists of: %s",
				  d->gpu.slot, strerror(errno));
	topology_set(d, data, size);
	free(data);
	ret = clock_set(d, err);
	if (ret)
		return ret;
	ret = d->driver->pair(d, &pair);
	return ret ? vsamp_fail(err, ret, "%s: xe does not tell the GPU's time: %s", d->gpu.slot,
				strerror(-ret)) :
		     0;
}

static int observe(const struct oa_drm *d, uint64_t op, void *arg)
{
	struct xe_observation_param p = {
		.observation_type = XE_OBSERVATION_TYPE_OA,
		.observation_op = op,
		.param = (uintptr_t)arg,
	};

	return oa_drm_ioctl(d, d->fd, XE_IOCTL_OBSERVATION, &p);
}

/* xe takes the three lists as one */
static int xe_config_add(struct oa_drm *d, const struct vsamp_oa_set *set, uint64_t *config)
{
	const struct vsamp_oa_regs *const list[] = { &set->mux, &set->boolean, &set->flex };
	struct xe_oa_config c = { .n_regs = set->mux.n + set->boolean.n + set->flex.n };
	struct vsamp_oa_reg *reg = calloc(c.n_regs + 1, sizeof(*reg));
	size_t n = 0;
	int ret;

	if (!reg)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		for (unsigned int k = 0; k < list[i]->n; k++)
			reg[n++] = list[i]->reg[k];
	memcpy(c.uuid, set->uuid, sizeof(c.uuid));
	c.regs_ptr = (uintptr_t)reg;
	ret = observe(d, XE_OBSERVATION_OP_ADD_CONFIG, &c);
	free(reg);
	if (ret > 0)
		*config = ret;
	return ret > 0 ? 0 : ret ? ret : -EPROTO;
}

static void xe_config_remove(struct oa_drm *d, uint64_t config)
{
	observe(d, XE_OBSERVATION_OP_REMOVE_CONFIG, &config);
}

static int xe_stream_open(struct oa_drm *d, uint64_t config, unsigned int exponent)
{
	const struct {
		uint32_t property;
		uint64_t value;
	} wanted[] = {
		{ XE_OA_PROPERTY_OA_UNIT_ID, d->unit },
		{ XE_OA_PROPERTY_SAMPLE_OA, 1 },
		{ XE_OA_PROPERTY_OA_METRIC_SET, config },
		{ XE_OA_PROPERTY_OA_FORMAT, FORMAT_256_BYTES },
		{ XE_OA_PROPERTY_OA_PERIOD_EXPONENT, exponent },
		{ XE_OA_PROPERTY_OA_DISABLED, 1 },
	};
	enum { N = sizeof(wanted) / sizeof(wanted[0]) };
	struct xe_ext_set_property chain[N] = { 0 };
	int fd;

	for (size_t i = 0; i < N; i++) {
		chain[i].property = wanted[i].property;
		chain[i].value = wanted[i].value;
		chain[i].base.next_extension = i + 1 < N ? (uintptr_t)&chain[i + 1] : 0;
	}
	fd = observe(d, XE_OBSERVATION_OP_STREAM_OPEN, chain);
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	return fd;
}

static size_t xe_record(const uint8_t *at, size_t left, int *type, const void **report)
{
	if (left < VSAMP_OA_REPORT_SIZE)
		return 0;
	*type = OA_REPORT;
	*report = at;
	return VSAMP_OA_REPORT_SIZE;
}

/*
 * A counter that overflowed is no loss. After a buffer did, the unit would go on where it is, with
 * reports that may be written over: it is restarted.
 */
static int xe_io_error(struct oa_drm *d)
{
	struct xe_oa_stream_status s = { 0 };
	int ret = oa_drm_ioctl(d, d->stream, XE_OBSERVATION_IOCTL_STATUS, &s);

	if (ret < 0)
		return ret;
	if (s.oa_status & XE_OASTATUS_REPORT_LOST)
		d->lost |= 1u << OA_REPORTS_LOST;
	if (!(s.oa_status & XE_OASTATUS_BUFFER_OVERFLOW))
		return 0;
	d->lost |= 1u << OA_BUFFER_LOST;
	ret = oa_drm_ioctl(d, d->stream, OA_STREAM_DISABLE, NULL);
	if (ret >= 0)
		ret = oa_drm_ioctl(d, d->stream, OA_STREAM_ENABLE, NULL);
	return ret < 0 ? ret : 0;
}

static int xe_pair(struct oa_drm *d, struct vsamp_oa_pair *pair)
{
	struct xe_query_engine_cycles c = { .clockid = CLOCK_MONOTONIC_RAW };
	struct xe_device_query q = {
		.query = XE_QUERY_ENGINE_CYCLES,
		.size = sizeof(c),
		.data = (uintptr_t)&c,
	};
	int ret;

	memcpy(&c.eci, d->engine, sizeof(c.eci));
	ret = oa_drm_ioctl(d, d->fd, XE_IOCTL_DEVICE_QUERY, &q);
	if (ret < 0)
		return ret;
	if (c.width < 32 || c.width > 64)
		return -EPROTO;
	d->stamp_bits = c.width;
	pair->ticks = c.engine_cycles;
	pair->bracket = c.cpu_delta;
	pair->raw = c.cpu_timestamp + c.cpu_delta / 2;
	return 0;
}

const struct oa_driver oa_driver_xe = {
	.name = "xe",
	.paranoid = "dev.xe.observation_paranoid",
	.query = xe_query,
	.config_add = xe_config_add,
	.config_remove = xe_config_remove,
	.stream_open = xe_stream_open,
	.record = xe_record,
	.io_error = xe_io_error,
	.pair = xe_pair,
};
