/* SPDX-License-Identifier: GPL-2.0 */
/* What the module asks of the architecture: as x86's, which says more */
#ifndef _VSAMP_ARCH_H
#define _VSAMP_ARCH_H

#include <linux/types.h>
#include <linux/uaccess.h>
#include <asm/arch_timer.h>
#include <asm/ptrace.h>
#include <clocksource/arm_arch_timer.h>

struct pt_regs;

static inline void arch_init(void)
{
}

/* The generic timer is the same on all CPUs and never stops, by its architecture */
static inline u64 arch_clock_khz(void)
{
	return arch_timer_get_cntfrq() / 1000;
}

static __always_inline u64 arch_clock_read(void)
{
	return arch_timer_read_counter();
}

/* It doesn't say, and nothing here would be shared with a host */
static inline bool arch_is_virtual(void)
{
	return false;
}

#define ARCH_USER_REGS(address) { .pc = (address), .pstate = PSR_MODE_EL0t }

/* The exception's entry saves all registers before it lets interrupts in */
static inline u64 arch_entry_ip(struct pt_regs *regs)
{
	return 0;
}

static inline u32 arch_user_word(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : sizeof(u64);
}

static inline u64 arch_user_fp(struct pt_regs *regs)
{
	return regs->regs[29];
}

static inline u64 arch_saved_fp(struct pt_regs *regs, struct pt_regs *saved)
{
	return arch_user_fp(saved);
}

/* It may be signed, above the bits of an address; bit 55 says whose it is */
static inline u64 arch_return_ip(u64 ip)
{
	return ip & BIT_ULL(55) ? 0 : ip & (TASK_SIZE_64 - 1);
}

/* As perf does. With a size that the compiler knows nobody looks at where it goes, under a lock. */
static __always_inline bool arch_copy_from_user(void *to, u64 from, const u32 size)
{
	const void __user *p = (const void __user *)from;
	bool copied;

	if (!access_ok(p, size))
		return false;
	pagefault_disable();
	copied = !__copy_from_user_inatomic(to, p, size);
	pagefault_enable();
	return copied;
}

/* The handler's own frames */
#define ARCH_STACK_EXTRA 64

u32 arch_stack_kernel(struct pt_regs *regs, u64 *ip, u32 max, bool *cut);

#endif /* _VSAMP_ARCH_H */
