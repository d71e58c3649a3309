/* SPDX-License-Identifier: MIT */
/* vsamp/cpulist.h: lists of CPUs as in /sys, "0-3,8". Thread-safe. */
#ifndef VSAMP_CPULIST_H
#define VSAMP_CPULIST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_cpulist {
	unsigned int n;
	uint32_t *cpu; /* rising ids, which may have holes */
};

/** vsamp_cpulist_parse - -EINVAL: no list, or an id of VSAMP_CPUS_MAX (vsamp/file.h) or more; -ENOMEM */
int vsamp_cpulist_parse(struct vsamp_cpulist *list, const char *text);

/** vsamp_cpulist_online - the CPUs that are online */
int vsamp_cpulist_online(struct vsamp_cpulist *list);

/** vsamp_cpulist_present - the CPUs that are online, or can be brought there */
int vsamp_cpulist_present(struct vsamp_cpulist *list);

void vsamp_cpulist_free(struct vsamp_cpulist *list);

#ifdef __cplusplus
}
#endif

#endif
