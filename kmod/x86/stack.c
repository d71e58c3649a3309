// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/unwind.h>

#include "arch.h"

/* Where the user came in there's no return address, and nothing is missing */
static bool stack_at_user(struct unwind_state *state)
{
	struct pt_regs *regs = unwind_get_entry_regs(state, NULL);

	return regs && user_mode(regs);
}

u32 arch_stack_kernel(struct pt_regs *regs, u64 *ip, u32 max, bool *cut)
{
	struct unwind_state state;
	u64 at, begin = 0;
	u32 n = 0;

	if (regs->flags & X86_EFLAGS_FIXED) {
		unwind_start(&state, current, regs, NULL);
	} else {
		/* not of an interrupt: perf wrote down where a function was called */
		unwind_start(&state, current, NULL, (void *)regs->sp);
		begin = regs->ip;
	}
	for (; !unwind_done(&state); unwind_next_frame(&state)) {
		at = unwind_get_return_address(&state);
		if (!at || n == max) {
			*cut = !stack_at_user(&state);
			return n;
		}
		if (at != begin)
			ip[n++] = at;
		begin = 0;
	}
	*cut = unwind_error(&state);
	return n;
}
