// SPDX-License-Identifier: MIT
/* Stacks of the perf backend on this machine's kernel: what is asked for, and no more than that */
#include "perf_bench.h"

#include <perf_stack.h>

/* Calls itself so many times, with frame pointers, and then takes CPU time; what it does is its own */
__attribute__((noinline, noclone,
	       optimize("no-omit-frame-pointer", "no-optimize-sibling-calls"))) static void
dig(unsigned int depth, uint64_t ns)
{
	struct timespec now;

	if (depth) {
		dig(depth - 1, ns);
		__asm__ volatile("");
		return;
	}
	do {
		for (volatile int i = 0; i < 100000; i++)
			;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000000000ULL + now.tv_nsec < ns);
}

/* Samples this process while it digs */
static void dig_sampled(struct bench *b, uint32_t stacks, uint32_t depth, unsigned int calls)
{
	const pid_t self = getpid();
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	b->config.stacks = stacks;
	b->config.stack_depth = depth;
	b->config.pids = &self;
	b->config.n_pids = 1;
	OK(vsamp_session_configure(b->session, &b->config, &b->err));
	OK(vsamp_session_start(b->session, &b->err));
	dig(calls, now.tv_sec * 1000000000ULL + now.tv_nsec + 100 * MS);
	bench_stop(b);
	assert_true(b->taken.samples[0] > 20);
}

static void of_the_user(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	dig_sampled(b, VSAMP_STACKS_USER, 0, 20);
	assert_int_equal(b->taken.stacks, b->taken.samples[0]);
	/* whatever has called main() need not have frame pointers */
	assert_in_range(b->taken.user_most, 21, 60);
	assert_int_equal(b->taken.kernel_most, 0);
}

static void cut_at_the_depth(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	dig_sampled(b, VSAMP_STACKS_USER | VSAMP_STACKS_KERNEL, 7, 20);
	assert_int_equal(b->taken.stacks, b->taken.samples[0]);
	assert_int_equal(b->taken.user_most, 7);
	assert_true(b->taken.cut * 10 >= b->taken.stacks * 9);
	/* the event is of user mode alone */
	assert_int_equal(b->taken.kernel_most, 0);
}

/* Deeper than the kernel's limit, whatever that is here */
static void cut_at_the_limit(void **state)
{
	const uint32_t limit = perf_stacks_limit();
	struct bench *b = *state;

	NEED_LEVEL(2);
	dig_sampled(b, VSAMP_STACKS_USER, 0, 300);
	assert_int_equal(b->taken.user_most, limit <= 127 ? limit - 1 : 127);
	assert_true(b->taken.cut * 10 >= b->taken.stacks * 9);
}

static void of_the_kernel(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(1);
	b->event[0].kernel = true;
	dig_sampled(b, VSAMP_STACKS_KERNEL, 0, 20);
	assert_int_equal(b->taken.stacks, b->taken.samples[0]);
	assert_int_equal(b->taken.user_most, 0);
	assert_int_equal(b->taken.cut, 0);
}

static void none(void **state)
{
	struct bench *b = *state;

	NEED_LEVEL(2);
	dig_sampled(b, 0, 5, 20);
	assert_int_equal(b->taken.stacks, 0);
}

static void refused(void **state)
{
	struct bench *b = *state;

	b->config.stacks = 4;
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -EINVAL);
	assert_non_null(strstr(b->err.text, "stacks 0x4: of the kernel, of the user, or both"));
	b->config.stacks = VSAMP_STACKS_USER;
	b->config.stack_depth = 128;
	assert_int_equal(vsamp_session_configure(b->session, &b->config, &b->err), -ERANGE);
	assert_non_null(strstr(b->err.text, "stacks of 128 frames: 127 are the most"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TEST(of_the_user),
		TEST(cut_at_the_depth),
		TEST(cut_at_the_limit),
		TEST(of_the_kernel),
		TEST(none),
		TEST(refused),
	};

	load_main(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
