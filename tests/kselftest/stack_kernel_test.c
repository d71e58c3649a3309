// SPDX-License-Identifier: MIT
/*
 * Stacks of samples in the kernel: its own callers up to where the user came in, then the user's; and
 * what becomes of the rings' account if samples are large, many, and cut one another
 */
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "chain.h"
#include "samples.h"

#include "harness.h"

/* Where a system call enters the kernel */
#ifdef __x86_64__
#define SYSCALL_ENTRY "entry_SYSCALL_64"
#else
#define SYSCALL_ENTRY "el0t_64_sync"
#endif

FIXTURE(stack)
{
	struct client c;
	struct config config;
	struct stats stats;
	struct seen seen;
	struct samples s;
	int fd;
};

FIXTURE_VARIANT(stack)
{
	uint32_t backend;
};

FIXTURE_VARIANT_ADD(stack, intel){
	.backend = VSAMP_BACKEND_INTEL,
};

FIXTURE_VARIANT_ADD(stack, kperf){
	.backend = VSAMP_BACKEND_KPERF,
};

FIXTURE_SETUP(stack)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = samples_config(variant->backend, 20000, VSAMP_EVENT_KERNEL);
	self->config.ring_size = 1 << 22;
}

FIXTURE_TEARDOWN(stack)
{
	close(self->fd);
	client_close(&self->c);
}

static void only_this_process(FIXTURE_DATA(stack) *self)
{
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
}

static int start(FIXTURE_DATA(stack) *self)
{
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

#define START()                                                                \
	do {                                                                   \
		if (samples_missing(variant->backend))                         \
			SKIP(return, "%s", samples_missing(variant->backend)); \
		ASSERT_EQ(0, start(self));                                     \
	} while (0)

static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self)
{
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(self->stats.produced, self->stats.written + self->stats.lost);
}

/* The kernel's symbols */

struct symbol {
	uint64_t address;
	char name[48];
};

static struct symbol *symbols;
static int symbol_count;

static void symbols_read(void)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	struct symbol *s;
	char line[512];

	symbols = malloc(300000 * sizeof(*symbols));
	if (!f || !symbols)
		abort();
	while (fgets(line, sizeof(line), f) && symbol_count < 300000) {
		s = &symbols[symbol_count];
		if (sscanf(line, "%lx %*[tTwW] %47s", &s->address, s->name) == 2)
			symbol_count++;
	}
	fclose(f);
}

/* Of the code that comes before this return address */
static const char *symbol_find(uint64_t ip)
{
	const struct symbol *best = NULL;
	int i;

	if (!symbols)
		symbols_read();
	for (i = 0; i < symbol_count; i++)
		if (symbols[i].address < ip && (!best || symbols[i].address > best->address))
			best = &symbols[i];
	return best ? best->name : "";
}

/* It mostly is the same ip */
static bool is_in(uint64_t ip, const char *name)
{
	static const char *last_name;
	static uint64_t last_ip;

	if (ip != last_ip) {
		last_name = symbol_find(ip);
		last_ip = ip;
	}
	return !strncmp(last_name, name, strlen(name));
}

static bool comes_from_syscall(const struct vsamp_stack *stack)
{
	return stack->kernel && is_in(stack->ip[stack->kernel - 1], SYSCALL_ENTRY);
}

static void log_stack(struct __test_metadata *_metadata, const struct samples *s)
{
	int i;

	TH_LOG("ip %llx %s tid %d flags %x, %d kernel, %d user, cut %x", s->sample->ip,
	       symbol_find(s->sample->ip), s->sample->tid, s->sample->h.flags, s->stack->kernel,
	       s->stack->user, s->stack->flags);
	for (i = 0; i < s->stack->kernel + s->stack->user && i < 40; i++)
		TH_LOG("    %llx %s", s->stack->ip[i],
		       i < s->stack->kernel ? symbol_find(s->stack->ip[i]) : "");
}

/* Where the user goes on, and who called it */
static bool is_user_chain(const struct samples *s)
{
	const uint64_t *user = samples_user(s);

	return s->stack->user == CHAIN + 1 && user[0] == (uintptr_t)chain_after_syscall &&
	       !memcmp(user + 1, chain_returns, sizeof(chain_returns));
}

TEST_F(stack, of_a_system_call)
{
	int found = 0, with_callers = 0, good = 0, other = 0;

	only_this_process(self);
	START();
	chain(CHAIN_SYSCALLS, chain_getpid);
	stop(_metadata, self);
	EXPECT_EQ(0, self->stats.lost);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
	while (samples_next(&self->s)) {
		const struct vsamp_stack *stack = self->s.stack;

		ASSERT_NE(NULL, stack);
		/* the last instruction of the kernel's interrupts behind it */
		if (self->s.sample->h.flags & VSAMP_SAMPLE_USER || !stack->user ||
		    *samples_user(&self->s) != (uintptr_t)chain_after_syscall)
			continue; /* of the session's own calls */
		found++;
		with_callers += stack->kernel > 0;
		if (!is_user_chain(&self->s) || stack->flags & VSAMP_STACK_USER_CUT) {
			if (!other++)
				log_stack(_metadata, &self->s);
		} else if (comes_from_syscall(stack) && !stack->flags) {
			good++;
		}
	}
	EXPECT_LE(300, found);
	EXPECT_EQ(0, other);
	/* but for the entry itself, and interrupts of the user */
	EXPECT_LE(found / 2, with_callers);
	EXPECT_LE(with_callers * 95 / 100, good);
	EXPECT_EQ(0, self->s.wrong);
	samples_end(&self->s);
}

TEST_F(stack, of_the_kernel_ends_at_the_depth)
{
	int found = 0, cut = 0;

	only_this_process(self);
	self->config.stack_depth = 1;
	START();
	chain(CHAIN_SYSCALLS, chain_getpid);
	stop(_metadata, self);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
	while (samples_next(&self->s)) {
		found++;
		EXPECT_GE(1, self->s.stack->kernel);
		EXPECT_GE(1, self->s.stack->user);
		if (self->s.stack->flags & VSAMP_STACK_KERNEL_CUT)
			cut++;
		else if (self->s.stack->kernel && self->s.stack->user)
			EXPECT_TRUE(comes_from_syscall(self->s.stack) ||
				    self->s.stack->flags & VSAMP_STACK_USER_CUT);
	}
	EXPECT_LE(300, found);
	EXPECT_LE(found / 4, cut);
	EXPECT_EQ(0, self->s.wrong);
	samples_end(&self->s);
}

TEST_F(stack, of_the_user_alone_begins_where_the_user_goes_on)
{
	int found = 0;

	only_this_process(self);
	self->config.stacks = VSAMP_STACKS_USER;
	START();
	chain(CHAIN_SYSCALLS, chain_getpid);
	stop(_metadata, self);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
	while (samples_next(&self->s)) {
		EXPECT_EQ(0, self->s.stack->kernel);
		EXPECT_EQ(0, self->s.stack->flags & VSAMP_STACK_KERNEL_CUT);
		found += is_user_chain(&self->s);
	}
	EXPECT_LE(300, found);
	samples_end(&self->s);
}

/* Going from CPU to CPU and back takes the kernel's own threads, and idle CPUs */
TEST_F(stack, of_kernel_threads)
{
	int i, threads = 0, with_user = 0, callers = 0;
	char path[64], stat[512];
	unsigned long flags;

	self->config.events[0].sav = 1000;
	START();
	for (i = 0; i < 300; i++) {
		pin(i % cpus_online());
		usleep(1000);
	}
	pin(0);
	stop(_metadata, self);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
	while (samples_next(&self->s)) {
		const struct vsamp_stack *stack = self->s.stack;

		flags = 0;
		snprintf(path, sizeof(path), "/proc/%d/stat", self->s.sample->tid);
		if (self->s.sample->tid && file_read(path, stat, sizeof(stat)))
			sscanf(strrchr(stat, ')'), ") %*c %*d %*d %*d %*d %*d %lu", &flags);
		if (self->s.sample->tid && !(flags & 0x200000)) /* PF_KTHREAD */
			continue;
		threads++;
		callers += stack->kernel > 0;
		if (stack->user || stack->flags & VSAMP_STACK_USER_CUT)
			with_user++;
	}
	EXPECT_LE(50, threads);
	EXPECT_LE(threads * 8 / 10, callers);
	EXPECT_EQ(0, with_user);
	samples_end(&self->s);
}

TEST_F(stack, where_perf_stops_nothing)
{
	int i, found = 0, good = 0, doubled = 0;

	if (self->config.backend == VSAMP_BACKEND_INTEL)
		SKIP(return, "events of software are perf's");
	self->config.events[0] = (struct event){
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.type = PERF_TYPE_SOFTWARE,
		.sav = 2,
		.flags = VSAMP_EVENT_KERNEL | VSAMP_EVENT_FORCE,
		.perf = true,
	};
	only_this_process(self);
	START();
	for (i = 0; i < 200; i++)
		usleep(100);
	stop(_metadata, self);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
	while (samples_next(&self->s)) {
		if (!self->s.stack->kernel)
			continue;
		found++;
		good += comes_from_syscall(self->s.stack);
		doubled += self->s.stack->ip[0] == self->s.sample->ip;
		if (found == 1 && !good)
			log_stack(_metadata, &self->s);
	}
	EXPECT_LE(95, found);
	EXPECT_LE(found - 5, good);
	EXPECT_EQ(0, doubled);
	samples_end(&self->s);
}

/* The account */

static void reconcile(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self)
{
	int cpu;

	for (cpu = 0; cpu < cpus_online(); cpu++) {
		ASSERT_TRUE(samples_begin(&self->s, self->fd, cpu));
		while (samples_next(&self->s))
			EXPECT_NE(NULL, self->s.stack);
		EXPECT_EQ(0, self->s.wrong);
		samples_end(&self->s);
	}
	session_read(self->fd, &self->seen);
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(0, self->seen.backwards);
	EXPECT_EQ(self->stats.written, self->seen.records);
}

TEST_F(stack, that_finds_no_room_is_lost_and_counted)
{
	const uint64_t size = sizeof(struct vsamp_record_sample) + sizeof(struct vsamp_stack) +
			      VSAMP_STACK_DEPTH_MAX * 8;
	struct ring ring;
	uint64_t fits;

	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	self->config.events[0].flags = VSAMP_EVENT_USER;
	only_this_process(self);
	START();
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	fits = ring.size / size;
	chain_deep(4 * fits * 10000, 200);
	ring_read(&ring, &self->seen);
	EXPECT_GE(fits + 3, self->seen.samples[0]);
	EXPECT_LE(fits - 3, self->seen.samples[0]);
	EXPECT_EQ(0, self->seen.lost);
	chain_deep(5 * 10000, 200);
	stop(_metadata, self);
	ring_read(&ring, &self->seen);
	ring_unmap(&ring);
	EXPECT_EQ(0, self->seen.malformed);
	EXPECT_EQ(1, self->seen.types[VSAMP_RECORD_LOST]);
	EXPECT_EQ(self->stats.cpu[0].samples[0], self->seen.samples[0] + self->seen.lost);
	EXPECT_EQ(self->stats.cpu[0].lost, self->seen.lost);
	EXPECT_EQ(self->stats.cpu[0].written, self->seen.records);
	EXPECT_LE(4 * fits, self->stats.cpu[0].samples[0]);
}

/* The reader is woken before anything is lost, however large the watermark */
TEST_F(stack, wakes_the_reader_in_time)
{
	struct timespec moment = { .tv_nsec = 1000000 };
	struct pollfd p = { .fd = self->fd, .events = POLLIN };
	int i;

	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	self->config.watermark = VSAMP_RING_SIZE_MIN;
	self->config.events[0].flags = VSAMP_EVENT_USER;
	only_this_process(self);
	START();
	for (i = 0; i < 40; i++) {
		chain_deep(10000, 200);
		ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
		if (self->stats.lost)
			break;
		if (ppoll(&p, 1, &moment, NULL) == 1 && p.revents & POLLIN)
			break;
	}
	EXPECT_EQ(0, self->stats.lost);
	EXPECT_EQ(POLLIN, p.revents & POLLIN);
	EXPECT_LE(8, i);
}

struct scribbler {
	uint64_t *words;
	bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	unsigned int i, seed = 1;

	pin(cpus_online() - 1);
	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED))
		for (i = 0; i < 512; i++)
			((volatile uint64_t *)s->words)[i] = (uint64_t)rand_r(&seed) << 40 ^
							     (uint64_t)rand_r(&seed) << 16;
	return NULL;
}

TEST_F(stack, is_written_whatever_the_control_page_says)
{
	struct scribbler s = {};
	struct ring ring;
	pthread_t thread;

	self->config.events[0].flags = VSAMP_EVENT_USER;
	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	START();
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	s.words = (uint64_t *)ring.page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &s));
	chain_deep(10000000, 100);
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	stop(_metadata, self);
	EXPECT_LE(990, self->stats.cpu[0].samples[0]);
	EXPECT_LE(self->stats.cpu[0].samples[0], self->stats.cpu[0].produced);
	ring_unmap(&ring);
}

/* What the kernel does, under samples of all kinds: faults, switches, system calls, exits */
static void be_busy(int cpu)
{
	pid_t child;
	char *p;
	int i;

	pin(cpu);
	chain_deep(2000000, 300);
	for (i = 0; i < 20; i++) {
		chain(CHAIN_SYSCALLS / 50, chain_getpid);
		p = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0,
			 0);
		memset(p, 1, 64 * 4096);
		munmap(p, 64 * 4096);
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
		sched_yield();
		usleep(10);
	}
}

static void all_be_busy(void)
{
	pid_t children[MAX_CPUS];
	int i, n = cpus_online();

	for (i = 0; i < n; i++) {
		children[i] = fork();
		if (!children[i]) {
			be_busy(i);
			_exit(0);
		}
	}
	for (i = 0; i < n; i++)
		waitpid(children[i], NULL, 0);
}

TEST_F(stack, holds_under_load)
{
	const int both = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL;

	self->config.events[0].flags = both;
	self->config.events[0].sav = self->config.backend == VSAMP_BACKEND_INTEL ? 1000 : 5000;
	self->config.ring_size = 1 << 20;
	START();
	all_be_busy();
	stop(_metadata, self);
	EXPECT_LE(1000, self->stats.samples[0]);
	reconcile(_metadata, self);
}

/* perf calls in NMIs, in the timer's interrupts and in tasks, one cutting the other */
TEST_F(stack, of_writers_that_cut_one_another)
{
	static const struct event events[] = {
		{ .config = PERF_COUNT_SW_CPU_CLOCK, .sav = 20000 },
		{ .config = PERF_COUNT_SW_PAGE_FAULTS, .sav = 2 },
		{ .config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sav = 2 },
	};
	int i;

	if (self->config.backend == VSAMP_BACKEND_INTEL)
		SKIP(return, "events of software are perf's");
	self->config.events[0].sav = 5000;
	self->config.events[0].flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL;
	for (i = 0; i < 3; i++) {
		self->config.events[i + 1] = events[i];
		self->config.events[i + 1].perf = true;
		self->config.events[i + 1].type = PERF_TYPE_SOFTWARE;
		self->config.events[i + 1].flags = VSAMP_EVENT_USER | VSAMP_EVENT_KERNEL |
						   VSAMP_EVENT_FORCE;
	}
	self->config.n_events = 4;
	START();
	all_be_busy();
	stop(_metadata, self);
	for (i = 0; i < 4; i++)
		EXPECT_LE(20, self->stats.samples[i]);
	reconcile(_metadata, self);
}

TEST_HARNESS_MAIN
