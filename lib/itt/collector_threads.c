// SPDX-License-Identifier: MIT
/* collector_threads.c: events, names, and synchronisation */
#include <string.h>

#include "collector.h"

static uint32_t text_bounded(const char *text, size_t length)
{
	return text ? define_text(text, strnlen(text, length)) : 0;
}

static uint32_t text(const char *text)
{
	return text ? define_text(text, strlen(text)) : 0;
}

/* Bytes of so many characters in UTF-8, none behind the last of them looked at if it is whole */
static size_t characters(const char *text, int count)
{
	size_t n = 0;

	while (count-- > 0 && text[n]) {
		unsigned char c = text[n++];
		int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

		while (more-- && (text[n] & 0xc0) == 0x80)
			n++;
	}
	return n;
}

/* Events have a number each, in the order of their creation */
static int event_create(const char *name, int length)
{
	static const uint8_t none[2];
	struct defined *d;

	if (!name || length <= 0)
		return 0;
	d = define_named(VSAMP_ITT_EVENT, define_text(name, characters(name, length)), 0, none);
	return d ? (int)d->number : 0;
}

static bool event_known(int event)
{
	return event > 0 && (uint32_t)event <= define_count(VSAMP_ITT_EVENT);
}

static int event_start(int event)
{
	if (!event_known(event))
		return 1;
	stream_put(VSAMP_ITT_EVENT_START, 0, event, NULL, 0);
	return 0;
}

static int event_end(int event)
{
	if (!event_known(event))
		return 1;
	stream_put(VSAMP_ITT_EVENT_END, 0, event, NULL, 0);
	return 0;
}

static void name_put(const char *name, size_t length)
{
	union {
		struct vsamp_itt_text text;
		uint64_t space[(sizeof(struct vsamp_itt_text) + VSAMP_ITT_TEXT_MAX) / 8];
	} body;
	bool cut = length > VSAMP_ITT_TEXT_MAX;

	body.text = (struct vsamp_itt_text){ .length = cut ? VSAMP_ITT_TEXT_MAX : length };
	memcpy(body.text.text, name, body.text.length);
	stream_put(VSAMP_ITT_THREAD_NAME, cut ? VSAMP_ITT_TRUNCATED : 0, 0, &body,
		   sizeof(body.text) + body.text.length);
}

static void thread_set_name(const char *name)
{
	if (name)
		name_put(name, strlen(name));
}

static int thr_name_set(const char *name, int length)
{
	if (!name || length <= 0)
		return 1;
	name_put(name, characters(name, length));
	return 0;
}

static void detach(void)
{
	stream_put(VSAMP_ITT_DETACH, 0, 0, NULL, 0);
	bind_nothing();
}

static __itt_timestamp get_timestamp(void)
{
	return ticks();
}

static const char *api_version(void)
{
	return "vsamp " VSAMP_VERSION;
}

static void sync_object(void *addr, uint32_t type, uint32_t name, int attribute)
{
	struct {
		struct vsamp_itt_name name;
		struct vsamp_itt_sync_object object;
	} named = { { name, 0 }, { (uintptr_t)addr, type, attribute } };

	if (name)
		stream_put(VSAMP_ITT_SYNC_OBJECT, VSAMP_ITT_HAS_NAME, 0, &named, sizeof(named));
	else
		stream_put(VSAMP_ITT_SYNC_OBJECT, 0, 0, &named.object, sizeof(named.object));
}

static void sync_create(void *addr, const char *type, const char *name, int attribute)
{
	sync_object(addr, text(type), text(name), attribute);
}

static void sync_rename(void *addr, const char *name)
{
	sync_object(addr, 0, text(name), 0);
}

static int notify_sync_name(void *addr, const char *type, int type_length, const char *name,
			    int name_length, int attribute)
{
	sync_object(addr, text_bounded(type, type_length > 0 ? type_length : 0),
		    text_bounded(name, name_length > 0 ? name_length : 0), attribute);
	return 0;
}

static void pointer_put(uint8_t type, uint32_t call, const void *pointer)
{
	uint64_t body = (uintptr_t)pointer;

	stream_put(type, 0, call, &body, sizeof(body));
}

#define CALL_OF_POINTER(name, type, call)         \
	static void name(void *pointer)           \
	{                                         \
		pointer_put(type, call, pointer); \
	}

CALL_OF_POINTER(sync_prepare, VSAMP_ITT_SYNC, VSAMP_ITT_SYNC_PREPARE)
CALL_OF_POINTER(sync_cancel, VSAMP_ITT_SYNC, VSAMP_ITT_SYNC_CANCEL)
CALL_OF_POINTER(sync_acquired, VSAMP_ITT_SYNC, VSAMP_ITT_SYNC_ACQUIRED)
CALL_OF_POINTER(sync_releasing, VSAMP_ITT_SYNC, VSAMP_ITT_SYNC_RELEASING)
CALL_OF_POINTER(sync_destroy, VSAMP_ITT_SYNC, VSAMP_ITT_SYNC_DESTROY)
CALL_OF_POINTER(stack_caller_destroy, VSAMP_ITT_STITCH, VSAMP_ITT_STITCH_DESTROY)
CALL_OF_POINTER(stack_callee_enter, VSAMP_ITT_STITCH, VSAMP_ITT_STITCH_ENTER)
CALL_OF_POINTER(stack_callee_leave, VSAMP_ITT_STITCH, VSAMP_ITT_STITCH_LEAVE)

/* What is given are numbers, which nobody follows */
static void *stack_caller_create(void)
{
	static uintptr_t callers;
	void *caller = (void *)__atomic_add_fetch(&callers, 1, __ATOMIC_RELAXED);

	pointer_put(VSAMP_ITT_STITCH, VSAMP_ITT_STITCH_CREATE, caller);
	return caller;
}

/* Marks are markers, whose type is the number of its name */
static int mark_create(const char *name)
{
	return text(name);
}

static int mark_put(int mark, uint32_t scope)
{
	uint32_t body[] = { mark, 0, scope, 0 };

	if (mark <= 0)
		return 1;
	stream_put(VSAMP_ITT_MARKER, VSAMP_ITT_HAS_NAME, 0, body, sizeof(body));
	return 0;
}

static int mark(int type, const char *parameter)
{
	return mark_put(type, __itt_scope_track);
}

static int mark_global(int type, const char *parameter)
{
	return mark_put(type, __itt_scope_global);
}

/* Frames of the kind before domains had them: the pointer is a domain's number */
static void *frame_create(const char *name)
{
	static const uint8_t none[2];
	struct defined *d = define_named(VSAMP_ITT_DOMAIN, text(name ? name : ""), 0, none);

	return d ? (void *)(uintptr_t)d->number : NULL;
}

static void frame_begin(void *frame)
{
	stream_put(VSAMP_ITT_FRAME_BEGIN, 0, (uintptr_t)frame, NULL, 0);
}

static void frame_end(void *frame)
{
	stream_put(VSAMP_ITT_FRAME_END, 0, (uintptr_t)frame, NULL, 0);
}

/* What is counted alone */
static void count(const char *name)
{
	uint64_t body[] = { text(name), 1 };

	if (body[0])
		stream_put(VSAMP_ITT_CALLS, VSAMP_ITT_HAS_NAME, 0, body, sizeof(body));
}

#define COUNTED(name)                  \
	static int name(void)          \
	{                              \
		count("__itt_" #name); \
		return 0;              \
	}

COUNTED(suppress_push)
COUNTED(suppress_pop)
COUNTED(suppress_mark_range)
COUNTED(suppress_clear_range)
COUNTED(thread_ignore)
COUNTED(thr_ignore)
COUNTED(mark_off)
COUNTED(mark_global_off)
COUNTED(set_track)
COUNTED(module_load)
COUNTED(module_unload)

#define BIND(name)                    \
	{                             \
#name, (void *)(name) \
	}

const struct binding bindings_threads[] = {
	BIND(event_create),
	BIND(event_start),
	BIND(event_end),
	BIND(thread_set_name),
	BIND(thr_name_set),
	BIND(detach),
	BIND(get_timestamp),
	BIND(api_version),
	BIND(sync_create),
	{ "sync_set_name", (void *)sync_create },
	BIND(sync_rename),
	BIND(notify_sync_name),
	BIND(sync_prepare),
	BIND(sync_cancel),
	BIND(sync_acquired),
	BIND(sync_releasing),
	BIND(sync_destroy),
	{ "notify_sync_prepare", (void *)sync_prepare },
	{ "notify_sync_cancel", (void *)sync_cancel },
	{ "notify_sync_acquired", (void *)sync_acquired },
	{ "notify_sync_releasing", (void *)sync_releasing },
	BIND(stack_caller_create),
	BIND(stack_caller_destroy),
	BIND(stack_callee_enter),
	BIND(stack_callee_leave),
	BIND(mark_create),
	BIND(mark),
	BIND(mark_global),
	BIND(mark_off),
	BIND(mark_global_off),
	BIND(frame_create),
	BIND(frame_begin),
	BIND(frame_end),
	BIND(suppress_push),
	BIND(suppress_pop),
	BIND(suppress_mark_range),
	BIND(suppress_clear_range),
	BIND(thread_ignore),
	BIND(thr_ignore),
	BIND(set_track),
	BIND(module_load),
	BIND(module_unload),
	{ 0 },
};
