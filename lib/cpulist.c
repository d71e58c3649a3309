// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/cpulist.h>
#include <vsamp/file.h>

/* A number at *p, moving p behind it; false: none, or too large */
static bool cpu_number(const char **p, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*number = strtoul(*p, &end, 10);
	*p = end;
	return *number < VSAMP_CPUS_MAX;
}

static bool cpu_range(const char **p, bool *set)
{
	unsigned long first, last;

	if (!cpu_number(p, &first))
		return false;
	last = first;
	if (**p == '-') {
		(*p)++;
		if (!cpu_number(p, &last) || last < first)
			return false;
	}
	memset(set + first, true, last - first + 1);
	return true;
}

int vsamp_cpulist_parse(struct vsamp_cpulist *list, const char *text)
{
	bool set[VSAMP_CPUS_MAX] = { false };
	unsigned int n = 0;

	*list = (struct vsamp_cpulist){ 0 };
	while (true) {
		if (!cpu_range(&text, set))
			return -EINVAL;
		if (*text != ',')
			break;
		text++;
	}
	if (*text && strcmp(text, "\n"))
		return -EINVAL;
	for (unsigned int cpu = 0; cpu < VSAMP_CPUS_MAX; cpu++)
		n += set[cpu];
	list->cpu = malloc(n * sizeof(*list->cpu));
	if (!list->cpu)
		return -ENOMEM;
	for (unsigned int cpu = 0; cpu < VSAMP_CPUS_MAX; cpu++)
		if (set[cpu])
			list->cpu[list->n++] = cpu;
	return 0;
}

/* Where /sys doesn't tell, there is one */
static int cpulist_read(struct vsamp_cpulist *list, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int ret;

	if (!f)
		return vsamp_cpulist_parse(list, "0");
	ret = getline(&line, &room, f) < 0 ? -EIO : vsamp_cpulist_parse(list, line);
	free(line);
	fclose(f);
	return ret;
}

int vsamp_cpulist_online(struct vsamp_cpulist *list)
{
	return cpulist_read(list, "/sys/devices/system/cpu/online");
}

int vsamp_cpulist_present(struct vsamp_cpulist *list)
{
	return cpulist_read(list, "/sys/devices/system/cpu/present");
}

void vsamp_cpulist_free(struct vsamp_cpulist *list)
{
	free(list->cpu);
	*list = (struct vsamp_cpulist){ 0 };
}
