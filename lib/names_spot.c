// SPDX-License-Identifier: MIT
/* names_spot.c: numbers of spots, fast, since every sample needs one */
#include "names.h"

/* Spots that were asked for last, by the place that they are in */
#define NEAR	  (1U << 17)
#define NEAR_SIZE 128 /* bytes of code; symbols that share them push each other out */

struct names_near {
	uint64_t start, end; /* offsets; the same: none */
	uint32_t module, spot;
};

static int64_t spot_number(struct names *n, uint32_t module, uint64_t offset)
{
	struct spot spot = { offset, module };

	return intern_number(&n->spots, &spot, sizeof(spot));
}

/* Addresses of the kernel that the snapshot has the same symbol for; what it lacks the next may have */
static void kernel_range(struct names *n, uint32_t snapshot, uint64_t addr,
			 struct elfsym_range *range)
{
	struct kallsyms_symbol sym;
	struct vsamp_error err;
	struct kallsyms *k;

	if (snapshot < n->rec->snapshots && !recording_kallsyms(n->rec, snapshot, &k, &err) &&
	    !kallsyms_find(k, addr, &sym))
		*range = (struct elfsym_range){ sym.start, sym.end };
}

/* Offsets around one that are named the same. One that makes a range of its own may still be */
static int spot_range(struct names *n, uint32_t module, uint64_t offset, struct elfsym_range *range)
{
	*range = (struct elfsym_range){ offset, offset + 1 };
	if (module >= SPOT_GUEST)
		return 0;
	if (module & SPOT_KERNEL)
		kernel_range(n, module & ~SPOT_KERNEL, offset, range);
	else
		return modules_range(n->modules, names_module_with_id(n, module), offset, range);
	return 0;
}

static struct names_near *near_of(const struct names *n, uint32_t module, uint64_t offset)
{
	uint64_t hash = (offset / NEAR_SIZE ^ (uint64_t)module << 40) * 0x9e3779b97f4a7c15ull;

	return &n->near[hash >> 40 & (NEAR - 1)];
}

static bool near_has(const struct names_near *near, uint32_t module, uint64_t offset)
{
	return near->module == module && offset >= near->start && offset < near->end;
}

int64_t names_spot(struct names *n, uint32_t module, uint64_t offset)
{
	struct elfsym_range range;
	struct names_near *near;
	int64_t number;

	if (!n->whole)
		return spot_number(n, module, offset);
	if (!n->near && !(n->last = n->near = calloc(NEAR, sizeof(*n->near))))
		return -ENOMEM;
	if (near_has(n->last, module, offset))
		return n->last->spot;
	near = near_of(n, module, offset);
	n->last = near;
	if (near_has(near, module, offset))
		return near->spot;
	if (spot_range(n, module, offset, &range))
		return -ENOMEM;
	number = spot_number(n, module, range.start);
	if (number >= 0)
		*near = (struct names_near){ range.start, range.end, module, number };
	return number;
}

void names_fetch(const struct names *n, uint32_t module, uint64_t offset)
{
	if (n->near)
		__builtin_prefetch(near_of(n, module, offset));
}
