// SPDX-License-Identifier: MIT
/* ittnotify_static.c: the part of ITT that is linked to a program: pointers to calls, and a collector */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "static.h"

#define LIBRARY_VARIABLE "INTEL_LIBITTNOTIFY64"
#define VERSION_BUILD	 20250807 /* the newest whose fields and calls are here */

/* A stub initialises, and does what the pointer has become */
#define STUB(type, name, parameters, arguments)                                \
	static type stub_##name parameters                                     \
	{                                                                      \
		__itt_##name##_t call;                                         \
                                                                               \
		__itt_init_ittlib(NULL, ITT_GROUP_ALL);                        \
		call = LOAD(&__itt_##name##_ptr__3_0);                         \
		return call && call != stub_##name ? call arguments : (type)0; \
	}                                                                      \
	__itt_##name##_t __itt_##name##_ptr__3_0 = stub_##name;

#define ITT_V(group, name, parameters, arguments) STUB(void, name, parameters, arguments)
#define ITT_VD					  ITT_V
#define ITT_ALIAS(group, name, listed, parameters, arguments) \
	STUB(void, name, parameters, arguments)
#define ITT_R(group, type, name, parameters, arguments) STUB(type, name, parameters, arguments)
#define ITT_VS(group, name, parameters, arguments) \
	__itt_##name##_t __itt_##name##_ptr__3_0 = __itt_##name##_own;
#define ITT_RS(group, type, name, parameters, arguments) ITT_VS(group, name, parameters, arguments)
/* Initialised before, by its caller */
#define ITT_VARIADIC(group, name, parameters)		 __itt_##name##_t __itt_##name##_ptr__3_0;
#include "ittnotify_calls.h"

#define LIST(group, name, listed, stub, null)                                                  \
	{ "__itt_" #listed, (void **)&__itt_##name##_ptr__3_0, (void *)(stub), (void *)(null), \
	  ITT_GROUP_##group },
#define ITT_V(group, name, parameters, arguments) LIST(group, name, name, stub_##name, NULL)
#define ITT_VD					  ITT_V
#define ITT_ALIAS(group, name, listed, parameters, arguments) \
	LIST(group, name, listed, stub_##name, NULL)
#define ITT_R(group, type, name, parameters, arguments) LIST(group, name, name, stub_##name, NULL)
#define ITT_VS(group, name, parameters, arguments) \
	LIST(group, name, name, __itt_##name##_own, __itt_##name##_own)
#define ITT_RS(group, type, name, parameters, arguments) ITT_VS(group, name, parameters, arguments)
#define ITT_VARIADIC(group, name, parameters)		 LIST(group, name, name, NULL, NULL)

static struct itt_api api_list[] = {
#include "ittnotify_calls.h"
	{ 0 },
};

static const char *library_path;

struct itt_global __itt_static_global = {
	.magic = ITT_MAGIC,
	.version_major = INTEL_ITTNOTIFY_API_VERSION,
	.version_build = VERSION_BUILD,
	.mutex_initialized = 1,
	.atomic_counter = 1,
	.mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
	.dll_path = &library_path,
	.api_list = api_list,
	.state = __itt_collection_uninitialized,
};

static bool initializing; /* under the mutex: the thread that does it calls us again */

const char *__itt_static_library(const char *given)
{
	const char *name = given ? given : secure_getenv(LIBRARY_VARIABLE);

	return name && *name ? name : NULL;
}

static void point_to_nothing(void)
{
	for (struct itt_api *a = api_list; a->name; a++)
		STORE(a->pointer, a->null);
}

/* Collectors of the first kind have a function of each call's name, those of the second bind all */
static bool bind(void *lib, int groups)
{
	itt_api_init_fn *init = (itt_api_init_fn *)dlsym(lib, "__itt_api_init");

	if (init) {
		init(&__itt_static_global, groups);
		return true;
	}
	if (!dlsym(lib, "__itt_api_version"))
		return false;
	for (struct itt_api *a = api_list; a->name; a++) {
		void *f = a->group & groups ? dlsym(lib, a->name) : NULL;

		STORE(a->pointer, f ? f : a->null);
	}
	return true;
}

static void initialize(const char *given, int groups)
{
	const char *name = __itt_static_library(given);

	__itt_static_global.lib = name ? dlopen(name, RTLD_LAZY) : NULL;
	if (__itt_static_global.lib)
		__itt_static_global.state = __itt_collection_collector_exists;
	if (__itt_static_global.lib && bind(__itt_static_global.lib, groups)) {
		__itt_static_global.state = __itt_collection_init_successful;
		return;
	}
	point_to_nothing();
	__itt_static_global.state = name ? __itt_collection_init_fail :
					   __itt_collection_collector_absent;
}

int __itt_init_ittlib(const char *library, int groups)
{
	if (LOAD(&__itt_static_global.api_initialized))
		return __itt_static_global.state == __itt_collection_init_successful;
	pthread_mutex_lock(&__itt_static_global.mutex);
	if (!__itt_static_global.api_initialized && !initializing) {
		initializing = true;
		initialize(library, groups);
		initializing = false;
		STORE(&__itt_static_global.api_initialized, 1);
	}
	pthread_mutex_unlock(&__itt_static_global.mutex);
	return __itt_static_global.state == __itt_collection_init_successful;
}

void __itt_fini_ittlib(void)
{
	itt_api_fini_fn *fini;

	pthread_mutex_lock(&__itt_static_global.mutex);
	if (__itt_static_global.api_initialized && !initializing) {
		fini = __itt_static_global.lib ?
			       (itt_api_fini_fn *)dlsym(__itt_static_global.lib, "__itt_api_fini") :
			       NULL;
		if (fini)
			fini(&__itt_static_global);
		/* Other threads may be in the collector, so it stays loaded */
		point_to_nothing();
		__itt_static_global.state = __itt_collection_uninitialized;
		STORE(&__itt_static_global.api_initialized, 0);
	}
	pthread_mutex_unlock(&__itt_static_global.mutex);
}

__itt_collection_state __itt_get_collection_state(void)
{
	return __itt_static_global.state;
}
