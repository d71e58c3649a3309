// SPDX-License-Identifier: MIT
/* What follows from what is found: each condition alone, and every pair of them */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <vsamp/doctor.h>

#define PROCESSOR_INTEL true
#include "facts_good.h"
#include "processor_is.h"

static void not_installed(struct vsamp_facts *f)
{
	f->module_installed = f->module_loaded = false;
	f->device_errno = ENOENT;
}

static void secure_boot(struct vsamp_facts *f)
{
	f->secure_boot = true;
	f->module_loaded = false;
	f->device_errno = ENOENT;
	f->module_signature = VSAMP_SIGNATURE_NONE;
	strcpy(f->lockdown, "integrity");
	strcpy(f->signing_key, "/var/lib/dkms/mok.pub");
}

static void not_loaded(struct vsamp_facts *f)
{
	f->module_loaded = false;
	f->device_errno = ENOENT;
}

static void lockdown(struct vsamp_facts *f)
{
	strcpy(f->lockdown, "confidentiality");
	f->device_errno = EPERM;
}

static void pid_namespace(struct vsamp_facts *f)
{
	f->pid_namespace_initial = false;
	f->device_errno = EXDEV;
}

static void capability(struct vsamp_facts *f)
{
	f->cap_perfmon = f->cap_sys_admin = false;
	f->device_errno = EACCES;
}

static void device_mode(struct vsamp_facts *f)
{
	f->device_errno = EACCES;
}

static void no_pmu(struct vsamp_facts *f)
{
	f->perfmon_version = 0;
}

static void hypervisor(struct vsamp_facts *f)
{
	f->hypervisor = true;
}

static void watchdog(struct vsamp_facts *f)
{
	f->n_holders = 1;
	f->holder[0].kind = VSAMP_HOLDER_WATCHDOG;
}

static void held(struct vsamp_facts *f)
{
	f->trial = -EBUSY;
	strcpy(f->trial_text, "INST_RETIRED: counters held by perf event of perf (pid 12)");
}

static void mediated(struct vsamp_facts *f)
{
	f->vm_counters = true;
}

static void dead_counters(struct vsamp_facts *f)
{
	f->trial = -ENODEV;
	strcpy(f->trial_text, "CPU 0: no PMU here: counter 0 does not keep what is written to it");
}

static void paranoid(struct vsamp_facts *f)
{
	f->cap_sys_admin = false; /* Debian's level 3 asks for it */
}

static const struct {
	void (*break_it)(struct vsamp_facts *f);
	int code;
	const char *text;   /* part of what is said */
	const char *remedy; /* part of it */
} row[] = {
	{ not_installed, 10, "6.1.0-57-amd64", "dkms-install" },
	{ secure_boot, 11, "Secure Boot", "mokutil --import /var/lib/dkms/mok.pub" },
	{ not_loaded, 12, "not loaded", "modprobe vsamp" },
	{ lockdown, 13, "confidentiality", "lockdown=confidentiality" },
	{ pid_namespace, 14, "pid namespace", "container" },
	{ capability, 15, "CAP_PERFMON", "root" },
	{ device_mode, 16, "/dev/vsamp", "root" },
	{ no_pmu, 17, "no performance counters", "machine" },
	{ dead_counters, 17, "no PMU here", "machine" },
	{ hypervisor, 18, "virtual", "-b intel" },
	{ watchdog, 19, "watchdog", "--nmi-watchdog=off" },
	{ held, 20, "perf (pid 12)", "end" },
	{ mediated, 20, "virtual machine", "enable_mediated_pmu=0" },
	{ paranoid, 21, "perf_event_paranoid is 3", "--no-sideband" },
};

#define ROWS (sizeof(row) / sizeof(row[0]))

static const struct vsamp_check *first_failure(const struct vsamp_check *checks)
{
	for (size_t i = 0; i < VSAMP_CHECKS; i++)
		if (checks[i].status == VSAMP_CHECK_FAIL)
			return &checks[i];
	return NULL;
}

static void all_good(void **state)
{
	struct vsamp_facts f = facts_good();
	struct vsamp_check checks[VSAMP_CHECKS];

	vsamp_doctor_judge(&f, checks);
	assert_int_equal(vsamp_doctor_code(checks), 0);
	for (size_t i = 0; i < VSAMP_CHECKS; i++) {
		assert_int_equal(checks[i].status, VSAMP_CHECK_OK);
		assert_string_equal(checks[i].remedy, "");
	}
}

static void each_alone(void **state)
{
	for (size_t i = 0; i < ROWS; i++) {
		struct vsamp_facts f = facts_good();
		struct vsamp_check checks[VSAMP_CHECKS];
		const struct vsamp_check *c;

		row[i].break_it(&f);
		vsamp_doctor_judge(&f, checks);
		c = first_failure(checks);
		if (!c || (int)c->code != row[i].code)
			fail_msg("row %zu: code %d", i, c ? (int)c->code : 0);
		assert_non_null(strstr(c->text, row[i].text));
		assert_non_null(strstr(c->remedy, row[i].remedy));
		assert_int_equal(vsamp_doctor_code(checks), row[i].code);
	}
}

static void pairs(void **state)
{
	for (size_t i = 0; i < ROWS; i++)
		for (size_t k = i + 1; k < ROWS; k++) {
			struct vsamp_facts f = facts_good();
			struct vsamp_check checks[VSAMP_CHECKS];
			int code = row[i].code;

			row[k].break_it(&f);
			row[i].break_it(&f);
			vsamp_doctor_judge(&f, checks);
			if (vsamp_doctor_code(checks) != code)
				fail_msg("%d and %d: %d", row[i].code, row[k].code,
					 vsamp_doctor_code(checks));
		}
}

/* Plain users can follow their own processes, unless Debian's level shuts them out */
static void sideband_of_users(void **state)
{
	for (int level = -1; level <= 4; level++) {
		struct vsamp_facts f = facts_good();
		struct vsamp_check checks[VSAMP_CHECKS];

		capability(&f);
		f.perf_event_paranoid = level;
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(checks[11].code, 21);
		assert_int_equal(checks[11].status,
				 level > 2 ? VSAMP_CHECK_FAIL : VSAMP_CHECK_WARN);
		assert_non_null(strstr(checks[11].text, level > 2 ? "can't be followed" : "own"));
	}
}

/* Warnings don't keep it from working */
static void warnings(void **state)
{
	struct vsamp_facts f = facts_good();
	struct vsamp_check checks[VSAMP_CHECKS];

	f.clock_invariant = false;
	/* that may be one that counts in software */
	f.n_holders = 1;
	f.holder[0] = (struct vsamp_holder){ .kind = VSAMP_HOLDER_PERF, .pid = 12, .comm = "perf" };
	f.module_loaded = false;
	f.secure_boot = true; /* signed: perhaps by the right key */
	vsamp_doctor_judge(&f, checks);
	assert_int_equal(checks[1].status, VSAMP_CHECK_WARN);
	assert_int_equal(vsamp_doctor_code(checks), 12);
	assert_int_equal(checks[10].status, VSAMP_CHECK_OK);
	assert_int_equal(checks[12].status, VSAMP_CHECK_WARN);
}

static const struct vsamp_check *check_of(const struct vsamp_check *checks, int code)
{
	for (size_t i = 0; i < VSAMP_CHECKS; i++)
		if ((int)checks[i].code == code)
			return &checks[i];
	fail_msg("no check %d", code);
	return NULL;
}

static void amd(struct vsamp_facts *f)
{
	f->intel = false;
	f->perfmon_version = 0;
}

/* What keeps only intel from counting is no failure where kperf counts */
static void kperf_instead(void **state)
{
	static const struct {
		void (*break_it)(struct vsamp_facts *f);
		int code;
		const char *remedy;
	} lesser[] = {
		{ dead_counters, 17, "" },	{ mediated, 20, "enable_mediated_pmu=0" },
		{ hypervisor, 18, "-b intel" }, { watchdog, 19, "--nmi-watchdog=off" },
		{ held, 20, "end that first" },
	};

	for (size_t i = 0; i < sizeof(lesser) / sizeof(lesser[0]); i++) {
		struct vsamp_facts f = facts_good();
		struct vsamp_check checks[VSAMP_CHECKS];
		const struct vsamp_check *c;

		lesser[i].break_it(&f);
		f.n_pmus = 1;
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(vsamp_doctor_code(checks), 0);
		c = check_of(checks, lesser[i].code);
		assert_int_equal(c->status, VSAMP_CHECK_WARN);
		assert_non_null(strstr(c->text, "; kperf counts all the same"));
		assert_non_null(strstr(c->remedy, lesser[i].remedy));
		assert_int_equal(!*c->remedy, !*lesser[i].remedy);
		c = check_of(checks, 24);
		assert_non_null(strstr(c->text, "hardware events are counted by kperf; intel: "));
		/* but for what kperf needs, too */
		f.perf[VSAMP_PERF_HARDWARE] = -EOPNOTSUPP;
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(vsamp_doctor_code(checks), lesser[i].code);
		f.perf[VSAMP_PERF_HARDWARE] = 0;
		f.kperf = -EOPNOTSUPP;
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(vsamp_doctor_code(checks), lesser[i].code);
		f.kperf = 0;
		not_loaded(&f);
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(vsamp_doctor_code(checks), 12);
		assert_int_equal(check_of(checks, lesser[i].code)->status, VSAMP_CHECK_FAIL);
	}
}

/* Where the processor is not Intel's, kperf is the best there can be */
static void other_processors(void **state)
{
	struct vsamp_facts f = facts_good();
	struct vsamp_check checks[VSAMP_CHECKS];

	amd(&f);
	vsamp_doctor_judge(&f, checks);
	assert_int_equal(vsamp_doctor_code(checks), 17);
	f.n_pmus = 1;
	strcpy(f.pmu[0].name, "armv8_pmuv3_0");
	vsamp_doctor_judge(&f, checks);
	assert_int_equal(vsamp_doctor_code(checks), 0);
	assert_int_equal(check_of(checks, 17)->status, VSAMP_CHECK_OK);
	assert_non_null(strstr(check_of(checks, 17)->text, "kernel's driver 'armv8_pmuv3_0'"));
	assert_string_equal(check_of(checks, 17)->remedy, "");
	assert_int_equal(check_of(checks, 24)->status, VSAMP_CHECK_OK);
	not_loaded(&f);
	vsamp_doctor_judge(&f, checks);
	assert_int_equal(vsamp_doctor_code(checks), 12);
	assert_int_equal(check_of(checks, 17)->status, VSAMP_CHECK_OK);
	assert_int_equal(check_of(checks, 24)->status, VSAMP_CHECK_WARN);
	/* but kperf of the module that is loaded must count */
	f = facts_good();
	amd(&f);
	f.n_pmus = 1;
	f.kperf = -EOPNOTSUPP;
	vsamp_doctor_judge(&f, checks);
	assert_int_equal(vsamp_doctor_code(checks), 17);
}

static void plain_host(struct vsamp_facts *f)
{
	not_installed(f);
	f->perfmon_version = 0;
	f->perf[VSAMP_PERF_HARDWARE] = f->perf[VSAMP_PERF_HARDWARE_KERNEL] = -ENOENT;
}

static void plain_user(struct vsamp_facts *f)
{
	plain_host(f);
	f->cap_perfmon = f->cap_sys_admin = false;
	f->perf_event_paranoid = 2;
	f->perf[VSAMP_PERF_CLOCK_KERNEL] = f->perf[VSAMP_PERF_CPU] = -EACCES;
}

static void shut_out(struct vsamp_facts *f)
{
	plain_user(f);
	f->perf_event_paranoid = 3;
	for (int i = 0; i < VSAMP_PERF_TRIES; i++)
		f->perf[i] = -EACCES;
}

/* What is had all the same, and what of it is missing */
static void without_module(void **state)
{
	static const struct {
		void (*break_it)(struct vsamp_facts *f);
		bool pmu;
		int code;
		enum vsamp_check_status status; /* of backend */
		const char *backend, *perf, *remedy;
	} row[] = {
		{ not_installed, true, 10, VSAMP_CHECK_WARN,
		  "hardware events are counted by perf; intel, kperf: no module vsamp",
		  "time: user and kernel; hardware events: user and kernel; whole CPUs: yes", "" },
		{ plain_host, false, 10, VSAMP_CHECK_WARN,
		  "'vsamp record -- ./app' works: perf samples cpu-clock, since this machine has no",
		  "time: user and kernel; hardware events: no; whole CPUs: yes: the kernel has no",
		  "" },
		{ plain_user, false, 10, VSAMP_CHECK_WARN,
		  "'vsamp record -- ./app' works: perf samples cpu-clock:u, since this machine",
		  "time: user alone; hardware events: no; whole CPUs: no: kernel.perf_event_paranoid",
		  "kernel.perf_event_paranoid=1" },
		{ shut_out, false, 10, VSAMP_CHECK_FAIL,
		  "nothing can be sampled: cpu-clock:u: perf: kernel.perf_event_paranoid is 3",
		  "time: no; hardware events: no; whole CPUs: no: kernel.perf_event_paranoid is 3",
		  "kernel.perf_event_paranoid=2" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_facts f = facts_good();
		struct vsamp_check checks[VSAMP_CHECKS];
		const struct vsamp_check *backend, *perf;

		row[i].break_it(&f);
		f.n_pmus = row[i].pmu;
		vsamp_doctor_judge(&f, checks);
		assert_int_equal(vsamp_doctor_code(checks), row[i].code);
		backend = check_of(checks, 24);
		perf = check_of(checks, 23);
		if (!strstr(backend->text, row[i].backend) || backend->status != row[i].status)
			fail_msg("row %zu: %d: %s", i, backend->status, backend->text);
		if (!strstr(perf->text, row[i].perf) || !strstr(perf->remedy, row[i].remedy))
			fail_msg("row %zu: %s -> %s", i, perf->text, perf->remedy);
	}
}

static void tree_put(const char *root, const char *name, const void *data, size_t size)
{
	char path[512], command[600];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, name);
	snprintf(command, sizeof(command), "mkdir -p \"$(dirname '%s')\"", path);
	assert_int_equal(system(command), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	fclose(f);
}

static void tree_link(const char *root, const char *name, const char *target)
{
	char path[512];

	tree_put(root, name, "", 0);
	snprintf(path, sizeof(path), "%s%s", root, name);
	unlink(path);
	assert_int_equal(symlink(target, path), 0);
}

/* A made-up machine: Secure Boot, lockdown, a key, holders of every kind */
static void facts(void **state)
{
	char root[] = "/tmp/vsamp-facts-XXXXXX", command[64];
	struct vsamp_facts f;

	assert_non_null(mkdtemp(root));
	tree_put(root, "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		 "\6\0\0\0\1", 5);
	tree_put(root, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n", 33);
	tree_put(root, "/var/lib/dkms/mok.pub", "x", 1);
	tree_put(root, "/proc/sys/kernel/nmi_watchdog", "1\n", 2);
	tree_put(root, "/proc/sys/kernel/perf_event_paranoid", "3\n", 2);
	tree_put(root, "/sys/module/kvm_intel/parameters/enable_mediated_pmu", "Y\n", 2);
	tree_put(root, "/sys/module/kvm_intel/refcnt", "3\n", 2);
	tree_put(root, "/proc/12/comm", "perf\n", 5);
	tree_link(root, "/proc/12/fd/3", "anon_inode:[perf_event]");
	tree_put(root, "/proc/13/comm", "qemu\n", 5);
	tree_link(root, "/proc/13/fd/9", "anon_inode:kvm-vm");
	tree_put(root, "/proc/14/comm", "vsamp\n", 6);
	tree_link(root, "/proc/14/fd/4", "/dev/vsamp");
	tree_link(root, "/proc/14/fd/5", "anon_inode:[perf_event]"); /* its sideband */
	tree_put(root, "/proc/15/comm", "sh\n", 3);
	tree_link(root, "/proc/15/fd/0", "/dev/null");

	vsamp_facts_get(&f, root);
	assert_true(f.secure_boot);
	assert_string_equal(f.lockdown, "integrity");
	assert_string_equal(f.signing_key, "/var/lib/dkms/mok.pub");
	assert_int_equal(f.perf_event_paranoid, 3);
	assert_false(f.module_installed);
	assert_false(f.module_loaded);
	assert_int_equal(f.n_holders, 4);
	assert_true(f.vm_counters);
	/* which is only told of virtual machines that are there */
	tree_put(root, "/sys/module/kvm_intel/refcnt", "0\n", 2);
	vsamp_facts_get(&f, root);
	assert_false(f.vm_counters);
	tree_put(root, "/sys/module/kvm_intel/refcnt", "3\n", 2);
	tree_put(root, "/sys/module/kvm_intel/parameters/enable_mediated_pmu", "N\n", 2);
	vsamp_facts_get(&f, root);
	assert_false(f.vm_counters);
	assert_int_equal(f.holder[0].kind, VSAMP_HOLDER_WATCHDOG);
	for (int i = 1; i < 4; i++) {
		const struct vsamp_holder *h = &f.holder[i];
		enum vsamp_holder_kind kind = h->pid == 12 ? VSAMP_HOLDER_PERF :
					      h->pid == 13 ? VSAMP_HOLDER_KVM :
							     VSAMP_HOLDER_VSAMP;

		assert_in_range(h->pid, 12, 14);
		assert_int_equal(h->kind, kind);
		assert_string_equal(h->comm, h->pid == 12 ? "perf" :
					     h->pid == 13 ? "qemu" :
							    "vsamp");
	}
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

static void pmu_put(const char *root, const char *name, const char *type, const char *file,
		    const char *cpus)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	tree_put(root, path, type, strlen(type));
	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", name, file);
	if (cpus)
		tree_put(root, path, cpus, strlen(cpus));
}

/* Core PMUs are told from those of memory controllers, buses and software */
static void facts_pmus(void **state)
{
	char root[] = "/tmp/vsamp-facts-XXXXXX", command[64], name[16];
	unsigned int core = 0, atom = 0;
	struct vsamp_facts f;

	assert_non_null(mkdtemp(root));
	vsamp_facts_get(&f, root);
	assert_int_equal(f.n_pmus, 0);
	pmu_put(root, "software", "1\n", "", NULL);
	pmu_put(root, "uncore_imc_0", "14\n", "cpumask", "0\n");
	pmu_put(root, "arm_spe_0", "9\n", "cpumask", "0-3\n");
	pmu_put(root, "cpu_core", "4\n", "cpus", "0-15\n");
	pmu_put(root, "cpu_atom", "10\n", "cpus", "16-23\n");
	vsamp_facts_get(&f, root);
	assert_int_equal(f.n_pmus, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct vsamp_pmu *pmu = &f.pmu[i];

		core += !strcmp(pmu->name, "cpu_core") && pmu->type == 4 &&
			!strcmp(pmu->cpus, "0-15");
		atom += !strcmp(pmu->name, "cpu_atom") && pmu->type == 10 &&
			!strcmp(pmu->cpus, "16-23");
	}
	assert_int_equal(core, 1);
	assert_int_equal(atom, 1);
	for (int i = 0; i < 10; i++) {
		snprintf(name, sizeof(name), "armv8_pmuv3_%d", i);
		pmu_put(root, name, "8\n", "cpus", "0\n");
	}
	vsamp_facts_get(&f, root);
	assert_int_equal(f.n_pmus, VSAMP_PMUS_MAX);
	snprintf(command, sizeof(command), "rm -r %s/sys", root);
	assert_int_equal(system(command), 0);
	pmu_put(root, "cpu", "4\n", "", NULL);
	vsamp_facts_get(&f, root);
	assert_int_equal(f.n_pmus, 1);
	assert_string_equal(f.pmu[0].name, "cpu");
	assert_string_equal(f.pmu[0].cpus, "");
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

/* A module that is installed, with and without a signature */
static void facts_module(void **state)
{
	static const char mark[] = "code~Module signature appended~\n";
	char root[] = "/tmp/vsamp-facts-XXXXXX", command[64], folder[160], name[256];
	struct vsamp_facts f;

	assert_non_null(mkdtemp(root));
	vsamp_facts_get(&f, root);
	snprintf(folder, sizeof(folder), "/lib/modules/%s", f.kernel_release);
	snprintf(name, sizeof(name), "%s/modules.dep", folder);
	tree_put(root, name, "kernel/a.ko: kernel/b.ko\nupdates/dkms/vsamp.ko:\n", 48);
	snprintf(name, sizeof(name), "%s/updates/dkms/vsamp.ko", folder);
	tree_put(root, name, mark, 4);
	vsamp_facts_get(&f, root);
	assert_true(f.module_installed);
	assert_int_equal(f.module_signature, VSAMP_SIGNATURE_NONE);
	tree_put(root, name, mark, sizeof(mark) - 1);
	vsamp_facts_get(&f, root);
	assert_int_equal(f.module_signature, VSAMP_SIGNATURE_THERE);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_good),
		cmocka_unit_test(each_alone),
		cmocka_unit_test(pairs),
		cmocka_unit_test(warnings),
		cmocka_unit_test(facts),
		cmocka_unit_test(facts_module),
		cmocka_unit_test(kperf_instead),
		cmocka_unit_test(without_module),
		cmocka_unit_test(facts_pmus),
		cmocka_unit_test(sideband_of_users),
		cmocka_unit_test(other_processors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
