// SPDX-License-Identifier: MIT
/* The backend kperf: CPUs that go and come, what it says of itself, and what it refuses */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <sys/wait.h>

#include "session.h"

#include "harness.h"

static void set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		abort();
	close(fd);
}

FIXTURE(kperf)
{
	struct client c;
	struct config config;
	struct stats stats;
	struct seen seen;
	int fd;
};

FIXTURE_SETUP(kperf)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = (struct config){
		.backend = VSAMP_BACKEND_KPERF,
		.events = { { .config = PERF_INSTRUCTIONS,
			      .sav = 100000,
			      .flags = VSAMP_EVENT_USER,
			      .perf = true,
			      .type = PERF_TYPE_HARDWARE } },
		.n_events = 1,
	};
}

FIXTURE_TEARDOWN(kperf)
{
	set_online("1");
	close(self->fd);
	client_close(&self->c);
}

static int configure(FIXTURE_DATA(kperf) *self)
{
	return session_configure(&self->c, self->fd, &self->config);
}

static int start(FIXTURE_DATA(kperf) *self)
{
	return configure(self) ?: session_command(&self->c, VSAMP_CMD_START, self->fd);
}

/* The events of a CPU that came are opened soon after, and count from then on */
static void wait_for_cpu1(void)
{
	usleep(50000);
}

/* The ring of CPU 1, added to what was seen of it */
static uint64_t samples_on_cpu1(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self)
{
	uint64_t before = self->seen.samples[0];
	struct ring ring;

	ASSERT_EQ(0, ring_map(self->fd, 1, &ring));
	ring_read(&ring, &self->seen);
	ring_unmap(&ring);
	return self->seen.samples[0] - before;
}

static void run_on_cpu1(uint64_t instructions)
{
	pin(1);
	run_instructions(instructions);
	pin(0);
}

static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self)
{
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	samples_on_cpu1(_metadata, self);
	EXPECT_EQ(0, self->seen.backwards);
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(self->stats.cpu[1].written, self->seen.records);
	EXPECT_EQ(self->stats.cpu[1].samples[0], self->seen.samples[0]);
	EXPECT_EQ(self->stats.produced, self->stats.written + self->stats.lost);
}

TEST_F(kperf, a_cpu_that_goes_and_comes_back_is_sampled_again)
{
	struct pollfd p = { .fd = self->fd, .events = POLLPRI };

	ASSERT_EQ(0, start(self));
	run_on_cpu1(10000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	set_online("0");
	EXPECT_EQ(1, poll(&p, 1, 1000));
	run_instructions(10000000);
	EXPECT_LE(100, samples_on_cpu1(_metadata, self));
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_OFFLINE]);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	/* what was counted there isn't lost with it */
	EXPECT_LE(10000000, self->stats.cpu[1].count[0]);
	EXPECT_GE(11000000, self->stats.cpu[1].count[0]);
	set_online("1");
	EXPECT_EQ(1, poll(&p, 1, 1000));
	wait_for_cpu1();
	run_on_cpu1(20000000);
	stop(_metadata, self);
	EXPECT_LE(300, self->seen.samples[0]);
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_ONLINE]);
	EXPECT_LE(30000000, self->stats.cpu[1].count[0]);
	EXPECT_GE(32000000, self->stats.cpu[1].count[0]);
}

TEST_F(kperf, a_cpu_that_comes_first_then_is_sampled)
{
	set_online("0");
	ASSERT_EQ(0, start(self));
	set_online("1");
	wait_for_cpu1();
	run_on_cpu1(10000000);
	stop(_metadata, self);
	EXPECT_LE(100, self->seen.samples[0]);
}

TEST_F(kperf, a_cpu_may_go_and_come_many_times)
{
	int i;

	/* software events have static keys, which know of CPUs' locks */
	self->config.n_events = 2;
	self->config.events[1] = self->config.events[0];
	self->config.events[1].type = PERF_TYPE_SOFTWARE;
	self->config.events[1].config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	self->config.events[1].flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL;
	ASSERT_EQ(0, start(self));
	for (i = 0; i < 8; i++) {
		set_online("0");
		set_online("1");
		run_on_cpu1(1000000);
	}
	wait_for_cpu1();
	run_on_cpu1(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	samples_on_cpu1(_metadata, self);
	EXPECT_LE(100, self->seen.samples[0]);
	EXPECT_EQ(8, self->seen.states[VSAMP_STATE_ONLINE]);
	EXPECT_EQ(8, self->seen.states[VSAMP_STATE_OFFLINE]);
}

TEST_F(kperf, a_cpu_that_comes_in_a_pause_waits_for_its_end)
{
	ASSERT_EQ(0, start(self));
	set_online("0");
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	set_online("1");
	wait_for_cpu1();
	run_on_cpu1(10000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.cpu[1].samples[0]);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_on_cpu1(10000000);
	stop(_metadata, self);
	EXPECT_LE(100, self->seen.samples[0]);
	EXPECT_GE(105, self->seen.samples[0]);
}

TEST_F(kperf, processes_are_sampled_on_a_cpu_that_comes)
{
	set_online("0");
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, start(self));
	set_online("1");
	run_on_cpu1(10000000);
	set_online("0");
	run_instructions(10000000);
	stop(_metadata, self);
	EXPECT_LE(99, self->seen.samples[0]);
	EXPECT_LE(20000000, self->stats.count[0]);
	EXPECT_GE(21000000, self->stats.count[0]);
}

/* Whoever holds the file holds the session */
TEST_F(kperf, ends_with_its_owner)
{
	struct client other;
	int status, ready[2];
	pid_t pid;
	char c;

	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		int fd = session_open();

		if (client_open(&other) || session_configure(&other, fd, &self->config) ||
		    session_command(&other, VSAMP_CMD_START, fd) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			run_instructions(1000000);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	ASSERT_EQ(0, configure(self));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, self->fd));
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_on_cpu1(10000000);
	stop(_metadata, self);
	EXPECT_LE(100, self->seen.samples[0]);
	EXPECT_GE(105, self->seen.samples[0]);
}

/* What it says of itself */

struct caps {
	int messages, kperf, clocks, counters;
};

static void take_caps(struct nlattr *attrs, int len, void *arg)
{
	struct nlattr *backend = nla_find(attrs, len, VSAMP_A_BACKEND);
	struct caps *caps = arg;

	caps->messages++;
	caps->kperf += backend && nla_get_u32(backend) == VSAMP_BACKEND_KPERF;
	caps->clocks += nla_find(attrs, len, VSAMP_A_CLOCK) &&
			nla_find(attrs, len, VSAMP_A_CLOCK_KHZ) &&
			nla_find(attrs, len, VSAMP_A_SAV_MAX) &&
			nla_find(attrs, len, VSAMP_A_MODULE_VERSION);
	caps->counters += nla_find(attrs, len, VSAMP_A_COUNTERS) ||
			  nla_find(attrs, len, VSAMP_A_PERFMON_VERSION);
}

static int dump_caps(FIXTURE_DATA(kperf) *self, uint32_t backend, struct caps *caps)
{
	struct nl_msg *msg = client_request(&self->c, VSAMP_CMD_CAPS_GET, 0);

	memset(caps, 0, sizeof(*caps));
	if (backend)
		nla_put_u32(msg, VSAMP_A_BACKEND, backend);
	return client_dump(&self->c, msg, take_caps, caps);
}

TEST_F(kperf, capabilities_are_of_the_backend_asked_for)
{
	struct caps caps;

	ASSERT_EQ(0, dump_caps(self, VSAMP_BACKEND_KPERF, &caps));
	EXPECT_EQ(cpus_online(), caps.messages);
	EXPECT_EQ(caps.messages, caps.kperf);
	EXPECT_EQ(caps.messages, caps.clocks);
	EXPECT_EQ(0, caps.counters);
	ASSERT_EQ(0, dump_caps(self, VSAMP_BACKEND_INTEL, &caps));
	EXPECT_EQ(HAVE_INTEL ? cpus_online() : 0, caps.counters);
	EXPECT_EQ(0, caps.kperf);
	ASSERT_EQ(0, dump_caps(self, 0, &caps));
	EXPECT_EQ(HAVE_INTEL ? cpus_online() : 0, caps.counters);
	EXPECT_EQ(-EOPNOTSUPP, dump_caps(self, VSAMP_BACKEND_KPERF + 1, &caps));
	EXPECT_STRNE("", self->c.text);
}

/* Refusals */

static void expect_text(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self, int wanted,
			int ret, int attr, const char *part)
{
	EXPECT_EQ(wanted, ret);
	EXPECT_EQ(attr, self->c.bad_attr);
	EXPECT_NE(NULL, strstr(self->c.text, part))
	{
		TH_LOG("\"%s\" lacks \"%s\"", self->c.text, part);
	}
}

TEST_F(kperf, a_pmu_that_is_not_there)
{
	self->config.events[0].type = 9999;
	self->config.events[0].config = 1;
	expect_text(_metadata, self, -ENOENT, configure(self), VSAMP_EVENT_A_TYPE,
		    "event 0 (type 9999, config 0x1): no PMU here has it");
}

TEST_F(kperf, an_event_that_is_not_there)
{
	self->config.n_events = 2;
	self->config.events[1] = self->config.events[0];
	self->config.events[1].config = 99;
	expect_text(_metadata, self, -EINVAL, configure(self), VSAMP_EVENT_A_CONFIG,
		    "event 1 (type 0, config 0x63)");
}

TEST_F(kperf, what_is_of_other_files)
{
	self->config.events[0].type = PERF_TYPE_TRACEPOINT;
	expect_text(_metadata, self, -EOPNOTSUPP, configure(self), VSAMP_EVENT_A_TYPE,
		    "tracepoints");
	self->config.events[0].type = PERF_TYPE_BREAKPOINT;
	expect_text(_metadata, self, -EOPNOTSUPP, configure(self), VSAMP_EVENT_A_TYPE,
		    "breakpoints");
}

TEST_F(kperf, sample_after_values_beyond)
{
	self->config.events[0].sav = 1ULL << 63;
	expect_text(_metadata, self, -ERANGE, configure(self), VSAMP_EVENT_A_SAV, "SAV above");
	self->config.events[0].sav = 999;
	expect_text(_metadata, self, -ERANGE, configure(self), VSAMP_EVENT_A_SAV, "SAV below");
	self->config.events[0].type = PERF_TYPE_SOFTWARE;
	self->config.events[0].config = PERF_COUNT_SW_CPU_CLOCK;
	self->config.events[0].sav = 9999;
	expect_text(_metadata, self, -ERANGE, configure(self), VSAMP_EVENT_A_SAV, "clocks");
	self->config.events[0].sav = 10000;
	EXPECT_EQ(0, configure(self));
}

TEST_F(kperf, what_is_of_the_other_backend)
{
	struct nl_msg *msg;
	struct nlattr *nest;

	self->config.mux_ms = 10;
	expect_text(_metadata, self, -EOPNOTSUPP, configure(self), VSAMP_A_MUX_MS, "turns");
	self->config.mux_ms = 0;
	self->config.pmi_limit = 10;
	expect_text(_metadata, self, -EOPNOTSUPP, configure(self), VSAMP_A_PMI_LIMIT,
		    "perf_event_max_sample_rate");
	self->config.pmi_limit = 0;
	self->config.events[0].perf = false;
	expect_text(_metadata, self, -EINVAL, configure(self), VSAMP_A_EVENT, "type");
	self->config.backend = VSAMP_BACKEND_INTEL;
	self->config.flags = VSAMP_FLAG_HYPERVISOR;
	self->config.events[0].config = 1ULL << 32;
	expect_text(_metadata, self, -EINVAL, configure(self), VSAMP_EVENT_A_CONFIG, "CONFIG_MASK");
	self->config.events[0].perf = true;
	expect_text(_metadata, self, -EINVAL, configure(self), VSAMP_A_EVENT, "counter");

	msg = session_request(&self->c, VSAMP_CMD_CONFIGURE, self->fd);
	nla_put_u32(msg, VSAMP_A_BACKEND, VSAMP_BACKEND_KPERF);
	nest = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);
	nla_put_u64(msg, VSAMP_EVENT_A_CONFIG, 0);
	nla_put_u32(msg, VSAMP_EVENT_A_TYPE, 0);
	nla_put_u32(msg, VSAMP_EVENT_A_COUNTER, 0);
	nla_put_u64(msg, VSAMP_EVENT_A_SAV, 100000);
	nla_put_u32(msg, VSAMP_EVENT_A_FLAGS, VSAMP_EVENT_USER);
	nla_nest_end(msg, nest);
	expect_text(_metadata, self, -EINVAL, client_do(&self->c, msg), VSAMP_EVENT_A_COUNTER,
		    "perf chooses");
}

TEST_F(kperf, cpus_and_processes_at_once)
{
	self->config.cpus = "0";
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	expect_text(_metadata, self, -EOPNOTSUPP, configure(self), VSAMP_A_CPUS, "all CPUs");
}

TEST_F(kperf, sample_after_values_that_change)
{
	ASSERT_EQ(0, start(self));
	expect_text(_metadata, self, -EOPNOTSUPP, session_set_sav(&self->c, self->fd, 0, 200000, 0),
		    0, "keeps its SAVs");
}

TEST_F(kperf, a_process_that_has_ended)
{
	pid_t pid = fork();

	if (!pid)
		pause();
	self->config.pids[0] = pid;
	self->config.n_pids = 1;
	ASSERT_EQ(0, configure(self));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_text(_metadata, self, -ESRCH, session_command(&self->c, VSAMP_CMD_START, self->fd),
		    0, "has ended");
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(VSAMP_SESSION_READY, self->stats.state);
}

TEST_HARNESS_MAIN
