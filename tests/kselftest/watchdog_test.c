// SPDX-License-Identifier: MIT
/* Beside the NMI watchdog, which is a user of perf's. Needs the PMU and nmi_watchdog=1. */
#include <fcntl.h>

#include "session.h"

#include "harness.h"

static void set_watchdog(const char *value)
{
	int fd = open("/proc/sys/kernel/nmi_watchdog", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		abort();
	close(fd);
}

FIXTURE(watchdog)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(watchdog)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(100000);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
}

FIXTURE_TEARDOWN(watchdog)
{
	set_watchdog("1");
	close(self->fd);
	client_close(&self->c);
}

TEST_F(watchdog, is_on)
{
	char buf[8];

	ASSERT_TRUE(file_read("/proc/sys/kernel/nmi_watchdog", buf, sizeof(buf)));
	EXPECT_STREQ("1\n", buf);
}

TEST_F(watchdog, refuses_a_start_which_names_it_and_writes_nothing)
{
	uint64_t before = msr_read(0, 0x40000f01) + msr_read(1, 0x40000f01);
	uint64_t control = msr_read(0, 0x38f);

	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_NE(NULL, strstr(self->c.text, "watchdog"))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	EXPECT_EQ(before, msr_read(0, 0x40000f01) + msr_read(1, 0x40000f01));
	EXPECT_EQ(control, msr_read(0, 0x38f));
}

TEST_F(watchdog, gives_way_when_it_is_off_and_can_come_back)
{
	set_watchdog("0");
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	set_watchdog("1");
	/* it holds a counter again: the first one that perf gives out, counting cycles */
	close(self->fd);
	self->fd = session_open();
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

TEST_HARNESS_MAIN
