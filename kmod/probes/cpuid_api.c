// SPDX-License-Identifier: GPL-2.0
/* cpuid_count() has left asm/processor.h for a header of its own (6.16) */
#include <asm/cpuid/api.h>

void probe(unsigned int *regs);
void probe(unsigned int *regs)
{
	cpuid_count(10, 0, &regs[0], &regs[1], &regs[2], &regs[3]);
}
