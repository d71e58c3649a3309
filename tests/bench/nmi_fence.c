// SPDX-License-Identifier: GPL-2.0
/*
 * nmi_fence: what an NMI handler costs, from outside of it
 *
 * The kernel runs its NMI_LOCAL handlers one after the other, those registered with NMI_FLAG_FIRST
 * in front, the last of them first. Loading this module registers the far fence; writing 1 to
 * "near" registers the near one. Whatever was registered FIRST in between runs between the two, and
 * the fences read the TSC around it. Writing 1 to "empty" between the two puts a handler there that
 * does nothing, whose cost is the list's own: the difference is the handler under test.
 */
#include <linux/module.h>
#include <linux/percpu.h>
#include <asm/msr.h>
#include <asm/nmi.h>

static DEFINE_PER_CPU(u64, fence_begin);
static bool near_on, empty_on;
static ulong ticks, nmis;

static int fence_near(unsigned int type, struct pt_regs *regs)
{
	__this_cpu_write(fence_begin, rdtsc_ordered());
	return NMI_DONE;
}

static int fence_empty(unsigned int type, struct pt_regs *regs)
{
	return NMI_DONE;
}

static int fence_far(unsigned int type, struct pt_regs *regs)
{
	u64 begin = __this_cpu_read(fence_begin);

	if (begin) {
		ticks += rdtsc_ordered() - begin;
		nmis++;
		__this_cpu_write(fence_begin, 0);
	}
	return NMI_DONE;
}

static int near_set(const char *val, const struct kernel_param *kp)
{
	bool before = near_on;
	int ret = param_set_bool(val, kp);

	if (!ret && near_on && !before)
		ret = register_nmi_handler(NMI_LOCAL, fence_near, NMI_FLAG_FIRST, "fence_near");
	return ret;
}

static int empty_set(const char *val, const struct kernel_param *kp)
{
	bool before = empty_on;
	int ret = param_set_bool(val, kp);

	if (!ret && empty_on && !before)
		ret = register_nmi_handler(NMI_LOCAL, fence_empty, NMI_FLAG_FIRST, "fence_empty");
	return ret;
}

static const struct kernel_param_ops near_ops = { .set = near_set, .get = param_get_bool };
static const struct kernel_param_ops empty_ops = { .set = empty_set, .get = param_get_bool };

module_param_cb(near, &near_ops, &near_on, 0600);
module_param_cb(empty, &empty_ops, &empty_on, 0600);
module_param(ticks, ulong, 0600);
module_param(nmis, ulong, 0600);

static int __init fence_init(void)
{
	return register_nmi_handler(NMI_LOCAL, fence_far, NMI_FLAG_FIRST, "fence_far");
}

static void __exit fence_exit(void)
{
	if (near_on)
		unregister_nmi_handler(NMI_LOCAL, "fence_near");
	if (empty_on)
		unregister_nmi_handler(NMI_LOCAL, "fence_empty");
	unregister_nmi_handler(NMI_LOCAL, "fence_far");
}

module_init(fence_init);
module_exit(fence_exit);
MODULE_DESCRIPTION("measures the NMI handler between two fences");
MODULE_LICENSE("GPL");
