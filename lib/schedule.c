// SPDX-License-Identifier: MIT
/*
 * Which events are counted together, and which counter counts each
 *
 * k sets of the same counters are k times as many slots. Without exclusions, to fit events into k
 * sets, those that need calibration into the first r of them, is a matching of events with slots.
 * Events that exclude others are put into sets one after the other, all ways to do that being
 * tried, and the matching of all says early which ways lead nowhere.
 */
#include <errno.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/schedule.h>

#define COUNTERS 64
#define SETS	 VSAMP_EVENTS_MAX
/* Ways tried before a number of sets is given up; 8 events have at most 107140 */
#define BUDGET	 120000

struct plan {
	unsigned int n;
	uint64_t usable[VSAMP_EVENTS_MAX]; /* counters in the order of preference */
	uint32_t excludes[VSAMP_EVENTS_MAX];
	uint32_t calibrated;
	unsigned long budget; /* for one number of sets */
	unsigned long left;
	uint32_t first; /* the sets that events of calibrated may be in */
};

/* What is settled: a whole matching, and the sets events may still move to */
struct state {
	uint32_t allowed[VSAMP_EVENTS_MAX]; /* sets */
	uint32_t settled;		    /* events that stay in their set */
	uint32_t touched;		    /* sets that have one of them */
	uint64_t used[SETS];		    /* counters */
	uint8_t owner[SETS][COUNTERS];
	uint8_t set[VSAMP_EVENTS_MAX];
	uint8_t counter[VSAMP_EVENTS_MAX];
};

/* Fixed counters first, since nothing else can use them: the lowest bit is preferred most */
static uint64_t counters_by_preference(uint64_t counters)
{
	return counters >> VSAMP_COUNTER_FIXED | counters << VSAMP_COUNTER_FIXED;
}

static uint32_t sets_below(unsigned int k)
{
	return k < 32 ? (1U << k) - 1 : UINT32_MAX;
}

static void slot_give(struct state *s, unsigned int event, unsigned int set, unsigned int counter)
{
	s->used[set] |= 1ULL << counter;
	s->owner[set][counter] = event;
	s->set[event] = set;
	s->counter[event] = counter;
}

/* Finds event a slot, moving others to another of theirs if need be (Kuhn's method) */
static bool state_place(struct state *s, const struct plan *p, unsigned int event, uint64_t *tried)
{
	for (uint32_t sets = s->allowed[event]; sets; sets &= sets - 1) {
		unsigned int set = __builtin_ctz(sets);
		uint64_t free = p->usable[event] & ~s->used[set];

		if (free) {
			slot_give(s, event, set, __builtin_ctzll(free));
			return true;
		}
	}
	for (uint32_t sets = s->allowed[event]; sets; sets &= sets - 1) {
		unsigned int set = __builtin_ctz(sets);
		uint64_t taken;

		while ((taken = p->usable[event] & ~tried[set])) {
			unsigned int counter = __builtin_ctzll(taken);

			tried[set] |= 1ULL << counter;
			if (state_place(s, p, s->owner[set][counter], tried)) {
				slot_give(s, event, set, counter);
				return true;
			}
		}
	}
	return false;
}

static bool state_place_new(struct state *s, const struct plan *p, unsigned int event)
{
	uint64_t tried[SETS] = { 0 };

	return state_place(s, p, event, tried);
}

static bool state_place_all(struct state *s, const struct plan *p)
{
	memset(s->used, 0, sizeof(s->used));
	for (unsigned int i = 0; i < p->n; i++)
		if (!state_place_new(s, p, i))
			return false;
	return true;
}

/* Only these sets are left to event: does the matching still cover it? */
static bool state_allow(struct state *s, const struct plan *p, unsigned int event, uint32_t sets)
{
	s->allowed[event] = sets;
	if (sets >> s->set[event] & 1)
		return true;
	s->used[s->set[event]] &= ~(1ULL << s->counter[event]);
	return sets && state_place_new(s, p, event);
}

static bool state_settle(struct state *s, const struct plan *p, unsigned int event,
			 unsigned int set)
{
	s->settled |= 1U << event;
	s->touched |= 1U << set;
	if (!state_allow(s, p, event, 1U << set))
		return false;
	for (uint32_t others = p->excludes[event] & ~s->settled; others; others &= others - 1) {
		unsigned int other = __builtin_ctz(others);

		if (!state_allow(s, p, other, s->allowed[other] & ~(1U << set)))
			return false;
	}
	return true;
}

/* The event to settle next: one that has few sets left. p->n: none has anything to settle. */
static unsigned int state_next(const struct state *s, const struct plan *p)
{
	unsigned int best = p->n;
	int best_sets = 0, best_excludes = 0;

	for (unsigned int i = 0; i < p->n; i++) {
		int sets = __builtin_popcount(s->allowed[i]);
		int excludes = __builtin_popcount(p->excludes[i] & ~s->settled);

		if (!p->excludes[i] || s->settled >> i & 1)
			continue;
		if (best == p->n || sets < best_sets ||
		    (sets == best_sets && excludes > best_excludes)) {
			best = i;
			best_sets = sets;
			best_excludes = excludes;
		}
	}
	return best;
}

/* Settles all events that exclude others, in a way that leaves a matching of all */
static bool state_search(struct state *s, struct plan *p)
{
	unsigned int event = state_next(s, p);
	uint32_t sets;

	if (event == p->n)
		return true;
	for (sets = s->allowed[event]; sets; sets &= sets - 1) {
		uint32_t set = sets & -sets;
		uint32_t alike = (set & p->first ? p->first : ~p->first) & ~s->touched;
		struct state next = *s;

		if (!p->left)
			return false;
		p->left--;
		if (state_settle(&next, p, event, __builtin_ctz(set)) && state_search(&next, p)) {
			*s = next;
			return true;
		}
		/* Sets without any settled event are as good as each other */
		if (set & alike)
			sets &= ~alike | set;
	}
	return false;
}

/* Can there be k sets, and in only r of them events that need calibration? */
static bool plan_fits(struct plan *p, unsigned int k, unsigned int r, struct state *s)
{
	bool fits;

	memset(s, 0, sizeof(*s));
	p->first = sets_below(r);
	for (unsigned int i = 0; i < p->n; i++)
		s->allowed[i] = sets_below(p->calibrated >> i & 1 ? r : k);
	p->left = p->budget;
	fits = state_place_all(s, p) && state_search(s, p);
	/* Given up: the next attempts may take half as long, so that all together end soon */
	if (!fits && !p->left && p->budget > 2 * p->n * p->n)
		p->budget /= 2;
	return fits;
}

static unsigned int plan_search(struct plan *p, struct state *best)
{
	struct state s;
	unsigned int k = 1;

	/* n sets always do: an event that goes in none of the others has one of its own */
	while (!plan_fits(p, k, k, best))
		k++;
	for (unsigned int r = 1; p->calibrated && r < k; r++)
		if (plan_fits(p, k, r, &s)) {
			*best = s;
			break;
		}
	return k;
}

/* Numbers sets in the order of their first events, and chooses counters afresh in each */
static void plan_settle(struct plan *p, struct state *s, struct vsamp_event *events)
{
	unsigned int number[SETS], sets = 0;
	uint32_t seen = 0;

	for (unsigned int i = 0; i < p->n; i++) {
		unsigned int set = s->set[i];

		if (!(seen >> set & 1))
			number[set] = sets++;
		seen |= 1U << set;
		events[i].set = number[set];
		s->allowed[i] = 1U << set;
	}
	state_place_all(s, p);
	for (unsigned int i = 0; i < p->n; i++)
		events[i].counter = s->counter[i] ^ VSAMP_COUNTER_FIXED;
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

static void plan_begin(struct plan *p, const struct vsamp_event *events, unsigned int n,
		       uint64_t counters, uint32_t calibrated)
{
	*p = (struct plan){ .n = n, .budget = BUDGET, .calibrated = calibrated & sets_below(n) };
	for (unsigned int i = 0; i < n; i++) {
		p->usable[i] = counters_by_preference(events[i].counters & counters);
		for (unsigned int j = 0; j < n; j++)
			if (j != i && (events[i].excludes >> j & 1 || events[j].excludes >> i & 1))
				p->excludes[i] |= 1U << j;
	}
}

int vsamp_events_schedule(struct vsamp_event *events, unsigned int n, uint64_t counters,
			  uint32_t absent, uint32_t calibrated, unsigned int *sets,
			  struct vsamp_error *err)
{
	struct plan p;
	struct state s;
	int ret = events_check_counted(events, n, counters, absent, err);

	if (ret)
		return ret;
	plan_begin(&p, events, n, counters, calibrated);
	*sets = plan_search(&p, &s);
	plan_settle(&p, &s, events);
	return 0;
}
