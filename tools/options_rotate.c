// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

#define ROTATE_S_MIN 1
#define ROTATE_S_MAX (366 * 86400.0)
#define KEEP_MAX     1000000

int options_take_rotate(struct options *o, const char *value, struct vsamp_error *err)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } };
	char *end = NULL;
	double n = isdigit((unsigned char)*value) ? strtod(value, &end) : 0;

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(end, units[i].unit))
			o->rotate_s = n * units[i].seconds;
	if (!(o->rotate_s >= ROTATE_S_MIN && o->rotate_s <= ROTATE_S_MAX))
		return vsamp_fail(err, -EINVAL,
				  "'%s' is no length of a file: give one like 60s, 10m, 1h or 1d",
				  value);
	return 0;
}

int options_take_keep(struct options *o, const char *value, struct vsamp_error *err)
{
	char *end;
	unsigned long n = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;

	if (!n || *end || n > KEEP_MAX)
		return vsamp_fail(err, -EINVAL, "'%s' is no number of files: give 1 to %d", value,
				  KEEP_MAX);
	o->keep = n;
	return 0;
}
