// SPDX-License-Identifier: GPL-2.0
/*
 * The clock of all records: the TSC where it is the same everywhere and never stops, else the
 * kernel's fast monotonic clock; and how it stands to the kernel's clocks
 */
#include <linux/cache.h>
#include <linux/time64.h>
#include <asm/cpufeature.h>

#include "clock.h"
#include "ring.h"

bool clock_is_tsc __ro_after_init;

void __init clock_init(void)
{
	clock_is_tsc = boot_cpu_has(X86_FEATURE_CONSTANT_TSC) &&
		       boot_cpu_has(X86_FEATURE_NONSTOP_TSC) && tsc_khz && !check_tsc_unstable();
}

/* Ticks a millisecond */
u64 clock_khz(void)
{
	return clock_is_tsc ? tsc_khz : NSEC_PER_MSEC;
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
