// SPDX-License-Identifier: GPL-2.0
/*
 * Self-tests of the ring, compiled in by DEBUG=1 and run when the module is loaded, which fails if
 * one of them does. They write as an NMI does where it could cut another writer in.
 */
#include <linux/irqflags.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch.h"
#include "ring.h"
#include "selftest.h"
#include "stack.h"

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
	struct pt_regs regs = ARCH_USER_REGS(time);

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
	EXPECT(!ring_has_room(ring, 8, RING_KEEP));
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

/* What is said of room is what a record finds; it needs more behind a loss */
static void selftest_room(struct ring *ring)
{
	struct vsamp_record_state state = { .h.size = sizeof(state) };

	ring->reserve = SELFTEST_RING_SIZE - RING_KEEP - sizeof(state);
	EXPECT(ring_has_room(ring, sizeof(state), RING_KEEP));
	EXPECT(!ring_has_room(ring, sizeof(state) + 8, RING_KEEP));
	local_set(&ring->pending, 1);
	EXPECT(!ring_has_room(ring, sizeof(state), RING_KEEP));
	EXPECT(!ring_write(ring, &state, RING_KEEP));
	local_set(&ring->pending, 0);
	EXPECT(ring_write(ring, &state, RING_KEEP));
	EXPECT(!ring_write(ring, &state, RING_KEEP));
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
	u64 pos, time = 0;
	bool nested;

	pos = ring_begin(ring, 24, 0, &time, &nested);
	EXPECT(pos == 0 && !nested && time);
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
	EXPECT(ring_begin(ring, 24, 0, &time, &nested) == U64_MAX);
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

/* A sample with a stack is one record, of the size it says; no writer has another's room */
static void selftest_stack(struct ring *ring)
{
	struct vsamp_stack *stack = (void *)(selftest_at(ring, 0) + 1);

	u32 others = ring->stack_room_size * (RING_STACK_LEVELS - 1);

	selftest_nmi(ring, 5);
	EXPECT(ring->page->head == SELFTEST_SAMPLE + sizeof(*stack));
	EXPECT(selftest_at(ring, 0)->h.size == ring->page->head);
	EXPECT(selftest_at(ring, 0)->h.flags == (VSAMP_SAMPLE_USER | VSAMP_SAMPLE_STACK));
	EXPECT(!stack->kernel && !stack->user && !stack->flags);
	EXPECT(!ring->stack_level);
	/* the innermost of the writers; the user's stack is as before */
	ring->stack_level = RING_STACK_LEVELS - 1;
	memset(ring->stack_room, 0x55, others);
	selftest_nmi(ring, 6);
	EXPECT(ring->page->head == 2 * (SELFTEST_SAMPLE + sizeof(*stack)));
	EXPECT(!memchr_inv(ring->stack_room, 0x55, others));
	EXPECT(ring->stack_level == RING_STACK_LEVELS - 1);
	EXPECT(selftest_adds_up(ring, 2, 2));
	/* the watermark is reached before the largest finds no room */
	EXPECT(ring->watermark <= SELFTEST_RING_SIZE - RING_KEEP - ring->stack_room_size -
				  sizeof(struct vsamp_record_lost));
}

static struct ring *selftest_alloc(u32 stacks)
{
	struct ring *ring;

	ring = ring_alloc(0, SELFTEST_RING_SIZE, SELFTEST_RING_SIZE / 4, &selftest_wait);
	if (!ring)
		return NULL;
	selftest_no_clock(ring);
	if (stacks && ring_alloc_stacks(ring, stacks, VSAMP_STACK_DEPTH_MAX)) {
		ring_free(ring);
		return NULL;
	}
	return ring;
}

int __init selftest_run(void)
{
	static const struct {
		void (*run)(struct ring *ring);
		u32 stacks;
	} tests[] = {
		{ selftest_plain }, { selftest_full }, { selftest_room }, { selftest_wrap },
		{ selftest_hostile }, { selftest_nested }, { selftest_watermark },
		{ selftest_clock }, { selftest_stack, VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER },
	};
	unsigned long flags;
	struct ring *ring;
	int i;

	init_waitqueue_head(&selftest_wait);
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		ring = selftest_alloc(tests[i].stacks);
		if (!ring)
			return -ENOMEM;
		local_irq_save(flags);
		tests[i].run(ring);
		local_irq_restore(flags);
		ring_free(ring);
	}
	if (selftest_failures)
		return -EINVAL;
	pr_info("vsamp: %zu self-tests passed\n", ARRAY_SIZE(tests));
	return 0;
}
