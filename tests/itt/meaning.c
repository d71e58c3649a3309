// SPDX-License-Identifier: MIT
/*
 * usage: meaning: makes calls of each kind that a report tells of, as tests/bats/itt_meaning.bats has
 * them, and sees what they return. Fails, with the line, where that is wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ittnotify.h"

static __itt_domain *one, *two;

static __itt_string_handle *name(const char *text)
{
	return __itt_string_handle_create(text);
}

static void must(int ok, int line)
{
	if (ok)
		return;
	fprintf(stderr, "meaning.c:%d: it returns something else\n", line);
	exit(1);
}

#define MUST(what) must(what, __LINE__)

void work_of_a_task(void);

void work_of_a_task(void)
{
}

/* Ticks of a µs, which the program counts itself */
static void clock_get(__itt_clock_info *info, void *data)
{
	info->clock_freq = 1000000;
	info->clock_base = *(uint64_t *)data;
}

/* An event's number is its name's; it may be had in a pause, in which nothing starts */
static void events(void)
{
	int known;

	__itt_pause();
	known = __itt_event_create("known", 5);
	MUST(known >= 1);
	MUST(!__itt_event_start(known));
	__itt_resume();
	MUST(__itt_event_create("known and more", 5) == known);
	MUST(__itt_event_create("known\0more", 10) == known);
	MUST(__itt_event_create("other", 5) != known);
	MUST(!__itt_event_create(NULL, 5));
	MUST(!__itt_event_create("none", 0));
	MUST(!__itt_event_create("none", -1));
	MUST(__itt_event_start(known + 100) && __itt_event_start(0) && __itt_event_start(-1));
	MUST(__itt_event_end(known + 100) && __itt_event_end(0));
	MUST(!__itt_event_end(known)); /* its start was in the pause */
	MUST(!__itt_event_start(known));
	MUST(!__itt_event_start(known));
	MUST(!__itt_event_end(known));
}

/* 40 µs, in which b takes 10; what is in b has another domain, and c no end */
static void times(void)
{
	uint64_t base = 900000; /* what follows was long before */
	__itt_clock_domain *k = __itt_clock_domain_create(clock_get, &base);

	MUST(k != NULL);
	__itt_task_begin_ex(one, k, 1000, __itt_null, __itt_null, name("a"));
	__itt_task_begin_ex(one, k, 1010, __itt_null, __itt_null, name("b"));
	__itt_task_begin_ex(two, k, 1012, __itt_null, __itt_null, name("c"));
	__itt_task_end_ex(one, k, 1020);
	_itt_task_end_ex(one, k, 1040);
	__itt_task_begin_overlapped_ex(one, k, 1050, __itt_id_make(&base, 1), __itt_null,
				       name("x"));
	__itt_task_begin_overlapped_ex(one, k, 1054, __itt_id_make(&base, 2), __itt_null,
				       name("y"));
	__itt_task_end_overlapped_ex(one, k, 1060, __itt_id_make(&base, 1));
	__itt_task_end_overlapped_ex(one, k, 1070, __itt_id_make(&base, 2));
	__itt_task_begin_overlapped(one, __itt_null, __itt_null, name("left out"));
	__itt_task_begin_ex(one, k, 1090, __itt_null, __itt_null, name("d"));
	__itt_task_end_ex(one, k, 1080); /* before it begins */
}

static void told(void)
{
	__itt_id group = __itt_id_make(&one, 5), task = __itt_id_make(&one, 6);
	int32_t sizes[] = { -3, 4 };
	__itt_histogram *histogram;
	uint64_t x[] = { 8, 16, 8 }, y[] = { 1, 5, 2 };
	int object;

	__itt_task_group(one, group, __itt_null, name("group"));
	__itt_task_begin(one, task, group, name("told"));
	__itt_metadata_add(one, __itt_null, name("sizes"), __itt_metadata_s32, 2, sizes);
	__itt_metadata_str_add(one, task, name("file"), "/dev/null", 9);
	__itt_relation_add(one, task, __itt_relation_is_child_of, group);
	__itt_task_begin_fn(one, __itt_null, __itt_null, (void *)(uintptr_t)&work_of_a_task);
	__itt_relation_add_to_current(one, __itt_relation_is_continuation_of, task);
	__itt_task_end(one);
	__itt_task_end(one);
	__itt_metadata_add(one, __itt_null, name("loop"), __itt_metadata_s32, 1, sizes);
	__itt_task_begin(two, task, __itt_null, name("of a second domain"));
	__itt_task_end(two);
	histogram = __itt_histogram_create(one, "sizes", __itt_metadata_u64, __itt_metadata_u64);
	__itt_histogram_submit(histogram, 3, x, y);
	__itt_sync_create(&object, "Mutex", "queue", __itt_attr_mutex);
	__itt_sync_prepare(&object);
	__itt_sync_cancel(&object);
	__itt_sync_prepare(&object);
	__itt_sync_acquired(&object);
	__itt_sync_releasing(&object);
}

/* A domain whose calls aren't made while it is off */
static void off_and_on(void)
{
	two->flags = 0;
	__itt_task_begin(two, __itt_null, __itt_null, name("off"));
	__itt_task_end(two);
	two->flags = 1;
	__itt_task_begin(two, __itt_null, __itt_null, name("on"));
	__itt_task_end(two);
}

int main(void)
{
	one = __itt_domain_create("one");
	two = __itt_domain_create("two");
	__itt_thread_set_name("the first of all");
	MUST(__itt_get_timestamp() > 0);
	events();
	times();
	told();
	off_and_on();
	return 0;
}
