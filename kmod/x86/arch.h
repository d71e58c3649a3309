/* SPDX-License-Identifier: GPL-2.0 */
/* What the module asks of the architecture; each has a header of this name */
#ifndef _VSAMP_ARCH_H
#define _VSAMP_ARCH_H

#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/tsc.h>

#include "probes.h"

#if VSAMP_HAVE_CPUID_API
#include <asm/cpuid/api.h>
#endif

struct pt_regs;

void arch_init(void);

/* Ticks a millisecond of the clock below; 0: it isn't the same everywhere, or stops */
u64 arch_clock_khz(void);

/* Safe in an NMI */
static __always_inline u64 arch_clock_read(void)
{
	return rdtsc();
}

/* Whether the processor says it is virtual */
static inline bool arch_is_virtual(void)
{
	return boot_cpu_has(X86_FEATURE_HYPERVISOR);
}

/* Of user mode, at this address */
#define ARCH_USER_REGS(address) { .ip = (address), .cs = __USER_CS }

/* Where user mode goes on, if @regs are of kernel code that hasn't saved that yet; else 0 */
u64 arch_entry_ip(struct pt_regs *regs);

/* Bytes of a word on the stack of user mode; 0: its frames can't be walked */
static inline u32 arch_user_word(struct pt_regs *regs)
{
	return user_64bit_mode(regs) ? sizeof(u64) : sizeof(u32);
}

static inline u64 arch_user_fp(struct pt_regs *regs)
{
	return regs->bp;
}

/*
 * The user's frame pointer, where the kernel was interrupted at @regs and saves the user's at
 * @saved: while it still does, that is in the register itself
 */
static inline u64 arch_saved_fp(struct pt_regs *regs, struct pt_regs *saved)
{
	unsigned long sp = regs->sp;

	if (sp > (unsigned long)&saved->bp && sp <= (unsigned long)(saved + 1))
		return regs->bp;
	return saved->bp;
}

/* A return address on a user's stack; 0: it can't be one */
static inline u64 arch_return_ip(u64 ip)
{
	return (s64)ip > 0 ? ip : 0;
}

/* Safe in an NMI: false where a page would have to be fetched */
static inline bool arch_copy_from_user(void *to, u64 from, u32 size)
{
	return !copy_from_user_nmi(to, (const void __user *)(uintptr_t)from, size);
}

/* Frames that arch_stack_kernel() needs room for, beyond those it returns */
#define ARCH_STACK_EXTRA 0

/*
 * The kernel's return addresses from where it was interrupted at @regs; @cut: there are more. Safe
 * in an NMI.
 */
u32 arch_stack_kernel(struct pt_regs *regs, u64 *ip, u32 max, bool *cut);

/*
 * MSR access without tracing and without paravirt's call: for the NMI handler, and for registers
 * that are known to exist.
 */
static __always_inline u64 compat_rdmsr(u32 msr)
{
	return __rdmsr(msr);
}

static __always_inline void compat_wrmsr(u32 msr, u64 value)
{
#if VSAMP_HAVE_WRMSRQ
	__wrmsrq(msr, value);
#else
	__wrmsr(msr, (u32)value, (u32)(value >> 32));
#endif
}

#endif /* _VSAMP_ARCH_H */
