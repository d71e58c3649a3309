// SPDX-License-Identifier: GPL-2.0
/*
 * Somebody else who touches the PMU: what is written to the parameter "act" is done on the CPU that
 * the writer runs on.
 *
 *	off	GLOBAL_CTRL = 0, and all overflows acknowledged
 *	select	the first event select is cleared
 *	nmi	the CPU sends itself an NMI that nobody claims
 */
#include <linux/module.h>
#include <linux/string.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>
#include <asm/perf_event.h>

static int act_set(const char *val, const struct kernel_param *kp)
{
	int ret = 0;

	preempt_disable();
	if (sysfs_streq(val, "off")) {
		wrmsr_safe(MSR_CORE_PERF_GLOBAL_CTRL, 0, 0);
		wrmsr_safe(MSR_CORE_PERF_GLOBAL_OVF_CTRL, 0xff, 0x7);
	} else if (sysfs_streq(val, "select")) {
		wrmsr_safe(MSR_ARCH_PERFMON_EVENTSEL0, 0, 0);
	} else if (sysfs_streq(val, "nmi")) {
		apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	} else {
		ret = -EINVAL;
	}
	preempt_enable();
	return ret;
}

static const struct kernel_param_ops act_ops = { .set = act_set };

module_param_cb(act, &act_ops, NULL, 0200);
MODULE_DESCRIPTION("touches the PMU behind vsamp's back");
MODULE_LICENSE("GPL");
