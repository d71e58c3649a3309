/* SPDX-License-Identifier: MIT */
/*
 * vsamp/pmu.h: core PMUs of perf's, the kernel's drivers for the processor's counters
 *
 * There is one, of all CPUs, or one of each kind of core that the processor has. Thread-safe.
 */
#ifndef VSAMP_PMU_H
#define VSAMP_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/event.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_PMUS_MAX 8

struct vsamp_pmu {
	char name[32]; /* "cpu", "cpu_core", "armv8_pmuv3_0", ... */
	uint32_t type; /* perf_event_attr.type */
	char cpus[64]; /* that have it, of kinds of core; "": all */
};

/**
 * vsamp_pmus_get - the core PMUs of this machine, by the first of their CPUs
 * @pmu: room for VSAMP_PMUS_MAX; more are left out
 * @root: where /sys is looked for, "" = here
 *
 * Returns how many there are.
 */
size_t vsamp_pmus_get(struct vsamp_pmu *pmu, const char *root);

/** vsamp_pmus_text - "cpu_core (CPUs 0-7), cpu_atom (CPUs 8-15)" */
void vsamp_pmus_text(const struct vsamp_pmu *pmu, size_t n, char *text, size_t size);

/**
 * vsamp_pmu_of_event - the one kind of core that counts an event
 *
 * NULL: there is but one kind, or the event isn't one kind's: each CPU's PMU counts it that has it.
 */
const struct vsamp_pmu *vsamp_pmu_of_event(const struct vsamp_pmu *pmu, size_t n,
					   const struct vsamp_event *ev);

/**
 * vsamp_pmu_misses - are there CPUs that don't count an event, as it is another kind of core's?
 * @cpus: list of those that are sampled
 * @text: receives "EVENT is of cpu_core (CPUs 0-7): CPUs 8-15 don't count it"
 */
bool vsamp_pmu_misses(const struct vsamp_pmu *pmu, size_t n, const struct vsamp_event *ev,
		      const char *cpus, char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif
