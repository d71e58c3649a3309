// SPDX-License-Identifier: MIT
/* clock_record.c: all clocks, read at nearly the same time */
#include <time.h>

#include "clock_record.h"

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

uint64_t clock_raw_now(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

void clock_record_make(struct vsamp_record_clock *clock)
{
	uint64_t before = clock_raw_now();

	*clock = (struct vsamp_record_clock){ .h = { VSAMP_RECORD_CLOCK, sizeof(*clock), 0, 0 } };
	clock->monotonic = clock_ns(CLOCK_MONOTONIC);
	clock->realtime = clock_ns(CLOCK_REALTIME);
	clock->bracket = clock_raw_now() - before;
	clock->time = before + clock->bracket / 2;
	clock->monotonic_raw = clock->time; /* the clock itself */
}
