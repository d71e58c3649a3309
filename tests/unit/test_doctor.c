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

static struct vsamp_facts good(void)
{
	return (struct vsamp_facts){
		.kernel_release = "6.1.0-57-amd64",
		.module_installed = true,
		.module_loaded = true,
		.module_signature = VSAMP_SIGNATURE_THERE,
		.lockdown = "none",
		.pid_namespace_initial = true,
		.cap_perfmon = true,
		.cap_sys_admin = true,
		.perfmon_version = 5,
		.intel = true,
		.clock_invariant = true,
		.perf_event_paranoid = 3,
	};
}

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
	struct vsamp_facts f = good();
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
		struct vsamp_facts f = good();
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
			struct vsamp_facts f = good();
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

/* Warnings don't keep it from working */
static void warnings(void **state)
{
	struct vsamp_facts f = good();
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
		cmocka_unit_test(all_good), cmocka_unit_test(each_alone),
		cmocka_unit_test(pairs),    cmocka_unit_test(warnings),
		cmocka_unit_test(facts),    cmocka_unit_test(facts_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
