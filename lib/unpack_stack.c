// SPDX-License-Identifier: MIT
/* unpack_stack.c: the stacks of a chunk's samples, back from the tree of their frames */
#include "pack.h"
#include "varint.h"

static int read_frame(struct unpack *u, struct unpack_frame *f)
{
	const uint8_t *low = u->at[PACK_FRAME_IP];
	uint64_t back, region;

	if (get_varint(&u->at[PACK_CALLERS], u->end[PACK_CALLERS], &back) || back > u->n_frames ||
	    get_varint(&u->at[PACK_FRAME_REGION], u->end[PACK_FRAME_REGION], &region) ||
	    region >= u->n_regions)
		return -EBADMSG;
	*f = (struct unpack_frame){
		.ip = u->regions[region] << 16 | low[0] | low[1] << 8,
		.caller = back ? u->n_frames + 1 - back : 0,
		.depth = 1,
	};
	if (f->caller)
		f->depth += u->frames[f->caller - 1].depth;
	u->at[PACK_FRAME_IP] += 2;
	return f->depth <= 2 * VSAMP_STACK_DEPTH_MAX ? 0 : -EBADMSG;
}

static int read_stack(struct unpack *u, struct unpack_stack *s, uint64_t *frame)
{
	uint64_t step, what;
	uint32_t depth;

	if (get_varint(&u->at[PACK_STACKS], u->end[PACK_STACKS], &step) ||
	    get_varint(&u->at[PACK_STACKS], u->end[PACK_STACKS], &what))
		return -EBADMSG;
	*frame += unzigzag(step);
	if (*frame > u->n_frames)
		return -EBADMSG;
	depth = *frame ? u->frames[*frame - 1].depth : 0;
	if (what >> 2 > depth || what >> 2 > VSAMP_STACK_DEPTH_MAX ||
	    depth - (what >> 2) > VSAMP_STACK_DEPTH_MAX)
		return -EBADMSG;
	*s = (struct unpack_stack){
		.frame = *frame,
		.kernel = what >> 2,
		.user = depth - (what >> 2),
		.flags = what & RECORD_STACK_CUT,
	};
	return 0;
}

int unpack_stack_tables(struct unpack *u)
{
	/* a frame takes two bytes of one column, a stack two of another at least */
	size_t frames = (u->end[PACK_FRAME_IP] - u->at[PACK_FRAME_IP]) / 2;
	size_t stacks = (u->end[PACK_STACKS] - u->at[PACK_STACKS]) / 2;
	uint64_t frame = 0;

	u->frames = malloc((frames + 1) * sizeof(*u->frames) + stacks * sizeof(*u->stacks));
	if (!u->frames)
		return -ENOMEM;
	u->stacks = (void *)(u->frames + frames + 1);
	for (; u->n_frames < frames; u->n_frames++)
		if (read_frame(u, &u->frames[u->n_frames]))
			return -EBADMSG;
	for (; u->at[PACK_STACKS] < u->end[PACK_STACKS]; u->n_stacks++)
		if (read_stack(u, &u->stacks[u->n_stacks], &frame))
			return -EBADMSG;
	return 0;
}

static int next_row(const struct unpack *u, const uint8_t **at, const struct unpack_stack **s)
{
	uint64_t row;

	if (get_varint(at, u->end[PACK_STACK], &row) || row >= u->n_stacks)
		return -EBADMSG;
	*s = &u->stacks[row];
	return 0;
}

int unpack_stack_next(struct unpack *u)
{
	struct vsamp_stack *to = (struct vsamp_stack *)(&u->sample + 1);
	const struct unpack_stack *s;
	__u64 *ip = to->ip;

	if (next_row(u, &u->at[PACK_STACK], &s))
		return -EBADMSG;
	to->kernel = s->kernel;
	to->user = s->user;
	to->flags = s->flags;
	for (uint32_t row = s->frame; row; row = u->frames[row - 1].caller)
		*ip++ = u->frames[row - 1].ip;
	u->sample.h.size = record_sample_size(s->kernel + s->user);
	return 0;
}

int unpack_count_stacks(const struct unpack *u, struct unpack_stack_counts *counts)
{
	const struct unpack_stack *s;

	*counts = (struct unpack_stack_counts){ 0 };
	for (const uint8_t *at = u->at[PACK_STACK]; at < u->end[PACK_STACK];) {
		if (next_row(u, &at, &s))
			return -EBADMSG;
		counts->stacks++;
		counts->kernel_cut += !!(s->flags & VSAMP_STACK_KERNEL_CUT);
		counts->user_cut += !!(s->flags & VSAMP_STACK_USER_CUT);
	}
	return 0;
}
