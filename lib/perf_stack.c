// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/perf_event.h>

#include <vsamp/control.h>

#include "perf_stack.h"
#include "record.h"

#define LIMIT_DEFAULT 127

uint32_t perf_stacks_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	uint32_t limit = LIMIT_DEFAULT;

	if (f) {
		if (fscanf(f, "%u", &limit) != 1)
			limit = LIMIT_DEFAULT;
		fclose(f);
	}
	return limit;
}

uint32_t vsamp_stack_depth_max(uint32_t backend)
{
	uint32_t limit = backend == VSAMP_BACKEND_PERF ? perf_stacks_limit() : UINT32_MAX;

	return limit < VSAMP_STACK_DEPTH_MAX ? limit : VSAMP_STACK_DEPTH_MAX;
}

void perf_stacks_plan(struct perf_stacks *s, uint32_t sides, uint32_t depth, uint32_t limit)
{
	*s = (struct perf_stacks){ .sides = sides, .depth = depth ? depth : VSAMP_STACK_DEPTH_MAX };
	/* a side has the ip itself, the frames, and one more that says there is more */
	s->chain_max = (s->depth + 2) *
		       (!!(sides & VSAMP_STACKS_KERNEL) + !!(sides & VSAMP_STACKS_USER));
	if (s->chain_max > limit)
		s->chain_max = limit;
}

/* What becomes of a chain, entry by entry */
struct chain {
	const struct perf_stacks *s;
	uint64_t side;	  /* the marker that was last; 0: none */
	bool skip;	  /* the next entry of the sample's side is its ip */
	uint32_t entries; /* markers apart */
	struct vsamp_stack *to;
};

static void chain_frame(struct chain *c, uint16_t *frames, uint32_t cut, uint64_t ip)
{
	if (*frames == c->s->depth) {
		c->to->flags |= cut;
		return;
	}
	c->to->ip[c->to->kernel + c->to->user] = ip;
	(*frames)++;
}

static void chain_entry(struct chain *c, bool in_kernel, uint64_t ip)
{
	/* What the user's stack has may look like a marker; after it there is none */
	if (ip >= PERF_CONTEXT_MAX) {
		if (c->side != PERF_CONTEXT_USER)
			c->side = ip;
		return;
	}
	c->entries++;
	if (c->side != PERF_CONTEXT_KERNEL && c->side != PERF_CONTEXT_USER)
		return;
	if (c->skip && (c->side == PERF_CONTEXT_KERNEL) == in_kernel) {
		c->skip = false;
		return;
	}
	if (c->side == PERF_CONTEXT_USER)
		chain_frame(c, &c->to->user, VSAMP_STACK_USER_CUT, ip);
	else
		chain_frame(c, &c->to->kernel, VSAMP_STACK_KERNEL_CUT, ip);
}

/* A chain that ended at the limit lacks frames of the side it ended in, and all of those behind */
static void chain_end(struct chain *c)
{
	if (c->entries < c->s->chain_max)
		return;
	if (c->s->sides & VSAMP_STACKS_USER)
		c->to->flags |= VSAMP_STACK_USER_CUT;
	if (c->side == PERF_CONTEXT_KERNEL)
		c->to->flags |= VSAMP_STACK_KERNEL_CUT;
}

int perf_stack_convert(const struct perf_stacks *s, bool in_kernel, const void *chain, size_t size,
		       struct vsamp_stack *to)
{
	struct chain c = { .s = s, .skip = true, .to = to };
	uint64_t n, ip;

	if (size < sizeof(n))
		return -EBADMSG;
	memcpy(&n, chain, sizeof(n));
	if (n > size / sizeof(ip) - 1)
		return -EBADMSG;
	*to = (struct vsamp_stack){ 0 };
	for (uint64_t i = 1; i <= n; i++) {
		memcpy(&ip, (const uint64_t *)chain + i, sizeof(ip));
		chain_entry(&c, in_kernel, ip);
	}
	if (n)
		chain_end(&c);
	return record_sample_size(to->kernel + to->user) - sizeof(struct vsamp_record_sample);
}
