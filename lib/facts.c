// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp/control.h>
#include <vsamp/doctor.h>
#include <vsamp/machine.h>
#include <vsamp/schedule.h>

#include "perf_offer.h"
#include "processor.h"

#define CAP_SYS_ADMIN_BIT     21
#define CAP_PERFMON_BIT	      38
/* Inode of the initial pid namespace, fixed in the kernel */
#define PID_NAMESPACE_INITIAL 0xEFFFFFFCU

#define EFI_SECURE_BOOT	      "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
#define SIGNATURE_MARK	      "~Module signature appended~\n"

static void path_join(char *path, size_t size, const char *root, const char *name)
{
	snprintf(path, size, "%s%s", root, name);
}

static bool root_line(const char *root, const char *name, char *out, size_t size)
{
	char path[512];

	path_join(path, sizeof(path), root, name);
	return vsamp_machine_line(path, out, size);
}

static bool root_exists(const char *root, const char *name)
{
	char path[512];

	path_join(path, sizeof(path), root, name);
	return !access(path, F_OK);
}

static enum vsamp_signature signature_read(const char *path)
{
	char mark[sizeof(SIGNATURE_MARK)] = "";
	const char *dot = strrchr(path, '.');
	FILE *f = fopen(path, "re");

	if (!f)
		return VSAMP_SIGNATURE_UNKNOWN;
	if (!fseek(f, -(long)strlen(SIGNATURE_MARK), SEEK_END) &&
	    !fread(mark, strlen(SIGNATURE_MARK), 1, f))
		mark[0] = '\0';
	fclose(f);
	if (strcmp(dot, ".ko"))
		return VSAMP_SIGNATURE_UNKNOWN;
	return strcmp(mark, SIGNATURE_MARK) ? VSAMP_SIGNATURE_NONE : VSAMP_SIGNATURE_THERE;
}

/* Looks for the module among those that modprobe knows */
static void facts_get_installed(struct vsamp_facts *f, const char *root)
{
	char name[160], path[700], *line = NULL, *base;
	size_t room = 0;
	FILE *dep;

	f->module_signature = VSAMP_SIGNATURE_UNKNOWN;
	snprintf(name, sizeof(name), "/lib/modules/%s", f->kernel_release);
	snprintf(path, sizeof(path), "%s%s/modules.dep", root, name);
	dep = fopen(path, "re");
	while (dep && getline(&line, &room, dep) > 0) {
		line[strcspn(line, ":")] = '\0';
		base = strrchr(line, '/');
		base = base ? base + 1 : line;
		if (strncmp(base, "vsamp.ko", 8) || strlen(line) > 400)
			continue;
		f->module_installed = true;
		snprintf(path, sizeof(path), "%s%s/%s", root, name, line);
		f->module_signature = signature_read(path);
	}
	free(line);
	if (dep)
		fclose(dep);
}

static void facts_get_boot(struct vsamp_facts *f, const char *root)
{
	static const char *const keys[] = { "/var/lib/dkms/mok.pub",
					    "/var/lib/shim-signed/mok/MOK.der" };
	char line[64], path[512], *open, *close;
	uint8_t efi[5];
	FILE *var;

	root_line(root, "/sys/kernel/security/lockdown", line, sizeof(line));
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (close)
		snprintf(f->lockdown, sizeof(f->lockdown), "%.*s", (int)(close - open - 1),
			 open + 1);
	path_join(path, sizeof(path), root, EFI_SECURE_BOOT);
	var = fopen(path, "re");
	if (var) {
		f->secure_boot = fread(efi, sizeof(efi), 1, var) == 1 && efi[4] == 1;
		fclose(var);
	}
	for (size_t i = 0; i < 2 && !f->signing_key[0]; i++)
		if (root_exists(root, keys[i]))
			snprintf(f->signing_key, sizeof(f->signing_key), "%s", keys[i]);
}

static void facts_get_process(struct vsamp_facts *f, const char *root)
{
	unsigned long long caps = 0;
	char line[128];
	struct stat st;
	FILE *status;
	int fd;

	f->pid_namespace_initial = stat("/proc/self/ns/pid", &st) ||
				   st.st_ino == PID_NAMESPACE_INITIAL;
	status = fopen("/proc/self/status", "re");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (status)
		fclose(status);
	f->cap_perfmon = caps >> CAP_PERFMON_BIT & 1;
	f->cap_sys_admin = caps >> CAP_SYS_ADMIN_BIT & 1;
	f->perf_event_paranoid = root_line(root, "/proc/sys/kernel/perf_event_paranoid", line,
					   sizeof(line)) ?
					 atoi(line) :
					 2;
	fd = open(VSAMP_DEVICE, O_RDWR | O_CLOEXEC);
	f->device_errno = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
}

static void facts_get_processor(struct vsamp_facts *f)
{
	struct processor p;

	processor_get(&p);
	f->intel = p.intel;
	f->perfmon_version = p.perfmon_version;
	f->hypervisor = p.hypervisor;
	f->clock_invariant = p.clock_invariant;
}

/* Whether the module that is loaded knows kperf, and finds something to count with */
static void facts_get_kperf(struct vsamp_facts *f)
{
	struct vsamp_error err = { 0 };
	struct vsamp_caps caps = { 0 };

	if (f->device_errno)
		return;
	f->kperf = vsamp_caps_get(&caps, VSAMP_BACKEND_KPERF, &err);
	if (f->kperf)
		snprintf(f->kperf_text, sizeof(f->kperf_text), "%.*s",
			 (int)sizeof(f->kperf_text) - 1, err.text);
	vsamp_caps_free(&caps);
}

/* Counts for a moment */
static int facts_start(const struct vsamp_caps *caps, struct vsamp_error *err)
{
	struct vsamp_event event[VSAMP_EVENTS_MAX];
	unsigned int sets;
	unsigned int n = 0;
	struct vsamp_config config = { .events = event, .n_events = 1, .count_only = true };
	struct vsamp_session *session;
	int ret;

	ret = vsamp_events_parse(event, &n, "INST_RETIRED", NULL, err);
	if (!ret)
		ret = vsamp_events_schedule(event, n, caps->cpu[0].counters,
					    caps->cpu[0].events_absent, 0, &sets, err);
	if (ret)
		return ret;
	ret = vsamp_session_open(&session, VSAMP_BACKEND_INTEL, err);
	if (ret)
		return ret;
	ret = vsamp_session_configure(session, &config, err);
	if (!ret)
		ret = vsamp_session_start(session, err);
	vsamp_session_close(session);
	return ret;
}

/* Only the module can tell whether the counters are free, and only by taking them */
void vsamp_facts_try_counters(struct vsamp_facts *f)
{
	bool watchdog = f->n_holders && f->holder[0].kind == VSAMP_HOLDER_WATCHDOG;
	struct vsamp_error err = { 0 };
	struct vsamp_caps caps = { 0 };

	if (f->device_errno || f->hypervisor || watchdog || f->vm_counters || !f->intel ||
	    f->perfmon_version < 2)
		return;
	f->trial = vsamp_caps_get(&caps, VSAMP_BACKEND_INTEL, &err);
	if (!f->trial && caps.n)
		f->trial = facts_start(&caps, &err);
	if (f->trial)
		snprintf(f->trial_text, sizeof(f->trial_text), "%.*s",
			 (int)sizeof(f->trial_text) - 1, err.text);
	vsamp_caps_free(&caps);
}

/*
 * KVM's mediated PMU loads a machine's own counters into the registers whenever it runs, and nothing
 * that reserves registers tells
 */
static void facts_get_vms(struct vsamp_facts *f, const char *root)
{
	char mediated[8], uses[16];

	root_line(root, "/sys/module/kvm_intel/parameters/enable_mediated_pmu", mediated,
		  sizeof(mediated));
	root_line(root, "/sys/module/kvm_intel/refcnt", uses, sizeof(uses));
	f->vm_counters = !strcmp(mediated, "Y") && atoi(uses) > 0;
}

void vsamp_facts_get(struct vsamp_facts *f, const char *root)
{
	struct vsamp_machine m;
	char proc[512];

	memset(f, 0, sizeof(*f));
	vsamp_machine_get(&m);
	snprintf(f->kernel_release, sizeof(f->kernel_release), "%s", m.kernel_release);
	facts_get_installed(f, root);
	f->module_loaded = root_exists(root, "/sys/module/vsamp");
	root_line(root, "/sys/module/vsamp/version", f->module_version, sizeof(f->module_version));
	facts_get_boot(f, root);
	facts_get_process(f, root);
	facts_get_processor(f);
	path_join(proc, sizeof(proc), root, "/proc");
	f->n_holders = vsamp_holders_find(proc, f->holder, VSAMP_FACTS_HOLDERS_MAX);
	f->n_pmus = vsamp_pmus_get(f->pmu, root);
	facts_get_vms(f, root);
	perf_offer_get(f);
	if (!*root)
		facts_get_kperf(f);
}
