/* SPDX-License-Identifier: MIT */
/* Containers: which pid a process has in its own pid namespace */
#ifndef NSPID_H
#define NSPID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "perf_record.h"

/*
 * What /proc tells of a process in another pid namespace than ours: fills the record, time 0.
 * false: it is in ours, or has ended.
 */
bool nspid_read(struct nspid_record *record, uint32_t pid);

/* Whether a record of the kernel's begins what may be a process in another pid namespace; which */
bool nspid_wanted(const struct perf_event_header *h, uint64_t own, uint32_t *pid);

/* Inode of our own pid namespace, 0: not known */
uint64_t nspid_own(void);

/* Inode of the pid namespace that a PERF_RECORD_NAMESPACES tells, 0: none */
uint64_t nspid_of_record(const struct perf_event_header *h, uint32_t *pid);

#endif
