/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CLOCK_H
#define _VSAMP_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <asm/tsc.h>

#include <vsamp.h>

struct ring;

extern bool clock_is_tsc;

void clock_init(void);
u64 clock_khz(void);
void clock_write(struct ring *ring, u32 keep);

static inline enum vsamp_clock clock_kind(void)
{
	return clock_is_tsc ? VSAMP_CLOCK_TSC : VSAMP_CLOCK_MONOTONIC;
}

/* The session's clock now, in ticks. Safe in an NMI. */
static inline u64 clock_read(void)
{
	return clock_is_tsc ? rdtsc() : ktime_get_mono_fast_ns();
}

#endif /* _VSAMP_CLOCK_H */
