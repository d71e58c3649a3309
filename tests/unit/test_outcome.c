// SPDX-License-Identifier: MIT
/* The advice for what was lost, worked out by hand */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "outcome.h"

static void ring_size(void **state)
{
	const struct {
		uint64_t lost[2]; /* of each CPU; a record is 32 bytes */
		uint64_t ring;
		uint64_t advice;
	} row[] = {
		{ { 1, 0 }, 16384, 32768 },
		{ { 512, 512 }, 16384, 32768 }, /* 16384 bytes on each CPU: not added up */
		{ { 513, 0 }, 16384, 65536 },
		{ { 0, 100000 }, 1 << 20, 8 << 20 }, /* 3.2 MB and 1 MiB */
		{ { 1 << 25, 0 }, 1 << 20, 0 },	     /* 1 GiB and more */
		{ { UINT64_MAX, 0 }, 1 << 20, 0 },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_recorder_cpu cpu[2] = { { .lost = row[i].lost[0] },
						     { .lost = row[i].lost[1] } };
		struct vsamp_recorder_totals t = { .n = 2, .cpu = cpu };

		assert_int_equal(outcome_ring_size(&t, row[i].ring), row[i].advice);
	}
}

static void sav_factor(void **state)
{
	/* The other CPU lost nothing: that does not help the first */
	struct vsamp_recorder_cpu cpu[2] = {
		{ .produced = 3000, .written = 1500, .lost = 1500 },
		{ .produced = 6000, .written = 6000 },
	};
	struct vsamp_recorder_totals t = {
		.n = 2, .cpu = cpu, .produced = 9000, .written = 7500, .lost = 1500
	};

	assert_float_equal(outcome_sav_factor(&t), 2.5, 1e-9); /* twice, and a quarter to spare */
	cpu[0].written = 0;
	assert_float_equal(outcome_sav_factor(&t), 3750, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ring_size),
		cmocka_unit_test(sav_factor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
