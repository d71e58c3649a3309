/* SPDX-License-Identifier: MIT */
/* compact.h: what the parts of a compacted instruction stand for, by platform */
#ifndef GEN_COMPACT_H
#define GEN_COMPACT_H

#include "layout.h"

#pragma GCC visibility push(hidden)

#define GEN_COMPACT_DIRECT 15
#define GEN_COMPACT_TABLES 5
#define GEN_COMPACT_BITS   12
#define GEN_COMPACT_OPS	   48
#define GEN_COMPACT_FORMS  3

/* A number of the compacted word, and the bits of 128 that it stands for. A width of 0 ends lists */
struct gen_compact_table {
	const uint64_t *values;
	uint8_t num;
	struct gen_piece at[2];		       /* where the number's bits are in the word */
	struct gen_piece to[GEN_COMPACT_BITS]; /* where the value's bits go */
};

struct gen_compact_form {
	uint8_t ops[GEN_COMPACT_OPS];		     /* opcodes that have it; 0 ends them */
	struct gen_piece direct[GEN_COMPACT_DIRECT]; /* bits that are there as they are */
	struct gen_compact_table tables[GEN_COMPACT_TABLES];
	struct gen_piece imm[2]; /* where a constant's bits are, instead of the second source */
	bool imm_typed;		 /* what a constant's other bits are depends on its type */
};

struct gen_compact {
	struct gen_compact_form forms[GEN_COMPACT_FORMS];
};

extern const struct gen_compact gen_compact_gen9, gen_compact_gen11;
extern const struct gen_compact gen_compact_xe, gen_compact_xe_hpg, gen_compact_xe_hpc;

#pragma GCC visibility pop

#endif
