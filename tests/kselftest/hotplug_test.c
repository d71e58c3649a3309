// SPDX-License-Identifier: MIT
/* CPUs that go and come while a session runs. Needs the PMU and two CPUs. */
#include <fcntl.h>
#include <poll.h>

#include "session.h"

#include "harness.h"

static void set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		abort();
	close(fd);
}

FIXTURE(hotplug)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(hotplug)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(100000);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
}

FIXTURE_TEARDOWN(hotplug)
{
	set_online("1");
	close(self->fd);
	client_close(&self->c);
}

static uint64_t samples_on_cpu1(struct __test_metadata *_metadata, FIXTURE_DATA(hotplug) *self,
				struct seen *seen)
{
	uint64_t before = seen->samples[0];
	struct ring ring;

	ASSERT_EQ(0, ring_map(self->fd, 1, &ring));
	ring_read(&ring, seen);
	ring_unmap(&ring);
	return seen->samples[0] - before;
}

TEST_F(hotplug, a_cpu_that_goes_and_comes_back_is_sampled_again)
{
	struct pollfd p = { .fd = self->fd, .events = POLLPRI };
	struct seen seen = {};
	struct stats stats;

	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	pin(1);
	run_instructions(10000000);
	pin(0);
	set_online("0");
	ASSERT_EQ(1, poll(&p, 1, 1000));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	run_instructions(10000000);
	EXPECT_LE(100, samples_on_cpu1(_metadata, self, &seen));
	EXPECT_EQ(1, seen.states[VSAMP_STATE_OFFLINE]);
	set_online("1");
	ASSERT_EQ(1, poll(&p, 1, 1000));
	pin(1);
	run_instructions(20000000);
	pin(0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_LE(200, samples_on_cpu1(_metadata, self, &seen));
	EXPECT_EQ(1, seen.states[VSAMP_STATE_ONLINE]);
	EXPECT_EQ(0, seen.backwards);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(stats.cpu[1].produced, stats.cpu[1].written + stats.cpu[1].lost);
	EXPECT_EQ(stats.cpu[1].written, seen.records);
	EXPECT_EQ(stats.cpu[1].samples[0], seen.samples[0]);
}

TEST_F(hotplug, a_cpu_that_comes_first_then_gets_a_ring)
{
	struct seen seen = {};
	struct ring ring;

	set_online("0");
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_GT(0, ring_map(self->fd, 1, &ring));
	set_online("1");
	pin(1);
	run_instructions(10000000);
	pin(0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_LE(100, samples_on_cpu1(_metadata, self, &seen));
	EXPECT_EQ(1, seen.states[VSAMP_STATE_ONLINE]);
}

TEST_F(hotplug, a_cpu_that_goes_has_its_registers_back)
{
	uint64_t select = msr_read(1, 0x186), counter = msr_read(1, 0xc1);

	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_NE(select, msr_read(1, 0x186));
	set_online("0");
	set_online("1");
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_EQ(select, msr_read(1, 0x186));
	EXPECT_EQ(counter, msr_read(1, 0xc1));
}

TEST_F(hotplug, a_session_of_that_cpu_alone_outlives_it)
{
	struct stats stats;

	self->config.cpus = "1";
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	set_online("0");
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(VSAMP_SESSION_RUNNING, stats.state);
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
}

TEST_F(hotplug, no_cpu_at_all_is_a_refusal)
{
	self->config.cpus = "1";
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	set_online("0");
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, self->fd), 0);
}

TEST_HARNESS_MAIN
