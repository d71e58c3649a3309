// SPDX-License-Identifier: MIT
/* What is chosen on machines of all kinds, and what is said about it */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <vsamp.h>
#include <vsamp/backend.h>

#define PROCESSOR_INTEL true
#include "facts_good.h"
#include "processor_is.h"

#define INTEL VSAMP_BACKEND_INTEL
#define KPERF VSAMP_BACKEND_KPERF
#define PERF  VSAMP_BACKEND_PERF

/* And perf has a driver, too */
static struct vsamp_facts good(void)
{
	struct vsamp_facts f = facts_good();

	f.n_pmus = 1;
	strcpy(f.pmu[0].name, "cpu");
	f.pmu[0].type = 4;
	return f;
}

static void intel(struct vsamp_facts *f)
{
}

static void not_installed(struct vsamp_facts *f)
{
	f->module_installed = f->module_loaded = false;
	f->device_errno = ENOENT;
}

static void not_loaded(struct vsamp_facts *f)
{
	f->module_loaded = false;
	f->device_errno = ENOENT;
}

static void secure_boot(struct vsamp_facts *f)
{
	not_loaded(f);
	f->secure_boot = true;
	f->module_signature = VSAMP_SIGNATURE_NONE;
	strcpy(f->signing_key, "/var/lib/dkms/mok.pub");
}

static void lockdown(struct vsamp_facts *f)
{
	strcpy(f->lockdown, "confidentiality");
	f->device_errno = EPERM;
}

static void watchdog(struct vsamp_facts *f)
{
	f->n_holders = 1;
	f->holder[0].kind = VSAMP_HOLDER_WATCHDOG;
}

static void perf_holds(struct vsamp_facts *f)
{
	f->trial = -EBUSY;
	strcpy(f->trial_text, "INST_RETIRED: counters held by a perf event of perf (pid 12)");
}

/* Which shuts out perf as well */
static void session_holds(struct vsamp_facts *f)
{
	f->trial = -EBUSY;
	strcpy(f->trial_text, "INST_RETIRED: counters held by another vsamp session");
	f->perf[VSAMP_PERF_HARDWARE] = f->perf[VSAMP_PERF_HARDWARE_KERNEL] = -EBUSY;
	f->n_holders = 1;
	f->holder[0] = (struct vsamp_holder){ .kind = VSAMP_HOLDER_VSAMP,
					      .pid = 77,
					      .comm = "vsamp" };
}

/* As Linux 7.2 refuses events that would count in guests, too */
static void mediated(struct vsamp_facts *f)
{
	f->vm_counters = true;
	f->perf[VSAMP_PERF_HARDWARE] = f->perf[VSAMP_PERF_HARDWARE_KERNEL] = -EOPNOTSUPP;
}

static void kinds_of_core(struct vsamp_facts *f)
{
	f->n_pmus = 2;
	f->pmu[0] = (struct vsamp_pmu){ "cpu_core", 4, "0-7" };
	f->pmu[1] = (struct vsamp_pmu){ "cpu_atom", 10, "8-15" };
}

static void hypervisor(struct vsamp_facts *f)
{
	f->hypervisor = true;
}

static void amd(struct vsamp_facts *f)
{
	f->intel = false;
	f->perfmon_version = 0;
}

static void arm64(struct vsamp_facts *f)
{
	amd(f);
	strcpy(f->pmu[0].name, "armv8_pmuv3_0");
	f->pmu[0].type = 8;
}

/* An older module, that has no kperf */
static void no_kperf(struct vsamp_facts *f)
{
	f->kperf = -EOPNOTSUPP;
	strcpy(f->kperf_text, "there is no such backend");
}

static void no_driver(struct vsamp_facts *f)
{
	f->n_pmus = 0;
	f->perf[VSAMP_PERF_HARDWARE] = f->perf[VSAMP_PERF_HARDWARE_KERNEL] = -ENOENT;
}

static void no_pmu(struct vsamp_facts *f)
{
	no_driver(f);
	f->perfmon_version = 0;
}

static void no_interrupt(struct vsamp_facts *f)
{
	amd(f);
	f->perf[VSAMP_PERF_HARDWARE] = f->perf[VSAMP_PERF_HARDWARE_KERNEL] = -EOPNOTSUPP;
}

static void no_pmu_vm(struct vsamp_facts *f)
{
	no_pmu(f);
	not_installed(f);
	f->hypervisor = true;
}

/* As kernel/events/core.c decides, with Debian's patch for what is above 2 */
static void user(struct vsamp_facts *f, int paranoid)
{
	bool all = paranoid > 2;

	f->cap_perfmon = f->cap_sys_admin = false;
	f->device_errno = f->module_loaded ? EACCES : ENOENT;
	f->perf_event_paranoid = paranoid;
	for (int i = 0; i < VSAMP_PERF_TRIES; i++) {
		bool kernel = i == VSAMP_PERF_CLOCK_KERNEL || i == VSAMP_PERF_HARDWARE_KERNEL;

		if (all || (kernel && paranoid > 1) || (i == VSAMP_PERF_CPU && paranoid > 0))
			f->perf[i] = -EACCES;
	}
}

static void user_1(struct vsamp_facts *f)
{
	user(f, 1);
}

static void user_2(struct vsamp_facts *f)
{
	user(f, 2);
}

static void user_3(struct vsamp_facts *f)
{
	user(f, 3);
}

static void user_4(struct vsamp_facts *f)
{
	user(f, 4);
}

static void user_0(struct vsamp_facts *f)
{
	user(f, 0);
}

static void plain_user_1(struct vsamp_facts *f)
{
	no_pmu_vm(f);
	user(f, 1);
}

static void plain_user_2(struct vsamp_facts *f)
{
	no_pmu_vm(f);
	user(f, 2);
}

static void plain_user_3(struct vsamp_facts *f)
{
	no_pmu_vm(f);
	user(f, 3);
}

/* Its own pid namespace, and a filter of system calls */
static void container(struct vsamp_facts *f)
{
	f->pid_namespace_initial = false;
	f->cap_perfmon = f->cap_sys_admin = false;
	f->device_errno = ENOENT;
	for (int i = 0; i < VSAMP_PERF_TRIES; i++)
		f->perf[i] = -EPERM;
}

/* A container that may do all, but has a pid namespace of its own */
static void container_root(struct vsamp_facts *f)
{
	f->pid_namespace_initial = false;
	f->device_errno = EXDEV;
}

static void no_perf_events(struct vsamp_facts *f)
{
	no_pmu_vm(f);
	for (int i = 0; i < VSAMP_PERF_TRIES; i++)
		f->perf[i] = -ENOSYS;
}

static const struct {
	void (*is)(struct vsamp_facts *f);
	const char *events;
	struct vsamp_backend_wish wish;
	uint32_t backend; /* 0: refused */
	int code;
	bool best;
	bool perfs_alone;    /* intel can't program the first event */
	const char *text[3]; /* parts of the reason or of the refusal */
	const char *without;
} row[] = {
	{ intel, "INST_RETIRED", {}, INTEL, .best = true, .text = { "best there is" } },
	{ intel, "r01b0,cycles:u", {}, INTEL, .best = true },
	/* The module */
	{ not_installed,
	  "INST_RETIRED",
	  {},
	  PERF,
	  .text = { "intel, kperf: no module vsamp is installed for kernel 6.1.0-57-amd64",
		    "make dkms-install" } },
	{ not_loaded,
	  "INST_RETIRED",
	  {},
	  PERF,
	  .text = { "intel, kperf: the module is not loaded (as root: modprobe vsamp)" } },
	{ secure_boot,
	  "INST_RETIRED",
	  {},
	  PERF,
	  .text = { "Secure Boot is on", "mokutil --import /var/lib/dkms/mok.pub" } },
	{ lockdown, "INST_RETIRED", {}, PERF, .text = { "intel, kperf: kernel lockdown" } },
	{ not_loaded,
	  "INST_RETIRED",
	  { .backend = INTEL },
	  .code = -ENOENT,
	  .text = { "INST_RETIRED: -b intel: the module is not loaded; as root: modprobe vsamp" },
	  .without = "cpu-clock" },
	{ not_loaded,
	  "INST_RETIRED",
	  { .backend = KPERF },
	  .code = -ENOENT,
	  .text = { "-b kperf: the module is not loaded" } },
	{ not_loaded,
	  "INST_RETIRED",
	  { .backend = PERF },
	  PERF,
	  .best = true,
	  .text = { "-b perf" } },
	/* What one kind of core has, intel doesn't program on all */
	{ kinds_of_core, "INST_RETIRED", {}, INTEL, .best = true },
	{ kinds_of_core, "r01a2", {}, KPERF, .best = true },
	{ kinds_of_core,
	  "r01a2",
	  { .backend = INTEL },
	  .code = -EOPNOTSUPP,
	  .text = { "r01a2 is another event, or none, on cores that aren't cpu_core" } },
	/* Cgroups */
	{ intel, "INST_RETIRED", { .cpus = true, .cgroups = true }, INTEL, .best = true },
	{ watchdog,
	  "INST_RETIRED",
	  { .cpus = true, .cgroups = true },
	  PERF,
	  .text = { "intel: the NMI watchdog", "kperf: it can't follow a cgroup" } },
	{ hypervisor,
	  "INST_RETIRED",
	  { .cpus = true, .cgroups = true },
	  PERF,
	  .best = true,
	  .text = { "intel: the processor says it is virtual",
		    "kperf: it can't follow a cgroup" } },
	{ intel,
	  "INST_RETIRED",
	  { .backend = KPERF, .cpus = true, .cgroups = true },
	  .code = -EOPNOTSUPP,
	  .text = { "-b kperf: it can't follow a cgroup; -b perf can" } },
	/* Who has the counters */
	{ watchdog,
	  "INST_RETIRED",
	  {},
	  KPERF,
	  .text = { "intel: the NMI watchdog holds a counter (", "--nmi-watchdog=off" } },
	{ watchdog, "INST_RETIRED", { .watchdog_off = true }, INTEL, .best = true },
	{ watchdog,
	  "INST_RETIRED",
	  { .backend = INTEL },
	  .code = -EBUSY,
	  .text = { "INST_RETIRED: -b intel: the NMI watchdog", "--nmi-watchdog=off" } },
	{ watchdog,
	  "INST_RETIRED",
	  { .backend = INTEL, .watchdog_off = true },
	  INTEL,
	  .best = true },
	{ perf_holds, "INST_RETIRED", {}, KPERF, .text = { "intel: ", "perf (pid 12)" } },
	{ session_holds,
	  "INST_RETIRED",
	  {},
	  .code = -EBUSY,
	  .text = { "INST_RETIRED: intel: ", "kperf, perf: another vsamp session of vsamp (pid 77)",
		    "-e cpu-clock samples by time" } },
	{ session_holds, "cpu-clock", {}, PERF, .best = true },
	{ mediated,
	  "INST_RETIRED",
	  {},
	  .code = -EOPNOTSUPP,
	  .text = { "intel, kperf, perf: a virtual machine runs that has the counters for itself",
		    "enable_mediated_pmu=0", "-e cpu-clock samples by time" } },
	{ mediated,
	  "INST_RETIRED",
	  { .backend = INTEL },
	  .code = -EBUSY,
	  .text = { "-b intel: a virtual machine runs", "enable_mediated_pmu=0" } },
	/* Processors */
	{ hypervisor,
	  "INST_RETIRED",
	  {},
	  KPERF,
	  .best = true,
	  .text = { "intel: the processor says it is virtual" } },
	{ hypervisor, "INST_RETIRED", { .backend = INTEL }, INTEL, .best = true },
	{ amd,
	  "INST_RETIRED",
	  {},
	  KPERF,
	  .best = true,
	  .text = { "intel: the processor is not Intel's" } },
	{ amd,
	  "INST_RETIRED",
	  { .backend = INTEL },
	  .code = -ENODEV,
	  .text = { "-b intel: the processor is not Intel's" } },
	{ arm64, "cycles,INST_RETIRED", {}, KPERF, .best = true },
	{ no_kperf, "INST_RETIRED", {}, INTEL, .best = true },
	/* No counters */
	{ no_pmu,
	  "INST_RETIRED",
	  {},
	  .code = -ENODEV,
	  .text = { "INST_RETIRED: this machine has no performance counters that can be used; "
		    "-e cpu-clock samples by time" } },
	{ no_pmu,
	  "cpu-clock",
	  {},
	  PERF,
	  .best = true,
	  .text = { "intel, kperf: no counter counts cpu-clock" } },
	{ no_pmu,
	  "cpu-clock,branches:u",
	  {},
	  .code = -ENODEV,
	  .text = { "branches:u: this machine has no performance counters" } },
	{ no_driver, "INST_RETIRED", {}, INTEL, .best = true },
	{ no_interrupt,
	  "INST_RETIRED",
	  {},
	  .code = -EOPNOTSUPP,
	  .text = { "no performance counters that can be used", "-e cpu-clock" } },
	{ no_pmu_vm,
	  "INST_RETIRED",
	  { .backend = PERF },
	  .code = -ENODEV,
	  .text = { "-b perf: the kernel has no driver for hardware counters here",
		    "-e cpu-clock samples by time" } },
	{ no_perf_events,
	  "cpu-clock",
	  {},
	  .code = -ENOSYS,
	  .text = { "cpu-clock: perf: this kernel has no perf events" } },
	/* Events */
	{ intel, "cpu-clock", {}, PERF, .best = true },
	{ intel, "cpu-clock,INST_RETIRED", {}, PERF, .best = true },
	{ intel,
	  "cpu-clock",
	  { .backend = INTEL },
	  .code = -EOPNOTSUPP,
	  .text = { "cpu-clock: -b intel: no counter counts cpu-clock" } },
	{ intel,
	  "INST_RETIRED,cpu-clock:k",
	  { .backend = KPERF },
	  .code = -EOPNOTSUPP,
	  .text = { "cpu-clock:k: -b kperf: no counter counts cpu-clock" } },
	{ intel, "INST_RETIRED", { .backend = KPERF }, KPERF, .best = true },
	/* As an event of one kind of core is */
	{ intel,
	  "r01b0",
	  {},
	  KPERF,
	  .best = true,
	  .perfs_alone = true,
	  .text = { "intel: r01b0 is encoded" } },
	/* Users */
	{ user_0, "INST_RETIRED", {}, PERF, .text = { "intel, kperf: this process has neither" } },
	{ user_0, "INST_RETIRED", { .cpus = true }, PERF, .best = false },
	{ user_1, "INST_RETIRED", {}, PERF, .text = { "CAP_PERFMON", "sudo" } },
	{ user_1,
	  "INST_RETIRED",
	  { .cpus = true },
	  .code = -EACCES,
	  .text = { "perf_event_paranoid is 1", "not whole CPUs", "perf_event_paranoid=0" },
	  .without = "cpu-clock" },
	{ user_2,
	  "INST_RETIRED",
	  {},
	  .code = -EACCES,
	  .text = { "perf: kernel.perf_event_paranoid is 2, which lets this user sample user mode",
		    "put :u behind", "perf_event_paranoid=1" } },
	{ user_2, "INST_RETIRED:u", {}, PERF, .best = false },
	{ user_2, "cpu-clock:u", {}, PERF, .best = true },
	{ user_2,
	  "cpu-clock:k",
	  {},
	  .code = -EACCES,
	  .text = { "cpu-clock:k: perf: kernel.perf_event_paranoid is 2" },
	  .without = "module" },
	{ user_3,
	  "INST_RETIRED:u",
	  {},
	  .code = -EACCES,
	  .text = { "perf: kernel.perf_event_paranoid is 3", "perf_event_paranoid=2" },
	  .without = "samples by time" },
	{ user_4,
	  "cpu-clock:u",
	  {},
	  .code = -EACCES,
	  .text = { "perf: kernel.perf_event_paranoid is 4", "run it as root" } },
	{ plain_user_2,
	  "INST_RETIRED",
	  {},
	  .code = -ENODEV,
	  .text = { "INST_RETIRED: this machine has no performance counters",
		    "; -e cpu-clock:u samples by time" } },
	{ plain_user_1,
	  "INST_RETIRED",
	  {},
	  .code = -ENODEV,
	  .text = { "; -e cpu-clock samples by time" } },
	{ plain_user_3,
	  "INST_RETIRED",
	  {},
	  .code = -ENODEV,
	  .text = { "this machine has no performance counters" },
	  .without = "cpu-clock" },
	/* Containers */
	{ container,
	  "INST_RETIRED",
	  {},
	  .code = -EPERM,
	  .text = { "intel, kperf: this is not the initial pid namespace",
		    "perf: a filter of system calls", "--cap-add=PERFMON" } },
	{ container_root, "INST_RETIRED", {}, PERF, .text = { "--pid=host" } },
};

#define ROWS (sizeof(row) / sizeof(row[0]))

static void check_text(size_t i, const char *text)
{
	for (int k = 0; k < 3 && row[i].text[k]; k++)
		if (!strstr(text, row[i].text[k]))
			fail_msg("row %zu: no '%s' in: %s", i, row[i].text[k], text);
	if (row[i].without && strstr(text, row[i].without))
		fail_msg("row %zu: '%s' in: %s", i, row[i].without, text);
}

static void choices(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct vsamp_event events[VSAMP_EVENTS_MAX];
		struct vsamp_backend_choice choice = { 0 };
		struct vsamp_facts f = good();
		struct vsamp_error err = { 0 };
		unsigned int n = 0;
		int ret;

		row[i].is(&f);
		if (vsamp_events_parse(events, &n, row[i].events, NULL, &err))
			fail_msg("row %zu: %s", i, err.text);
		if (row[i].perfs_alone)
			events[0].backends &= ~(1U << INTEL);
		ret = vsamp_backend_choose(&choice, &f, events, n, &row[i].wish, &err);
		if (ret != row[i].code || choice.backend != row[i].backend ||
		    choice.best != row[i].best)
			fail_msg("row %zu: %d, %u, best %d: %s%s", i, ret, choice.backend,
				 choice.best, choice.reason, err.text);
		check_text(i, ret ? err.text : choice.reason);
	}
}

#define USUAL "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY"

static const struct {
	void (*is)(struct vsamp_facts *f);
	struct vsamp_backend_wish wish;
	const char *list; /* NULL: refused */
	const char *why;  /* part of it, or of the refusal; "": nothing is said */
	const char *also;
} usual[] = {
	{ intel, {}, USUAL, .why = "" },
	{ watchdog, {}, USUAL, .why = "" },
	{ not_loaded, {}, USUAL, .why = "" },
	{ amd, {}, USUAL, .why = "" },
	{ arm64, { .backend = KPERF }, USUAL, .why = "" },
	{ no_pmu,
	  {},
	  "cpu-clock",
	  .why = "cpu-clock, since this machine has no performance counters" },
	{ no_pmu_vm, { .cpus = true }, "cpu-clock", .why = "cpu-clock, since" },
	{ no_pmu_vm, { .backend = PERF }, "cpu-clock", .why = "-b perf: the kernel has no driver" },
	{ no_pmu_vm, { .backend = KPERF }, NULL, .why = "-b kperf: the kernel has no driver" },
	{ no_pmu, { .backend = INTEL }, NULL, .why = "-b intel: the processor offers no" },
	{ session_holds, {}, "cpu-clock", .why = "vsamp (pid 77)" },
	{ user_1, {}, USUAL, .why = "" },
	{ user_1, { .cpus = true }, NULL, "not whole CPUs", "sysctl kernel.perf_event_paranoid=0" },
	{ user_2,
	  {},
	  "CPU_CLK_UNHALTED.THREAD:u,INST_RETIRED.ANY:u",
	  "INST_RETIRED.ANY:u, since intel, kperf: this process has neither",
	  "kernel.perf_event_paranoid is 2" },
	{ user_3, {}, NULL, "kernel.perf_event_paranoid is 3", "sysctl" },
	{ plain_user_1, {}, "cpu-clock", .why = "no performance counters" },
	{ plain_user_2,
	  {},
	  "cpu-clock:u",
	  "cpu-clock:u, since this machine has no performance",
	  "; and perf: kernel.perf_event_paranoid is 2" },
	{ plain_user_2, { .cpus = true }, NULL, "not whole CPUs", "cpu-clock:u: perf: kernel" },
	{ plain_user_3,
	  {},
	  NULL,
	  "cpu-clock:u: perf: kernel.perf_event_paranoid is 3",
	  "sysctl kernel.perf_event_paranoid=2" },
	{ container, {}, NULL, .why = "--cap-add=PERFMON" },
	{ no_perf_events, {}, NULL, .why = "cpu-clock: perf: this kernel has no perf events" },
};

static void defaults(void **state)
{
	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++) {
		const char *list = NULL, *text;
		struct vsamp_facts f = good();
		struct vsamp_error err = { 0 };
		char why[1024];
		int ret;

		usual[i].is(&f);
		ret = vsamp_backend_default_events(&list, why, sizeof(why), &f, &usual[i].wish,
						   &err);
		text = ret ? err.text : why;
		if (!!ret != !usual[i].list || (!ret && strcmp(list, usual[i].list)))
			fail_msg("row %zu: %s: %s", i, list, text);
		if (!usual[i].why[0] && why[0])
			fail_msg("row %zu: %s", i, why);
		if (!strstr(text, usual[i].why) || (usual[i].also && !strstr(text, usual[i].also)))
			fail_msg("row %zu: %s", i, text);
		assert_int_equal(ret, ret ? err.code : 0);
	}
}

/* Whatever is the matter, who asks for nothing gets what can be chosen */
static void defaults_can_be_chosen(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct vsamp_event events[VSAMP_EVENTS_MAX];
		struct vsamp_backend_choice choice;
		struct vsamp_facts f = good();
		struct vsamp_error err = { 0 };
		unsigned int n = 0;
		char why[1024];
		const char *list;

		row[i].is(&f);
		if (vsamp_backend_default_events(&list, why, sizeof(why), &f, &row[i].wish, &err))
			continue;
		assert_int_equal(vsamp_events_parse(events, &n, list, NULL, &err), 0);
		if (vsamp_backend_choose(&choice, &f, events, n, &row[i].wish, &err))
			fail_msg("row %zu: %s: %s", i, list, err.text);
	}
}

/* One line without a format's leftovers, whatever comes together: each pair of conditions */
static void pairs(void **state)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = 0; k < ROWS; k++) {
			struct vsamp_event events[VSAMP_EVENTS_MAX];
			struct vsamp_backend_choice choice = { 0 };
			struct vsamp_facts f = good();
			struct vsamp_error err = { 0 };
			unsigned int n = 0;
			const char *text;
			int ret;

			row[i].is(&f);
			row[k].is(&f);
			vsamp_events_parse(events, &n, row[i].events, NULL, NULL);
			ret = vsamp_backend_choose(&choice, &f, events, n, NULL, &err);
			text = ret ? err.text : choice.reason;
			if (!*text || strchr(text, '\n') || strstr(text, ": :") ||
			    strstr(text, "()") || text[strlen(text) - 1] == ' ')
				fail_msg("rows %zu, %zu: '%s'", i, k, text);
			if (ret)
				assert_true(ret < 0 && ret == err.code);
			else
				assert_in_range(choice.backend, INTEL, PERF);
		}
}

static void names(void **state)
{
	assert_string_equal(vsamp_backend_name(INTEL), "intel");
	assert_string_equal(vsamp_backend_name(KPERF), "kperf");
	assert_string_equal(vsamp_backend_name(PERF), "perf");
	assert_null(vsamp_backend_name(0));
	assert_null(vsamp_backend_name(4));
	assert_int_equal(vsamp_backend_find("kperf"), KPERF);
	assert_int_equal(vsamp_backend_find("none"), 0);
	assert_int_equal(vsamp_backend_find(""), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choices),
		cmocka_unit_test(defaults),
		cmocka_unit_test(defaults_can_be_chosen),
		cmocka_unit_test(pairs),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
