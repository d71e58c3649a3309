// SPDX-License-Identifier: MIT
/*
 * usage: tails COLLECTOR
 *
 * Static parts of all times, as far as their field lists go: each ends where nothing is mapped, so that
 * a collector which reads a field that isn't there dies. All have created something of each kind that
 * they know before there is a collector, and use it then. Prints a line for each that was bound.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "itt_global.h"

static const struct tail {
	unsigned long build;
	size_t size;
	const char *calls[3];
} tails[] = {
	{ 20111111, offsetof(struct itt_global, state) + 4, { 0 } },
	{ 20151119, offsetof(struct itt_global, ipt_collect_events), { 0 } },
	{ 20180723, offsetof(struct itt_global, ipt_collect_events) + 4, { 0 } },
	{ 20180723,
	  offsetof(struct itt_global, counter_metadata_list),
	  { "__itt_histogram_create" } },
	{ 20230630,
	  sizeof(struct itt_global),
	  { "__itt_histogram_create", "__itt_bind_context_metadata_to_counter" } },
};

static void *pointer[8];

static void make_list(struct itt_api *list, const struct tail *t)
{
	static const char *const always[] = { "__itt_task_begin",	 "__itt_event_create",
					      "__itt_domain_create",	 "__itt_unheard_of",
					      "__itt_counter_set_value", "__itt_histogram_submit" };
	int n = 0;

	for (int i = 0; i < 6; i++, n++)
		list[n] = (struct itt_api){ always[i], &pointer[n], NULL, (void *)tails, 0 };
	for (int i = 0; t->calls[i]; i++, n++)
		list[n] = (struct itt_api){ t->calls[i], &pointer[n], NULL, NULL, 0 };
	list[n].name = NULL;
}

/* What a program has had created by then, by the names of its static part */
struct made {
	char name[16];
	__itt_domain domain;
	__itt_string_handle string;
	struct itt_counter_info counter;
	__itt_histogram histogram;
	__itt_counter_metadata unit;
};

static struct made *make_objects(const struct tail *t)
{
	struct made *m = calloc(1, sizeof(*m));

	snprintf(m->name, sizeof(m->name), "tail %td", t - tails);
	/* The oldest leave it to a collector to switch domains on */
	m->domain = (__itt_domain){ .flags = t->build > 20111111, .nameA = m->name };
	m->string = (__itt_string_handle){ .strA = m->name };
	/* These fields aren't set by static parts */
	m->counter = (struct itt_counter_info){ .nameA = m->name,
						.domainA = "tails",
						.type = __itt_metadata_u16,
						.extra1 = 0x5a5a5a5a,
						.extra2 = (void *)0x5a5a5a5a };
	m->histogram = (__itt_histogram){ .domain = &m->domain,
					  .nameA = m->name,
					  .x_type = __itt_metadata_u16,
					  .y_type = __itt_metadata_u16 };
	m->unit = (__itt_counter_metadata){ .counter = (__itt_counter)&m->counter,
					    .type = __itt_context_unitsA,
					    .str_valueA = m->name };
	return m;
}

/* Copied without what is behind its own tail, to the end of a page */
static struct itt_global *make_global(const struct tail *t, struct itt_api *list, struct made *m)
{
	struct itt_global full = {
		.magic = ITT_MAGIC,
		.version_major = 3,
		.version_build = t->build,
		.mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
		.api_list = list,
		.domain_list = &m->domain,
		.string_list = &m->string,
		.counter_list = &m->counter,
		.histogram_list = &m->histogram,
		.counter_metadata_list = &m->unit,
	};
	size_t page = sysconf(_SC_PAGESIZE);
	char *map = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, 0, 0);
	void *g = map + page - t->size;

	mprotect(map + page, page, PROT_NONE);
	memcpy(g, &full, t->size);
	return g;
}

/* As macros do: an off domain's calls aren't made */
static void use(const struct tail *t, struct made *m)
{
	unsigned short value[] = { 1, 2 };

	if (m->domain.flags)
		((__itt_task_begin_t)pointer[0])(&m->domain, __itt_null, __itt_null, &m->string);
	if (t->size > offsetof(struct itt_global, counter_list))
		((__itt_counter_set_value_t)pointer[4])((__itt_counter)&m->counter, value);
	if (t->calls[0])
		((__itt_histogram_submit_t)pointer[5])(&m->histogram, 2, value, value);
}

int main(int argc, char **argv)
{
	void *lib = dlopen(argv[1], RTLD_LAZY);
	itt_api_init_fn *init = lib ? (itt_api_init_fn *)dlsym(lib, "__itt_api_init") : NULL;

	if (!init)
		exit(2);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct itt_api *list = calloc(16, sizeof(*list));
		struct made *m = make_objects(&tails[i]);
		struct itt_global *g;

		make_list(list, &tails[i]);
		g = make_global(&tails[i], list, m);
		init(g, -1);
		if (pointer[0] == (void *)tails || pointer[3] != (void *)tails)
			exit(3);
		use(&tails[i], m);
		printf("%lu %zu %s\n", tails[i].build, tails[i].size,
		       ((__itt_domain_create_t)pointer[2])(m->name) == &m->domain ? "same" :
										    "other");
	}
	return 0;
}
