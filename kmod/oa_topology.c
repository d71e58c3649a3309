// SPDX-License-Identifier: GPL-2.0
/*
 * What a GPU consists of, by its fuses: slices of subslices of execution units
 */
#include <linux/bitops.h>

#include "oa.h"

#define OA_GEN9_FUSES		0x9120
#define OA_GEN9_SLICES(v)	((v) >> 25 & 7)
#define OA_GEN9_NO_SUBSLICES(v)	((v) >> 20 & 0xf)	/* of each slice */
#define OA_GEN9_NO_EUS(slice)	(0x9134 + 4 * (slice))	/* a byte a subslice */
#define OA_GEN12_SLICES		0x9138
#define OA_GEN12_SUBSLICES	0x913c
#define OA_GEN12_SUBSLICES_MASK	GENMASK(5, 0)
#define OA_GEN12_NO_EUS		0x9134			/* a bit for two, of each subslice */
#define OA_GEN12_EU_PAIRS	8

static void oa_topology_gen9(struct oa_gpu *gpu, bool low_power)
{
	u32 fuses = oa_read(gpu, OA_GEN9_FUSES), slice, subslice, off;
	unsigned long slices, subslices;

	slices = OA_GEN9_SLICES(fuses) & (low_power ? 1 : 7);
	subslices = ~OA_GEN9_NO_SUBSLICES(fuses) & (low_power ? 7 : 15);
	for_each_set_bit(slice, &slices, 3) {
		off = oa_read(gpu, OA_GEN9_NO_EUS(slice));
		for_each_set_bit(subslice, &subslices, 4)
			gpu->eus += 8 - hweight8(off >> 8 * subslice);
	}
	gpu->slices = slices;
	gpu->subslices = subslices;
}

static void oa_topology_gen12(struct oa_gpu *gpu)
{
	u32 pairs = OA_GEN12_EU_PAIRS - hweight8(oa_read(gpu, OA_GEN12_NO_EUS));

	gpu->slices = oa_read(gpu, OA_GEN12_SLICES) & 1;
	gpu->subslices = oa_read(gpu, OA_GEN12_SUBSLICES) & OA_GEN12_SUBSLICES_MASK;
	gpu->eus = 2 * pairs * hweight32(gpu->slices) * hweight32(gpu->subslices);
}

/*
 * oa_topology_read() - find out what a GPU, which is awake, consists of
 * @low_power: of Gen9, the kind that has one slice
 */
void oa_topology_read(struct oa_gpu *gpu, bool low_power)
{
	if (gpu->layout->unit == VSAMP_GPU_UNIT_GEN9)
		oa_topology_gen9(gpu, low_power);
	else
		oa_topology_gen12(gpu);
}
