// SPDX-License-Identifier: MIT
/* Events of this CPU's model, by libpfm4 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

#include <vsamp.h>

#include "event_priv.h"

/* IA32_PERFEVTSELx bits that the module sets itself, by the event's levels: USR, OS, INT, EN */
#define EVENTSEL_OURS 0x530000ULL

static bool pfm_ready(void)
{
	static int ready = -1;

	if (ready < 0)
		ready = pfm_initialize() == PFM_SUCCESS;
	return ready;
}

static bool pfm_pmu_is_core(pfm_pmu_t pmu)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	return pfm_get_pmu_info(pmu, &info) == PFM_SUCCESS && info.is_present &&
	       info.type == PFM_PMU_TYPE_CORE;
}

int event_pfm_encode(const char *name, uint64_t *config, struct vsamp_error *err)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	pfm_event_info_t info = { .size = sizeof(info) };
	uint64_t code;
	int ret;

	if (!pfm_ready())
		return -ENOENT;
	ret = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);
	if (ret != PFM_SUCCESS) {
		if (ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOTSUPP)
			return -ENOENT;
		return vsamp_fail(err, -EINVAL, "%s: %s (libpfm4)", name, pfm_strerror(ret));
	}
	code = arg.count ? arg.codes[0] : 0;
	ret = arg.count;
	free(arg.codes);
	if (pfm_get_event_info(arg.idx, PFM_OS_NONE, &info) != PFM_SUCCESS ||
	    !pfm_pmu_is_core(info.pmu))
		return vsamp_fail(err, -EINVAL, "%s: not an event of this CPU's core counters",
				  name);
	code &= ~EVENTSEL_OURS;
	if (ret != 1 || code & ~VSAMP_CONFIG_MASK)
		return vsamp_fail(
			err, -EINVAL,
			"%s: needs a register beside the counter's own, which vsamp does not program",
			name);
	*config = code;
	return 0;
}

static void pfm_each_umask(const pfm_event_info_t *event, vsamp_event_each fn, void *arg)
{
	char name[VSAMP_EVENT_NAME_MAX];
	unsigned int umasks = 0;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s.%s", event->name, attr.name);
		fn(name, attr.desc ? attr.desc : "", arg);
		umasks++;
	}
	if (!umasks)
		fn(event->name, event->desc ? event->desc : "", arg);
}

void vsamp_event_each_pfm(vsamp_event_each fn, void *arg)
{
	if (!pfm_ready())
		return;
	for (int pmu = 0; pmu < PFM_PMU_MAX; pmu++) {
		pfm_pmu_info_t info = { .size = sizeof(info) };

		if (!pfm_pmu_is_core(pmu) || pfm_get_pmu_info(pmu, &info) != PFM_SUCCESS)
			continue;
		for (int i = info.first_event; i != -1; i = pfm_get_event_next(i)) {
			pfm_event_info_t event = { .size = sizeof(event) };

			if (pfm_get_event_info(i, PFM_OS_NONE, &event) == PFM_SUCCESS)
				pfm_each_umask(&event, fn, arg);
		}
	}
}
