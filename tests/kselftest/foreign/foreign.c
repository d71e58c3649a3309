// SPDX-License-Identifier: GPL-2.0
/*
 * Somebody else who touches the PMU of the CPU that writes to a parameter: "lvtpc" is the local
 * APIC's entry for the PMU's interrupt, and "act" does what is written to it:
 *
 *	off	GLOBAL_CTRL = 0, and all overflows acknowledged
 *	select	the first event select is cleared
 *	run	counter 0 counts user branches, as firmware may have left it
 *	nmi	the CPU sends itself an NMI that nobody claims
 *	take	a counter is taken in the kernel's book of who has which
 *	give	and given back
 *
 * With "linger" a reboot takes so many ms more, behind those that are told of it first.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/reboot.h>
#include <linux/string.h>
#include <asm/apic.h>
#include <asm/irq_vectors.h>
#include <asm/msr.h>
#include <asm/nmi.h>
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
	} else if (sysfs_streq(val, "run")) {
		wrmsr_safe(MSR_ARCH_PERFMON_EVENTSEL0, 0x4100c4, 0);
	} else if (sysfs_streq(val, "take")) {
		ret = reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0) ? 0 : -EBUSY;
	} else if (sysfs_streq(val, "give")) {
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0);
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

static int lvtpc_set(const char *val, const struct kernel_param *kp)
{
	u32 lvtpc;
	int ret = kstrtou32(val, 0, &lvtpc);

	if (!ret)
		apic->write(APIC_LVTPC, lvtpc);
	return ret;
}

static int lvtpc_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "0x%x\n", apic->read(APIC_LVTPC));
}

static const struct kernel_param_ops lvtpc_ops = { .set = lvtpc_set, .get = lvtpc_get };

module_param_cb(lvtpc, &lvtpc_ops, NULL, 0600);

static uint linger;
module_param(linger, uint, 0600);

static int foreign_shutdown(struct notifier_block *nb, unsigned long what, void *unused)
{
	msleep(linger);
	return NOTIFY_DONE;
}

static struct notifier_block foreign_shutdown_nb = {
	.notifier_call = foreign_shutdown,
	.priority = -1,
};

static int __init foreign_init(void)
{
	return register_reboot_notifier(&foreign_shutdown_nb);
}

static void __exit foreign_exit(void)
{
	unregister_reboot_notifier(&foreign_shutdown_nb);
}

module_init(foreign_init);
module_exit(foreign_exit);
MODULE_DESCRIPTION("touches the PMU behind vsamp's back");
MODULE_LICENSE("GPL");
