/*
 * Intel architectural performance monitoring under TCG with icount
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 *
 * With icount each CPU knows exactly how many instructions it has executed
 * whenever it is between translation blocks, or in a helper called from the last
 * instruction of one. All that this file needs happens at such points: RDMSR,
 * WRMSR and RDPMC end their block, and so does what changes the CPL; interrupts
 * are taken between blocks, and faults unwind first. So the counters are brought
 * up to date (pmu_sync) at reads, writes and changes of CPL, and generated code
 * is left (pmu_rearm) on the instruction with which the next counter overflows.
 *
 * Instructions and branches are counted exactly. Every other event is a fixed
 * ratio of these, or of the ticks of icount, which include the iterations of REP
 * instructions and faulting instructions. None goes faster than the ticks, so no
 * overflow is found late; where it is looked for too early, pmu_rearm() is called
 * for what is left.
 *
 * Not modelled: PEBS, LBR, freezing by DEBUGCTL, AnyThread (accepted, without
 * effect), edge detection, inverted and greater-than-one counter masks (such a
 * counter never counts), migration.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "hw/i386/apic_internal.h"
#include "sysemu/cpu-timers.h"
#include "tcg/helper-tcg.h"

#define PMU_VERSION     4
#define PMU_WIDTH       48
#define PMU_EVENTS      7       /* architectural events in CPUID */
#define CTR_MASK        MAKE_64BIT_MASK(0, PMU_WIDTH)

#define EVTSEL_EVENT    0xffff
#define EVTSEL_USR      (1u << 16)
#define EVTSEL_OS       (1u << 17)
#define EVTSEL_EDGE     (1u << 18)
#define EVTSEL_INT      (1u << 20)
#define EVTSEL_EN       (1u << 22)
#define EVTSEL_INV      (1u << 23)

/* fields of a fixed counter in FIXED_CTR_CTRL */
#define FIXED_OS        1
#define FIXED_USR       2
#define FIXED_PMI       8
#define FIXED_FIELD(ctrl, i) ((ctrl) >> (4 * (i)) & 0xf)

/* bits of GLOBAL_STATUS beside the counters' */
#define STATUS_FIXED    32      /* of fixed counter 0 */
#define STATUS_LBR_FRZ  (1ULL << 58)
#define STATUS_CTR_FRZ  (1ULL << 59)
#define STATUS_UNCORE   (1ULL << 61)
#define STATUS_BUFFER   (1ULL << 62)
#define STATUS_COND     (1ULL << 63)

#define MSR_IA32_PMC0                   0x4c1
#define MSR_CORE_PERF_GLOBAL_STATUS_SET 0x391
#define MSR_CORE_PERF_GLOBAL_INUSE      0x392
#define INUSE_PMI                       (1ULL << 63)
#define FIXED_MSRS                      7   /* numbers kept for fixed counters */
#define PERF_CAP_FW_WRITES              (1ULL << 13)
#define MISC_ENABLE_PMU                 (1u << 7)
#define MISC_ENABLE_NO_BTS              (1u << 11)
#define MISC_ENABLE_NO_PEBS             (1u << 12)

/* Of our own, read-only: how often this CPU accessed the PMU */
#define MSR_COUNT_RDMSR                 0x40000f00
#define MSR_COUNT_WRMSR                 0x40000f01
#define MSR_COUNT_LVTPC                 0x40000f02
#define MSR_COUNT_RDPMC                 0x40000f03

/* Planted faults, to see that tests find them */
typedef enum PMUFault {
    FAULT_NONE,
    FAULT_NO_STATUS,    /* an overflow sets no bit in GLOBAL_STATUS */
    FAULT_NO_PMI,       /* nor raises an interrupt */
    FAULT_LATE_PMI,     /* it does one instruction late */
    FAULT_OFF_BY_ONE,   /* a counter starts one above what was written to it */
    FAULT_NO_MASK,      /* LVTPC isn't masked when the interrupt is delivered */
    FAULT_LATCHED_PMI,  /* an interrupt while LVTPC is masked comes afterwards */
    FAULT_NO_FILTER,    /* USR and OS have no effect */
    FAULT_NO_GP,        /* reserved bits and absent counters don't fault */
    FAULT_NO_SIGN,      /* legacy writes aren't sign-extended */
    FAULT_NO_CLEAR,     /* GLOBAL_OVF_CTRL clears nothing */
    FAULT_REP_INSNS,    /* each iteration of REP is an instruction */
    FAULT_NO_COUNT,     /* WRMSR isn't counted by MSR_COUNT_WRMSR */
} PMUFault;

static const char *const fault_names[] = {
    [FAULT_NONE] = "none",
    [FAULT_NO_STATUS] = "no-status",
    [FAULT_NO_PMI] = "no-pmi",
    [FAULT_LATE_PMI] = "late-pmi",
    [FAULT_OFF_BY_ONE] = "off-by-one",
    [FAULT_NO_MASK] = "no-mask",
    [FAULT_LATCHED_PMI] = "latched-pmi",
    [FAULT_NO_FILTER] = "no-filter",
    [FAULT_NO_GP] = "no-gp",
    [FAULT_NO_SIGN] = "no-sign",
    [FAULT_NO_CLEAR] = "no-clear",
    [FAULT_REP_INSNS] = "rep-insns",
    [FAULT_NO_COUNT] = "no-count",
};

enum { BASE_INSNS, BASE_BRANCHES, BASE_TICKS, NBASES };

typedef struct PMUEvent {
    uint16_t select;            /* umask and event number */
    uint8_t base;
    uint32_t num, den;
} PMUEvent;

static const PMUEvent gp_events[] = {
    { 0x003c, BASE_TICKS, 1, 1 },       /* core cycles, while not halted */
    { 0x013c, BASE_TICKS, 1, 1 },       /* reference cycles, likewise */
    { 0x00c0, BASE_INSNS, 1, 1 },       /* instructions retired */
    { 0x01c0, BASE_INSNS, 1, 1 },       /* the same, "precise distribution" */
    { 0x4f2e, BASE_INSNS, 1, 100 },     /* last level cache references */
    { 0x412e, BASE_INSNS, 1, 1000 },    /* and misses */
    { 0x00c4, BASE_BRANCHES, 1, 1 },    /* branches retired */
    { 0x00c5, BASE_BRANCHES, 1, 50 },   /* and mispredicted ones */
};

static const PMUEvent fixed_events[PMU_FIXED] = {
    { .base = BASE_INSNS, .num = 1, .den = 1 },
    { .base = BASE_TICKS, .num = 1, .den = 1 },
    { .base = BASE_TICKS, .num = 1, .den = 1 },
};

static bool pmu_fault(CPUX86State *env, PMUFault fault)
{
    return unlikely(env_archcpu(env)->pmu_config.fault == fault);
}

static int pmu_gp_counters(CPUX86State *env)
{
    return env_archcpu(env)->pmu_config.gp_counters;
}

/* The bit of a counter in the GLOBAL_ registers */
static uint64_t pmu_bit(int index)
{
    return 1ULL << (index < PMU_GP_MAX ? index :
                    STATUS_FIXED + index - PMU_GP_MAX);
}

static uint64_t pmu_all_bits(CPUX86State *env)
{
    return MAKE_64BIT_MASK(0, pmu_gp_counters(env)) |
           MAKE_64BIT_MASK(STATUS_FIXED, PMU_FIXED);
}

/* Enabled counters */

static const PMUEvent *pmu_find_event(uint32_t sel)
{
    /* no more than one event happens in a cycle: greater masks are never met */
    if ((sel & (EVTSEL_EDGE | EVTSEL_INV)) || sel >> 24 > 1) {
        return NULL;
    }
    for (int i = 0; i < ARRAY_SIZE(gp_events); i++) {
        if (gp_events[i].select == (sel & EVTSEL_EVENT)) {
            return &gp_events[i];
        }
    }
    return NULL;
}

static void pmu_add_live(X86PMUState *p, int index, const PMUEvent *ev,
                         bool usr, bool os, bool pmi)
{
    p->live[p->nlive++] = (X86PMULive) {
        .index = index, .usr = usr, .os = os, .pmi = pmi,
        .base = ev->base, .num = ev->num, .den = ev->den,
    };
}

/* To be called when what enables a counter has changed */
static void pmu_find_live(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t enabled = p->global_ctrl;

    p->nlive = 0;
    if (p->global_status & STATUS_CTR_FRZ) {
        return;
    }
    for (int i = 0; i < pmu_gp_counters(env); i++) {
        uint32_t sel = p->evtsel[i];
        const PMUEvent *ev = pmu_find_event(sel);

        if (ev && (sel & EVTSEL_EN) && (enabled & pmu_bit(i))) {
            pmu_add_live(p, i, ev, sel & EVTSEL_USR, sel & EVTSEL_OS,
                         sel & EVTSEL_INT);
        }
    }
    for (int i = 0; i < PMU_FIXED; i++) {
        int field = FIXED_FIELD(p->fixed_ctrl, i);

        if ((field & (FIXED_OS | FIXED_USR)) &&
            (enabled & pmu_bit(PMU_GP_MAX + i))) {
            pmu_add_live(p, PMU_GP_MAX + i, &fixed_events[i],
                         field & FIXED_USR, field & FIXED_OS,
                         field & FIXED_PMI);
        }
    }
}

static bool pmu_counts_now(CPUX86State *env, X86PMULive *l)
{
    return pmu_fault(env, FAULT_NO_FILTER) ? l->usr || l->os :
           env->hflags & HF_CPL_MASK ? l->usr : l->os;
}

/* Counting */

static void pmu_overflow(CPUX86State *env, X86PMULive *l)
{
    X86PMUState *p = &env->pmu;

    if (!pmu_fault(env, FAULT_NO_STATUS)) {
        p->global_status |= pmu_bit(l->index);
    }
    if (l->pmi && !pmu_fault(env, FAULT_NO_PMI)) {
        p->pmi_pending = true;
    }
}

/*
 * Count what was executed since the last call, but for the last @undo
 * instructions: these are left to the next call.
 */
static void pmu_sync(CPUX86State *env, int undo)
{
    X86PMUState *p = &env->pmu;
    int64_t ticks = icount_get_cpu(env_cpu(env)) - undo;
    int64_t insns = pmu_fault(env, FAULT_REP_INSNS) ? ticks :
                    ticks - p->unretired;
    int64_t delta[NBASES] = {
        [BASE_INSNS] = insns - p->last_insns,
        [BASE_BRANCHES] = p->branches - p->last_branches,
        [BASE_TICKS] = ticks - p->last_ticks,
    };

    p->last_ticks = ticks;
    p->last_insns = insns;
    p->last_branches = p->branches;
    for (X86PMULive *l = p->live; l < p->live + p->nlive; l++) {
        uint64_t *frac = &p->frac[l->index], *ctr = &p->counter[l->index];
        int64_t d = delta[l->base];

        if (!pmu_counts_now(env, l)) {
            continue;
        }
        if (l->num != l->den) {
            d = d * l->num + *frac;
            *frac = d % l->den;
            d /= l->den;
        }
        *ctr += d;
        if (*ctr & ~CTR_MASK) {
            *ctr &= CTR_MASK;
            pmu_overflow(env, l);
        }
    }
}

/* After pmu_sync(): have pmu_stop() called no later than at the next overflow */
static void pmu_rearm(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    int64_t stop = INT64_MAX;

    for (X86PMULive *l = p->live; l < p->live + p->nlive; l++) {
        uint64_t left = CTR_MASK + 1 - p->counter[l->index];

        if (!l->pmi || !pmu_counts_now(env, l)) {
            continue;
        }
        if (l->num != l->den) {
            left = DIV_ROUND_UP(left * l->den - p->frac[l->index], l->num);
        }
        stop = MIN(stop, p->last_ticks + left);
    }
    if (p->pmi_pending) {
        stop = p->last_ticks;
    }
    if (pmu_fault(env, FAULT_LATE_PMI) && stop != INT64_MAX) {
        stop++;
    }
    icount_stop_set(env_cpu(env), stop == INT64_MAX ? 0 : MAX(stop, 1));
}

/* What arrives while LVTPC is masked is lost; delivery masks it */
static void pmu_deliver(X86CPU *cpu)
{
    APICCommonState *s = APIC_COMMON(cpu->apic_state);
    uint32_t *lvt = &s->lvt[APIC_LVT_PERFORM];
    bool locked = qemu_mutex_iothread_locked();

    if (*lvt & APIC_LVT_MASKED) {
        cpu->env.pmu.pmi_latched = pmu_fault(&cpu->env, FAULT_LATCHED_PMI);
        return;
    }
    if (!locked) {
        qemu_mutex_lock_iothread();
    }
    apic_local_deliver(s, APIC_LVT_PERFORM);
    if (!locked) {
        qemu_mutex_unlock_iothread();
    }
    if (!pmu_fault(&cpu->env, FAULT_NO_MASK)) {
        *lvt |= APIC_LVT_MASKED;
    }
}

static void pmu_stop(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    CPUX86State *env = &cpu->env;

    pmu_sync(env, 0);
    if (env->pmu.pmi_pending) {
        env->pmu.pmi_pending = false;
        pmu_deliver(cpu);
    }
    pmu_rearm(env);
}

void x86_pmu_set_cpl(CPUX86State *env, int cpl)
{
    if (cpl == (env->hflags & HF_CPL_MASK)) {
        return;
    }
    pmu_sync(env, 0);
    env->hflags = (env->hflags & ~HF_CPL_MASK) | cpl;
    pmu_rearm(env);
}

void x86_pmu_lvtpc_written(X86CPU *cpu)
{
    X86PMUState *p = &cpu->env.pmu;

    p->lvtpc_writes++;
    if (p->pmi_latched) {
        p->pmi_latched = false;
        pmu_deliver(cpu);
    }
}

/* Registers */

static uint64_t pmu_inuse(CPUX86State *env)
{
    X86PMUState *p = &env->pmu;
    uint64_t val = 0;

    for (int i = 0; i < pmu_gp_counters(env); i++) {
        val |= (p->evtsel[i] & 0xff ? pmu_bit(i) : 0) |
               (p->evtsel[i] & EVTSEL_INT ? INUSE_PMI : 0);
    }
    for (int i = 0; i < PMU_FIXED; i++) {
        int field = FIXED_FIELD(p->fixed_ctrl, i);

        val |= (field & (FIXED_OS | FIXED_USR) ? pmu_bit(PMU_GP_MAX + i) : 0) |
               (field & FIXED_PMI ? INUSE_PMI : 0);
    }
    return val;
}

typedef enum PMUReg {
    REG_NONE,           /* not a register of the PMU */
    REG_ABSENT,         /* of a counter that isn't there */
    REG_PLAIN,          /* bits of a mask can be written, the others are 0 */
    REG_LEGACY,         /* a counter of which 32 bits can be written */
    REG_RDONLY,
    REG_STATUS_CLEAR,
    REG_STATUS_SET,
} PMUReg;

/* Find what an MSR is: where it is kept, and which bits can be written */
static PMUReg pmu_find_reg(CPUX86State *env, uint32_t msr, uint64_t **reg,
                           uint64_t *mask)
{
    X86PMUState *p = &env->pmu;
    uint32_t n = pmu_gp_counters(env);

    *reg = NULL;
    *mask = 0;
    if (msr - MSR_P6_PERFCTR0 < PMU_GP_MAX) {
        *reg = &p->counter[msr - MSR_P6_PERFCTR0];
        return msr - MSR_P6_PERFCTR0 < n ? REG_LEGACY : REG_ABSENT;
    }
    if (msr - MSR_IA32_PMC0 < PMU_GP_MAX) {
        *reg = &p->counter[msr - MSR_IA32_PMC0];
        *mask = CTR_MASK;
        return msr - MSR_IA32_PMC0 < n ? REG_PLAIN : REG_ABSENT;
    }
    if (msr - MSR_P6_EVNTSEL0 < PMU_GP_MAX) {
        *reg = &p->evtsel[msr - MSR_P6_EVNTSEL0];
        *mask = UINT32_MAX;
        return msr - MSR_P6_EVNTSEL0 < n ? REG_PLAIN : REG_ABSENT;
    }
    if (msr - MSR_CORE_PERF_FIXED_CTR0 < PMU_FIXED) {
        *reg = &p->counter[PMU_GP_MAX + msr - MSR_CORE_PERF_FIXED_CTR0];
        *mask = CTR_MASK;
        return REG_PLAIN;
    }
    if (msr - MSR_CORE_PERF_FIXED_CTR0 < FIXED_MSRS) {
        return REG_ABSENT;
    }
    switch (msr) {
    case MSR_CORE_PERF_FIXED_CTR_CTRL:
        *reg = &p->fixed_ctrl;
        *mask = MAKE_64BIT_MASK(0, 4 * PMU_FIXED);
        return REG_PLAIN;
    case MSR_CORE_PERF_GLOBAL_CTRL:
        *reg = &p->global_ctrl;
        *mask = pmu_all_bits(env);
        return REG_PLAIN;
    case MSR_CORE_PERF_GLOBAL_STATUS:
        *reg = &p->global_status;
        return REG_RDONLY;
    case MSR_CORE_PERF_GLOBAL_OVF_CTRL:
        *mask = pmu_all_bits(env) | STATUS_LBR_FRZ | STATUS_CTR_FRZ |
                STATUS_UNCORE | STATUS_BUFFER | STATUS_COND;
        return REG_STATUS_CLEAR;
    case MSR_CORE_PERF_GLOBAL_STATUS_SET:
        *mask = pmu_all_bits(env) | STATUS_LBR_FRZ | STATUS_CTR_FRZ |
                STATUS_UNCORE | STATUS_BUFFER;
        return REG_STATUS_SET;
    case MSR_CORE_PERF_GLOBAL_INUSE:
    case MSR_IA32_PERF_CAPABILITIES:
        return REG_RDONLY;
    }
    return REG_NONE;
}

static uint64_t pmu_read(CPUX86State *env, uint32_t msr, uint64_t *reg)
{
    switch (msr) {
    case MSR_CORE_PERF_GLOBAL_INUSE:
        return pmu_inuse(env);
    case MSR_IA32_PERF_CAPABILITIES:
        return PERF_CAP_FW_WRITES;
    }
    return reg ? *reg : 0;
}

/* False: the register or the value is not for writing */
static bool pmu_write(CPUX86State *env, PMUReg type, uint64_t *reg,
                      uint64_t mask, uint64_t val)
{
    X86PMUState *p = &env->pmu;

    if (pmu_fault(env, FAULT_NO_GP) && mask) {
        val &= mask;
    }
    if (type == REG_LEGACY) {
        val = pmu_fault(env, FAULT_NO_SIGN) ? extract64(val, 0, 32) :
              sextract64(val, 0, 32) & CTR_MASK;
    } else if (type == REG_RDONLY || (val & ~mask)) {
        return false;
    }
    switch (type) {
    case REG_STATUS_CLEAR:
        if (!pmu_fault(env, FAULT_NO_CLEAR)) {
            p->global_status &= ~val;
        }
        return true;
    case REG_STATUS_SET:
        p->global_status |= val;
        return true;
    default:
        break;
    }
    if (reg >= p->evtsel && reg < p->evtsel + PMU_GP_MAX &&
        ((*reg ^ val) & EVTSEL_EVENT)) {
        p->frac[reg - p->evtsel] = 0;
    }
    if (reg >= p->counter && reg < p->counter + PMU_MAX &&
        pmu_fault(env, FAULT_OFF_BY_ONE) && val < CTR_MASK) {
        val++;
    }
    *reg = val;
    return true;
}

/* What isn't the architecture's: true if @msr is such a register */
static bool pmu_read_other(CPUX86State *env, uint32_t msr, uint64_t *val)
{
    X86PMUState *p = &env->pmu;

    switch (msr) {
    case MSR_COUNT_RDMSR:
        *val = p->msr_reads;
        return true;
    case MSR_COUNT_WRMSR:
        *val = p->msr_writes;
        return true;
    case MSR_COUNT_LVTPC:
        *val = p->lvtpc_writes;
        return true;
    case MSR_COUNT_RDPMC:
        *val = p->rdpmcs;
        return true;
    case MSR_IA32_MISC_ENABLE:
        *val = env->msr_ia32_misc_enable | MISC_ENABLE_PMU |
               MISC_ENABLE_NO_BTS | MISC_ENABLE_NO_PEBS;
        return true;
    }
    return false;
}

static void pmu_return(CPUX86State *env, uint64_t val)
{
    env->regs[R_EAX] = (uint32_t)val;
    env->regs[R_EDX] = val >> 32;
}

bool x86_pmu_rdmsr(CPUX86State *env, uintptr_t ra)
{
    uint32_t msr = env->regs[R_ECX];
    uint64_t *reg, mask, val;
    PMUReg type;

    if (!env_archcpu(env)->enable_pmu) {
        return false;
    }
    if (pmu_read_other(env, msr, &val)) {
        pmu_return(env, val);
        return true;
    }
    type = pmu_find_reg(env, msr, &reg, &mask);
    if (type == REG_NONE) {
        return false;
    }
    env->pmu.msr_reads++;
    if (type == REG_ABSENT && !pmu_fault(env, FAULT_NO_GP)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    /* the instruction doesn't count itself */
    pmu_sync(env, 1);
    pmu_rearm(env);
    pmu_return(env, pmu_read(env, msr, reg));
    return true;
}

bool x86_pmu_wrmsr(CPUX86State *env, uintptr_t ra)
{
    uint32_t msr = env->regs[R_ECX];
    uint64_t val = (uint32_t)env->regs[R_EAX] | env->regs[R_EDX] << 32;
    uint64_t *reg, mask, other;
    PMUReg type;
    bool good;

    if (!env_archcpu(env)->enable_pmu) {
        return false;
    }
    type = pmu_find_reg(env, msr, &reg, &mask);
    if (type == REG_NONE) {
        if (msr != MSR_IA32_MISC_ENABLE && pmu_read_other(env, msr, &other)) {
            raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
        }
        return false;
    }
    env->pmu.msr_writes += !pmu_fault(env, FAULT_NO_COUNT);
    /* the instruction itself counts as the new setting says */
    pmu_sync(env, 1);
    good = type != REG_ABSENT && pmu_write(env, type, reg, mask, val);
    if (good) {
        pmu_find_live(env);
    }
    pmu_rearm(env);
    if (!good && !pmu_fault(env, FAULT_NO_GP)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    return true;
}

bool x86_pmu_rdpmc(CPUX86State *env, uintptr_t ra)
{
    uint32_t ecx = env->regs[R_ECX];
    bool fixed = ecx >> 30 & 1;
    uint32_t n = ecx & ~(1u << 30);

    if (!env_archcpu(env)->enable_pmu) {
        return false;
    }
    if (n >= (fixed ? PMU_FIXED : pmu_gp_counters(env))) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    env->pmu.rdpmcs++;
    pmu_sync(env, 1);
    pmu_rearm(env);
    pmu_return(env, env->pmu.counter[fixed ? PMU_GP_MAX + n : n]);
    return true;
}

/* The processor */

void x86_pmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t *eax, uint32_t *ebx,
                   uint32_t *ecx, uint32_t *edx)
{
    switch (index) {
    case 1:
        if (cpu->enable_pmu) {
            *ecx |= CPUID_EXT_PDCM;
        }
        break;
    case 0xa:
        if (cpu->enable_pmu) {
            *eax = PMU_VERSION | cpu->pmu_config.gp_counters << 8 |
                   PMU_WIDTH << 16 | PMU_EVENTS << 24;
            *edx = PMU_FIXED | PMU_WIDTH << 5;
        }
        break;
    case 0x15:
        /* TSC and APIC timer: icount's nanoseconds */
        *eax = *ebx = 1;
        *ecx = NANOSECONDS_PER_SECOND;
        break;
    case 0x16:
        *eax = *ebx = NANOSECONDS_PER_SECOND / 1000000;
        *ecx = 100;
        break;
    }
}

void x86_pmu_reset(CPUX86State *env)
{
    env->pmu.global_ctrl = MAKE_64BIT_MASK(0, pmu_gp_counters(env));
}

bool x86_pmu_realize(X86CPU *cpu, Error **errp)
{
    X86PMUConfig *c = &cpu->pmu_config;

    cpu->env.cpuid_level = MAX(cpu->env.cpuid_level, 0x16);
    if (!cpu->enable_pmu) {
        return true;
    }
    if (icount_enabled() != 1 || icount_to_ns(1) != 1) {
        error_setg(errp, "the PMU needs -icount shift=0; or say pmu=off");
        return false;
    }
    if (c->gp_counters < 1 || c->gp_counters > PMU_GP_MAX) {
        error_setg(errp, "x-pmu-counters must be 1 to %d", PMU_GP_MAX);
        return false;
    }
    for (int i = 0; c->fault_name; i++) {
        if (i == ARRAY_SIZE(fault_names)) {
            error_setg(errp, "unknown x-pmu-fault '%s'", c->fault_name);
            return false;
        }
        if (!strcmp(fault_names[i], c->fault_name)) {
            c->fault = i;
            break;
        }
    }
    CPU(cpu)->icount_stop.reached = pmu_stop;
    return true;
}
