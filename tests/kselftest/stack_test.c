// SPDX-License-Identifier: MIT
/*
 * Stacks of user mode: exactly the callers there are, as many as asked for, and whatever the frame
 * pointers say, nothing but. Of both backends, as far as they are to be had.
 */
#include <sys/mman.h>

#include "chain.h"
#include "samples.h"

#include "harness.h"

#define SAV  50000
#define PAGE 4096

FIXTURE(stack)
{
	struct client c;
	struct config config;
	struct stats stats;
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
	self->config = samples_config(variant->backend, SAV, VSAMP_EVENT_USER);
	self->config.pids[0] = getpid();
	self->config.n_pids = 1;
}

FIXTURE_TEARDOWN(stack)
{
	close(self->fd);
	client_close(&self->c);
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

/* Stop, and begin with the samples; all that were made must be there */
static void stop(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self)
{
	ASSERT_EQ(0, session_command(&self->c, VSAMP_CMD_STOP, self->fd));
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.lost);
	EXPECT_EQ(self->stats.produced, self->stats.written);
	ASSERT_TRUE(samples_begin(&self->s, self->fd, 0));
}

static void end(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self)
{
	EXPECT_EQ(0, self->s.wrong);
	samples_end(&self->s);
}

/* Whether the stack is exactly this one, of the user's alone */
static bool is_user_stack(const struct samples *s, const uint64_t *frames, int n, uint32_t flags)
{
	return s->stack && !s->stack->kernel && s->stack->flags == flags && s->stack->user == n &&
	       !memcmp(s->stack->ip, frames, n * 8);
}

static void log_stack(struct __test_metadata *_metadata, const struct samples *s)
{
	int i;

	TH_LOG("ip %llx flags %x, %d kernel, %d user, cut %x", s->sample->ip, s->sample->h.flags,
	       s->stack ? s->stack->kernel : -1, s->stack ? s->stack->user : -1,
	       s->stack ? s->stack->flags : 0);
	for (i = 0; s->stack && i < s->stack->kernel + s->stack->user && i < 12; i++)
		TH_LOG("    %llx", s->stack->ip[i]);
}

/* All samples between the labels have this stack, and there are about @about of them */
static void expect_stacks(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self,
			  const char *begin, const char *end_at, int about, const uint64_t *frames,
			  int n, uint32_t flags)
{
	int found = 0, other = 0;

	stop(_metadata, self);
	while (samples_next(&self->s)) {
		if (!samples_at(&self->s, begin, end_at))
			continue;
		found++;
		if (!is_user_stack(&self->s, frames, n, flags) && !other++)
			log_stack(_metadata, &self->s);
	}
	EXPECT_LE(about - about / 20 - 2, found);
	EXPECT_GE(about + 2, found);
	EXPECT_EQ(0, other);
	end(_metadata, self);
}

#define expect_chain(n, flags)                                                                  \
	expect_stacks(_metadata, self, chain_loop_begin, chain_loop_end, 400, chain_returns, n, \
		      flags)

TEST_F(stack, has_all_callers)
{
	START();
	chain(200 * SAV, chain_loop);
	expect_chain(CHAIN, 0);
}

TEST_F(stack, ends_at_the_depth)
{
	self->config.stack_depth = 3;
	START();
	chain(200 * SAV, chain_loop);
	expect_chain(3, VSAMP_STACK_USER_CUT);
}

TEST_F(stack, is_not_cut_where_the_depth_suffices)
{
	self->config.stack_depth = CHAIN;
	START();
	chain(200 * SAV, chain_loop);
	expect_chain(CHAIN, 0);
}

TEST_F(stack, of_depth_1)
{
	self->config.stack_depth = 1;
	START();
	chain(200 * SAV, chain_loop);
	expect_chain(1, VSAMP_STACK_USER_CUT);
}

TEST_F(stack, of_the_kernel_alone_leaves_the_user_out)
{
	self->config.stacks = VSAMP_STACKS_KERNEL;
	START();
	chain(200 * SAV, chain_loop);
	expect_chain(0, 0);
}

TEST_F(stack, has_no_more_than_127_frames)
{
	uint64_t frames[VSAMP_STACK_DEPTH_MAX];
	int i;

	for (i = 0; i < VSAMP_STACK_DEPTH_MAX; i++)
		frames[i] = (uintptr_t)chain_deep_return;
	self->config.ring_size = 1 << 22;
	START();
	chain_deep(200 * SAV, 200);
	expect_stacks(_metadata, self, chain_deep_begin, chain_deep_end, 400, frames,
		      VSAMP_STACK_DEPTH_MAX, VSAMP_STACK_USER_CUT);
}

TEST_F(stack, is_none_unless_asked_for)
{
	int found = 0;

	self->config.stacks = 0;
	START();
	chain(200 * SAV, chain_loop);
	stop(_metadata, self);
	for (; samples_next(&self->s); found++)
		EXPECT_EQ(NULL, self->s.stack);
	EXPECT_LE(400, found);
	end(_metadata, self);
}

TEST_F(stack, changes_no_count)
{
	START();
	run_instructions(100000000);
	stop(_metadata, self);
	/* as in a session without */
	EXPECT_LE(2000, self->stats.samples[0]);
	EXPECT_GE(2010, self->stats.samples[0]);
	EXPECT_EQ(self->stats.count[0] / SAV, self->stats.samples[0]);
	end(_metadata, self);
}

/*
 * Beyond 400 PMIs in 4 ms, or 2 ms of them, the CPU is held back. With 8 frames there are 320; with
 * 127 they would take more than half of the time.
 */
TEST_F(stack, of_many_frames_counts_for_more)
{
	const uint64_t ticks = 25; /* so long takes the loop by itself */

	if (self->config.backend == VSAMP_BACKEND_KPERF)
		SKIP(return, "perf has a limit of its own");
	self->config.pmi_limit = 0;
	self->config.ring_size = 1 << 24;
	self->config.events[0].sav = 12500;
	START();
	chain(ticks * 2000000, chain_loop);
	ASSERT_EQ(0, session_stats(&self->c, self->fd, &self->stats));
	EXPECT_EQ(0, self->stats.throttled);
	chain_deep(ticks * 2000000, 200);
	stop(_metadata, self);
	EXPECT_LE(ticks, self->stats.throttled);
	end(_metadata, self);
}

/* Whatever the limit */
TEST_F(stack, of_many_frames_take_half_of_the_time_at_most)
{
	if (self->config.backend == VSAMP_BACKEND_KPERF)
		SKIP(return, "perf has a limit of its own");
	self->config.pmi_limit = 100000;
	self->config.ring_size = 1 << 24;
	self->config.events[0].sav = 1000;
	START();
	chain_deep(5000000, 200);
	stop(_metadata, self);
	EXPECT_LE(1, self->stats.throttled);
	end(_metadata, self);
}

/*
 * Frame pointers that are wrong: on a stack of three pages, of which the second one was never
 * touched, and behind which is nothing
 */
#define RETURN 0x1234567

static uint64_t *broken_stack(void)
{
	uint8_t *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0,
			  0);

	if (p == MAP_FAILED || munmap(p + 3 * PAGE, PAGE) || madvise(p, 3 * PAGE, MADV_NOHUGEPAGE))
		abort();
	*p = 0;
	p[2 * PAGE] = 0;
	return (void *)p;
}

static void expect_broken(struct __test_metadata *_metadata, FIXTURE_DATA(stack) *self, uint64_t *p,
			  uint64_t fp, int frames, uint32_t flags)
{
	static const uint64_t expected[] = { RETURN, RETURN + 1 };

	ASSERT_EQ(0, start(self));
	chain_on(50 * SAV, fp, (uintptr_t)&p[16]);
	expect_stacks(_metadata, self, chain_on_begin, chain_on_end, 100, expected, frames, flags);
}

static void put_frame(uint64_t *at, uint64_t fp, int i)
{
	at[0] = fp;
	at[1] = RETURN + i;
}

#define BROKEN_TEST(name, fp, frames, flags, prepare)                          \
	TEST_F(stack, name)                                                    \
	{                                                                      \
		uint64_t *p = broken_stack();                                  \
		uint64_t at = (uintptr_t)p;                                    \
                                                                               \
		(void)at;                                                      \
		if (samples_missing(variant->backend))                         \
			SKIP(return, "%s", samples_missing(variant->backend)); \
		prepare;                                                       \
		expect_broken(_metadata, self, p, fp, frames, flags);          \
	}

#define CUT VSAMP_STACK_USER_CUT
BROKEN_TEST(without_frames_is_whole, 0, 0, 0, )
BROKEN_TEST(of_two_frames_is_whole, at + 160, 2, 0,
	    (put_frame(p + 20, at + 240, 0), put_frame(p + 30, 0, 1)))
BROKEN_TEST(of_frames_side_by_side_is_whole, at + 160, 2, 0,
	    (put_frame(p + 20, at + 176, 0), put_frame(p + 22, 0, 1)))
BROKEN_TEST(is_cut_at_frames_that_overlap, at + 160, 1, CUT,
	    (put_frame(p + 20, at + 168, 0), p[22] = 5))
BROKEN_TEST(is_cut_at_a_frame_that_points_to_itself, at + 160, 1, CUT,
	    put_frame(p + 20, at + 160, 0))
BROKEN_TEST(is_cut_at_a_frame_below_the_last, at + 240, 1, CUT,
	    (put_frame(p + 30, at + 160, 0), put_frame(p + 20, 0, 1)))
BROKEN_TEST(is_cut_at_a_frame_below_the_stack, at + 8, 0, CUT, put_frame(p + 1, 0, 0))
BROKEN_TEST(is_cut_at_a_frame_between_words, at + 164, 0, CUT,
	    (put_frame(p + 20, 0, 0), put_frame(p + 21, 0, 0)))
BROKEN_TEST(is_cut_at_the_kernel, 0xffff800000000000, 0, CUT, )
BROKEN_TEST(is_cut_at_the_last_word, -8ULL, 0, CUT, )
BROKEN_TEST(is_cut_between_user_and_kernel, 1ULL << 63, 0, CUT, )
BROKEN_TEST(is_cut_where_nothing_is_mapped, at + 160, 1, CUT,
	    put_frame(p + 20, at + 3 * PAGE + 64, 0))
BROKEN_TEST(is_cut_across_the_end_of_the_stack, at + 160, 1, CUT,
	    put_frame(p + 20, at + 3 * PAGE - 8, 0))
BROKEN_TEST(is_cut_at_a_return_to_the_kernel, at + 160, 0, CUT,
	    (p[20] = 0, p[21] = 0xffffffff81000000))
BROKEN_TEST(is_cut_at_a_return_to_nowhere, at + 160, 1, CUT,
	    (put_frame(p + 20, at + 240, 0), p[30] = at + 320, p[31] = 0))

TEST_F(stack, fetches_no_page)
{
	uint64_t *p = broken_stack();
	unsigned char present[3];

	if (samples_missing(variant->backend))
		SKIP(return, "%s", samples_missing(variant->backend));
	put_frame(p + 20, (uintptr_t)p + PAGE + 64, 0);
	expect_broken(_metadata, self, p, (uintptr_t)(p + 20), 1, CUT);
	ASSERT_EQ(0, mincore(p, 3 * PAGE, present));
	EXPECT_EQ(1, present[0] & 1);
	EXPECT_EQ(0, present[1] & 1);
	/* and when it is there, it is read */
	put_frame(p + 20 + PAGE / 8, 0, 1);
	put_frame(p + 20, (uintptr_t)(p + 20 + PAGE / 8), 0);
	close(self->fd);
	self->fd = session_open();
	expect_broken(_metadata, self, p, (uintptr_t)(p + 20), 2, 0);
}

/* As the event is of user mode only: what is seen in the kernel has the user's callers */
TEST_F(stack, of_a_sample_that_skids)
{
	int found = 0, other = 0;

	self->config.events[0].sav = 1001;
	self->config.ring_size = 1 << 22;
	START();
	chain(CHAIN_SYSCALLS, chain_getpid);
	stop(_metadata, self);
	while (samples_next(&self->s)) {
		if (!(self->s.sample->h.flags & VSAMP_SAMPLE_SKID) ||
		    self->s.sample->ip != (uintptr_t)chain_after_syscall)
			continue;
		found++;
		if (!is_user_stack(&self->s, chain_returns, CHAIN, 0) && !other++)
			log_stack(_metadata, &self->s);
	}
	if (self->config.backend == VSAMP_BACKEND_INTEL)
		EXPECT_LE(50, found);
	EXPECT_EQ(0, other);
	end(_metadata, self);
}

#ifdef __x86_64__
TEST_F(stack, of_32_bit_code)
{
	uint8_t *low = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, 0, 0);
	const char *code = (char *)low;
	uint64_t frames[2];

	ASSERT_NE(MAP_FAILED, low);
	memcpy(low, chain32_code, CHAIN32_AT(chain32_code_end));
	frames[0] = (uintptr_t)code + CHAIN32_AT(chain32_return_1);
	frames[1] = (uintptr_t)code + CHAIN32_AT(chain32_return_0);
	START();
	chain32(200 * SAV, (uintptr_t)low, (uintptr_t)low + 2 * PAGE,
		(uintptr_t)low + CHAIN32_AT(chain32_back));
	expect_stacks(_metadata, self, code + CHAIN32_AT(chain32_begin),
		      code + CHAIN32_AT(chain32_end), 400, frames, 2, 0);
}
#endif

/* Refusals */

TEST_F(stack, depth_needs_stacks)
{
	self->config.stacks = 0;
	self->config.stack_depth = 8;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &self->config), VSAMP_A_STACK_DEPTH);
	EXPECT_NE(NULL, strstr(self->c.text, "STACKS"));
}

TEST_F(stack, depth_has_bounds)
{
	self->config.stack_depth = VSAMP_STACK_DEPTH_MAX + 1;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &self->config), VSAMP_A_STACK_DEPTH);
	self->config.stack_depth = VSAMP_STACK_DEPTH_MAX;
	START();
}

TEST_F(stack, of_others_are_not_known)
{
	self->config.stacks = 4;
	EXPECT_REFUSED(session_configure(&self->c, self->fd, &self->config), VSAMP_A_STACKS);
}

TEST_HARNESS_MAIN
