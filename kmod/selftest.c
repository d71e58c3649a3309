// SPDX-License-Identifier: GPL-2.0
/*
 * Self-tests of the ring, compiled in by DEBUG=1 and run when the module is loaded, which fails if
 * one of them does. They write as an NMI does where it could cut another writer in.
 */
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "ring.h"
#include "selftest.h"

#define SELFTEST_RING_SIZE VSAMP_RING_SIZE_MIN
#define SELFTEST_SAMPLE sizeof(struct vsamp_record_sample)
/* samples that fit into an empty ring */
#define SELFTEST_FIT ((SELFTEST_RING_SIZE - RING_KEEP) / SELFTEST_SAMPLE)

static wait_queue_head_t selftest_wait;

static int selftest_failures;

#define EXPECT(condition) selftest_expect(condition, __func__, #condition)

static void selftest_expect(bool good, const char *test, const char *what)
{
	if (good)
		return;
	selftest_failures++;
	pr_err("vsamp: %s failed: %s\n", test, what);
}

static void selftest_nmi(struct ring *ring, u64 time)
{
	struct pt_regs regs = { .ip = time, .cs = 3 };

	ring_sample(ring, &regs, time, ring_header(VSAMP_RECORD_SAMPLE, SELFTEST_SAMPLE, 0));
}

static void selftest_state(struct ring *ring, u64 time)
{
	struct vsamp_record_state state = {
		.h.type = VSAMP_RECORD_STATE,
		.h.size = sizeof(state),
		.time = time,
	};

	ring_write(ring, &state, 0);
}

static struct vsamp_record_sample *selftest_at(struct ring *ring, u64 pos)
{
	return (void *)ring->data + (pos & ring->mask);
}

static bool selftest_adds_up(struct ring *ring, u64 produced, u64 written)
{
	u64 p, w, l;

	ring_counts(ring, &p, &w, &l);
	return p == produced && w == written && p == w + l;
}

/* A CLOCK record comes with the first sample; keep it out of the following */
static void selftest_no_clock(struct ring *ring)
{
	ring->next_clock = U64_MAX;
	ring->attention = U64_MAX;
}

static void selftest_plain(struct ring *ring)
{
	selftest_nmi(ring, 5);
	EXPECT(ring->page->head == SELFTEST_SAMPLE);
	EXPECT(selftest_at(ring, 0)->time == 5);
	EXPECT(selftest_at(ring, 0)->h.flags == VSAMP_SAMPLE_USER);
	EXPECT(selftest_at(ring, 0)->tid == current->pid);
	EXPECT(selftest_adds_up(ring, 1, 1));
}

static void selftest_full(struct ring *ring)
{
	const struct vsamp_record_lost *lost;
	u64 head;
	int i;

	for (i = 0; i < SELFTEST_FIT + 7; i++)
		selftest_nmi(ring, i);
	head = ring->page->head;
	EXPECT(head == SELFTEST_FIT * SELFTEST_SAMPLE);
	EXPECT(selftest_adds_up(ring, SELFTEST_FIT + 7, SELFTEST_FIT));
	/* what isn't a sample still fits, behind the word of the loss */
	selftest_state(ring, 1000);
	lost = (void *)selftest_at(ring, head);
	EXPECT(lost->h.type == VSAMP_RECORD_LOST && lost->count == 7 && lost->time == 1000);
	EXPECT(selftest_at(ring, head + sizeof(*lost))->h.type == VSAMP_RECORD_STATE);
	/* room again: no loss left to tell */
	ring->page->tail = ring->page->head;
	head = ring->page->head;
	selftest_nmi(ring, 1001);
	EXPECT(selftest_at(ring, head)->h.type == VSAMP_RECORD_SAMPLE);
	EXPECT(selftest_adds_up(ring, SELFTEST_FIT + 9, SELFTEST_FIT + 2));
}

/* A record across the end is in one piece, and what lies before it untouched */
static void selftest_wrap(struct ring *ring)
{
	u64 pos = SELFTEST_RING_SIZE - 8;

	ring->reserve = pos;
	ring->page->tail = pos;
	selftest_nmi(ring, 77);
	EXPECT(ring->page->head == pos + SELFTEST_SAMPLE);
	EXPECT(selftest_at(ring, pos)->time == 77);
	EXPECT(*(u64 *)ring->data == 77);
	/* positions don't end at 4 GB */
	pos = (1ULL << 32) - 16;
	ring->reserve = pos;
	ring->page->tail = pos;
	selftest_nmi(ring, 78);
	EXPECT(ring->page->head == pos + SELFTEST_SAMPLE);
}

/* Whatever the reader writes, it gives no room that isn't there */
static void selftest_hostile(struct ring *ring)
{
	static const u64 tails[] = { SELFTEST_SAMPLE + 8, U64_MAX, 1ULL << 63, 1ULL << 32 };
	u64 produced = 1;
	int i;

	selftest_nmi(ring, 1);
	for (i = 0; i < ARRAY_SIZE(tails); i++, produced += 2) {
		ring->page->tail = tails[i];
		ring->page->head = tails[i];
		selftest_nmi(ring, 2);
		selftest_state(ring, 2);
		EXPECT(ring->reserve == SELFTEST_SAMPLE);
	}
	EXPECT(selftest_adds_up(ring, produced, 1));
	ring->reserve = 10 * SELFTEST_RING_SIZE;
	ring->page->tail = 0;
	selftest_nmi(ring, 3);
	EXPECT(selftest_adds_up(ring, produced + 1, 1));
	/* the head is stored, never read */
	ring->page->tail = ring->reserve;
	ring->page->head = 12345;
	selftest_nmi(ring, 4);
	EXPECT(ring->page->head == ring->reserve);
}

/* An NMI cuts a writer: its record is published by the writer, never before that one's own */
static void selftest_nested(struct ring *ring)
{
	bool nested;
	u64 pos;

	pos = ring_begin(ring, 24, 0, &nested);
	EXPECT(pos == 0 && !nested);
	selftest_nmi(ring, 1);
	selftest_state(ring, 2);
	EXPECT(ring->page->head == 0);
	EXPECT(ring->reserve == 24 + SELFTEST_SAMPLE + sizeof(struct vsamp_record_state));
	ring_end(ring, nested);
	EXPECT(ring->page->head == ring->reserve);
	EXPECT(!ring->busy);
	/* and when there was no room */
	ring->reserve = 0;
	ring->page->tail = 1;
	EXPECT(ring_begin(ring, 24, 0, &nested) == U64_MAX);
	ring->page->tail = 0;
	selftest_nmi(ring, 3);
	ring_end(ring, nested);
	EXPECT(ring->page->head == SELFTEST_SAMPLE);
}

static void selftest_watermark(struct ring *ring)
{
	int i;

	EXPECT(!ring_wants_reader(ring));
	for (i = 0; i < SELFTEST_RING_SIZE / 4 / SELFTEST_SAMPLE - 1; i++)
		selftest_nmi(ring, i);
	EXPECT(!ring->woken);
	EXPECT(!ring_wants_reader(ring));
	selftest_nmi(ring, i);
	EXPECT(ring->woken);
	EXPECT(ring_wants_reader(ring));
}

static void selftest_clock(struct ring *ring)
{
	ring->attention = 0;
	ring->next_clock = 1000;
	selftest_nmi(ring, 999);
	EXPECT(ring->page->head == SELFTEST_SAMPLE);
	EXPECT(ring->attention == 1000);
	selftest_nmi(ring, 1000);
	EXPECT(selftest_at(ring, 2 * SELFTEST_SAMPLE)->h.type == VSAMP_RECORD_CLOCK);
	EXPECT(ring->next_clock > 1000);
}

int __init selftest_run(void)
{
	static void (* const tests[])(struct ring *ring) = {
		selftest_plain, selftest_full, selftest_wrap, selftest_hostile, selftest_nested,
		selftest_watermark, selftest_clock,
	};
	unsigned long flags;
	struct ring *ring;
	int i;

	init_waitqueue_head(&selftest_wait);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		ring = ring_alloc(0, SELFTEST_RING_SIZE, SELFTEST_RING_SIZE / 4, &selftest_wait);
		if (!ring)
			return -ENOMEM;
		selftest_no_clock(ring);
		local_irq_save(flags);
		tests[i](ring);
		local_irq_restore(flags);
		ring_free(ring);
	}
	if (selftest_failures)
		return -EINVAL;
	pr_info("vsamp: %zu self-tests passed\n", ARRAY_SIZE(tests));
	return 0;
}
