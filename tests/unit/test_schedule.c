// SPDX-License-Identifier: MIT
/* Counters for events: against brute force */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/schedule.h>

#define F(i)	(1ULL << (VSAMP_COUNTER_FIXED + (i)))
#define GENERAL 0xffffffffULL

static struct vsamp_event event(uint64_t counters, int arch_bit)
{
	struct vsamp_event ev = { .name = "x", .counters = counters, .arch_bit = arch_bit };

	return ev;
}

static unsigned int sets;

static void fixed_first(void **state)
{
	struct vsamp_event ev[] = {
		event(GENERAL, -1),
		event(GENERAL | F(0), 1), /* instructions:u */
		event(GENERAL | F(0), 1), /* instructions:k */
		event(F(2), 2),
	};

	assert_int_equal(vsamp_events_schedule(ev, 4, 0x0700000003, 0, 0, &sets, NULL), 0);
	assert_int_equal(ev[0].counter, 0);
	assert_int_equal(ev[1].counter, 32);
	assert_int_equal(ev[2].counter, 1);
	assert_int_equal(ev[3].counter, 34);
}

static void makes_room(void **state)
{
	/* The first could have either, and must leave the one that the second needs */
	struct vsamp_event ev[] = { event(0x3, -1), event(0x1, -1) };

	assert_int_equal(vsamp_events_schedule(ev, 2, 0x3, 0, 0, &sets, NULL), 0);
	assert_int_equal(ev[0].counter, 1);
	assert_int_equal(ev[1].counter, 0);
}

static void not_counted(void **state)
{
	struct vsamp_event ev[] = { event(GENERAL, 3), event(F(3), -1) };
	struct vsamp_error err = { 0 };

	assert_int_equal(vsamp_events_schedule(ev, 1, 0xf, 1 << 3, 0, &sets, &err), -ENODEV);
	assert_int_equal(vsamp_events_schedule(ev, 1, 0xf, 1 << 2, 0, &sets, &err), 0);
	assert_int_equal(vsamp_events_schedule(ev + 1, 1, 0x070000000f, 0, 0, &sets, &err),
			 -ENODEV);
}

/* Six of the same on four counters: the first four together, the others after them */
static void more_than_counters(void **state)
{
	struct vsamp_event ev[6];

	for (int i = 0; i < 6; i++)
		ev[i] = event(GENERAL, -1);
	assert_int_equal(vsamp_events_schedule(ev, 6, 0x070000000f, 0, 0, &sets, NULL), 0);
	assert_int_equal(sets, 2);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(ev[i].set, i / 4);
		assert_int_equal(ev[i].counter, i % 4);
	}
	assert_int_equal(vsamp_events_schedule(ev, 4, 0x070000000f, 0, 0, &sets, NULL), 0);
	assert_int_equal(sets, 1);
}

/* Two counters, events 1 and 3 calibrated: in one set, though that is not the order they have */
static void calibrated_together(void **state)
{
	struct vsamp_event ev[] = { event(3, -1), event(3, -1), event(3, -1), event(3, -1) };
	const unsigned int set[] = { 0, 1, 0, 1 };

	assert_int_equal(vsamp_events_schedule(ev, 4, 3, 0, 1 << 1 | 1 << 3, &sets, NULL), 0);
	assert_int_equal(sets, 2);
	for (int i = 0; i < 4; i++)
		assert_int_equal(ev[i].set, set[i]);
}

/* 0 - 1 - 2 - 3 - 4 - 0: a ring of five needs three sets, whatever the counters */
static void exclusion_ring(void **state)
{
	struct vsamp_event ev[5];

	for (int i = 0; i < 5; i++) {
		ev[i] = event(GENERAL, -1);
		ev[i].excludes = 1U << (i + 1) % 5; /* one side says it, and it holds for both */
	}
	assert_int_equal(vsamp_events_schedule(ev, 5, 0xff, 0, 0, &sets, NULL), 0);
	assert_int_equal(sets, 3);
	for (int i = 0; i < 5; i++)
		assert_int_not_equal(ev[i].set, ev[(i + 1) % 5].set);
}

static void nothing_changed_on_error(void **state)
{
	struct vsamp_event ev[] = { event(GENERAL, -1), event(F(3), -1) };

	ev[0].set = ev[0].counter = 77;
	sets = 88;
	assert_int_equal(vsamp_events_schedule(ev, 2, 0x070000000f, 0, 0, &sets, NULL), -ENODEV);
	assert_int_equal(ev[0].set, 77);
	assert_int_equal(ev[0].counter, 77);
	assert_int_equal(sets, 88);
}

struct request {
	struct vsamp_event ev[VSAMP_EVENTS_MAX];
	unsigned int n;
	uint64_t exist;
	uint32_t calibrated;
};

/* A counter of its own for each event of the mask, by trying everything */
static bool brute_fits(const struct request *q, unsigned int mask, uint64_t free)
{
	unsigned int i = __builtin_ffs(mask) - 1;

	if (!mask)
		return true;
	for (unsigned int c = 0; c < 40; c++)
		if (q->ev[i].counters & free & 1ULL << c &&
		    brute_fits(q, mask & ~(1U << i), free & ~(1ULL << c)))
			return true;
	return false;
}

static bool excluded(const struct request *q, unsigned int i, unsigned int j)
{
	return q->ev[i].excludes >> j & 1 || q->ev[j].excludes >> i & 1;
}

static bool brute_together(const struct request *q, unsigned int mask)
{
	for (unsigned int i = 0; i < q->n; i++)
		for (unsigned int j = 0; j < i; j++)
			if (mask >> i & mask >> j & 1 && excluded(q, i, j))
				return false;
	return brute_fits(q, mask, q->exist);
}

struct brute {
	const struct request *q;
	bool together[1 << 8];	       /* may these events be a set? */
	unsigned int set[8];	       /* events of each */
	unsigned int sets, calibrated; /* the best so far */
};

/* Event i joins each set there is, or begins another */
static void brute_partitions(struct brute *b, unsigned int i, unsigned int used)
{
	unsigned int calibrated = 0;

	if (i < b->q->n) {
		for (unsigned int s = 0; s <= used; s++) {
			b->set[s] |= 1U << i;
			brute_partitions(b, i + 1, used + (s == used));
			b->set[s] &= ~(1U << i);
		}
		return;
	}
	for (unsigned int s = 0; s < used; s++) {
		if (!b->together[b->set[s]])
			return;
		calibrated += !!(b->set[s] & b->q->calibrated);
	}
	if (used < b->sets || (used == b->sets && calibrated < b->calibrated)) {
		b->sets = used;
		b->calibrated = calibrated;
	}
}

static unsigned int calibrated_sets(const struct request *q)
{
	uint32_t found = 0;

	for (unsigned int i = 0; i < q->n; i++)
		if (q->calibrated >> i & 1)
			found |= 1U << q->ev[i].set;
	return __builtin_popcount(found);
}

/* Whatever the best is: is this a schedule at all? */
static void check_valid(const struct request *q, unsigned int found)
{
	uint64_t used[VSAMP_EVENTS_MAX] = { 0 };
	unsigned int seen = 0;

	for (unsigned int i = 0; i < q->n; i++) {
		const struct vsamp_event *ev = &q->ev[i];

		assert_in_range(ev->set, 0, seen);
		seen += ev->set == seen;
		assert_true(ev->counters & q->exist & 1ULL << ev->counter);
		assert_false(used[ev->set] & 1ULL << ev->counter);
		used[ev->set] |= 1ULL << ev->counter;
		for (unsigned int j = 0; j < i; j++)
			assert_false(q->ev[j].set == ev->set && excluded(q, i, j));
	}
	assert_int_equal(seen, found);
	/* A fixed counter that an event could have is not left free */
	for (unsigned int i = 0; i < q->n; i++)
		if (q->ev[i].counter < VSAMP_COUNTER_FIXED)
			assert_false(q->ev[i].counters & q->exist & ~GENERAL & ~used[q->ev[i].set]);
}

static unsigned int schedule(struct request *q)
{
	unsigned int found = 0;

	assert_int_equal(
		vsamp_events_schedule(q->ev, q->n, q->exist, 0, q->calibrated, &found, NULL), 0);
	check_valid(q, found);
	return found;
}

static uint64_t random_counters(uint64_t exist)
{
	uint64_t fixed = (uint64_t)(rand() & 7) << 32, mask = 0;

	while (!(mask & exist)) {
		switch (rand() % 5) {
		case 0: /* only fixed */
			mask = fixed;
			break;
		case 1:
			mask = GENERAL;
			break;
		case 2:
			mask = GENERAL | fixed;
			break;
		default:
			mask = (rand() & 15) | (rand() & 1 ? fixed : 0);
		}
	}
	return mask;
}

static void random_request(struct request *q, unsigned int max)
{
	static const uint64_t exist[] = { 0x1,		0x3,	     0xf,	   0xff,
					  0x0700000003, 0x700000001, 0x070000000f, 0x0f000000ff };
	unsigned int density = rand() % 3; /* of exclusions */

	memset(q, 0, sizeof(*q));
	q->exist = exist[rand() % (sizeof(exist) / sizeof(exist[0]))];
	q->n = 1 + rand() % max;
	q->calibrated = rand() & rand();
	for (unsigned int i = 0; i < q->n; i++) {
		q->ev[i] = event(random_counters(q->exist), -1);
		for (unsigned int j = 0; density && j < i; j++)
			if (!(rand() % (density * 3)))
				q->ev[i].excludes |= 1U << j;
	}
}

static void against_brute_force(void **state)
{
	unsigned int one = 0, several = 0, excluding = 0, spared = 0, unavoidable = 0;

	srand(1);
	for (int round = 0; round < 6000; round++) {
		struct request q;
		struct brute b = { .q = &q, .sets = 9 };
		unsigned int found;

		random_request(&q, 8);
		for (unsigned int mask = 1; mask < 1U << q.n; mask++)
			b.together[mask] = brute_together(&q, mask);
		brute_partitions(&b, 0, 0);
		found = schedule(&q);
		assert_int_equal(found, b.sets);
		assert_int_equal(calibrated_sets(&q), b.calibrated);
		one += found == 1;
		several += found > 2;
		excluding += found > 1 && brute_fits(&q, (1U << q.n) - 1, q.exist);
		spared += b.calibrated && b.calibrated < found;
		unavoidable += b.calibrated > 1;
	}
	/* All of these happen, or the test shows nothing */
	assert_true(one > 500 && several > 500 && excluding > 200);
	assert_true(spared > 500 && unavoidable > 500);
}

/* The most there can be, with limits that are easily worked out */
static void many(void **state)
{
	struct request q = { .n = 32, .exist = 0x070000000f, .calibrated = 1U << 31 };

	for (int i = 0; i < 32; i++)
		q.ev[i] = event(GENERAL, -1);
	assert_int_equal(schedule(&q), 8); /* 32 / 4 */
	assert_int_equal(calibrated_sets(&q), 1);
	for (int i = 0; i < 10; i++)
		q.ev[3 * i].counters = F(1);
	assert_int_equal(schedule(&q), 10); /* one of them at a time */
	for (int i = 0; i < 32; i++)
		q.ev[i].counters = F(i % 2) | 1;
	assert_int_equal(schedule(&q), 11); /* 32 / 3 */
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Eight groups of four that exclude each other, or four of eight: known, and many ways to fail */
static void cliques(void **state)
{
	for (unsigned int size = 1; size <= 32; size *= 2) {
		struct request q = { .n = 32, .exist = 0xf, .calibrated = 0x11111111 };
		unsigned int best = size > 8 ? size : 8;
		double start = seconds();

		for (unsigned int i = 0; i < 32; i++) {
			q.ev[i] = event(GENERAL, -1);
			for (unsigned int j = 0; j < i; j++)
				if (i / size == j / size)
					q.ev[i].excludes |= 1U << j;
		}
		assert_int_equal(schedule(&q), best);
		assert_true(seconds() - start < 5);
	}
}

/* No telling what the best is, but there is an end, and what comes is valid */
static void hard(void **state)
{
	double worst = 0;

	srand(2);
	for (int round = 0; round < 200; round++) {
		struct request q;
		double start = seconds();

		do
			random_request(&q, 32);
		while (q.n < 24);
		schedule(&q);
		if (seconds() - start > worst)
			worst = seconds() - start;
	}
	print_message("# at most %.3f s\n", worst);
	assert_true(worst < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_first),
		cmocka_unit_test(makes_room),
		cmocka_unit_test(more_than_counters),
		cmocka_unit_test(calibrated_together),
		cmocka_unit_test(exclusion_ring),
		cmocka_unit_test(not_counted),
		cmocka_unit_test(nothing_changed_on_error),
		cmocka_unit_test(against_brute_force),
		cmocka_unit_test(many),
		cmocka_unit_test(cliques),
		cmocka_unit_test(hard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
