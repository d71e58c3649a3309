/*
 * Intel architectural performance monitoring under TCG with icount
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef I386_PMU_H
#define I386_PMU_H

#define PMU_GP_MAX      8
#define PMU_FIXED       3
#define PMU_MAX         (PMU_GP_MAX + PMU_FIXED)

/* A counter that is enabled, and what it counts: base * num / den */
typedef struct X86PMULive {
    uint8_t index;              /* in X86PMUState.counter */
    uint8_t base;
    bool usr, os, pmi;
    uint32_t num, den;
} X86PMULive;

typedef struct X86PMUState {
    uint64_t branches;          /* incremented by generated code */
    uint64_t unretired;         /* likewise: ticks that are no instruction */

    /* the registers; the fixed counters follow the general ones */
    uint64_t counter[PMU_MAX];
    uint64_t evtsel[PMU_GP_MAX];
    uint64_t fixed_ctrl;
    uint64_t global_ctrl;
    uint64_t global_status;

    /* what the last x86_pmu_sync() saw, and fractions of events left by it */
    int64_t last_ticks;
    int64_t last_insns;
    int64_t last_branches;
    uint64_t frac[PMU_MAX];

    X86PMULive live[PMU_MAX];
    uint32_t nlive;
    bool pmi_pending;
    bool pmi_latched;           /* by a planted fault only */

    /* how often the guest accessed the PMU */
    uint64_t msr_reads;
    uint64_t msr_writes;
    uint64_t lvtpc_writes;
    uint64_t rdpmcs;
} X86PMUState;

typedef struct X86PMUConfig {
    uint8_t gp_counters;
    char *fault_name;
    int fault;
} X86PMUConfig;

#define X86_PMU_PROPERTIES                                                 \
    DEFINE_PROP_UINT8("x-pmu-counters", X86CPU, pmu_config.gp_counters,    \
                      PMU_GP_MAX),                                         \
    DEFINE_PROP_STRING("x-pmu-fault", X86CPU, pmu_config.fault_name)

bool x86_pmu_realize(X86CPU *cpu, Error **errp);
void x86_pmu_reset(CPUArchState *env);
void x86_pmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t *eax, uint32_t *ebx,
                   uint32_t *ecx, uint32_t *edx);

/* The instructions, from their helpers; false: not for the PMU, do as ever */
bool x86_pmu_rdmsr(CPUArchState *env, uintptr_t ra);
bool x86_pmu_wrmsr(CPUArchState *env, uintptr_t ra);
bool x86_pmu_rdpmc(CPUArchState *env, uintptr_t ra);

/* To be called where the CPL changes, if nlive isn't 0 */
void x86_pmu_set_cpl(CPUArchState *env, int cpl);

void x86_pmu_lvtpc_written(X86CPU *cpu);

#endif
