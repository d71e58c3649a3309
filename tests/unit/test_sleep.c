// SPDX-License-Identifier: MIT
/* What a recording says of the time in which the machine slept */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp/recording.h>

#include "mkfile.h"

#define S 1000000000ULL

static void clock_record(struct vsamp_writer *w, uint32_t cpu, uint64_t ticks, uint64_t raw,
			 uint64_t realtime)
{
	struct vsamp_record_clock c = {
		.h = { VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 },
		.time = ticks,
		.monotonic_raw = raw,
		.realtime = realtime,
	};

	mk_record(w, cpu, &c);
}

/*
 * 2 GHz. Awake for 1 s, asleep for 50 s of REALTIME and TSC and 1 ms of MONOTONIC_RAW, awake for 2 s.
 * CPU 1 isn't there when the machine wakes.
 */
static void test_sleep(void **state)
{
	char path[] = "/tmp/test_sleep.XXXXXX";
	struct vsamp_writer *w;
	struct vsamp_recording *rec;
	const struct vsamp_recording_totals *t;
	const struct vsamp_recording_cpu *cpu;

	close(mkstemp(path));
	w = mk_open(path);
	for (uint32_t i = 0; i < 2; i++) {
		clock_record(w, i, 0, 5 * S, 1000 * S);
		clock_record(w, i, 2 * S, 6 * S, 1001 * S);
		mk_state(w, i, VSAMP_STATE_SUSPEND, 2 * S + 10, 0);
	}
	mk_state(w, 0, VSAMP_STATE_WAKE, 102 * S, 0);
	clock_record(w, 0, 102 * S, 6 * S + 1000000, 1051 * S);
	mk_sample(w, 0, 0, true, 104 * S, 0x1000, 1);
	clock_record(w, 0, 106 * S, 8 * S + 1000000, 1053 * S);
	mk_close(w);

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	t = vsamp_recording_totals(rec);
	assert_int_equal(t->sleeps, 1);
	assert_int_equal(t->asleep, 50 * S);
	assert_int_equal(vsamp_recording_elapsed(rec), 3 * S);
	assert_int_equal(vsamp_clock_fit_raw(vsamp_recording_clock(rec), 104 * S), 7 * S + 1000000);
	assert_int_equal(vsamp_clock_fit_khz(vsamp_recording_clock(rec)), 2000000);
	assert_int_equal(vsamp_recording_cpus(rec, &cpu), 2);
	assert_int_equal(cpu[1].sleeps, 0);
	vsamp_recording_close(rec);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sleep) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
