// SPDX-License-Identifier: MIT
/*
 * The PMU's ownership: a start beside another owner is refused with no PMU register written, and what
 * was in the registers is there again after a session, whatever ended it. Needs the PMU.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "session.h"

#include "harness.h"

/* All that a session may write, but for the counters that are not its own */
static const uint32_t registers[] = {
	0x0c1, 0x0c2, 0x0c3, 0x0c4, 0x0c5, 0x0c6, 0x0c7, 0x0c8, /* counters */
	0x186, 0x187, 0x188, 0x189, 0x18a, 0x18b, 0x18c, 0x18d, /* event selects */
	0x309, 0x30a, 0x30b, 0x38d,				/* fixed counters */
	0x38e, 0x38f,						/* status, control */
};

#define REGISTERS ARRAY_SIZE(registers)

struct registers {
	uint64_t value[2 * REGISTERS];
};

static void registers_read(struct registers *r)
{
	unsigned int i;

	for (i = 0; i < 2 * REGISTERS; i++)
		r->value[i] = msr_read(i / REGISTERS, registers[i % REGISTERS]);
}

static void expect_registers(struct __test_metadata *_metadata, const struct registers *before)
{
	struct registers now;
	unsigned int i;

	registers_read(&now);
	for (i = 0; i < 2 * REGISTERS; i++) {
		EXPECT_EQ(before->value[i], now.value[i])
		{
			TH_LOG("CPU %u register 0x%x", (unsigned int)(i / REGISTERS),
			       registers[i % REGISTERS]);
		}
	}
}

static bool msr_write(int cpu, uint32_t reg, uint64_t value)
{
	char path[64];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && pwrite(fd, &value, sizeof(value), reg) == sizeof(value);
	if (fd >= 0)
		close(fd);
	return ok;
}

static int perf_open(uint64_t config, int cpu)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = config };

	return syscall(SYS_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Writes to PMU registers so far, by all CPUs: the guests' CPU model counts them in this register */
static uint64_t pmu_writes(void)
{
	return msr_read(0, 0x40000f01) + msr_read(1, 0x40000f01);
}

FIXTURE(owner)
{
	struct client c;
	struct config config;
	struct registers before;
	int fd;
};

FIXTURE_SETUP(owner)
{
	int i;

	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = (struct config){ .n_events = 8 };
	for (i = 0; i < 5; i++)
		self->config.events[i] = (struct event){ i % 2 ? CONFIG_BRANCHES :
								 CONFIG_INSTRUCTIONS,
							 i,
							 100003,
							 VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL,
							 0,
							 false,
							 0 };
	for (; i < 8; i++)
		self->config.events[i] = (struct event){
			0, VSAMP_COUNTER_FIXED + i - 5, 1000003, VSAMP_EVENT_USER, 0, false, 0
		};
	registers_read(&self->before);
}

FIXTURE_TEARDOWN(owner)
{
	close(self->fd);
	client_close(&self->c);
}

static int start(FIXTURE_DATA(owner) *self)
{
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

TEST_F(owner, the_registers_can_be_read)
{
	/* else the others prove nothing */
	ASSERT_EQ(0, start(self));
	EXPECT_NE(0, msr_read(0, 0x186));
	EXPECT_NE(0, msr_read(1, 0x18a));
	EXPECT_EQ(0x70000001fULL, msr_read(1, 0x38f) & 0x70000001fULL);
}

TEST_F(owner, stop_gives_the_registers_back)
{
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	expect_registers(_metadata, &self->before);
}

TEST_F(owner, stop_gives_the_registers_back_when_paused)
{
	ASSERT_EQ(0, start(self));
	run_instructions(1000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	expect_registers(_metadata, &self->before);
}

TEST_F(owner, close_gives_the_registers_back)
{
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	close(self->fd);
	expect_registers(_metadata, &self->before);
	self->fd = session_open();
}

TEST_F(owner, sigkill_gives_the_registers_back)
{
	struct timespec t = {};
	int i, status;

	for (i = 0; i < 20; i++) {
		pid_t child;

		close(self->fd);
		child = fork();
		if (!child) {
			self->fd = session_open();
			if (client_open(&self->c) || start(self))
				_exit(1);
			for (;;)
				run_instructions(1000000);
		}
		/* somewhere between the open and long into the run */
		t.tv_nsec = 200000 + 7919 * 1000 * (i * 37 % 20);
		nanosleep(&t, NULL);
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		ASSERT_TRUE(WIFSIGNALED(status));
		expect_registers(_metadata, &self->before);
		self->fd = session_open();
		ASSERT_LE(0, self->fd);
	}
	EXPECT_EQ(0, start(self));
}

TEST_F(owner, what_stood_in_the_registers_stands_there_again)
{
	/* left by somebody, but not running */
	ASSERT_TRUE(msr_write(0, 0x186, 0x13c));
	ASSERT_TRUE(msr_write(1, 0x187, 0x1c4));
	ASSERT_TRUE(msr_write(1, 0x0c2, 0x12345));
	registers_read(&self->before);
	ASSERT_EQ(0, start(self));
	run_instructions(1000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	expect_registers(_metadata, &self->before);
	msr_write(0, 0x186, 0);
	msr_write(1, 0x187, 0);
	msr_write(1, 0x0c2, 0);
}

TEST_F(owner, the_module_stays_while_a_session_is_open)
{
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vsamp", O_NONBLOCK));
	EXPECT_EQ(EWOULDBLOCK, errno);
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(-1, syscall(SYS_delete_module, "vsamp", O_NONBLOCK));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
}

TEST_F(owner, perf_is_refused_while_a_session_runs)
{
	int perf;

	ASSERT_EQ(0, start(self));
	perf = perf_open(PERF_COUNT_HW_INSTRUCTIONS, -1);
	EXPECT_EQ(-1, perf);
	EXPECT_EQ(EBUSY, errno);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	perf = perf_open(PERF_COUNT_HW_INSTRUCTIONS, -1);
	EXPECT_LE(0, perf);
	close(perf);
}

TEST_F(owner, perf_s_counter_is_a_refusal_and_nothing_is_written)
{
	int perf = perf_open(PERF_COUNT_HW_INSTRUCTIONS, 1);
	uint64_t before, after;

	ASSERT_LE(0, perf);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	registers_read(&self->before);
	before = pmu_writes();
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	after = pmu_writes();
	EXPECT_NE(NULL, strstr(self->c.text, "perf"))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	EXPECT_EQ(before, after);
	/* the same session starts once perf is done */
	close(perf);
	before = pmu_writes();
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	/* and now something is */
	EXPECT_LT(before, pmu_writes());
}

TEST_F(owner, a_counter_left_running_is_a_refusal_and_nothing_is_written)
{
	uint64_t before;

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	/* general counter 3 of CPU 1: instructions, user, enabled */
	ASSERT_TRUE(msr_write(1, 0x189, 0x4100c0));
	before = pmu_writes();
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_EQ(before, pmu_writes());
	EXPECT_NE(NULL, strstr(self->c.text, "CPU 1"))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	ASSERT_TRUE(msr_write(1, 0x189, 0));
	/* fixed counter 1 of CPU 0 */
	ASSERT_TRUE(msr_write(0, 0x38d, 0x20));
	before = pmu_writes();
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_EQ(before, pmu_writes());
	EXPECT_NE(NULL, strstr(self->c.text, "CPU 0"))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	ASSERT_TRUE(msr_write(0, 0x38d, 0));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

TEST_F(owner, a_storm_is_held_back_and_passes)
{
	struct seen seen = {};
	struct stats stats;

	self->config = config_instructions(VSAMP_SAV_FLOOR);
	self->config.cpus = "0";
	self->config.pmi_limit = 50;
	self->config.ring_size = 1 << 22;
	ASSERT_EQ(0, start(self));
	/* an instruction is a nanosecond here: 4 PMIs in 4 us, 4000 in a tick of 4 ms */
	run_instructions(60000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	session_read(self->fd, &seen);
	EXPECT_LE(5, seen.types[VSAMP_RECORD_THROTTLE]);
	EXPECT_EQ(stats.throttled, seen.types[VSAMP_RECORD_THROTTLE]);
	/* each but perhaps the last was followed by its end */
	EXPECT_LE(seen.types[VSAMP_RECORD_THROTTLE] - 1, seen.types[VSAMP_RECORD_UNTHROTTLE]);
	EXPECT_GE(seen.types[VSAMP_RECORD_THROTTLE], seen.types[VSAMP_RECORD_UNTHROTTLE]);
	/* at most the limit in each window, and a window more */
	EXPECT_GE(51 * (seen.types[VSAMP_RECORD_THROTTLE] + 1), stats.pmis);
	EXPECT_LE(50 * (seen.types[VSAMP_RECORD_THROTTLE] - 1), stats.pmis);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(0, stats.lost);
	EXPECT_EQ(0, seen.backwards);
}

TEST_F(owner, the_smallest_period_does_not_hang_the_machine)
{
	struct seen seen = {};
	struct stats stats;

	self->config = config_instructions(VSAMP_SAV_MIN);
	self->config.events[0].flags |= VSAMP_EVENT_KERNEL | VSAMP_EVENT_FORCE;
	self->config.ring_size = 1 << 22;
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	session_read(self->fd, &seen);
	EXPECT_LE(1, stats.throttled);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(stats.lost + stats.written, seen.records + stats.lost);
	expect_registers(_metadata, &self->before);
}

TEST_HARNESS_MAIN
