/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _VSAMP_STACK_H
#define _VSAMP_STACK_H

#include <linux/types.h>

#include <vsamp.h>

#include "arch.h"

struct pt_regs;

/* Frames that a stack needs room for while it is taken; the record has at most twice the depth */
#define STACK_ROOM(depth) (2 * (depth) + ARCH_STACK_EXTRA)

void stack_take(struct vsamp_stack *stack, struct pt_regs *regs, u16 flags, u32 stacks, u32 depth);

static inline u32 stack_size(const struct vsamp_stack *stack)
{
	return sizeof(*stack) + (stack->kernel + stack->user) * sizeof(stack->ip[0]);
}

#endif /* _VSAMP_STACK_H */
