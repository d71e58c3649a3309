/* SPDX-License-Identifier: MIT */
/*
 * profile_batch.h: samples on their way into the places of a profile
 *
 * The tables that a sample is looked up in are larger than caches. One after the other, samples would
 * wait for memory at each step; some at a time, each step has the memory fetched that the next needs.
 */
#ifndef PROFILE_BATCH_H
#define PROFILE_BATCH_H

#include "profile_private.h"

#define BATCH_SIZE 64

struct batch_sample {
	struct placer_code code;
	struct cell cell;
	double weight;
	uint32_t event;
	uint32_t hash;	 /* of the cell */
	uint32_t number; /* of the place */
};

struct profile_batch {
	struct batch_sample sample[BATCH_SIZE];
	size_t count;
};

/* Adds the samples to those of their places, which empties the batch. -ENOMEM */
int profile_batch_add(struct profile_batch *b, struct vsamp_profile *p);

#endif
