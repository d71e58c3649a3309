/* SPDX-License-Identifier: MIT */
/* The parts of a perf.data file beside its records */
#ifndef EXPORT_PERF_H
#define EXPORT_PERF_H

#include <linux/perf_event.h>

#include "export.h"

struct perf_section {
	uint64_t offset, size;
};

/* perf_event_attr of an event, as it was in all kernels that have build-ids of mappings */
void perf_attr_fill(const struct export *x, size_t event, uint8_t attr[PERF_ATTR_SIZE_VER7]);

/* Records that say where the kernel and its modules are */
int perf_put_kernel(const struct export *x);

/* What is behind the records: the machine's and the events' names, build-ids; @features: bits */
int perf_put_features(const struct export *x, uint64_t *features);

#endif
