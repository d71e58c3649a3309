// SPDX-License-Identifier: MIT
/* Somebody else at the PMU, by the module foreign/, which must be loaded */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/klog.h>

#include "session.h"

#include "harness.h"

static char log_buf[1 << 20];

static int param_write(const char *param, const char *what)
{
	char path[128];
	int fd, ret;

	snprintf(path, sizeof(path), "/sys/module/foreign/parameters/%s", param);
	fd = open(path, O_WRONLY);
	ret = fd < 0 || write(fd, what, strlen(what)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return ret;
}

static int act(const char *what)
{
	return param_write("act", what);
}

/* How often the kernel's log has a text */
static int log_count(const char *text)
{
	int n = klogctl(3, log_buf, sizeof(log_buf) - 1), count = 0;
	const char *p = log_buf;

	log_buf[n < 0 ? 0 : n] = 0;
	while ((p = strstr(p, text))) {
		count++;
		p++;
	}
	return count;
}

FIXTURE(foreign)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(foreign)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(10000);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

FIXTURE_TEARDOWN(foreign)
{
	close(self->fd);
	client_close(&self->c);
}

static void expect_ended(struct __test_metadata *_metadata, FIXTURE_DATA(foreign) *self, int cpu,
			 uint64_t reg)
{
	struct pollfd p = { .fd = self->fd, .events = POLLPRI };
	struct seen seen = {};
	struct stats stats;

	while (poll(&p, 1, 5000) > 0) {
		ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
		if (p.revents & POLLHUP)
			break;
	}
	EXPECT_EQ(POLLHUP, p.revents & POLLHUP);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(VSAMP_SESSION_ENDED, stats.state);
	EXPECT_EQ(VSAMP_END_FOREIGN, stats.end_reason);
	session_read(self->fd, &seen);
	EXPECT_EQ(1, seen.states[VSAMP_STATE_FOREIGN]);
	EXPECT_EQ(reg, seen.foreign_reg);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_STOP, self->fd), 0);
}

TEST_F(foreign, switching_all_counters_off_ends_the_run)
{
	run_instructions(1000000);
	ASSERT_EQ(0, act("off"));
	expect_ended(_metadata, self, 0, 0x38f);
}

TEST_F(foreign, also_on_another_cpu)
{
	pin(1);
	ASSERT_EQ(0, act("off"));
	expect_ended(_metadata, self, 1, 0x38f);
}

TEST_F(foreign, changing_an_event_select_ends_the_run)
{
	run_instructions(1000000);
	ASSERT_EQ(0, act("select"));
	expect_ended(_metadata, self, 0, 0x186);
}

/* Sets that take turns write selects all the time: they don't cover up what somebody else wrote */
TEST_F(foreign, changing_an_event_select_ends_time_slices)
{
	unsigned int counter;

	self->config.n_events = 2;
	self->config.mux_ms = 1;
	self->config.events[1] = self->config.events[0];
	self->config.events[1].set = 1;
	/* whether the other set has the same counter or not */
	for (counter = 0; counter < 2; counter++) {
		close(self->fd);
		self->fd = session_open();
		self->config.events[1].counter = counter;
		ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
		run_instructions(1300000 + 1000000 * counter);
		ASSERT_EQ(0, act("select"));
		expect_ended(_metadata, self, 0, 0x186);
	}
}

TEST_F(foreign, the_next_session_starts)
{
	struct seen seen = {};
	int fd;

	ASSERT_EQ(0, act("off"));
	expect_ended(_metadata, self, 0, 0x38f);
	fd = session_open();
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, session_configure(&self->c, fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, fd));
	session_read(fd, &seen);
	EXPECT_LE(1000, seen.samples[0]);
	EXPECT_GE(1010, seen.samples[0]);
	close(fd);
}

TEST_F(foreign, our_own_interrupts_are_never_unknown)
{
	struct stats stats;
	int before = log_count("unknown reason");

	run_instructions(100000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_LE(10000, stats.pmis);
	EXPECT_EQ(before, log_count("unknown reason"));
}

TEST_F(foreign, an_nmi_that_is_not_ours_is_passed_on)
{
	struct seen seen = {};
	struct stats stats;
	int before = log_count("unknown reason"), i;

	for (i = 0; i < 5; i++) {
		run_instructions(1000003);
		ASSERT_EQ(0, act("nmi"));
	}
	EXPECT_EQ(before + 5, log_count("unknown reason"));
	run_instructions(1000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	session_read(self->fd, &seen);
	EXPECT_EQ(stats.samples[0], seen.samples[0]);
	EXPECT_EQ(0, stats.lost);
}

TEST_F(foreign, the_interrupt_s_entry_is_as_before)
{
	/* masked: as an NMI, and as a vector of somebody's */
	static const char *const entries[] = { "0x10400\n", "0x100f3\n" };
	char buf[32], before[32];
	unsigned int i;

	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_TRUE(file_read("/sys/module/foreign/parameters/lvtpc", before, sizeof(before)));
	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		int fd = session_open();

		ASSERT_EQ(0, param_write("lvtpc", entries[i]));
		ASSERT_EQ(0, session_configure(&self->c, fd, &self->config));
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, fd));
		run_instructions(1000000);
		ASSERT_TRUE(file_read("/sys/module/foreign/parameters/lvtpc", buf, sizeof(buf)));
		EXPECT_STREQ("0x400\n", buf);
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, fd));
		ASSERT_TRUE(file_read("/sys/module/foreign/parameters/lvtpc", buf, sizeof(buf)));
		EXPECT_STREQ(entries[i], buf);
		close(fd);
	}
	ASSERT_EQ(0, param_write("lvtpc", before));
}

/* perf takes all counters or none */
TEST_F(foreign, taking_a_counter_keeps_kperf_from_starting)
{
	struct config config = {
		.backend = VSAMP_BACKEND_KPERF,
		.events = { { .config = PERF_COUNT_HW_INSTRUCTIONS,
			      .sav = 100000,
			      .flags = VSAMP_EVENT_USER,
			      .perf = true,
			      .type = PERF_TYPE_HARDWARE } },
		.n_events = 1,
	};
	struct stats stats;

	close(self->fd);
	self->fd = session_open();
	ASSERT_EQ(0, act("take"));
	/* it may be free by the start */
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_STREQ(
		"event 0 (type 0, config 0x1): somebody else than perf has reserved the counters",
		self->c.text);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(VSAMP_SESSION_READY, stats.state);
	ASSERT_EQ(0, act("give"));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

TEST_HARNESS_MAIN
