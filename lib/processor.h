/* SPDX-License-Identifier: MIT */
/* What only the processor itself tells: on x86 by CPUID */
#ifndef PROCESSOR_H
#define PROCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct processor {
	bool intel;
	bool hypervisor;
	bool clock_invariant;
	unsigned int perfmon_version; /* of the architectural PMU, Intel's numbering */
	uint64_t frequency;	      /* nominal, Hz; 0: not told */
	const char *frequency_source;
	bool clock_is_core; /* the clock of CLOCK_TSC runs at about the core's frequency */
};

void processor_get(struct processor *p);

#endif
