// SPDX-License-Identifier: MIT
/*
 * The backend kperf: the counters are perf's, shared with whoever else uses perf. Needs the PMU, two
 * CPUs and the program loop; good with and without the NMI watchdog.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "session.h"

#include "harness.h"

#define SAV	     100000
#define LOOP_SAMPLES (LOOP_INSTRUCTIONS / SAV)

/* What the program loop consists of: it is linked statically, at the address that is usual */
#ifdef __x86_64__
#define LOOP_BEGIN 0x401000
#else
#define LOOP_BEGIN 0x400000
#endif
#define LOOP_END (LOOP_BEGIN + 0x200)

#define EVENT_INSTRUCTIONS                                                                        \
	{                                                                                         \
		.config = PERF_INSTRUCTIONS, .sav = SAV, .flags = VSAMP_EVENT_USER, .perf = true, \
		.type = PERF_TYPE_HARDWARE                                                        \
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
		.events = { EVENT_INSTRUCTIONS },
		.n_events = 1,
	};
}

FIXTURE_TEARDOWN(kperf)
{
	close(self->fd);
	client_close(&self->c);
}

static int start(FIXTURE_DATA(kperf) *self)
{
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

/* Samples of the program loop, by event, in the rings that were read last */
struct in_loop {
	uint64_t samples[VSAMP_EVENTS_MAX];
	uint64_t elsewhere; /* samples that aren't in it */
};

static void find_loop(const struct ring *ring, struct in_loop *found)
{
	uint64_t head = __atomic_load_n(&ring->page->head, __ATOMIC_ACQUIRE);
	uint64_t pos = ring->page->tail;

	while (pos < head) {
		const struct vsamp_record_sample *s = (const void *)(ring->data +
								     (pos & (ring->size - 1)));

		if (s->h.type == VSAMP_RECORD_SAMPLE && s->h.event < VSAMP_EVENTS_MAX) {
			if (s->ip >= LOOP_BEGIN && s->ip < LOOP_END &&
			    s->h.flags & VSAMP_SAMPLE_USER)
				found->samples[s->h.event]++;
			else
				found->elsewhere++;
		}
		pos += s->h.size ? s->h.size : head - pos;
	}
}

/* Read all rings, and hold them against the statistics */
static struct in_loop read_all(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self)
{
	struct in_loop found = {};
	uint64_t samples = 0;
	struct ring ring;
	int cpu, i;

	for (cpu = 0; cpu < MAX_CPUS; cpu++) {
		if (ring_map(self->fd, cpu, &ring))
			continue;
		find_loop(&ring, &found);
		ring_read(&ring, &self->seen);
		ring_unmap(&ring);
	}
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(0, self->seen.backwards);
	EXPECT_EQ(self->stats.written, self->seen.records);
	EXPECT_EQ(self->stats.produced, self->stats.written + self->stats.lost);
	for (i = 0; i < self->config.n_events; i++) {
		EXPECT_EQ(self->stats.samples[i], self->seen.samples[i] + self->stats.lost);
		samples += self->stats.samples[i];
	}
	EXPECT_EQ(samples, self->stats.pmis);
	return found;
}

static struct in_loop stop(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self)
{
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	EXPECT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	return read_all(_metadata, self);
}

static void expect_loops(struct __test_metadata *_metadata, const struct in_loop *found, int loops)
{
	EXPECT_LE(loops * (LOOP_SAMPLES - 1), found->samples[0]);
	EXPECT_GE(loops * (LOOP_SAMPLES + 1), found->samples[0]);
}

/* A process that execs a shell's command when it is let go */
static struct loop shell_prepare(const char *command)
{
	struct loop shell;
	int go[2];

	if (pipe(go))
		abort();
	shell.go = go[1];
	shell.pid = fork();
	if (!shell.pid) {
		char c;

		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	close(go[0]);
	return shell;
}

static void run_all(struct loop *loop)
{
	loop_go(loop);
	waitpid(loop->pid, NULL, 0);
}

static void scope_to(FIXTURE_DATA(kperf) *self, pid_t pid, uint32_t flags)
{
	self->config.pids[0] = pid;
	self->config.n_pids = 1;
	self->config.flags = flags;
}

/* Exact counts, by scope */

TEST_F(kperf, counts_a_machine)
{
	struct loop loop = loop_prepare();
	struct in_loop found;

	ASSERT_EQ(0, start(self));
	run_all(&loop);
	found = stop(_metadata, self);
	expect_loops(_metadata, &found, 1);
	EXPECT_LE(LOOP_INSTRUCTIONS, self->stats.count[0]);
	EXPECT_GE(LOOP_INSTRUCTIONS + LOOP_INSTRUCTIONS / 20, self->stats.count[0]);
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_START] / cpus_online());
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_STOP] / cpus_online());
	/* nobody else wants the counter */
	EXPECT_EQ(self->stats.cpu[0].enabled[0], self->stats.cpu[0].running[0]);
	EXPECT_LT(LOOP_INSTRUCTIONS, self->stats.cpu[0].enabled[0]);
}

TEST_F(kperf, counts_a_program_from_its_exec_on)
{
	struct loop loop = loop_prepare();
	struct in_loop found;

	scope_to(self, loop.pid, VSAMP_FLAG_ON_EXEC);
	ASSERT_EQ(0, start(self));
	run_instructions(1000000);
	run_all(&loop);
	found = stop(_metadata, self);
	EXPECT_EQ(LOOP_INSTRUCTIONS, self->stats.count[0]);
	expect_loops(_metadata, &found, 1);
	EXPECT_EQ(0, found.elsewhere);
	EXPECT_EQ(loop.pid, self->seen.last_pid);
	/* all of it is in the first CPU's message */
	EXPECT_EQ(LOOP_INSTRUCTIONS, self->stats.cpu[0].count[0]);
}

TEST_F(kperf, counts_a_process_that_runs)
{
	struct in_loop found;
	struct loop loop;
	int go[2];
	char c;

	ASSERT_EQ(0, pipe(go));
	loop.go = go[1];
	loop.pid = fork();
	if (!loop.pid) {
		close(go[1]);
		if (read(go[0], &c, 1) < 0)
			_exit(1);
		run_instructions(LOOP_INSTRUCTIONS);
		_exit(0);
	}
	close(go[0]);
	scope_to(self, loop.pid, 0);
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	run_all(&loop);
	found = stop(_metadata, self);
	EXPECT_EQ(0, found.samples[0]);
	EXPECT_EQ(LOOP_SAMPLES, self->seen.samples[0]);
	EXPECT_LE(LOOP_INSTRUCTIONS, self->stats.count[0]);
	EXPECT_GE(LOOP_INSTRUCTIONS + 10000, self->stats.count[0]);
}

TEST_F(kperf, counts_children_if_asked)
{
	struct loop shell = shell_prepare("./loop & ./loop & wait; ./loop; true");
	struct in_loop found;

	scope_to(self, shell.pid, VSAMP_FLAG_ON_EXEC | VSAMP_FLAG_INHERIT);
	ASSERT_EQ(0, start(self));
	run_all(&shell);
	found = stop(_metadata, self);
	EXPECT_LE(3 * LOOP_INSTRUCTIONS, self->stats.count[0]);
	EXPECT_GE(3 * LOOP_INSTRUCTIONS + LOOP_INSTRUCTIONS / 20, self->stats.count[0]);
	expect_loops(_metadata, &found, 3);
}

TEST_F(kperf, leaves_children_out)
{
	struct loop shell = shell_prepare("./loop; ./loop; true");
	struct in_loop found;

	scope_to(self, shell.pid, VSAMP_FLAG_ON_EXEC);
	ASSERT_EQ(0, start(self));
	run_all(&shell);
	found = stop(_metadata, self);
	EXPECT_EQ(0, found.samples[0]);
	EXPECT_LT(0, self->stats.count[0]);
	EXPECT_GE(LOOP_INSTRUCTIONS / 20, self->stats.count[0]);
}

/* 3 threads that are there at the start, and 3 that these create then */
#define THREADS 3

static pthread_barrier_t *threads_go;

static void *thread_late(void *unused)
{
	run_instructions(10000000);
	return unused;
}

static void *thread_early(void *unused)
{
	pthread_t late;

	pthread_barrier_wait(threads_go);
	pthread_barrier_wait(threads_go);
	if (pthread_create(&late, NULL, thread_late, NULL))
		abort();
	run_instructions(10000000);
	pthread_join(late, NULL);
	return unused;
}

static pid_t threads_prepare(void)
{
	pthread_barrierattr_t attr;
	pthread_t threads[THREADS];
	pid_t pid;
	int i;

	threads_go = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, 0, 0);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(threads_go, &attr, THREADS + 1);
	pid = fork();
	if (pid)
		return pid;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, thread_early, NULL))
			abort();
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

TEST_F(kperf, counts_all_threads)
{
	const uint64_t all = 2 * THREADS * 10000000;
	pid_t pid = threads_prepare();

	pthread_barrier_wait(threads_go);
	scope_to(self, pid, 0);
	ASSERT_EQ(0, start(self));
	pthread_barrier_wait(threads_go);
	waitpid(pid, NULL, 0);
	stop(_metadata, self);
	EXPECT_LE(all, self->stats.count[0]);
	EXPECT_GE(all + all / 20, self->stats.count[0]);
	/* of each thread a part of a period may be left */
	EXPECT_LE(all / SAV - 2 * THREADS, self->seen.samples[0]);
	EXPECT_GE(all / SAV + 2 * THREADS, self->seen.samples[0]);
}

TEST_F(kperf, counts_without_samples)
{
	struct loop loop = loop_prepare();

	self->config.events[0].sav = 0;
	scope_to(self, loop.pid, VSAMP_FLAG_ON_EXEC);
	ASSERT_EQ(0, start(self));
	run_all(&loop);
	stop(_metadata, self);
	EXPECT_EQ(LOOP_INSTRUCTIONS, self->stats.count[0]);
	EXPECT_EQ(0, self->stats.produced);
}

TEST_F(kperf, statistics_follow_while_it_runs)
{
	scope_to(self, getpid(), 0);
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_LE(10000000, self->stats.count[0]);
	EXPECT_GE(10500000, self->stats.count[0]);
	EXPECT_LE(100, self->stats.samples[0]);
}

/* Beside others */

TEST_F(kperf, counts_beside_perf)
{
	unsigned long long count = 0;
	struct in_loop found;
	char buf[4096], *line;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, system("taskset -c 0 perf stat -x, -e instructions:u -o stat ./loop"));
	found = stop(_metadata, self);
	expect_loops(_metadata, &found, 1);
	ASSERT_TRUE(file_read("stat", buf, sizeof(buf)));
	line = strstr(buf, ",,instructions:u");
	ASSERT_NE(NULL, line)
	{
		TH_LOG("%s", buf);
	}
	while (line > buf && line[-1] != '\n')
		line--;
	count = strtoull(line, NULL, 10);
	EXPECT_EQ(LOOP_INSTRUCTIONS, count);
}

TEST_F(kperf, counts_beside_perf_record)
{
	struct in_loop found;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, system("taskset -c 0 perf record -q -c 100000 -e instructions:u -o data ./loop"
			    " && perf report -q -i data -n --stdio -s sym | grep -w loop >report"));
	found = stop(_metadata, self);
	expect_loops(_metadata, &found, 1);
	/* overhead, samples, [.] symbol */
	EXPECT_EQ(0, system("awk '{ exit !($2 >= 1999 && $2 <= 2001) }' report"));
}

static void expect_other_refused(struct __test_metadata *_metadata, FIXTURE_DATA(kperf) *self,
				 const struct config *config)
{
	int other = session_open();
	char owner[32];

	snprintf(owner, sizeof(owner), "process %d", getpid());
	ASSERT_LE(0, other);
	ASSERT_EQ(0, session_configure(&self->c, other, config));
	EXPECT_EQ(-EBUSY, session_command(&self->c, VSAMP_CMD_START, other));
	EXPECT_NE(NULL, strstr(self->c.text, owner))
	{
		TH_LOG("\"%s\"", self->c.text);
	}
	close(other);
}

TEST_F(kperf, intel_is_refused_beside_it)
{
	struct config intel = config_instructions(SAV);

	if (!HAVE_INTEL)
		SKIP(return, "there is no backend intel");
	intel.flags = VSAMP_FLAG_HYPERVISOR;
	ASSERT_EQ(0, start(self));
	expect_other_refused(_metadata, self, &intel);
}

TEST_F(kperf, intel_can_follow)
{
	struct config intel = config_instructions(SAV);
	int other = session_open();
	char buf[8];

	if (!HAVE_INTEL)
		SKIP(return, "there is no backend intel");
	ASSERT_EQ(0, start(self));
	stop(_metadata, self);
	intel.flags = VSAMP_FLAG_HYPERVISOR;
	ASSERT_EQ(0, session_configure(&self->c, other, &intel));
	ASSERT_TRUE(file_read("/proc/sys/kernel/nmi_watchdog", buf, sizeof(buf)));
	EXPECT_EQ(buf[0] == '1' ? -EBUSY : 0, session_command(&self->c, VSAMP_CMD_START, other));
	close(other);
}

TEST_F(kperf, takes_turns_where_counters_are_few)
{
	struct loop loop = loop_prepare();
	int i;

	/* more than there are */
	self->config.n_events = 14;
	for (i = 0; i < 14; i++) {
		self->config.events[i] = self->config.events[0];
		self->config.events[i].type = PERF_TYPE_RAW;
		self->config.events[i].config = i % 2 && HAVE_INTEL ? CONFIG_BRANCHES :
								      RAW_INSTRUCTIONS;
	}
	scope_to(self, loop.pid, VSAMP_FLAG_ON_EXEC);
	ASSERT_EQ(0, start(self));
	run_all(&loop);
	stop(_metadata, self);
	for (i = 0; i < 14; i++) {
		double all = i % 2 && HAVE_INTEL ? LOOP_BRANCHES : LOOP_INSTRUCTIONS;
		double n = self->stats.count[i];

		EXPECT_GT(all * 0.99, n);
		EXPECT_LT(self->stats.cpu[0].running[i], self->stats.cpu[0].enabled[i]);
		n = n * self->stats.cpu[0].enabled[i] / self->stats.cpu[0].running[i];
		EXPECT_LT(all * 0.98, n);
		EXPECT_GT(all * 1.02, n);
	}
}

/* Interrupts and tasks, not only NMIs */

TEST_F(kperf, samples_by_time)
{
	self->config.n_events = 2;
	self->config.events[1].type = PERF_TYPE_SOFTWARE;
	self->config.events[1].config = PERF_COUNT_SW_CPU_CLOCK;
	self->config.events[1].sav = 1000000;
	self->config.events[1].perf = true;
	self->config.events[1].flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL;
	self->config.events[0].sav = 10000;
	ASSERT_EQ(0, start(self));
	run_instructions(LOOP_INSTRUCTIONS);
	stop(_metadata, self);
	/* an instruction takes a ns */
	EXPECT_LE(199, self->stats.cpu[0].samples[1]);
	EXPECT_LE(LOOP_INSTRUCTIONS / 10000, self->stats.cpu[0].samples[0]);
}

TEST_F(kperf, samples_page_faults)
{
	const int pages = 1000;
	char *p;
	int i;

	self->config.events[0].type = PERF_TYPE_SOFTWARE;
	self->config.events[0].config = PERF_COUNT_SW_PAGE_FAULTS;
	self->config.events[0].sav = 2;
	self->config.events[0].flags |= VSAMP_EVENT_FORCE;
	scope_to(self, getpid(), 0);
	ASSERT_EQ(0, start(self));
	p = mmap(NULL, pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0, 0);
	ASSERT_NE(MAP_FAILED, p);
	madvise(p, pages * 4096, MADV_NOHUGEPAGE);
	for (i = 0; i < pages; i++)
		p[i * 4096] = 1;
	munmap(p, pages * 4096);
	stop(_metadata, self);
	EXPECT_LE(pages, self->stats.count[0]);
	EXPECT_GE(pages + 100, self->stats.count[0]);
	EXPECT_EQ(self->stats.count[0] / 2, self->stats.samples[0]);
}

/* Pauses */

TEST_F(kperf, counts_nothing_in_a_pause_of_cpus)
{
	self->config.cpus = "0";
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	run_instructions(50000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(10000000);
	stop(_metadata, self);
	EXPECT_LE(20000000, self->stats.count[0]);
	EXPECT_GE(21000000, self->stats.count[0]);
	EXPECT_EQ(self->stats.count[0] / SAV, self->seen.samples[0]);
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_PAUSE]);
	EXPECT_EQ(1, self->seen.states[VSAMP_STATE_RESUME]);
}

TEST_F(kperf, counts_nothing_in_a_pause_of_processes)
{
	scope_to(self, getpid(), 0);
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_PAUSE, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_LE(10000000, self->stats.count[0]);
	EXPECT_GE(10500000, self->stats.count[0]);
	run_instructions(50000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_RESUME, self->fd));
	run_instructions(10000000);
	stop(_metadata, self);
	EXPECT_LE(20000000, self->stats.count[0]);
	EXPECT_GE(21000000, self->stats.count[0]);
	EXPECT_LE(199, self->seen.samples[0]);
	EXPECT_GE(211, self->seen.samples[0]);
}

/* Throttling */

static void set_max_rate(const char *rate)
{
	int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_WRONLY);

	if (fd < 0 || write(fd, rate, strlen(rate)) != (ssize_t)strlen(rate))
		abort();
	close(fd);
}

TEST_F(kperf, tells_where_perf_throttles)
{
	self->config.cpus = "0";
	self->config.events[0].sav = 10000;
	set_max_rate("5000");
	ASSERT_EQ(0, start(self));
	run_instructions(LOOP_INSTRUCTIONS);
	stop(_metadata, self);
	set_max_rate("100000");
	/* 20 in each tick of 4 ms, of 400 */
	EXPECT_LE(48, self->stats.throttled);
	EXPECT_GE(60, self->stats.throttled);
	EXPECT_EQ(self->stats.throttled, self->seen.types[VSAMP_RECORD_THROTTLE]);
	EXPECT_LE(self->stats.throttled - 1, self->seen.types[VSAMP_RECORD_UNTHROTTLE]);
	EXPECT_LE(48 * 20, self->stats.samples[0]);
	EXPECT_GE(60 * 21, self->stats.samples[0]);
}

TEST_F(kperf, tells_of_no_throttling_without_it)
{
	self->config.cpus = "0";
	ASSERT_EQ(0, start(self));
	run_instructions(LOOP_INSTRUCTIONS);
	stop(_metadata, self);
	EXPECT_EQ(0, self->stats.throttled);
	EXPECT_EQ(0, self->seen.types[VSAMP_RECORD_THROTTLE]);
}

/* Loss */

TEST_F(kperf, counts_what_finds_no_room)
{
	uint64_t written;

	self->config.cpus = "0";
	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	self->config.events[0].sav = 20000;
	ASSERT_EQ(0, start(self));
	run_instructions(100000000);
	stop(_metadata, self);
	EXPECT_LE(4000, self->stats.lost);
	EXPECT_LE(5000, self->stats.samples[0]);
	written = self->stats.samples[0] - self->stats.lost;
	EXPECT_EQ(written, self->seen.samples[0]);
}

TEST_HARNESS_MAIN
