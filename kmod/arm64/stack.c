// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "arch.h"

/*
 * The kernel offers no walk that begins at an interrupt's registers. The one that begins here
 * passes through the interrupt, and has its pc among the rest: what comes behind are its callers.
 * Whether the walk ended where it should isn't told.
 */
u32 arch_stack_kernel(struct pt_regs *regs, u64 *ip, u32 max, bool *cut)
{
	unsigned long *all = (unsigned long *)ip;
	u32 count, begin = 0;

	count = stack_trace_save(all, max + ARCH_STACK_EXTRA, 0);
	while (begin < count && all[begin] != regs->pc)
		begin++;
	begin++;
	*cut = begin > count || count - begin > max || count == max + ARCH_STACK_EXTRA;
	if (begin > count)
		return 0;
	count = min(count - begin, max);
	memmove(all, all + begin, count * sizeof(*all));
	return count;
}
