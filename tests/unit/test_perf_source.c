// SPDX-License-Identifier: MIT
/*
 * Sessions of the perf backend on this machine's kernel, by its software clocks, which need no PMU:
 * samples and counts against the CPU time that the kernel charged, and against perf itself
 */
#include <limits.h>

#include "perf_bench.h"

static void launched(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	bench_launch(b, 500 * MS, 0, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_load_sampled(b);
	assert_int_equal(b->taken.of_pid, b->taken.user);
}

static void two_events(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	b->config.n_events = 2;
	bench_launch(b, 500 * MS, 0, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_load_sampled(b);
	/* The other one has half the period */
	assert_near(b->taken.samples[1], 2 * b->taken.samples[0]);
	assert_near(b->count[1], load_ns(&b->load));
}

static void children(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	bench_launch(b, 300 * MS, 2, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_load_sampled(b);
	assert_near(b->taken.of_pid * 3, b->taken.user);
}

static void no_children(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	bench_launch(b, 300 * MS, 2, 0);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_int_equal(b->taken.of_pid, b->taken.user);
	assert_near(b->taken.user, 300);
}

/* Threads are the process, also where its children are not wanted */
static void threads_to_come(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	assert_true(load_fork(&b->load, 200 * MS, 0, 2));
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	b->config.flags = VSAMP_FLAG_ON_EXEC;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_load_sampled(b);
	assert_near(b->count[0], 600 * MS);
	assert_int_equal(b->taken.of_pid, b->taken.user);
}

/* Not multiplexed: a thread on another CPU doesn't count as time missed */
static void times(void **state)
{
	struct bench *b = *state;
	uint64_t enabled = 0, running = 0;

	NEED_LEVEL(2);
	bench_launch(b, 200 * MS, 3, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	for (unsigned int i = 0; i < b->stats.n; i++) {
		enabled += b->stats.cpu[i].event[0].enabled;
		running += b->stats.cpu[i].event[0].running;
	}
	assert_near(running, load_ns(&b->load));
	assert_in_range(enabled, running, running + running / 100);
}

static void counted_only(void **state)
{
	struct bench *b = *state;
	struct vsamp_ring *ring;

	NEED_LEVEL(2);
	b->config.count_only = true;
	bench_launch(b, 200 * MS, 1, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_near(b->count[0], load_ns(&b->load));
	assert_int_equal(b->written, 0);
	assert_int_equal(b->samples[0], 0);
	assert_int_equal(vsamp_session_ring(b->session, b->stats.cpu[0].cpu, &ring, &b->err),
			 -ENXIO);
}

/* Paused before the exec, and until the end: there is nothing */
static void paused_before_exec(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	bench_launch(b, 200 * MS, 1, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	OK(vsamp_session_pause(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_int_equal(b->taken.user, 0);
	assert_int_equal(b->count[0], 0);
	assert_int_equal(b->taken.states[VSAMP_STATE_PAUSE], b->stats.n);
}

/* And resumed in its midst, children included */
static void resumed_after_exec(void **state)
{
	struct bench *b = *state;
	uint64_t paused;

	NEED_LEVEL(2);
	bench_launch(b, 400 * MS, 1, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	OK(vsamp_session_pause(b->session, &b->err));
	assert_true(load_go(&b->load));
	load_hold(&b->load, 100 * MS);
	paused = load_used(&b->load);
	OK(vsamp_session_resume(b->session, &b->err));
	load_continue(&b->load);
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_near(b->taken.of_pid, 400 - paused / MS);
	assert_true(b->taken.user > b->taken.of_pid);
	assert_true(b->count[0] < load_ns(&b->load) - paused + 10 * MS);
	assert_near(b->taken.samples[0], b->count[0] / MS);
	assert_int_equal(b->taken.paused_samples, 0);
}

/* A process that runs already; what it does before, and in a pause, is not counted */
static void attached(void **state)
{
	struct bench *b = *state;
	uint64_t missed;

	NEED_LEVEL(2);
	assert_true(load_fork(&b->load, 600 * MS, 0, 0));
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	assert_true(load_go(&b->load));
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	load_hold(&b->load, 100 * MS);
	missed = load_used(&b->load);
	OK(vsamp_session_start(b->session, &b->err));
	load_continue(&b->load);
	load_hold(&b->load, 200 * MS);
	missed -= load_used(&b->load);
	OK(vsamp_session_pause(b->session, &b->err));
	load_continue(&b->load);
	load_hold(&b->load, 300 * MS);
	missed += load_used(&b->load);
	OK(vsamp_session_resume(b->session, &b->err));
	load_continue(&b->load);
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_near(b->count[0], load_ns(&b->load) - missed);
	assert_near(b->taken.samples[0], b->count[0] / MS);
	assert_int_equal(b->taken.of_pid, b->taken.user);
	assert_int_equal(b->taken.paused_samples, 0);
}

static void threads_there(void **state)
{
	struct bench *b = *state;
	uint64_t missed;

	NEED_LEVEL(2);
	assert_true(load_fork(&b->load, 300 * MS, 0, 3));
	b->config.pids = &b->load.pid;
	b->config.n_pids = 1;
	assert_true(load_go(&b->load));
	load_hold(&b->load, 100 * MS);
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	missed = load_used(&b->load);
	OK(vsamp_session_start(b->session, &b->err));
	load_continue(&b->load);
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_near(b->count[0], load_ns(&b->load) - missed);
	assert_near(b->taken.samples[0], b->count[0] / MS);
	assert_int_equal(b->taken.of_pid, b->taken.user);
}

/* Nobody reads, and the buffer is small: what is lost is told, though no record follows it */
static void losses(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	b->event[0].sav = 50000;
	b->config.ring_size = VSAMP_RING_SIZE_MIN;
	bench_launch(b, 500 * MS, 0, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_true(b->taken.samples[0] >= VSAMP_RING_SIZE_MIN / 48 - 10);
	assert_true(b->lost > 5000);
	assert_int_equal(b->samples[0], b->taken.samples[0] + b->lost);
	assert_in_range(b->samples[0], 8000, 10400);
}

static void whole_machine(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(0);
	b->event[0].kernel = true;
	assert_true(load_fork(&b->load, 300 * MS, 1, 0));
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_near(b->taken.samples[0], b->count[0] / MS);
	/* It shares the CPUs with whatever else runs, and timers beat with time slices */
	assert_in_range(b->taken.in_loop, 400, 800);
	assert_in_range(b->taken.of_pid, 200, 450);
	assert_true(b->taken.user >= b->taken.in_loop && b->taken.samples[0] > b->taken.user);
}

/* From where it is told on, samples come at the new rate: of all the time that was counted */
static void sav_changed(void **state)
{
	struct bench *b = *state;
	uint64_t before;

	NEED_LEVEL(0);
	b->event[0].kernel = true;
	assert_true(load_fork(&b->load, 400 * MS, 1, 0));
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	usleep(100000);
	OK(vsamp_session_set_sav(b->session, 0, 4 * MS, false, &b->err));
	OK(vsamp_session_stats(b->session, &b->stats, &b->err));
	before = 0;
	for (unsigned int i = 0; i < b->stats.n; i++)
		before += b->stats.cpu[i].event[0].count;
	vsamp_stats_free(&b->stats);
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_int_equal(b->taken.savs, b->stats.n);
	assert_near(b->taken.samples[0], before / MS + (b->count[0] - before) / (4 * MS));
	assert_int_equal(vsamp_session_set_sav(b->session, 0, MS, false, &b->err), -EBADFD);
}

static void sav_refused(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	bench_launch(b, MS, 0, VSAMP_FLAG_INHERIT);
	assert_int_equal(vsamp_session_set_sav(b->session, 0, MS, false, &b->err), -EBADFD);
	OK(vsamp_session_start(b->session, &b->err));
	assert_int_equal(vsamp_session_set_sav(b->session, 0, 2 * MS, false, &b->err), -EOPNOTSUPP);
	assert_int_equal(vsamp_session_set_sav(b->session, 1, 2 * MS, false, &b->err), -EINVAL);
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
}

/* How many samples 'perf record' takes of the same load; -1: perf can't be asked */
static long perf_samples(uint64_t ns)
{
	char self[PATH_MAX] = "", command[PATH_MAX + 400], data[] = "/tmp/test-perf.XXXXXX";
	int fd = mkstemp(data);
	long n = -1;
	FILE *perf;

	if (fd < 0 || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return -1;
	close(fd);
	snprintf(
		command, sizeof(command),
		"perf record -q -o %s -e cpu-clock:u -c %llu -- '%s' load 1 %llu 0 0 >/dev/null 2>&1 "
		"&& perf script -i %s -F ip 2>/dev/null | wc -l",
		data, MS, self, (unsigned long long)ns, data);
	perf = popen(command, "r");
	if (perf) {
		if (fscanf(perf, "%ld", &n) != 1)
			n = -1;
		pclose(perf);
	}
	unlink(data);
	return n;
}

static void as_perf_has_it(void **state)
{
	long perf = perf_samples(500 * MS);
	struct bench *b = *state;

	NEED_LEVEL(2);
	if (perf < 0) {
		print_message("skipped: perf can't be run here\n");
		skip();
	}
	bench_launch(b, 500 * MS, 0, VSAMP_FLAG_INHERIT);
	OK(vsamp_session_start(b->session, &b->err));
	assert_true(load_go(&b->load));
	assert_true(load_end(&b->load));
	bench_stop(b);
	assert_true(perf > 400);
	assert_in_range(b->taken.samples[0], perf * 9 / 10, perf * 11 / 10);
}

static void capabilities(void **state)
{
	struct bench *b = *state;
	struct vsamp_caps caps;

	OK(vsamp_caps_get(&caps, VSAMP_BACKEND_PERF, &b->err));
	assert_int_equal(caps.n, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(caps.cpu[0].clock, VSAMP_CLOCK_MONOTONIC_RAW);
	assert_int_equal(caps.cpu[0].clock_khz, 1000000);
	assert_int_equal(caps.cpu[0].sav_max, INT64_MAX);
	assert_int_equal(caps.cpu[0].perfmon_version, 0);
	vsamp_caps_free(&caps);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(launched),	      TEST(two_events),		TEST(children),
		TEST(no_children),    TEST(threads_to_come),	TEST(times),
		TEST(counted_only),   TEST(paused_before_exec), TEST(resumed_after_exec),
		TEST(attached),	      TEST(threads_there),	TEST(losses),
		TEST(whole_machine),  TEST(sav_changed),	TEST(sav_refused),
		TEST(as_perf_has_it), TEST(capabilities),
	};

	load_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
