// SPDX-License-Identifier: MIT
/* What static parts and collectors of others have where; it is enough that it compiles */
#include <stddef.h>

#include "itt_global.h"

#ifdef __aarch64__
#define MOVED 8 /* the mutex is larger */
#else
#define MOVED 0
#endif

#define AT(type, field, at) _Static_assert(offsetof(type, field) == (at), #type "." #field)
#define SIZE(type, size)    _Static_assert(sizeof(type) == (size), #type)
#define GLOBAL(field, at)   AT(struct itt_global, field, at)
#define GLOBAL_M(field, at) AT(struct itt_global, field, (at) + MOVED)

_Static_assert(sizeof(pthread_mutex_t) == 40 + MOVED, "the mutex of the C library");

GLOBAL(magic, 0);
GLOBAL(version_major, 8);
GLOBAL(version_minor, 16);
GLOBAL(version_build, 24);
GLOBAL(api_initialized, 32);
GLOBAL(mutex_initialized, 40);
GLOBAL(atomic_counter, 48);
GLOBAL(mutex, 56);
GLOBAL_M(lib, 96);
GLOBAL_M(error_handler, 104);
GLOBAL_M(dll_path, 112);
GLOBAL_M(api_list, 120);
GLOBAL_M(next, 128);
GLOBAL_M(thread_list, 136);
GLOBAL_M(domain_list, 144);
GLOBAL_M(string_list, 152);
GLOBAL_M(state, 160);
GLOBAL_M(counter_list, 168);
GLOBAL_M(ipt_collect_events, 176);
GLOBAL_M(histogram_list, 184);
GLOBAL_M(counter_metadata_list, 192);
SIZE(struct itt_global, 200 + MOVED);

AT(struct itt_api, name, 0);
AT(struct itt_api, pointer, 8);
AT(struct itt_api, stub, 16);
AT(struct itt_api, null, 24);
AT(struct itt_api, group, 32);
SIZE(struct itt_api, 40);

AT(__itt_domain, flags, 0);
AT(__itt_domain, nameA, 8);
AT(__itt_domain, nameW, 16);
AT(__itt_domain, extra1, 24);
AT(__itt_domain, extra2, 32);
AT(__itt_domain, next, 40);
SIZE(__itt_domain, 48);

AT(__itt_string_handle, strA, 0);
AT(__itt_string_handle, strW, 8);
AT(__itt_string_handle, extra1, 16);
AT(__itt_string_handle, extra2, 24);
AT(__itt_string_handle, next, 32);
SIZE(__itt_string_handle, 40);

AT(struct itt_counter_info, nameA, 0);
AT(struct itt_counter_info, domainA, 16);
AT(struct itt_counter_info, type, 32);
AT(struct itt_counter_info, index, 40);
AT(struct itt_counter_info, extra1, 48);
AT(struct itt_counter_info, extra2, 56);
AT(struct itt_counter_info, next, 64);
SIZE(struct itt_counter_info, 72);

AT(__itt_histogram, domain, 0);
AT(__itt_histogram, nameA, 8);
AT(__itt_histogram, x_type, 24);
AT(__itt_histogram, y_type, 28);
AT(__itt_histogram, extra1, 32);
AT(__itt_histogram, extra2, 40);
AT(__itt_histogram, next, 48);
SIZE(__itt_histogram, 56);

AT(__itt_counter_metadata, counter, 0);
AT(__itt_counter_metadata, type, 8);
AT(__itt_counter_metadata, str_valueA, 16);
AT(__itt_counter_metadata, value, 32);
AT(__itt_counter_metadata, next, 56);
SIZE(__itt_counter_metadata, 64);

AT(__itt_context_metadata, type, 0);
AT(__itt_context_metadata, value, 8);
SIZE(__itt_context_metadata, 16);

AT(struct itt_thread_info, tid, 16);
AT(struct itt_thread_info, state, 24);
AT(struct itt_thread_info, extra1, 28);
AT(struct itt_thread_info, next, 40);
SIZE(struct itt_thread_info, 48);

SIZE(__itt_id, 24);
SIZE(__itt_clock_info, 16);
AT(__itt_clock_domain, info, 0);
AT(__itt_clock_domain, fn, 16);
AT(__itt_clock_domain, fn_data, 24);
AT(__itt_clock_domain, next, 48);
SIZE(__itt_clock_domain, 56);

AT(__itt_track_group, track, 8);
AT(__itt_track_group, tgtype, 16);
AT(__itt_track_group, next, 32);
SIZE(__itt_track_group, 40);
AT(__itt_track, group, 8);
AT(__itt_track, ttype, 16);
SIZE(__itt_track, 40);

AT(__itt_module_object, module_id, 8);
AT(__itt_module_object, module_type, 32);
AT(__itt_module_object, module_name, 40);
AT(__itt_module_object, section_array, 64);
AT(__itt_module_object, section_number, 72);
SIZE(__itt_module_object, 80);
AT(__itt_section_info, type, 8);
AT(__itt_section_info, flags, 16);
AT(__itt_section_info, file_offset, 40);
SIZE(__itt_section_info, 48);
