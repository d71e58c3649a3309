// SPDX-License-Identifier: GPL-2.0
/*
 * Where user mode goes on: for an event of user mode only whose interrupt is taken when the CPU has
 * gone into the kernel already, the nearest that can be told of where the event was; and for
 * stacks, in which the user's callers follow the kernel's
 */
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "arch.h"
#include "user_ip.h"

static void user_regs_saved(struct pt_regs *regs, struct pt_regs *saved, struct user_regs *user)
{
	user->ip = instruction_pointer(saved);
	user->sp = user_stack_pointer(saved);
	user->fp = arch_saved_fp(regs, saved);
	user->word = arch_user_word(saved);
}

/*
 * user_regs() - where the user goes on, and with what
 * @regs: of the interrupt, in the kernel or not
 *
 * Called in an NMI: looks at the task's own stack and takes no lock. In the first instructions of
 * an interrupt's entry it may still give where the task was when it last came into the kernel. A
 * task that never was in user mode, as kernel threads and those that io_uring makes, has none.
 */
void user_regs(struct pt_regs *regs, struct user_regs *user)
{
	struct pt_regs *saved = task_pt_regs(current);

	*user = (struct user_regs) {};
	if (user_mode(regs)) {
		user_regs_saved(regs, regs, user);
		return;
	}
	user->ip = arch_entry_ip(regs);
	if (user->ip) {
		user->fp = arch_user_fp(regs);
		user->word = sizeof(u64);
		return;
	}
	if (current->flags & PF_KTHREAD || !user_mode(saved))
		return;
	user_regs_saved(regs, saved, user);
}

/*
 * user_ip() - where the user goes on, or 0 if that can't be told; see user_regs()
 */
u64 user_ip(struct pt_regs *regs)
{
	struct user_regs user;

	user_regs(regs, &user);
	return user.ip;
}
