// SPDX-License-Identifier: GPL-2.0
/* Hangs the CPU that loads it, or warns, to see what tests/vm/run makes of it */
#include <linux/irqflags.h>
#include <linux/module.h>

static bool warn;
module_param(warn, bool, 0);
MODULE_PARM_DESC(warn, "warn instead");

static int __init hang_init(void)
{
	if (WARN_ON(warn))
		return 0;
	local_irq_disable();
	for (;;)
		cpu_relax();
}

static void __exit hang_exit(void)
{
}

module_init(hang_init);
module_exit(hang_exit);
MODULE_DESCRIPTION("Hangs or warns");
MODULE_LICENSE("GPL");
