/* SPDX-License-Identifier: MIT */
/*
 * placer.h: where each sample of a recording fell, and what it stands for
 *
 * Fed with all records by time. Numbers of places have names when names_find() was called.
 */
#ifndef PLACER_H
#define PLACER_H

#include <vsamp.h>

#include "names.h"
#include "procmap.h"
#include "stacks.h"

/* Where a sample fell, and by which way it came there */
struct place {
	uint32_t identity;
	uint32_t spot;
	uint32_t stack;
};

/* Where a sample fell: the same, before the number of the spot was looked up */
struct placer_code {
	uint64_t offset;
	uint32_t module;
	uint32_t identity, stack;
};

struct placer {
	struct vsamp_recording *rec;
	struct modules modules;
	struct procmap procmap;
	struct names names;
	struct stacks stacks;
	bool callers; /* stacks are wanted; else they are 0 */
	size_t snapshot;
	double *weight; /* by CPU and event: of a sample, by the Sample-After value that holds there */
	size_t cpus;	/* its rows */
};

/* -ENOMEM; to be freed also then */
int placer_init(struct placer *p, struct vsamp_recording *rec, bool callers,
		struct vsamp_error *err);
void placer_free(struct placer *p);

/*
 * Has spots be symbols, not the addresses in them; before the first record. What may decide what a
 * symbol is called is looked at before, so that the recording goes back to its start.
 */
int placer_whole(struct placer *p, struct vsamp_error *err);

/* Takes a record that is no sample: 0, -ENOMEM, -E2BIG, -EBADMSG */
int placer_take(struct placer *p, const struct vsamp_item *item, struct vsamp_error *err);

/* Where a sample fell, and the events that it stands for, not over its event's share yet; as above */
int placer_code(struct placer *p, uint32_t cpu, const struct vsamp_record_sample *s,
		struct placer_code *code, double *weight, struct vsamp_error *err);
int placer_place(struct placer *p, uint32_t cpu, const struct vsamp_record_sample *s,
		 struct place *place, double *weight, struct vsamp_error *err);

#endif
