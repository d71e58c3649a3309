// SPDX-License-Identifier: MIT
/* The options of how a running session is shown */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "options.h"

#define REFRESH_MIN 0.1
#define REFRESH_MAX 3600.0

int options_take_refresh(struct options *o, const char *value, struct vsamp_error *err)
{
	char *end;
	double seconds = strtod(value, &end);

	if (!isdigit((unsigned char)*value) || *end ||
	    !(seconds >= REFRESH_MIN && seconds <= REFRESH_MAX))
		return vsamp_fail(err, -EINVAL, "'%s': give seconds, from %g to %g", value,
				  REFRESH_MIN, REFRESH_MAX);
	o->refresh_s = seconds;
	return 0;
}

static int take_count(uint32_t *n, const char *value, struct vsamp_error *err)
{
	char *end;
	unsigned long x = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;

	if (!x || *end || x > INT32_MAX)
		return vsamp_fail(err, -EINVAL, "'%s': give a whole number from 1 on", value);
	*n = x;
	return 0;
}

int options_take_refreshes(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_count(&o->refreshes, value, err);
}

int options_take_rows(struct options *o, const char *value, struct vsamp_error *err)
{
	return take_count(&o->rows, value, err);
}

int options_take_batch(struct options *o, const char *value, struct vsamp_error *err)
{
	o->batch = true;
	return 0;
}
