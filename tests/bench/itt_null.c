// SPDX-License-Identifier: MIT
/*
 * What a collector costs at least, to compare with. As it is: one that does nothing. With -DTSC: one
 * that reads the TSC for each call and stores as much as a record has, to the same 64 KiB again and again.
 */
#include <stdint.h>
#include <stdlib.h>

#include "itt_global.h"

#ifdef TSC
static uint64_t stored[8192 + 4];
static __thread uint64_t *at __attribute__((tls_model("initial-exec")));

static inline uint64_t ticks(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

static inline uint64_t *place(unsigned int words)
{
	uint64_t *now = at;

	if (!now || now - stored >= 8192)
		now = stored;
	at = now + words;
	return now;
}

static void begin(const __itt_domain *domain, __itt_id id, __itt_id parent,
		  __itt_string_handle *name)
{
	uint64_t *to = place(3);

	to[0] = ticks();
	to[2] = (uintptr_t)name;
	to[1] = (uintptr_t)domain;
}

static void end(const __itt_domain *domain)
{
	uint64_t *to = place(2);

	to[0] = ticks();
	to[1] = (uintptr_t)domain;
}
#else
static void begin(const __itt_domain *domain, __itt_id id, __itt_id parent,
		  __itt_string_handle *name)
{
}

static void end(const __itt_domain *domain)
{
}
#endif

void __itt_api_init(struct itt_global *g, int groups);
void __itt_api_init(struct itt_global *g, int groups)
{
	static const char names[][32] = { "__itt_task_begin", "__itt_task_end" };

	for (struct itt_api *a = g->api_list; a->name; a++) {
		void *f = __builtin_strcmp(a->name, names[0]) == 0 ? (void *)begin :
			  __builtin_strcmp(a->name, names[1]) == 0 ? (void *)end :
								     a->null;

		__atomic_store_n(a->pointer, f, __ATOMIC_RELEASE);
	}
}
