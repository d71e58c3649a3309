// SPDX-License-Identifier: MIT
/* Where there is no PMU the module says so, and doesn't take samples of nothing */
#include <linux/perf_event.h>

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

static struct config config_perf(uint32_t type, uint64_t event, uint64_t sav)
{
	return (struct config){
		.backend = VSAMP_BACKEND_KPERF,
		.events = { { .config = event,
			      .sav = sav,
			      .flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL,
			      .perf = true,
			      .type = type } },
		.n_events = 1,
	};
}

TEST(kperf_has_no_hardware_event)
{
	struct config config = config_perf(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 100000);
	struct client c;
	int fd = session_open();

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, client_open(&c));
	EXPECT_EQ(-ENOENT, session_configure(&c, fd, &config));
	EXPECT_STREQ("event 0 (type 0, config 0x1): no PMU here has it", c.text);
	EXPECT_EQ(VSAMP_EVENT_A_TYPE, c.bad_attr);
}

TEST(kperf_samples_by_time)
{
	struct config config = config_perf(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000000);
	struct seen seen = {};
	struct stats stats;
	struct client c;
	int fd = session_open();

	config.cpus = "0";
	pin(0);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, client_open(&c));
	ASSERT_EQ(0, session_configure(&c, fd, &config));
	ASSERT_EQ(0, session_command(&c, VSAMP_CMD_START, fd));
	/* of 1 ns each */
	run_instructions(100000000);
	ASSERT_EQ(0, session_command(&c, VSAMP_CMD_STOP, fd));
	ASSERT_EQ(0, session_stats(&c, fd, &stats));
	session_read(fd, &seen);
	EXPECT_LE(99, seen.samples[0]);
	EXPECT_GE(110, seen.samples[0]);
	EXPECT_EQ(stats.written, seen.records);
}

TEST_HARNESS_MAIN
