// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of all records: the processor's own (the TSC; arm64: the generic timer) where that is
 * the same everywhere and never stops, else the kernel's fast monotonic clock; and how it stands to
 * the kernel's clocks
 */
#include <linux/cache.h>
#include <linux/time64.h>

#include "clock.h"
#include "ring.h"

bool clock_is_tsc __ro_after_init;
u64 clock_offset __read_mostly;
static u64 clock_slept;		/* when the machine went to sleep */

void __init clock_init(void)
{
	clock_is_tsc = arch_clock_khz();
}

/* Ticks a millisecond */
u64 clock_khz(void)
{
	return clock_is_tsc ? arch_clock_khz() : NSEC_PER_MSEC;
}

/*
 * The processor's clock may go on while the machine sleeps, or start again: times of records rise
 * all the same. Nothing is recorded when this is called.
 */
void clock_sleep(void)
{
	clock_slept = clock_read();
}

void clock_wake(void)
{
	u64 now = clock_read();

	if (now < clock_slept)
		clock_offset += clock_slept - now;
}

/*
 * clock_write() - write a CLOCK record, and say when the next one is due
 * @keep: see ring_write()
 *
 * Called like ring_write(). The kernel's fast clocks may be read in an NMI.
 */
void clock_write(struct ring *ring, u32 keep)
{
	struct vsamp_record_clock clock = {
		.h.type = VSAMP_RECORD_CLOCK,
		.h.size = sizeof(clock),
	};
	u64 before = clock_read();

	clock.monotonic_raw = ktime_get_raw_fast_ns();
	clock.monotonic = ktime_get_mono_fast_ns();
	clock.realtime = ktime_get_real_fast_ns();
	clock.bracket = clock_read() - before;
	clock.time = before + clock.bracket / 2;
	ring->next_clock = before + clock_khz() * MSEC_PER_SEC;
	ring_write(ring, &clock, keep);
}
