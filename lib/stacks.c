// SPDX-License-Identifier: MIT
#include "record.h"
#include "stacks.h"

/* More are in a file that is made to exhaust memory */
#define FRAMES_MAX (32U << 20)

/* Puts a frame below *stack */
static int add_frame(struct stacks *st, int64_t spot, uint32_t *stack)
{
	struct stack_frame frame = { *stack, spot };
	int64_t number;

	if (spot < 0)
		return spot;
	number = intern_number(&st->frames, &frame, sizeof(frame));
	if (number < 0)
		return number;
	if (number == FRAMES_MAX)
		return -E2BIG;
	*stack = number + 1;
	return 0;
}

static int64_t user_spot(struct names *names, struct procmap *procmap,
			 const struct vsamp_record_sample *sample, uint64_t ip)
{
	uint32_t module = SPOT_NONE;
	uint64_t offset = 0;
	int ret;

	ret = procmap_find(procmap, sample->pid, ip, sample->time, &module, &offset);
	return ret == -ENOMEM ? ret : names_spot(names, module, offset);
}

int64_t stacks_number(struct stacks *st, struct names *names, struct procmap *procmap,
		      uint32_t kernel, const struct vsamp_record_sample *sample)
{
	const struct vsamp_stack *s = record_stack(sample);
	bool in_kernel = !(sample->h.flags & VSAMP_SAMPLE_USER);
	uint32_t stack = 0;
	int ret = 0;

	/* of a virtual machine's nothing can be named */
	if (!s || sample->h.flags & VSAMP_SAMPLE_GUEST)
		return 0;
	if (s->flags & VSAMP_STACK_USER_CUT)
		ret = add_frame(st, STACK_CUT, &stack);
	/* A call is before the address it returns to; where the user goes on is just there */
	for (unsigned int i = s->kernel + s->user; i-- > s->kernel && !ret;)
		ret = add_frame(st,
				user_spot(names, procmap, sample,
					  s->ip[i] - !(in_kernel && i == s->kernel)),
				&stack);
	if (!ret && s->flags & VSAMP_STACK_KERNEL_CUT &&
	    !(s->flags & VSAMP_STACK_USER_CUT && !s->user))
		ret = add_frame(st, STACK_CUT, &stack);
	for (unsigned int i = s->kernel; i-- > 0 && !ret;)
		ret = add_frame(st, names_spot(names, kernel, s->ip[i] - 1), &stack);
	return ret ? ret : (int64_t)stack;
}
