// SPDX-License-Identifier: GPL-2.0
/*
 * vsamp: event-based sampling. How a sample travels: pmu_intel.c takes the interrupt, ring.c keeps
 * the record for a reader that maps it; session.c is the file that holds it all, control.c the
 * requests, scope.c the processes.
 */
#include <linux/module.h>

#include "clock.h"
#include "control.h"
#include "pmu.h"
#include "selftest.h"
#include "session.h"
#include "user_ip.h"

static int __init vsamp_init(void)
{
	int err;

	err = selftest_run();
	if (err)
		return err;
	clock_init();
	user_ip_init();
	pmu_intel_init();
	err = session_init();
	if (err)
		return err;
	err = control_init();
	if (err)
		session_exit();
	return err;
}

static void __exit vsamp_exit(void)
{
	control_exit();
	session_exit();
}

module_init(vsamp_init);
module_exit(vsamp_exit);

MODULE_DESCRIPTION("Event-based sampling");
MODULE_AUTHOR("vsamp");
MODULE_LICENSE("GPL");
MODULE_VERSION(VSAMP_VERSION);
