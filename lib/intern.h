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

struct intern_key {
	size_t at; /* into the keys */
	uint32_t size;
	uint32_t hash;
};

struct intern {
	struct buf keys;
	struct intern_key *key; /* by number */
	uint32_t count, room;
	uint32_t *slot; /* number + 1 */
	uint32_t slots; /* a power of two */
};

/* The number of the key, which is taken in if it is new; or -ENOMEM */
int64_t intern_number(struct intern *in, const void *key, uint32_t size);

/* The same of a string, its zero included */
static inline int64_t intern_string(struct intern *in, const char *s)
{
	return intern_number(in, s, strlen(s) + 1);
}

/* The key of a number; valid until the next intern_number(); aligned to 8 bytes */
static inline const void *intern_key(const struct intern *in, uint32_t number)
{
	return in->keys.data + in->key[number].at;
}

void intern_free(struct intern *in);

#endif
