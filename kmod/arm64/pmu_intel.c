// SPDX-License-Identifier: GPL-2.0
/* The backend that programs Intel's PMU, where there is none */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/netlink.h>
#include <linux/string.h>

#include "../pmu.h"

static void intel_caps(int cpu, struct pmu_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
}

static int intel_check(const struct session_config *config, struct pmu_fault *fault,
		       struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "no PMU here: the processor is not Intel's");
	return -ENODEV;
}

/* No session passes the check, so nothing else is called */
const struct pmu_ops pmu_intel = {
	.backend = VSAMP_BACKEND_INTEL,
	.caps = intel_caps,
	.check = intel_check,
};

int __init pmu_intel_init(void)
{
	return 0;
}

void pmu_intel_exit(void)
{
}
