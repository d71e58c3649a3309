// SPDX-License-Identifier: MIT
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <vsamp/machine.h>

#define CPUFREQ "/sys/devices/system/cpu/cpu0/cpufreq/"

bool vsamp_machine_line(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");

	out[0] = '\0';
	if (!f)
		return false;
	if (!fgets(out, size, f))
		out[0] = '\0';
	fclose(f);
	out[strcspn(out, "\n")] = '\0';
	return true;
}

void vsamp_machine_get(struct vsamp_machine *m)
{
	struct utsname names;
	struct stat st;

	memset(m, 0, sizeof(*m));
	if (!uname(&names)) {
		snprintf(m->hostname, sizeof(m->hostname), "%s", names.nodename);
		snprintf(m->kernel_release, sizeof(m->kernel_release), "%s", names.release);
		snprintf(m->machine, sizeof(m->machine), "%s", names.machine);
	}
	vsamp_machine_line("/proc/sys/kernel/random/boot_id", m->boot_id, sizeof(m->boot_id));
	vsamp_machine_line("/sys/devices/system/cpu/online", m->cpus_online,
			   sizeof(m->cpus_online));
	if (!stat("/proc/self/ns/pid", &st))
		m->pid_namespace = st.st_ino;
}

uint64_t vsamp_machine_frequency(uint64_t clock_khz, const char **source)
{
	unsigned int eax, ebx, ecx, edx;
	char line[32];

	vsamp_machine_line(CPUFREQ "base_frequency", line, sizeof(line));
	if (atoll(line) > 0) {
		*source = CPUFREQ "base_frequency";
		return atoll(line) * 1000;
	}
	if (__get_cpuid(0x16, &eax, &ebx, &ecx, &edx) && (eax & 0xffff)) {
		*source = "CPUID leaf 16H";
		return (eax & 0xffff) * 1000000ULL;
	}
	*source = clock_khz ? "the TSC's" : "unknown";
	return clock_khz * 1000;
}
