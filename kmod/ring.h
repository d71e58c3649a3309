/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_RING_H
#define _VSAMP_RING_H

#include <linux/compiler.h>
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <asm/local.h>
#include <asm/ptrace.h>

#include <vsamp.h>

struct page;
struct vm_area_struct;

/* Flags in a sample's header as a number, see ring_header() */
#define RING_USER ((u64)VSAMP_SAMPLE_USER << 48)
#define RING_SKID ((u64)VSAMP_SAMPLE_SKID << 48)

/* What is kept free of samples, so that the end of a run is told in a full ring, too */
#define RING_KEEP 256

/* Writers that may cut one another and make samples: of a task, a softirq, an interrupt, an NMI */
#define RING_STACK_LEVELS 4

/*
 * struct ring - the records of one CPU
 * @reserve: position up to which room was given away
 * @attention: a sample taken at this time or later goes the slow way: a CLOCK record is due, or
 *	records were lost (then 0)
 * @soft: a sample that finds the ring this full goes the slow way, too
 * @busy: a writer that can be cut is between reserving and publishing
 * @pending: records lost since the last LOST record
 * @mute: no records are made
 * @stacks: VSAMP_STACKS_*, that samples have: each takes the slow way
 * @stack_level: writers that make a sample with a stack now, each in its part of @stack_room
 * @clock_later: samples of the same time may follow: a CLOCK record that is due has to wait
 *
 * Only its own CPU writes to a ring: the NMI handler, and others that can't be preempted. What the
 * reader maps is @page and the data; @page is written here, and never believed.
 */
struct ring {
	u8 *data;
	u64 mask;
	u64 reserve;
	struct vsamp_ring_page *page;
	u64 attention;
	u64 soft;
	local_t produced;
	local_t written;

	unsigned int busy;
	int cpu;
	bool mute;
	bool clock_later;
	u32 stacks;
	u32 stack_depth;
	unsigned int stack_level;
	u32 stack_room_size;
	void *stack_room;
	local_t pending;
	local_t lost;
	u64 next_clock;
	u64 size;
	u64 watermark;
	bool woken;
	struct irq_work wake;
	wait_queue_head_t *wait;
	struct page **pages;
	unsigned int page_count;
} ____cacheline_aligned;

struct ring *ring_alloc(int cpu, u32 size, u32 watermark, wait_queue_head_t *wait);
int ring_alloc_stacks(struct ring *ring, u32 stacks, u32 depth);
u32 ring_stacks_size(u32 depth);
void ring_free(struct ring *ring);
int ring_mmap_page(struct ring *ring, struct vm_area_struct *vma);
int ring_mmap_data(struct ring *ring, struct vm_area_struct *vma);

bool ring_write(struct ring *ring, void *record, u32 keep);
bool ring_has_room(struct ring *ring, u32 size, u32 keep);
void ring_sample_slow(struct ring *ring, struct pt_regs *regs, u64 time, u64 header);
void ring_clock(struct ring *ring, u64 time);
void ring_lose(struct ring *ring);
void ring_counts(struct ring *ring, u64 *produced, u64 *written, u64 *lost);
bool ring_has_data(struct ring *ring);
bool ring_wants_reader(struct ring *ring);

/* The pieces of ring_write(), apart for the self-tests, which cut in between them */
u64 ring_begin(struct ring *ring, u32 size, u32 keep, u64 *time, bool *nested);
void ring_end(struct ring *ring, bool nested);

/*
 * Bytes between the reader's tail and a position. A tail ahead of the position, or too far behind,
 * gives more than the ring's size: full.
 */
static __always_inline u64 ring_used(struct ring *ring, u64 pos)
{
	u64 tail = READ_ONCE(ring->page->tail);

	return tail <= pos ? pos - tail : U64_MAX;
}

static __always_inline void
ring_sample_fill(struct vsamp_record_sample *sample, struct pt_regs *regs, u64 time, u64 header)
{
	struct task_struct *task = current;

	if (unlikely(task->flags & PF_VCPU))
		header |= (u64)VSAMP_SAMPLE_GUEST << 48;
	*(u64 *)&sample->h = header;
	sample->time = time;
	sample->ip = instruction_pointer(regs);
	sample->pid = task->tgid;
	sample->tid = task->pid;
}

/* Whether an event of user mode only is seen in the kernel */
static __always_inline bool ring_sample_skids(struct pt_regs *regs, u64 header)
{
	return !user_mode(regs) && header & RING_USER;
}

/*
 * ring_sample() - write a sample
 * @header: of the record, as a number; with RING_USER if the event is one of user mode only. The
 *	flags are added.
 *
 * Called in an NMI only, ring_sample_slow() is for all else. Nothing cuts an NMI, so it moves the
 * position by plain stores; the writer that it may have cut sees that its own local cmpxchg fails,
 * and publishes this record with its own.
 */
static __always_inline void ring_sample(struct ring *ring, struct pt_regs *regs, u64 time,
					u64 header)
{
	struct vsamp_record_sample *sample;
	u64 pos = ring->reserve;
	u64 end = pos + sizeof(*sample);

	if (unlikely(ring_used(ring, pos) >= ring->soft || time >= ring->attention ||
		     ring_sample_skids(regs, header))) {
		ring_sample_slow(ring, regs, time, header);
		return;
	}
	if (user_mode(regs))
		header |= RING_USER;
	sample = (void *)ring->data + (pos & ring->mask);
	ring_sample_fill(sample, regs, time, header);
	WRITE_ONCE(ring->reserve, end);
	local_inc(&ring->produced);
	local_inc(&ring->written);
	if (likely(!READ_ONCE(ring->busy)))
		smp_store_release(&ring->page->head, end);	/* behind the record */
}

/* The header of a record, as ring_sample() takes it */
static inline u64 ring_header(u16 type, u16 size, u16 event)
{
	return type | (u64)size << 16 | (u64)event << 32;
}

#endif /* _VSAMP_RING_H */
