// SPDX-License-Identifier: MIT
/* Numbers as text are those of printf() */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"

static void whole_is(uint64_t n)
{
	char text[NUMBER_MAX], expected[32];
	int length = snprintf(expected, sizeof(expected), "%llu", (unsigned long long)n);

	assert_int_equal(number_whole(text, n), length);
	assert_memory_equal(text, expected, length);
}

static void test_whole(void **state)
{
	whole_is(UINT64_MAX);
	for (uint64_t n = 0; n < 100000; n++)
		whole_is(n);
	for (uint64_t unit = 1; unit <= UINT64_MAX / 10; unit *= 10) {
		whole_is(unit * 10 - 1);
		whole_is(unit * 10);
		whole_is(unit * 7 + unit / 3);
	}
}

static void test_zeros(void **state)
{
	char text[] = "xxxxxxxxxx";

	number_zeros(text, 70605, 9);
	assert_string_equal(text, "000070605x");
	number_zeros(text, 7, 1);
	assert_string_equal(text, "700070605x");
	number_zeros(text + 1, 0, 4);
	assert_string_equal(text, "700000605x");
}

/* 1: it was made, and is right; 0: it is left to printf() */
static int fixed_is(double value, int digits)
{
	char text[NUMBER_MAX], expected[400];
	size_t length = number_fixed(text, value, digits);

	if (!length)
		return 0;
	assert_int_equal(snprintf(expected, sizeof(expected), "%.*f", digits, value), length);
	assert_memory_equal(text, expected, length);
	return 1;
}

static void test_fixed(void **state)
{
	static const double left[] = {
		-1, -0.0, 0.0005, 1.125, 1e9, 1e300, INFINITY, -INFINITY, NAN
	};
	int made = 0;

	assert_true(fixed_is(0, 3));
	assert_true(fixed_is(0.0004, 3));
	assert_true(fixed_is(1.9996, 3));
	assert_true(fixed_is(99.995001, 2));
	assert_true(fixed_is(100, 2));
	assert_true(fixed_is(999999.1239, 3));
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		assert_false(fixed_is(left[i], i == 3 ? 2 : 3));
	srand48(1);
	for (int i = 0; i < 100000; i++)
		made += fixed_is(drand48() * pow(10, i % 9 - 3), i % 3 + 1);
	assert_true(made > 99000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_zeros),
		cmocka_unit_test(test_fixed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
