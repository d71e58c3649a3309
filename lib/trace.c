// SPDX-License-Identifier: MIT
/* trace.c: samples one by one */
#include <vsamp/profile.h>
#include <vsamp/trace.h>

#include "itt_private.h"
#include "placer.h"
#include "record.h"
#include "threads.h"

/* Where the sample fell, its callers, and two that stand for missing ones */
#define FRAMES_MAX (1 + 2 * VSAMP_STACK_DEPTH_MAX + 2)

/* Strings that stay where they are, by number; NULL: it wasn't asked for yet */
struct kept {
	char **text;
	size_t count;
};

struct vsamp_trace {
	struct placer placer;
	struct kept modules, symbols; /* by numbers of names.h */
	struct threads threads;
	struct vsamp_itt *itt; /* for what processes had paused; NULL: nothing is left out */
	struct vsamp_trace_frame frame[FRAMES_MAX];
};

int vsamp_trace_new(struct vsamp_trace **out, struct vsamp_recording *rec, unsigned int flags,
		    struct vsamp_error *err)
{
	struct vsamp_trace *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = placer_init(&t->placer, rec, flags & VSAMP_TRACE_CALLERS, err);
	t->placer.names.mangled = flags & VSAMP_TRACE_MANGLED;
	if (!ret)
		ret = placer_whole(&t->placer, err);
	if (!ret && itt_recorded(rec) && !(flags & VSAMP_TRACE_PAUSED))
		ret = vsamp_itt_new(&t->itt, rec, err);
	if (ret) {
		vsamp_trace_free(t);
		return ret;
	}
	vsamp_recording_rewind(rec);
	*out = t;
	return 0;
}

static int take(struct vsamp_trace *t, const struct vsamp_item *item, struct vsamp_error *err)
{
	int ret = item->sideband ? threads_take(&t->threads, item->sideband) : 0;

	if (ret)
		return vsamp_fail(err, ret, "out of memory");
	return placer_take(&t->placer, item, err);
}

static const char *keep(struct kept *kept, uint32_t number, const char *text)
{
	if (number >= kept->count) {
		size_t count = 2 * (size_t)number + 64;
		char **more = realloc(kept->text, count * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + kept->count, 0, (count - kept->count) * sizeof(*more));
		kept->text = more;
		kept->count = count;
	}
	if (!kept->text[number])
		kept->text[number] = strdup(text);
	return kept->text[number];
}

static void kept_free(struct kept *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		free(kept->text[i]);
	free(kept->text);
}

static int set_frame(struct vsamp_trace *t, uint32_t spot, uint64_t ip,
		     struct vsamp_trace_frame *frame)
{
	const struct names *n = &t->placer.names;
	struct name name = n->name[spot];

	*frame = (struct vsamp_trace_frame){
		.ip = ip,
		.module = keep(&t->modules, name.label, names_module(n, name.label)),
		.symbol = keep(&t->symbols, name.symbol, names_symbol(n, name.symbol)),
	};
	return frame->module && frame->symbol ? 0 : -ENOMEM;
}

/* Frames of the stack's tree are those of the record, beside those that stand for missing ones */
static int set_frames(struct vsamp_trace *t, const struct vsamp_record_sample *s,
		      const struct place *place, size_t *frames)
{
	const struct vsamp_stack *stack = record_stack(s);
	struct stack_frame at = { .caller = place->stack };
	size_t n = 1, ip = 0;
	int ret = set_frame(t, place->spot, s->ip, &t->frame[0]);

	while (at.caller && n < FRAMES_MAX && !ret) {
		at = stacks_frame(&t->placer.stacks, at.caller);
		if (at.spot == STACK_CUT)
			t->frame[n++] = (struct vsamp_trace_frame){
				.symbol = VSAMP_CALLER_TRUNCATED
			};
		else
			ret = set_frame(t, at.spot, stack->ip[ip++], &t->frame[n++]);
	}
	*frames = n;
	return ret;
}

/* New code has its names found, and then its frames are told */
static int find_frames(struct vsamp_trace *t, const struct vsamp_record_sample *s,
		       const struct place *place, size_t *frames, struct vsamp_error *err)
{
	struct names *n = &t->placer.names;
	int ret = n->named < n->spots.count ? names_find(n, err) : 0;

	if (ret)
		return ret;
	return set_frames(t, s, place, frames) ? vsamp_fail(err, -ENOMEM, "out of memory") : 0;
}

static int sample(struct vsamp_trace *t, const struct vsamp_item *item,
		  struct vsamp_trace_sample *sample, struct vsamp_error *err)
{
	const struct vsamp_record_sample *s = (const void *)item->record;
	const struct vsamp_recording *rec = t->placer.rec;
	struct place place;
	double weight;
	int64_t comm;
	size_t frames;
	int ret = placer_place(&t->placer, item->cpu, s, &place, &weight, err);

	if (!ret)
		ret = find_frames(t, s, &place, &frames, err);
	if (ret)
		return ret;
	comm = threads_number(&t->threads, s->tid,
			      procmap_identity_at(&t->placer.procmap, place.identity)->comm);
	if (comm < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	*sample = (struct vsamp_trace_sample){
		.time = vsamp_clock_fit_raw(rec->clock, s->time),
		.cpu = item->cpu,
		.event = s->h.event,
		.pid = s->pid,
		.tid = s->tid,
		.comm = threads_name(&t->threads, comm),
		.events = weight / rec->event[s->h.event].share,
		.user = s->h.flags & VSAMP_SAMPLE_USER,
		.guest = s->h.flags & VSAMP_SAMPLE_GUEST,
		.frame = t->frame,
		.frames = frames,
		.record = s,
	};
	return t->itt && vsamp_itt_paused(t->itt, s->pid, sample->time) ? 1 : 2;
}

int vsamp_trace_next(struct vsamp_trace *t, struct vsamp_item *item, struct vsamp_trace_sample *out,
		     struct vsamp_error *err)
{
	int ret = vsamp_recording_next(t->placer.rec, item, err);

	if (ret <= 0)
		return ret;
	if (!item->sideband && item->record->type == VSAMP_RECORD_SAMPLE)
		return sample(t, item, out, err);
	ret = take(t, item, err);
	return ret ? ret : 1;
}

void vsamp_trace_free(struct vsamp_trace *t)
{
	if (!t)
		return;
	placer_free(&t->placer);
	kept_free(&t->modules);
	kept_free(&t->symbols);
	threads_free(&t->threads);
	vsamp_itt_free(t->itt);
	free(t);
}
