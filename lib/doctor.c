// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/backend.h>

#include "doctor_priv.h"
#include "perf_offer.h"

static void __attribute__((format(printf, 3, 4)))
check_say(struct vsamp_check *c, enum vsamp_check_status status, const char *fmt, ...)
{
	va_list ap;

	c->status = status;
	va_start(ap, fmt);
	vsnprintf(c->text, sizeof(c->text), fmt, ap);
	va_end(ap);
}

static void __attribute__((format(printf, 2, 3)))
check_remedy(struct vsamp_check *c, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(c->remedy, sizeof(c->remedy), fmt, ap);
	va_end(ap);
}

static void check_installed(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->module_loaded || f->module_installed) {
		check_say(c, VSAMP_CHECK_OK, "there is a module for kernel %s", f->kernel_release);
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "no module vsamp is installed for kernel %s",
		  f->kernel_release);
	check_remedy(c, "install linux-headers-%s, then in vsamp's sources: make dkms-install",
		     f->kernel_release);
}

/* Secure Boot and lockdown refuse modules that no enrolled key has signed */
static void check_signature(const struct vsamp_facts *f, struct vsamp_check *c)
{
	bool needed = f->secure_boot || (f->lockdown[0] && strcmp(f->lockdown, "none"));

	if (f->module_loaded || !needed) {
		check_say(c, VSAMP_CHECK_OK, "%s",
			  needed ? "the module's signature was accepted" : "none is asked for");
		return;
	}
	if (!f->module_installed) {
		check_say(c, VSAMP_CHECK_UNKNOWN, "no module to look at");
		return;
	}
	if (f->module_signature == VSAMP_SIGNATURE_NONE)
		check_say(c, VSAMP_CHECK_FAIL, "%s, and the module is not signed",
			  f->secure_boot ? "Secure Boot is on" : "the kernel is locked down");
	else
		check_say(c, VSAMP_CHECK_WARN,
			  "%s: the module loads only if the key that signed it is enrolled",
			  f->secure_boot ? "Secure Boot is on" : "the kernel is locked down");
	if (f->signing_key[0])
		check_remedy(
			c,
			"enrol the key, reboot and confirm: mokutil --import %s; then: modprobe vsamp",
			f->signing_key);
	else
		check_remedy(
			c,
			"install the module by DKMS, which makes a key and signs with it: make dkms-install; then: mokutil --import /var/lib/dkms/mok.pub");
}

static void check_loaded(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->module_loaded) {
		check_say(c, VSAMP_CHECK_OK, "the module is loaded, version %s",
			  f->module_version[0] ? f->module_version : "unknown");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "the module is not loaded");
	check_remedy(c, "as root: modprobe vsamp");
}

static void check_lockdown(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (strcmp(f->lockdown, "confidentiality")) {
		check_say(c, VSAMP_CHECK_OK, "kernel lockdown does not forbid it");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "kernel lockdown is 'confidentiality', which forbids it");
	check_remedy(c, "boot without lockdown=confidentiality");
}

static void check_pid_namespace(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->pid_namespace_initial) {
		check_say(c, VSAMP_CHECK_OK, "this is the initial pid namespace");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL,
		  "this is not the initial pid namespace, whose numbers samples carry");
	check_remedy(c, "run vsamp outside the container, or give it the host's: --pid=host");
}

static void check_capability(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->cap_perfmon || f->cap_sys_admin) {
		check_say(c, VSAMP_CHECK_OK, "this process has %s",
			  f->cap_perfmon ? "CAP_PERFMON" : "CAP_SYS_ADMIN");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "this process has neither CAP_PERFMON nor CAP_SYS_ADMIN");
	check_remedy(c, "run it as root: sudo vsamp ...");
}

static void check_device(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (!f->device_errno) {
		check_say(c, VSAMP_CHECK_OK, VSAMP_DEVICE " can be opened");
	} else if (!f->module_loaded) {
		check_say(c, VSAMP_CHECK_UNKNOWN, "the module makes " VSAMP_DEVICE);
	} else if (f->device_errno == EACCES && !f->cap_perfmon && !f->cap_sys_admin) {
		check_say(c, VSAMP_CHECK_UNKNOWN, "without the capability it is not opened");
	} else if (f->device_errno == EACCES) {
		check_say(c, VSAMP_CHECK_FAIL, "the mode of " VSAMP_DEVICE " keeps this user out");
		check_remedy(
			c,
			"run it as root, or let the user in: chmod or a udev rule for " VSAMP_DEVICE);
	} else if (f->device_errno == EXDEV || f->device_errno == EPERM) {
		check_say(c, VSAMP_CHECK_UNKNOWN, "refused for a reason above");
	} else {
		check_say(c, VSAMP_CHECK_FAIL, VSAMP_DEVICE ": %s", strerror(f->device_errno));
		check_remedy(
			c,
			"is udev or devtmpfs there? Load the module anew: modprobe -r vsamp; modprobe vsamp");
	}
}

static void check_processor(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->intel && f->perfmon_version >= 2 && f->trial == -ENODEV) {
		check_say(c, VSAMP_CHECK_FAIL, "%s", f->trial_text);
		check_remedy(c, "sample on a machine whose processor has counters that work");
		return;
	}
	if (f->intel && f->perfmon_version >= 2) {
		check_say(c, VSAMP_CHECK_OK, "architectural performance monitoring, version %u",
			  f->perfmon_version);
		return;
	}
	if (f->intel)
		check_say(
			c, VSAMP_CHECK_FAIL,
			"the processor offers no performance counters (CPUID leaf 0AH: version %u)",
			f->perfmon_version);
	else
		check_say(c, VSAMP_CHECK_FAIL, "the processor is not Intel's");
	check_remedy(
		c, "%s",
		f->hypervisor ?
			"have the hypervisor give this machine a virtual PMU, or sample on the host" :
			"sample on a machine whose processor has them");
}

static void check_hypervisor(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (!f->hypervisor) {
		check_say(c, VSAMP_CHECK_OK, "not under a hypervisor");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL,
		  "the processor says it is virtual, and virtual counters are seldom whole");
	check_remedy(c, "to program them all the same: -b intel");
}

static void check_watchdog(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (!f->n_holders || f->holder[0].kind != VSAMP_HOLDER_WATCHDOG) {
		check_say(c, VSAMP_CHECK_OK, "the NMI watchdog holds no counter");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "the NMI watchdog holds a counter");
	check_remedy(
		c,
		"for the time of a recording: --nmi-watchdog=off; for good: sysctl kernel.nmi_watchdog=0");
}

static void check_holders(const struct vsamp_facts *f, struct vsamp_check *c)
{
	struct perf_refusal why;

	if (f->vm_counters) {
		perf_offer_refusal_vm(&why);
		check_say(c, VSAMP_CHECK_FAIL, "%s", why.text);
		check_remedy(c, "%s", why.remedy);
		return;
	}
	if (!f->trial || f->trial == -ENODEV) {
		check_say(c, VSAMP_CHECK_OK, "nothing else holds the counters");
		return;
	}
	check_say(c, VSAMP_CHECK_FAIL, "%s", f->trial_text);
	if (strstr(f->trial_text, "nobody reserved"))
		check_remedy(
			c,
			"reboot; if it runs then, too, it is the firmware's: see its setup for performance monitoring");
	else
		check_remedy(c, "end that first");
}

static void check_sideband(const struct vsamp_facts *f, struct vsamp_check *c)
{
	bool allowed = f->cap_sys_admin || (f->cap_perfmon && f->perf_event_paranoid <= 2);

	if (allowed) {
		check_say(c, VSAMP_CHECK_OK, "what processes do can be followed");
		return;
	}
	if (!f->cap_perfmon && f->perf_event_paranoid <= 2) {
		check_say(
			c, VSAMP_CHECK_WARN,
			"what this user's own processes do can be followed; others' take CAP_PERFMON");
		return;
	}
	check_say(
		c, VSAMP_CHECK_FAIL,
		"what processes do can't be followed: kernel.perf_event_paranoid is %d, which asks for %s",
		f->perf_event_paranoid,
		f->perf_event_paranoid > 2 ? "CAP_SYS_ADMIN" : "CAP_PERFMON");
	check_remedy(c, "run it as root%s; or record without names of processes: --no-sideband",
		     f->cap_perfmon ? ", or: sysctl kernel.perf_event_paranoid=2" : "");
}

static void check_clock(const struct vsamp_facts *f, struct vsamp_check *c)
{
	if (f->clock_invariant)
		check_say(c, VSAMP_CHECK_OK,
			  "the processor's clock never stops and never changes its rate");
	else
		check_say(c, VSAMP_CHECK_WARN,
			  "the TSC is not invariant: times are of the kernel's monotonic clock");
}

/* What perf_event_open(2) gives at each level: "user and kernel", "user", "none" */
static const char *perf_levels(const struct vsamp_facts *f, enum vsamp_perf_try user,
			       enum vsamp_perf_try kernel)
{
	return !f->perf[kernel] ? "user and kernel" : !f->perf[user] ? "user alone" : "no";
}

/* It is what there is where the module isn't, so nothing depends on it alone */
static void check_perf(const struct vsamp_facts *f, struct vsamp_check *c)
{
	struct perf_refusal why = { 0 };
	char kinds[320] = "", pmus[280];
	int first = 0;

	vsamp_pmus_text(f->pmu, f->n_pmus, pmus, sizeof(pmus));
	if (f->n_pmus > 1)
		snprintf(kinds, sizeof(kinds), "; kinds of core: %s", pmus);
	while (first < VSAMP_PERF_TRIES && !perf_offer_refusal(f, first, &why))
		first++;
	check_say(c, first == VSAMP_PERF_TRIES ? VSAMP_CHECK_OK : VSAMP_CHECK_WARN,
		  "perf_event_open: time: %s; hardware events: %s; whole CPUs: %s%s%s%s",
		  perf_levels(f, VSAMP_PERF_CLOCK, VSAMP_PERF_CLOCK_KERNEL),
		  perf_levels(f, VSAMP_PERF_HARDWARE, VSAMP_PERF_HARDWARE_KERNEL),
		  f->perf[VSAMP_PERF_CPU] ? "no" : "yes", why.text[0] ? ": " : "", why.text, kinds);
	check_remedy(c, "%s", why.remedy);
}

/* What a recording would take */
static void check_backend(const struct vsamp_facts *f, struct vsamp_check *c)
{
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	struct vsamp_backend_choice choice;
	char why[sizeof(c->text) - 128];
	struct vsamp_error err = { 0 };
	unsigned int n = 0;
	const char *list;

	if (vsamp_backend_default_events(&list, why, sizeof(why), f, NULL, &err) ||
	    vsamp_events_parse(events, &n, list, NULL, &err) ||
	    vsamp_backend_choose(&choice, f, events, n, NULL, &err)) {
		check_say(c, VSAMP_CHECK_FAIL, "nothing can be sampled: %s", err.text);
		check_remedy(c, "any of the remedies above");
		return;
	}
	if (why[0])
		check_say(c, VSAMP_CHECK_WARN, "'vsamp record -- ./app' works: %s samples %s",
			  vsamp_backend_name(choice.backend), why);
	else
		check_say(c, choice.best ? VSAMP_CHECK_OK : VSAMP_CHECK_WARN,
			  "hardware events are counted by %s; %s",
			  vsamp_backend_name(choice.backend), choice.reason);
}

static const struct {
	const char *name;
	enum vsamp_check_code code;
	void (*look)(const struct vsamp_facts *f, struct vsamp_check *c);
} table[VSAMP_CHECKS] = {
	{ "module-installed", VSAMP_CHECK_INSTALLED, check_installed },
	{ "module-signature", VSAMP_CHECK_SIGNATURE, check_signature },
	{ "module-loaded", VSAMP_CHECK_LOADED, check_loaded },
	{ "lockdown", VSAMP_CHECK_LOCKDOWN, check_lockdown },
	{ "pid-namespace", VSAMP_CHECK_PID_NAMESPACE, check_pid_namespace },
	{ "capability", VSAMP_CHECK_CAPABILITY, check_capability },
	{ "device", VSAMP_CHECK_DEVICE, check_device },
	{ "processor", VSAMP_CHECK_PROCESSOR, check_processor },
	{ "hypervisor", VSAMP_CHECK_HYPERVISOR, check_hypervisor },
	{ "nmi-watchdog", VSAMP_CHECK_WATCHDOG, check_watchdog },
	{ "holders", VSAMP_CHECK_HOLDERS, check_holders },
	{ "sideband", VSAMP_CHECK_SIDEBAND, check_sideband },
	{ "clock", VSAMP_CHECK_CLOCK, check_clock },
	{ "perf", VSAMP_CHECK_PERF, check_perf },
	{ "backend", VSAMP_CHECK_BACKEND, check_backend },
};

void doctor_look(const struct vsamp_facts *facts, enum vsamp_check_code code,
		 struct vsamp_check *check)
{
	for (size_t i = 0; i < VSAMP_CHECKS; i++) {
		if (table[i].code != code)
			continue;
		*check = (struct vsamp_check){ .name = table[i].name, .code = code };
		table[i].look(facts, check);
	}
}

/* Does it stand in the way of the intel backend alone? */
static bool check_is_intels(const struct vsamp_check *c)
{
	return c->code == VSAMP_CHECK_PROCESSOR || c->code == VSAMP_CHECK_HYPERVISOR ||
	       c->code == VSAMP_CHECK_WATCHDOG || c->code == VSAMP_CHECK_HOLDERS;
}

/* Nothing is missing where kperf is the best there can be */
static void check_other_processor(const struct vsamp_facts *f, struct vsamp_check *c)
{
	check_say(c, VSAMP_CHECK_OK, "not Intel's, so for kperf, with the kernel's driver '%s'",
		  f->pmu[0].name);
	c->remedy[0] = '\0';
}

/* kperf counts all the same */
static void check_lessen(struct vsamp_check *c)
{
	size_t used = strlen(c->text);

	c->status = VSAMP_CHECK_WARN;
	if (c->code == VSAMP_CHECK_PROCESSOR)
		c->remedy[0] = '\0';
	snprintf(c->text + used, sizeof(c->text) - used, "; kperf counts all the same");
}

void vsamp_doctor_judge(const struct vsamp_facts *facts, struct vsamp_check *checks)
{
	bool kperf = backend_kperf_counts(facts);

	for (size_t i = 0; i < VSAMP_CHECKS; i++) {
		doctor_look(facts, table[i].code, &checks[i]);
		if (checks[i].status != VSAMP_CHECK_FAIL || !check_is_intels(&checks[i]))
			continue;
		if (checks[i].code == VSAMP_CHECK_PROCESSOR && !facts->intel && facts->n_pmus &&
		    (kperf || !facts->module_loaded))
			check_other_processor(facts, &checks[i]);
		else if (kperf)
			check_lessen(&checks[i]);
	}
}

int vsamp_doctor_code(const struct vsamp_check *checks)
{
	for (size_t i = 0; i < VSAMP_CHECKS; i++)
		if (checks[i].status == VSAMP_CHECK_FAIL)
			return checks[i].code;
	return 0;
}
