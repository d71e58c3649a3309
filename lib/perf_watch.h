/* SPDX-License-Identifier: MIT */
/*
 * perf_watch.h: has a CPU been offline since an event was opened on it?
 *
 * perf drops a CPU's events as the CPU goes, and the files don't tell: an event that always counts
 * does, as its time stands still from then on, also when the CPU is back.
 */
#ifndef PERF_WATCH_H
#define PERF_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* What read(2) of such an event is to give: perf_event_attr.read_format */
#define PERF_WATCH_FORMAT PERF_FORMAT_TOTAL_TIME_ENABLED

/* An event that counts nothing, always; a file, or a negative errno value */
int perf_watch_open(uint32_t cpu);

/* Of that, or of another event that is never disabled: ns for which it has been there; 0: unknown */
uint64_t perf_watch_time(int fd);

/* Does that time stand still? */
bool perf_watch_gone(int fd);

#endif
