// SPDX-License-Identifier: MIT
/* intern.c: gives equal keys the same small number */
#include <pthread.h>
#include <sys/random.h>

#include "intern.h"

/* Files choose the keys: without a seed they could choose them to collide */
static uint64_t seed;
static pthread_once_t seed_once = PTHREAD_ONCE_INIT;

static void seed_make(void)
{
	if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) != sizeof(seed))
		seed = (uintptr_t)&seed;
}

static inline uint64_t mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)(a ^ seed) * (b ^ 0x9e3779b97f4a7c15ull);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t word_at(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return v;
}

uint32_t intern_hash(const void *key, uint32_t size)
{
	const uint8_t *at = key, *last;
	uint64_t h = size, v = 0;

	if (!seed)
		pthread_once(&seed_once, seed_make);
	if (size < sizeof(v)) {
		memcpy(&v, at, size);
		return mix(v, h) >> 32;
	}
	last = at + size - sizeof(v);
	for (; at + sizeof(v) < last; at += sizeof(v))
		h = mix(word_at(at), h);
	return mix(word_at(at), h ^ word_at(last)) >> 32;
}

static int slots_grow(struct intern *in)
{
	uint32_t slots = in->slots ? 2 * in->slots : 64;
	struct intern_slot *slot;

	if (slots > UINT32_MAX / 4)
		return -ENOMEM;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->slots; i++) {
		uint32_t at = in->slot[i].hash & (slots - 1);

		if (!in->slot[i].key)
			continue;
		while (slot[at].key)
			at = (at + 1) & (slots - 1);
		slot[at] = in->slot[i];
	}
	free(in->slot);
	in->slot = slot;
	in->slots = slots;
	return 0;
}

/* Where the key was put, as slots tell it; or -ENOMEM */
static int64_t key_add(struct intern *in, const void *key, uint32_t size)
{
	struct intern_key head = { in->count, size };
	size_t at = in->keys.size, whole = sizeof(head) + ((size + 7UL) & ~7UL);

	if (at / INTERN_UNIT >= UINT32_MAX || buf_reserve(&in->keys, whole) ||
	    buf_reserve(&in->at, sizeof(uint32_t)))
		return -ENOMEM;
	memset(in->keys.data + at + whole - INTERN_UNIT, 0, INTERN_UNIT);
	buf_add(&in->keys, &head, sizeof(head));
	buf_add(&in->keys, key, size);
	in->keys.size = at + whole;
	buf_add(&in->at, &(uint32_t){ at / INTERN_UNIT }, sizeof(uint32_t));
	in->count++;
	return at / INTERN_UNIT + 1;
}

int64_t intern_number(struct intern *in, const void *key, uint32_t size)
{
	uint32_t hash = intern_hash(key, size);
	struct intern_slot *s;
	int64_t added;

	if (in->count >= in->slots / 8 * 5 && slots_grow(in))
		return -ENOMEM;
	for (uint32_t at = hash & (in->slots - 1);; at = (at + 1) & (in->slots - 1)) {
		const struct intern_key *k;

		s = &in->slot[at];
		if (!s->key)
			break;
		if (s->hash != hash)
			continue;
		k = (const void *)(in->keys.data + (s->key - 1UL) * INTERN_UNIT);
		if (k->size == size && !memcmp(k + 1, key, size))
			return k->number;
	}
	added = key_add(in, key, size);
	if (added < 0)
		return added;
	*s = (struct intern_slot){ hash, added };
	return in->count - 1;
}

void intern_free(struct intern *in)
{
	buf_free(&in->keys);
	buf_free(&in->at);
	free(in->slot);
	*in = (struct intern){ 0 };
}
