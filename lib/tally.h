/* SPDX-License-Identifier: MIT */
/* tally.h: keys that get numbers, and for each of these and each event how many samples there are */
#ifndef TALLY_H
#define TALLY_H

#include "intern.h"

struct tally {
	struct intern keys;
	struct buf counts; /* a row: uint64_t, by event, then double, by event */
	size_t events;	   /* how many there are */
};

struct counts {
	uint64_t *samples;
	double *events; /* that they stand for */
};

static inline size_t tally_row(const struct tally *t)
{
	return t->events * (sizeof(uint64_t) + sizeof(double));
}

static inline struct counts tally_counts(const struct tally *t, uint32_t number)
{
	void *samples = t->counts.data + number * tally_row(t);
	void *events = (uint64_t *)samples + t->events;

	return (struct counts){ samples, events };
}

/* The number of a key, whose counts are zero if it is new; or -ENOMEM */
static inline int64_t tally_number(struct tally *t, const void *key, uint32_t size)
{
	int64_t number = intern_number(&t->keys, key, size);
	size_t row = tally_row(t);

	if (number >= 0 && number * row == t->counts.size) {
		if (buf_reserve(&t->counts, row))
			return -ENOMEM;
		memset(t->counts.data + t->counts.size, 0, row);
		t->counts.size += row;
	}
	return number;
}

/* Adds counts to those of a key; its number, or -ENOMEM */
static inline int64_t tally_add(struct tally *t, const void *key, uint32_t size,
				struct counts counts)
{
	int64_t number = tally_number(t, key, size);
	struct counts sum;

	if (number < 0)
		return number;
	sum = tally_counts(t, number);
	for (size_t e = 0; e < t->events; e++) {
		sum.samples[e] += counts.samples[e];
		sum.events[e] += counts.events[e];
	}
	return number;
}

static inline void tally_free(struct tally *t)
{
	intern_free(&t->keys);
	buf_free(&t->counts);
}

#endif
