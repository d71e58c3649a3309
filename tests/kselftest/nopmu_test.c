// SPDX-License-Identifier: MIT
/* Where there is no PMU the module says so, and doesn't take samples of nothing */
#include "session.h"

#include "harness.h"

static void count_messages(struct nlattr *attrs, int len, void *arg)
{
	++*(int *)arg;
}

TEST(no_cpu_can_be_sampled)
{
	struct client c;
	int messages = 0;

	ASSERT_EQ(0, client_open(&c));
	EXPECT_EQ(0, client_dump(&c, client_request(&c, VSAMP_CMD_CAPS_GET, 0), count_messages,
				 &messages));
	EXPECT_EQ(0, messages);
}

TEST(a_session_is_refused)
{
	struct config config = config_instructions(100000);
	struct client c;
	int fd = session_open(), ret;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, client_open(&c));
	ret = session_configure(&c, fd, &config);
	if (!ret)
		ret = session_command(&c, VSAMP_CMD_START, fd);
	EXPECT_EQ(-ENODEV, ret);
	EXPECT_NE(NULL, strstr(c.text, "no PMU"))
	{
		TH_LOG("\"%s\"", c.text);
	}
}

TEST_HARNESS_MAIN
