/* SPDX-License-Identifier: MIT */
/*
 * vsamp/schedule.h: which events are counted together, and which counter counts each
 *
 * Events that can't share the counters form sets, which are counted one after the other.
 */
#ifndef VSAMP_SCHEDULE_H
#define VSAMP_SCHEDULE_H

#include <vsamp/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vsamp_events_schedule - choose a set and a counter for each event
 * @events: @n of them, at most VSAMP_EVENTS_MAX; receive their set and counter
 * @counters: that exist: bit i = general i, bit 32 + i = fixed i
 * @absent: CPUID.0AH:EBX
 * @calibrated: bit i: event i needs a calibration run
 * @sets: receives how many sets there are, at least 1
 *
 * There are as few sets as can be, and of all ways to have so few, one with the fewest sets that
 * hold an event of @calibrated. Sets are numbered in the order of their first events. A fixed
 * counter is taken where the event has one and it is free. Events that exclude each other
 * (excludes, said by either) are in different sets; with more than 8 such events the search may be
 * given up, for the sake of time, and there may be more sets than there need be. Errors: -ENODEV
 * for an event this CPU does not count; nothing is changed then. Pure, thread-safe.
 */
int vsamp_events_schedule(struct vsamp_event *events, unsigned int n, uint64_t counters,
			  uint32_t absent, uint32_t calibrated, unsigned int *sets,
			  struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
