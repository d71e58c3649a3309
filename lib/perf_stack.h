/* SPDX-License-Identifier: MIT */
/*
 * perf's call chains, and the stacks of uapi/vsamp.h that are made of them
 *
 * perf has one limit for a whole chain, of both sides and the ip itself, and ends a side where it
 * can't be unwound without a word: only what ends at the limit is known to be cut.
 */
#ifndef PERF_STACK_H
#define PERF_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp.h>

struct perf_stacks {
	uint32_t sides; /* VSAMP_STACKS_*; 0: samples have no chains */
	uint32_t depth; /* frames of either side, at most */
	uint32_t
		chain_max; /* entries of a chain, markers apart: perf_event_attr.sample_max_stack */
};

/* As many entries as tell whether there are more frames, as far as perf's @limit allows; depth 0: all */
void perf_stacks_plan(struct perf_stacks *s, uint32_t sides, uint32_t depth, uint32_t limit);

/* kernel.perf_event_max_stack */
uint32_t perf_stacks_limit(void);

/*
 * Makes a stack of a sample's chain, @size bytes from its count on. @in_kernel: the sample's ip is.
 * There is room for as many frames as the chain has entries. Returns the stack's bytes, or -EBADMSG.
 */
int perf_stack_convert(const struct perf_stacks *s, bool in_kernel, const void *chain, size_t size,
		       struct vsamp_stack *to);

#endif
