// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include <vsamp/machine.h>

#include "processor.h"

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
	struct processor p;
	char line[32];

	vsamp_machine_line(CPUFREQ "base_frequency", line, sizeof(line));
	if (atoll(line) > 0) {
		*source = CPUFREQ "base_frequency";
		return atoll(line) * 1000;
	}
	processor_get(&p);
	if (p.frequency) {
		*source = p.frequency_source;
		return p.frequency;
	}
	vsamp_machine_line(CPUFREQ "cpuinfo_max_freq", line, sizeof(line));
	if (!p.clock_is_core && atoll(line) > 0) {
		*source = CPUFREQ "cpuinfo_max_freq";
		return atoll(line) * 1000;
	}
	if (!p.clock_is_core || !clock_khz) {
		*source = "unknown";
		return 0;
	}
	*source = "the TSC's";
	return clock_khz * 1000;
}
