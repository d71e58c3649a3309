// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/machine.h>
#include <vsamp/pmu.h>

#define EVENT_SOURCES "/sys/bus/event_source/devices"

static bool pmu_line(const char *root, const char *name, const char *file, char *out, size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s" EVENT_SOURCES "/%s/%s", root, name, file);
	return vsamp_machine_line(path, out, size);
}

/* Those of cores are "cpu" or, where there are kinds of core, say which CPUs have them */
static bool pmu_get(struct vsamp_pmu *pmu, const char *root, const char *name)
{
	char type[16];
	bool kinds;

	if (strlen(name) >= sizeof(pmu->name))
		return false;
	kinds = pmu_line(root, name, "cpus", pmu->cpus, sizeof(pmu->cpus));
	if ((!kinds && strcmp(name, "cpu")) || !pmu_line(root, name, "type", type, sizeof(type)))
		return false;
	strcpy(pmu->name, name);
	pmu->type = strtoul(type, NULL, 10);
	return true;
}

static int pmu_compare(const void *a, const void *b)
{
	const struct vsamp_pmu *x = a, *y = b;
	unsigned long first = strtoul(x->cpus, NULL, 10), other = strtoul(y->cpus, NULL, 10);

	return first != other ? (first > other) - (first < other) : strcmp(x->name, y->name);
}

size_t vsamp_pmus_get(struct vsamp_pmu *pmu, const char *root)
{
	struct dirent *d;
	char path[512];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s" EVENT_SOURCES, root);
	dir = opendir(path);
	while (dir && n < VSAMP_PMUS_MAX && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			n += pmu_get(&pmu[n], root, d->d_name);
	if (dir)
		closedir(dir);
	qsort(pmu, n, sizeof(*pmu), pmu_compare);
	return n;
}
