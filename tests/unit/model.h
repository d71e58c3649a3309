/* SPDX-License-Identifier: MIT */
/* Tests of events of a processor's model that LIBPFM_FORCE_PMU names */
#ifndef MODEL_H
#define MODEL_H

#include <stdio.h>

/* For use in a test, which it ends where there are no such models */
static inline void model_needed(void)
{
#ifndef __x86_64__
	printf("skipped: libpfm4 has models of x86 on x86 alone\n");
	fflush(stdout);
	skip();
#endif
}

#endif
