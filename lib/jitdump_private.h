/* SPDX-License-Identifier: MIT */
/* jitdump_private.h: a jitdump from the inside */
#ifndef JITDUMP_PRIVATE_H
#define JITDUMP_PRIVATE_H

#include "buf.h"
#include "jitdump.h"

/* Code that is at an address from a time on */
struct jitdump_piece {
	uint64_t time; /* ticks */
	uint64_t start, size;
	uint64_t offset; /* of it in the file */
};

struct jitdump {
	struct buf pieces; /* by time */
	uint64_t *edge;	   /* where pieces begin or end, rising */
	size_t edges;
	uint32_t
		*first; /* by number of an edge + 1: of what is in front of the next, in piece_at */
	uint32_t *piece_at;
};

/* To be called when all pieces are there. -EBADMSG, -ENOMEM */
int jitdump_index(struct jitdump *jd);

#endif
