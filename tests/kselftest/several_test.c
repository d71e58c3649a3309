// SPDX-License-Identifier: MIT
/* Several counters at once: an overflow of one while another one's is handled is not missed */
#include "harness.h"
#include "session.h"

#define INSTRUCTIONS 4000000ULL
#define SAV	     10000

FIXTURE(several)
{
	struct client c;
};

FIXTURE_SETUP(several)
{
	ASSERT_EQ(0, client_open(&self->c));
	pin(0);
}

FIXTURE_TEARDOWN(several)
{
	client_close(&self->c);
}

/* Instructions and branches, user and kernel, and the same branches only counted */
static struct config in_step(uint64_t branches)
{
	struct config config = {
		.events = {
			{ .counter = FIXED_INSTRUCTIONS, .sav = SAV },
			{ .config = CONFIG_BRANCHES, .counter = 0, .sav = branches },
			{ .config = CONFIG_BRANCHES, .counter = 1 },
		},
		.n_events = 3,
		.cpus = "0",
		.pmi_limit = 100000,
	};

	for (int i = 0; i < 3; i++)
		config.events[i].flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL;
	config.pids[0] = getpid();
	config.n_pids = 1;
	return config;
}

/*
 * In a loop of two instructions, one of them a branch, periods of @branches and of SAV instructions
 * shift against each other by few instructions each time, and so come to every place in each
 * other's handler. What is counted between an overflow and its handler is in no period: that
 * is the entry of an NMI, no more than 100 branches.
 */
TEST_F(several, events_in_step_miss_no_overflow)
{
	for (uint64_t branches = SAV / 2 - 150; branches <= SAV / 2; branches += 3) {
		struct config config = in_step(branches);
		struct stats stats;
		uint64_t slack;
		int fd = session_open();

		ASSERT_LE(0, fd);
		ASSERT_EQ(0, session_configure(&self->c, fd, &config));
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, fd));
		run_instructions(INSTRUCTIONS);
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, fd));
		ASSERT_EQ(0, session_stats(&self->c, fd, &stats));
		EXPECT_EQ(0, stats.throttled);
		EXPECT_LE(INSTRUCTIONS / 2, stats.count[2]);
		slack = 100 * (stats.samples[1] + 1);
		EXPECT_GE(stats.count[2], stats.count[1]);
		EXPECT_GE(slack, stats.count[2] - stats.count[1])
		{
			TH_LOG("branches each %llu: %llu of %llu", (unsigned long long)branches,
			       (unsigned long long)stats.count[1],
			       (unsigned long long)stats.count[2]);
		}
		close(fd);
	}
}

TEST_HARNESS_MAIN
