// SPDX-License-Identifier: MIT
/* oa_topology.c: what a GPU consists of, from the masks of its driver */
#include <errno.h>
#include <libdrm/i915_drm.h>

#include "oa_private.h"

/* What a slice takes of the mask of subslices */
static unsigned int slice_bits(unsigned int version)
{
	return version < 1100 ? 3 : 8;
}

static unsigned int eu_threads(unsigned int version)
{
	return version < 1255 ? 7 : 8;
}

/* Whether the mask can tell of it */
static bool subslice_add(struct vsamp_oa_device *d, unsigned int version, unsigned int slice,
			 unsigned int subslice)
{
	unsigned int bits = slice_bits(version);

	if (subslice >= bits)
		return false;
	d->subslices++;
	d->subslice_mask |= 1ULL << (slice * bits + subslice);
	return true;
}

static void slice_add(struct vsamp_oa_device *d, unsigned int slice)
{
	d->slices++;
	d->slice_mask |= 1ULL << slice;
}

void oa_topology_masks(struct vsamp_oa_device *d, unsigned int version, uint32_t slices,
		       uint32_t subslices)
{
	d->slices = d->slice_mask = d->subslices = d->subslice_mask = 0;
	for (unsigned int s = 0; s < 8; s++) {
		if (!(slices >> s & 1))
			continue;
		slice_add(d, s);
		for (unsigned int ss = 0; ss < 8; ss++)
			if (subslices >> ss & 1)
				subslice_add(d, version, s, ss);
	}
	d->eu_threads = eu_threads(version);
}

/* A bit of the masks that begin at @offset */
static bool bit(const struct drm_i915_query_topology_info *t, size_t offset, unsigned int n)
{
	return t->data[offset + n / 8] >> n % 8 & 1;
}

static size_t bytes(unsigned int bits)
{
	return (bits + 7) / 8;
}

static bool topology_fits(const struct drm_i915_query_topology_info *t, size_t size)
{
	size_t subslices, room = size - sizeof(*t);

	if (size < sizeof(*t))
		return false;
	subslices = (size_t)t->max_slices * t->max_subslices;
	return bytes(t->max_slices) <= room && bytes(t->max_subslices) <= t->subslice_stride &&
	       bytes(t->max_eus_per_subslice) <= t->eu_stride &&
	       t->subslice_offset + (size_t)t->max_slices * t->subslice_stride <= room &&
	       t->eu_offset + subslices * t->eu_stride <= room;
}

static unsigned int eus_count(const struct drm_i915_query_topology_info *t, unsigned int subslice)
{
	size_t mask = t->eu_offset + (size_t)subslice * t->eu_stride;
	unsigned int n = 0;

	for (unsigned int eu = 0; eu < t->max_eus_per_subslice; eu++)
		n += bit(t, mask, eu);
	return n;
}

int vsamp_oa_device_topology(struct vsamp_oa_device *device, unsigned int version,
			     const struct drm_i915_query_topology_info *t, size_t size,
			     struct vsamp_error *err)
{
	struct vsamp_oa_device d = *device;

	if (!topology_fits(t, size))
		return vsamp_fail(err, -EINVAL, "the GPU's topology has masks beyond its end");
	if (t->max_slices * slice_bits(version) > 64)
		return vsamp_fail(err, -EINVAL, "the GPU's topology has %u slices", t->max_slices);
	d.slices = d.slice_mask = d.subslices = d.subslice_mask = d.eus = 0;
	for (unsigned int s = 0; s < t->max_slices; s++) {
		size_t mask = t->subslice_offset + (size_t)s * t->subslice_stride;

		if (!bit(t, 0, s))
			continue;
		slice_add(&d, s);
		for (unsigned int ss = 0; ss < t->max_subslices; ss++) {
			if (!bit(t, mask, ss))
				continue;
			/* i915 tells of places for four on Gen9, which has three */
			if (!subslice_add(&d, version, s, ss))
				return vsamp_fail(
					err, -EINVAL,
					"the GPU's topology has subslice %u of a slice of %u", ss,
					slice_bits(version));
			d.eus += eus_count(t, s * t->max_subslices + ss);
		}
	}
	d.eu_threads = eu_threads(version);
	*device = d;
	return 0;
}
