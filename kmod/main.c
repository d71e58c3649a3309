// SPDX-License-Identifier: GPL-2.0
/*
 * vsamp: event-based sampling. How a sample travels: pmu_intel.c or pmu_kperf.c take the interrupt,
 * ring.c keeps the record for a reader that maps it; session.c is the file that holds it all,
 * control.c the requests, scope.c the processes. GPUs have the oa_*.c.
 */
#include <linux/module.h>

#include "arch.h"
#include "clock.h"
#include "control.h"
#include "oa.h"
#include "pmu.h"
#include "power.h"
#include "selftest.h"
#include "session.h"

static int __init vsamp_init(void)
{
	int err;

	err = selftest_run();
	if (err)
		return err;
	arch_init();
	clock_init();
	err = pmu_init();
	if (err)
		return err;
	err = session_init();
	if (err)
		goto err_pmu;
	err = power_init();
	if (err)
		goto err_session;
	err = oa_init();
	if (err)
		goto err_power;
	err = control_init();
	if (err)
		goto err_oa;
	return 0;

err_oa:
	oa_exit();
err_power:
	power_exit();
err_session:
	session_exit();
err_pmu:
	pmu_exit();
	return err;
}

static void __exit vsamp_exit(void)
{
	control_exit();
	oa_exit();
	power_exit();
	session_exit();
	pmu_exit();
}

module_init(vsamp_init);
module_exit(vsamp_exit);

MODULE_DESCRIPTION("Event-based sampling");
MODULE_AUTHOR("vsamp");
MODULE_LICENSE("GPL");
MODULE_VERSION(VSAMP_VERSION);
