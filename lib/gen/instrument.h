/* SPDX-License-Identifier: MIT */
/* instrument.h: a kernel that gets procedures, from the inside */
#ifndef GEN_INSTRUMENT_H
#define GEN_INSTRUMENT_H

#include <vsamp/gen_instrument.h>

#include "binary.h"
#include "coder.h"

#pragma GCC visibility push(hidden)

#define GEN_NOWHERE SIZE_MAX
#define GEN_FLAGS   4  /* registers of any platform */
#define GEN_ACCS    16 /* accumulators that may be named */

/* An instruction of a kernel, or 8 bytes of zeros that fill up */
struct gen_line {
	struct vsamp_gen_ins ins;
	size_t at; /* bytes from the code's begin */
	uint8_t size;
	uint8_t opcode;
	bool leader;	  /* of a basic block */
	size_t target[2]; /* lines that jump and uip lead to */
};

/* Where a procedure is inserted, in the order in which they are executed between two instructions */
enum gen_place {
	GEN_PLACE_AFTER, /* jumps to the next instruction leave it out */
	GEN_PLACE_BEGIN,
	GEN_PLACE_BEFORE,
};

struct gen_insertion {
	size_t line;   /* it is before this one */
	uint8_t place; /* enum gen_place */
	size_t order;  /* among those of a place */
	struct vsamp_gen_proc proc;
};

struct vsamp_gen_instrument {
	const struct vsamp_gen_kernel *kernel;
	const struct vsamp_gen_model *model;
	const struct vsamp_gen_instrument_options *options;
	struct gen_line *line;
	size_t lines, first; /* and the first from the entry on */
	size_t end;	     /* bytes of all lines; zeros follow */
	size_t *block;	     /* their first lines */
	size_t blocks;
	struct gen_insertion *insertion;
	size_t insertions, room;
	struct vsamp_gen_coder *coder;
	struct vsamp_gen_reg base; /* of file NONE: the kernel leaves no place */
	uint8_t unused[GEN_FILE_MAX * GEN_GRF_MAX / 8]; /* what the kernel leaves: a bit a byte */
	bool token_shared;				/* the kernel uses the coder's token, too */
	struct vsamp_gen_reg saved_flag[GEN_FLAGS], saved_acc[GEN_ACCS]; /* when needed */
	char why[200];
};

/* Sets why; returns @status */
__attribute__((format(printf, 3, 4))) enum vsamp_gen_status
instrument_fail(struct vsamp_gen_instrument *i, enum vsamp_gen_status status, const char *format,
		...);

/* kernel_read.c: lines, their targets and blocks */
enum vsamp_gen_status kernel_read(struct vsamp_gen_instrument *i);

/* Where channels meet: jumps lead to the instruction itself, and their channels wait for it */
bool line_meets(const struct gen_line *line);

/* Whether what is executed next may be something else than what follows */
bool line_leaves(const struct gen_line *line);

/* Tokens that the kernel's instructions name: a bit each */
uint32_t kernel_tokens(const struct vsamp_gen_instrument *i);

/* insertion.c: whether a procedure can be before a line */
enum vsamp_gen_status insertion_check(struct vsamp_gen_instrument *i, size_t line,
				      const struct vsamp_gen_proc *proc);

/* Places for what keeps its value between procedures */
enum vsamp_gen_status insertion_reserve(struct vsamp_gen_instrument *i,
					const struct gen_insertion *at);

/* Adds what keeps the kernel's state, and gives places to the rest */
enum vsamp_gen_status insertion_finish(struct vsamp_gen_instrument *i, struct gen_insertion *at);

/* begin.c: what the kernel's begin needs: the base, counters, r0's copy. To an empty insertion */
enum vsamp_gen_status insertion_begin(struct vsamp_gen_instrument *i, struct gen_insertion *at);
#define GEN_BEGIN_BASE 1 /* instruction of it that sets the base's lower half; the upper is next */

/* What waits for all before it, where there is a scoreboard */
void emit_wait_all(struct emit *e, enum vsamp_gen_sync sync);

/* rewrite.c: the kernel's new code, from insertions that there are */
struct gen_rewritten {
	struct gen_replaced with;
	size_t size;
	struct vsamp_gen_instrument_result result;
};

enum vsamp_gen_status kernel_rewrite(struct vsamp_gen_instrument *i, struct gen_rewritten *to);

#pragma GCC visibility pop

#endif
