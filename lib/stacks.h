/* SPDX-License-Identifier: MIT */
/* stacks.h: the stacks of a recording's samples, as a tree whose roots are the outermost callers */
#ifndef STACKS_H
#define STACKS_H

#include "names.h"
#include "procmap.h"

/* In the place of a frame's spot: here frames are missing */
#define STACK_CUT UINT32_MAX

struct stack_frame {
	uint32_t caller; /* number of the stack that goes on from here; 0: none */
	uint32_t spot;
};

struct stacks {
	struct intern frames;
};

/*
 * The number of a sample's stack: 0, none; or -ENOMEM, -E2BIG. @kernel: the module that spots in the
 * kernel have now
 */
int64_t stacks_number(struct stacks *st, struct names *names, struct procmap *procmap,
		      uint32_t kernel, const struct vsamp_record_sample *sample);

/* The innermost frame of a stack that isn't 0 */
static inline struct stack_frame stacks_frame(const struct stacks *st, uint32_t stack)
{
	return *(const struct stack_frame *)intern_key(&st->frames, stack - 1);
}

static inline void stacks_free(struct stacks *st)
{
	intern_free(&st->frames);
}

#endif
