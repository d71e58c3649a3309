// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/init.h>
#include <asm/ptrace.h>

#include "arch.h"

/*
 * The first instructions of the system call's entry, in which the user's registers aren't on the
 * stack yet, but RCX still has the user's ip. It keeps it some way beyond.
 */
#define ARCH_ENTRY_BYTES 64

static u64 arch_entry __ro_after_init;

void __init arch_init(void)
{
	arch_entry = compat_rdmsr(MSR_LSTAR);
}

u64 arch_clock_khz(void)
{
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) || !boot_cpu_has(X86_FEATURE_NONSTOP_TSC) ||
	    check_tsc_unstable())
		return 0;
	return tsc_khz;
}

u64 arch_entry_ip(struct pt_regs *regs)
{
	return regs->ip - arch_entry < ARCH_ENTRY_BYTES ? regs->cx : 0;
}
