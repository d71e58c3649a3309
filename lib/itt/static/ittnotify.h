/* SPDX-License-Identifier: MIT */
/*
 * ittnotify.h: tasks, events and counters of a program, for a collector to tell of
 *
 * A program, or a library, includes this and is linked with libvsamp-ittnotify.a. Its first call
 * loads the collector that the environment variable INTEL_LIBITTNOTIFY64 names. Without one, calls
 * cost a look at a pointer, and creating something gives NULL, which all calls take for nothing to
 * do. ittnotify_calls.h has the calls: a call X of it is the function __itt_X, safe in any thread.
 * With INTEL_NO_ITTNOTIFY_API defined nothing is called, and nothing needs to be linked.
 *
 * C99 and C++11 or later, by GCC or clang, for 64-bit Linux.
 */
#ifndef ITTNOTIFY_H
#define ITTNOTIFY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define INTEL_ITTNOTIFY_API_VERSION 3

typedef char __itt_char;
#ifndef __TEXT
#define __TEXT(text) text
#endif

typedef int __itt_event;
typedef int __itt_mark_type;
typedef int __itt_state_t;
typedef unsigned char __itt_pt_region;
typedef unsigned long long __itt_timestamp;
typedef void *__itt_heap_function;
typedef void *__itt_model_site;
typedef void *__itt_model_site_instance;
typedef void *__itt_model_task;
typedef void *__itt_model_task_instance;
typedef struct ___itt_caller *__itt_caller;
typedef struct ___itt_counter *__itt_counter;
typedef struct __itt_frame_t *__itt_frame;

#define __itt_timestamp_none ((__itt_timestamp)-1LL) /* of a frame's end: now */

/* A program may set flags to 0, in which case calls with this domain do nothing */
typedef struct ___itt_domain {
	volatile int flags;
	const char *nameA;
	void *nameW;
	int extra1; /* extra: the collector's own */
	void *extra2;
	struct ___itt_domain *next;
} __itt_domain;

typedef struct ___itt_string_handle {
	const char *strA;
	void *strW;
	int extra1;
	void *extra2;
	struct ___itt_string_handle *next;
} __itt_string_handle;

/* Of a task, region or frame; one space for all domains of a process. All zero is none. */
typedef struct ___itt_id {
	unsigned long long d1, d2, d3;
} __itt_id;

static const __itt_id __itt_null __attribute__((unused)) = { 0, 0, 0 };

/* An id from an address and a number that tells apart what has the same address */
static __inline__ __itt_id __itt_id_make(void *addr, unsigned long long extra)
{
	__itt_id id = { (unsigned long long)(uintptr_t)addr, extra, 0 };

	return id;
}

typedef enum {
	__itt_collection_scope_host = 1,
	__itt_collection_scope_offload = 2,
	__itt_collection_scope_all = 0x7FFFFFFF,
} __itt_collection_scope;

typedef enum {
	__itt_collection_uninitialized = 0,
	__itt_collection_init_fail = 1,
	__itt_collection_collector_absent = 2,
	__itt_collection_collector_exists = 3,
	__itt_collection_init_successful = 4,
} __itt_collection_state;

typedef enum __itt_suppress_mode {
	__itt_unsuppress_range,
	__itt_suppress_range,
} __itt_suppress_mode_t;

#define __itt_suppress_all_errors	0x7fffffff
#define __itt_suppress_threading_errors 0x000000ff
#define __itt_suppress_memory_errors	0x0000ff00

#define __itt_attr_barrier		1
#define __itt_attr_mutex		2

typedef enum {
	__itt_scope_unknown = 0,
	__itt_scope_global,
	__itt_scope_track_group, /* a process */
	__itt_scope_track,	 /* a thread */
	__itt_scope_task,
	__itt_scope_marker,
} __itt_scope;

#define __itt_marker_scope_unknown __itt_scope_unknown
#define __itt_marker_scope_global  __itt_scope_global
#define __itt_marker_scope_process __itt_scope_track_group
#define __itt_marker_scope_thread  __itt_scope_track
#define __itt_marker_scope_task	   __itt_scope_task

typedef enum {
	__itt_metadata_unknown = 0,
	__itt_metadata_u64,
	__itt_metadata_s64,
	__itt_metadata_u32,
	__itt_metadata_s32,
	__itt_metadata_u16,
	__itt_metadata_s16,
	__itt_metadata_float,
	__itt_metadata_double,
} __itt_metadata_type;

typedef enum {
	__itt_relation_is_unknown = 0,
	__itt_relation_is_dependent_on,
	__itt_relation_is_sibling_of,
	__itt_relation_is_parent_of,
	__itt_relation_is_continuation_of,
	__itt_relation_is_child_of,
	__itt_relation_is_continued_by,
	__itt_relation_is_predecessor_to,
} __itt_relation;

typedef struct ___itt_clock_info {
	unsigned long long clock_freq; /* Hz */
	unsigned long long clock_base; /* what it shows now */
} __itt_clock_info;

typedef void (*__itt_get_clock_info_fn)(__itt_clock_info *clock_info, void *data);

typedef struct ___itt_clock_domain {
	__itt_clock_info info;
	__itt_get_clock_info_fn fn;
	void *fn_data;
	int extra1;
	void *extra2;
	struct ___itt_clock_domain *next;
} __itt_clock_domain;

typedef enum ___itt_track_group_type { __itt_track_group_type_normal = 0 } __itt_track_group_type;
typedef enum ___itt_track_type { __itt_track_type_normal = 0 } __itt_track_type;

typedef struct ___itt_track_group {
	__itt_string_handle *name;
	struct ___itt_track *track;
	__itt_track_group_type tgtype;
	int extra1;
	void *extra2;
	struct ___itt_track_group *next;
} __itt_track_group;

typedef struct ___itt_track {
	__itt_string_handle *name;
	__itt_track_group *group;
	__itt_track_type ttype;
	int extra1;
	void *extra2;
	struct ___itt_track *next;
} __itt_track;

typedef struct ___itt_histogram {
	const __itt_domain *domain;
	const char *nameA;
	void *nameW;
	__itt_metadata_type x_type, y_type;
	int extra1;
	void *extra2;
	struct ___itt_histogram *next;
} __itt_histogram;

typedef enum {
	__itt_context_unknown = 0,
	__itt_context_nameA, /* A: the value is a char * */
	__itt_context_nameW,
	__itt_context_deviceA,
	__itt_context_deviceW,
	__itt_context_unitsA,
	__itt_context_unitsW,
	__itt_context_pci_addrA,
	__itt_context_pci_addrW,
	__itt_context_tid, /* from here on: an unsigned long long * */
	__itt_context_max_val,
	__itt_context_bandwidth_flag,
	__itt_context_latency_flag,
	__itt_context_occupancy_flag,
	__itt_context_on_thread_flag,
	__itt_context_is_abs_val_flag,
	__itt_context_cpu_instructions_flag,
	__itt_context_cpu_cycles_flag,
} __itt_context_type;

#define __itt_context_name     __itt_context_nameA
#define __itt_context_device   __itt_context_deviceA
#define __itt_context_units    __itt_context_unitsA
#define __itt_context_pci_addr __itt_context_pci_addrA

typedef struct ___itt_context_metadata {
	__itt_context_type type;
	void *value;
} __itt_context_metadata;

typedef struct ___itt_counter_metadata {
	__itt_counter counter;
	__itt_context_type type;
	const char *str_valueA;
	void *str_valueW;
	unsigned long long value;
	int extra1;
	void *extra2;
	struct ___itt_counter_metadata *next;
} __itt_counter_metadata;

typedef enum {
	__itt_module_type_unknown = 0,
	__itt_module_type_elf,
	__itt_module_type_coff,
} __itt_module_type;

typedef enum {
	itt_section_type_unknown,
	itt_section_type_bss,
	itt_section_type_data,
	itt_section_type_text,
} __itt_section_type;

#define __itt_section_exec  0x20000000
#define __itt_section_read  0x40000000
#define __itt_section_write 0x80000000

typedef struct ___itt_section_info {
	const char *name;
	__itt_section_type type;
	size_t flags;
	void *start_addr;
	size_t size;
	size_t file_offset;
} __itt_section_info;

typedef struct ___itt_module_object {
	unsigned int version;
	__itt_id module_id;
	__itt_module_type module_type;
	const char *module_name;
	void *module_buffer;
	size_t module_size;
	__itt_section_info *section_array;
	size_t section_number;
} __itt_module_object;

typedef enum {
	__itt_model_disable_observation,
	__itt_model_disable_collection,
} __itt_model_disable;

#define __itt_heap_leaks  0x00000001
#define __itt_heap_growth 0x00000002

typedef enum __itt_obj_state {
	__itt_obj_state_err,
	__itt_obj_state_clr,
	__itt_obj_state_set,
	__itt_obj_state_use,
} __itt_obj_state_t;

typedef enum __itt_obj_prop {
	__itt_obj_prop_watch = 1,
	__itt_obj_prop_ignore = 2,
	__itt_obj_prop_sharable = 3,
} __itt_obj_prop_t;

typedef enum __itt_thr_state {
	__itt_thr_state_err,
	__itt_thr_state_clr,
	__itt_thr_state_set,
} __itt_thr_state_t;

typedef enum __itt_thr_prop { __itt_thr_prop_quiet = 1 } __itt_thr_prop_t;

#ifdef INTEL_NO_ITTNOTIFY_API
#define __itt_init_ittlib(library, groups) 0
#define __itt_fini_ittlib()		   ((void)0)
#define __itt_release_resources()	   ((void)0)
#define __itt_get_collection_state()	   __itt_collection_uninitialized
#else
/**
 * __itt_init_ittlib - load the collector now, and not at the first call
 * @library: its path; NULL: that of the environment
 * @groups: handed to the collector, -1: all
 *
 * Returns 1 if there is a collector, else 0. It is safe in any thread; others wait.
 */
__attribute__((visibility("hidden"))) int __itt_init_ittlib(const char *library, int groups);

/** __itt_fini_ittlib - tell the collector that this program, or library, is about to end */
__attribute__((visibility("hidden"))) void __itt_fini_ittlib(void);

/** __itt_release_resources - free what was created, none of which may be used from then on */
__attribute__((visibility("hidden"))) void __itt_release_resources(void);

/** __itt_get_collection_state - whether a collector is at work */
__attribute__((visibility("hidden"))) __itt_collection_state __itt_get_collection_state(void);
#endif

/* What an __itt_X calls: a stub that loads the collector, then the collector's, or NULL */
#ifdef INTEL_NO_ITTNOTIFY_API
#define ITT_POINTER_(name)
#define ITT_GET_(name) ((__itt_##name##_t)0)
#define ITT_READY_     0
#else
#define ITT_POINTER_(name) \
	extern __itt_##name##_t __itt_##name##_ptr__3_0 __attribute__((visibility("hidden")));
#define ITT_GET_(name) __atomic_load_n(&__itt_##name##_ptr__3_0, __ATOMIC_ACQUIRE)
/* No stub could hand a format's arguments on */
#define ITT_READY_     __itt_init_ittlib(NULL, -1)
#endif

#define ITT_CALL_(type, name, parameters, ready, call_it)                               \
	typedef type(*__itt_##name##_t) parameters;                                     \
	ITT_POINTER_(name)                                                              \
	static __inline__ type __itt_##name parameters                                  \
	{                                                                               \
		__itt_##name##_t call = (ready) ? ITT_GET_(name) : (__itt_##name##_t)0; \
                                                                                        \
		call_it;                                                                \
	}

#define ITT_R(group, type, name, parameters, arguments) \
	ITT_CALL_(type, name, parameters, 1, return call ? call arguments : (type)0)
#define ITT_RS ITT_R
#define ITT_VOID_(name, parameters, arguments, ready) \
	ITT_CALL_(void, name, parameters, ready, if (call) call arguments)
#define ITT_V(group, name, parameters, arguments) ITT_VOID_(name, parameters, arguments, 1)
#define ITT_VS					  ITT_V
#define ITT_VD(group, name, parameters, arguments) \
	ITT_VOID_(name, parameters, arguments, domain && domain->flags)
#define ITT_ALIAS(group, name, listed, parameters, arguments) \
	ITT_V(group, name, parameters, arguments)
#define ITT_VARIADIC(group, name, parameters)                                             \
	typedef void(*__itt_##name##_t) parameters;                                       \
	ITT_POINTER_(name)                                                                \
	static __inline__ __itt_##name##_t __itt_##name##_get(const __itt_domain *domain) \
	{                                                                                 \
		if (!domain || !domain->flags || !ITT_READY_)                             \
			return (__itt_##name##_t)0;                                       \
		return ITT_GET_(name);                                                    \
	}

#include "ittnotify_calls.h"

#undef ITT_POINTER_
#undef ITT_GET_
#undef ITT_READY_
#undef ITT_CALL_
#undef ITT_VOID_

#define ITT_FORMATTED_(name, domain, ...)                                     \
	__extension__({                                                       \
		const __itt_domain *itt_domain_ = (domain);                   \
		__itt_##name##_t itt_call_ = __itt_##name##_get(itt_domain_); \
                                                                              \
		if (itt_call_)                                                \
			itt_call_(itt_domain_, __VA_ARGS__);                  \
	})
#define __itt_formatted_metadata_add(domain, ...) \
	ITT_FORMATTED_(formatted_metadata_add, domain, __VA_ARGS__)
#define __itt_formatted_metadata_add_overlapped(domain, ...) \
	ITT_FORMATTED_(formatted_metadata_add_overlapped, domain, __VA_ARGS__)

#define _itt_task_end_ex __itt_task_end_ex

#ifdef __cplusplus
}
#endif

#endif
