/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_CLOCK_H
#define _VSAMP_CLOCK_H

#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include <vsamp.h>

#include "arch.h"

struct ring;

extern bool clock_is_tsc;
extern u64 clock_offset;	/* of ticks from the processor's clock */

void clock_init(void);
u64 clock_khz(void);
void clock_sleep(void);
void clock_wake(void);
void clock_write(struct ring *ring, u32 keep);

static inline enum vsamp_clock clock_kind(void)
{
	return clock_is_tsc ? VSAMP_CLOCK_TSC : VSAMP_CLOCK_MONOTONIC;
}

/* The session's clock now, in ticks. Safe in an NMI. */
static inline u64 clock_read(void)
{
	return clock_is_tsc ? arch_clock_read() + clock_offset : ktime_get_mono_fast_ns();
}

#endif /* _VSAMP_CLOCK_H */
