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

static uint32_t key_hash(const void *key, size_t size)
{
	const uint8_t *at = key;
	uint64_t h = seed ^ size;

	while (size) {
		size_t n = size < 8 ? size : 8;
		uint64_t v = 0;

		memcpy(&v, at, n);
		h = (h ^ v) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 29;
		at += n;
		size -= n;
	}
	h *= 0xbf58476d1ce4e5b9ull;
	return h >> 32;
}

static int slots_grow(struct intern *in)
{
	uint32_t slots = in->slots ? 2 * in->slots : 64;
	uint32_t *slot;

	if (slots > UINT32_MAX / 4)
		return -ENOMEM;
	slot = calloc(slots, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < in->count; i++) {
		uint32_t at = in->key[i].hash & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
	free(in->slot);
	in->slot = slot;
	in->slots = slots;
	return 0;
}

static int64_t key_add(struct intern *in, const void *key, uint32_t size, uint32_t hash)
{
	size_t padding = -in->keys.size % 8;
	int ret;

	if (in->count == in->room) {
		uint32_t room = in->room ? 2 * in->room : 32;
		struct intern_key *keys = realloc(in->key, room * sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		in->key = keys;
		in->room = room;
	}
	ret = buf_reserve(&in->keys, padding + size);
	if (ret)
		return ret;
	memset(in->keys.data + in->keys.size, 0, padding);
	in->keys.size += padding;
	in->key[in->count] = (struct intern_key){ in->keys.size, size, hash };
	buf_add(&in->keys, key, size);
	return in->count++;
}

int64_t intern_number(struct intern *in, const void *key, uint32_t size)
{
	uint32_t hash, at;
	int64_t number;

	pthread_once(&seed_once, seed_make);
	if (in->count >= in->slots / 2 && slots_grow(in))
		return -ENOMEM;
	hash = key_hash(key, size);
	for (at = hash & (in->slots - 1); in->slot[at]; at = (at + 1) & (in->slots - 1)) {
		const struct intern_key *k = &in->key[in->slot[at] - 1];

		if (k->hash == hash && k->size == size && !memcmp(in->keys.data + k->at, key, size))
			return in->slot[at] - 1;
	}
	number = key_add(in, key, size, hash);
	if (number >= 0)
		in->slot[at] = number + 1;
	return number;
}

void intern_free(struct intern *in)
{
	buf_free(&in->keys);
	free(in->key);
	free(in->slot);
	*in = (struct intern){ 0 };
}
