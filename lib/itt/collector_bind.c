// SPDX-License-Identifier: MIT
/* collector_bind.c: a static part's pointers get the collector's functions */
#include <string.h>

#include "collector.h"

#define GLOBALS_MAX 256

/* Static parts that are bound: what they have may be gone with their library, their address used again */
static struct itt_global *globals[GLOBALS_MAX];
static bool detached;

static void *function_in(const struct binding *b, const char *name)
{
	for (; b->name; b++)
		if (!strcmp(b->name, name))
			return b->function;
	return NULL;
}

static void *function_find(const char *name)
{
	static const struct binding *const all[] = { bindings_tasks, bindings_data,
						     bindings_threads, bindings_create,
						     bindings_pause };
	void *f = NULL;

	if (strncmp(name, "__itt_", 6))
		return NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && !f; i++)
		f = function_in(all[i], name + 6);
	return f;
}

static bool lists(const struct itt_global *g, const char *name)
{
	for (const struct itt_api *a = g->api_list; a->name; a++)
		if (!strcmp(a->name, name))
			return true;
	return false;
}

static void global_know(struct itt_global *g)
{
	size_t hole = GLOBALS_MAX;

	for (size_t i = GLOBALS_MAX; i--;) {
		if (globals[i] == g) {
			/* Its objects are those of another library, or of a time before */
			define_forget(g);
			return;
		}
		if (!globals[i])
			hole = i;
	}
	if (hole < GLOBALS_MAX)
		globals[hole] = g;
}

static void global_forget(const struct itt_global *g)
{
	process_lock();
	for (size_t i = 0; i < GLOBALS_MAX; i++)
		if (globals[i] == g)
			globals[i] = NULL;
	define_forget(g);
	process_unlock();
}

static bool global_ok(const struct itt_global *g)
{
	static const unsigned char magic[] = ITT_MAGIC;

	return g && !memcmp(g->magic, magic, sizeof(magic)) && g->version_major == 3 && g->api_list;
}

/* Fields came with calls; one without its call may not be there at all */
static void lists_know(struct itt_global *g)
{
	create_known(g, g->version_build >= 20151119, lists(g, "__itt_histogram_create"),
		     lists(g, "__itt_bind_context_metadata_to_counter"));
}

static void pointers_set(struct itt_global *g, bool functions)
{
	for (struct itt_api *a = g->api_list; a->name; a++) {
		void *f = functions ? function_find(a->name) : NULL;

		__atomic_store_n(a->pointer, f ? f : a->null, __ATOMIC_RELEASE);
	}
}

/* Others' calls come as soon as a pointer is stored, so that is last */
__attribute__((visibility("default"))) void __itt_api_init(struct itt_global *g, int groups);
void __itt_api_init(struct itt_global *g, int groups)
{
	bool on;

	if (!global_ok(g))
		return;
	process_lock();
	on = process_begin() && !detached;
	if (on) {
		stream_mine();
		global_know(g);
		lists_know(g);
		modules_tell();
	}
	process_unlock();
	pointers_set(g, on);
	if (self->header)
		self->fresh = self->at;
}

__attribute__((visibility("default"))) void __itt_api_fini(struct itt_global *g);
void __itt_api_fini(struct itt_global *g)
{
	if (!global_ok(g))
		return;
	global_forget(g);
	pointers_set(g, false);
}

/* Its library may be gone, and another one where it was */
static bool global_there(const struct itt_global *g)
{
	return g && modules_have(g, offsetof(struct itt_global, api_list) + sizeof(g->api_list)) &&
	       global_ok(g);
}

void bind_nothing(void)
{
	process_lock();
	detached = true;
	for (size_t i = 0; i < GLOBALS_MAX; i++)
		if (global_there(globals[i]))
			pointers_set(globals[i], false);
	process_unlock();
}
