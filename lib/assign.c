// SPDX-License-Identifier: MIT
/* Which counter counts which event: a matching in a graph of 16 events and 64 counters */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/event.h>

#define COUNTERS 64
#define FREE	 (-1)

struct assign {
	const struct vsamp_event *events;
	uint64_t exist;
	int owner[COUNTERS]; /* event that has the counter */
};

/* Fixed counters first: nothing else can use them. i = 0..63 in the order of preference. */
static unsigned int counter_preferred(unsigned int i)
{
	return i ^ VSAMP_COUNTER_FIXED;
}

static bool assign_usable(const struct assign *a, unsigned int event, unsigned int counter)
{
	return (a->events[event].counters & a->exist) >> counter & 1;
}

/* Finds event a counter, moving others to another of theirs if need be (Kuhn's method) */
static bool assign_place(struct assign *a, unsigned int event, uint64_t *tried)
{
	for (unsigned int i = 0; i < COUNTERS; i++) {
		unsigned int counter = counter_preferred(i);

		if (assign_usable(a, event, counter) && a->owner[counter] == FREE) {
			a->owner[counter] = event;
			return true;
		}
	}
	for (unsigned int i = 0; i < COUNTERS; i++) {
		unsigned int counter = counter_preferred(i);

		if (!assign_usable(a, event, counter) || *tried >> counter & 1)
			continue;
		*tried |= 1ULL << counter;
		if (assign_place(a, a->owner[counter], tried)) {
			a->owner[counter] = event;
			return true;
		}
	}
	return false;
}

static int events_check_counted(const struct vsamp_event *events, unsigned int n, uint64_t counters,
				uint32_t absent, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct vsamp_event *ev = &events[i];

		if (ev->arch_bit >= 0 && absent >> ev->arch_bit & 1)
			return vsamp_fail(err, -ENODEV, "%s: this CPU does not count it", ev->name);
		if (!(ev->counters & counters))
			return vsamp_fail(err, -ENODEV,
					  "%s: this CPU has none of the counters that count it",
					  ev->name);
	}
	return 0;
}

int vsamp_events_assign(struct vsamp_event *events, unsigned int n, uint64_t counters,
			uint32_t absent, struct vsamp_error *err)
{
	struct assign a = { .events = events, .exist = counters };
	unsigned int placed = 0;
	int ret = events_check_counted(events, n, counters, absent, err);

	if (ret)
		return ret;
	for (unsigned int c = 0; c < COUNTERS; c++)
		a.owner[c] = FREE;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t tried = 0;

		placed += assign_place(&a, i, &tried);
	}
	if (placed < n)
		return vsamp_fail(
			err, -ENOSPC,
			"%u events don't fit the counters at once: %u of them do (%d general counters, %d fixed)",
			n, placed, __builtin_popcountll(counters & 0xffffffff),
			__builtin_popcountll(counters >> VSAMP_COUNTER_FIXED));
	for (unsigned int c = 0; c < COUNTERS; c++)
		if (a.owner[c] != FREE)
			events[a.owner[c]].counter = c;
	return 0;
}
