// SPDX-License-Identifier: GPL-2.0
/*
 * The backends that there are
 */
#include <linux/kernel.h>

#include "pmu.h"

static const struct pmu_ops *const pmu_backends[] = {
	&pmu_intel,
	&pmu_kperf,
};

/*
 * pmu_find() - the backend of this number (enum vsamp_backend), or NULL
 */
const struct pmu_ops *pmu_find(u32 backend)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(pmu_backends); i++)
		if (pmu_backends[i]->backend == backend)
			return pmu_backends[i];
	return NULL;
}

int __init pmu_init(void)
{
	int err;

	err = pmu_intel_init();
	if (err)
		return err;
	err = pmu_kperf_init();
	if (err)
		pmu_intel_exit();
	return err;
}

void pmu_exit(void)
{
	pmu_kperf_exit();
	pmu_intel_exit();
}
