// SPDX-License-Identifier: MIT
/*
 * The machine sleeps while a session runs. x86's guest can't be woken, so it goes to sleep only as far
 * as the kernel's own test of that does: devices are suspended, all CPUs but one go, the clocks stop.
 * arm64's does sleep, and its clock wakes it. Needs two CPUs.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/wait.h>

#include "session.h"

#include "harness.h"

#define INSNS 20000000

static void file_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) != (ssize_t)strlen(value)) {
		perror(path);
		abort();
	}
	close(fd);
}

static void machine_sleep(void)
{
#ifdef __x86_64__
	file_write("/sys/module/suspend/parameters/pm_test_delay", "0");
	file_write("/sys/power/pm_test", "core");
	file_write("/sys/power/mem_sleep", "deep");
	file_write("/sys/power/state", "mem");
#else
	file_write("/sys/class/rtc/rtc0/wakealarm", "+2");
	file_write("/sys/power/state", "freeze");
#endif
}

#ifdef __x86_64__
/* Counters that were enabled when the machine was about to sleep: before we were told, and after */
static int enabled(const char *when)
{
	char path[80], text[16];

	snprintf(path, sizeof(path), "/sys/module/asleep/parameters/%s", when);
	return file_read(path, text, sizeof(text)) ? atoi(text) : -1;
}
#endif

FIXTURE(sleep)
{
	struct client c;
	struct config config;
	struct stats stats;
	struct seen seen;
	int fd;
};

FIXTURE_VARIANT(sleep)
{
	uint32_t backend;
};

#if HAVE_INTEL
FIXTURE_VARIANT_ADD(sleep, intel){ .backend = 0 };
#endif
FIXTURE_VARIANT_ADD(sleep, kperf){ .backend = VSAMP_BACKEND_KPERF };

FIXTURE_SETUP(sleep)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(100000);
	if (variant->backend) {
		self->config.backend = variant->backend;
		self->config.events[0] = (struct event){ .config = PERF_INSTRUCTIONS,
							 .sav = 100000,
							 .flags = VSAMP_EVENT_USER,
							 .perf = true };
	}
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

FIXTURE_TEARDOWN(sleep)
{
	close(self->fd);
	client_close(&self->c);
}

static void run_on(int cpu)
{
	pin(cpu);
	run_instructions(INSNS);
	pin(0);
}

static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(sleep) *self)
{
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	session_read(self->fd, &self->seen);
	EXPECT_EQ(0, self->seen.backwards);
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(0, self->stats.lost);
	EXPECT_EQ(self->stats.produced, self->stats.written);
	EXPECT_EQ(self->stats.written, self->seen.records);
	EXPECT_EQ(self->stats.samples[0], self->seen.samples[0]);
	EXPECT_EQ(2, self->seen.states[VSAMP_STATE_SUSPEND]);
	EXPECT_EQ(2, self->seen.states[VSAMP_STATE_WAKE]);
}

TEST_F(sleep, is_seen_on_every_cpu_and_sampling_goes_on)
{
	run_on(0);
	run_on(1);
	machine_sleep();
	usleep(50000);
	run_on(0);
	run_on(1);
	stop(_metadata, self);
	/* 20 000 000 each time; what is asked of the kernel in between takes some more */
	EXPECT_LE(4 * INSNS, self->stats.count[0]);
	EXPECT_GE(4 * INSNS + 4000000, self->stats.count[0]);
	EXPECT_LE(4 * INSNS / 100000 - 4, self->seen.samples[0]);
	EXPECT_GE(4 * INSNS / 100000 + 44, self->seen.samples[0]);
	EXPECT_LE(2 * INSNS / 100000 - 2, self->stats.cpu[1].samples[0]);
#ifdef __x86_64__
	EXPECT_LT(0, enabled("before"));
	EXPECT_EQ(0, enabled("after"));
#endif
}

TEST_F(sleep, a_session_that_is_paused_stays_so)
{
	run_on(1);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	uint64_t count = self->stats.count[0];

	EXPECT_LE(INSNS, count);
	machine_sleep();
	run_on(1);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(count, self->stats.count[0]);
	EXPECT_EQ(VSAMP_SESSION_PAUSED, self->stats.state);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	usleep(50000);
	run_on(1);
	stop(_metadata, self);
	EXPECT_LE(count + INSNS, self->stats.count[0]);
	EXPECT_GE(count + INSNS + 2000000, self->stats.count[0]);
}

TEST_F(sleep, then_the_counters_are_as_free_as_before)
{
	machine_sleep();
	stop(_metadata, self);
	EXPECT_EQ(0, WEXITSTATUS(system("perf stat -x, -o counted -e cycles:u true")));
	EXPECT_NE(0, WEXITSTATUS(system("grep -q 'not counted' counted")));
	close(self->fd);
	self->fd = session_open();
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

TEST_HARNESS_MAIN
