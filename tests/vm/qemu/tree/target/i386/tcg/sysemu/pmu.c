/*
 * Intel architectural performance monitoring under TCG with icount
 *
 * This library is free software; you can redistribute it and/or
 * modify it under the terms of the GNU Lesser General Public
 * License as published by the Free Software Foundation; either
 * version 2.1 of the License, or (at your option) any later version.
 *
 * With -icount each CPU knows exactly how many instructions it has executed
 * whenever it is between translation blocks, or in a helper called from the
 * last instruction of one.  All that this file needs happens at such points:
 * RDMSR, WRMSR and RDPMC end their TB, and so does everything that changes
 * the CPL; interrupts are taken between TBs and faults unwind first.
 * So counters are brought up to date (x86_pmu_sync) at reads, writes and
 * changes of CPL, and the CPU's instruction budget is cut (x86_pmu_rearm ->
 * icount_set_stop) so that it leaves generated code at, or a little before,
 * the instruction on which the next counter overflows; there
 * x86_pmu_icount_stop looks again.
 *
 * Instructions and branches are counted exactly; every other event is a fixed
 * ratio of those or of the ticks (REP iterations included).  None of the three
 * goes faster than the ticks, so an overflow is never found late; where it is
 * looked for too early, the next stop is set for what is then left.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "sysemu/cpu-timers.h"
#include "sysemu/tcg.h"
#include "hw/i386/apic.h"
#include "tcg/helper-tcg.h"

#define FIXED_BASE      32
#define CTR_MASK        MAKE_64BIT_MASK(0, TCG_PMU_WIDTH)
#define EVTSEL_USR      (1u << 16)
#define EVTSEL_OS       (1u << 17)
#define EVTSEL_EDGE     (1u << 18)
#define EVTSEL_INT      (1u << 20)
#define EVTSEL_EN       (1u << 22)
#define EVTSEL_INV      (1u << 23)

#define MSR_CORE_PERF_GLOBAL_STATUS_SET 0x391
#define MSR_CORE_PERF_GLOBAL_INUSE      0x392

typedef enum PMUBase {
    PMU_INSNS,          /* instructions retired */
    PMU_BRANCHES,       /* those that are branches */
    PMU_TICKS,          /* icount ticks: REP iterations and faults too */
    PMU_NBASES
} PMUBase;

/* count = base * num / den */
typedef struct PMUEvent {
    PMUBase base;
    uint32_t num, den;
} PMUEvent;

bool x86_pmu_tcg_enabled(X86CPU *cpu)
{
    return cpu->enable_pmu && tcg_enabled() && icount_enabled();
}

static bool pmu_event(CPUX86State *env, uint32_t sel, PMUEvent *ev)
{
    *ev = (PMUEvent) { .num = 1, .den = 1 };

    if ((sel & (EVTSEL_EDGE | EVTSEL_INV)) || (sel >> 24) > 1) {
        return false;   /* no more than one event in any cycle */
    }
    switch (sel & 0xffff) {
    case 0x003c: /* unhalted core cycles */
        ev->base = PMU_TICKS;
        ev->num = env_archcpu(env)->pmu_cpi;
        ev->den = 100;
        return true;
    case 0x013c: /* unhalted reference cycles: as the TSC */
    case 0x0300: /* likewise (fixed counter 2) */
        ev->base = PMU_TICKS;
        ev->num = icount_to_ns(1);
        return true;
    case 0x00c0: /* instructions retired */
    case 0x01c0:
        return true;
    case 0x4f2e: /* LLC references */
        ev->den = 100;
        return true;
    case 0x412e: /* LLC misses */
        ev->den = 1000;
        return true;
    case 0x00c4: /* branches retired */
        ev->base = PMU_BRANCHES;
        return true;
    case 0x00c5: /* mispredicted branches retired */
        ev->base = PMU_BRANCHES;
        ev->den = 50;
        return true;
    }
    return false;
}

/* Is counter i (as in GLOBAL_CTRL) enabled, and if so what does it do? */
static bool pmu_counter(CPUX86State *env, int i, uint64_t **ctr,
                        uint64_t **frac, PMUEvent *ev, uint32_t *flags)
{
    uint32_t sel;

    if (!(env->msr_global_ctrl >> i & 1)) {
        return false;
    }
    if (i >= FIXED_BASE) {
        static const uint16_t fixed[] = { 0x00c0, 0x003c, 0x0300 };
        uint32_t c = env->msr_fixed_ctr_ctrl >> (4 * (i - FIXED_BASE));

        if (!(c & 3)) {
            return false;
        }
        sel = fixed[i - FIXED_BASE] | (c & 1 ? EVTSEL_OS : 0) |
              (c & 2 ? EVTSEL_USR : 0) | (c & 8 ? EVTSEL_INT : 0);
        *ctr = &env->msr_fixed_counters[i - FIXED_BASE];
        *frac = &env->pmu_frac[MAX_GP_COUNTERS + i - FIXED_BASE];
    } else {
        sel = env->msr_gp_evtsel[i];
        if (!(sel & EVTSEL_EN)) {
            return false;
        }
        *ctr = &env->msr_gp_counters[i];
        *frac = &env->pmu_frac[i];
    }
    *flags = sel;
    return pmu_event(env, sel, ev);
}

static int pmu_next(CPUX86State *env, int i)
{
    i++;
    if (i < FIXED_BASE && i >= env_archcpu(env)->pmu_gp_counters) {
        i = FIXED_BASE;
    }
    return i < FIXED_BASE + MAX_FIXED_COUNTERS ? i : -1;
}

static bool pmu_cpl_match(CPUX86State *env, uint32_t flags)
{
    return flags & (env->hflags & HF_CPL_MASK ? EVTSEL_USR : EVTSEL_OS);
}

/*
 * Count what was executed since the last call, but for the last @undo
 * instructions: those are left to the next call.
 */
void x86_pmu_sync(CPUX86State *env, int undo)
{
    int64_t ticks = icount_get_cpu(env_cpu(env)) - undo;
    int64_t insns = ticks - env->pmu_unretired;
    int64_t delta[PMU_NBASES] = {
        [PMU_INSNS] = insns - env->pmu_last_insns,
        [PMU_BRANCHES] = env->pmu_branches - env->pmu_last_branches,
        [PMU_TICKS] = ticks - env->pmu_last_ticks,
    };
    uint64_t *ctr, *frac;
    uint32_t flags;
    PMUEvent ev;

    env->pmu_last_insns = insns;
    env->pmu_last_ticks = ticks;
    env->pmu_last_branches = env->pmu_branches;
    if (!env->pmu_active) {
        return;
    }
    for (int i = 0; i >= 0; i = pmu_next(env, i)) {
        int64_t d;

        if (!pmu_counter(env, i, &ctr, &frac, &ev, &flags) ||
            !pmu_cpl_match(env, flags)) {
            continue;
        }
        d = delta[ev.base];
        if (ev.num != ev.den) {
            d = d * ev.num + *frac;
            *frac = d % ev.den;
            d /= ev.den;
        }
        *ctr += d;
        if (*ctr & ~CTR_MASK) {
            *ctr &= CTR_MASK;
            env->msr_global_status |= 1ULL << i;
            if (flags & EVTSEL_INT) {
                env->pmu_pmi_pending = true;
            }
        }
    }
}

/* Have x86_pmu_icount_stop called no later than at the next overflow */
void x86_pmu_rearm(CPUX86State *env)
{
    int64_t stop = INT64_MAX;
    uint64_t *ctr, *frac;
    uint32_t flags;
    PMUEvent ev;

    env->pmu_active = false;
    for (int i = 0; i >= 0; i = pmu_next(env, i)) {
        if (!pmu_counter(env, i, &ctr, &frac, &ev, &flags)) {
            continue;
        }
        env->pmu_active = true;
        if ((flags & EVTSEL_INT) && pmu_cpl_match(env, flags)) {
            uint64_t left = CTR_MASK + 1 - *ctr;

            if (ev.num != ev.den) {
                left = DIV_ROUND_UP(left * ev.den - *frac, ev.num);
            }
            stop = MIN(stop, env->pmu_last_ticks + left);
        }
    }
    if (env->pmu_pmi_pending) {
        stop = env->pmu_last_ticks;
    }
    icount_set_stop(env_cpu(env),
                    stop == INT64_MAX ? 0 : MAX(stop, 1));
}

static void x86_pmu_icount_stop(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    CPUX86State *env = &cpu->env;

    x86_pmu_sync(env, 0);
    if (env->pmu_pmi_pending) {
        bool locked = qemu_mutex_iothread_locked();

        env->pmu_pmi_pending = false;
        if (!locked) {
            qemu_mutex_lock_iothread();
        }
        apic_deliver_pmi(cpu->apic_state);
        if (!locked) {
            qemu_mutex_unlock_iothread();
        }
    }
    x86_pmu_rearm(env);
}

void x86_pmu_init(X86CPU *cpu)
{
    CPU(cpu)->icount_stop_cb = x86_pmu_icount_stop;
}

/* The register behind an MSR number, or NULL */
static uint64_t *pmu_reg(CPUX86State *env, uint32_t msr)
{
    uint32_t n = env_archcpu(env)->pmu_gp_counters;

    if (msr - MSR_P6_PERFCTR0 < n) {
        return &env->msr_gp_counters[msr - MSR_P6_PERFCTR0];
    }
    if (msr - MSR_IA32_PMC0 < n &&
        env->features[FEAT_PERF_CAPABILITIES] & PERF_CAP_FW_WRITES) {
        return &env->msr_gp_counters[msr - MSR_IA32_PMC0];
    }
    if (msr - MSR_P6_EVNTSEL0 < n) {
        return &env->msr_gp_evtsel[msr - MSR_P6_EVNTSEL0];
    }
    if (msr - MSR_CORE_PERF_FIXED_CTR0 < MAX_FIXED_COUNTERS) {
        return &env->msr_fixed_counters[msr - MSR_CORE_PERF_FIXED_CTR0];
    }
    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        return &env->msr_fixed_ctr_ctrl;
    case MSR_CORE_PERF_GLOBAL_CTRL:
        return &env->msr_global_ctrl;
    case MSR_CORE_PERF_GLOBAL_STATUS:
        return &env->msr_global_status;
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
        return &env->msr_global_ovf_ctrl;
    case MSR_IA32_PERF_CAPABILITIES:
        return &env->features[FEAT_PERF_CAPABILITIES];
    }
    return NULL;
}

bool x86_pmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    uint64_t *reg = pmu_reg(env, msr);

    if (!reg) {
        if (msr == MSR_CORE_PERF_GLOBAL_INUSE &&
            env_archcpu(env)->pmu_version >= 4) {
            int i;

            *val = 0;
            for (i = 0; i < env_archcpu(env)->pmu_gp_counters; i++) {
                *val |= (uint64_t)!!(env->msr_gp_evtsel[i] & 0xff) << i;
            }
            for (i = 0; i < MAX_FIXED_COUNTERS; i++) {
                *val |= (uint64_t)!!(env->msr_fixed_ctr_ctrl >> 4 * i & 3)
                        << (FIXED_BASE + i);
            }
            return true;
        }
        return false;
    }
    x86_pmu_sync(env, 1);
    x86_pmu_rearm(env);
    *val = reg == &env->msr_global_ovf_ctrl ? 0 : *reg;
    return true;
}

int x86_pmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val)
{
    X86CPU *cpu = env_archcpu(env);
    uint64_t *reg = pmu_reg(env, msr);
    uint64_t all = MAKE_64BIT_MASK(0, cpu->pmu_gp_counters) |
                   MAKE_64BIT_MASK(FIXED_BASE, MAX_FIXED_COUNTERS);
    uint64_t bad = 0;

    if (!reg && !(msr == MSR_CORE_PERF_GLOBAL_STATUS_SET &&
                  cpu->pmu_version >= 4)) {
        return 0;
    }
    /* The instruction itself counts as the new setting says */
    x86_pmu_sync(env, 1);

    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        bad = val & ~MAKE_64BIT_MASK(0, 4 * MAX_FIXED_COUNTERS);
        break;
    case MSR_CORE_PERF_GLOBAL_CTRL:
        bad = val & ~all;
        break;
    case MSR_CORE_PERF_GLOBAL_STATUS:
    case MSR_IA32_PERF_CAPABILITIES:
        return -1;
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
        bad = val & ~(all | 0xfULL << 60 | 1ULL << 55);
        if (!bad) {
            env->msr_global_status &= ~val;
        }
        break;
    case MSR_CORE_PERF_GLOBAL_STATUS_SET:
        bad = val & ~all;
        if (!bad) {
            env->msr_global_status |= val;
        }
        reg = &env->msr_global_status;
        val = *reg;
        break;
    default:
        if (msr - MSR_P6_PERFCTR0 < MAX_GP_COUNTERS) {
            val = (int32_t)val & CTR_MASK;
        } else if (msr - MSR_P6_EVNTSEL0 < MAX_GP_COUNTERS) {
            bad = val >> 32;
        } else {
            bad = val & ~CTR_MASK;
        }
        break;
    }
    if (bad) {
        return -1;
    }
    *reg = val;
    x86_pmu_rearm(env);
    return 1;
}

bool x86_pmu_rdpmc(CPUX86State *env, uint32_t idx, uint64_t *val)
{
    uint32_t n = idx & ~(1u << 30);

    if (n >= (idx >> 30 & 1 ? MAX_FIXED_COUNTERS :
              env_archcpu(env)->pmu_gp_counters)) {
        return false;
    }
    x86_pmu_sync(env, 1);
    x86_pmu_rearm(env);
    *val = idx >> 30 & 1 ? env->msr_fixed_counters[n]
                         : env->msr_gp_counters[n];
    return true;
}
