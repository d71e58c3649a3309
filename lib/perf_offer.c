// SPDX-License-Identifier: MIT
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_offer.h"

/* Far enough that no event comes while it is tried */
#define PERIOD_NEVER (1ULL << 30)

static const struct {
	uint32_t type;
	uint64_t config;
	bool kernel;
	bool cpu;
} tries[VSAMP_PERF_TRIES] = {
	[VSAMP_PERF_CLOCK] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, false },
	[VSAMP_PERF_CLOCK_KERNEL] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true, false },
	[VSAMP_PERF_HARDWARE] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, false },
	[VSAMP_PERF_HARDWARE_KERNEL] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true,
					 false },
	[VSAMP_PERF_CPU] = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false, true },
};

static int perf_try(enum vsamp_perf_try what, int cpu)
{
	struct perf_event_attr attr = {
		.type = tries[what].type,
		.size = sizeof(attr),
		.config = tries[what].config,
		.sample_period = PERIOD_NEVER,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.disabled = 1,
		.exclude_kernel = !tries[what].kernel,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, tries[what].cpu ? -1 : 0,
			 tries[what].cpu ? cpu : -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

void perf_offer_get(struct vsamp_facts *f)
{
	unsigned int cpu = 0;

	syscall(SYS_getcpu, &cpu, NULL, NULL);
	for (int i = 0; i < VSAMP_PERF_TRIES; i++)
		f->perf[i] = perf_try(i, cpu);
}

static void __attribute__((format(printf, 2, 3)))
refusal_say(struct perf_refusal *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->text, sizeof(r->text), fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3)))
refusal_remedy(struct perf_refusal *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->remedy, sizeof(r->remedy), fmt, ap);
	va_end(ap);
}

/* Levels from 3 on are distributions' own, and shut out users without CAP_SYS_ADMIN */
static void refusal_paranoid(const struct vsamp_facts *f, enum vsamp_perf_try what,
			     struct perf_refusal *r)
{
	int level = f->perf_event_paranoid;

	if (level > 2) {
		refusal_say(
			r,
			"kernel.perf_event_paranoid is %d, which keeps users without CAP_SYS_ADMIN from perf events",
			level);
		refusal_remedy(r, "run it as root, or: sysctl kernel.perf_event_paranoid=%d",
			       tries[what].cpu	  ? 0 :
			       tries[what].kernel ? 1 :
						    2);
	} else if (tries[what].cpu && level > 0) {
		refusal_say(
			r,
			"kernel.perf_event_paranoid is %d, which lets this user sample processes of their own, not whole CPUs",
			level);
		refusal_remedy(
			r,
			"sample a command, run it as root, or: sysctl kernel.perf_event_paranoid=0");
	} else if (tries[what].kernel && level > 1) {
		refusal_say(
			r,
			"kernel.perf_event_paranoid is %d, which lets this user sample user mode alone",
			level);
		refusal_remedy(
			r,
			"put :u behind the events, run it as root, or: sysctl kernel.perf_event_paranoid=1");
	} else {
		refusal_say(r, "the kernel keeps this user from perf events");
		refusal_remedy(r, "run it as root; is it a security module that forbids them?");
	}
}

static void refusal_busy(const struct vsamp_facts *f, struct perf_refusal *r)
{
	char text[96];

	refusal_say(r, "something has the counters for itself");
	for (size_t i = 0; i < f->n_holders && i < VSAMP_FACTS_HOLDERS_MAX; i++)
		if (f->holder[i].kind == VSAMP_HOLDER_VSAMP) {
			vsamp_holder_text(&f->holder[i], text, sizeof(text));
			refusal_say(r, "%s has the counters for itself", text);
		}
	refusal_remedy(r, "end that first");
}

void perf_offer_refusal_vm(struct perf_refusal *r)
{
	*r = (struct perf_refusal){ 0 };
	refusal_say(
		r,
		"a virtual machine runs that has the counters for itself (kvm_intel.enable_mediated_pmu)");
	refusal_remedy(r, "stop it, or have kvm_intel loaded with enable_mediated_pmu=0");
}

static bool try_is_hardware(enum vsamp_perf_try what)
{
	return tries[what].type == PERF_TYPE_HARDWARE;
}

int perf_offer_refusal(const struct vsamp_facts *f, enum vsamp_perf_try what,
		       struct perf_refusal *r)
{
	int ret = f->perf[what];

	*r = (struct perf_refusal){ 0 };
	/* Who may not look is told about that first, although there is nothing to see */
	if ((ret == -EACCES || ret == -EPERM) && try_is_hardware(what) && !f->n_pmus)
		ret = -ENODEV;
	if (ret == -ENOENT)
		ret = -ENODEV;
	switch (ret) {
	case 0:
		break;
	case -EACCES:
		refusal_paranoid(f, what, r);
		break;
	case -EPERM:
		refusal_say(r, "%s forbids perf events",
			    strcmp(f->lockdown, "confidentiality") ?
				    "a filter of system calls, as containers have," :
				    "kernel lockdown");
		refusal_remedy(
			r,
			"run it outside the container, or give the container CAP_PERFMON (--cap-add=PERFMON)");
		break;
	case -ENODEV:
		refusal_say(r, "the kernel has no driver for hardware counters here");
		break;
	case -EOPNOTSUPP:
		if (f->vm_counters && try_is_hardware(what)) {
			perf_offer_refusal_vm(r);
			break;
		}
		refusal_say(
			r,
			"the hardware counters make no interrupt here, without which they count but don't sample");
		break;
	case -EBUSY:
		refusal_busy(f, r);
		break;
	case -ENOSYS:
		refusal_say(r, "this kernel has no perf events");
		break;
	default:
		refusal_say(r, "perf events: %s", strerror(-ret));
		break;
	}
	return ret;
}
