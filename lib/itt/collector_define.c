// SPDX-License-Identifier: MIT
/* collector_define.c: numbers of what a program creates; each is told once, and kept for children */
#include <stdlib.h>
#include <string.h>

#include "collector.h"

#define BUCKETS 4096
#define TYPES	(VSAMP_ITT_SYNC_OBJECT + 1)

/* Readers don't lock: an entry is whole before it is linked, and stays */
static struct defined *by_content[BUCKETS];
static struct defined *first, *last;
static struct defined *untold; /* the first that the file doesn't have */
static struct stream *file;    /* under the lock; NULL: none yet, or it could not be had */
static uint32_t numbers[TYPES];
static bool
	defining; /* under the lock: a signal's handler came into it, or a program's own function */

struct known {
	struct known *next;
	const void *object;
	struct itt_global *of;
	const struct defined *d; /* NULL: forgotten */
	uint8_t type;
};

static struct known *by_object[BUCKETS];

static uint64_t hash_bytes(uint64_t h, const void *data, size_t size)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < size; i++)
		h = (h ^ at[i]) * 0x100000001b3ULL;
	return h;
}

static size_t hash_object(const void *object)
{
	return ((uintptr_t)object >> 4) * 0x9e3779b97f4a7c15ULL >> 52;
}

static bool define_enter(void)
{
	stream_mine();
	/* What a thread without a file defines is there for the one that it has later */
	if (!process.on || self->hold & HOLD_BUSY)
		return false;
	process_lock();
	if (defining) {
		process_unlock();
		return false;
	}
	defining = true;
	return true;
}

static void define_leave(void)
{
	defining = false;
	process_unlock();
}

static bool define_write(const struct defined *d)
{
	const struct vsamp_itt_header *h = (const void *)d->record;
	struct stream *s = file;
	uint8_t *at = stream_begin(&s, h->size);

	if (!at)
		return false;
	memcpy(at + 16, (const uint8_t *)d->record + 16, h->size - 16);
	stream_time(at);
	stream_commit(s, at, h->type, h->flags, h->size, h->handle);
	/* A handler may have forked: then none is told of the child's */
	return s == file;
}

/* Without room the rest is tried again with the next, or when a thread has got some */
static void untold_write(void)
{
	if (!file)
		file = stream_new(0, SPOOL_SEGMENT_DEFS);
	while (file && untold && define_write(untold))
		untold = untold->newer;
}

void define_tell(void)
{
	process_lock();
	if (!defining) {
		defining = true;
		untold_write();
		defining = false;
	}
	process_unlock();
}

void define_more(void)
{
	if (UNLIKELY(__atomic_load_n(&untold, __ATOMIC_RELAXED)))
		define_tell();
}

void define_forked(void)
{
	if (file)
		stream_leave(file);
	file = NULL;
	untold = first;
}

/* Its record: @name if not 0, then the body in two parts */
static struct defined *define_make(uint8_t type, uint8_t flags, uint32_t number, uint32_t name,
				   const void *head, size_t head_size, const void *tail,
				   size_t tail_size)
{
	size_t parts = sizeof(struct vsamp_itt_header) + (name ? sizeof(struct vsamp_itt_name) : 0);
	size_t size = (parts + head_size + tail_size + 7) & ~7UL;
	struct defined *d = process_alloc(sizeof(*d) + size);
	struct vsamp_itt_header *h;

	if (!d)
		return NULL;
	h = (struct vsamp_itt_header *)d->record;
	h->type = d->type = type;
	h->flags = flags | (name ? VSAMP_ITT_HAS_NAME : 0);
	h->size = size;
	h->handle = d->number = number;
	if (name)
		*(uint32_t *)(h + 1) = name;
	memcpy((uint8_t *)h + parts, head, head_size);
	memcpy((uint8_t *)h + parts + head_size, tail, tail_size);
	return d;
}

static void define_add(struct defined *d)
{
	if (last)
		last->newer = d;
	else
		first = d;
	last = d;
	if (!untold)
		untold = d;
	untold_write();
}

static void define_link(struct defined *d, uint64_t hash)
{
	struct defined **bucket = &by_content[hash % BUCKETS];

	d->hash = hash;
	d->next = *bucket;
	__atomic_store_n(bucket, d, __ATOMIC_RELEASE);
	define_add(d);
}

static struct defined *content_find(uint8_t type, uint64_t hash)
{
	struct defined *d = __atomic_load_n(&by_content[hash % BUCKETS], __ATOMIC_ACQUIRE);

	for (; d; d = d->next)
		if (d->type == type && d->hash == hash)
			return d;
	return NULL;
}

/* Two texts are the same if 64 bits of hash and the lengths are: they are names, not adversaries */
uint32_t define_text(const char *text, size_t length)
{
	size_t told = length > VSAMP_ITT_TEXT_MAX ? VSAMP_ITT_TEXT_MAX : length;
	struct vsamp_itt_text body = { .length = told };
	uint64_t hash = hash_bytes(hash_bytes(0xcbf29ce484222325ULL, &length, sizeof(length)), text,
				   length);
	struct defined *d = content_find(VSAMP_ITT_STRING, hash);

	if (d)
		return d->number;
	if (!define_enter())
		return 0;
	d = content_find(VSAMP_ITT_STRING, hash);
	if (!d) {
		d = define_make(VSAMP_ITT_STRING, told < length ? VSAMP_ITT_TRUNCATED : 0,
				numbers[VSAMP_ITT_STRING] + 1, 0, &body, sizeof(body), text, told);
		if (d) {
			numbers[VSAMP_ITT_STRING]++;
			define_link(d, hash);
		}
	}
	define_leave();
	return d ? d->number : 0;
}

static uint64_t named_hash(uint8_t type, uint32_t name, uint32_t domain, const uint8_t value[2])
{
	uint32_t key[] = { type, name, domain, value[0], value[1] };

	return hash_bytes(0xcbf29ce484222325ULL, key, sizeof(key));
}

static struct defined *named_make(uint8_t type, uint32_t name, uint32_t domain,
				  const uint8_t value[2])
{
	uint32_t counter[] = { domain, value[0] };
	struct vsamp_itt_histogram histogram = { domain, value[0], value[1] };
	const void *body = type == VSAMP_ITT_HISTOGRAM ? (void *)&histogram : counter;
	size_t size = type == VSAMP_ITT_HISTOGRAM || type == VSAMP_ITT_COUNTER ? 8 : 0;
	struct defined *d = define_make(type, 0, numbers[type] + 1, name, body, size, NULL, 0);

	if (!d)
		return NULL;
	memcpy(d->value, value, sizeof(d->value));
	numbers[type]++;
	define_link(d, named_hash(type, name, domain, value));
	return d;
}

struct defined *define_named(uint8_t type, uint32_t name, uint32_t domain, const uint8_t value[2])
{
	uint64_t hash = named_hash(type, name, domain, value);
	struct defined *d = content_find(type, hash);

	if (d || !define_enter())
		return d;
	d = content_find(type, hash);
	if (!d)
		d = named_make(type, name, domain, value);
	define_leave();
	return d;
}

void define_again(uint8_t type, uint8_t flags, uint32_t handle, uint32_t name, const void *body,
		  size_t size)
{
	struct defined *d;

	if (!define_enter())
		return;
	d = define_make(type, flags, handle, name, body, size, NULL, 0);
	if (d)
		define_add(d);
	define_leave();
}

const struct defined *defined_object(uint8_t type, const void *object)
{
	struct known *k = __atomic_load_n(&by_object[hash_object(object)], __ATOMIC_ACQUIRE);

	for (; k; k = k->next)
		if (k->object == object && k->type == type && k->d)
			return k->d;
	return NULL;
}

void define_object(struct defined *d, void *object, struct itt_global *of)
{
	struct known **bucket = &by_object[hash_object(object)];
	struct known *k;

	process_lock();
	k = process_alloc(sizeof(*k));
	if (k) {
		*k = (struct known){ *bucket, object, of, d, d->type };
		__atomic_store_n(bucket, k, __ATOMIC_RELEASE);
		if (!d->object) {
			d->object = object;
			d->of = of;
		}
	}
	process_unlock();
}

void define_forget(const struct itt_global *of)
{
	process_lock();
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct known *k = by_object[i]; k; k = k->next)
			if (k->of == of)
				__atomic_store_n(&k->d, NULL, __ATOMIC_RELAXED);
	for (struct defined *d = first; d; d = d->newer)
		if (d->object && d->of == of)
			d->object = NULL;
	process_unlock();
}

uint32_t define_count(uint8_t type)
{
	return __atomic_load_n(&numbers[type], __ATOMIC_RELAXED);
}

uint32_t define_string(const __itt_string_handle *string)
{
	__itt_string_handle *s = (__itt_string_handle *)string;
	uint32_t number = s->strA ? define_text(s->strA, strlen(s->strA)) : 0;

	s->extra1 = number;
	return number;
}

uint32_t define_domain(const __itt_domain *domain)
{
	__itt_domain *d = (__itt_domain *)domain;
	const char *name = d->nameA ? d->nameA : "";
	static const uint8_t none[2];
	struct defined *it = define_named(VSAMP_ITT_DOMAIN, define_text(name, strlen(name)), 0,
					  none);

	d->extra1 = it ? it->number : 0;
	return d->extra1;
}
