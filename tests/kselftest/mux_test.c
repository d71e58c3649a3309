// SPDX-License-Identifier: MIT
/*
 * Sets that take turns on the counters. Needs the PMU, two CPUs, and the program loop.
 *
 * What a set missed is estimated by the time it had: count x enabled / running. The load is the same all
 * the time, so that the estimate is good to a slice or two.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "session.h"

#include "harness.h"

#define USER   VSAMP_EVENT_USER
#define KERNEL VSAMP_EVENT_KERNEL

FIXTURE(mux)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(mux)
{
	pin(1);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	/* two sets of one event each, on the same counter */
	self->config = (struct config){
		.events = { { CONFIG_INSTRUCTIONS, 0, 10007, USER, 0 },
			    { CONFIG_BRANCHES, 0, 5003, USER, 9 } },
		.n_events = 2,
		.mux_ms = 1,
		.cpus = "0",
		.ring_size = 1 << 21,
		.pmi_limit = 100000,
	};
}

FIXTURE_TEARDOWN(mux)
{
	close(self->fd);
	client_close(&self->c);
}

static int start(FIXTURE_DATA(mux) *self)
{
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

/* Stop, and hold the stream against the statistics */
static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(mux) *self, struct stats *stats,
		 struct seen *seen)
{
	int i;

	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, stats));
	session_read(self->fd, seen);
	EXPECT_EQ(stats->produced, stats->written + stats->lost);
	EXPECT_EQ(stats->written, seen->records);
	EXPECT_EQ(0, seen->malformed);
	EXPECT_EQ(0, seen->backwards);
	EXPECT_EQ(0, seen->set_wrong);
	for (i = 0; i < self->config.n_events; i++) {
		const struct cpu_stats *cpu = &stats->cpu[0];

		EXPECT_EQ(seen->set_enabled, cpu->enabled[i]);
		EXPECT_EQ(seen->set_running[self->config.events[i].set], cpu->running[i]);
		EXPECT_EQ(cpu->samples[i], seen->samples[i] + (stats->lost ? seen->lost : 0));
	}
}

static uint64_t estimate(const struct stats *stats, int event, uint64_t count)
{
	return (double)count * stats->cpu[0].enabled[event] / stats->cpu[0].running[event];
}

#define EXPECT_NEAR(expected, value, percent)                              \
	do {                                                               \
		double __e = (expected), __v = (value);                    \
		EXPECT_TRUE(__v > __e * (1 - (percent) / 100.) &&          \
			    __v < __e * (1 + (percent) / 100.))            \
		{                                                          \
			TH_LOG("%.0f instead of %.0f, %+.2f %%", __v, __e, \
			       (__v - __e) * 100 / __e);                   \
		}                                                          \
	} while (0)

TEST_F(mux, what_is_estimated_is_what_there_was)
{
	struct loop loop = loop_prepare();
	struct seen seen = { .sav = { 10007, 5003 } };
	struct stats stats;

	self->config.pids[0] = loop.pid;
	self->config.n_pids = 1;
	self->config.flags = VSAMP_FLAG_ON_EXEC;
	ASSERT_EQ(0, start(self));
	loop_go(&loop);
	while (loop_is_running(&loop))
		usleep(10000);
	stop(_metadata, self, &stats, &seen);
	EXPECT_EQ(0, stats.lost);
	EXPECT_NEAR(LOOP_INSTRUCTIONS, estimate(&stats, 0, stats.count[0]), 2);
	EXPECT_NEAR(LOOP_BRANCHES, estimate(&stats, 1, stats.count[1]), 2);
	EXPECT_NEAR(LOOP_INSTRUCTIONS, estimate(&stats, 0, seen.samples[0] * 10007), 2);
	EXPECT_NEAR(LOOP_BRANCHES, estimate(&stats, 1, seen.samples[1] * 5003), 2);
	/* each had about half; and together all, by their own times */
	EXPECT_NEAR(50, 100. * stats.cpu[0].running[0] / stats.cpu[0].enabled[0], 3);
	/* an overflow takes as many events as ever: a counter goes on where it was */
	EXPECT_EQ(stats.samples[0], stats.count[0] / 10007);
	EXPECT_EQ(stats.samples[1], stats.count[1] / 5003);
	/* the loop takes 200 ms, and what samples cost; a swap in each */
	EXPECT_LE(190, seen.types[VSAMP_RECORD_SET]);
}

TEST_F(mux, modes_of_one_fixed_counter_add_up)
{
	static const uint32_t modes[] = { USER, KERNEL, USER | KERNEL };
	struct seen seen = {};
	struct stats stats;
	uint64_t est[3];
	int i;

	/* reference cycles, which only fixed counter 2 counts; more in a sample than there are */
	self->config.n_events = 3;
	for (i = 0; i < 3; i++)
		self->config.events[i] = (struct event){
			0, VSAMP_COUNTER_FIXED + 2, 1U << 31, modes[i], i, false, 0
		};
	pin(0);
	ASSERT_EQ(0, start(self));
	for (i = 0; i < 20000; i++) {
		run_instructions(5000);
		sched_yield();
	}
	stop(_metadata, self, &stats, &seen);
	for (i = 0; i < 3; i++)
		est[i] = estimate(&stats, i, stats.count[i]);
	/* the CPU was never idle: a cycle of this kind is a tick */
	EXPECT_NEAR(stats.cpu[0].running[2], stats.count[2], 1);
	EXPECT_NEAR(est[2], est[0] + est[1], 2);
	/* of which these were in user mode */
	EXPECT_NEAR(20000 * 5000, est[0], 3);
	EXPECT_LT(stats.cpu[0].enabled[0] / 50, est[1]);
}

TEST_F(mux, sets_may_be_of_several_events)
{
	struct loop loop = loop_prepare();
	struct seen seen = {};
	struct stats stats;
	int i;

	/* three in one, of which one only counts, and two in the other */
	self->config.n_events = 5;
	for (i = 0; i < 5; i++)
		self->config.events[i] = (struct event){ i % 2 ? CONFIG_BRANCHES :
								 CONFIG_INSTRUCTIONS,
							 (5 - i) % 3,
							 i == 2 ? 0 : 200017 + i,
							 USER,
							 i % 2,
							 false,
							 0 };
	self->config.pids[0] = loop.pid;
	self->config.n_pids = 1;
	self->config.flags = VSAMP_FLAG_ON_EXEC;
	ASSERT_EQ(0, start(self));
	loop_go(&loop);
	while (loop_is_running(&loop))
		usleep(10000);
	stop(_metadata, self, &stats, &seen);
	for (i = 0; i < 5; i++) {
		EXPECT_NEAR(i % 2 ? LOOP_BRANCHES : LOOP_INSTRUCTIONS,
			    estimate(&stats, i, stats.count[i]), 2);
		EXPECT_EQ(i == 2 ? 0 : stats.count[i] / (200017 + i), stats.samples[i]);
	}
	/* what counts the same at the same time counts the same */
	EXPECT_EQ(stats.count[0], stats.count[2]);
	EXPECT_EQ(stats.count[0], stats.count[4]);
	EXPECT_EQ(stats.count[1], stats.count[3]);
}

/* A program that sleeps in step with the slices is seen by both sets all the same */
TEST_F(mux, no_set_starves)
{
	struct timespec t = { .tv_nsec = 9500000 };
	struct seen seen = {};
	struct stats stats;
	int i;

	pin(0);
	self->config.mux_ms = 10;
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, start(self));
	for (i = 0; i < 50; i++) {
		run_instructions(400000);
		nanosleep(&t, NULL);
	}
	stop(_metadata, self, &stats, &seen);
	EXPECT_NEAR(50, 100. * stats.cpu[0].running[0] / stats.cpu[0].enabled[0], 30);
	EXPECT_NEAR(50 * 400000, estimate(&stats, 0, stats.count[0]), 10);
	/* times are of the program's own, not of its sleep */
	EXPECT_NEAR(50 * 400000, stats.cpu[0].enabled[0], 20);
}

TEST_F(mux, time_stands_still_in_a_pause)
{
	struct seen seen = {};
	struct stats before, after;

	pin(0);
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
	run_instructions(10000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &after));
	EXPECT_EQ(before.cpu[0].enabled[0], after.cpu[0].enabled[0]);
	EXPECT_EQ(before.cpu[0].running[0], after.cpu[0].running[0]);
	EXPECT_EQ(before.cpu[0].running[1], after.cpu[0].running[1]);
	EXPECT_EQ(before.count[1], after.count[1]);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(10000000);
	stop(_metadata, self, &after, &seen);
	EXPECT_LE(before.cpu[0].enabled[0] + 10000000, after.cpu[0].enabled[0]);
	EXPECT_NEAR(20000000, estimate(&after, 0, after.count[0]), 15);
}

TEST_F(mux, a_throttled_cpu_goes_on_to_the_next_set)
{
	struct seen seen = {};
	struct stats stats;

	pin(0);
	/* the first set is held back after 50 us of each 4 ms */
	self->config.events[0].sav = VSAMP_SAV_FLOOR;
	self->config.events[1].sav = 100003;
	self->config.pmi_limit = 50;
	self->config.mux_ms = 4;
	ASSERT_EQ(0, start(self));
	run_instructions(200000000);
	stop(_metadata, self, &stats, &seen);
	EXPECT_LE(10, stats.throttled);
	EXPECT_EQ(stats.throttled, seen.types[VSAMP_RECORD_THROTTLE]);
	/* 200 ms are fifty slices; the second set isn't starved, and the first one's time is short */
	EXPECT_LE(200, stats.samples[1]);
	EXPECT_GT(stats.cpu[0].running[1] / 5, stats.cpu[0].running[0]);
	/* that is the time of its instructions, and of as many again that take the samples */
	EXPECT_LE(stats.count[0], stats.cpu[0].running[0]);
	EXPECT_GE(2 * stats.count[0], stats.cpu[0].running[0]);
}

TEST_F(mux, a_single_set_just_counts)
{
	struct seen seen = {};
	struct stats stats;

	pin(0);
	self->config.n_events = 1;
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, start(self));
	run_instructions(20000000);
	stop(_metadata, self, &stats, &seen);
	EXPECT_EQ(1, seen.types[VSAMP_RECORD_SET]);
	EXPECT_LE(20000000, stats.count[0]);
	EXPECT_GE(20050000, stats.count[0]);
	EXPECT_EQ(stats.cpu[0].enabled[0], stats.cpu[0].running[0]);
}

static void set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		abort();
	close(fd);
}

TEST_F(mux, a_cpu_that_goes_and_comes_back_keeps_its_times)
{
	struct seen seen = {};
	struct stats before, stats;
	int i;

	self->config.cpus = "1";
	ASSERT_EQ(0, start(self));
	run_instructions(20000000);
	pin(0);
	set_online("0");
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
	EXPECT_LE(20000000, before.cpu[1].enabled[0]);
	set_online("1");
	pin(1);
	run_instructions(20000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	session_read(self->fd, &seen);
	EXPECT_EQ(0, seen.set_wrong);
	EXPECT_EQ(seen.set_enabled, stats.cpu[1].enabled[0]);
	EXPECT_LE(before.cpu[1].enabled[0] + 20000000, stats.cpu[1].enabled[0]);
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(seen.set_running[self->config.events[i].set], stats.cpu[1].running[i]);
		EXPECT_LT(before.cpu[1].running[i], stats.cpu[1].running[i]);
		EXPECT_LT(before.cpu[1].count[i], stats.cpu[1].count[i]);
	}
}

TEST_F(mux, a_full_ring_keeps_the_times)
{
	struct seen seen = {};
	struct stats stats;

	pin(0);
	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	ASSERT_EQ(0, start(self));
	run_instructions(20000000);
	session_read(self->fd, &seen);
	run_instructions(20000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	session_read(self->fd, &seen);
	EXPECT_LE(1000, stats.lost);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(stats.written, seen.records);
	/* the record at the end still fits, and has the whole time */
	EXPECT_EQ(stats.cpu[0].enabled[0], seen.set_enabled);
}

static const uint32_t regs[] = { 0x186, 0x187, 0x188, 0x0c1, 0x0c2, 0x0c3,
				 0x309, 0x30a, 0x30b, 0x38d, 0x38f, 0x38e };

static void registers_read(uint64_t *values)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < 2; cpu++)
		for (i = 0; i < ARRAY_SIZE(regs); i++)
			values[cpu * ARRAY_SIZE(regs) + i] = msr_read(cpu, regs[i]);
}

static void expect_registers(struct __test_metadata *_metadata, const uint64_t *before)
{
	uint64_t now[2 * ARRAY_SIZE(regs)];
	unsigned int i;

	registers_read(now);
	for (i = 0; i < ARRAY_SIZE(now); i++) {
		EXPECT_EQ(before[i], now[i])
		{
			TH_LOG("register %#x of CPU %zu", regs[i % ARRAY_SIZE(regs)],
			       i / ARRAY_SIZE(regs));
		}
	}
}

/* Sets that share some counters, general and fixed, and have others alone */
static void shared_counters(struct config *config)
{
	static const struct event events[] = {
		{ CONFIG_INSTRUCTIONS, 0, 100003, USER, 0, false, 0 },
		{ CONFIG_BRANCHES, 1, 50001, USER | KERNEL, 0, false, 0 },
		{ 0, VSAMP_COUNTER_FIXED + 2, 1000003, USER, 0, false, 0 },
		{ CONFIG_BRANCHES, 0, 50003, USER, 1, false, 0 },
		{ CONFIG_INSTRUCTIONS, 2, 0, KERNEL, 1, false, 0 },
		{ 0, VSAMP_COUNTER_FIXED + 1, 1000003, KERNEL, 2, false, 0 },
		{ 0, VSAMP_COUNTER_FIXED + 2, 1000003, KERNEL, 2, false, 0 },
	};

	memcpy(config->events, events, sizeof(events));
	config->n_events = ARRAY_SIZE(events);
	config->cpus = NULL;
}

TEST_F(mux, registers_are_given_back)
{
	uint64_t before[2 * ARRAY_SIZE(regs)];
	int i;

	shared_counters(&self->config);
	registers_read(before);
	/* whichever set the end comes in */
	for (i = 0; i < 6; i++) {
		close(self->fd);
		self->fd = session_open();
		ASSERT_EQ(0, start(self));
		EXPECT_NE(before[0], msr_read(0, 0x186));
		run_instructions(1000000 * (3 + i));
		EXPECT_EQ(0, i < 3 ? session_command(&self->c, VSAMP_CMD_STOP, self->fd) :
				     close(self->fd));
		expect_registers(_metadata, before);
		if (i >= 3)
			self->fd = session_open();
	}
}

TEST_F(mux, registers_are_given_back_by_a_kill)
{
	uint64_t before[2 * ARRAY_SIZE(regs)];
	struct timespec t = {};
	int i, status;

	shared_counters(&self->config);
	close(self->fd);
	registers_read(before);
	for (i = 0; i < 8; i++) {
		pid_t child = fork();

		if (!child) {
			self->fd = session_open();
			if (client_open(&self->c) || start(self))
				_exit(1);
			for (;;)
				run_instructions(1000000);
		}
		t.tv_nsec = 5000000 + 1379 * 1000 * i;
		nanosleep(&t, NULL);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		ASSERT_TRUE(WIFSIGNALED(status));
		expect_registers(_metadata, before);
	}
	self->fd = session_open();
	EXPECT_EQ(0, start(self));
}

TEST_F(mux, slices_have_bounds)
{
	static const uint32_t bad[] = { VSAMP_MUX_MS_MAX + 1, 0x80000000, 0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		self->config.mux_ms = bad[i];
		EXPECT_REFUSED(session_configure(&self->c, self->fd, &self->config),
			       VSAMP_A_MUX_MS);
	}
	self->config.mux_ms = VSAMP_MUX_MS_MAX;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	/* one set, or all */
	self->config.set = 9;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &self->config), VSAMP_A_SET);
}

TEST_HARNESS_MAIN
