// SPDX-License-Identifier: MIT
/* Samples with stacks: which are taken, that they come out of a file as they went in, and how large it is */
#include "mkfile.h"

#include <vsamp/recording.h>

#include "pack.h"

static const uint64_t zero[2 * VSAMP_STACK_DEPTH_MAX];

#define SAMPLE(time) mk_sample_record(0, true, (time), 0x401000, 7, 8)

/* What pack_check() says of a record with @kernel and @user frames, @size too long */
static int checked(unsigned int kernel, unsigned int user, uint32_t flags, int size)
{
	static struct {
		struct mk_stacked s;
		uint64_t behind[300];
	} record;

	memset(&record, 0, sizeof(record));
	record.s.sample = SAMPLE(1);
	record.s.sample.h.flags |= VSAMP_SAMPLE_STACK;
	record.s.sample.h.size = 40 + 8 * (kernel + user) + size;
	record.s.stack = (struct vsamp_stack){ kernel, user, flags };
	return pack_check(&record, record.s.sample.h.size);
}

static void test_records_checked(void **state)
{
	struct vsamp_record_sample s = SAMPLE(1);

	assert_int_equal(checked(0, 0, 0, 0), 0);
	assert_int_equal(checked(127, 127, 3, 0), 0);
	assert_int_equal(checked(3, 4, VSAMP_STACK_KERNEL_CUT, 0), 0);
	assert_int_equal(checked(128, 0, 0, 0), -EINVAL);
	assert_int_equal(checked(0, 128, 0, 0), -EINVAL);
	assert_int_equal(checked(3, 4, 4, 0), -EINVAL);
	assert_int_equal(checked(3, 4, 1U << 31, 0), -EINVAL);
	assert_int_equal(checked(3, 4, 0, 8), -EINVAL);
	assert_int_equal(checked(3, 4, 0, -8), -EINVAL);
	assert_int_equal(checked(0, 0, 0, -8), -EINVAL);
	/* says that it has a stack, and ends before it */
	s.h.flags |= VSAMP_SAMPLE_STACK;
	assert_int_equal(pack_check(&s, sizeof(s)), -EINVAL);
}

/* The n-th of a row of records: with and without stacks, deep, empty, cut, with odd addresses */
static struct mk_stacked odd_record(uint32_t n)
{
	static const uint64_t value[] = { 0, 1, UINT64_MAX, 1ULL << 63, 0xffffffff81000000 };
	static const unsigned int depth[] = { 0, 1, 2, 126, 127 };
	uint64_t ip[2 * VSAMP_STACK_DEPTH_MAX];
	struct vsamp_record_sample s = mk_sample_record(n % 2, n % 3, n, value[n % 5], n, n + 1);
	struct mk_stacked plain = { .sample = s };

	if (n % 7 == 6)
		return plain;
	for (unsigned int i = 0; i < 2 * VSAMP_STACK_DEPTH_MAX; i++)
		ip[i] = value[(n / 5 + i) % 5] + (i % 3) * n;
	return mk_stacked_record(s, depth[n % 5], depth[n / 5 % 5], n % 4, ip);
}

static void check_odd(uint32_t count)
{
	struct vsamp_recording *rec;
	struct vsamp_item item;
	uint32_t n = 0;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	for (; vsamp_recording_next(rec, &item, NULL) > 0; n++) {
		struct mk_stacked s = odd_record(n);

		assert_int_equal(item.record->size, s.sample.h.size);
		assert_memory_equal(item.record, &s, s.sample.h.size);
	}
	assert_int_equal(n, count);
	vsamp_recording_close(rec);
}

static void test_round_trip(void **state)
{
	struct vsamp_writer *w = mk_open(path);

	for (uint32_t n = 0; n < 1000; n++) {
		struct mk_stacked s = odd_record(n);

		mk_record(w, 0, &s);
	}
	mk_close(w);
	check_odd(1000);
}

/* More frames and regions than a chunk's tables hold: nothing is lost where the chunks meet */
static void test_chunks_split(void **state)
{
	const uint32_t count = 3000;
	struct vsamp_writer *w = mk_open(path);
	const struct vsamp_chunk *chunk;
	struct vsamp_recording *rec;
	struct vsamp_item item;
	uint64_t ip[254], x = 1;
	uint32_t n = 0;
	size_t chunks;

	for (uint32_t i = 0; i < count; i++) {
		for (unsigned int k = 0; k < 254; k++)
			ip[k] = (i * 254ULL + k) * (i % 2 ? 1 : 0x10001);
		mk_stack(w, 3, SAMPLE(i), 127, 127, 0, ip);
	}
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	chunks = vsamp_reader_chunks(vsamp_recording_reader(rec), &chunk);
	assert_true(chunks > count * 254 / PACK_FRAMES_MAX);
	for (size_t i = 1; i < chunks; i++)
		assert_in_range(chunk[i].raw_size, 1, PACK_SIZE_MAX + (256 << 10));
	for (; vsamp_recording_next(rec, &item, NULL) > 0; n++) {
		const struct vsamp_stack *s = vsamp_sample_stack((const void *)item.record);

		assert_non_null(s);
		assert_int_equal(s->kernel, 127);
		assert_int_equal(s->user, 127);
		x = (uint64_t)n * 254 * (n % 2 ? 1 : 0x10001);
		assert_int_equal(s->ip[0], x);
	}
	assert_int_equal(n, count);
	vsamp_recording_close(rec);
}

/* A chunk without stacks is byte for byte what it was before there were any */
static void test_none_cost_nothing(void **state)
{
	struct vsamp_record_sample s = SAMPLE(1);
	struct mk_stacked with = mk_stacked_record(SAMPLE(2), 0, 1, 0, zero);
	struct pack_parts parts;
	struct buf out = { 0 };
	struct pack p;

	pack_init(&p);
	assert_int_equal(pack_add(&p, &s.h), 0);
	assert_int_equal(pack_finish(&p, &out, &parts), 0);
	/* ten sizes; kinds 3 + 1 + 1 bytes for flags << 16, tasks 2, regions 2, a byte or two of the rest */
	assert_int_equal(parts.n, 11);
	assert_int_equal(out.size, 40 + 3 + 2 + 2 + 1 + 1 + 2 + 1 + 1 + 2);
	assert_int_equal(pack_add(&p, &with.sample.h), 0);
	assert_int_equal(pack_finish(&p, &out, &parts), 0);
	assert_int_equal(parts.n, 17);
	/* one that had stacks once has none again */
	out.size = 0;
	assert_int_equal(pack_add(&p, &s.h), 0);
	assert_int_equal(pack_finish(&p, &out, &parts), 0);
	assert_int_equal(out.size, 40 + 3 + 2 + 2 + 1 + 1 + 2 + 1 + 1 + 2);
	buf_free(&out);
	pack_free(&p);
}

/*
 * A payload by hand: one sample, ip 0x20001, whose stack is the kernel's 0x10005 called from the
 * user's 0x20006, of which more is missing; and what it is when a byte is another one
 */
struct payload {
	uint32_t plain[10];
	uint8_t kinds[3], tasks[2], regions[2], kind, time, ticks[2], task, region, ip[2];
	uint32_t more[6];
	uint8_t stacks[2], callers[2], frame_region[2], frame_ip[4], stack;
} __attribute__((packed));

static const struct payload good = {
	.plain = { 0, 3, 2, 2, 1, 1, 2, 1, 1, 2 },
	.kinds = { 0x80, 0x80, VSAMP_SAMPLE_STACK << 2 },
	.tasks = { 7, 0 },
	.regions = { 4, 1 }, /* 2, and 1 less */
	.kind = 1,
	.ip = { 1, 0 },
	.more = { 2, 2, 2, 4, 1 },
	.stacks = { 4, 1 << 2 | VSAMP_STACK_USER_CUT }, /* row + 1 is 2 */
	.callers = { 0, 1 },
	.frame_region = { 0, 1 },
	.frame_ip = { 6, 0, 5, 0 },
};

/* What reading it ends with: 1 where there is a record */
static int payload_read(const struct payload *p, size_t size, struct unpack *u)
{
	static uint64_t aligned[32];
	const struct vsamp_record_header *h;
	int ret;

	memcpy(aligned, p, size);
	ret = unpack_open(u, aligned, size, 1);
	if (ret)
		return ret;
	ret = unpack_next(u, &h);
	if (ret == 1)
		assert_true(record_ok(h, h->size));
	return ret;
}

static void test_payload_by_hand(void **state)
{
	const struct vsamp_stack *stack;
	struct unpack_stack_counts counts;
	struct unpack u;

	assert_int_equal(payload_read(&good, sizeof(good), &u), 1);
	assert_int_equal(u.sample.ip, 0x20001);
	assert_int_equal(u.sample.h.size, 56);
	stack = record_stack(&u.sample);
	assert_non_null(stack);
	assert_int_equal(stack->kernel, 1);
	assert_int_equal(stack->user, 1);
	assert_int_equal(stack->flags, VSAMP_STACK_USER_CUT);
	assert_int_equal(stack->ip[0], 0x10005);
	assert_int_equal(stack->ip[1], 0x20006);
	unpack_close(&u);

	assert_int_equal(payload_read(&good, sizeof(good), &u), 1);
	u.at[PACK_STACK] = u.end[PACK_STACK] - 1; /* it was read */
	assert_int_equal(unpack_count_stacks(&u, &counts), 0);
	assert_int_equal(counts.stacks, 1);
	assert_int_equal(counts.kernel_cut, 0);
	assert_int_equal(counts.user_cut, 1);
	unpack_close(&u);
}

static void refused(struct payload p)
{
	struct unpack u;

	assert_int_equal(payload_read(&p, sizeof(p), &u), -EBADMSG);
	unpack_close(&u);
}

static void test_hostile_payloads(void **state)
{
	struct payload p = good;
	struct unpack u;

	/* cut off, anywhere in what the stacks are made of */
	for (size_t size = offsetof(struct payload, more) + 1; size < sizeof(p); size++)
		assert_int_equal(payload_read(&p, size, &u), -EBADMSG);
	/* no stacks, and a sample that says it has one */
	assert_int_equal(payload_read(&p, offsetof(struct payload, more), &u), -EBADMSG);
	unpack_close(&u);

	p.callers[0] = 1; /* called from before the first row */
	refused(p);
	p = good;
	p.callers[1] = 2;
	refused(p);
	p = good;
	p.frame_region[1] = 2; /* there are 0 and 1 */
	refused(p);
	p = good;
	p.stacks[0] = 6; /* frames 1 and 2 are all */
	refused(p);
	p.stacks[0] = 1; /* - 1 */
	refused(p);
	p = good;
	p.stacks[1] = 3 << 2; /* more of the kernel's than there are */
	refused(p);
	p = good;
	p.stack = 1;
	refused(p);
	p = good;
	p.more[2] = 1; /* a byte of another column's */
	refused(p);
	p = good;
	p.more[4] = UINT32_MAX;
	refused(p);
}

/* A chain of frames that is longer than a stack may be */
static void test_hostile_depth(void **state)
{
	static union {
		uint64_t aligned;
		struct {
			uint32_t plain[10];
			uint8_t regions[1];
			uint32_t more[6];
			uint8_t stacks[4], callers[255], frame_region[255], frame_ip[510], stack;
		} __attribute__((packed)) at;
	} p = { .at = { .plain = { [3] = 1 }, .more = { 4, 255, 255, 510, 1 } } };
	struct unpack u;

	memset(p.at.callers + 1, 1, 254);
	assert_int_equal(unpack_open(&u, &p, sizeof(p.at), 0), -EBADMSG);
	/* 254 are as many as can be, half of them the kernel's */
	p.at.callers[254] = 0;
	memcpy(p.at.stacks, (uint8_t[]){ 0xfc, 0x03, 0xfc, 0x03 }, 4); /* 254, 127 << 2 */
	assert_int_equal(unpack_open(&u, &p, sizeof(p.at), 0), 0);
	assert_int_equal(u.stacks[0].user, 127);
	unpack_close(&u);
	p.at.stacks[2] = 0xf8; /* 126: then 128 are the user's */
	assert_int_equal(unpack_open(&u, &p, sizeof(p.at), 0), -EBADMSG);
	memcpy(p.at.stacks, (uint8_t[]){ 0xfc, 0x03, 0x80, 0x04 }, 4); /* 128 */
	assert_int_equal(unpack_open(&u, &p, sizeof(p.at), 0), -EBADMSG);
}

/* Bytes changed at random: a record that comes out is one that can be */
static void test_noise(void **state)
{
	uint32_t random = 1, read = 0;

	for (unsigned int round = 0; round < 100000; round++) {
		struct payload p = good;
		struct unpack u;

		for (unsigned int i = 0; i < 2; i++) {
			random = random * 1664525 + 1013904223;
			((uint8_t *)&p)[(random >> 8) % sizeof(p)] = random >> 24;
		}
		read += payload_read(&p, sizeof(p), &u) == 1;
		unpack_close(&u);
	}
	assert_in_range(read, 1000, 99000);
}

/* xorshift: the same stream everywhere */
static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

#define PATHS 200

/* A way down through a program, outermost first */
struct way {
	unsigned int user, kernel;
	uint64_t ip[40];
};

/*
 * A program with 200 ways of 12 to 27 user frames, of which each has two thirds in common with an
 * earlier one; every third goes on into the kernel, 8 frames deep
 */
static void make_ways(struct way *way, uint64_t *x)
{
	for (unsigned int i = 0; i < PATHS; i++) {
		way[i] = way[i / 2];
		way[i].user = 12 + next_random(x) % 16;
		way[i].kernel = next_random(x) % 3 ? 0 : 8;
		for (unsigned int k = i ? way[i / 2].user * 2 / 3 : 0; k < way[i].user; k++)
			way[i].ip[k] = 0x55d0c0000000 + next_random(x) % 0x80000;
		for (unsigned int k = 0; k < way[i].kernel; k++)
			way[i].ip[way[i].user + k] = 0xffffffff81000000 + next_random(x) % 0x800000;
	}
}

/* A sample's stack: some ways are hot, and the two innermost calls are each at one of three places */
static const struct way *take_way(const struct way *way, uint64_t *x, uint64_t *ip)
{
	const struct way *taken = &way[next_random(x) % PATHS * (next_random(x) % PATHS) / PATHS];
	unsigned int n = taken->user + taken->kernel;

	for (unsigned int i = 0; i < n; i++)
		ip[i] = taken->ip[n - 1 - i];
	ip[0] += next_random(x) % 3 * 23;
	ip[1] += next_random(x) % 3 * 41;
	return taken;
}

/* At a sample a millisecond and CPU */
static void test_bytes_a_sample(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	uint64_t x = 88172645463325252ULL, before = vsamp_writer_size(w), size;
	static struct way way[PATHS];
	uint64_t ip[2 * VSAMP_STACK_DEPTH_MAX];
	uint32_t samples = 0, frames = 0;

	make_ways(way, &x);
	for (uint32_t ms = 0; ms < 20000; ms++) {
		for (uint32_t cpu = 0; cpu < 4; cpu++) {
			uint64_t r = next_random(&x);
			const struct way *taken = take_way(way, &x, ip);
			uint64_t at = (taken->kernel ? 0xffffffff81000000 : 0x55d0c0000000) +
				      (r >> 30) % 65536;

			mk_stack(w, cpu,
				 mk_sample_record(0, !taken->kernel, 2000000ULL * ms + r % 200000,
						  at, 1000 + cpu, 1000 + cpu),
				 taken->kernel, taken->user, 0, ip);
			frames += taken->kernel + taken->user;
			samples++;
		}
		if (ms % 1000 == 999)
			assert_int_equal(vsamp_writer_flush(w, NULL), 0);
	}
	size = vsamp_writer_size(w) - before;
	mk_close(w);
	print_message("# %.2f bytes a sample of %.1f frames\n", (double)size / samples,
		      (double)frames / samples);
	assert_true(size <= 16 * samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_checked), cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_chunks_split),	cmocka_unit_test(test_none_cost_nothing),
		cmocka_unit_test(test_payload_by_hand), cmocka_unit_test(test_hostile_payloads),
		cmocka_unit_test(test_hostile_depth),	cmocka_unit_test(test_noise),
		cmocka_unit_test(test_bytes_a_sample),
	};

	return cmocka_run_group_tests(tests, mk_setup, mk_teardown);
}
