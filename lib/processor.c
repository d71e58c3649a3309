// SPDX-License-Identifier: MIT
#include <string.h>

#include "processor.h"

#ifdef __x86_64__

#include <cpuid.h>

void processor_get(struct processor *p)
{
	unsigned int a, b, c, d;

	memset(p, 0, sizeof(*p));
	p->clock_is_core = true;
	if (__get_cpuid(0, &a, &b, &c, &d))
		p->intel = b == signature_INTEL_ebx && c == signature_INTEL_ecx &&
			   d == signature_INTEL_edx;
	if (__get_cpuid(0xa, &a, &b, &c, &d))
		p->perfmon_version = a & 0xff;
	if (__get_cpuid(1, &a, &b, &c, &d))
		p->hypervisor = c >> 31 & 1;
	if (__get_cpuid(0x80000007, &a, &b, &c, &d))
		p->clock_invariant = d >> 8 & 1;
	if (__get_cpuid(0x16, &a, &b, &c, &d)) {
		p->frequency = (a & 0xffff) * 1000000ULL;
		p->frequency_source = "CPUID leaf 16H";
	}
}

#else

/* arm64: the generic timer is the same on all CPUs and never stops, by its architecture */
void processor_get(struct processor *p)
{
	memset(p, 0, sizeof(*p));
	p->clock_invariant = true;
}

#endif
