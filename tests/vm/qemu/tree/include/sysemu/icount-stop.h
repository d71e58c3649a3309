/*
 * Under icount: leave generated code after an exact number of instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef SYSEMU_ICOUNT_STOP_H
#define SYSEMU_ICOUNT_STOP_H

typedef struct IcountStop {
    int64_t total;              /* instructions executed before the budget */
    int64_t at;                 /* where to stop, 0: nowhere */
    int64_t held;               /* the part of the budget that is withheld */
    void (*reached)(CPUState *cpu);
} IcountStop;

/*
 * Instructions that @cpu has executed. Exact between translation blocks, and in
 * a helper called from the last instruction of one, which is then included.
 */
int64_t icount_get_cpu(CPUState *cpu);

/*
 * Have @cpu call stop.reached when icount_get_cpu() is @at or, when that is in
 * the past, at the end of the present translation block. 0 stops nowhere. To be
 * called where icount_get_cpu() is exact. The stop stays set until it is changed.
 */
void icount_stop_set(CPUState *cpu, int64_t at);

/* For the execution loop: within cpu_exec(), before it, and after it */
void icount_stop_check(CPUState *cpu);
void icount_stop_prepare(CPUState *cpu);
void icount_stop_finish(CPUState *cpu);

#endif
