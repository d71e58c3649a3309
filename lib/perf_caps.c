// SPDX-License-Identifier: MIT
#include <errno.h>

#include <vsamp/cpulist.h>

#include "session.h"

int perf_caps_get(struct vsamp_caps *caps, struct vsamp_error *err)
{
	struct vsamp_cpulist online;
	int ret = vsamp_cpulist_online(&online);

	if (ret)
		return vsamp_fail(err, ret, "the list of online CPUs can't be read");
	for (unsigned int i = 0; i < online.n; i++) {
		struct vsamp_cpu_caps *c;

		c = session_row_add((void **)&caps->cpu, &caps->n, sizeof(*c));
		if (!c) {
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
			break;
		}
		c->cpu = online.cpu[i];
		c->sav_max = INT64_MAX;
		c->clock = VSAMP_CLOCK_MONOTONIC_RAW;
		c->clock_khz = 1000000;
	}
	vsamp_cpulist_free(&online);
	return ret;
}
