/* SPDX-License-Identifier: MIT */
/*
 * ittnotify_calls.h: the calls, a line each, for those who include it: ittnotify.h and its static part
 *
 *   ITT_V(group, name, (parameters), (arguments))	a call without a result
 *   ITT_VD(...)					likewise; a domain that is off skips it
 *   ITT_VARIADIC(group, name, (parameters))		likewise, with a format's arguments
 *   ITT_VS(...)					as ITT_V; the static part keeps what it tells
 *   ITT_R(group, type, name, (parameters), (arguments))  with a result
 *   ITT_RS(...)					likewise; the static part keeps what is created
 *   ITT_ALIAS(group, name, listed, (parameters), (arguments))  as ITT_V, listed by another name
 *
 * The group's name is that of an enum constant, without ITT_GROUP_. There is no guard.
 */
#define ITT_DOMAIN_ const __itt_domain *domain
#define ITT_CLOCK_  __itt_clock_domain *clock_domain, unsigned long long timestamp

ITT_RS(STRUCTURE, __itt_domain *, domain_create, (const char *name), (name))
ITT_RS(STRUCTURE, __itt_string_handle *, string_handle_create, (const char *name), (name))
ITT_RS(COUNTER, __itt_counter, counter_create, (const char *name, const char *domain),
       (name, domain))
ITT_RS(COUNTER, __itt_counter, counter_create_typed,
       (const char *name, const char *domain, __itt_metadata_type type), (name, domain, type))
ITT_RS(COUNTER, __itt_counter, counter_create_v3,
       (ITT_DOMAIN_, const char *name, __itt_metadata_type type), (domain, name, type))
ITT_RS(STRUCTURE, __itt_histogram *, histogram_create,
       (ITT_DOMAIN_, const char *name, __itt_metadata_type x_type, __itt_metadata_type y_type),
       (domain, name, x_type, y_type))
ITT_VS(STRUCTURE, bind_context_metadata_to_counter,
       (__itt_counter counter, size_t length, __itt_context_metadata *metadata),
       (counter, length, metadata))
ITT_V(CONTROL | ITT_GROUP_LEGACY, pause, (void), ())
ITT_V(CONTROL | ITT_GROUP_LEGACY, resume, (void), ())
ITT_V(CONTROL, pause_scoped, (__itt_collection_scope scope), (scope))
ITT_V(CONTROL, resume_scoped, (__itt_collection_scope scope), (scope))
ITT_V(CONTROL | ITT_GROUP_LEGACY, detach, (void), ())
ITT_V(ALL, enable_attach, (void), ())
ITT_R(ALL & ~ITT_GROUP_LEGACY, const char *, api_version, (void), ())

ITT_V(THREAD, thread_set_name, (const char *name), (name))
ITT_V(THREAD, thread_ignore, (void), ())
ITT_R(THREAD | ITT_GROUP_LEGACY, int, thr_name_set, (const char *name, int namelen),
      (name, namelen))
ITT_V(THREAD | ITT_GROUP_LEGACY, thr_ignore, (void), ())

ITT_V(SYNC | ITT_GROUP_FSYNC, sync_create,
      (void *addr, const char *objtype, const char *objname, int attribute),
      (addr, objtype, objname, attribute))
ITT_V(SYNC | ITT_GROUP_FSYNC, sync_rename, (void *addr, const char *name), (addr, name))
ITT_V(SYNC | ITT_GROUP_FSYNC, sync_destroy, (void *addr), (addr))
ITT_V(SYNC, sync_prepare, (void *addr), (addr))
ITT_V(SYNC, sync_cancel, (void *addr), (addr))
ITT_V(SYNC, sync_acquired, (void *addr), (addr))
ITT_V(SYNC, sync_releasing, (void *addr), (addr))
ITT_ALIAS(FSYNC, fsync_prepare, sync_prepare, (void *addr), (addr))
ITT_ALIAS(FSYNC, fsync_cancel, sync_cancel, (void *addr), (addr))
ITT_ALIAS(FSYNC, fsync_acquired, sync_acquired, (void *addr), (addr))
ITT_ALIAS(FSYNC, fsync_releasing, sync_releasing, (void *addr), (addr))
ITT_V(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, sync_set_name,
      (void *addr, const char *objtype, const char *objname, int attribute),
      (addr, objtype, objname, attribute))
ITT_R(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, int, notify_sync_name,
      (void *p, const char *objtype, int typelen, const char *objname, int namelen, int attribute),
      (p, objtype, typelen, objname, namelen, attribute))
ITT_V(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, notify_sync_prepare, (void *p), (p))
ITT_V(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, notify_sync_cancel, (void *p), (p))
ITT_V(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, notify_sync_acquired, (void *p), (p))
ITT_V(SYNC | ITT_GROUP_FSYNC | ITT_GROUP_LEGACY, notify_sync_releasing, (void *p), (p))

ITT_V(SUPPRESS, suppress_push, (unsigned int mask), (mask))
ITT_V(SUPPRESS, suppress_pop, (void), ())
ITT_V(SUPPRESS, suppress_mark_range,
      (__itt_suppress_mode_t mode, unsigned int mask, void *address, size_t size),
      (mode, mask, address, size))
ITT_V(SUPPRESS, suppress_clear_range,
      (__itt_suppress_mode_t mode, unsigned int mask, void *address, size_t size),
      (mode, mask, address, size))

ITT_VD(STRUCTURE, id_create, (ITT_DOMAIN_, __itt_id id), (domain, id))
ITT_VD(STRUCTURE, id_destroy, (ITT_DOMAIN_, __itt_id id), (domain, id))
ITT_VD(STRUCTURE, id_create_ex, (ITT_DOMAIN_, ITT_CLOCK_, __itt_id id),
       (domain, clock_domain, timestamp, id))
ITT_VD(STRUCTURE, id_destroy_ex, (ITT_DOMAIN_, ITT_CLOCK_, __itt_id id),
       (domain, clock_domain, timestamp, id))
ITT_R(STRUCTURE, __itt_timestamp, get_timestamp, (void), ())
ITT_R(STRUCTURE, __itt_clock_domain *, clock_domain_create,
      (__itt_get_clock_info_fn fn, void *fn_data), (fn, fn_data))
ITT_V(STRUCTURE, clock_domain_reset, (void), ())
ITT_VD(STRUCTURE, region_begin,
       (ITT_DOMAIN_, __itt_id id, __itt_id parentid, __itt_string_handle *name),
       (domain, id, parentid, name))
ITT_VD(STRUCTURE, region_end, (ITT_DOMAIN_, __itt_id id), (domain, id))
ITT_VD(STRUCTURE, frame_begin_v3, (ITT_DOMAIN_, __itt_id *id), (domain, id))
ITT_VD(STRUCTURE, frame_end_v3, (ITT_DOMAIN_, __itt_id *id), (domain, id))
ITT_VD(STRUCTURE, frame_submit_v3,
       (ITT_DOMAIN_, __itt_id *id, __itt_timestamp begin, __itt_timestamp end),
       (domain, id, begin, end))
ITT_VD(STRUCTURE, task_group,
       (ITT_DOMAIN_, __itt_id id, __itt_id parentid, __itt_string_handle *name),
       (domain, id, parentid, name))
ITT_VD(STRUCTURE, task_begin,
       (ITT_DOMAIN_, __itt_id taskid, __itt_id parentid, __itt_string_handle *name),
       (domain, taskid, parentid, name))
ITT_VD(STRUCTURE, task_begin_fn, (ITT_DOMAIN_, __itt_id taskid, __itt_id parentid, void *fn),
       (domain, taskid, parentid, fn))
ITT_VD(STRUCTURE, task_end, (ITT_DOMAIN_), (domain))
ITT_VD(STRUCTURE, task_begin_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_id taskid, __itt_id parentid, __itt_string_handle *name),
       (domain, clock_domain, timestamp, taskid, parentid, name))
ITT_VD(STRUCTURE, task_begin_fn_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_id taskid, __itt_id parentid, void *fn),
       (domain, clock_domain, timestamp, taskid, parentid, fn))
ITT_VD(STRUCTURE, task_end_ex, (ITT_DOMAIN_, ITT_CLOCK_), (domain, clock_domain, timestamp))
ITT_VD(STRUCTURE, task_begin_overlapped,
       (ITT_DOMAIN_, __itt_id taskid, __itt_id parentid, __itt_string_handle *name),
       (domain, taskid, parentid, name))
ITT_VD(STRUCTURE, task_begin_overlapped_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_id taskid, __itt_id parentid, __itt_string_handle *name),
       (domain, clock_domain, timestamp, taskid, parentid, name))
ITT_VD(STRUCTURE, task_end_overlapped, (ITT_DOMAIN_, __itt_id taskid), (domain, taskid))
ITT_VD(STRUCTURE, task_end_overlapped_ex, (ITT_DOMAIN_, ITT_CLOCK_, __itt_id taskid),
       (domain, clock_domain, timestamp, taskid))
ITT_VD(STRUCTURE, marker, (ITT_DOMAIN_, __itt_id id, __itt_string_handle *name, __itt_scope scope),
       (domain, id, name, scope))
ITT_VD(STRUCTURE, marker_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_id id, __itt_string_handle *name, __itt_scope scope),
       (domain, clock_domain, timestamp, id, name, scope))
ITT_VARIADIC(STRUCTURE, formatted_metadata_add, (ITT_DOMAIN_, __itt_string_handle *format, ...))
ITT_VARIADIC(STRUCTURE, formatted_metadata_add_overlapped,
	     (ITT_DOMAIN_, __itt_id taskid, __itt_string_handle *format, ...))
ITT_VD(STRUCTURE, metadata_add,
       (ITT_DOMAIN_, __itt_id id, __itt_string_handle *key, __itt_metadata_type type, size_t count,
	void *data),
       (domain, id, key, type, count, data))
ITT_VD(STRUCTURE, metadata_str_add,
       (ITT_DOMAIN_, __itt_id id, __itt_string_handle *key, const char *data, size_t length),
       (domain, id, key, data, length))
ITT_VD(STRUCTURE, metadata_add_with_scope,
       (ITT_DOMAIN_, __itt_scope scope, __itt_string_handle *key, __itt_metadata_type type,
	size_t count, void *data),
       (domain, scope, key, type, count, data))
ITT_VD(STRUCTURE, metadata_str_add_with_scope,
       (ITT_DOMAIN_, __itt_scope scope, __itt_string_handle *key, const char *data, size_t length),
       (domain, scope, key, data, length))
ITT_VD(STRUCTURE, relation_add_to_current, (ITT_DOMAIN_, __itt_relation relation, __itt_id tail),
       (domain, relation, tail))
ITT_VD(STRUCTURE, relation_add,
       (ITT_DOMAIN_, __itt_id head, __itt_relation relation, __itt_id tail),
       (domain, head, relation, tail))
ITT_VD(STRUCTURE, relation_add_to_current_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_relation relation, __itt_id tail),
       (domain, clock_domain, timestamp, relation, tail))
ITT_VD(STRUCTURE, relation_add_ex,
       (ITT_DOMAIN_, ITT_CLOCK_, __itt_id head, __itt_relation relation, __itt_id tail),
       (domain, clock_domain, timestamp, head, relation, tail))
ITT_R(STRUCTURE, __itt_track_group *, track_group_create,
      (__itt_string_handle * name, __itt_track_group_type track_group_type),
      (name, track_group_type))
ITT_R(STRUCTURE, __itt_track *, track_create,
      (__itt_track_group * track_group, __itt_string_handle *name, __itt_track_type track_type),
      (track_group, name, track_type))
ITT_V(STRUCTURE, set_track, (__itt_track * track), (track))
ITT_V(STRUCTURE, histogram_submit,
      (__itt_histogram * histogram, size_t length, void *x_data, void *y_data),
      (histogram, length, x_data, y_data))
ITT_R(STRUCTURE, __itt_pt_region, pt_region_create, (const char *name), (name))

ITT_VD(STRUCTURE, counter_inc_v3, (ITT_DOMAIN_, __itt_string_handle *name), (domain, name))
ITT_VD(STRUCTURE, counter_inc_delta_v3,
       (ITT_DOMAIN_, __itt_string_handle *name, unsigned long long value), (domain, name, value))
ITT_VD(STRUCTURE, counter_dec_v3, (ITT_DOMAIN_, __itt_string_handle *name), (domain, name))
ITT_VD(STRUCTURE, counter_dec_delta_v3,
       (ITT_DOMAIN_, __itt_string_handle *name, unsigned long long value), (domain, name, value))
ITT_V(COUNTER, counter_destroy, (__itt_counter id), (id))
ITT_V(COUNTER, counter_inc, (__itt_counter id), (id))
ITT_V(COUNTER, counter_inc_delta, (__itt_counter id, unsigned long long value), (id, value))
ITT_V(COUNTER, counter_dec, (__itt_counter id), (id))
ITT_V(COUNTER, counter_dec_delta, (__itt_counter id, unsigned long long value), (id, value))
ITT_V(COUNTER, counter_set_value, (__itt_counter id, void *value_ptr), (id, value_ptr))
ITT_V(COUNTER, counter_set_value_ex, (__itt_counter id, ITT_CLOCK_, void *value_ptr),
      (id, clock_domain, timestamp, value_ptr))
ITT_V(COUNTER, counter_set_value_v3, (__itt_counter counter, void *value_ptr), (counter, value_ptr))

ITT_R(MARK | ITT_GROUP_LEGACY, __itt_event, event_create, (const char *name, int namelen),
      (name, namelen))
ITT_R(MARK | ITT_GROUP_LEGACY, int, event_start, (__itt_event event), (event))
ITT_R(MARK | ITT_GROUP_LEGACY, int, event_end, (__itt_event event), (event))
ITT_R(MARK, __itt_mark_type, mark_create, (const char *name), (name))
ITT_R(MARK, int, mark, (__itt_mark_type mt, const char *parameter), (mt, parameter))
ITT_R(MARK, int, mark_off, (__itt_mark_type mt), (mt))
ITT_R(MARK, int, mark_global, (__itt_mark_type mt, const char *parameter), (mt, parameter))
ITT_R(MARK, int, mark_global_off, (__itt_mark_type mt), (mt))
ITT_R(FRAME, __itt_frame, frame_create, (const char *domain), (domain))
ITT_V(FRAME, frame_begin, (__itt_frame frame), (frame))
ITT_V(FRAME, frame_end, (__itt_frame frame), (frame))

ITT_R(STITCH, __itt_caller, stack_caller_create, (void), ())
ITT_V(STITCH, stack_caller_destroy, (__itt_caller id), (id))
ITT_V(STITCH, stack_callee_enter, (__itt_caller id), (id))
ITT_V(STITCH, stack_callee_leave, (__itt_caller id), (id))

ITT_V(MODULE, module_load, (void *start_addr, void *end_addr, const char *path),
      (start_addr, end_addr, path))
ITT_V(MODULE, module_unload, (void *start_addr), (start_addr))
ITT_V(MODULE, module_load_with_sections, (__itt_module_object * module_obj), (module_obj))
ITT_V(MODULE, module_unload_with_sections, (__itt_module_object * module_obj), (module_obj))
ITT_R(ARRAYS, int, av_save,
      (void *data, int rank, const int *dimensions, int type, const char *filePath,
       int columnOrder),
      (data, rank, dimensions, type, filePath, columnOrder))

ITT_R(HEAP, __itt_heap_function, heap_function_create, (const char *name, const char *domain),
      (name, domain))
ITT_V(HEAP, heap_allocate_begin, (__itt_heap_function h, size_t size, int initialized),
      (h, size, initialized))
ITT_V(HEAP, heap_allocate_end, (__itt_heap_function h, void **addr, size_t size, int initialized),
      (h, addr, size, initialized))
ITT_V(HEAP, heap_free_begin, (__itt_heap_function h, void *addr), (h, addr))
ITT_V(HEAP, heap_free_end, (__itt_heap_function h, void *addr), (h, addr))
ITT_V(HEAP, heap_reallocate_begin,
      (__itt_heap_function h, void *addr, size_t new_size, int initialized),
      (h, addr, new_size, initialized))
ITT_V(HEAP, heap_reallocate_end,
      (__itt_heap_function h, void *addr, void **new_addr, size_t new_size, int initialized),
      (h, addr, new_addr, new_size, initialized))
ITT_V(HEAP, heap_internal_access_begin, (void), ())
ITT_V(HEAP, heap_internal_access_end, (void), ())
ITT_V(HEAP, heap_record_memory_growth_begin, (void), ())
ITT_V(HEAP, heap_record_memory_growth_end, (void), ())
ITT_V(HEAP, heap_reset_detection, (unsigned int reset_mask), (reset_mask))
ITT_V(HEAP, heap_record, (unsigned int record_mask), (record_mask))

ITT_V(MODEL, model_site_begin,
      (__itt_model_site * site, __itt_model_site_instance *instance, const char *name),
      (site, instance, name))
ITT_V(MODEL, model_site_beginA, (const char *name), (name))
ITT_V(MODEL, model_site_beginAL, (const char *name, size_t len), (name, len))
ITT_V(MODEL, model_site_end, (__itt_model_site * site, __itt_model_site_instance *instance),
      (site, instance))
ITT_V(MODEL, model_site_end_2, (void), ())
ITT_V(MODEL, model_task_begin,
      (__itt_model_task * task, __itt_model_task_instance *instance, const char *name),
      (task, instance, name))
ITT_V(MODEL, model_task_beginA, (const char *name), (name))
ITT_V(MODEL, model_task_beginAL, (const char *name, size_t len), (name, len))
ITT_V(MODEL, model_task_end, (__itt_model_task * task, __itt_model_task_instance *instance),
      (task, instance))
ITT_V(MODEL, model_task_end_2, (void), ())
ITT_V(MODEL, model_iteration_taskA, (const char *name), (name))
ITT_V(MODEL, model_iteration_taskAL, (const char *name, size_t len), (name, len))
ITT_V(MODEL, model_lock_acquire, (void *lock), (lock))
ITT_V(MODEL, model_lock_acquire_2, (void *lock), (lock))
ITT_V(MODEL, model_lock_release, (void *lock), (lock))
ITT_V(MODEL, model_lock_release_2, (void *lock), (lock))
ITT_V(MODEL, model_record_allocation, (void *addr, size_t size), (addr, size))
ITT_V(MODEL, model_record_deallocation, (void *addr), (addr))
ITT_V(MODEL, model_induction_uses, (void *addr, size_t size), (addr, size))
ITT_V(MODEL, model_reduction_uses, (void *addr, size_t size), (addr, size))
ITT_V(MODEL, model_observe_uses, (void *addr, size_t size), (addr, size))
ITT_V(MODEL, model_clear_uses, (void *addr), (addr))
ITT_V(MODEL, model_disable_push, (__itt_model_disable x), (x))
ITT_V(MODEL, model_disable_pop, (void), ())
ITT_V(MODEL, model_aggregate_task, (size_t x), (x))

ITT_V(LEGACY, memory_read, (void *addr, size_t size), (addr, size))
ITT_V(LEGACY, memory_write, (void *addr, size_t size), (addr, size))
ITT_V(LEGACY, memory_update, (void *addr, size_t size), (addr, size))
ITT_R(LEGACY, __itt_state_t, state_get, (void), ())
ITT_R(LEGACY, __itt_state_t, state_set, (__itt_state_t s), (s))
ITT_R(LEGACY, __itt_obj_state_t, obj_mode_set, (__itt_obj_prop_t p, __itt_obj_state_t s), (p, s))
ITT_R(LEGACY, __itt_thr_state_t, thr_mode_set, (__itt_thr_prop_t p, __itt_thr_state_t s), (p, s))

#undef ITT_DOMAIN_
#undef ITT_CLOCK_
#undef ITT_V
#undef ITT_VD
#undef ITT_VS
#undef ITT_VARIADIC
#undef ITT_R
#undef ITT_RS
#undef ITT_ALIAS
