/* SPDX-License-Identifier: MIT */
/* profile_private.h: a profile from the inside */
#ifndef PROFILE_PRIVATE_H
#define PROFILE_PRIVATE_H

#include <vsamp/profile.h>
#include <vsamp/timeline.h>

#include "placer.h"
#include "places.h"
#include "threads.h"

/* Bits of VSAMP_BY_*, in their order */
enum leaf_key {
	KEY_PROCESS,
	KEY_MODULE,
	KEY_SYMBOL,
	KEY_PID,
	KEY_EVENT,
	KEY_LINE,
	KEY_COMM, /* from here on: of struct beside */
	KEY_THREAD,
	KEY_CPU,
	KEY_TIME,
	KEY_TASK,
	KEY_ITT_EVENT,
	KEYS,
};

#define BESIDE_KEYS (KEYS - KEY_COMM)
#define BY_BESIDE   (((1U << BESIDE_KEYS) - 1) << KEY_COMM)

/* Numbers of what samples are told apart by; NOT_ASKED where they aren't */
struct leaf {
	uint32_t key[KEYS];
};

#define NOT_ASKED UINT32_MAX

/* What samples are told apart by beside their places, likewise */
struct beside {
	uint32_t key[BESIDE_KEYS];
};

struct row_place {
	uint32_t row, place;
};

struct vsamp_profile {
	struct vsamp_recording *rec;
	struct placer placer;
	struct vsamp_profile_options options;
	struct places places;

	/* profile_beside.c */
	bool filters;	    /* samples aren't all wanted, by what their records tell */
	bool names_threads; /* threads are fed */
	struct intern besides;
	struct threads threads;
	struct vsamp_timeline *timeline;
	uint64_t paused;	  /* samples that were left out */
	struct intern spans;	  /* struct span_name */
	struct intern span_texts; /* name, zero, domain, zero */
	uint32_t *span_text;	  /* by number of a struct span_name */
	uint64_t begin;		  /* of the recording: ns, CLOCK_MONOTONIC_RAW */

	/* profile_rows.c */
	bool *wanted;	   /* by spot; NULL: all are */
	unsigned int by;   /* of the last rows */
	bool inclusive;	   /* likewise */
	struct tally sums; /* by struct leaf; of inclusive ones the totals are behind the rest */
	uint32_t *mark;	   /* by row: the last place in its total, + 1 */
	size_t marks;
	struct buf pairs;    /* struct row_place */
	uint32_t *row_first; /* by row: into row_place; the next row's is the end */
	uint32_t *row_place; /* the places, row by row */
};

/* profile_beside.c: gets ready for what is asked for; -ENODATA, -EINVAL, those of vsamp_timeline_new() */
int beside_init(struct vsamp_profile *p, struct vsamp_error *err);
/* Whether the filter wants a sample as far as its record tells; -ENOMEM */
int beside_wants(struct vsamp_profile *p, uint32_t cpu, const struct vsamp_record_sample *s);
/* The number of what is beside a sample of a process; -ENOMEM */
int64_t beside_number(struct vsamp_profile *p, uint32_t cpu, const struct vsamp_record_sample *s,
		      uint32_t identity);
/* Texts of spans, when all samples were seen; -ENOMEM */
int beside_finish(struct vsamp_profile *p);
void beside_free(struct vsamp_profile *p);

/* profile_leaf.c: keys of samples of a place, at the frame of a spot, by all that is known */
void leaf_fill(const struct vsamp_profile *p, uint32_t place, uint32_t spot, struct leaf *leaf);
/* Leaves out what isn't told apart */
void leaf_mask(struct leaf *leaf, unsigned int by);
/* What a row has of its keys */
void leaf_row(struct vsamp_profile *p, const struct leaf *leaf, struct vsamp_profile_row *row);
/* By names and numbers; as of strcmp() */
int leaf_compare_rows(const struct vsamp_profile_row *a, const struct vsamp_profile_row *b);

/* Spots of a place's stack, innermost first, and STACK_CUT; returns how many */
#define PROFILE_FRAMES_MAX (1 + 2 * VSAMP_STACK_DEPTH_MAX + 2)
size_t profile_frames(const struct vsamp_profile *p, uint32_t place,
		      uint32_t spot[PROFILE_FRAMES_MAX]);

static inline bool profile_wants_spot(const struct vsamp_profile *p, uint32_t spot)
{
	return !p->wanted || p->wanted[spot];
}

#endif
