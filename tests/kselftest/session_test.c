// SPDX-License-Identifier: MIT
/* A session's life, and what it refuses. Needs the PMU and two CPUs. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "insns.h"
#include "session.h"

#include "harness.h"

FIXTURE(life)
{
	struct client c;
	int fd;
};

FIXTURE_SETUP(life)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
}

FIXTURE_TEARDOWN(life)
{
	close(self->fd);
	client_close(&self->c);
}

static uint32_t state(struct client *c, int fd)
{
	struct stats s;

	return session_stats(c, fd, &s) ? 0 : s.state;
}

TEST_F(life, lives_open_ready_running_paused_ended)
{
	struct config config = config_instructions(100000);
	struct client *c = &self->c;

	ASSERT_EQ(0, session_configure(c, self->fd, &config));
	EXPECT_EQ(VSAMP_SESSION_READY, state(c, self->fd));
	ASSERT_EQ(0, session_command(c, VSAMP_CMD_START, self->fd));
	EXPECT_EQ(VSAMP_SESSION_RUNNING, state(c, self->fd));
	ASSERT_EQ(0, session_command(c, VSAMP_CMD_PAUSE, self->fd));
	EXPECT_EQ(VSAMP_SESSION_PAUSED, state(c, self->fd));
	ASSERT_EQ(0, session_command(c, VSAMP_CMD_RESUME, self->fd));
	EXPECT_EQ(VSAMP_SESSION_RUNNING, state(c, self->fd));
	ASSERT_EQ(0, session_command(c, VSAMP_CMD_STOP, self->fd));
	EXPECT_EQ(VSAMP_SESSION_ENDED, state(c, self->fd));
}

TEST_F(life, start_is_refused_before_configure)
{
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, self->fd), 0);
}

TEST_F(life, stop_pause_resume_are_refused_before_start)
{
	struct config config = config_instructions(100000);

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_STOP, self->fd), 0);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_PAUSE, self->fd), 0);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_RESUME, self->fd), 0);
	EXPECT_EQ(VSAMP_SESSION_READY, state(&self->c, self->fd));
}

TEST_F(life, pause_and_resume_are_refused_twice)
{
	struct config config = config_instructions(100000);

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_RESUME, self->fd), 0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_PAUSE, self->fd), 0);
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
}

TEST_F(life, may_be_configured_again_until_it_starts)
{
	struct config config = config_instructions(100000);
	struct seen seen = {};

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	config.events[0].sav = 50000;
	config.pids[0] = getpid();
	config.n_pids = 1;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), 0);
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	/* 10 million in 50 000, and the test's own few instructions */
	EXPECT_LE(200, seen.samples[0]);
	EXPECT_GE(203, seen.samples[0]);
}

TEST_F(life, runs_once)
{
	struct config config = config_instructions(100000);

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, self->fd), 0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_START, self->fd), 0);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_STOP, self->fd), 0);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_PAUSE, self->fd), 0);
	EXPECT_REFUSED(session_command(&self->c, VSAMP_CMD_RESUME, self->fd), 0);
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), 0);
}

TEST_F(life, a_second_one_cannot_start)
{
	struct config config = config_instructions(100000);
	int second = session_open();
	char pid[16];

	ASSERT_LE(0, second);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_configure(&self->c, second, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, second));
	/* it names who holds the PMU */
	snprintf(pid, sizeof(pid), "%d", getpid());
	EXPECT_NE(NULL, strstr(self->c.text, pid))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, second));
	close(second);
}

/* User instructions that this process retires between two looks at the count, with a loop between */
static uint64_t count_loop(struct __test_metadata *_metadata, FIXTURE_DATA(life) *self, uint64_t n)
{
	struct stats before, after;

	ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
	run_instructions(n);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &after));
	EXPECT_EQ(0, after.samples[0]);
	return after.count[0] - before.count[0];
}

TEST_F(life, counts_exactly)
{
	struct config config = config_instructions(0);
	uint64_t once, looped;

	config.pids[0] = getpid();
	config.n_pids = 1;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	count_loop(_metadata, self, 1000);
	once = count_loop(_metadata, self, 1000);
	looped = count_loop(_metadata, self, 20001000);
	/* what surrounds the loop differs by some instructions of the allocator's */
	EXPECT_LE(20000000 - 1000, looped - once);
	EXPECT_GE(20000000 + 1000, looped - once);
}

/* Nor does it tell of a pause, an end or the clock: it has been calibrating, say */
TEST_F(life, that_only_counts_makes_no_records)
{
	struct config config = config_instructions(0);
	struct seen seen = { 0 };
	struct stats stats;

	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(1000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_LT(1000, stats.count[0]);
	EXPECT_EQ(0, stats.produced);
	EXPECT_EQ(0, stats.written);
	EXPECT_EQ(0, stats.lost);
	session_read(self->fd, &seen);
	EXPECT_EQ(0, seen.records);
}

TEST_F(life, paused_it_counts_nothing)
{
	struct config config = config_instructions(100000);
	struct stats before, after;
	struct seen seen = {};

	config.cpus = "0";
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
	run_instructions(10000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &after));
	EXPECT_EQ(before.count[0], after.count[0]);
	EXPECT_EQ(before.samples[0], after.samples[0]);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_LE(100, seen.samples[0]);
	EXPECT_GE(110, seen.samples[0]);
	EXPECT_EQ(1, seen.states[VSAMP_STATE_START]);
	EXPECT_EQ(1, seen.states[VSAMP_STATE_PAUSE]);
	EXPECT_EQ(1, seen.states[VSAMP_STATE_RESUME]);
	EXPECT_EQ(1, seen.states[VSAMP_STATE_STOP]);
}

TEST_F(life, only_the_cpus_listed_have_rings)
{
	struct config config = config_instructions(100000);
	struct stats stats;
	struct ring ring;

	config.cpus = "1";
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(1, stats.cpus);
	EXPECT_TRUE(stats.cpu[1].present);
	EXPECT_GT(0, ring_map(self->fd, 0, &ring));
	EXPECT_EQ(0, ring_map(self->fd, 1, &ring));
	EXPECT_EQ(1, ring.page->cpu);
	EXPECT_EQ(VSAMP_RING_VERSION, ring.page->version);
	EXPECT_EQ(VSAMP_RING_SIZE_DEFAULT, ring.page->data_size);
}

TEST_F(life, sav_has_bounds)
{
	struct config config = config_instructions(100000);
	struct event *e = &config.events[0];
	/* half the range of a counter of 48 bits */
	const uint64_t max = (1ULL << 47) - 1;
	static const uint64_t low[] = { 1, 2, VSAMP_SAV_FLOOR - 1 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(low); i++) {
		e->sav = low[i];
		EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SAV);
	}
	e->sav = VSAMP_SAV_FLOOR;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	e->sav = max;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	e->sav = max + 1;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SAV);
	e->sav = ~0ULL;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SAV);
	e->flags |= VSAMP_EVENT_FORCE;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SAV);
	e->sav = 1;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SAV);
	e->sav = VSAMP_SAV_MIN;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
}

TEST_F(life, events_have_bounds)
{
	struct config config = config_instructions(100000);
	struct event good = config.events[0];
	struct event *e = &config.events[0];
	int i;

	config.n_events = 0;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), 0);
	config.n_events = VSAMP_EVENTS_MAX + 1;
	for (i = 0; i < config.n_events; i++) {
		config.events[i] = good;
		config.events[i].counter = i;
	}
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_EVENT);
	config = config_instructions(100000);

	/* a counter twice */
	config.n_events = 2;
	config.events[1] = good;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_COUNTER);
	config.n_events = 1;

	/* nor twice in another set, but there it may be again */
	config.n_events = 3;
	config.set = 5;
	config.events[2] = good;
	config.events[1].set = config.events[2].set = 5;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_COUNTER);
	config.n_events = 2;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	config.n_events = 1;
	config.set = 0;

	/* counters that aren't there: eight general and three fixed are */
	e->counter = 8;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_COUNTER);
	e->counter = VSAMP_COUNTER_FIXED + 3;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_COUNTER);
	e->counter = 0xffffffff;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_COUNTER);
	e->counter = 7;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	e->counter = 0;

	/* bits that aren't the user's: USR, OS, INT, ANY, EN, and what stands above */
	for (i = 16; i < 64; i++) {
		if (VSAMP_CONFIG_MASK >> i & 1)
			continue;
		e->config = CONFIG_INSTRUCTIONS | 1ULL << i;
		EXPECT_REFUSED(session_configure(&self->c, self->fd, &config),
			       VSAMP_EVENT_A_CONFIG);
	}
	e->config = CONFIG_INSTRUCTIONS;

	e->flags = 0;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_FLAGS);
	e->flags = VSAMP_EVENT_FORCE;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_FLAGS);
	e->flags = VSAMP_EVENT_USER | 1U << 31;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_FLAGS);
}

/* The same event in three sets, on the same counter */
static struct config three_sets(uint64_t sav)
{
	struct config config = config_instructions(sav);
	int i;

	config.n_events = 3;
	for (i = 0; i < 3; i++) {
		config.events[i] = config.events[0];
		config.events[i].set = 7 * i;
	}
	return config;
}

TEST_F(life, sets_are_checked)
{
	struct config config = three_sets(100000);

	/* which one? */
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SET);
	config.events[0].set = 7;
	config.events[1].set = 0;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_EVENT);
	/* one that no event is of */
	config.set = 3;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_SET);
	config.set = 14;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	config.set = VSAMP_EVENTS_MAX;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_SET);
	config.set = -1;
	config.events[2].set = VSAMP_EVENTS_MAX;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_EVENT_A_SET);
}

TEST_F(life, only_the_events_of_the_set_are_counted)
{
	struct config config = three_sets(100000);
	struct seen seen = {};
	struct stats stats;

	config.events[1].sav = 50000;
	config.set = 7;
	config.cpus = "0";
	config.pids[0] = getpid();
	config.n_pids = 1;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(0, stats.count[0]);
	EXPECT_EQ(0, stats.count[2]);
	EXPECT_LE(10000000, stats.count[1]);
	EXPECT_GE(10050000, stats.count[1]);
	/* under the number that the event has in the request */
	EXPECT_LE(200, seen.samples[1]);
	EXPECT_GE(201, seen.samples[1]);
	EXPECT_EQ(0, seen.samples[0] + seen.samples[2]);
}

TEST_F(life, as_many_events_as_there_can_be)
{
	struct config config = {};
	struct stats stats;
	int i;

	/* eight counters in each of four sets */
	config.n_events = VSAMP_EVENTS_MAX;
	config.set = 3;
	for (i = 0; i < VSAMP_EVENTS_MAX; i++)
		config.events[i] = (struct event){
			CONFIG_INSTRUCTIONS, i % 8, 0, VSAMP_EVENT_USER, i / 8, false, 0
		};
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(cpus_online(), stats.cpus);
	for (i = 0; i < VSAMP_EVENTS_MAX; i++) {
		EXPECT_LE(i / 8 == 3 ? 10000000 : 0, stats.cpu[0].count[i]);
		EXPECT_GE(i / 8 == 3 ? 20000000 : 0, stats.cpu[0].count[i]);
	}
}

TEST_F(life, cpu_lists_are_checked)
{
	struct config config = config_instructions(100000);
	static const char *const bad[] = { "",	       "x",	"0-",		"-1",
					   "1-0",      "0,,1x", "0-4294967296", "9999",
					   "5000-6000" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		config.cpus = bad[i];
		EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_CPUS);
	}
	config.cpus = "0-1";
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	config.cpus = "0,1";
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
}

TEST_F(life, pids_are_checked)
{
	struct config config = config_instructions(100000);
	pid_t child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	config.n_pids = 1;
	config.pids[0] = child;
	EXPECT_EQ(-ESRCH, session_configure(&self->c, self->fd, &config));
	EXPECT_EQ(VSAMP_A_PID, self->c.bad_attr);
	config.pids[0] = 0;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_PID);
	config.pids[0] = 0x80000000;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_PID);
	config.pids[0] = getpid();
	config.pids[1] = child;
	config.n_pids = 2;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_PID);
}

TEST_F(life, too_many_pids_are_refused)
{
	struct config config = config_instructions(100000);
	int i;

	config.n_pids = VSAMP_PIDS_MAX + 1;
	for (i = 0; i < config.n_pids; i++)
		config.pids[i] = getpid();
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_PID);
	config.n_pids = VSAMP_PIDS_MAX;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
}

TEST_F(life, ring_size_has_bounds)
{
	struct config config = config_instructions(100000);
	static const uint32_t bad[] = { 1,
					4096,
					VSAMP_RING_SIZE_MIN / 2,
					VSAMP_RING_SIZE_MIN + 1,
					VSAMP_RING_SIZE_MIN + 4096,
					VSAMP_RING_SIZE_MAX + 4096,
					1U << 31,
					0xffffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		config.ring_size = bad[i];
		EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_RING_SIZE);
	}
	config.ring_size = VSAMP_RING_SIZE_MIN;
	EXPECT_EQ(0, session_configure(&self->c, self->fd, &config));
	config.watermark = VSAMP_RING_SIZE_MIN + 1;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &config), VSAMP_A_WATERMARK);
}

TEST_F(life, members_children_count_if_inherited)
{
	struct config config = config_instructions(100000);
	struct seen alone = {}, inherited = {};
	int fd, i;

	config.pids[0] = getpid();
	config.n_pids = 1;
	for (i = 0; i < 2; i++) {
		fd = session_open();
		config.flags = i ? VSAMP_FLAG_INHERIT : 0;
		ASSERT_EQ(0, session_configure(&self->c, fd, &config));
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, fd));
		if (!fork()) {
			run_instructions(20000000);
			_exit(0);
		}
		wait(NULL);
		ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, fd));
		session_read(fd, i ? &inherited : &alone);
		close(fd);
	}
	EXPECT_GE(2, alone.samples[0]);
	EXPECT_LE(200, inherited.samples[0]);
	EXPECT_GE(204, inherited.samples[0]);
}

TEST_F(life, pids_may_join_when_they_exec)
{
	struct config config = config_instructions(100000);
	struct seen seen = {};
	int go[2];
	pid_t child;

	ASSERT_EQ(0, pipe(go));
	child = fork();
	if (!child) {
		char c;

		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		/* before the exec: not counted */
		run_instructions(50000000);
		execl("/bin/true", "true", NULL);
		_exit(127);
	}
	config.pids[0] = child;
	config.n_pids = 1;
	config.flags = VSAMP_FLAG_ON_EXEC;
	config.events[0].sav = VSAMP_SAV_FLOOR;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	close(go[1]);
	close(go[0]);
	waitpid(child, NULL, 0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	/* the program does something, but nothing like the 50 000 samples before it */
	EXPECT_LE(10, seen.samples[0]);
	EXPECT_GE(5000, seen.samples[0]);
	EXPECT_EQ(child, seen.last_pid);
}

TEST_F(life, wakes_its_poller)
{
	struct config config = config_instructions(1000);
	struct pollfd p = { .fd = self->fd, .events = POLLIN | POLLPRI };

	config.cpus = "0";
	config.ring_size = VSAMP_RING_SIZE_MIN;
	config.watermark = 32 * 100;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(200000);
	ASSERT_EQ(1, poll(&p, 1, 1000));
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(1, poll(&p, 1, 1000));
	EXPECT_EQ(POLLHUP, p.revents & POLLHUP);
}

TEST_F(life, sample_times_are_the_tsc_between_the_programs_own_reads)
{
	struct config config = config_instructions(100000);
	struct ring ring;
	uint64_t begin, end, pos, samples = 0;

	config.pids[0] = getpid();
	config.n_pids = 1;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	begin = tsc();
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	end = tsc();
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	for (pos = ring.page->tail; pos < ring.page->head;) {
		const struct vsamp_record_sample *s = (const void *)(ring.data +
								     (pos & (ring.size - 1)));

		EXPECT_LT(begin, s->time);
		EXPECT_GT(end, s->time);
		begin = s->time;
		samples += s->h.type == VSAMP_RECORD_SAMPLE;
		pos += s->h.size;
	}
	EXPECT_LE(100, samples);
}

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Two events that always overflow together, for so long that a CLOCK record falls among them */
TEST_F(life, records_are_in_the_order_of_their_times)
{
	struct config config = config_instructions(10000000);
	struct seen seen = { 0 };

	config.cpus = "0";
	config.pids[0] = getpid();
	config.n_pids = 1;
	config.events[1] = config.events[0];
	config.events[1].counter = FIXED_INSTRUCTIONS;
	config.n_events = 2;
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	run_instructions(1055000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_EQ(105, seen.samples[0]);
	EXPECT_EQ(105, seen.samples[1]);
	/* at the start, at the end, and a second after the start */
	EXPECT_EQ(3, seen.types[VSAMP_RECORD_CLOCK]);
	EXPECT_EQ(0, seen.backwards);
}

TEST_F(life, clock_records_tell_the_same_instant_on_all_clocks)
{
	static const clockid_t ids[] = { CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC, CLOCK_REALTIME };
	struct config config = config_instructions(100000);
	uint64_t before[4], after[4], pos, clocks = 0;
	struct ring ring;
	int i;

	config.cpus = "0";
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &config));
	for (i = 0; i < 3; i++)
		before[i] = clock_ns(ids[i]);
	before[3] = tsc();
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
	/* more than two seconds, in each of which is a sample */
	run_instructions(2500000000ULL);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	for (i = 0; i < 3; i++)
		after[i] = clock_ns(ids[i]);
	after[3] = tsc();
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	for (pos = ring.page->tail; pos < ring.page->head;) {
		const struct vsamp_record_clock *r = (const void *)(ring.data +
								    (pos & (ring.size - 1)));
		const uint64_t now[] = { r->monotonic_raw, r->monotonic, r->realtime, r->time };

		pos += r->h.size;
		if (r->h.type != VSAMP_RECORD_CLOCK)
			continue;
		clocks++;
		for (i = 0; i < 4; i++) {
			EXPECT_LE(before[i], now[i]);
			EXPECT_GE(after[i], now[i]);
			before[i] = now[i];
		}
		/* a tick is a nanosecond here: three clocks read in a microsecond or two */
		EXPECT_GE(2000, r->bracket);
	}
	/* at the start, in each of two seconds, and at the stop */
	EXPECT_LE(4, clocks);
	EXPECT_GE(5, clocks);
}

TEST_HARNESS_MAIN
