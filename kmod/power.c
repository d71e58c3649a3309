// SPDX-License-Identifier: GPL-2.0
/*
 * The machine's sleep and its end
 *
 * In sleep a processor loses its counters' registers, and firmware may use them; what is booted
 * next, by kexec as well, ought to find them unused. So the session's registers are given back
 * before, while tasks still run. A kernel that is booted because this one crashed can't be served:
 * nobody is told.
 */
#include <linux/notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "power.h"
#include "session.h"

static int power_sleep(struct notifier_block *nb, unsigned long what, void *unused)
{
	switch (what) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		session_sleep();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		session_wake();
		break;
	}
	return NOTIFY_DONE;
}

/* Before perf, which ends its own events on all CPUs */
static int power_shutdown(struct notifier_block *nb, unsigned long what, void *unused)
{
	session_shutdown();
	return NOTIFY_DONE;
}

static struct notifier_block power_sleep_nb = { .notifier_call = power_sleep };
static struct notifier_block power_shutdown_nb = { .notifier_call = power_shutdown };

int power_init(void)
{
	int err;

	err = register_pm_notifier(&power_sleep_nb);
	if (err)
		return err;
	err = register_reboot_notifier(&power_shutdown_nb);
	if (err)
		unregister_pm_notifier(&power_sleep_nb);
	return err;
}

void power_exit(void)
{
	unregister_reboot_notifier(&power_shutdown_nb);
	unregister_pm_notifier(&power_sleep_nb);
}
