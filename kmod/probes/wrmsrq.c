// SPDX-License-Identifier: GPL-2.0
/* __wrmsr(msr, low, high) became __wrmsrq(msr, value) (6.16) */
#include <asm/msr.h>

void probe(void);
void probe(void)
{
	__wrmsrq(0x38f, 0);
}
