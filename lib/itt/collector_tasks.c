// SPDX-License-Identifier: MIT
/* collector_tasks.c: tasks, regions, frames, ids and relations: what is called most */
#include "collector.h"

#define HEAD sizeof(struct vsamp_itt_header)

static inline bool id_set(const __itt_id *id)
{
	return id->d1 | id->d2 | id->d3;
}

static inline uint8_t *put_id(uint8_t *to, const __itt_id *id)
{
	*(__itt_id *)to = *id;
	return to + sizeof(*id);
}

/* Parts of a record, as they are wanted; the compiler makes a function of each call */
static inline __attribute__((always_inline)) void
put(uint8_t type, const __itt_domain *d, bool by_clock, const __itt_clock_domain *clock,
    uint64_t time, const __itt_id *id, const __itt_id *parent, uint32_t name, const void *fn,
    const uint64_t *body, size_t body_size)
{
	uint32_t domain = domain_number(d);
	bool has_id = id && id_set(id), has_parent = parent && id_set(parent);
	size_t size = HEAD + (name ? 8 : 0) + (fn ? 8 : 0) + (by_clock ? 16 : 0) +
		      (has_id ? sizeof(*id) : 0) + (has_parent ? sizeof(*id) : 0) + body_size;
	struct stream *s = self;
	uint8_t *at = stream_begin(&s, size), *part;
	uint8_t flags = (name ? VSAMP_ITT_HAS_NAME : 0) | (fn ? VSAMP_ITT_HAS_FN : 0) |
			(by_clock ? VSAMP_ITT_HAS_CLOCK : 0) | (has_id ? VSAMP_ITT_HAS_ID : 0) |
			(has_parent ? VSAMP_ITT_HAS_PARENT : 0);

	if (UNLIKELY(!at))
		return;
	stream_time(at);
	part = at + HEAD;
	if (name) {
		*(uint64_t *)part = name;
		part += 8;
	}
	if (fn) {
		*(uint64_t *)part = (uintptr_t)fn;
		part += 8;
	}
	if (by_clock) {
		((uint64_t *)part)[0] = clock ? (uint32_t)clock->extra1 : 0;
		((uint64_t *)part)[1] = time;
		part += 16;
	}
	if (has_id)
		part = put_id(part, id);
	if (has_parent)
		part = put_id(part, parent);
	for (size_t i = 0; i < body_size / 8; i++)
		((uint64_t *)part)[i] = body[i];
	stream_commit(s, at, type, flags, size, domain);
}

static inline bool code_known(const struct stream *s, uintptr_t fn)
{
	for (unsigned int i = 0; i < sizeof(s->code) / sizeof(s->code[0]); i++)
		if (fn - s->code[i].start < s->code[i].length)
			return true;
	return false;
}

static inline const void *known(const void *fn)
{
	struct stream *s = stream_mine();

	if (s && UNLIKELY(!code_known(s, (uintptr_t)fn)))
		modules_know(s, (uintptr_t)fn);
	return fn;
}

#define CLOCK  __itt_clock_domain *clock, unsigned long long time
#define DOMAIN const __itt_domain *d
#define NAME   __itt_string_handle *name

/*
 * What is called most, in its shortest form. Whatever isn't as it mostly is takes a call of its own, as
 * the compiler would keep registers for it otherwise. The time is read first: what comes behind it need
 * not wait for what the program has only just stored.
 */
static inline __attribute__((always_inline)) bool quick_begin(struct stream *s, uint64_t *time)
{
	if (UNLIKELY(s->hold))
		return false;
	s->hold = HOLD_BUSY;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*time = spool_tsc();
	__asm__ volatile("" : "+r"(*time) : : "memory");
	return true;
}

static inline __attribute__((always_inline)) bool quick_room(const struct stream *s, size_t size)
{
	return LIKELY(size <= (size_t)(s->end - s->at));
}

static inline __attribute__((always_inline)) void quick_commit(struct stream *s, uint64_t time,
							       uint64_t second, size_t size)
{
	*(uint64_t *)s->at = time;
	stream_publish(s, s->at, second, size);
	s->hold = 0;
}

static __attribute__((noinline)) void task_begin_any(DOMAIN, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_TASK_BEGIN, d, false, NULL, 0, &id, &parent, string_number(name), NULL, NULL,
	    0);
}

static void task_begin(DOMAIN, __itt_id id, __itt_id parent, NAME)
{
	const size_t size = HEAD + sizeof(struct vsamp_itt_name);
	struct stream *s = self;
	uint32_t domain, number;
	uint64_t time;

	if (UNLIKELY(!quick_begin(s, &time)))
		goto any;
	if (UNLIKELY(!d || !name || id_set(&id) || id_set(&parent)))
		goto not_quick;
	domain = d->extra1;
	number = name->extra1;
	if (UNLIKELY(!domain || !number || !quick_room(s, size)))
		goto not_quick;
	*(uint64_t *)(s->at + HEAD) = number;
	quick_commit(s, time, stream_second(VSAMP_ITT_TASK_BEGIN, VSAMP_ITT_HAS_NAME, size, domain),
		     size);
	return;
not_quick:
	s->hold = 0;
any:
	task_begin_any(d, id, parent, name);
}

static __attribute__((noinline)) void task_end_any(DOMAIN)
{
	put(VSAMP_ITT_TASK_END, d, false, NULL, 0, NULL, NULL, 0, NULL, NULL, 0);
}

static void task_end(DOMAIN)
{
	struct stream *s = self;
	uint32_t domain;
	uint64_t time;

	if (UNLIKELY(!quick_begin(s, &time)))
		goto any;
	if (UNLIKELY(!d))
		goto not_quick;
	domain = d->extra1;
	if (UNLIKELY(!domain || !quick_room(s, HEAD)))
		goto not_quick;
	quick_commit(s, time, stream_second(VSAMP_ITT_TASK_END, 0, HEAD, domain), HEAD);
	return;
not_quick:
	s->hold = 0;
any:
	task_end_any(d);
}

static void task_begin_fn(DOMAIN, __itt_id id, __itt_id parent, void *fn)
{
	put(VSAMP_ITT_TASK_BEGIN, d, false, NULL, 0, &id, &parent, 0, known(fn), NULL, 0);
}

static void task_begin_ex(DOMAIN, CLOCK, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_TASK_BEGIN, d, true, clock, time, &id, &parent, string_number(name), NULL,
	    NULL, 0);
}

static void task_begin_fn_ex(DOMAIN, CLOCK, __itt_id id, __itt_id parent, void *fn)
{
	put(VSAMP_ITT_TASK_BEGIN, d, true, clock, time, &id, &parent, 0, known(fn), NULL, 0);
}

static void task_end_ex(DOMAIN, CLOCK)
{
	put(VSAMP_ITT_TASK_END, d, true, clock, time, NULL, NULL, 0, NULL, NULL, 0);
}

static void task_begin_overlapped(DOMAIN, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_OVERLAPPED_BEGIN, d, false, NULL, 0, &id, &parent, string_number(name), NULL,
	    NULL, 0);
}

static void task_begin_overlapped_ex(DOMAIN, CLOCK, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_OVERLAPPED_BEGIN, d, true, clock, time, &id, &parent, string_number(name),
	    NULL, NULL, 0);
}

static void task_end_overlapped(DOMAIN, __itt_id id)
{
	put(VSAMP_ITT_OVERLAPPED_END, d, false, NULL, 0, &id, NULL, 0, NULL, NULL, 0);
}

static void task_end_overlapped_ex(DOMAIN, CLOCK, __itt_id id)
{
	put(VSAMP_ITT_OVERLAPPED_END, d, true, clock, time, &id, NULL, 0, NULL, NULL, 0);
}

static void task_group(DOMAIN, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_TASK_GROUP, d, false, NULL, 0, &id, &parent, string_number(name), NULL, NULL,
	    0);
}

static void region_begin(DOMAIN, __itt_id id, __itt_id parent, NAME)
{
	put(VSAMP_ITT_REGION_BEGIN, d, false, NULL, 0, &id, &parent, string_number(name), NULL,
	    NULL, 0);
}

static void region_end(DOMAIN, __itt_id id)
{
	put(VSAMP_ITT_REGION_END, d, false, NULL, 0, &id, NULL, 0, NULL, NULL, 0);
}

static void frame_begin_v3(DOMAIN, __itt_id *id)
{
	put(VSAMP_ITT_FRAME_BEGIN, d, false, NULL, 0, id, NULL, 0, NULL, NULL, 0);
}

static void frame_end_v3(DOMAIN, __itt_id *id)
{
	put(VSAMP_ITT_FRAME_END, d, false, NULL, 0, id, NULL, 0, NULL, NULL, 0);
}

static void frame_submit_v3(DOMAIN, __itt_id *id, __itt_timestamp begin, __itt_timestamp end)
{
	uint64_t body[] = { begin, end };

	put(VSAMP_ITT_FRAME_SUBMIT, d, false, NULL, 0, id, NULL, 0, NULL, body, sizeof(body));
}

static void id_create(DOMAIN, __itt_id id)
{
	put(VSAMP_ITT_ID_CREATE, d, false, NULL, 0, &id, NULL, 0, NULL, NULL, 0);
}

static void id_destroy(DOMAIN, __itt_id id)
{
	put(VSAMP_ITT_ID_DESTROY, d, false, NULL, 0, &id, NULL, 0, NULL, NULL, 0);
}

static void id_create_ex(DOMAIN, CLOCK, __itt_id id)
{
	put(VSAMP_ITT_ID_CREATE, d, true, clock, time, &id, NULL, 0, NULL, NULL, 0);
}

static void id_destroy_ex(DOMAIN, CLOCK, __itt_id id)
{
	put(VSAMP_ITT_ID_DESTROY, d, true, clock, time, &id, NULL, 0, NULL, NULL, 0);
}

static void marker(DOMAIN, __itt_id id, NAME, __itt_scope scope)
{
	uint64_t body = (uint32_t)scope;

	put(VSAMP_ITT_MARKER, d, false, NULL, 0, &id, NULL, string_number(name), NULL, &body,
	    sizeof(body));
}

static void marker_ex(DOMAIN, CLOCK, __itt_id id, NAME, __itt_scope scope)
{
	uint64_t body = (uint32_t)scope;

	put(VSAMP_ITT_MARKER, d, true, clock, time, &id, NULL, string_number(name), NULL, &body,
	    sizeof(body));
}

static void relation_add_to_current(DOMAIN, __itt_relation relation, __itt_id tail)
{
	uint64_t body = (uint32_t)relation;

	put(VSAMP_ITT_RELATION, d, false, NULL, 0, NULL, &tail, 0, NULL, &body, sizeof(body));
}

static void relation_add(DOMAIN, __itt_id head, __itt_relation relation, __itt_id tail)
{
	uint64_t body = (uint32_t)relation;

	put(VSAMP_ITT_RELATION, d, false, NULL, 0, &head, &tail, 0, NULL, &body, sizeof(body));
}

static void relation_add_to_current_ex(DOMAIN, CLOCK, __itt_relation relation, __itt_id tail)
{
	uint64_t body = (uint32_t)relation;

	put(VSAMP_ITT_RELATION, d, true, clock, time, NULL, &tail, 0, NULL, &body, sizeof(body));
}

static void relation_add_ex(DOMAIN, CLOCK, __itt_id head, __itt_relation relation, __itt_id tail)
{
	uint64_t body = (uint32_t)relation;

	put(VSAMP_ITT_RELATION, d, true, clock, time, &head, &tail, 0, NULL, &body, sizeof(body));
}

#define BIND(name)                    \
	{                             \
#name, (void *)(name) \
	}

const struct binding bindings_tasks[] = {
	BIND(task_begin),
	BIND(task_begin_fn),
	BIND(task_begin_ex),
	BIND(task_begin_fn_ex),
	BIND(task_end),
	BIND(task_end_ex),
	BIND(task_begin_overlapped),
	BIND(task_begin_overlapped_ex),
	BIND(task_end_overlapped),
	BIND(task_end_overlapped_ex),
	BIND(task_group),
	BIND(region_begin),
	BIND(region_end),
	BIND(frame_begin_v3),
	BIND(frame_end_v3),
	BIND(frame_submit_v3),
	BIND(id_create),
	BIND(id_destroy),
	BIND(id_create_ex),
	BIND(id_destroy_ex),
	BIND(marker),
	BIND(marker_ex),
	BIND(relation_add_to_current),
	BIND(relation_add),
	BIND(relation_add_to_current_ex),
	BIND(relation_add_ex),
	{ 0 },
};
