// SPDX-License-Identifier: GPL-2.0
/*
 * The PMU of Intel processors: what it has, taking it from others, and whether it works
 *
 * perf takes all counters at its first hardware event, in the kernel's book of who has which; so
 * does a session, and one of the two is refused. A counter that runs though the book has it free
 * belongs to somebody who asked nobody: that is looked for before anything is written.
 */
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/smp.h>
#include <asm/cpufeature.h>
#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "compat.h"
#include "pmu_intel.h"
#include "session.h"

/* IA32_PERF_CAPABILITIES: counters can be written in full width, at 0x4c1 */
#define INTEL_CAP_FULL_WIDTH	BIT_ULL(13)

static unsigned int intel_reserved;	/* general counters */

/* What this CPU has; version 0 if it can't be used */
void intel_caps_read(void *data)
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

void intel_caps(int cpu, struct pmu_caps *caps)
{
	memset(caps, 0, sizeof(*caps));
	smp_call_function_single(cpu, intel_caps_read, caps, 1);
}

/* What a CPU has */
static int intel_check_config_cpu(const struct session_config *config, int cpu,
				  struct pmu_fault *fault, struct netlink_ext_ack *extack)
{
	struct pmu_caps caps;
	int i;

	intel_caps(cpu, &caps);
	if (!caps.version) {
		NL_SET_ERR_MSG_FMT(extack,
				   "no PMU here: CPU %d has no Intel architectural performance monitoring",
				   cpu);
		return -ENODEV;
	}
	for (i = 0; i < config->event_count; i++) {
		fault->event = i;
		if (!(caps.counters & BIT_ULL(config->events[i].counter))) {
			fault->attr = VSAMP_EVENT_A_COUNTER;
			NL_SET_ERR_MSG_FMT(extack, "event %d: CPU %d has no counter %u", i, cpu,
					   config->events[i].counter);
			return -EINVAL;
		}
		if (config->events[i].sav > caps.sav_max) {
			fault->attr = VSAMP_EVENT_A_SAV;
			NL_SET_ERR_MSG_FMT(extack, "event %d: SAV above %llu", i, caps.sav_max);
			return -ERANGE;
		}
	}
	fault->event = -1;
	return 0;
}

/*
 * intel_check_config() - whether the CPUs have what a configuration asks for. Those that are
 *	offline now are checked when they come.
 */
int intel_check_config(const struct session_config *config, struct pmu_fault *fault,
		       struct netlink_ext_ack *extack)
{
	int cpu, err = 0;

	if (arch_is_virtual() && !(config->flags & VSAMP_FLAG_HYPERVISOR)) {
		NL_SET_ERR_MSG(extack,
			       "this machine is virtual, its PMU may be shared or absent; use the backend kperf, or VSAMP_FLAG_HYPERVISOR");
		return -EOPNOTSUPP;
	}
	cpus_read_lock();
	for_each_cpu_and(cpu, config->cpus, cpu_online_mask) {
		err = intel_check_config_cpu(config, cpu, fault, extack);
		if (err)
			break;
	}
	cpus_read_unlock();
	return err;
}

u32 intel_msr_select(u32 counter)
{
	return counter < VSAMP_COUNTER_FIXED ? MSR_ARCH_PERFMON_EVENTSEL0 + counter : 0;
}

u32 intel_msr_read(u32 counter)
{
	return counter < VSAMP_COUNTER_FIXED ? MSR_ARCH_PERFMON_PERFCTR0 + counter :
	       MSR_ARCH_PERFMON_FIXED_CTR0 + counter - VSAMP_COUNTER_FIXED;
}

u32 intel_msr_write(u32 counter, const struct pmu_caps *caps)
{
	if (counter < VSAMP_COUNTER_FIXED && intel_full_width(caps))
		return MSR_IA32_PMC0 + counter;
	return intel_msr_read(counter);
}

void intel_release(void)
{
	while (intel_reserved) {
		intel_reserved--;
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + intel_reserved);
		release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + intel_reserved);
	}
}

/* At the legacy addresses: at others the kernel's books keep nothing, and refuse nothing */
static int intel_reserve_counters(unsigned int count, struct netlink_ext_ack *extack)
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

/*
 * intel_reserve() - take all general counters in the kernel's book, until intel_release()
 */
int intel_reserve(struct netlink_ext_ack *extack)
{
	unsigned int counters = 0;
	struct pmu_caps caps;
	int cpu;

	for_each_online_cpu(cpu) {
		intel_caps(cpu, &caps);
		counters = max(counters, hweight32(lower_32_bits(caps.counters)));
	}
	return intel_reserve_counters(counters, extack);
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

/*
 * intel_check() - whether nobody has these CPUs' counters, and they work
 */
int intel_check(struct session *session, const struct cpumask *cpus,
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
