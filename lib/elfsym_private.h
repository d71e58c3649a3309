/* SPDX-License-Identifier: MIT */
/* elfsym_private.h: the symbols of a file from the inside */
#ifndef ELFSYM_PRIVATE_H
#define ELFSYM_PRIVATE_H

#include "buf.h"
#include "elfsym.h"

/* Kinds of symbols, the best first; of one kind global is before weak and weak before local */
enum elfsym_rank { RANK_FUNCTION, RANK_PLT, RANK_LABEL };

struct elfsym_entry {
	uint64_t start, end; /* equal: its size isn't told */
	uint64_t limit;	     /* end of its section */
	uint32_t name;	     /* offset into the names */
	uint8_t rank;
};

struct elfsym_segment {
	uint64_t offset, size, address;
};

struct elfsym {
	struct buf segments, symbols, breakpoints;
	struct buf names;
};

static inline size_t elfsym_rows(const struct buf *b, size_t row)
{
	return b->size / row;
}

static inline struct elfsym_entry *elfsym_entries(const struct elfsym *es)
{
	return (struct elfsym_entry *)es->symbols.data;
}

static inline const char *elfsym_name(const struct elfsym *es, const struct elfsym_entry *s)
{
	return (const char *)es->names.data + s->name;
}

#endif
