/*
 * Under icount: leave generated code after an exact number of instructions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A CPU runs until its budget of instructions is used up. A stop withholds the
 * part of the budget behind it, so that generated code is left right there; then
 * icount_stop_check() calls back and returns what was withheld. The order in
 * which CPUs run and timers expire is the same with and without stops.
 */

#include "qemu/osdep.h"
#include "exec/exec-all.h"

static int64_t budget_left(CPUState *cpu)
{
    return cpu_neg(cpu)->icount_decr.u16.low + cpu->icount_extra;
}

int64_t icount_get_cpu(CPUState *cpu)
{
    return cpu->icount_stop.total + cpu->icount_budget - budget_left(cpu);
}

void icount_stop_set(CPUState *cpu, int64_t at)
{
    IcountStop *stop = &cpu->icount_stop;
    int64_t left = budget_left(cpu);
    int64_t whole = left + stop->held;
    int64_t run = whole;

    if (at) {
        run = MIN(whole, MAX(0, at - icount_get_cpu(cpu)));
    }
    stop->at = at;
    stop->held = whole - run;
    cpu->icount_budget += run - left;
    /* not 0xffff: an exception may give instructions of the block back */
    cpu_neg(cpu)->icount_decr.u16.low = MIN(run, 0xf000);
    cpu->icount_extra = run - MIN(run, 0xf000);
}

void icount_stop_check(CPUState *cpu)
{
    if (unlikely(cpu->icount_stop.held) && budget_left(cpu) == 0) {
        cpu->icount_stop.reached(cpu);
    }
}

void icount_stop_prepare(CPUState *cpu)
{
    if (cpu->icount_stop.at) {
        icount_stop_set(cpu, cpu->icount_stop.at);
    }
}

/* A stop at the very end of the budget withholds nothing, and is found here */
void icount_stop_finish(CPUState *cpu)
{
    IcountStop *stop = &cpu->icount_stop;

    stop->held = 0;
    if (stop->at && stop->total >= stop->at) {
        stop->reached(cpu);
    }
}
