// SPDX-License-Identifier: MIT
/* Counters for events: against brute force */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/event.h>

#define F(i)	(1ULL << (VSAMP_COUNTER_FIXED + (i)))
#define GENERAL 0xffffffffULL

static struct vsamp_event event(uint64_t counters, int arch_bit)
{
	struct vsamp_event ev = { .name = "x", .counters = counters, .arch_bit = arch_bit };

	return ev;
}

static void fixed_first(void **state)
{
	struct vsamp_event ev[] = {
		event(GENERAL, -1),
		event(GENERAL | F(0), 1), /* instructions:u */
		event(GENERAL | F(0), 1), /* instructions:k */
		event(F(2), 2),
	};

	assert_int_equal(vsamp_events_assign(ev, 4, 0x0700000003, 0, NULL), 0);
	assert_int_equal(ev[0].counter, 0);
	assert_int_equal(ev[1].counter, 32);
	assert_int_equal(ev[2].counter, 1);
	assert_int_equal(ev[3].counter, 34);
}

static void makes_room(void **state)
{
	/* The first could have either, and must leave the one that the second needs */
	struct vsamp_event ev[] = { event(0x3, -1), event(0x1, -1) };

	assert_int_equal(vsamp_events_assign(ev, 2, 0x3, 0, NULL), 0);
	assert_int_equal(ev[0].counter, 1);
	assert_int_equal(ev[1].counter, 0);
}

static void too_many(void **state)
{
	struct vsamp_event ev[6];
	struct vsamp_error err = { 0 };

	for (int i = 0; i < 6; i++)
		ev[i] = event(GENERAL, -1);
	assert_int_equal(vsamp_events_assign(ev, 6, 0x070000000f, 0, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "6 events"));
	assert_non_null(strstr(err.text, "4 of them do"));
	assert_int_equal(vsamp_events_assign(ev, 4, 0x070000000f, 0, &err), 0);
}

static void not_counted(void **state)
{
	struct vsamp_event ev[] = { event(GENERAL, 3), event(F(3), -1) };
	struct vsamp_error err = { 0 };

	assert_int_equal(vsamp_events_assign(ev, 1, 0xf, 1 << 3, &err), -ENODEV);
	assert_int_equal(vsamp_events_assign(ev, 1, 0xf, 1 << 2, &err), 0);
	assert_int_equal(vsamp_events_assign(ev + 1, 1, 0x070000000f, 0, &err), -ENODEV);
}

/* The most events that can have counters, by trying everything */
static unsigned int brute(const struct vsamp_event *ev, unsigned int n, uint64_t free)
{
	unsigned int best = 0;

	if (!n)
		return 0;
	best = brute(ev + 1, n - 1, free);
	for (unsigned int c = 0; c < 40; c++)
		if (ev->counters & free & 1ULL << c) {
			unsigned int with = 1 + brute(ev + 1, n - 1, free & ~(1ULL << c));

			if (with > best)
				best = with;
		}
	return best;
}

static void against_brute_force(void **state)
{
	uint64_t exist = 0x0700000007;
	unsigned int fitted = 0, refused = 0;

	srand(1);
	for (int round = 0; round < 2000; round++) {
		struct vsamp_event ev[6];
		unsigned int n = 1 + rand() % 6;
		uint64_t used = 0;
		int ret;

		for (unsigned int i = 0; i < n; i++) {
			uint64_t mask = 0;

			while (!mask)
				mask = (rand() & 7) | (uint64_t)(rand() & rand() & 7) << 32;
			ev[i] = event(mask, -1);
		}
		ret = vsamp_events_assign(ev, n, exist, 0, NULL);
		if (brute(ev, n, exist) < n) {
			assert_int_equal(ret, -ENOSPC);
			refused++;
			continue;
		}
		assert_int_equal(ret, 0);
		fitted++;
		for (unsigned int i = 0; i < n; i++) {
			uint64_t bit = 1ULL << ev[i].counter;

			assert_true(ev[i].counters & exist & bit);
			assert_false(used & bit);
			used |= bit;
		}
	}
	/* Both happen, or the test shows nothing */
	assert_true(fitted > 100);
	assert_true(refused > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed_first),
		cmocka_unit_test(makes_room),
		cmocka_unit_test(too_many),
		cmocka_unit_test(not_counted),
		cmocka_unit_test(against_brute_force),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
