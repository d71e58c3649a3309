// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: how records get from an NMI to a reader that maps them
 *
 * DOC: publishing
 *
 * Writers of one CPU nest like a stack: none is preempted, but a task may be cut by an interrupt,
 * and that by an NMI, which nothing cuts. Which of them write depends on the backend: intel does
 * with interrupts off and in its NMI; kperf wherever perf calls it, which is in NMIs, interrupts
 * (timers, and PMUs without an NMI) and tasks (page faults, say).
 *
 * A record's room is reserved by moving @reserve; ring_sample(), in an NMI, does that by a plain
 * store, all others by a cmpxchg that fails if somebody came in between. A record may be published
 * when all records before it are written, so only the outermost writer publishes: while @busy is
 * set, whoever cuts it leaves that to it.
 *
 *	outermost writer		one that cuts it here	who publishes that one's record
 *	busy = 1
 *	reserve, write			busy is set		the writer: it loads reserve later
 *	pos = reserve
 *	head = pos			busy is set		nobody yet: pos is too old
 *	busy = 0			busy is clear		the NMI
 *	reserve == pos ?
 *
 * The last line finds the fourth: if it fails, the writer takes busy again and publishes what was
 * added. If that had been published already, it only stores the same head again.
 *
 * DOC: order
 *
 * Records are to be in the order of their times. A writer that may be cut after it has looked at
 * the clock has ring_begin() do that: between the load of @reserve and the cmpxchg, which fails if
 * a record with a later time came in between.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "clock.h"
#include "compat.h"
#include "ring.h"
#include "stack.h"
#include "user_ip.h"

static void ring_wake(struct irq_work *work)
{
	struct ring *ring = container_of(work, struct ring, wake);

	wake_up_interruptible_poll(ring->wait, EPOLLIN | EPOLLRDNORM);
}

static void ring_free_pages(struct ring *ring)
{
	unsigned int i;

	for (i = 0; i < ring->page_count && ring->pages[i]; i++)
		__free_page(ring->pages[i]);
	kvfree(ring->pages);
}

/* The pages are listed twice, for two mappings in a row */
static int ring_alloc_pages(struct ring *ring, int node)
{
	unsigned int i, n = ring->size >> PAGE_SHIFT;

	ring->pages = kvcalloc(2 * n, sizeof(*ring->pages), GFP_KERNEL_ACCOUNT);
	if (!ring->pages)
		return -ENOMEM;
	ring->page_count = n;
	for (i = 0; i < n; i++) {
		ring->pages[i] = alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO, 0);
		if (!ring->pages[i])
			return -ENOMEM;
		ring->pages[n + i] = ring->pages[i];
	}
	ring->data = vmap(ring->pages, 2 * n, VM_MAP, PAGE_KERNEL);
	return ring->data ? 0 : -ENOMEM;
}

struct ring *ring_alloc(int cpu, u32 size, u32 watermark, wait_queue_head_t *wait)
{
	struct ring *ring;
	int node = cpu_to_node(cpu);

	ring = kzalloc_node(sizeof(*ring), GFP_KERNEL_ACCOUNT, node);
	if (!ring)
		return NULL;
	ring->cpu = cpu;
	ring->size = size;
	ring->mask = size - 1;
	/* reached before the ring is too full for a sample */
	ring->watermark = min(watermark, size - 2 * RING_KEEP);
	ring->soft = max_t(s64, ring->watermark - sizeof(struct vsamp_record_sample), 0);
	ring->wait = wait;
	init_irq_work(&ring->wake, ring_wake);
	ring->page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!ring->page || ring_alloc_pages(ring, node)) {
		ring_free(ring);
		return NULL;
	}
	ring->page->version = VSAMP_RING_VERSION;
	ring->page->cpu = cpu;
	ring->page->data_size = size;
	return ring;
}

static u32 ring_stack_room(u32 depth)
{
	return sizeof(struct vsamp_record_sample) + sizeof(struct vsamp_stack) +
	       STACK_ROOM(depth) * sizeof(u64);
}

/* Bytes that a ring takes more if its samples have stacks */
u32 ring_stacks_size(u32 depth)
{
	return RING_STACK_LEVELS * ring_stack_room(depth);
}

/*
 * ring_alloc_stacks() - samples will have stacks
 *
 * They are made in memory of the ring's, since how large one is shows only when it is there, and
 * then are written like any record. None takes the fast way: that is always too full.
 */
int ring_alloc_stacks(struct ring *ring, u32 stacks, u32 depth)
{
	u32 room = ring_stack_room(depth);

	ring->stack_room = kvzalloc_node(ring_stacks_size(depth), GFP_KERNEL_ACCOUNT,
					 cpu_to_node(ring->cpu));
	if (!ring->stack_room)
		return -ENOMEM;
	ring->stack_room_size = room;
	ring->stack_depth = depth;
	ring->stacks = stacks;
	ring->soft = 0;
	/* reached before the ring is too full for the largest, as in ring_alloc() */
	ring->watermark = min_t(u64, ring->watermark, ring->size - 2 * RING_KEEP - room);
	return 0;
}

/* No writer may be left; mappings keep the pages, not the ring */
void ring_free(struct ring *ring)
{
	irq_work_sync(&ring->wake);
	vunmap(ring->data);
	if (ring->pages)
		ring_free_pages(ring);
	free_page((unsigned long)ring->page);
	kvfree(ring->stack_room);
	kfree(ring);
}

int ring_mmap_page(struct ring *ring, struct vm_area_struct *vma)
{
	struct page *page = virt_to_page(ring->page);

	compat_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYEXEC);
	return vm_map_pages_zero(vma, &page, 1);
}

int ring_mmap_data(struct ring *ring, struct vm_area_struct *vma)
{
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	if (vma->vm_end - vma->vm_start != 2 * ring->size)
		return -EINVAL;
	compat_vm_flags(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP, VM_MAYWRITE | VM_MAYEXEC);
	return vm_map_pages_zero(vma, ring->pages, 2 * ring->page_count);
}

/*
 * ring_begin() - reserve room
 * @keep: bytes that must stay free
 * @time: if 0, set to the time of the reservation
 * @nested: returns whether a writer further out is to publish
 *
 * Return: the position, or U64_MAX when there is no room. ring_end() has to follow in both cases.
 */
u64 ring_begin(struct ring *ring, u32 size, u32 keep, u64 *time, bool *nested)
{
	bool stamp = !*time;
	u64 pos;

	*nested = READ_ONCE(ring->busy);
	WRITE_ONCE(ring->busy, 1);
	do {
		pos = READ_ONCE(ring->reserve);
		barrier();	/* then the time */
		if (stamp)
			*time = clock_read();
		if (ring_used(ring, pos) > ring->size - keep - size)
			return U64_MAX;
	} while (cmpxchg_local(&ring->reserve, pos, pos + size) != pos);
	return pos;
}

/*
 * ring_end() - publish what was written since ring_begin(), if it is the outermost
 */
void ring_end(struct ring *ring, bool nested)
{
	u64 pos;

	if (nested)
		return;
	do {
		WRITE_ONCE(ring->busy, 1);
		barrier();	/* an NMI from here on leaves its record to the store below */
		pos = READ_ONCE(ring->reserve);
		smp_store_release(&ring->page->head, pos);	/* behind the records */
		barrier();
		WRITE_ONCE(ring->busy, 0);
		barrier();	/* an NMI from here on publishes by itself */
	} while (READ_ONCE(ring->reserve) != pos);
}

static void ring_put_lost(struct ring *ring, u64 pos, u64 count, u64 time)
{
	struct vsamp_record_lost *lost = (void *)ring->data + (pos & ring->mask);

	lost->h = (struct vsamp_record_header) {
		.type = VSAMP_RECORD_LOST,
		.size = sizeof(*lost),
	};
	lost->time = time;
	lost->count = count;
}

/* An NMI that loses a record in between has set attention to 0, and pending before that */
static void ring_set_attention(struct ring *ring)
{
	WRITE_ONCE(ring->attention, ring->next_clock);
	barrier();
	if (local_read(&ring->pending))
		WRITE_ONCE(ring->attention, 0);
}

/* The barrier pairs with the one in ring_wants_reader() */
static void ring_check_watermark(struct ring *ring)
{
	if (ring_used(ring, READ_ONCE(ring->reserve)) < ring->watermark)
		return;
	smp_mb();	/* the position, then woken */
	if (READ_ONCE(ring->woken))
		return;
	WRITE_ONCE(ring->woken, true);
	irq_work_queue(&ring->wake);
}

/*
 * ring_write() - write any record, behind a LOST record if some were lost
 * @record: begins with a struct vsamp_record_header, which has the size, and the time; a time of 0
 *	is set to the present
 * @keep: bytes that must stay free: RING_KEEP or 0
 *
 * Called on the ring's CPU, where it can't be preempted.
 *
 * Return: whether there was room
 */
bool ring_write(struct ring *ring, void *record, u32 keep)
{
	u32 size = ((struct vsamp_record_header *)record)->size;
	u64 *time = (u64 *)record + 1;
	u32 lost_size;
	unsigned long lost;
	bool nested;
	u64 pos;

	if (ring->mute)
		return true;
	local_inc(&ring->produced);
	lost = local_xchg(&ring->pending, 0);
	lost_size = lost ? sizeof(struct vsamp_record_lost) : 0;
	pos = ring_begin(ring, lost_size + size, keep, time, &nested);
	if (pos == U64_MAX) {
		local_inc(&ring->lost);
		local_add(lost + 1, &ring->pending);
	} else {
		if (lost)
			ring_put_lost(ring, pos, lost, *time);
		memcpy(ring->data + ((pos + lost_size) & ring->mask), record, size);
		local_inc(&ring->written);
	}
	ring_end(ring, nested);
	ring_set_attention(ring);
	ring_check_watermark(ring);
	return pos != U64_MAX;
}

/*
 * ring_has_room() - whether a record would find room; called like ring_write()
 */
bool ring_has_room(struct ring *ring, u32 size, u32 keep)
{
	if (local_read(&ring->pending))
		size += sizeof(struct vsamp_record_lost);
	return ring_used(ring, READ_ONCE(ring->reserve)) <= ring->size - keep - size;
}

static void ring_write_sample(struct ring *ring, struct vsamp_record_sample *sample,
			      struct pt_regs *regs, u64 time, u64 header)
{
	u64 ip;

	if (user_mode(regs))
		header |= RING_USER;
	ring_sample_fill(sample, regs, time, header);
	if (ring_sample_skids(regs, header)) {
		ip = user_ip(regs);
		sample->h.flags ^= ip ? VSAMP_SAMPLE_SKID : VSAMP_SAMPLE_USER;
		sample->ip = ip ?: instruction_pointer(regs);
	}
	if (ring->stacks) {
		struct vsamp_stack *stack = (void *)(sample + 1);

		stack_take(stack, regs, sample->h.flags, ring->stacks, ring->stack_depth);
		sample->h.flags |= VSAMP_SAMPLE_STACK;
		sample->h.size += stack_size(stack);
	}
	ring_write(ring, sample, RING_KEEP);
	if (!ring->clock_later)
		ring_clock(ring, sample->time);
}

/* Who cuts a writer ends before that goes on: the level needs no atomics */
static void ring_sample_stack(struct ring *ring, struct pt_regs *regs, u64 time, u64 header)
{
	unsigned int level = READ_ONCE(ring->stack_level);
	void *room = ring->stack_room + level * ring->stack_room_size;

	if (WARN_ON_ONCE(level == RING_STACK_LEVELS)) {
		ring_lose(ring);
		return;
	}
	WRITE_ONCE(ring->stack_level, level + 1);
	barrier();	/* who comes in from here on has another room */
	ring_write_sample(ring, room, regs, time, header);
	barrier();
	WRITE_ONCE(ring->stack_level, level);
}

/*
 * ring_sample_slow() - write a sample where something else may be to do, too: when a CLOCK record
 *	is due, the reader waits, or records were lost, if it is one of an event of user mode only
 *	that is seen in the kernel, or if samples have stacks; or wherever ring_sample() can't be
 *	called
 * @time: 0: the present
 *
 * Called like ring_write().
 */
void ring_sample_slow(struct ring *ring, struct pt_regs *regs, u64 time, u64 header)
{
	struct vsamp_record_sample sample;

	if (ring->stacks)
		ring_sample_stack(ring, regs, time, header);
	else
		ring_write_sample(ring, &sample, regs, time, header);
}

/*
 * ring_clock() - write a CLOCK record if one is due; called like ring_write()
 */
void ring_clock(struct ring *ring, u64 time)
{
	if (time >= ring->next_clock)
		clock_write(ring, RING_KEEP);
}

/*
 * ring_lose() - count a record that could not be made
 */
void ring_lose(struct ring *ring)
{
	local_inc(&ring->produced);
	local_inc(&ring->lost);
	local_inc(&ring->pending);
	WRITE_ONCE(ring->attention, 0);
}

/* As of one moment, if called on the ring's CPU with interrupts off, or when nothing runs there */
void ring_counts(struct ring *ring, u64 *produced, u64 *written, u64 *lost)
{
	do {
		*produced = local_read(&ring->produced);
		barrier();
		*written = local_read(&ring->written);
		*lost = local_read(&ring->lost);
		barrier();
	} while (*produced != local_read(&ring->produced));
}

/* The following are called on any CPU */

bool ring_has_data(struct ring *ring)
{
	return ring_used(ring, READ_ONCE(ring->reserve)) != 0;
}

/* Whether the watermark is reached; if not, the writer wakes the reader when it is */
bool ring_wants_reader(struct ring *ring)
{
	WRITE_ONCE(ring->woken, false);
	smp_mb();	/* pairs with ring_check_watermark() */
	return ring_used(ring, READ_ONCE(ring->reserve)) >= ring->watermark;
}
