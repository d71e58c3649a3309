/* SPDX-License-Identifier: MIT */
/* clock_record.h: CLOCK records of sessions whose clock is CLOCK_MONOTONIC_RAW, in ns */
#ifndef CLOCK_RECORD_H
#define CLOCK_RECORD_H

#include <stdint.h>

#include "vsamp.h"

/* How often there is one, ns */
#define CLOCK_RECORD_EVERY 1000000000ULL

uint64_t clock_raw_now(void);

/* All clocks now */
void clock_record_make(struct vsamp_record_clock *clock);

#endif
