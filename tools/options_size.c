// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/sideband.h>

#include "options.h"

/* A power of two, in bytes or with one of the units */
static int take_size(uint32_t *size, const char *value, uint32_t min, const char *what,
		     struct vsamp_error *err)
{
	static const char units[] = "KMG";
	unsigned long long n;
	const char *unit;
	char *end;

	errno = 0;
	n = isdigit((unsigned char)*value) ? strtoull(value, &end, 10) : 0;
	unit = n && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit && n <= VSAMP_RING_SIZE_MAX) {
		n <<= 10 * (unit - units + 1);
		end++;
	}
	if (!n || errno || *end || n < min || n > VSAMP_RING_SIZE_MAX || n & (n - 1))
		return vsamp_fail(
			err, -EINVAL,
			"'%s' is no %s size: give a power of two from %uK to %uM, bytes a CPU",
			value, what, min >> 10, VSAMP_RING_SIZE_MAX >> 20);
	*size = n;
	return 0;
}

int options_take_ring_size(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_size(&o->ring_size, value, VSAMP_RING_SIZE_MIN, "ring", err);
}

int options_take_sideband_size(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_size(&o->sideband_size, value, VSAMP_SIDEBAND_SIZE_MIN, "sideband buffer", err);
}
