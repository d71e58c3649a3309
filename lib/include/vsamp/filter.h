/* SPDX-License-Identifier: MIT */
/* vsamp/filter.h: which samples of a recording are wanted */
#ifndef VSAMP_FILTER_H
#define VSAMP_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A sample is wanted that is in each list; an empty list has all. All of it 0: all samples */
struct vsamp_filter {
	const uint32_t *pid;
	size_t pids;
	const uint32_t *tid;
	size_t tids;
	const uint32_t *cpu;
	size_t cpus;
	const char *const *comm; /* names of threads, as of a vsamp_trace_sample */
	size_t comms;
	const char *const *module; /* where it fell: as of a row, or the last part of its path */
	size_t modules;
	const char *const *symbol; /* where it fell: as of a row */
	size_t symbols;
	uint64_t from, to; /* ns of CLOCK_MONOTONIC_RAW, both ends included; to is 0: no end */
};

/** vsamp_filter_wants - whether a sample of a trace is wanted. Thread-safe */
bool vsamp_filter_wants(const struct vsamp_filter *filter, const struct vsamp_trace_sample *sample);

#ifdef __cplusplus
}
#endif

#endif
