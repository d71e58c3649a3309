// SPDX-License-Identifier: MIT
/*
 * What records are made of perf's, from a buffer made by hand as perf_event_open(2) describes it,
 * and from buffers that lie
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <clock_record.h>
#include <perf_buffer.h>
#include <record.h>

#define SIZE 8192

struct fake {
	int fd;
	struct perf_buffer buffer;
	struct perf_event_mmap_page *page;
	char *data;
	struct vsamp_error err;
};

static int setup(void **state)
{
	static struct fake f;
	size_t page = sysconf(_SC_PAGESIZE);
	void *map;

	f = (struct fake){ .fd = memfd_create("perf", MFD_CLOEXEC), .buffer.cpu = 5 };
	if (f.fd < 0 || ftruncate(f.fd, page + SIZE) || perf_buffer_map(&f.buffer, f.fd, SIZE))
		return -1;
	map = mmap(NULL, page + SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, 0);
	if (map == MAP_FAILED || perf_buffer_add_id(&f.buffer, 900, 1) ||
	    perf_buffer_add_id(&f.buffer, 77, 0) || perf_buffer_add_id(&f.buffer, 901, 2))
		return -1;
	f.page = map;
	f.data = (char *)map + page;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;

	munmap(f->page, sysconf(_SC_PAGESIZE) + SIZE);
	perf_buffer_free(&f->buffer);
	close(f->fd);
	return 0;
}

/* Words of 64 bits, as the manual page lists them; the first is the header */
static void put(struct fake *f, const uint64_t *word, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++, f->page->data_head += 8)
		memcpy(f->data + f->page->data_head % SIZE, &word[i], 8);
}

#define HEADER(type, misc, size) \
	((uint64_t)(type) | (uint64_t)(misc) << 32 | (uint64_t)(size) << 48)
#define PAIR(low, high) ((uint64_t)(low) | (uint64_t)(high) << 32)

static void put_sample(struct fake *f, uint16_t misc, uint64_t id, uint64_t time)
{
	const uint64_t word[] = {
		HEADER(PERF_RECORD_SAMPLE, misc, 48),
		id,
		0xffffffff81234567,
		PAIR(41, 42),
		time,
		PAIR(5, 0),
	};

	put(f, word, 6);
}

static void put_lost(struct fake *f, uint64_t count, uint64_t time)
{
	const uint64_t word[] = {
		HEADER(PERF_RECORD_LOST, 0, 56), 900, count, PAIR(0, 0), time, PAIR(5, 0), 900
	};

	put(f, word, 7);
}

static void put_throttle(struct fake *f, uint32_t type, uint64_t time)
{
	const uint64_t word[] = { HEADER(type, 0, 64), time,	 900,	     900,
				  PAIR(0, 0),	       time + 1, PAIR(5, 0), 900 };

	put(f, word, 8);
}

static int convert(struct fake *f)
{
	return perf_buffer_convert(&f->buffer, false, &f->err);
}

/* The records, as 64-bit words, must be these and no more */
static void expect(struct fake *f, const uint64_t *word, unsigned int n)
{
	assert_int_equal(f->buffer.out.size, n * 8);
	for (unsigned int i = 0; i < n; i++) {
		uint64_t is;

		memcpy(&is, f->buffer.out.data + i * 8, 8);
		if (is != word[i])
			fail_msg("word %u: %#lx, not %#lx", i, (long)is, (long)word[i]);
	}
}

#define RECORD(type, size, event, flags)                                       \
	((uint64_t)(type) | (uint64_t)(size) << 16 | (uint64_t)(event) << 32 | \
	 (uint64_t)(flags) << 48)

static void empty(void **state)
{
	assert_int_equal(convert(*state), 0);
	expect(*state, NULL, 0);
}

static void samples(void **state)
{
	const uint64_t ip = 0xffffffff81234567;
	const uint64_t expected[] = {
		RECORD(1, 32, 1, VSAMP_SAMPLE_USER),
		1000,
		ip,
		PAIR(41, 42),
		RECORD(1, 32, 0, 0),
		1001,
		ip,
		PAIR(41, 42),
		RECORD(1, 32, 2, VSAMP_SAMPLE_GUEST),
		1002,
		ip,
		PAIR(41, 42),
		RECORD(1, 32, 2, VSAMP_SAMPLE_GUEST | VSAMP_SAMPLE_USER),
		1003,
		ip,
		PAIR(41, 42),
		RECORD(1, 32, 0, VSAMP_SAMPLE_USER),
		1004,
		ip,
		PAIR(41, 42),
	};
	struct fake *f = *state;

	put_sample(f, PERF_RECORD_MISC_USER, 900, 1000);
	put_sample(f, PERF_RECORD_MISC_KERNEL, 77, 1001);
	put_sample(f, PERF_RECORD_MISC_GUEST_KERNEL, 901, 1002);
	put_sample(f, PERF_RECORD_MISC_GUEST_USER, 901, 1003);
	/* Bits beside the mode's don't matter */
	put_sample(f, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP, 77, 1004);
	assert_int_equal(convert(f), 0);
	expect(f, expected, 20);
	assert_int_equal(f->buffer.written, 5);
	assert_int_equal(f->buffer.samples[0], 2);
	assert_int_equal(f->buffer.samples[1], 1);
	assert_int_equal(f->buffer.samples[2], 2);
	assert_int_equal(f->buffer.lost, 0);
	assert_int_equal(f->page->data_tail, 5 * 48);
}

static void losses_and_throttling(void **state)
{
	const uint64_t expected[] = {
		RECORD(2, 24, 0, 0), 500, 7, RECORD(4, 24, 0, 0), 600, 0,
		RECORD(5, 24, 0, 0), 700, 0, RECORD(2, 24, 0, 0), 800, 3,
	};
	struct fake *f = *state;

	put_lost(f, 7, 500);
	put_throttle(f, PERF_RECORD_THROTTLE, 600);
	put_throttle(f, PERF_RECORD_UNTHROTTLE, 700);
	put_lost(f, 3, 800);
	assert_int_equal(convert(f), 0);
	expect(f, expected, 12);
	assert_int_equal(f->buffer.written, 2); /* losses are none */
	assert_int_equal(f->buffer.lost, 10);
	assert_int_equal(f->buffer.throttled, 1);
}

/* What the kernel counted as lost and never told in a record is told in the end, once */
static void losses_at_the_end(void **state)
{
	const uint64_t samples_lost[] = {
		HEADER(PERF_RECORD_LOST_SAMPLES, 0, 48), 50, PAIR(0, 0), 900, PAIR(5, 0), 900
	};
	const struct vsamp_record_lost *last;
	struct fake *f = *state;

	put_lost(f, 7, 500);
	put(f, samples_lost, 6); /* the processor's, not the buffer's */
	assert_int_equal(convert(f), 0);
	assert_int_equal(f->buffer.lost, 57);
	assert_int_equal(perf_buffer_settle_lost(&f->buffer, 7), 0);
	assert_int_equal(f->buffer.out.size, 2 * sizeof(*last));
	assert_int_equal(perf_buffer_settle_lost(&f->buffer, 18), 0);
	assert_int_equal(f->buffer.out.size, 3 * sizeof(*last));
	last = (const void *)(f->buffer.out.data + 2 * sizeof(*last));
	assert_int_equal(last->h.type, VSAMP_RECORD_LOST);
	assert_int_equal(last->count, 11);
	assert_int_equal(f->buffer.lost, 68);
	assert_int_equal(perf_buffer_settle_lost(&f->buffer, 18), 0);
	assert_int_equal(f->buffer.lost, 68);
}

/* The words of a sample with a chain; its count may be a lie */
static void put_chain(struct fake *f, uint16_t misc, uint64_t count, const uint64_t *entry,
		      unsigned int n)
{
	const uint64_t word[] = {
		HEADER(PERF_RECORD_SAMPLE, misc, 56 + 8 * n),
		77,
		0x1234,
		PAIR(41, 42),
		9,
		PAIR(5, 0),
		count,
	};

	put(f, word, 7);
	put(f, entry, n);
}

/* The stack that becomes of a chain, beside the sample it is behind */
static void expect_stack(struct fake *f, uint16_t flags, unsigned int kernel, unsigned int user,
			 uint32_t cut, const uint64_t *ip)
{
	const struct vsamp_record_sample *s = (const void *)f->buffer.out.data;
	const struct vsamp_stack *stack = record_stack(s);

	assert_true(record_ok(s, f->buffer.out.size));
	assert_int_equal(s->h.size, f->buffer.out.size);
	assert_int_equal(s->h.flags, flags | VSAMP_SAMPLE_STACK);
	assert_int_equal(s->ip, 0x1234);
	assert_non_null(stack);
	assert_int_equal(stack->kernel, kernel);
	assert_int_equal(stack->user, user);
	assert_int_equal(stack->flags, cut);
	for (unsigned int i = 0; i < kernel + user; i++)
		assert_int_equal(stack->ip[i], ip[i]);
	f->buffer.out.size = 0;
}

#define KERNEL PERF_CONTEXT_KERNEL
#define USER   PERF_CONTEXT_USER
#define BOTH   (VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER)

#define CHAIN(f, misc, ...)                                              \
	do {                                                             \
		const uint64_t entry[] = { __VA_ARGS__ };                \
		const unsigned int n = sizeof(entry) / sizeof(entry[0]); \
                                                                         \
		put_chain(f, PERF_RECORD_MISC_##misc, n, entry, n);      \
		if (convert(f))                                          \
			fail_msg("%s", (f)->err.text);                   \
	} while (0)

#define IPS(...) ((const uint64_t[]){ __VA_ARGS__ })

static void chains(void **state)
{
	struct fake *f = *state;

	perf_stacks_plan(&f->buffer.stacks, BOTH, 0, 1000);
	/* the sample's own address is no frame; in the kernel, where the user goes on is */
	CHAIN(f, USER, USER, 0x1234, 5, 6);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 2, 0, IPS(5, 6));
	CHAIN(f, KERNEL, KERNEL, 0x1234, 0xffffffff81000001, USER, 7, 8);
	expect_stack(f, 0, 1, 2, 0, IPS(0xffffffff81000001, 7, 8));
	CHAIN(f, KERNEL, KERNEL, 0x1234);
	expect_stack(f, 0, 0, 0, 0, NULL);
	/* only the user's were asked for, or are allowed */
	CHAIN(f, KERNEL, USER, 7, 8);
	expect_stack(f, 0, 0, 2, 0, IPS(7, 8));
	/* none, and none that is known */
	put_chain(f, PERF_RECORD_MISC_USER, 0, NULL, 0);
	assert_int_equal(convert(f), 0);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 0, 0, NULL);
	CHAIN(f, GUEST_KERNEL, PERF_CONTEXT_GUEST_KERNEL, 0x1234, 5);
	expect_stack(f, VSAMP_SAMPLE_GUEST, 0, 0, 0, NULL);
	/* what a user's stack has can't pass for the kernel's */
	CHAIN(f, USER, USER, 0x1234, 5, KERNEL, 6);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 2, 0, IPS(5, 6));
	assert_int_equal(f->buffer.written, 7);
	assert_int_equal(f->buffer.samples[0], 7);
}

/* Frames beyond the depth, and chains that end where perf's limit is */
static void chains_cut(void **state)
{
	struct fake *f = *state;

	perf_stacks_plan(&f->buffer.stacks, BOTH, 2, 127);
	assert_int_equal(f->buffer.stacks.chain_max, 8);
	CHAIN(f, USER, USER, 0x1234, 1, 2);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 2, 0, IPS(1, 2));
	CHAIN(f, USER, USER, 0x1234, 1, 2, 3);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 2, VSAMP_STACK_USER_CUT, IPS(1, 2));
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, 2, 3, USER, 4, 5);
	expect_stack(f, 0, 2, 2, VSAMP_STACK_KERNEL_CUT, IPS(1, 2, 4, 5));
	/* the kernel's frames took all there is */
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, 2, 3, 4, 5, 6, 7);
	expect_stack(f, 0, 2, 0, VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT, IPS(1, 2));

	/* perf's own limit is lower: 4 entries of both sides, the address among them */
	perf_stacks_plan(&f->buffer.stacks, BOTH, 100, 4);
	assert_int_equal(f->buffer.stacks.chain_max, 4);
	CHAIN(f, USER, USER, 0x1234, 1, 2, 3);
	expect_stack(f, VSAMP_SAMPLE_USER, 0, 3, VSAMP_STACK_USER_CUT, IPS(1, 2, 3));
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, USER, 2, 3);
	expect_stack(f, 0, 1, 2, VSAMP_STACK_USER_CUT, IPS(1, 2, 3));
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, 2, 3);
	expect_stack(f, 0, 3, 0, VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT, IPS(1, 2, 3));
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, USER, 2);
	expect_stack(f, 0, 1, 1, 0, IPS(1, 2));

	/* one side alone: the other's can't be cut */
	perf_stacks_plan(&f->buffer.stacks, VSAMP_STACKS_KERNEL, 127, 1000);
	assert_int_equal(f->buffer.stacks.chain_max, 129);
	perf_stacks_plan(&f->buffer.stacks, VSAMP_STACKS_KERNEL, 1, 1000);
	CHAIN(f, KERNEL, KERNEL, 0x1234, 1, 2);
	expect_stack(f, 0, 1, 0, VSAMP_STACK_KERNEL_CUT, IPS(1));
}

/* The most there is, and chains that aren't as long as they say */
static void chains_hostile(void **state)
{
	static uint64_t entry[300], frame[254];
	struct fake *f = *state;

	perf_stacks_plan(&f->buffer.stacks, BOTH, 0, 127000);
	entry[0] = KERNEL;
	for (unsigned int i = 1; i < 300; i++)
		entry[i] = i;
	entry[129] = USER;
	for (unsigned int i = 0; i < 254; i++)
		frame[i] = i < 127 ? i + 2 : i + 3;
	put_chain(f, PERF_RECORD_MISC_KERNEL, 300, entry, 300);
	assert_int_equal(convert(f), 0);
	expect_stack(f, 0, 127, 127, VSAMP_STACK_USER_CUT, frame);
	put_chain(f, PERF_RECORD_MISC_KERNEL, 3, entry, 2);
	assert_int_equal(convert(f), -EBADMSG);
	assert_non_null(strstr(f->err.text, "call chain"));
	for (unsigned int i = 0; i < 3; i++) {
		const uint64_t count[] = { UINT64_MAX, 1ULL << 61, (1ULL << 61) - 1 };

		put_chain(f, PERF_RECORD_MISC_KERNEL, count[i], entry, 2);
		assert_int_equal(convert(f), -EBADMSG);
	}
	/* no room for a count */
	put_sample(f, PERF_RECORD_MISC_USER, 77, 1);
	assert_int_equal(convert(f), -EBADMSG);
}

static void unknown_types(void **state)
{
	const uint64_t fork[] = { HEADER(PERF_RECORD_FORK, 0, 16), 0 };
	const uint64_t future[] = { HEADER(4711, 0xffff, 8) };
	struct fake *f = *state;

	put(f, fork, 2);
	put(f, future, 1);
	put_sample(f, PERF_RECORD_MISC_USER, 900, 1);
	assert_int_equal(convert(f), 0);
	assert_int_equal(f->buffer.written, 1);
}

/* Round and round: 48 doesn't divide the buffer's size, so there are seams at every word */
static void wraps(void **state)
{
	struct fake *f = *state;

	for (unsigned int i = 0; i < 2000; i++) {
		const struct vsamp_record_sample *s;

		put_sample(f, PERF_RECORD_MISC_USER, 77, i);
		assert_int_equal(convert(f), 0);
		assert_int_equal(f->buffer.out.size, sizeof(*s));
		s = (const void *)f->buffer.out.data;
		assert_int_equal(s->time, i);
		assert_int_equal(s->ip, 0xffffffff81234567);
		f->buffer.out.size = 0;
	}
	assert_int_equal(f->page->data_tail, 2000 * 48);
}

static void full(void **state)
{
	struct fake *f = *state;

	for (unsigned int i = 0; i < SIZE / 48; i++)
		put_sample(f, PERF_RECORD_MISC_USER, 77, i);
	put(f, (const uint64_t[]){ HEADER(4711, 0, SIZE % 48), 0, 0, 0 }, SIZE % 48 / 8);
	assert_int_equal(f->page->data_head, SIZE);
	assert_int_equal(convert(f), 0);
	assert_int_equal(f->buffer.samples[0], SIZE / 48);
}

/* A reader who doesn't read: perf's buffer is left to fill, until the end */
static void reader_behind(void **state)
{
	struct fake *f = *state;
	unsigned int n = 0;

	for (; f->buffer.out.size <= SIZE; n++) {
		put_sample(f, PERF_RECORD_MISC_USER, 77, n);
		assert_int_equal(convert(f), 0);
	}
	assert_int_equal(n, SIZE / 32 + 1);
	put_sample(f, PERF_RECORD_MISC_USER, 77, n);
	assert_int_equal(convert(f), 0);
	assert_int_equal(f->buffer.written, n);
	assert_int_equal(f->page->data_tail, n * 48);
	assert_int_equal(perf_buffer_convert(&f->buffer, true, &f->err), 0);
	assert_int_equal(f->buffer.written, n + 1);
}

static void damaged(void **state)
{
	const struct {
		uint64_t header;
		uint64_t id;
		uint64_t head;
	} row[] = {
		{ HEADER(PERF_RECORD_SAMPLE, 2, 0), 900, 48 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 7), 900, 48 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 44), 900, 48 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 40), 900, 40 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 56), 900, 48 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 0xfff8), 900, 48 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 48), 902, 48 }, /* nobody's */
		{ HEADER(PERF_RECORD_SAMPLE, 2, 48), 0, 48 },
		{ HEADER(PERF_RECORD_LOST, 0, 48), 900, 48 },
		{ HEADER(PERF_RECORD_LOST_SAMPLES, 0, 40), 900, 40 },
		{ HEADER(PERF_RECORD_THROTTLE, 0, 56), 900, 56 },
		{ HEADER(PERF_RECORD_UNTHROTTLE, 0, 8), 900, 8 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 48), 900, 52 }, /* head in the midst of a header */
		{ HEADER(PERF_RECORD_SAMPLE, 2, 48), 900, SIZE + 8 },
		{ HEADER(PERF_RECORD_SAMPLE, 2, 48), 900, UINT64_MAX },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct fake *f = *state;

		memcpy(f->data, &row[i].header, 8);
		memcpy(f->data + 8, &row[i].id, 8);
		f->page->data_head = row[i].head;
		f->err.text[0] = '\0';
		if (convert(f) != -EBADMSG)
			fail_msg("row %zu is taken", i);
		assert_non_null(strstr(f->err.text, "CPU 5"));
		teardown(state);
		assert_int_equal(setup(state), 0);
	}
}

/* Bytes changed at random in good records: taken or refused, and the account holds */
static void noise(void **state)
{
	uint32_t random = 1;
	unsigned int refused = 0;

	for (unsigned int round = 0; round < 5000; round++) {
		struct fake *f = *state;
		struct perf_buffer *b = &f->buffer;
		uint64_t before = b->written, samples = 0;
		int ret;

		for (unsigned int i = 0; i < 20; i++) {
			put_sample(f, PERF_RECORD_MISC_USER, 77, i);
			put_lost(f, 1, i);
			put_throttle(f, PERF_RECORD_THROTTLE, i);
		}
		for (unsigned int i = 0; i < 3; i++) {
			random = random * 1664525 + 1013904223;
			f->data[(f->page->data_tail + (random >> 8) % 3360) % SIZE] ^= 1
										       << (random &
											   7);
		}
		ret = convert(f);
		assert_true(!ret || ret == -EBADMSG);
		refused += !!ret;
		assert_true(b->out.size <= 3360);
		for (unsigned int i = 0; i < VSAMP_EVENTS_MAX; i++)
			samples += b->samples[i];
		assert_true(samples <= b->written && b->written - before <= 60);
		b->out.size = 0;
	}
	assert_in_range(refused, 500, 4500);
}

/* The tail that counts is our own */
static void tail_overwritten(void **state)
{
	struct fake *f = *state;

	put_sample(f, PERF_RECORD_MISC_USER, 77, 1);
	assert_int_equal(convert(f), 0);
	f->page->data_tail = 12345;
	put_sample(f, PERF_RECORD_MISC_USER, 77, 2);
	assert_int_equal(convert(f), 0);
	assert_int_equal(f->buffer.samples[0], 2);
	assert_int_equal(f->page->data_tail, 96);
}

static void own_records(void **state)
{
	struct fake *f = *state;
	const struct vsamp_record_state *state_record;
	const struct vsamp_record_clock *clock;
	const struct vsamp_record_sav *sav;
	uint64_t before = clock_raw_now();

	assert_int_equal(perf_buffer_put_state(&f->buffer, VSAMP_STATE_PAUSE), 0);
	assert_int_equal(perf_buffer_put_clock(&f->buffer), 0);
	assert_int_equal(perf_buffer_put_sav(&f->buffer, 3, 12345), 0);
	assert_int_equal(f->buffer.written, 3);
	state_record = (const void *)f->buffer.out.data;
	clock = (const void *)(state_record + 1);
	sav = (const void *)(clock + 1);
	assert_int_equal(state_record->h.event, VSAMP_STATE_PAUSE);
	assert_in_range(state_record->time, before, sav->time);
	assert_int_equal(clock->h.type, VSAMP_RECORD_CLOCK);
	assert_int_equal(clock->time, clock->monotonic_raw);
	assert_in_range(clock->time, state_record->time, sav->time);
	assert_in_range(clock->bracket, 0, 100000000);
	assert_true(clock->realtime > 1600000000000000000ULL);
	assert_int_equal(sav->h.event, 3);
	assert_int_equal(sav->sav, 12345);
	assert_int_equal(f->buffer.out.size, sizeof(*state_record) + sizeof(*clock) + sizeof(*sav));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty),
		TEST(samples),
		TEST(losses_and_throttling),
		TEST(losses_at_the_end),
		TEST(chains),
		TEST(chains_cut),
		TEST(chains_hostile),
		TEST(unknown_types),
		TEST(wraps),
		TEST(full),
		TEST(reader_behind),
		TEST(damaged),
		TEST(tail_overwritten),
		TEST(own_records),
		TEST(noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
