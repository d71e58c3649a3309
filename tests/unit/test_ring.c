// SPDX-License-Identifier: MIT
/*
 * The ring reader on a ring that lies
 *
 * A memfd stands for the device: the same offsets can be mapped. Its data is written twice in a
 * row, as the module maps it.
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

#include <vsamp/ring.h>

#define SIZE VSAMP_RING_SIZE_MIN
#define CPU  3

struct fake {
	int fd;
	struct vsamp_ring_page *page;
	char *data;
	struct vsamp_ring *ring;
	struct vsamp_error err;
};

static int setup(void **state)
{
	static struct fake f;

	f = (struct fake){ .fd = memfd_create("ring", MFD_CLOEXEC) };
	if (f.fd < 0 || ftruncate(f.fd, VSAMP_MMAP_DATA(CPU) + 2 * SIZE))
		return -1;
	f.page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd, VSAMP_MMAP_CTRL(CPU));
	f.data = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, f.fd,
		      VSAMP_MMAP_DATA(CPU));
	if (f.page == MAP_FAILED || f.data == MAP_FAILED)
		return -1;
	f.page->version = VSAMP_RING_VERSION;
	f.page->cpu = CPU;
	f.page->data_size = SIZE;
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;

	vsamp_ring_close(f->ring);
	munmap(f->page, 4096);
	munmap(f->data, 2 * SIZE);
	close(f->fd);
	return 0;
}

static void fake_open(struct fake *f)
{
	assert_int_equal(vsamp_ring_open(&f->ring, f->fd, CPU, &f->err), 0);
}

/* Puts a record at head, without moving it; returns its size */
static void fake_put(struct fake *f, uint64_t at, const void *record, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		size_t k = (at + i) & (SIZE - 1);

		f->data[k] = f->data[k + SIZE] = ((const char *)record)[i];
	}
}

static void fake_sample(struct fake *f, uint16_t event, uint16_t size)
{
	struct vsamp_record_sample s = {
		.h = { VSAMP_RECORD_SAMPLE, size, event, VSAMP_SAMPLE_USER },
		.time = 1,
	};

	fake_put(f, f->page->head, &s, sizeof(s));
	f->page->head += size;
}

static void fake_lost(struct fake *f, uint64_t count)
{
	struct vsamp_record_lost l = { .h = { VSAMP_RECORD_LOST, sizeof(l), 0, 0 },
				       .count = count };

	fake_put(f, f->page->head, &l, sizeof(l));
	f->page->head += sizeof(l);
}

static int fake_begin(struct fake *f, size_t *size)
{
	const void *data;

	return vsamp_ring_begin(f->ring, &data, size, &f->err);
}

static void empty(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	assert_int_equal(fake_begin(f, &size), 0);
	assert_int_equal(vsamp_ring_cpu(f->ring), CPU);
	assert_int_equal(vsamp_ring_size(f->ring), SIZE);
}

static void counts(void **state)
{
	struct fake *f = *state;
	const struct vsamp_ring_counts *c;
	size_t size;

	fake_open(f);
	fake_sample(f, 0, 32);
	fake_sample(f, VSAMP_EVENTS_MAX - 1, 32);
	fake_lost(f, 5);
	fake_lost(f, 7);
	fake_sample(f, VSAMP_EVENTS_MAX - 1, 40); /* longer than known: of a later version */
	assert_int_equal(fake_begin(f, &size), 1);
	assert_int_equal(size, 32 + 32 + 24 + 24 + 40);
	c = vsamp_ring_counts(f->ring);
	assert_int_equal(c->records, 0); /* not before they are released */
	assert_int_equal(f->page->tail, 0);
	vsamp_ring_end(f->ring);
	assert_int_equal(f->page->tail, f->page->head);
	assert_int_equal(c->records, 3);
	assert_int_equal(c->samples[0], 1);
	assert_int_equal(c->samples[VSAMP_EVENTS_MAX - 1], 2);
	assert_int_equal(c->lost, 12);
	assert_int_equal(c->lost_records, 2);
	assert_int_equal(fake_begin(f, &size), 0);
}

/* Batch after batch over the ring's end: every record comes once, whole */
static void wraps(void **state)
{
	struct fake *f = *state;
	uint64_t n = 0;

	fake_open(f);
	for (int round = 0; round < 1000; round++) {
		const void *data;
		size_t size;

		for (int i = 0; i < 37; i++, n++)
			fake_sample(f, n % 16, 32 + 8 * (n % 3));
		assert_int_equal(vsamp_ring_begin(f->ring, &data, &size, &f->err), 1);
		vsamp_ring_end(f->ring);
		assert_int_equal(vsamp_ring_counts(f->ring)->records, n);
	}
	assert_true(f->page->head > 10 * SIZE);
}

/* A full ring is no error */
static void full(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	for (unsigned int i = 0; i < SIZE / 32; i++)
		fake_sample(f, 0, 32);
	assert_int_equal(fake_begin(f, &size), 1);
	assert_int_equal(size, SIZE);
}

static void sums_saturate(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_lost(f, UINT64_MAX - 1);
	fake_lost(f, 5);
	assert_int_equal(fake_begin(f, &size), 1);
	vsamp_ring_end(f->ring);
	assert_true(vsamp_ring_counts(f->ring)->lost == UINT64_MAX);
}

/* What a child that inherited the page may write there */
static void head_beyond(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	/* With records that look good all the way, and again in the second mapping */
	for (unsigned int i = 0; i < SIZE / 32; i++)
		fake_sample(f, 0, 32);
	f->page->head = SIZE + 32;
	assert_int_equal(fake_begin(f, &size), -EBADMSG);
	/* and it stays so: nothing that comes later is believed */
	f->page->head = 0;
	assert_int_equal(fake_begin(f, &size), -EBADMSG);
}

static void head_behind(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_sample(f, 0, 32);
	assert_int_equal(fake_begin(f, &size), 1);
	vsamp_ring_end(f->ring);
	f->page->head = 0;
	assert_int_equal(fake_begin(f, &size), -EBADMSG);
}

static void head_crooked(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_sample(f, 0, 32);
	f->page->head = 31;
	assert_int_equal(fake_begin(f, &size), -EBADMSG);
}

/* The reader's place is its own: what is written over tail does not move it */
static void tail_overwritten(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_sample(f, 1, 32);
	f->page->tail = 12345;
	assert_int_equal(fake_begin(f, &size), 1);
	assert_int_equal(size, 32);
	vsamp_ring_end(f->ring);
	assert_int_equal(f->page->tail, 32);
}

static void size_overwritten(void **state)
{
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	f->page->data_size = 1ULL << 40;
	fake_sample(f, 1, 32);
	assert_int_equal(fake_begin(f, &size), 1);
	assert_int_equal(vsamp_ring_size(f->ring), SIZE);
}

static void bad_records(void **state)
{
	const struct vsamp_record_header row[] = {
		{ VSAMP_RECORD_SAMPLE, 0, 0, 0 },  /* would never end */
		{ VSAMP_RECORD_SAMPLE, 24, 0, 0 }, /* shorter than a sample */
		{ VSAMP_RECORD_SAMPLE, 36, 0, 0 }, /* no multiple of 8 */
		{ VSAMP_RECORD_SAMPLE, 72, 0, 0 }, /* beyond head */
		{ VSAMP_RECORD_SAMPLE, 64, VSAMP_EVENTS_MAX, 0 },
		{ VSAMP_RECORD_SAMPLE, 64, 0xffff, 0 },
		{ VSAMP_RECORD_LOST, 16, 0, 0 },
		{ VSAMP_RECORD_CLOCK, 40, 0, 0 },
		{ VSAMP_RECORD_STATE, 16, VSAMP_STATE_FOREIGN, 0 },
		{ VSAMP_RECORD_SET, 24, 0, 0 },
		{ VSAMP_RECORD_SET, 64, VSAMP_EVENTS_MAX, 0 },
		{ VSAMP_RECORD_SAV, 16, 0, 0 },
		{ VSAMP_RECORD_SAV, 64, VSAMP_EVENTS_MAX, 0 },
		{ 77, 4, 0, 0 },
		{ 77, 0xfff8, 0, 0 },
	};
	struct fake *f = *state;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		size_t size;

		vsamp_ring_close(f->ring);
		f->page->head = f->page->tail = 0;
		memset(f->data, 0, 2 * SIZE);
		fake_open(f);
		fake_put(f, 0, &row[i], sizeof(row[i]));
		f->page->head = 64;
		if (fake_begin(f, &size) != -EBADMSG)
			fail_msg("row %zu was taken", i);
	}
}

/* A sample of so many bytes that says it has a stack of these frames */
static void stacks(void **state)
{
	const struct {
		uint16_t size, kernel, user;
		uint32_t flags;
		int ret;
	} row[] = {
		{ 64, 1, 2, VSAMP_STACK_KERNEL_CUT | VSAMP_STACK_USER_CUT, 1 },
		{ 40, 0, 0, 0, 1 },
		{ 2072, 127, 127, 0, 1 },
		{ 64, 1, 1, 0, -EBADMSG },
		{ 64, 2, 2, 0, -EBADMSG },
		{ 64, 3, 0, 4, -EBADMSG },
		{ 32, 0, 0, 0, -EBADMSG },
		{ 1064, 128, 0, 0, -EBADMSG },
		{ 1064, 0, 128, 0, -EBADMSG },
		{ 40, 0xffff, 1, 0, -EBADMSG },
	};
	struct fake *f = *state;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct vsamp_record_header h = { VSAMP_RECORD_SAMPLE, row[i].size, 0,
						       VSAMP_SAMPLE_STACK };
		const struct vsamp_stack stack = { row[i].kernel, row[i].user, row[i].flags };
		size_t size;

		vsamp_ring_close(f->ring);
		f->page->head = f->page->tail = 0;
		memset(f->data, 0, 2 * SIZE);
		fake_open(f);
		fake_put(f, 0, &h, sizeof(h));
		fake_put(f, 32, &stack, sizeof(stack));
		f->page->head = row[i].size;
		if (fake_begin(f, &size) != row[i].ret)
			fail_msg("row %zu", i);
	}
}

/* What follows makes up for it, so that the end is met */
static void crooked_record(void **state)
{
	const struct vsamp_record_header longer = { 77, 36, 0, 0 }, rest = { 77, 28, 0, 0 };
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_put(f, 0, &longer, sizeof(longer));
	fake_put(f, 36, &rest, sizeof(rest));
	f->page->head = 64;
	assert_int_equal(fake_begin(f, &size), -EBADMSG);
}

static void unknown_type(void **state)
{
	const struct vsamp_record_header h = { 77, 8, 0xffff, 0xffff };
	struct fake *f = *state;
	size_t size;

	fake_open(f);
	fake_put(f, 0, &h, sizeof(h));
	f->page->head = 8;
	assert_int_equal(fake_begin(f, &size), 1);
	vsamp_ring_end(f->ring);
	assert_int_equal(vsamp_ring_counts(f->ring)->records, 1);
}

static void bad_pages(void **state)
{
	const struct {
		uint32_t version;
		uint64_t size;
	} row[] = {
		{ VSAMP_RING_VERSION + 1, SIZE },   { 0, SIZE },
		{ VSAMP_RING_VERSION, 0 },	    { VSAMP_RING_VERSION, SIZE - 1 },
		{ VSAMP_RING_VERSION, SIZE / 2 },   { VSAMP_RING_VERSION, SIZE + 4096 },
		{ VSAMP_RING_VERSION, 1ULL << 63 }, { VSAMP_RING_VERSION, UINT64_MAX },
	};
	struct fake *f = *state;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		f->page->version = row[i].version;
		f->page->data_size = row[i].size;
		assert_int_equal(vsamp_ring_open(&f->ring, f->fd, CPU, &f->err), -EPROTO);
	}
	f->ring = NULL;
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty),	    TEST(counts),	 TEST(wraps),
		TEST(full),	    TEST(sums_saturate), TEST(head_beyond),
		TEST(head_behind),  TEST(head_crooked),	 TEST(tail_overwritten),
		TEST(bad_records),  TEST(stacks),	 TEST(size_overwritten),
		TEST(unknown_type), TEST(bad_pages),	 TEST(crooked_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
