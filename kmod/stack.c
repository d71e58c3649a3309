// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks: the callers of a sample's ip
 *
 * Called in an NMI: takes no lock, and takes no longer than the depth allows. The kernel's callers
 * are found by its own unwinder. The user's are found by frame pointers, in memory that anybody may
 * have written: a page that isn't there isn't fetched, and each frame has to be above the last.
 *
 * What is on a user's stack is known for whole only where the chain ends as it should, in a frame
 * pointer of 0. All else is called cut.
 */
#include <linux/ptrace.h>

#include "stack.h"
#include "user_ip.h"

/* What a function pushes first: the caller's frame pointer, and below where that goes on */
struct stack_frame {
	u64 fp;
	u64 ip;
};

static bool stack_read_frame(u64 at, u32 word, struct stack_frame *frame)
{
	u32 narrow[2];

	if (word == sizeof(u64))
		return arch_copy_from_user(frame, at, sizeof(*frame));
	if (!arch_copy_from_user(narrow, at, sizeof(narrow)))
		return false;
	frame->fp = narrow[0];
	frame->ip = narrow[1];
	return true;
}

/* Return: how many; @cut: there are more */
static u32 stack_walk_user(const struct user_regs *user, u64 *ip, u32 max, bool *cut)
{
	u64 mask = user->word == sizeof(u32) ? U32_MAX : U64_MAX;
	u64 fp = user->fp & mask, floor = user->sp & mask;
	struct stack_frame frame;
	u32 n;

	*cut = true;
	if (!user->word)
		return 0;
	for (n = 0; fp; n++) {
		if (n == max || fp < floor || fp % user->word ||
		    !stack_read_frame(fp, user->word, &frame))
			return n;
		ip[n] = arch_return_ip(frame.ip);
		if (!ip[n])
			return n;
		floor = fp + 2 * user->word;
		fp = frame.fp;
	}
	*cut = false;
	return n;
}

static void stack_take_user(struct vsamp_stack *stack, struct pt_regs *regs, bool in_user,
			    u32 depth)
{
	u64 *ip = stack->ip + stack->kernel;
	struct user_regs user;
	bool cut;

	user_regs(regs, &user);
	if (!user.ip)
		return;
	if (!in_user)
		ip[stack->user++] = user.ip;
	stack->user += stack_walk_user(&user, ip + stack->user, depth - stack->user, &cut);
	if (cut)
		stack->flags |= VSAMP_STACK_USER_CUT;
}

/*
 * stack_take() - fill in the stack behind a sample
 * @stack: with room for STACK_ROOM(depth) frames
 * @flags: the sample's, which say whether its ip is the user's
 * @stacks: VSAMP_STACKS_*, what was asked for
 * @depth: frames of either side, at most; not 0
 */
void stack_take(struct vsamp_stack *stack, struct pt_regs *regs, u16 flags, u32 stacks, u32 depth)
{
	bool in_user = flags & VSAMP_SAMPLE_USER;	/* with SKID, too */
	bool cut;

	*stack = (struct vsamp_stack) {};
	if (stacks & VSAMP_STACKS_KERNEL && !in_user) {
		stack->kernel = arch_stack_kernel(regs, stack->ip, depth, &cut);
		if (cut)
			stack->flags |= VSAMP_STACK_KERNEL_CUT;
	}
	if (stacks & VSAMP_STACKS_USER)
		stack_take_user(stack, regs, in_user, depth);
}
