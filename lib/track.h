/* SPDX-License-Identifier: MIT */
/* track.h: the payload of a TRACK chunk: a counter by time, as docs/file-format.md tells */
#ifndef TRACK_H
#define TRACK_H

#include <vsamp/file.h>
#include <vsamp/timeline.h>

#include "buf.h"

#define TRACK_POINTS   32768u /* of a chunk that is written, at most */
#define TRACK_TEXT_MAX 1024u  /* bytes of group, of name, and of unit */

/* What was read; strings are as long as the payload */
struct track {
	struct vsamp_track_id id;
	size_t points;
	uint64_t *time; /* to be freed by free(3) */
	double *value;	/* in the same block */
};

/* Whether it can be written: -EINVAL: too long texts, or values that are infinite */
int track_check(const struct vsamp_track_id *id, const double *value, size_t points);

/* -ENOMEM */
int track_pack(struct buf *to, const struct vsamp_track_id *id, const uint64_t *time,
	       const double *value, size_t points);

/* -EBADMSG: no payload of so many points; -ENOMEM */
int track_unpack(struct track *track, const void *data, size_t size, size_t points);

/* By time, what is equal in its order. -ENOMEM */
int track_sort_points(struct vsamp_track_point *point, size_t points);

/* By group, name with numbers in their order, unit and pid */
void tracks_sort(struct vsamp_track *track, size_t tracks);

#endif
