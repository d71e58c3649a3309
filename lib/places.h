/* SPDX-License-Identifier: MIT */
/*
 * places.h: where samples fell, and for each of these cells and each event how many samples there are
 *
 * Most samples need a look at one of these rows, which are too many for caches: what belongs to a cell
 * is together, and what may be asked for is fetched before.
 */
#ifndef PLACES_H
#define PLACES_H

#include "placer.h"
#include "tally.h"

/* A place, and the number of what is beside it; 0 where nothing is */
struct cell {
	struct place place;
	uint32_t beside;
};

struct places_slot {
	uint32_t hash;
	uint32_t number; /* + 1; 0: none */
};

struct places {
	size_t events; /* to be set before */
	uint32_t count;
	struct buf rows; /* a cell, then its counts as in a tally */
	struct places_slot *slot;
	uint32_t slots; /* a power of two */
};

static inline size_t places_row(const struct places *p)
{
	return sizeof(struct cell) + p->events * (sizeof(uint64_t) + sizeof(double));
}

/* A cell by its number, in the order in which they were first seen; valid until the next new one */
static inline const struct cell *places_cell(const struct places *p, uint32_t number)
{
	return (const void *)(p->rows.data + number * places_row(p));
}

static inline struct counts places_counts(const struct places *p, uint32_t number)
{
	void *samples = p->rows.data + number * places_row(p) + sizeof(struct cell);
	void *events = (uint64_t *)samples + p->events;

	return (struct counts){ samples, events };
}

/* The hash of a cell, whose slot is fetched */
uint32_t places_hash(const struct places *p, const struct cell *cell);

/* Fetches the row that the slot tells of */
static inline void places_fetch(const struct places *p, uint32_t hash)
{
	const struct places_slot *s = p->slots ? &p->slot[hash & (p->slots - 1)] : NULL;

	if (s && s->number) {
		const struct cell *cell = places_cell(p, s->number - 1);

		__builtin_prefetch(cell, 1);
		__builtin_prefetch((const char *)(cell + 1) + sizeof(*cell), 1);
	}
}

/* The number of a cell, whose counts are zero if it is new; or -ENOMEM */
int64_t places_number(struct places *p, const struct cell *cell, uint32_t hash);

/* Leaves a cell without samples */
static inline void places_clear(struct places *p, uint32_t number)
{
	memset(places_counts(p, number).samples, 0, places_row(p) - sizeof(struct cell));
}

void places_free(struct places *p);

#endif
