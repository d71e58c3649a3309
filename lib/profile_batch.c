// SPDX-License-Identifier: MIT
#include "profile_batch.h"

/* Code stays where it is for a while: many a sample has the cell of the one before it */
static bool same_cell(const struct batch_sample *s, const struct batch_sample *before)
{
	return !memcmp(&s->cell, &before->cell, sizeof(s->cell));
}

static int find_spots(struct profile_batch *b, struct vsamp_profile *p)
{
	for (size_t i = 0; i < b->count; i++) {
		struct batch_sample *s = &b->sample[i];
		int64_t spot = names_spot(&p->placer.names, s->code.module, s->code.offset);

		if (spot < 0)
			return spot;
		s->cell.place = (struct place){ s->code.identity, spot, s->code.stack };
		if (i && same_cell(s, s - 1)) {
			s->hash = s[-1].hash;
			continue;
		}
		s->hash = places_hash(&p->places, &s->cell);
	}
	return 0;
}

static void fetch_keys(const struct profile_batch *b, const struct vsamp_profile *p)
{
	for (size_t i = 0; i < b->count; i++)
		places_fetch(&p->places, b->sample[i].hash);
}

static int find_places(struct profile_batch *b, struct vsamp_profile *p)
{
	for (size_t i = 0; i < b->count; i++) {
		struct batch_sample *s = &b->sample[i];
		int64_t number;

		if (i && same_cell(s, s - 1)) {
			s->number = s[-1].number;
			continue;
		}
		number = places_number(&p->places, &s->cell, s->hash);
		if (number < 0)
			return number;
		s->number = number;
	}
	return 0;
}

int profile_batch_add(struct profile_batch *b, struct vsamp_profile *p)
{
	int ret = find_spots(b, p);

	if (ret)
		return ret;
	fetch_keys(b, p);
	ret = find_places(b, p);
	for (size_t i = 0; i < b->count && !ret; i++) {
		const struct batch_sample *s = &b->sample[i];
		struct counts counts = places_counts(&p->places, s->number);

		counts.samples[s->event]++;
		counts.events[s->event] += s->weight;
	}
	b->count = 0;
	return ret;
}
