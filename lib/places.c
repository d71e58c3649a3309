// SPDX-License-Identifier: MIT
#include "places.h"

uint32_t places_hash(const struct places *p, const struct cell *cell)
{
	uint32_t hash = intern_hash(cell, sizeof(*cell));

	if (p->slots)
		__builtin_prefetch(&p->slot[hash & (p->slots - 1)]);
	return hash;
}

static int slots_grow(struct places *p)
{
	uint32_t slots = p->slots ? 2 * p->slots : 64;
	struct places_slot *slot = slots ? calloc(slots, sizeof(*slot)) : NULL;

	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->slots; i++) {
		uint32_t at = p->slot[i].hash & (slots - 1);

		if (!p->slot[i].number)
			continue;
		while (slot[at].number)
			at = (at + 1) & (slots - 1);
		slot[at] = p->slot[i];
	}
	free(p->slot);
	p->slot = slot;
	p->slots = slots;
	return 0;
}

static int row_add(struct places *p, const struct cell *cell)
{
	size_t row = places_row(p);

	if (buf_reserve(&p->rows, row))
		return -ENOMEM;
	memset(p->rows.data + p->rows.size, 0, row);
	memcpy(p->rows.data + p->rows.size, cell, sizeof(*cell));
	p->rows.size += row;
	p->count++;
	return 0;
}

int64_t places_number(struct places *p, const struct cell *cell, uint32_t hash)
{
	uint32_t at;

	if (p->count >= p->slots / 8 * 5 && slots_grow(p))
		return -ENOMEM;
	for (at = hash & (p->slots - 1); p->slot[at].number; at = (at + 1) & (p->slots - 1)) {
		const struct places_slot *s = &p->slot[at];

		if (s->hash == hash && !memcmp(places_cell(p, s->number - 1), cell, sizeof(*cell)))
			return s->number - 1;
	}
	if (row_add(p, cell))
		return -ENOMEM;
	p->slot[at] = (struct places_slot){ hash, p->count };
	return p->count - 1;
}

void places_free(struct places *p)
{
	buf_free(&p->rows);
	free(p->slot);
	*p = (struct places){ 0 };
}
