// SPDX-License-Identifier: MIT
/* On a CPU that says it is virtual the PMU is only programmed when that is asked for */
#include "session.h"

#include "harness.h"

static void find_hypervisor(struct nlattr *attrs, int len, void *arg)
{
	*(int *)arg += nla_find(attrs, len, VSAMP_A_HYPERVISOR) != NULL;
}

FIXTURE(hypervisor)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(hypervisor)
{
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(100000);
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
}

FIXTURE_TEARDOWN(hypervisor)
{
	close(self->fd);
	client_close(&self->c);
}

TEST_F(hypervisor, is_told)
{
	int cpus = 0;

	ASSERT_EQ(0, client_dump(&self->c, client_request(&self->c, VSAMP_CMD_CAPS_GET, 0),
				 find_hypervisor, &cpus));
	EXPECT_EQ(cpus_online(), cpus);
}

TEST_F(hypervisor, is_a_refusal)
{
	int ret = session_configure(&self->c, self->fd, &self->config);

	if (!ret)
		ret = session_command(&self->c, VSAMP_CMD_START, self->fd);
	EXPECT_EQ(-EOPNOTSUPP, ret);
	EXPECT_NE(NULL, strstr(self->c.text, "virtual"));
}

TEST_F(hypervisor, can_be_overruled)
{
	struct seen seen = {};

	self->config.flags = VSAMP_FLAG_HYPERVISOR;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_LE(100, seen.samples[0]);
	EXPECT_GE(103, seen.samples[0]);
}

TEST_HARNESS_MAIN
