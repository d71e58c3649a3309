// SPDX-License-Identifier: GPL-2.0
/*
 * How many counters are enabled as the machine is about to sleep: before others were told of that,
 * and after
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

#define COUNTERS	8	/* that the guest's processor has, beside 3 fixed ones */

static int before = -1;
module_param(before, int, 0444);
static int after = -1;
module_param(after, int, 0444);

/* On a CPU */
static void asleep_count(void *data)
{
	u32 low, high;
	int i, n = 0;

	for (i = 0; i < COUNTERS; i++)
		if (!rdmsr_safe(MSR_ARCH_PERFMON_EVENTSEL0 + i, &low, &high))
			n += !!(low & ARCH_PERFMON_EVENTSEL_ENABLE);
	if (!rdmsr_safe(MSR_ARCH_PERFMON_FIXED_CTR_CTRL, &low, &high))
		n += hweight32(low & 0x333);
	atomic_add(n, data);
}

static int asleep_find(int *found, unsigned long what)
{
	atomic_t n = ATOMIC_INIT(0);

	if (what != PM_SUSPEND_PREPARE)
		return NOTIFY_DONE;
	on_each_cpu(asleep_count, &n, 1);
	*found = atomic_read(&n);
	return NOTIFY_DONE;
}

static int asleep_first(struct notifier_block *nb, unsigned long what, void *unused)
{
	return asleep_find(&before, what);
}

static int asleep_last(struct notifier_block *nb, unsigned long what, void *unused)
{
	return asleep_find(&after, what);
}

static struct notifier_block asleep_first_nb = {
	.notifier_call = asleep_first,
	.priority = INT_MAX,
};

static struct notifier_block asleep_last_nb = {
	.notifier_call = asleep_last,
	.priority = INT_MIN,
};

static int __init asleep_init(void)
{
	int err;

	err = register_pm_notifier(&asleep_first_nb);
	if (err)
		return err;
	err = register_pm_notifier(&asleep_last_nb);
	if (err)
		unregister_pm_notifier(&asleep_first_nb);
	return err;
}

static void __exit asleep_exit(void)
{
	unregister_pm_notifier(&asleep_last_nb);
	unregister_pm_notifier(&asleep_first_nb);
}

module_init(asleep_init);
module_exit(asleep_exit);

MODULE_DESCRIPTION("Counters that are enabled as the machine is about to sleep");
MODULE_LICENSE("GPL");
