// SPDX-License-Identifier: MIT
/* Events of this CPU's model, by libpfm4 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "event_priv.h"

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

int event_pfm_encode(const char *name, struct event_code *code, struct vsamp_error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .size = sizeof(arg), .attr = &attr };
	pfm_event_info_t info = { .size = sizeof(info) };
	int ret;

	if (!pfm_ready())
		return -ENOENT;
	ret = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (ret != PFM_SUCCESS) {
		/* PFM_ERR_INVAL: for what can't be a name, as with a space in it */
		if (ret == PFM_ERR_NOTFOUND || ret == PFM_ERR_NOTSUPP || ret == PFM_ERR_INVAL)
			return -ENOENT;
		return vsamp_fail(err, -EINVAL, "%s: %s (libpfm4)", name, pfm_strerror(ret));
	}
	if (pfm_get_event_info(arg.idx, PFM_OS_NONE, &info) != PFM_SUCCESS ||
	    !pfm_pmu_is_core(info.pmu))
		return vsamp_fail(err, -EINVAL, "%s: not an event of this CPU's core counters",
				  name);
	if (attr.config1 || attr.config2)
		return vsamp_fail(
			err, -EINVAL,
			"%s: needs a register beside the counter's own, which vsamp does not program",
			name);
	*code = (struct event_code){ .perf_type = attr.type, .perf_config = attr.config };
	return 0;
}

/* Is there an event of this folded name in a PMU? */
static bool pfm_has_event(const pfm_pmu_info_t *pmu, const char *folded)
{
	char name[VSAMP_EVENT_NAME_MAX];

	for (int i = pmu->first_event; i != -1; i = pfm_get_event_next(i)) {
		pfm_event_info_t event = { .size = sizeof(event) };

		if (pfm_get_event_info(i, PFM_OS_NONE, &event) != PFM_SUCCESS)
			continue;
		event_name_fold(name, sizeof(name), event.name);
		if (!strcmp(name, folded))
			return true;
	}
	return false;
}

const char *event_pfm_elsewhere(const char *name)
{
	const char *model = strstr(name, "::"), *found = NULL;
	const char *event = model ? model + 2 : name;
	char folded[VSAMP_EVENT_NAME_MAX];

	if (!pfm_ready())
		return NULL;
	snprintf(folded, sizeof(folded), "%.*s", (int)strcspn(event, ":."), event);
	event_name_fold(folded, sizeof(folded), folded);
	for (int i = 0; i < PFM_PMU_MAX; i++) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || pmu.type != PFM_PMU_TYPE_CORE)
			continue;
		if (model && (strlen(pmu.name) != (size_t)(model - name) ||
			      strncasecmp(pmu.name, name, model - name)))
			continue;
		if (!pfm_has_event(&pmu, folded))
			continue;
		if (pmu.is_present)
			return NULL;
		found = pmu.name; /* the newest of those that have it */
	}
	return found;
}

static void pfm_each_umask(const pfm_event_info_t *event, vsamp_event_each fn, void *arg)
{
	char name[VSAMP_EVENT_NAME_MAX];
	struct vsamp_event_pfm found = {
		.group = event->name,
		.group_what = event->desc ? event->desc : "",
		.name = event->name,
		.what = event->desc ? event->desc : "",
	};
	bool umasks = false;

	for (int i = 0; i < event->nattrs; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (pfm_get_event_attr_info(event->idx, i, PFM_OS_NONE, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		snprintf(name, sizeof(name), "%s.%s", event->name, attr.name);
		found.name = name;
		found.what = attr.desc ? attr.desc : "";
		fn(&found, arg);
		umasks = true;
	}
	if (!umasks)
		fn(&found, arg);
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
