// SPDX-License-Identifier: MIT
/*
 * pack_stack.c: the stacks of a chunk's samples, as rows of a tree
 *
 * A frame is a row that knows its caller's row; a stack is the row of its innermost frame. Callers
 * come before those that they called.
 */
#include "pack.h"
#include "varint.h"

void pack_stacks_empty(struct pack *p)
{
	struct pack_stacks *s = p->stacks;

	if (!s)
		return;
	pack_table_empty(&s->table);
	s->frame_last = 0;
	s->frames = 0;
	memset(s->hash, 0, sizeof(s->hash));
}

static uint32_t frame_slot(uint64_t ip, uint32_t caller)
{
	uint64_t h = (ip ^ (uint64_t)caller << 40) * 0x9e3779b97f4a7c15ULL;

	return (h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL >> 32 & (2 * PACK_FRAMES_MAX - 1);
}

static int frame_add(struct pack *p, uint64_t ip, uint32_t caller)
{
	struct pack_stacks *s = p->stacks;
	uint32_t region;
	int ret;

	if (s->frames == PACK_FRAMES_MAX)
		return -ENOSPC;
	ret = pack_region(p, ip >> 16, &region);
	if (ret)
		return ret;
	put_varint(&p->column[PACK_CALLERS], caller ? s->frames + 1 - caller : 0);
	put_varint(&p->column[PACK_FRAME_REGION], region);
	p->column[PACK_FRAME_IP].data[p->column[PACK_FRAME_IP].size++] = ip;
	p->column[PACK_FRAME_IP].data[p->column[PACK_FRAME_IP].size++] = ip >> 8;
	s->frame[s->frames++] = (struct pack_frame){ ip, caller };
	return 0;
}

/* The row + 1 of a frame below its caller's; *row is 0 where there is none */
static int frame_row(struct pack *p, uint64_t ip, uint32_t *row)
{
	struct pack_stacks *s = p->stacks;
	const uint32_t caller = *row;
	uint32_t slot;
	int ret;

	for (slot = frame_slot(ip, caller); s->hash[slot];
	     slot = (slot + 1) & (2 * PACK_FRAMES_MAX - 1)) {
		const struct pack_frame *f = &s->frame[s->hash[slot] - 1];

		if (f->ip == ip && f->caller == caller) {
			*row = s->hash[slot];
			return 0;
		}
	}
	ret = frame_add(p, ip, caller);
	if (ret)
		return ret;
	*row = s->frames;
	s->hash[slot] = s->frames;
	return 0;
}

static int stacks_reserve(struct pack *p, size_t frames)
{
	int ret = 0;

	if (!p->stacks) {
		p->stacks = malloc(sizeof(*p->stacks));
		if (!p->stacks)
			return -ENOMEM;
		pack_stacks_empty(p);
	}
	for (int i = PACK_CALLERS; i <= PACK_FRAME_IP && !ret; i++)
		ret = buf_reserve(&p->column[i], frames * VARINT_MAX);
	/* beside what is there for the samples' own */
	return ret ? ret :
		     buf_reserve(&p->column[PACK_REGIONS], PACK_RESERVE + frames * VARINT_MAX);
}

int pack_stack(struct pack *p, const struct vsamp_stack *stack, uint32_t *row)
{
	size_t n = stack->kernel + stack->user;
	int ret = stacks_reserve(p, n);
	uint32_t frame = 0;

	while (n && !ret)
		ret = frame_row(p, stack->ip[--n], &frame);
	if (ret)
		return ret;
	ret = pack_table_row(&p->stacks->table,
			     (uint64_t)frame << 32 | (uint32_t)stack->kernel << 2 | stack->flags,
			     row);
	if (ret == 1) {
		put_varint(&p->column[PACK_STACKS],
			   zigzag((uint64_t)frame - p->stacks->frame_last));
		put_varint(&p->column[PACK_STACKS], (uint32_t)stack->kernel << 2 | stack->flags);
		p->stacks->frame_last = frame;
	}
	return ret < 0 ? ret : 0;
}
