// SPDX-License-Identifier: MIT
/* The options of call stacks, and what there is of them once events and backend are known */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/control.h>

#include "options.h"
#include "say.h"

int options_take_call_graph(struct options *o, const char *value, struct vsamp_error *err)
{
	if (!*value || !strcmp(value, "both"))
		o->stacks = VSAMP_STACKS_KERNEL | VSAMP_STACKS_USER;
	else if (!strcmp(value, "kernel"))
		o->stacks = VSAMP_STACKS_KERNEL;
	else if (!strcmp(value, "user"))
		o->stacks = VSAMP_STACKS_USER;
	else
		return vsamp_fail(
			err, -EINVAL,
			"'%s': it is user, kernel or both; user stacks are found by frame pointers",
			value);
	return 0;
}

int options_take_stack_depth(struct options *o, const char *value, struct vsamp_error *err)
{
	char *end;
	unsigned long n = isdigit((unsigned char)*value) ? strtoul(value, &end, 10) : 0;

	if (!n || *end || n > VSAMP_STACK_DEPTH_MAX)
		return vsamp_fail(err, -EINVAL,
				  "'%s' is no number of frames: give one from 1 to %d", value,
				  VSAMP_STACK_DEPTH_MAX);
	o->stack_depth = n;
	return 0;
}

static bool any_kernel(const struct options *o)
{
	for (unsigned int i = 0; i < o->n_events; i++)
		if (o->events[i].kernel)
			return true;
	return false;
}

int options_settle_stacks(struct options *o, uint32_t backend, struct vsamp_error *err)
{
	uint32_t most = vsamp_stack_depth_max(backend);

	if (!o->stacks)
		return 0;
	if (!any_kernel(o))
		o->stacks &= ~VSAMP_STACKS_KERNEL;
	if (!o->stacks)
		return vsamp_fail(
			err, -EINVAL,
			"--call-graph=kernel: the events are of user mode alone; leave their :u away");
	if (!o->stack_depth)
		o->stack_depth = VSAMP_STACK_DEPTH_MAX;
	if (o->stack_depth > most) {
		say("stacks have %u frames at most, not %u: kernel.perf_event_max_stack says so",
		    most, o->stack_depth);
		o->stack_depth = most;
	}
	return 0;
}
