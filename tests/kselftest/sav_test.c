// SPDX-License-Identifier: MIT
/*
 * Sample-After values that change while a session runs: nothing is counted twice or not at all, and each
 * sample stands for as many events as its SAV record says. Needs the PMU, two CPUs, and the program
 * loop.
 */
#include <fcntl.h>

#include "session.h"

#include "harness.h"

#define FORCE VSAMP_EVENT_FORCE

FIXTURE(sav)
{
	struct client c;
	struct config config;
	struct seen seen;
	int fd;
};

FIXTURE_SETUP(sav)
{
	pin(1);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(100000);
	self->config.ring_size = 1 << 24;
	self->config.pmi_limit = 100000;
	memset(&self->seen, 0, sizeof(self->seen));
}

FIXTURE_TEARDOWN(sav)
{
	close(self->fd);
	client_close(&self->c);
}

static int start(FIXTURE_DATA(sav) *self)
{
	int i;

	for (i = 0; i < self->config.n_events; i++)
		self->seen.sav[i] = self->config.events[i].sav;
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

static int set(FIXTURE_DATA(sav) *self, uint32_t event, uint64_t sav)
{
	return session_set_sav(&self->c, self->fd, event, sav, sav < VSAMP_SAV_FLOOR ? FORCE : 0);
}

/* One CPU's ring, from its beginning */
static void read_ring(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self, int cpu)
{
	struct ring ring;

	ASSERT_EQ(0, ring_map(self->fd, cpu, &ring));
	ring_read(&ring, &self->seen);
	ring_unmap(&ring);
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(0, self->seen.backwards);
}

/* What the samples of an event stand for, and what is left in the counter, is what was counted */
static void expect_sum(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self,
		       const struct stats *stats, int cpu, int event)
{
	uint64_t count = stats->cpu[cpu].count[event], sum = self->seen.sav_sum[event];

	EXPECT_EQ(stats->cpu[cpu].samples[event], self->seen.samples[event]);
	EXPECT_LE(sum, count);
	EXPECT_GT(sum + self->seen.sav[event], count)
	{
		TH_LOG("event %d: %llu counted, samples stand for %llu, then %llu", event,
		       (unsigned long long)count, (unsigned long long)sum,
		       (unsigned long long)self->seen.sav[event]);
	}
}

/* Stop, read CPU 0's ring and hold it against the statistics */
static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self, struct stats *stats)
{
	int i;

	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, stats));
	read_ring(_metadata, self, 0);
	EXPECT_EQ(stats->produced, stats->written + stats->lost);
	EXPECT_EQ(stats->cpu[0].written, self->seen.records);
	EXPECT_EQ(0, stats->lost);
	for (i = 0; i < self->config.n_events; i++)
		expect_sum(_metadata, self, stats, 0, i);
}

/* The program loop, with a change of @event every @us, through the @n values again and again */
static void run_loop(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self, int us,
		     const uint64_t *savs, int n)
{
	struct loop loop = loop_prepare();
	int i;

	self->config.pids[0] = loop.pid;
	self->config.n_pids = 1;
	self->config.flags = VSAMP_FLAG_ON_EXEC;
	ASSERT_EQ(0, start(self));
	loop_go(&loop);
	for (i = 0; loop_is_running(&loop); i++) {
		ASSERT_EQ(0, set(self, i % self->config.n_events,
				 savs[i / self->config.n_events % n]));
		usleep(us);
	}
	EXPECT_LE(10, i);
}

TEST_F(sav, counts_stay_exact)
{
	static const uint64_t savs[] = { 5000, 300000, 20000, 1000, 1000003, 50021, 50022 };
	struct stats stats;

	run_loop(_metadata, self, 1700, savs, ARRAY_SIZE(savs));
	stop(_metadata, self, &stats);
	EXPECT_EQ(LOOP_INSTRUCTIONS, stats.count[0]);
	/* each change says so at least once, on each CPU */
	EXPECT_LE(50, self->seen.types[VSAMP_RECORD_SAV]);
	EXPECT_LE(2000, self->seen.samples[0]);
}

TEST_F(sav, counts_of_two_events_stay_exact)
{
	static const uint64_t savs[] = { 20000, 500, 200000, 20000, 4001, 1000000 };
	struct stats stats;

	self->config.events[1] = self->config.events[0];
	self->config.events[1].config = CONFIG_BRANCHES;
	self->config.events[1].counter = 1;
	self->config.n_events = 2;
	run_loop(_metadata, self, 1300, savs, ARRAY_SIZE(savs));
	stop(_metadata, self, &stats);
	EXPECT_EQ(LOOP_INSTRUCTIONS, stats.count[0]);
	EXPECT_EQ(LOOP_BRANCHES, stats.count[1]);
}

TEST_F(sav, counts_stay_exact_with_tiny_values)
{
	static const uint64_t savs[] = { 64, 1000000, VSAMP_SAV_MIN, 1000000, 1000000, 1000000 };
	struct stats stats;

	run_loop(_metadata, self, 300, savs, ARRAY_SIZE(savs));
	stop(_metadata, self, &stats);
	EXPECT_EQ(LOOP_INSTRUCTIONS, stats.count[0]);
}

TEST_F(sav, a_large_value_is_the_period_under_way)
{
	struct stats stats;

	pin(0);
	self->config.cpus = "0";
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	self->config.events[0].sav = 10000000;
	ASSERT_EQ(0, start(self));
	run_instructions(1000000);
	ASSERT_EQ(0, set(self, 0, 20000000));
	run_instructions(17000000);
	read_ring(_metadata, self, 0);
	EXPECT_EQ(0, self->seen.samples[0]);
	EXPECT_EQ(1, self->seen.types[VSAMP_RECORD_SAV]);
	EXPECT_EQ(20000000, self->seen.sav[0]);
	run_instructions(3000000);
	stop(_metadata, self, &stats);
	EXPECT_EQ(1, self->seen.samples[0]);
}

TEST_F(sav, a_small_value_ends_the_period_under_way)
{
	struct stats stats;

	pin(0);
	self->config.cpus = "0";
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	self->config.events[0].sav = 10000000;
	ASSERT_EQ(0, start(self));
	run_instructions(5000000);
	ASSERT_EQ(0, set(self, 0, 1000000));
	run_instructions(500000);
	read_ring(_metadata, self, 0);
	/* the sample stands for what had passed; from then on for the new value */
	EXPECT_EQ(1, self->seen.samples[0]);
	EXPECT_LE(5000000, self->seen.sav_sum[0]);
	EXPECT_GE(5010000, self->seen.sav_sum[0]);
	EXPECT_EQ(2, self->seen.types[VSAMP_RECORD_SAV]);
	EXPECT_EQ(1000000, self->seen.sav[0]);
	run_instructions(2000000);
	stop(_metadata, self, &stats);
	EXPECT_EQ(3, self->seen.samples[0]);
}

TEST_F(sav, the_same_value_is_no_change)
{
	struct stats stats;

	pin(0);
	self->config.cpus = "0";
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, set(self, 0, 100000));
	run_instructions(1000000);
	stop(_metadata, self, &stats);
	EXPECT_EQ(0, self->seen.types[VSAMP_RECORD_SAV]);
}

TEST_F(sav, may_change_in_a_pause)
{
	struct stats stats;

	pin(0);
	self->config.cpus = "0";
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, start(self));
	run_instructions(1050000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, set(self, 0, 10000));
	run_instructions(1000000);
	ASSERT_EQ(0, set(self, 0, 20000));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(10, stats.samples[0]);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(1000000);
	stop(_metadata, self, &stats);
	EXPECT_LE(59, self->seen.samples[0]);
	EXPECT_GE(62, self->seen.samples[0]);
}

static void set_online(const char *value)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, value, 1) != 1)
		abort();
	close(fd);
}

TEST_F(sav, holds_for_a_cpu_that_comes_later)
{
	struct stats stats;

	pin(0);
	ASSERT_EQ(0, start(self));
	set_online("0");
	ASSERT_EQ(0, set(self, 0, 50000));
	set_online("1");
	pin(1);
	run_instructions(10000000);
	pin(0);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	read_ring(_metadata, self, 1);
	EXPECT_EQ(50000, self->seen.sav[0]);
	EXPECT_LE(200, self->seen.samples[0]);
	EXPECT_EQ(stats.cpu[1].samples[0], self->seen.samples[0]);
	EXPECT_LE(self->seen.sav_sum[0], stats.cpu[1].count[0]);
	/* what was in the counter when the CPU went makes no sample */
	EXPECT_GE(self->seen.sav_sum[0] + 150000, stats.cpu[1].count[0]);
}

/*
 * While the ring is full the value changes. A sample comes a period of instructions after the one
 * before, and an instruction is a tick: so the time between two tells what the second stands for.
 */
struct gaps {
	uint64_t sav, time;
	int lost_now, checked, wrong;
	uint64_t samples, lost;
};

static void take_gap(struct gaps *g, const struct vsamp_record_header *h)
{
	const struct vsamp_record_sample *s = (const void *)h;

	if (h->type == VSAMP_RECORD_SAV) {
		g->sav = ((const struct vsamp_record_sav *)h)->sav;
	} else if (h->type == VSAMP_RECORD_LOST) {
		g->lost += ((const struct vsamp_record_lost *)h)->count;
		g->lost_now = 1;
	} else if (h->type == VSAMP_RECORD_SAMPLE) {
		uint64_t gap = s->time - g->time;

		if (g->time && !g->lost_now) {
			g->checked++;
			g->wrong += gap < g->sav || gap > g->sav + 100000;
		}
		g->lost_now = 0;
		g->time = s->time;
		g->samples++;
	}
}

static void read_gaps(struct ring *ring, struct gaps *g)
{
	uint64_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->tail;

	while (tail < head) {
		const struct vsamp_record_header *h = (const void *)(ring->data +
								     (tail & (ring->size - 1)));

		take_gap(g, h);
		tail += h->size;
	}
	__atomic_store_n(&ring->page->tail, tail, __ATOMIC_RELEASE);
}

TEST_F(sav, no_sample_comes_without_its_record)
{
	static const uint64_t savs[] = { 300000, 1000, 200000, 2000, 300000, 1000 };
	struct gaps g = { .sav = 2000 };
	struct stats stats;
	struct ring ring;
	unsigned int i;

	pin(0);
	self->config.cpus = "0";
	self->config.events[0].sav = 2000;
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	/* 512 samples fit */
	run_instructions(2000 * 600);
	for (i = 0; i < ARRAY_SIZE(savs); i++) {
		uint64_t sav = savs[i];

		/* full: this can't be said yet */
		ASSERT_EQ(0, set(self, 0, sav));
		run_instructions(3 * sav);
		ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
		EXPECT_LE(1, stats.lost);
		read_gaps(&ring, &g);
		run_instructions(10 * sav);
		read_gaps(&ring, &g);
		EXPECT_EQ(sav, g.sav);
		/* full again, with changes that nobody is told of in between */
		ASSERT_EQ(0, set(self, 0, VSAMP_SAV_FLOOR + 1));
		run_instructions(VSAMP_SAV_FLOOR * 700);
		ASSERT_EQ(0, set(self, 0, 77777));
		ASSERT_EQ(0, set(self, 0, VSAMP_SAV_FLOOR));
		run_instructions(VSAMP_SAV_FLOOR * 10);
	}
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	read_gaps(&ring, &g);
	ring_unmap(&ring);
	EXPECT_LE(3000, g.checked);
	EXPECT_EQ(0, g.wrong);
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(stats.lost, g.lost);
	/* a record that comes late isn't lost: samples are all that was */
	EXPECT_EQ(stats.samples[0], g.samples + stats.lost);
}

/* Refusals */

/* Nothing has changed: no record says so, and samples come as they came */
static void expect_unchanged(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self)
{
	struct stats stats;

	run_instructions(1000000);
	stop(_metadata, self, &stats);
	EXPECT_EQ(0, self->seen.types[VSAMP_RECORD_SAV]);
	EXPECT_LE(10, self->seen.samples[0]);
	EXPECT_GE(12, self->seen.samples[0]);
}

static void start_here(struct __test_metadata *_metadata, FIXTURE_DATA(sav) *self)
{
	pin(0);
	self->config.cpus = "0";
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	ASSERT_EQ(0, start(self));
}

TEST_F(sav, has_the_bounds_of_configure)
{
	const uint64_t max = (1ULL << 47) - 1;
	const struct {
		uint64_t sav;
		uint32_t flags;
	} bad[] = {
		{ 0, 0 },	  { 1, 0 },	  { VSAMP_SAV_FLOOR - 1, 0 }, { 0, FORCE },
		{ 1, FORCE },	  { max + 1, 0 }, { 1ULL << 63, 0 },	      { 1ULL << 63, FORCE },
		{ ~0ULL, FORCE },
	};
	unsigned int i;

	start_here(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int ret = session_set_sav(&self->c, self->fd, 0, bad[i].sav, bad[i].flags);

		EXPECT_EQ(-ERANGE, ret);
		EXPECT_REFUSED(ret, VSAMP_EVENT_A_SAV);
	}
	expect_unchanged(_metadata, self);
}

TEST_F(sav, good_bounds_are_taken)
{
	start_here(_metadata, self);
	EXPECT_EQ(0, session_set_sav(&self->c, self->fd, 0, (1ULL << 47) - 1, 0));
	EXPECT_EQ(0, session_set_sav(&self->c, self->fd, 0, VSAMP_SAV_FLOOR, 0));
	EXPECT_EQ(0, session_set_sav(&self->c, self->fd, 0, VSAMP_SAV_MIN, FORCE));
	EXPECT_EQ(0, session_set_sav(&self->c, self->fd, 0, 100000, 0));
}

TEST_F(sav, only_what_is_sampled_has_one)
{
	self->config.n_events = 3;
	self->config.events[1] = self->config.events[2] = self->config.events[0];
	self->config.events[1].counter = 1;
	self->config.events[1].sav = 0;
	self->config.events[2].set = 1;
	self->config.set = -1;
	start_here(_metadata, self);
	/* one that is only counted, one of another set, and none */
	EXPECT_EQ(-EINVAL, set(self, 1, 10000));
	EXPECT_REFUSED(set(self, 1, 10000), VSAMP_EVENT_A_INDEX);
	EXPECT_REFUSED(set(self, 2, 10000), VSAMP_EVENT_A_INDEX);
	EXPECT_REFUSED(set(self, 3, 10000), VSAMP_EVENT_A_INDEX);
	EXPECT_REFUSED(set(self, VSAMP_EVENTS_MAX, 10000), VSAMP_EVENT_A_INDEX);
	EXPECT_REFUSED(set(self, ~0U, 10000), VSAMP_EVENT_A_INDEX);
	self->config.n_events = 1;
	expect_unchanged(_metadata, self);
}

TEST_F(sav, all_of_a_request_holds_or_nothing)
{
	struct nl_msg *msg;

	self->config.n_events = 2;
	self->config.events[1] = self->config.events[0];
	self->config.events[1].counter = 1;
	start_here(_metadata, self);
	msg = session_request(&self->c, VSAMP_CMD_SAV_SET, self->fd);
	put_sav(msg, 0, 10000, 0);
	put_sav(msg, 1, 10, 0);
	EXPECT_REFUSED(client_do(&self->c, msg), VSAMP_EVENT_A_SAV);
	msg = session_request(&self->c, VSAMP_CMD_SAV_SET, self->fd);
	put_sav(msg, 0, 10000, 0);
	put_sav(msg, 0, 20000, 0);
	EXPECT_REFUSED(client_do(&self->c, msg), VSAMP_EVENT_A_INDEX);
	expect_unchanged(_metadata, self);
}

TEST_F(sav, several_change_in_one_request)
{
	struct stats stats;
	struct nl_msg *msg;

	self->config.n_events = 2;
	self->config.events[1] = self->config.events[0];
	self->config.events[1].counter = 1;
	start_here(_metadata, self);
	msg = session_request(&self->c, VSAMP_CMD_SAV_SET, self->fd);
	put_sav(msg, 1, 10000, 0);
	put_sav(msg, 0, 20000, 0);
	ASSERT_EQ(0, client_do(&self->c, msg));
	run_instructions(2000000);
	stop(_metadata, self, &stats);
	EXPECT_LE(100, self->seen.samples[0]);
	EXPECT_GE(104, self->seen.samples[0]);
	EXPECT_LE(200, self->seen.samples[1]);
	EXPECT_GE(205, self->seen.samples[1]);
}

TEST_F(sav, attributes_of_configure_are_none_of_its)
{
	static const int strangers[] = { VSAMP_EVENT_A_CONFIG, VSAMP_EVENT_A_COUNTER,
					 VSAMP_EVENT_A_SET };
	struct nlattr *nest;
	struct nl_msg *msg;
	unsigned int i;

	start_here(_metadata, self);
	for (i = 0; i < ARRAY_SIZE(strangers); i++) {
		msg = session_request(&self->c, VSAMP_CMD_SAV_SET, self->fd);
		nest = nla_nest_start(msg, VSAMP_A_EVENT | NLA_F_NESTED);
		nla_put_u32(msg, VSAMP_EVENT_A_INDEX, 0);
		nla_put_u64(msg, VSAMP_EVENT_A_SAV, 10000);
		nla_put(msg, strangers[i], 8 - 4 * (i > 0), "\0\0\0\0\0\0\0");
		nla_nest_end(msg, nest);
		EXPECT_REFUSED(client_do(&self->c, msg), strangers[i]);
	}
	EXPECT_REFUSED(session_set_sav(&self->c, self->fd, 0, 10000, VSAMP_EVENT_USER),
		       VSAMP_EVENT_A_FLAGS);
	expect_unchanged(_metadata, self);
}

TEST_F(sav, not_in_time_slices)
{
	self->config.mux_ms = 10;
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(-EOPNOTSUPP, set(self, 0, 10000));
	EXPECT_STRNE("", self->c.text);
}

TEST_F(sav, only_while_it_runs)
{
	EXPECT_EQ(-EBADFD, set(self, 0, 10000));
	EXPECT_STRNE("", self->c.text);
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	EXPECT_EQ(-EBADFD, set(self, 0, 10000));
	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0, set(self, 0, 10000));
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_EQ(-EBADFD, set(self, 0, 20000));
}

TEST_HARNESS_MAIN
