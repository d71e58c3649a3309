/* SPDX-License-Identifier: MIT */
/*
 * The processor that a test is to run on, in the place of the library's own look: include it after
 * PROCESSOR_INTEL is defined as true or false
 */
#include <string.h>

#include <processor.h>

void processor_get(struct processor *p)
{
	memset(p, 0, sizeof(*p));
	p->intel = PROCESSOR_INTEL;
}
