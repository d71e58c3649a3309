// SPDX-License-Identifier: MIT
/* Which kind of core counts an event */
#include <stdio.h>

#include <vsamp/cpulist.h>
#include <vsamp/pmu.h>

void vsamp_pmus_text(const struct vsamp_pmu *pmu, size_t n, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s%s%s%s", i ? ", " : "", pmu[i].name,
				 *pmu[i].cpus ? " (CPUs " : "", pmu[i].cpus,
				 *pmu[i].cpus ? ")" : "");
}

const struct vsamp_pmu *vsamp_pmu_of_event(const struct vsamp_pmu *pmu, size_t n,
					   const struct vsamp_event *ev)
{
	for (size_t i = 0; i < n && n > 1; i++)
		if (pmu[i].type == ev->perf_type)
			return &pmu[i];
	return NULL;
}

static bool cpulist_has(const struct vsamp_cpulist *list, uint32_t cpu)
{
	for (unsigned int i = 0; i < list->n; i++)
		if (list->cpu[i] == cpu)
			return true;
	return false;
}

/* "8-15,20" of those in @all that aren't in @some */
static void cpulist_text_without(const struct vsamp_cpulist *all, const struct vsamp_cpulist *some,
				 char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (unsigned int i = 0, last; i < all->n && used < size; i = last + 1) {
		last = i;
		if (cpulist_has(some, all->cpu[i]))
			continue;
		while (last + 1 < all->n && all->cpu[last + 1] == all->cpu[last] + 1 &&
		       !cpulist_has(some, all->cpu[last + 1]))
			last++;
		used += snprintf(text + used, size - used, "%s%u", used ? "," : "", all->cpu[i]);
		if (last > i && used < size)
			used += snprintf(text + used, size - used, "-%u", all->cpu[last]);
	}
}

bool vsamp_pmu_misses(const struct vsamp_pmu *pmu, size_t n, const struct vsamp_event *ev,
		      const char *cpus, char *text, size_t size)
{
	const struct vsamp_pmu *of = vsamp_pmu_of_event(pmu, n, ev);
	struct vsamp_cpulist all = { 0 }, some = { 0 };
	char others[64] = "";

	if (of && !vsamp_cpulist_parse(&all, cpus) && !vsamp_cpulist_parse(&some, of->cpus))
		cpulist_text_without(&all, &some, others, sizeof(others));
	vsamp_cpulist_free(&all);
	vsamp_cpulist_free(&some);
	if (!*others)
		return false;
	snprintf(text, size, "%s is of %s (CPUs %s): CPUs %s don't count it", ev->name, of->name,
		 of->cpus, others);
	return true;
}
