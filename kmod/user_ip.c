// SPDX-License-Identifier: GPL-2.0
/*
 * Where user mode goes on: for an event of user mode only whose interrupt is taken when the CPU has
 * gone into the kernel already, the nearest that can be told of where the event was
 */
#include <linux/cache.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/msr.h>
#include <asm/ptrace.h>

#include "compat.h"
#include "user_ip.h"

/*
 * The first instructions of the system call's entry, in which the user's registers aren't on the
 * stack yet, but RCX still has the user's ip. It keeps it some way beyond.
 */
#define USER_IP_ENTRY_BYTES 64

static u64 user_ip_entry __ro_after_init;

void __init user_ip_init(void)
{
	user_ip_entry = compat_rdmsr(MSR_LSTAR);
}

/*
 * user_ip() - where the user goes on, or 0 if that can't be told
 * @regs: of the interrupt, in the kernel
 *
 * Called in an NMI: looks at the task's own stack and takes no lock. In the first instructions of
 * an interrupt's entry it may still give where the task was when it last came into the kernel.
 */
u64 user_ip(struct pt_regs *regs)
{
	struct pt_regs *user = task_pt_regs(current);

	if (regs->ip - user_ip_entry < USER_IP_ENTRY_BYTES)
		return regs->cx;
	if (current->flags & PF_KTHREAD || !user_mode(user))
		return 0;
	return user->ip;
}
