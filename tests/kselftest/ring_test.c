// SPDX-License-Identifier: MIT
/* The mapped rings: what may be mapped and how, and that nothing in them is trusted or lost unsaid */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "session.h"

#include "harness.h"

#define PAGE 4096

FIXTURE(ring)
{
	struct client c;
	struct config config;
	int fd;
};

FIXTURE_SETUP(ring)
{
	pin(0);
	ASSERT_EQ(0, client_open(&self->c));
	self->fd = session_open();
	ASSERT_LE(0, self->fd);
	self->config = config_instructions(10000);
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
	self->config.ring_size = 1 << 16;
	/* what is held back would not be lost, but miss */
	self->config.pmi_limit = 100000;
}

FIXTURE_TEARDOWN(ring)
{
	close(self->fd);
	client_close(&self->c);
}

static int start(FIXTURE_DATA(ring) *self)
{
	return session_configure(&self->c, self->fd, &self->config) ?:
		       session_command(&self->c, VSAMP_CMD_START, self->fd);
}

/* 0 if the mapping is there (and taken away again), else the negative errno value */
static int try_map(int fd, size_t size, int prot, int flags, uint64_t offset)
{
	void *p = mmap(NULL, size, prot, flags, fd, offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

TEST_F(ring, maps_as_the_header_says)
{
	size_t size = self->config.ring_size;

	ASSERT_EQ(0, start(self));
	EXPECT_EQ(0,
		  try_map(self->fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, VSAMP_MMAP_CTRL(0)));
	EXPECT_EQ(0, try_map(self->fd, PAGE, PROT_READ, MAP_SHARED, VSAMP_MMAP_CTRL(1)));
	EXPECT_EQ(0, try_map(self->fd, 2 * size, PROT_READ, MAP_SHARED, VSAMP_MMAP_DATA(0)));
	EXPECT_EQ(0, try_map(self->fd, 2 * size, PROT_READ, MAP_SHARED, VSAMP_MMAP_DATA(1)));
}

TEST_F(ring, data_cannot_be_mapped_for_writing)
{
	size_t size = self->config.ring_size;
	void *p;

	ASSERT_EQ(0, start(self));
	EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_READ | PROT_WRITE, MAP_SHARED,
			     VSAMP_MMAP_DATA(0)));
	EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_WRITE, MAP_SHARED, VSAMP_MMAP_DATA(0)));
	/* nor made writable later, nor executable */
	p = mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, self->fd, VSAMP_MMAP_DATA(0));
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(-1, mprotect(p, 2 * size, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
}

TEST_F(ring, data_cannot_be_written_by_the_back_door)
{
	size_t size = self->config.ring_size;
	struct iovec local = { "x", 1 }, remote;
	void *p;
	int mem;

	ASSERT_EQ(0, start(self));
	p = mmap(NULL, 2 * size, PROT_READ, MAP_SHARED, self->fd, VSAMP_MMAP_DATA(0));
	ASSERT_NE(MAP_FAILED, p);
	remote = (struct iovec){ p, 1 };
	EXPECT_EQ(-1, process_vm_writev(getpid(), &local, 1, &remote, 1, 0));
	mem = open("/proc/self/mem", O_RDWR);
	ASSERT_LE(0, mem);
	EXPECT_EQ(-1, pwrite(mem, "x", 1, (uintptr_t)p));
}

TEST_F(ring, only_shared_mappings_exist)
{
	size_t size = self->config.ring_size;

	ASSERT_EQ(0, start(self));
	EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_READ, MAP_PRIVATE, VSAMP_MMAP_DATA(0)));
	EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE,
			     VSAMP_MMAP_DATA(0)));
	EXPECT_GT(0,
		  try_map(self->fd, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, VSAMP_MMAP_CTRL(0)));
}

TEST_F(ring, wrong_sizes_and_places_are_refused)
{
	size_t size = self->config.ring_size;
	static const uint64_t wrong_place[] = { PAGE,
						VSAMP_MMAP_DATA(0) + PAGE,
						VSAMP_MMAP_DATA(0) - PAGE,
						VSAMP_MMAP_CTRL(0) + (1ULL << 30),
						VSAMP_MMAP_CTRL(2),
						VSAMP_MMAP_CTRL(4096),
						VSAMP_MMAP_CTRL(1U << 20),
						VSAMP_MMAP_DATA(4096),
						VSAMP_MMAP_DATA((1U << 30) - 1) };
	const size_t wrong_size[] = { PAGE, size, 2 * size - PAGE, 2 * size + PAGE, 4 * size };
	unsigned int i;

	ASSERT_EQ(0, start(self));
	for (i = 0; i < ARRAY_SIZE(wrong_size); i++) {
		EXPECT_GT(0, try_map(self->fd, wrong_size[i], PROT_READ, MAP_SHARED,
				     VSAMP_MMAP_DATA(0)))
		{
			TH_LOG("size %zu", wrong_size[i]);
		}
	}
	EXPECT_GT(0, try_map(self->fd, 2 * PAGE, PROT_READ, MAP_SHARED, VSAMP_MMAP_CTRL(0)));
	EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_READ, MAP_SHARED, VSAMP_MMAP_CTRL(0)));
	for (i = 0; i < ARRAY_SIZE(wrong_place); i++) {
		EXPECT_GT(0, try_map(self->fd, PAGE, PROT_READ, MAP_SHARED, wrong_place[i]));
		EXPECT_GT(0, try_map(self->fd, 2 * size, PROT_READ, MAP_SHARED, wrong_place[i]))
		{
			TH_LOG("place %llx", (unsigned long long)wrong_place[i]);
		}
	}
}

TEST_F(ring, there_is_none_before_the_start)
{
	ASSERT_EQ(0, session_configure(&self->c, self->fd, &self->config));
	EXPECT_GT(0,
		  try_map(self->fd, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, VSAMP_MMAP_CTRL(0)));
}

TEST_F(ring, mappings_do_not_grow)
{
	void *p;

	ASSERT_EQ(0, start(self));
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, VSAMP_MMAP_CTRL(0));
	ASSERT_NE(MAP_FAILED, p);
	EXPECT_EQ(MAP_FAILED, mremap(p, PAGE, 2 * PAGE, MREMAP_MAYMOVE));
}

TEST_F(ring, mappings_are_not_inherited)
{
	struct ring ring;
	int status, i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	for (i = 0; i < 2; i++) {
		pid_t child = fork();

		if (!child) {
			signal(SIGSEGV, SIG_DFL);
			_exit(*(volatile uint8_t *)(i ? (const uint8_t *)ring.page : ring.data));
		}
		waitpid(child, &status, 0);
		EXPECT_TRUE(WIFSIGNALED(status));
		EXPECT_EQ(SIGSEGV, WTERMSIG(status));
	}
}

TEST_F(ring, mappings_outlive_the_descriptor)
{
	struct ring ring;
	struct seen seen = {};

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	close(self->fd);
	/* the mapping holds the session: it goes on */
	run_instructions(10000000);
	ring_read(&ring, &seen);
	EXPECT_LE(990, seen.samples[0]);
	ring_unmap(&ring);
	/* and was the last that did */
	self->fd = session_open();
	EXPECT_EQ(0, start(self));
}

TEST_F(ring, the_data_appear_twice_in_a_row)
{
	struct ring ring;

	ASSERT_EQ(0, start(self));
	run_instructions(20000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	EXPECT_LE(ring.size / 2, ring.page->head);
	EXPECT_EQ(0, memcmp(ring.data, ring.data + ring.size, ring.size));
}

/* What stats say, and what a reader saw, must agree */
static void reconcile(struct __test_metadata *_metadata, FIXTURE_DATA(ring) *self,
		      struct seen *seen)
{
	struct stats stats;

	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(stats.written, seen->records);
	EXPECT_EQ(stats.lost, seen->lost);
	EXPECT_EQ(0, seen->malformed);
	EXPECT_EQ(0, seen->backwards);
}

TEST_F(ring, with_room_nothing_is_lost)
{
	struct seen seen = {};
	struct stats stats;

	self->config.ring_size = 1 << 20;
	ASSERT_EQ(0, start(self));
	run_instructions(100000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_LE(10000, seen.samples[0]);
	EXPECT_GE(10010, seen.samples[0]);
	EXPECT_EQ(0, seen.lost);
	reconcile(_metadata, self, &seen);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(stats.samples[0], seen.samples[0]);
	EXPECT_EQ(stats.pmis, stats.samples[0]);
	/* every sample stands for 10 000 instructions */
	EXPECT_EQ(seen.samples[0], stats.count[0] / 10000);
}

TEST_F(ring, a_slow_reader_is_told_exactly_what_it_lost)
{
	struct seen seen = {};
	struct stats stats;
	struct ring ring;
	uint64_t fits;

	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	/* three times more samples than fit, then room, then some more */
	fits = ring.size / sizeof(struct vsamp_record_sample);
	run_instructions(3 * fits * 10000);
	ring_read(&ring, &seen);
	EXPECT_GE(fits, seen.samples[0]);
	EXPECT_LE(fits - 20, seen.samples[0]);
	EXPECT_EQ(0, seen.lost);
	run_instructions(10 * 10000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ring_read(&ring, &seen);
	EXPECT_EQ(1, seen.types[VSAMP_RECORD_LOST]);
	/* samples seen and lost together are those of the instructions run */
	EXPECT_LE(3 * fits + 10, seen.samples[0] + seen.lost);
	EXPECT_GE(3 * fits + 20, seen.samples[0] + seen.lost);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(stats.cpu[0].samples[0], seen.samples[0] + seen.lost);
	EXPECT_EQ(stats.cpu[0].lost, seen.lost);
	EXPECT_EQ(stats.cpu[0].written, seen.records);
	ring_unmap(&ring);
}

TEST_F(ring, loss_until_the_end_is_told_by_the_statistics)
{
	struct seen seen = {};
	struct stats stats;

	self->config.ring_size = VSAMP_RING_SIZE_MIN;
	ASSERT_EQ(0, start(self));
	run_instructions(20000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_EQ(stats.written, seen.records);
	EXPECT_LE(2000, stats.samples[0]);
	EXPECT_LE(1400, stats.lost);
}

struct scribbler {
	struct vsamp_ring_page *page;
	unsigned int seed;
	bool stop;
};

static void *scribble(void *arg)
{
	struct scribbler *s = arg;
	uint64_t *words = (uint64_t *)s->page;
	unsigned int i;

	pin(1);
	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		for (i = 0; i < PAGE / 8; i++)
			((volatile uint64_t *)words)[i] = (uint64_t)rand_r(&s->seed) << 40 ^
							  (uint64_t)rand_r(&s->seed) << 16 ^
							  rand_r(&s->seed);
	}
	return NULL;
}

TEST_F(ring, garbage_in_the_control_page_harms_nobody_else)
{
	struct scribbler s = { .seed = 1 };
	struct seen seen = {};
	struct stats stats;
	struct ring ring;
	pthread_t thread;
	int fd;

	self->config.events[0].sav = 2000;
	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	s.page = ring.page;
	ASSERT_EQ(0, pthread_create(&thread, NULL, scribble, &s));
	run_instructions(50000000);
	__atomic_store_n(&s.stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &stats));
	/* the kernel's own account still holds: no sample goes missing unsaid */
	EXPECT_EQ(stats.produced, stats.written + stats.lost);
	EXPECT_LE(25000, stats.samples[0]);
	EXPECT_LE(stats.samples[0], stats.produced);
	ring_unmap(&ring);
	/* and the next session is as good as any */
	fd = self->fd;
	self->fd = session_open();
	close(fd);
	self->config.events[0].sav = 100000;
	ASSERT_EQ(0, start(self));
	run_instructions(10000000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	session_read(self->fd, &seen);
	EXPECT_LE(100, seen.samples[0]);
	EXPECT_GE(103, seen.samples[0]);
	reconcile(_metadata, self, &seen);
}

TEST_F(ring, a_tail_beyond_the_head_is_no_room)
{
	static const int64_t wrong[] = { 8, 1 << 20, -8, -(1 << 20), 1LL << 62, -1 };
	struct seen seen = {};
	struct stats before, after;
	struct ring ring;
	unsigned int i;

	ASSERT_EQ(0, start(self));
	ASSERT_EQ(0, ring_map(self->fd, 0, &ring));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
	ring_read(&ring, &seen);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		uint64_t tail = ring.page->tail, head;

		ASSERT_EQ(0, session_stats(&self->c, self->fd, &before));
		head = __atomic_load_n(&ring.page->head, __ATOMIC_ACQUIRE);
		__atomic_store_n(&ring.page->tail, head + wrong[i] - (wrong[i] < 0 ? ring.size : 0),
				 __ATOMIC_SEQ_CST);
		/* 20 samples, and those of the calls around the loop, one of which may come before */
		run_instructions(200000);
		ASSERT_EQ(0, session_stats(&self->c, self->fd, &after));
		EXPECT_GE(before.cpu[0].written + 1, after.cpu[0].written)
		{
			TH_LOG("tail = head %+lld", (long long)wrong[i]);
		}
		EXPECT_LE(before.cpu[0].lost + 20, after.cpu[0].lost);
		__atomic_store_n(&ring.page->tail, tail, __ATOMIC_SEQ_CST);
	}
	run_instructions(200000);
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ring_read(&ring, &seen);
	ring_unmap(&ring);
	EXPECT_LE(1, seen.types[VSAMP_RECORD_LOST]);
}

static void set_ring_mb_max(const char *value)
{
	int fd = open("/sys/module/vsamp/parameters/ring_mb_max", O_WRONLY);

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		abort();
	close(fd);
}

TEST_F(ring, memory_of_all_rings_is_bounded)
{
	int ret;

	self->config.ring_size = 1 << 20;
	set_ring_mb_max("1");
	ret = start(self);
	set_ring_mb_max("0");
	EXPECT_EQ(-ENOMEM, ret);
	EXPECT_NE(NULL, strstr(self->c.text, "ring_mb_max"));
	/* what was refused has taken nothing */
	EXPECT_EQ(0, session_command(&self->c, VSAMP_CMD_START, self->fd));
}

TEST_HARNESS_MAIN
