// SPDX-License-Identifier: MIT
/* The names people type, and what is known of the events behind them */
#include <ctype.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "event_priv.h"

/*
 * Default Sample-After values: about a thousand samples a second and busy CPU for what happens in
 * nearly every cycle, and correspondingly less often for what is rare. Primes end in 3 or 7 here
 * so that loops of round lengths aren't hit at one place. Time has no such lengths.
 */
#define SAV_CYCLES   2000003
#define SAV_BRANCHES 200003
#define SAV_REFS     100003
#define SAV_MISSES   20003
#define SAV_NS	     1000000

static const struct vsamp_event_info table[] = {
	{
		.name = "CPU_CLK_UNHALTED.THREAD",
		.group = "clock",
		.aliases = "Clockticks,cycles,cpu-cycles,CPU_CLK_UNHALTED,CPU_CLK_UNHALTED.CORE,"
			   "CPU_CLK_UNHALTED.THREAD_P",
		.what = "core clock cycles while not halted",
		.config = 0x3c,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_CPU_CYCLES,
		.fixed = 1,
		.general = true,
		.arch_bit = 0,
		.sav = SAV_CYCLES,
		.clockticks = true,
		.calibrate = true,
	},
	{
		.name = "INST_RETIRED.ANY",
		.group = "retired",
		.aliases = "Instructions Retired,instructions,INST_RETIRED,INST_RETIRED.ANY_P",
		.what = "instructions retired",
		.config = 0xc0,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_INSTRUCTIONS,
		.fixed = 0,
		.general = true,
		.arch_bit = 1,
		.sav = SAV_CYCLES,
		.calibrate = true,
	},
	{
		.name = "CPU_CLK_UNHALTED.REF_TSC",
		.group = "clock",
		.aliases = "ref-cycles,Reference Clockticks,CPU_CLK_UNHALTED.REF",
		.what = "cycles at the TSC's rate while not halted",
		.config = 0x300,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_REF_CPU_CYCLES,
		.fixed = 2,
		.arch_bit = 2,
		.sav = SAV_CYCLES,
	},
	{
		.name = "BR_INST_RETIRED.ALL_BRANCHES",
		.group = "branch",
		.aliases =
			"branches,branch-instructions,BR_INST_RETIRED,Branch Instructions Retired",
		.what = "branch instructions retired",
		.config = 0xc4,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		.fixed = -1,
		.general = true,
		.arch_bit = 5,
		.sav = SAV_BRANCHES,
	},
	{
		.name = "BR_MISP_RETIRED.ALL_BRANCHES",
		.group = "branch",
		.aliases = "branch-misses,BR_MISP_RETIRED,Mispredicted Branches Retired",
		.what = "mispredicted branch instructions retired",
		.config = 0xc5,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_BRANCH_MISSES,
		.fixed = -1,
		.general = true,
		.arch_bit = 6,
		.sav = SAV_MISSES,
	},
	{
		.name = "LONGEST_LAT_CACHE.REFERENCE",
		.group = "cache",
		.aliases = "cache-references,LLC-references,LLC-refs,LLC_REFERENCES",
		.what = "references to the last-level cache",
		.config = 0x4f2e,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_CACHE_REFERENCES,
		.fixed = -1,
		.general = true,
		.arch_bit = 3,
		.sav = SAV_REFS,
	},
	{
		.name = "LONGEST_LAT_CACHE.MISS",
		.group = "cache",
		.aliases = "cache-misses,LLC-misses",
		.what = "misses of the last-level cache",
		.config = 0x412e,
		.perf_type = PERF_TYPE_HARDWARE,
		.perf_config = PERF_COUNT_HW_CACHE_MISSES,
		.fixed = -1,
		.general = true,
		.arch_bit = 4,
		.sav = SAV_MISSES,
	},
	{
		.name = "cpu-clock",
		.group = "time",
		.aliases = "",
		.what = "nanoseconds on a CPU: samples by time, which takes no counter",
		.perf_type = PERF_TYPE_SOFTWARE,
		.perf_config = PERF_COUNT_SW_CPU_CLOCK,
		.fixed = -1,
		.arch_bit = -1,
		.sav = SAV_NS,
		.clockticks = true,
		.clock_hz = 1000000000,
		.calibrate = true,
	},
};

static const struct vsamp_event_group groups[] = {
	{ "clock", "cycles of the core's clock and of the TSC" },
	{ "retired", "instructions retired" },
	{ "branch", "branches retired, and those mispredicted" },
	{ "cache", "use of the last-level cache" },
	{ "time", "time on a CPU, without counters" },
};

const struct vsamp_event_group *vsamp_event_group(unsigned int i)
{
	return i < sizeof(groups) / sizeof(groups[0]) ? &groups[i] : NULL;
}

#define TABLE_ROWS (sizeof(table) / sizeof(table[0]))

const struct vsamp_event_info *vsamp_event_info(unsigned int i)
{
	return i < TABLE_ROWS ? &table[i] : NULL;
}

void event_name_fold(char *out, size_t size, const char *name)
{
	size_t n = 0;

	for (; *name && n + 1 < size; name++)
		if (!strchr(" \t_.-", *name))
			out[n++] = tolower((unsigned char)*name);
	out[n] = '\0';
}

bool event_name_same(const char *a, const char *b)
{
	char x[VSAMP_EVENT_NAME_MAX], y[VSAMP_EVENT_NAME_MAX];

	event_name_fold(x, sizeof(x), a);
	event_name_fold(y, sizeof(y), b);
	return !strcmp(x, y);
}

/* Calls fn for the name and each alias of a row, until it returns true */
static bool row_any(const struct vsamp_event_info *row, bool (*fn)(const char *name, void *arg),
		    void *arg)
{
	char list[256];
	char *save;

	if (fn(row->name, arg))
		return true;
	snprintf(list, sizeof(list), "%s", row->aliases);
	for (char *p = strtok_r(list, ",", &save); p; p = strtok_r(NULL, ",", &save))
		if (fn(p, arg))
			return true;
	return false;
}

static bool name_equal(const char *name, void *arg)
{
	char folded[VSAMP_EVENT_NAME_MAX];

	event_name_fold(folded, sizeof(folded), name);
	return !strcmp(folded, arg);
}

const struct vsamp_event_info *event_table_find(const char *name)
{
	char folded[VSAMP_EVENT_NAME_MAX];

	event_name_fold(folded, sizeof(folded), name);
	for (unsigned int i = 0; i < TABLE_ROWS; i++)
		if (row_any(&table[i], name_equal, folded))
			return &table[i];
	return NULL;
}

static bool row_has_counter(const struct vsamp_event_info *row)
{
	return row->general || row->fixed >= 0;
}

const struct vsamp_event_info *event_table_find_config(uint64_t config)
{
	for (unsigned int i = 0; i < TABLE_ROWS; i++)
		if (row_has_counter(&table[i]) && table[i].config == config)
			return &table[i];
	return NULL;
}

/* Levenshtein's distance, of names short enough */
static unsigned int name_distance(const char *a, const char *b)
{
	unsigned int row[VSAMP_EVENT_NAME_MAX + 1];
	size_t n = strlen(b);

	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned int best = diagonal + (a[i] != b[j]);

			diagonal = row[j + 1];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > diagonal + 1)
				best = diagonal + 1;
			row[j + 1] = best;
		}
	}
	return row[n];
}

#define NEAR_MAX 3

struct near {
	char wanted[VSAMP_EVENT_NAME_MAX];
	char name[NEAR_MAX][VSAMP_EVENT_NAME_MAX];
	unsigned int distance[NEAR_MAX];
	unsigned int n;
};

static bool near_consider(const char *name, void *arg)
{
	struct near *near = arg;
	char folded[VSAMP_EVENT_NAME_MAX];
	unsigned int distance, i;

	event_name_fold(folded, sizeof(folded), name);
	/* What only lacks its end or beginning is nearer than what is misspelt */
	if (strlen(near->wanted) >= 4 && strstr(folded, near->wanted))
		distance = 1;
	else
		distance = name_distance(near->wanted, folded);
	if (distance > 1 && distance > strlen(near->wanted) / 3)
		return false;
	for (i = near->n; i > 0 && near->distance[i - 1] > distance; i--)
		if (i < NEAR_MAX) {
			near->distance[i] = near->distance[i - 1];
			memcpy(near->name[i], near->name[i - 1], sizeof(near->name[i]));
		}
	if (i == NEAR_MAX)
		return false;
	near->distance[i] = distance;
	snprintf(near->name[i], sizeof(near->name[i]), "%s", name);
	if (near->n < NEAR_MAX)
		near->n++;
	return false;
}

static void near_consider_pfm(const struct vsamp_event_pfm *event, void *arg)
{
	near_consider(event->name, arg);
}

void event_near(char *out, size_t size, const char *name)
{
	struct near near = { .n = 0 };
	size_t used = 0;

	event_name_fold(near.wanted, sizeof(near.wanted), name);
	for (unsigned int i = 0; i < TABLE_ROWS; i++)
		row_any(&table[i], near_consider, &near);
	vsamp_event_each_pfm(near_consider_pfm, &near);
	out[0] = '\0';
	for (unsigned int i = 0; i < near.n && used < size; i++)
		used += snprintf(out + used, size - used, "%s%s",
				 i == 0		? "" :
				 i + 1 < near.n ? ", " :
						  " or ",
				 near.name[i]);
}
