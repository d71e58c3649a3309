// SPDX-License-Identifier: MIT
/* Each call there is once, with what may be had for its arguments; also that all signatures compile */
#include "ittnotify.h"

static void clock_get(__itt_clock_info *info, void *data)
{
	(void)data;
	info->clock_freq = 1000000000;
	info->clock_base = 5;
}

static void calls_of_tasks(const __itt_domain *d, __itt_string_handle *s, __itt_clock_domain *k)
{
	__itt_id id = __itt_id_make(&d, 1), none = __itt_null;

	__itt_id_create(d, id);
	__itt_task_group(d, id, none, s);
	__itt_task_begin(d, none, none, s);
	__itt_task_begin_fn(d, none, id, (void *)(uintptr_t)&clock_get);
	__itt_task_end(d);
	__itt_task_end(d);
	__itt_task_begin_ex(d, k, 7, none, none, s);
	_itt_task_end_ex(d, k, 8);
	__itt_task_begin_fn_ex(d, k, 9, none, none, (void *)(uintptr_t)&clock_get);
	__itt_task_end_ex(d, k, 10);
	__itt_task_begin_overlapped(d, id, none, s);
	__itt_task_end_overlapped(d, id);
	__itt_task_begin_overlapped_ex(d, k, 11, id, none, s);
	__itt_task_end_overlapped_ex(d, k, 12, id);
	__itt_region_begin(d, id, none, s);
	__itt_region_end(d, id);
	__itt_frame_begin_v3(d, &id);
	__itt_frame_end_v3(d, &id);
	__itt_frame_submit_v3(d, NULL, __itt_get_timestamp(), __itt_timestamp_none);
	__itt_id_create_ex(d, k, 13, id);
	__itt_id_destroy_ex(d, k, 14, id);
	__itt_id_destroy(d, id);
}

static void calls_of_data(const __itt_domain *d, __itt_string_handle *s, __itt_clock_domain *k)
{
	__itt_id id = __itt_id_make(&d, 1), none = __itt_null;
	double number[2] = { 1, 2 };

	__itt_marker(d, id, s, __itt_scope_task);
	__itt_marker_ex(d, k, 15, id, s, __itt_scope_global);
	__itt_formatted_metadata_add(d, s, 1, "text");
	__itt_formatted_metadata_add_overlapped(d, id, s, 1);
	__itt_metadata_add(d, none, s, __itt_metadata_double, 2, number);
	__itt_metadata_str_add(d, none, s, "text", 4);
	__itt_metadata_add_with_scope(d, __itt_scope_track, s, __itt_metadata_double, 1, number);
	__itt_metadata_str_add_with_scope(d, __itt_scope_track, s, "text", (size_t)-1);
	__itt_relation_add_to_current(d, __itt_relation_is_parent_of, id);
	__itt_relation_add(d, id, __itt_relation_is_child_of, none);
	__itt_relation_add_to_current_ex(d, k, 16, __itt_relation_is_parent_of, id);
	__itt_relation_add_ex(d, k, 17, id, __itt_relation_is_sibling_of, none);
	__itt_set_track(
		__itt_track_create(__itt_track_group_create(s, __itt_track_group_type_normal), s,
				   __itt_track_type_normal));
	__itt_histogram_submit(
		__itt_histogram_create(d, "h", __itt_metadata_double, __itt_metadata_double), 1,
		number, number + 1);
}

static void calls_of_counters(const __itt_domain *d, __itt_string_handle *s, __itt_clock_domain *k)
{
	__itt_counter c = __itt_counter_create("c", "counters");
	unsigned long long value = 3;
	char unit[] = "unit";
	__itt_context_metadata m[] = { { __itt_context_units, unit },
				       { __itt_context_max_val, &value } };

	__itt_bind_context_metadata_to_counter(c, 2, m);
	__itt_counter_create_typed("t", "counters", __itt_metadata_u16);
	__itt_counter_set_value_v3(__itt_counter_create_v3(d, "v", __itt_metadata_u64), &value);
	__itt_counter_inc_v3(d, s);
	__itt_counter_inc_delta_v3(d, s, 2);
	__itt_counter_dec_v3(d, s);
	__itt_counter_dec_delta_v3(d, s, 2);
	__itt_counter_inc(c);
	__itt_counter_inc_delta(c, 2);
	__itt_counter_dec(c);
	__itt_counter_dec_delta(c, 2);
	__itt_counter_set_value(c, &value);
	__itt_counter_set_value_ex(c, k, 18, &value);
	__itt_counter_destroy(c);
}

static void calls_of_threads(void *addr)
{
	__itt_caller caller = __itt_stack_caller_create();
	__itt_mark_type mark = __itt_mark_create("mark");
	__itt_event event = __itt_event_create("event", 5);

	__itt_thread_set_name("thread");
	__itt_thr_name_set("thread", 6);
	__itt_sync_create(addr, "type", "name", __itt_attr_mutex);
	__itt_sync_rename(addr, "other");
	__itt_sync_prepare(addr);
	__itt_sync_cancel(addr);
	__itt_sync_acquired(addr);
	__itt_fsync_releasing(addr);
	__itt_sync_destroy(addr);
	__itt_stack_callee_enter(caller);
	__itt_stack_callee_leave(caller);
	__itt_stack_caller_destroy(caller);
	__itt_suppress_push(__itt_suppress_all_errors);
	__itt_suppress_pop();
	__itt_mark(mark, "parameter");
	__itt_mark_off(mark);
	__itt_event_start(event);
	__itt_event_end(event);
	__itt_frame_begin(__itt_frame_create("frame"));
	__itt_model_site_beginA("site");
	__itt_module_load(addr, addr, "path");
}

int main(void)
{
	static char object[8];
	__itt_domain *d = __itt_domain_create("every.call");
	__itt_string_handle *s = __itt_string_handle_create(__TEXT("every call"));
	__itt_clock_domain *k = __itt_clock_domain_create(clock_get, NULL);
	const __itt_char *version = __itt_api_version();

	calls_of_tasks(d, s, k);
	calls_of_data(d, s, k);
	calls_of_counters(d, s, k);
	calls_of_threads(object);
	__itt_clock_domain_reset();
	__itt_pause();
	__itt_resume();
	__itt_pause_scoped(__itt_collection_scope_host);
	__itt_resume_scoped(__itt_collection_scope_all);
	(void)version;
	(void)__itt_get_collection_state();
	__itt_thread_ignore();
	__itt_detach();
	__itt_fini_ittlib();
	__itt_release_resources();
	return 0;
}
