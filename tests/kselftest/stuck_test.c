// SPDX-License-Identifier: MIT
/* A PMU on which an overflow stays in the status whatever is written: the machine must not hang */
#include "harness.h"
#include "session.h"

#define SAV 100000

/* What is sampled then is of no use, but it ends, adds up, and is told to be held back */
TEST(the_handler_ends_although_the_status_stays)
{
	struct config config = {
		.events = {
			{ .counter = FIXED_INSTRUCTIONS, .sav = SAV, .flags = VSAMP_EVENT_USER },
			{ .config = CONFIG_BRANCHES, .sav = SAV, .flags = VSAMP_EVENT_USER },
		},
		.n_events = 2,
	};
	struct stats stats;
	struct client c;
	int fd;

	ASSERT_EQ(0, client_open(&c));
	fd = session_open();
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, session_configure(&c, fd, &config));
	ASSERT_EQ(0, session_command(&c, VSAMP_CMD_START, fd));
	run_instructions(10 * SAV);
	ASSERT_EQ(0, session_command(&c, VSAMP_CMD_STOP, fd));
	ASSERT_EQ(0, session_stats(&c, fd, &stats));
	EXPECT_LE(1, stats.samples[0]);
	EXPECT_LE(1, stats.throttled);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	close(fd);
	client_close(&c);
}

TEST_HARNESS_MAIN
