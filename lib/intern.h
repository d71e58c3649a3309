/* SPDX-License-Identifier: MIT */
/*
 * intern.h: gives equal keys (rows of bytes) the same small number
 *
 * Numbers count from 0 in the order in which keys were first seen, so that what is made from them
 * does not depend on the hash.
 */
#ifndef INTERN_H
#define INTERN_H

#include <stdbool.h>

#include "buf.h"

/* Before each key, in multiples of INTERN_UNIT bytes */
struct intern_key {
	uint32_t number, size;
};

#define INTERN_UNIT 8

/* What is known of a key without a look at it, which most often is far away in memory */
struct intern_slot {
	uint32_t hash;
	uint32_t key; /* 1 + where it is, in units; 0: none */
};

struct intern {
	struct buf keys;
	struct buf at; /* by number: uint32_t, where its key is, in units */
	uint32_t count;
	struct intern_slot *slot;
	uint32_t slots; /* a power of two */
};

/* The number of the key, which is taken in if it is new; or -ENOMEM */
int64_t intern_number(struct intern *in, const void *key, uint32_t size);

/* Of such keys, for those who have a table of their own; files cannot choose keys that collide */
uint32_t intern_hash(const void *key, uint32_t size);

/* The same of a string, its zero included */
static inline int64_t intern_string(struct intern *in, const char *s)
{
	return intern_number(in, s, strlen(s) + 1);
}

/* Keys that were looked up last, where they are 4 bytes */
#define INTERN_RECENT 1024

struct intern_recent {
	uint32_t key;
	uint32_t number; /* + 1; 0: none */
};

/* The number of such a key; or -ENOMEM */
static inline int64_t intern_id(struct intern *in, struct intern_recent recent[INTERN_RECENT],
				uint32_t key)
{
	struct intern_recent *r = &recent[key * 0x9e3779b1u / (UINT32_MAX / INTERN_RECENT + 1)];
	int64_t number;

	if (r->number && r->key == key)
		return r->number - 1;
	number = intern_number(in, &key, sizeof(key));
	if (number >= 0)
		*r = (struct intern_recent){ key, number + 1 };
	return number;
}

/* The key of a number; valid until the next intern_number(); aligned to 8 bytes */
static inline const void *intern_key(const struct intern *in, uint32_t number)
{
	const uint32_t *at = (const uint32_t *)in->at.data;

	return in->keys.data + (size_t)at[number] * INTERN_UNIT + sizeof(struct intern_key);
}

void intern_free(struct intern *in);

#endif
