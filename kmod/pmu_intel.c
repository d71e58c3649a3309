// SPDX-License-Identifier: GPL-2.0
/*
 * The intel backend: architectural performance monitoring (version 2 and later) of Intel
 * processors, programmed directly, with the overflow interrupt as an NMI
 *
 * The backend is exclusive: it takes all counters from perf for as long as a session runs. Whatever
 * a CPU's registers were before is saved when the CPU is armed and given back when it is disarmed.
 *
 * DOC: the window of the handler
 *
 * The local APIC masks LVTPC when it delivers a PMI, and an overflow that finds it masked raises
 * nothing, ever: its counter would stay silent. With one counter armed there is no such overflow,
 * since that counter has its whole period before it when it is reloaded. With several, they all
 * stand still while the handler looks at the status, so that none can overflow unseen. A period so
 * short that the counter overflows again between going on and unmasking (FORCE) makes the handler
 * look once more after unmasking. What hardware or firmware still manages to lose is found by
 * intel_verify(), and counted as lost.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/cpufeature.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "clock.h"
#include "compat.h"
#include "ring.h"
#include "scope.h"
#include "session.h"

#define INTEL_TICK_MS		4	/* VSAMP_A_PMI_LIMIT counts the PMIs of this time */
#define INTEL_ROUNDS_MAX	16	/* of the handler, before it throttles */
#define INTEL_X2APIC_LVTPC	0x834	/* names LVTPC in a STATE record */

/* IA32_PERF_CAPABILITIES: counters can be written in full width, at 0x4c1 */
#define INTEL_CAP_FULL_WIDTH	BIT_ULL(13)
/* FIXED_CTR_CTRL, a counter's four bits */
#define INTEL_FIXED_KERNEL	BIT(0)
#define INTEL_FIXED_USER	BIT(1)
#define INTEL_FIXED_PMI		BIT(3)

/* Why a CPU that is armed isn't counting */
enum intel_hold {
	INTEL_HOLD_PAUSE,
	INTEL_HOLD_THROTTLE,
	INTEL_HOLD_SCOPE,
};

struct intel_event {
	u64 header;		/* of a sample */
	u64 reload;		/* what the counter starts from */
	u64 overflows;		/* since it was armed */
	u64 bit;		/* in GLOBAL_CTRL and GLOBAL_STATUS */
	u64 period;		/* 0: counts only */
	u32 msr;		/* the counter, for writing */
	u32 msr_read;
	u32 msr_select;		/* 0: a fixed counter */
	u64 select;
	u64 wrap;		/* the counter's mask */
	u64 saved_counter;
	u64 saved_select;
};

/*
 * struct intel_cpu - what the NMI handler and others know of a CPU
 * @mask: our counters' bits; 0: not armed
 * @single: the same if there's one counter and nothing about it is unusual, else 0
 * @budget: PMIs left in this tick
 * @ctrl: what GLOBAL_CTRL holds
 * @hold: bits of enum intel_hold
 * @foreign: register that somebody else wrote to
 */
struct intel_cpu {
	u64 mask;
	u64 single;
	struct ring *ring;
	u64 pmis;
	u32 budget;
	u32 event_count;
	u64 ctrl;
	unsigned long hold;
	struct intel_event events[VSAMP_EVENTS_MAX];

	struct session *session;
	u64 tick_start;
	u64 throttled;
	bool again;		/* look again after unmasking */
	u64 fixed_ctrl;
	u32 foreign;
	u64 saved_ctrl;
	u64 saved_fixed_ctrl;
	u32 saved_lvtpc;
	struct irq_work throttle_work;
	struct hrtimer throttle_timer;
} ____cacheline_aligned;

static DEFINE_PER_CPU(struct intel_cpu, intel_cpu);
static unsigned int intel_reserved;	/* general counters */

/* Registers */

static u64 intel_apic_read(void)
{
	return apic->read(APIC_LVTPC);
}

static __always_inline void intel_apic_write(u32 value)
{
	apic->write(APIC_LVTPC, value);
}

static u64 intel_ctrl_wanted(const struct intel_cpu *c)
{
	return READ_ONCE(c->hold) ? 0 : c->mask;
}

static void intel_ctrl_write(struct intel_cpu *c)
{
	WRITE_ONCE(c->ctrl, intel_ctrl_wanted(c));
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, c->ctrl);
}

/*
 * GLOBAL_CTRL as @hold says. An NMI may throttle at any point in between: it then leaves both the
 * register and @ctrl right, or finds them made wrong by the cut writer and rights them, or the
 * writer sees it here.
 */
static void intel_ctrl_update(struct intel_cpu *c)
{
	while (intel_ctrl_wanted(c) != READ_ONCE(c->ctrl))
		intel_ctrl_write(c);
}

/* Whether GLOBAL_CTRL holds what was written last; an NMI may throttle in between */
static bool intel_ctrl_is_ours(struct intel_cpu *c)
{
	u64 ctrl, value;

	do {
		ctrl = READ_ONCE(c->ctrl);
		value = compat_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL);
	} while (ctrl != READ_ONCE(c->ctrl));
	return value == ctrl;
}

/* What this CPU has; version 0 if it can't be used */
static void intel_caps_read(void *data)
{
	struct pmu_caps *caps = data;
	unsigned int eax, ebx, ecx, edx, general, fixed, absent, i;
	u32 low = 0, high = 0;

	memset(caps, 0, sizeof(*caps));
	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL || boot_cpu_data.cpuid_level < 10)
		return;
	cpuid_count(10, 0, &eax, &ebx, &ecx, &edx);
	general = (eax >> 8) & 0xff;
	fixed = edx & 0x1f;
	absent = eax >> 24;
	caps->width = (eax >> 16) & 0xff;
	caps->width_fixed = (edx >> 5) & 0xff;
	if (!caps->width_fixed)
		caps->width_fixed = caps->width;
	if ((eax & 0xff) < 2 || !general || general > VSAMP_COUNTER_FIXED ||
	    min(caps->width, caps->width_fixed) < 32 || max(caps->width, caps->width_fixed) > 63)
		return;
	caps->counters = GENMASK_ULL(general - 1, 0);
	for (i = 0; i < 16; i++)
		if (i < fixed || ((eax & 0xff) >= 5 && ecx & BIT(i)))
			caps->counters |= BIT_ULL(VSAMP_COUNTER_FIXED + i);
	/* a bit set: absent, as is what the list is too short for */
	caps->events_absent = ebx | (absent < 32 ? ~0U << absent : 0);
	caps->sav_max = BIT_ULL(min(caps->width, caps->width_fixed) - 1) - 1;
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsr_safe(MSR_IA32_PERF_CAPABILITIES, &low, &high);
	if (!(low & INTEL_CAP_FULL_WIDTH))	/* writes extend bit 31 */
		caps->sav_max = min_t(u64, caps->sav_max, S32_MAX);
	caps->version = eax & 0xff;
}

static bool intel_full_width(const struct pmu_caps *caps)
{
	return caps->sav_max > S32_MAX;
}

static void intel_caps(int cpu, struct pmu_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	smp_call_function_single(cpu, intel_caps_read, caps, 1);
}

/* Counting: an event's count since it was armed, correct also between overflow and interrupt */
static u64 intel_count(const struct intel_event *e)
{
	u64 overflows, value;

	do {
		overflows = READ_ONCE(e->overflows);
		value = compat_rdmsr(e->msr_read);
	} while (overflows != READ_ONCE(e->overflows));
	value = (value - e->reload) & e->wrap;
	if (e->period)
		return overflows * e->period + value;
	/* it isn't reloaded: an overflow is a whole turn, in value but for the turn */
	return overflows * (e->wrap + 1) + value;
}

static void intel_stats_add(struct intel_cpu *c, struct pmu_stats *stats)
{
	unsigned int i;

	stats->pmis += c->pmis;
	stats->throttled += c->throttled;
	for (i = 0; i < c->event_count; i++) {
		stats->count[i] += intel_count(&c->events[i]);
		if (c->events[i].period)
			stats->samples[i] += c->events[i].overflows;
	}
}

/* Throttling: too many PMIs in a tick hold the counters until the next one */

static u64 intel_tick(void)
{
	return clock_khz() * INTEL_TICK_MS;
}

static void intel_throttle_write(struct intel_cpu *c, u16 type, u64 time, u32 pmis)
{
	struct vsamp_record_throttle throttle = {
		.h.type = type,
		.h.size = sizeof(throttle),
		.time = time,
		.count = pmis,
	};

	ring_write(c->ring, &throttle, RING_KEEP);
}

static void intel_throttle(struct intel_cpu *c, u64 now, u32 pmis)
{
	if (test_and_set_bit(INTEL_HOLD_THROTTLE, &c->hold))
		return;
	intel_ctrl_write(c);
	c->throttled++;
	intel_throttle_write(c, VSAMP_RECORD_THROTTLE, now, pmis);
	irq_work_queue(&c->throttle_work);
}

/* The budget is used up: of this tick, or of one long past */
static noinline void intel_budget_end(struct intel_cpu *c, u64 now)
{
	c->budget = c->session->config.pmi_limit;
	if (now - c->tick_start < intel_tick())
		intel_throttle(c, now, c->budget);
	else
		c->tick_start = now;
}

static void intel_throttle_work(struct irq_work *work)
{
	struct intel_cpu *c = container_of(work, struct intel_cpu, throttle_work);
	u64 passed, tick = intel_tick();

	if (!test_bit(INTEL_HOLD_THROTTLE, &c->hold))
		return;
	if (!test_and_set_bit(0, &c->session->throttle_told))
		pr_notice("vsamp: CPU %d took more than %u samples in %d ms and is throttled; a larger Sample-After value avoids it\n",
			  c->ring->cpu, c->session->config.pmi_limit, INTEL_TICK_MS);
	passed = min(clock_read() - c->tick_start, tick);
	hrtimer_start(&c->throttle_timer,
		      ns_to_ktime(div64_u64((tick - passed) * NSEC_PER_MSEC, clock_khz())),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/* Interrupts are off in a hard timer's function */
static enum hrtimer_restart intel_unthrottle(struct hrtimer *timer)
{
	struct intel_cpu *c = container_of(timer, struct intel_cpu, throttle_timer);

	if (c->mask && test_bit(INTEL_HOLD_THROTTLE, &c->hold)) {
		c->tick_start = clock_read();
		intel_throttle_write(c, VSAMP_RECORD_UNTHROTTLE, c->tick_start, 0);
		clear_bit(INTEL_HOLD_THROTTLE, &c->hold);
		intel_ctrl_update(c);
	}
	return HRTIMER_NORESTART;
}

/* The NMI handler */

/*
 * Take what has overflowed; GLOBAL_CTRL is 0, or the overflows are old. Without @regs there's
 * nothing to write a sample from.
 */
static int intel_drain(struct intel_cpu *c, u64 status, struct pt_regs *regs, u64 now)
{
	struct intel_event *e;
	int handled = 0;

	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, status);
	for (e = c->events; e < c->events + c->event_count; e++) {
		if (!(status & e->bit))
			continue;
		handled++;
		e->overflows++;
		if (!e->period)
			continue;
		compat_wrmsr(e->msr, e->reload);
		if (regs)
			ring_sample(c->ring, regs, now, e->header);
		else
			ring_lose(c->ring);
	}
	return handled;
}

/* Several counters, or anything unusual */
static noinline int intel_nmi_several(struct intel_cpu *c, struct pt_regs *regs)
{
	int rounds = 0, handled = 0;
	u64 now, status;

	do {
		compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		now = clock_read();
		status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
		handled += intel_drain(c, status, regs, now);
		c->pmis++;
		if (!--c->budget)
			intel_budget_end(c, now);
		else if (++rounds == INTEL_ROUNDS_MAX)
			intel_throttle(c, now, rounds);
		intel_ctrl_write(c);
		intel_apic_write(APIC_DM_NMI);
	} while (c->again && compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask);
	return handled;
}

/*
 * With one counter: four accesses, and as few instructions as can be; they are what sampling costs.
 * The sum of what the handlers return says whether the NMI was anybody's: only what is ours is
 * claimed.
 */
static int intel_nmi(unsigned int type, struct pt_regs *regs)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	u64 status, now;

	status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
	if (!status)
		return NMI_DONE;
	if (unlikely(status != c->single))
		return intel_nmi_several(c, regs);

	now = rdtsc();
	compat_wrmsr(c->events[0].msr, c->events[0].reload);
	c->events[0].overflows++;
	c->pmis++;
	ring_sample(c->ring, regs, now, c->events[0].header);
	if (unlikely(!--c->budget))
		intel_budget_end(c, now);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->single);
	intel_apic_write(APIC_DM_NMI);
	return NMI_HANDLED;
}

/* Taking the PMU */

static void intel_release(void)
{
	while (intel_reserved) {
		intel_reserved--;
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + intel_reserved);
		release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + intel_reserved);
	}
}

/* At the legacy addresses: at others the kernel's books keep nothing, and refuse nothing */
static int intel_reserve(unsigned int count, struct netlink_ext_ack *extack)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i))
			goto err_busy;
		if (!reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i)) {
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
			goto err_busy;
		}
		intel_reserved++;
	}
	return 0;

err_busy:
	intel_release();
	NL_SET_ERR_MSG(extack,
		       "performance counters are reserved by perf (a perf event, the NMI watchdog or a KVM guest)");
	return -EBUSY;
}

/* Checks on each CPU, in this order; only the last one writes, and restores what it wrote */
enum intel_check {
	INTEL_CHECK_CAPS,
	INTEL_CHECK_LIVE,
	INTEL_CHECK_WORKS,
};

struct intel_check_arg {
	struct session *session;
	enum intel_check check;
	int err;
	int counter;		/* the one at fault */
};

static u32 intel_msr_select(u32 counter)
{
	return counter < VSAMP_COUNTER_FIXED ? MSR_ARCH_PERFMON_EVENTSEL0 + counter : 0;
}

static u32 intel_msr_read(u32 counter)
{
	return counter < VSAMP_COUNTER_FIXED ? MSR_ARCH_PERFMON_PERFCTR0 + counter :
	       MSR_ARCH_PERFMON_FIXED_CTR0 + counter - VSAMP_COUNTER_FIXED;
}

static u32 intel_msr_write(u32 counter, const struct pmu_caps *caps)
{
	if (counter < VSAMP_COUNTER_FIXED && intel_full_width(caps))
		return MSR_IA32_PMC0 + counter;
	return intel_msr_read(counter);
}

static int intel_check_caps(struct intel_check_arg *arg, const struct pmu_caps *caps)
{
	const struct session_config *config = &arg->session->config;
	int i;

	for (i = 0; i < config->event_count; i++) {
		arg->counter = config->events[i].counter;
		if (!(caps->counters & BIT_ULL(arg->counter)) ||
		    config->events[i].sav > caps->sav_max)
			return -ENODEV;
	}
	return 0;
}

/* A counter that was left running belongs to somebody who asked nobody */
static int intel_check_live(struct intel_check_arg *arg, const struct pmu_caps *caps)
{
	u64 value;
	int i;

	for (i = 0; i < VSAMP_COUNTER_FIXED && caps->counters & BIT_ULL(i); i++) {
		arg->counter = i;
		if (compat_rdmsr(intel_msr_select(i)) & ARCH_PERFMON_EVENTSEL_ENABLE)
			return -EBUSY;
	}
	value = compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL);
	if (value) {
		arg->counter = VSAMP_COUNTER_FIXED + __ffs64(value) / 4;
		return -EBUSY;
	}
	return 0;
}

/* Whether a register keeps what is written */
static bool intel_register_works(u32 write, u32 read, u64 value)
{
	u32 low, high, low_now = 0, high_now = 0;
	bool works;

	if (rdmsr_safe(read, &low, &high))
		return false;
	works = !wrmsr_safe(write, (u32)value, (u32)(value >> 32)) &&
		!rdmsr_safe(read, &low_now, &high_now) &&
		low_now == (u32)value && high_now == (u32)(value >> 32);
	wrmsr_safe(write, low, high);
	return works;
}

/* Nothing counts meanwhile: no counter is enabled */
static int intel_check_works(struct intel_check_arg *arg, const struct pmu_caps *caps)
{
	const struct session_config *config = &arg->session->config;
	u64 bits = 0;
	u32 counter;
	int i;

	for (i = 0; i < config->event_count; i++) {
		counter = config->events[i].counter;
		arg->counter = counter;
		bits |= BIT_ULL(counter);
		if (!intel_register_works(intel_msr_write(counter, caps), intel_msr_read(counter),
					  0x2a5a5a5a))
			return -ENODEV;
		if (counter < VSAMP_COUNTER_FIXED &&
		    !intel_register_works(intel_msr_select(counter), intel_msr_select(counter),
					  config->events[i].config | ARCH_PERFMON_EVENTSEL_USR))
			return -ENODEV;
	}
	return intel_register_works(MSR_CORE_PERF_GLOBAL_CTRL, MSR_CORE_PERF_GLOBAL_CTRL, bits) ?
	       0 : -ENODEV;
}

static void intel_check_cpu(void *data)
{
	struct intel_check_arg *arg = data;
	struct pmu_caps caps;

	intel_caps_read(&caps);
	switch (arg->check) {
	case INTEL_CHECK_CAPS:
		arg->err = intel_check_caps(arg, &caps);
		break;
	case INTEL_CHECK_LIVE:
		arg->err = intel_check_live(arg, &caps);
		break;
	case INTEL_CHECK_WORKS:
		arg->err = intel_check_works(arg, &caps);
		break;
	}
}

static void intel_check_refuse(const struct intel_check_arg *arg, int cpu,
			       struct netlink_ext_ack *extack)
{
	bool fixed = arg->counter >= VSAMP_COUNTER_FIXED;
	const char *kind = fixed ? "fixed counter" : "counter";
	int i = fixed ? arg->counter - VSAMP_COUNTER_FIXED : arg->counter;

	switch (arg->check) {
	case INTEL_CHECK_CAPS:
		NL_SET_ERR_MSG_FMT(extack, "CPU %d: no %s %d, or it is too narrow for the SAV",
				   cpu, kind, i);
		break;
	case INTEL_CHECK_LIVE:
		NL_SET_ERR_MSG_FMT(extack,
				   "CPU %d: %s %d is running but nobody reserved it (firmware or a crashed tool)",
				   cpu, kind, i);
		break;
	case INTEL_CHECK_WORKS:
		NL_SET_ERR_MSG_FMT(extack,
				   "CPU %d: no PMU here: %s %d does not keep what is written to it",
				   cpu, kind, i);
		break;
	}
}

static int intel_check(struct session *session, const struct cpumask *cpus,
		       struct netlink_ext_ack *extack)
{
	struct intel_check_arg arg = { .session = session };
	int cpu;

	for (arg.check = INTEL_CHECK_CAPS; arg.check <= INTEL_CHECK_WORKS; arg.check++) {
		for_each_cpu_and(cpu, cpus, cpu_online_mask) {
			smp_call_function_single(cpu, intel_check_cpu, &arg, 1);
			if (arg.err) {
				intel_check_refuse(&arg, cpu, extack);
				return arg.err;
			}
		}
	}
	return 0;
}

/* Arming: on the CPU, with interrupts off */

static void intel_event_prepare(struct intel_cpu *c, int index, const struct pmu_event *event,
				const struct pmu_caps *caps)
{
	struct intel_event *e = &c->events[index];
	bool fixed = event->counter >= VSAMP_COUNTER_FIXED;
	u64 bits = INTEL_FIXED_PMI;

	memset(e, 0, sizeof(*e));
	e->bit = BIT_ULL(event->counter);
	e->period = event->sav;
	e->wrap = GENMASK_ULL((fixed ? caps->width_fixed : caps->width) - 1, 0);
	e->reload = -event->sav & e->wrap;
	e->header = ring_header(VSAMP_RECORD_SAMPLE, sizeof(struct vsamp_record_sample), index);
	e->msr = intel_msr_write(event->counter, caps);
	e->msr_read = intel_msr_read(event->counter);
	e->msr_select = intel_msr_select(event->counter);
	c->mask |= e->bit;
	if (event->flags & VSAMP_EVENT_FORCE && event->sav && event->sav < VSAMP_SAV_FLOOR)
		c->again = true;
	if (!fixed) {
		e->select = ARCH_PERFMON_EVENTSEL_ENABLE | ARCH_PERFMON_EVENTSEL_INT;
		e->select |= event->config;
		if (event->flags & VSAMP_EVENT_USER)
			e->select |= ARCH_PERFMON_EVENTSEL_USR;
		if (event->flags & VSAMP_EVENT_KERNEL)
			e->select |= ARCH_PERFMON_EVENTSEL_OS;
		return;
	}
	if (event->flags & VSAMP_EVENT_USER)
		bits |= INTEL_FIXED_USER;
	if (event->flags & VSAMP_EVENT_KERNEL)
		bits |= INTEL_FIXED_KERNEL;
	c->fixed_ctrl |= bits << 4 * (event->counter - VSAMP_COUNTER_FIXED);
}

static void intel_save(struct intel_cpu *c)
{
	struct intel_event *e;

	c->saved_lvtpc = intel_apic_read();
	c->saved_ctrl = compat_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL);
	c->saved_fixed_ctrl = compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL);
	for (e = c->events; e < c->events + c->event_count; e++) {
		e->saved_counter = compat_rdmsr(e->msr_read);
		if (e->msr_select)
			e->saved_select = compat_rdmsr(e->msr_select);
	}
}

static void intel_state_write(struct intel_cpu *c, u16 code, u64 arg)
{
	struct vsamp_record_state state = {
		.h.type = VSAMP_RECORD_STATE,
		.h.size = sizeof(state),
		.h.event = code,
		.time = clock_read(),
		.arg = arg,
	};

	ring_write(c->ring, &state, 0);
}

static void intel_arm_prepare(struct intel_cpu *c, struct session *session)
{
	const struct session_config *config = &session->config;
	struct pmu_caps caps;
	int i;

	intel_caps_read(&caps);
	c->session = session;
	c->ring = session->cpu[smp_processor_id()]->ring;
	c->pmis = 0;
	c->throttled = 0;
	c->budget = config->pmi_limit;
	c->tick_start = clock_read();
	c->foreign = 0;
	c->fixed_ctrl = 0;
	c->again = false;
	c->mask = 0;
	c->single = 0;
	c->ctrl = 0;
	c->event_count = config->event_count;
	c->hold = scope_enter() ? 0 : BIT(INTEL_HOLD_SCOPE);
	if (session->state == VSAMP_SESSION_PAUSED)
		c->hold |= BIT(INTEL_HOLD_PAUSE);
	for (i = 0; i < config->event_count; i++)
		intel_event_prepare(c, i, &config->events[i], &caps);
	if (config->event_count == 1 && config->events[0].sav && clock_is_tsc && !c->again)
		c->single = c->mask;
}

static void intel_arm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	struct intel_event *e;

	intel_arm_prepare(c, session);
	intel_save(c);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
	for (e = c->events; e < c->events + c->event_count; e++) {
		compat_wrmsr(e->msr, e->reload);
		if (e->msr_select)
			compat_wrmsr(e->msr_select, e->select);
	}
	if (c->fixed_ctrl)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, c->fixed_ctrl);
	/* left by whoever was here before */
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->mask);
	intel_apic_write(APIC_DM_NMI);

	intel_state_write(c, code, 0);
	clock_write(c->ring, 0);
	intel_ctrl_update(c);
}

static void intel_arm_ipi(void *data)
{
	intel_arm(data, VSAMP_STATE_START);
}

/*
 * Disarming. A PMI may be on its way when the counters stop: it has the time to arrive while the
 * handler still knows the counter. What still holds our value gets back what it had before; the
 * rest is somebody else's now.
 */
static void intel_stop_counting(struct intel_cpu *c)
{
	int i;

	set_bit(INTEL_HOLD_PAUSE, &c->hold);
	if (intel_ctrl_is_ours(c))
		intel_ctrl_update(c);
	for (i = 0; i < 100 && compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask; i++)
		cpu_relax();
}

static void intel_restore_lvtpc(struct intel_cpu *c)
{
	u32 lvterr;

	if ((intel_apic_read() & ~APIC_LVT_MASKED) != APIC_DM_NMI)
		return;
	if ((c->saved_lvtpc & APIC_MODE_MASK) == APIC_DM_NMI) {
		intel_apic_write(c->saved_lvtpc);
		return;
	}
	/* what was there may be an error to the APIC, as vector 0 is in any other mode */
	lvterr = apic->read(APIC_LVTERR);
	apic->write(APIC_LVTERR, lvterr | APIC_LVT_MASKED);
	intel_apic_write(c->saved_lvtpc);
	apic->write(APIC_LVTERR, lvterr);
}

static void intel_restore(struct intel_cpu *c)
{
	struct intel_event *e;

	for (e = c->events; e < c->events + c->event_count; e++) {
		if (e->msr_select) {
			if (compat_rdmsr(e->msr_select) != e->select)
				continue;
			compat_wrmsr(e->msr_select, e->saved_select);
		}
		compat_wrmsr(e->msr, e->saved_counter);
	}
	if (c->fixed_ctrl && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) == c->fixed_ctrl)
		compat_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, c->saved_fixed_ctrl);
	compat_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, c->mask);
	if (intel_ctrl_is_ours(c))
		compat_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, c->saved_ctrl);
	intel_restore_lvtpc(c);
}

static void intel_disarm(struct session *session, u16 code)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (!c->mask)
		return;
	intel_stop_counting(c);
	intel_stats_add(c, &session->cpu[smp_processor_id()]->stats);
	clock_write(c->ring, 0);
	intel_state_write(c, c->foreign ? VSAMP_STATE_FOREIGN : code, c->foreign);
	intel_restore(c);
	c->mask = 0;
	c->single = 0;
}

static void intel_disarm_ipi(void *data)
{
	intel_disarm(data, VSAMP_STATE_STOP);
}

/* What a CPU's interrupts left to do; nothing of it writes to the ring afterwards */
static void intel_quiesce(int cpu)
{
	struct intel_cpu *c = per_cpu_ptr(&intel_cpu, cpu);

	irq_work_sync(&c->throttle_work);
	hrtimer_cancel(&c->throttle_timer);
}

/* pmu_ops */

static int intel_start(struct session *session, struct netlink_ext_ack *extack)
{
	const struct cpumask *cpus = session->config.cpus;
	unsigned int counters = 0;
	struct pmu_caps caps;
	int cpu, err;

	for_each_online_cpu(cpu) {
		intel_caps(cpu, &caps);
		counters = max(counters, hweight32(lower_32_bits(caps.counters)));
	}
	err = intel_reserve(counters, extack);
	if (err)
		return err;
	err = intel_check(session, cpus, extack);
	if (err)
		goto err_release;
	err = register_nmi_handler(NMI_LOCAL, intel_nmi, NMI_FLAG_FIRST, "vsamp");
	if (err) {
		NL_SET_ERR_MSG(extack, "the NMI handler can't be registered");
		goto err_release;
	}
	on_each_cpu_mask(cpus, intel_arm_ipi, session, true);
	return 0;

err_release:
	intel_release();
	return err;
}

static void intel_stop(struct session *session)
{
	int cpu;

	on_each_cpu_mask(session->config.cpus, intel_disarm_ipi, session, true);
	for_each_cpu(cpu, session->config.cpus)
		intel_quiesce(cpu);
	unregister_nmi_handler(NMI_LOCAL, "vsamp");
	intel_release();
}

static void intel_pause_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	bool pause = *(bool *)data;

	if (!c->mask)
		return;
	if (pause) {
		set_bit(INTEL_HOLD_PAUSE, &c->hold);
		intel_ctrl_update(c);
		intel_state_write(c, VSAMP_STATE_PAUSE, 0);
	} else {
		intel_state_write(c, VSAMP_STATE_RESUME, 0);
		clock_write(c->ring, 0);
		clear_bit(INTEL_HOLD_PAUSE, &c->hold);
		intel_ctrl_update(c);
	}
}

static void intel_pause(struct session *session, bool pause)
{
	on_each_cpu_mask(session->config.cpus, intel_pause_ipi, &pause, true);
}

static int intel_cpu_start(struct session *session)
{
	struct netlink_ext_ack unused = {};
	unsigned long flags;
	int err;

	err = intel_check(session, cpumask_of(smp_processor_id()), &unused);
	if (err)
		return err;
	local_irq_save(flags);
	intel_arm(session, VSAMP_STATE_ONLINE);
	local_irq_restore(flags);
	return 0;
}

static void intel_cpu_stop(struct session *session)
{
	unsigned long flags;

	local_irq_save(flags);
	intel_disarm(session, VSAMP_STATE_OFFLINE);
	local_irq_restore(flags);
	intel_quiesce(smp_processor_id());
}

/* The register that isn't as it was programmed, or 0; finds overflows that raised nothing, too */
static u32 intel_verify_cpu(struct intel_cpu *c)
{
	struct intel_event *e;
	u64 status;

	if (!intel_ctrl_is_ours(c))
		return MSR_CORE_PERF_GLOBAL_CTRL;
	for (e = c->events; e < c->events + c->event_count; e++)
		if (e->msr_select && compat_rdmsr(e->msr_select) != e->select)
			return e->msr_select;
	if (c->fixed_ctrl && compat_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) != c->fixed_ctrl)
		return MSR_CORE_PERF_FIXED_CTR_CTRL;
	if (intel_apic_read() != APIC_DM_NMI)
		return INTEL_X2APIC_LVTPC;
	status = compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS) & c->mask;
	if (!status)
		return 0;
	udelay(1);	/* the PMI could be on its way */
	status &= compat_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS);
	if (status)
		intel_drain(c, status, NULL, 0);
	return 0;
}

static void intel_verify_ipi(void *data)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);
	atomic_t *foreign = data;

	if (!c->mask)
		return;
	c->foreign = intel_verify_cpu(c);
	if (c->foreign)
		atomic_inc(foreign);
}

static bool intel_verify(struct session *session)
{
	atomic_t foreign = ATOMIC_INIT(0);

	on_each_cpu_mask(session->config.cpus, intel_verify_ipi, &foreign, true);
	return !atomic_read(&foreign);
}

static void intel_stats(struct pmu_stats *stats)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (c->mask)
		intel_stats_add(c, stats);
}

static void intel_scope(bool inside)
{
	struct intel_cpu *c = this_cpu_ptr(&intel_cpu);

	if (!c->mask)
		return;
	if (inside)
		clear_bit(INTEL_HOLD_SCOPE, &c->hold);
	else
		set_bit(INTEL_HOLD_SCOPE, &c->hold);
	intel_ctrl_update(c);
}

const struct pmu_ops pmu_intel = {
	.backend = VSAMP_BACKEND_INTEL,
	.caps = intel_caps,
	.start = intel_start,
	.stop = intel_stop,
	.pause = intel_pause,
	.cpu_start = intel_cpu_start,
	.cpu_stop = intel_cpu_stop,
	.verify = intel_verify,
	.stats = intel_stats,
	.scope = intel_scope,
};

void __init pmu_intel_init(void)
{
	struct intel_cpu *c;
	int cpu;

	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(&intel_cpu, cpu);
		init_irq_work(&c->throttle_work, intel_throttle_work);
		compat_hrtimer_setup(&c->throttle_timer, intel_unthrottle);
	}
}
