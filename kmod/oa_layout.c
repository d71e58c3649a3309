// SPDX-License-Identifier: GPL-2.0
/*
 * Which GPUs are known, and where the registers of their OA units are. What isn't known is refused.
 */
#include <linux/kernel.h>

#include "oa.h"

/* None is masked: what one held couldn't just be written back */
static const struct oa_range oa_allowed_gen9[] = {
	/* what counters B and C count */
	{ 0x2710, 0x272c }, { 0x2740, 0x275c }, { 0x2770, 0x27ac },
	/* the network that brings signals there */
	{ 0x91b8, 0x91cc }, { 0x9800, 0x9888 }, { 0x0d00, 0x0d2c },
	/* what the execution units count */
	{ 0xe458, 0xe458 }, { 0xe558, 0xe558 }, { 0xe658, 0xe658 }, { 0xe758, 0xe758 },
	{ 0xe45c, 0xe45c }, { 0xe55c, 0xe55c }, { 0xe65c, 0xe65c },
	{}
};

static const struct oa_range oa_allowed_gen12[] = {
	{ 0x2b2c, 0x2b2c }, { 0xd900, 0xd91c }, { 0xd920, 0xd93c }, { 0xd940, 0xd97c },
	{ 0xdc00, 0xdc44 },
	{ 0x0d00, 0x0d04 }, { 0x0d0c, 0x0d2c }, { 0x9840, 0x9840 }, { 0x9884, 0x9888 },
	{ 0xe458, 0xe458 }, { 0xe558, 0xe558 }, { 0xe658, 0xe658 }, { 0xe758, 0xe758 },
	{ 0xe45c, 0xe45c }, { 0xe55c, 0xe55c }, { 0xe65c, 0xe65c },
	{}
};

/* Masked: the upper half says which bits of the lower are written. Reports by the timer only. */
#define OA_DEBUG_NO_SWITCH	BIT(1)
#define OA_DEBUG_NO_RATIO	BIT(5)
#define OA_DEBUG_WITH_RATIO	BIT(6)	/* in reports, though */

static const struct oa_layout oa_layout_gen9 = {
	.unit = VSAMP_GPU_UNIT_GEN9,
	.fixed = 0x9120,	/* fuses */
	.control = 0x2b00,
	.debug = 0x2b04,
	.status = 0x2b08,
	.head = 0x2b0c,
	.tail = 0x2b10,
	.buffer = 0x2b14,
	.buffer_high = 0x23b4,
	.timer = 0x2360,
	.debug_set = OA_DEBUG_NO_RATIO | OA_DEBUG_WITH_RATIO,
	.noa_set = BIT(7),
	.allowed = oa_allowed_gen9,
};

static const struct oa_layout oa_layout_oag = {
	.unit = VSAMP_GPU_UNIT_OAG,
	.fixed = 0x9138,	/* slices */
	.control = 0xdaf4,
	.debug = 0xdaf8,
	.status = 0xdafc,
	.head = 0xdb00,
	.tail = 0xdb04,
	.buffer = 0xdb08,
	.timer = 0x2b28,
	.count = 0x8718,
	.tlb = 0xceec,
	.debug_set = OA_DEBUG_NO_SWITCH | OA_DEBUG_NO_RATIO | OA_DEBUG_WITH_RATIO,
	.allowed = oa_allowed_gen12,
};

/* PCI device ids */
static const u16 oa_gen9[] = {
	/* Skylake */
	0x1902, 0x1906, 0x190a, 0x190b, 0x190e, 0x1912, 0x1913, 0x1915, 0x1916, 0x1917, 0x191a,
	0x191b, 0x191d, 0x191e, 0x1921, 0x1923, 0x1926, 0x1927, 0x192a, 0x192b, 0x192d, 0x1932,
	0x193a, 0x193b, 0x193d,
	/* Kaby Lake */
	0x5902, 0x5906, 0x5908, 0x590a, 0x590b, 0x590e, 0x5912, 0x5913, 0x5915, 0x5916, 0x5917,
	0x591a, 0x591b, 0x591c, 0x591d, 0x591e, 0x5921, 0x5923, 0x5926, 0x5927, 0x87c0,
	/* Coffee Lake */
	0x3e90, 0x3e91, 0x3e92, 0x3e93, 0x3e94, 0x3e96, 0x3e98, 0x3e99, 0x3e9a, 0x3e9b, 0x3e9c,
	0x3ea0, 0x3ea1, 0x3ea2, 0x3ea3, 0x3ea4, 0x3ea5, 0x3ea6, 0x3ea7, 0x3ea8, 0x3ea9, 0x9b21,
	0x9b41, 0x9ba2, 0x9ba4, 0x9ba5, 0x9ba8, 0x9baa, 0x9bac, 0x9bc2, 0x9bc4, 0x9bc5, 0x9bc6,
	0x9bc8, 0x9be6, 0x9bf6,
};

/* the same unit, on a crystal of 19.2 MHz */
static const u16 oa_gen9_low_power[] = {
	/* Apollo Lake */
	0x0a84, 0x1a84, 0x1a85, 0x5a84, 0x5a85,
	/* Gemini Lake */
	0x3184, 0x3185,
};

static const u16 oa_gen12[] = {
	/* Tiger Lake */
	0x9a40, 0x9a49, 0x9a59, 0x9a60, 0x9a68, 0x9a70, 0x9a78, 0x9ac0, 0x9ac9, 0x9ad9,
	0x9af8,
	/* Rocket Lake */
	0x4c80, 0x4c8a, 0x4c8b, 0x4c8c, 0x4c90, 0x4c9a,
	/* Alder Lake */
	0x4680, 0x4682, 0x4688, 0x468a, 0x4690, 0x4692, 0x4693, 0x46a0, 0x46a1, 0x46a2, 0x46a3,
	0x46a6, 0x46a8, 0x46aa, 0x462a, 0x4626, 0x4628, 0x46b0, 0x46b1, 0x46b2, 0x46b3, 0x46c0,
	0x46c1, 0x46c2, 0x46c3, 0x46d0, 0x46d1, 0x46d2, 0xa780, 0xa781, 0xa782, 0xa783, 0xa788,
	0xa789, 0xa78a, 0xa78b, 0xa721, 0xa7a1, 0xa7a9, 0xa720, 0xa7a0, 0xa7a8,
};

static bool oa_is_one_of(u16 device, const u16 *ids, size_t n)
{
	while (n--)
		if (ids[n] == device)
			return true;
	return false;
}

/*
 * oa_layout_find() - the layout of an Intel GPU
 * @low_power: returns whether its crystal is that of Gen9's small GPUs
 */
const struct oa_layout *oa_layout_find(u16 device, bool *low_power)
{
	*low_power = oa_is_one_of(device, oa_gen9_low_power, ARRAY_SIZE(oa_gen9_low_power));
	if (*low_power || oa_is_one_of(device, oa_gen9, ARRAY_SIZE(oa_gen9)))
		return &oa_layout_gen9;
	if (oa_is_one_of(device, oa_gen12, ARRAY_SIZE(oa_gen12)))
		return &oa_layout_oag;
	return NULL;
}

/* Whether a configuration may write to a register */
bool oa_layout_allows(const struct oa_layout *layout, u32 address)
{
	const struct oa_range *r;

	if (address & 3)
		return false;
	for (r = layout->allowed; r->last; r++)
		if (address >= r->first && address <= r->last)
			return true;
	return false;
}

/* One through which the network is programmed: it has no value to be restored */
bool oa_layout_is_port(u32 address)
{
	return address == 0x9884 || address == 0x9888;
}
