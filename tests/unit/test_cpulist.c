// SPDX-License-Identifier: MIT
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <vsamp/cpulist.h>

static const struct {
	const char *text;
	unsigned int n;
	uint32_t cpu[8]; /* the first of them */
} good[] = {
	{ "0", 1, { 0 } },
	{ "0\n", 1, { 0 } }, /* as /sys has it */
	{ "0-3", 4, { 0, 1, 2, 3 } },
	{ "0,2-3", 3, { 0, 2, 3 } }, /* ids have holes: their number is not the highest */
	{ "3,1,2,1-2", 3, { 1, 2, 3 } },
	{ "0-63,72-127", 120, { 0, 1, 2, 3, 4, 5, 6, 7 } },
	{ "8191", 1, { 8191 } },
	{ "0-8191", 8192, { 0, 1 } },
};

static const char *const bad[] = {
	"",	"\n",	 ",",	"0,",  ",0",   "0-",	 "-1",
	"1-0",	"a",	 "0 1", "0x1", "8192", "0-8192", "99999999999999999999",
	"0\n1", "0-1-2",
};

static void lists(void **state)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct vsamp_cpulist list;

		assert_int_equal(vsamp_cpulist_parse(&list, good[i].text), 0);
		assert_int_equal(list.n, good[i].n);
		for (unsigned int k = 0; k < list.n && k < 8 && (!k || good[i].cpu[k]); k++)
			assert_int_equal(list.cpu[k], good[i].cpu[k]);
		vsamp_cpulist_free(&list);
	}
}

static void refusals(void **state)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct vsamp_cpulist list;

		assert_int_equal(vsamp_cpulist_parse(&list, bad[i]), -EINVAL);
		assert_null(list.cpu);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
