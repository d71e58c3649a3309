// SPDX-License-Identifier: MIT
/*
 * The perf backend while the machine changes: CPUs go and come, perf throttles. For a machine of 2 CPUs
 * that is for tests.
 */
#include <clock_record.h>
#include <perf_buffer.h>

#include "perf_bench.h"

#define CPU1_ONLINE "/sys/devices/system/cpu/cpu1/online"

static void cpu1_switch(bool on)
{
	FILE *f = fopen(CPU1_ONLINE, "w");

	assert_non_null(f);
	assert_true(fputs(on ? "1" : "0", f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void need_machine(void)
{
	if (getenv("VSAMP_TEST_MACHINE"))
		return;
	print_message("skipped: without VSAMP_TEST_MACHINE nothing of the machine is changed\n");
	skip();
}

static void look(struct bench *b)
{
	struct vsamp_stats stats;

	OK(vsamp_session_stats(b->session, &stats, &b->err));
	vsamp_stats_free(&stats);
}

/* CPU 1 goes for some time: of that there is nothing, and nothing else is missing */
static void cpu_goes_and_comes(void **state)
{
	struct bench *b = *state;

	need_machine();
	b->event[0].kernel = true;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	usleep(200000);
	cpu1_switch(false);
	look(b);
	usleep(300000);
	look(b);
	cpu1_switch(true);
	look(b);
	usleep(200000);
	bench_stop(b);
	assert_int_equal(b->stats.n, 2);
	assert_int_equal(b->taken.states[VSAMP_STATE_OFFLINE], 1);
	assert_int_equal(b->taken.states[VSAMP_STATE_ONLINE], 1);
	assert_int_equal(b->taken.states[VSAMP_STATE_STOP], 2);
	for (unsigned int i = 0; i < 2; i++)
		assert_near(b->stats.cpu[i].event[0].samples, b->stats.cpu[i].event[0].count / MS);
	assert_in_range(b->stats.cpu[0].event[0].count - b->stats.cpu[1].event[0].count, 280 * MS,
			500 * MS);
}

/* It was gone and back before anybody looked: the gap ends when somebody does, and is told as it was */
static void cpu_goes_unseen(void **state)
{
	struct bench *b = *state;
	uint64_t gone, seen;

	need_machine();
	b->event[0].kernel = true;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	usleep(200000);
	gone = clock_raw_now();
	cpu1_switch(false);
	cpu1_switch(true);
	usleep(300000);
	seen = clock_raw_now();
	look(b);
	look(b);
	usleep(200000);
	bench_stop(b);
	assert_int_equal(b->taken.states[VSAMP_STATE_OFFLINE], 1);
	assert_int_equal(b->taken.states[VSAMP_STATE_ONLINE], 1);
	assert_int_equal(b->taken.states[VSAMP_STATE_STOP], 2);
	assert_in_range(b->taken.state_time[VSAMP_STATE_OFFLINE], gone, gone + 150 * MS);
	assert_in_range(b->taken.state_time[VSAMP_STATE_ONLINE], seen, seen + 150 * MS);
	for (unsigned int i = 0; i < 2; i++)
		assert_near(b->stats.cpu[i].event[0].samples, b->stats.cpu[i].event[0].count / MS);
	assert_in_range(b->stats.cpu[0].event[0].count - b->stats.cpu[1].event[0].count, 280 * MS,
			500 * MS);
}

/* So it is in a pause, in which nothing counts anyway */
static void cpu_goes_unseen_in_a_pause(void **state)
{
	struct bench *b = *state;

	need_machine();
	b->event[0].kernel = true;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	OK(vsamp_session_pause(b->session, &b->err));
	cpu1_switch(false);
	cpu1_switch(true);
	look(b);
	OK(vsamp_session_resume(b->session, &b->err));
	usleep(200000);
	bench_stop(b);
	assert_int_equal(b->taken.states[VSAMP_STATE_ONLINE], 1);
	assert_in_range(b->stats.cpu[1].event[0].samples, 180, 400);
}

/* One that is away at first is taken when it comes; a process's threads need no care */
static void cpu_comes(void **state)
{
	struct bench *b = *state;

	need_machine();
	cpu1_switch(false);
	b->event[0].kernel = true;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	look(b);
	cpu1_switch(true);
	look(b);
	usleep(100000);
	bench_stop(b);
	assert_int_equal(b->stats.n, 2);
	assert_int_equal(b->taken.states[VSAMP_STATE_START], 1);
	assert_int_equal(b->taken.states[VSAMP_STATE_ONLINE], 1);
	assert_in_range(b->stats.cpu[1].event[0].samples, 85, 200);
}

static void threads_over_hotplug(void **state)
{
	struct bench *b = *state;

	need_machine();
	cpu1_switch(false);
	bench_launch(b, 500 * MS, 2, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	load_hold(&b->load, 50 * MS);
	cpu1_switch(true);
	load_continue(&b->load);
	load_hold(&b->load, 250 * MS);
	cpu1_switch(false);
	load_continue(&b->load);
	load_hold(&b->load, 300 * MS);
	cpu1_switch(true);
	load_continue(&b->load);
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_load_sampled(b);
	assert_int_equal(b->stats.n, 2);
	assert_true(b->stats.cpu[1].event[0].samples > 100);
}

#define MAX_RATE "/proc/sys/kernel/perf_event_max_sample_rate"

static void max_rate_set(const char *rate)
{
	FILE *f = fopen(MAX_RATE, "w");

	assert_non_null(f);
	assert_true(fputs(rate, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

/* Ten times as many as perf allows in a tick: it holds back for the rest of each */
static void throttled(void **state)
{
	struct bench *b = *state;
	uint64_t throttled = 0;

	need_machine();
	max_rate_set("1000");
	b->event[0].sav = MS / 10;
	bench_launch(b, 500 * MS, 0, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	max_rate_set("100000");
	bench_stop(b);
	for (unsigned int i = 0; i < b->stats.n; i++)
		throttled += b->stats.cpu[i].throttled;
	/* One a tick: 125 of 4 ms; no more than 4 samples in each, and a few behind them */
	assert_int_equal(throttled, b->taken.throttles);
	assert_in_range(throttled, 100, 140);
	assert_in_range(b->taken.samples[0], 100, 1000);
	assert_int_equal(b->lost, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(cpu_goes_and_comes),	  TEST(cpu_goes_unseen),
		TEST(cpu_goes_unseen_in_a_pause), TEST(cpu_comes),
		TEST(threads_over_hotplug),	  TEST(throttled),
	};

	load_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
