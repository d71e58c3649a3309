// SPDX-License-Identifier: MIT
/* profile.c: folds samples into where they fell */
#include "filter.h"
#include "profile_batch.h"

static int no_memory(struct vsamp_error *err)
{
	return vsamp_fail(err, -ENOMEM, "out of memory");
}

static int add_sample(struct vsamp_profile *p, struct profile_batch *batch, uint32_t cpu,
		      const struct vsamp_record_sample *record, struct vsamp_error *err)
{
	struct batch_sample *s = &batch->sample[batch->count];
	int ret = p->filters ? beside_wants(p, cpu, record) : 1;
	int64_t number = 0;

	if (ret <= 0)
		return ret ? no_memory(err) : 0;
	ret = placer_code(&p->placer, cpu, record, &s->code, &s->weight, err);
	if (ret)
		return ret;
	names_fetch(&p->placer.names, s->code.module, s->code.offset);
	if (p->options.by & BY_BESIDE)
		number = beside_number(p, cpu, record, s->code.identity);
	if (number < 0)
		return no_memory(err);
	s->cell.beside = number;
	s->event = record->h.event;
	if (++batch->count < BATCH_SIZE)
		return 0;
	return profile_batch_add(batch, p) ? no_memory(err) : 0;
}

static int take(struct vsamp_profile *p, const struct vsamp_item *item, struct vsamp_error *err)
{
	if (p->names_threads && item->sideband && threads_take(&p->threads, item->sideband))
		return no_memory(err);
	return placer_take(&p->placer, item, err);
}

static int fold(struct vsamp_profile *p, struct vsamp_error *err)
{
	struct profile_batch batch = { .count = 0 };
	struct vsamp_item item;
	size_t samples;
	int ret;

	vsamp_recording_rewind(p->rec);
	while ((ret = merge_next_loose(&p->rec->merge, &item, &samples, err)) > 0) {
		const struct vsamp_record_sample *s = (const void *)item.record;

		if (item.sideband || item.record->type != VSAMP_RECORD_SAMPLE) {
			ret = take(p, &item, err);
			samples = 0;
		}
		for (size_t i = 0; i < samples && ret >= 0; i++)
			ret = add_sample(p, &batch, item.cpu, &s[i], err);
		if (ret < 0)
			return ret;
	}
	return !ret && profile_batch_add(&batch, p) ? no_memory(err) : ret;
}

/* Which spots the filter wants */
static int want_spots(struct vsamp_profile *p)
{
	const struct names *n = &p->placer.names;

	if (!p->options.filter.modules && !p->options.filter.symbols)
		return 0;
	p->wanted = malloc((n->spots.count + 1UL) * sizeof(*p->wanted));
	if (!p->wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < n->spots.count; i++)
		p->wanted[i] = filter_wants_code(&p->options.filter,
						 names_module(n, n->name[i].label),
						 names_symbol(n, n->name[i].symbol));
	return 0;
}

static int read_all(struct vsamp_profile *p, struct vsamp_error *err)
{
	int ret = placer_init(&p->placer, p->rec, p->options.flags & VSAMP_PROFILE_CALLERS, err);

	if (!ret)
		ret = beside_init(p, err);
	if (!ret && !(p->options.by & VSAMP_BY_LINE || p->options.flags & VSAMP_PROFILE_CODE))
		ret = placer_whole(&p->placer, err);
	p->placer.names.mangled = p->options.flags & VSAMP_PROFILE_MANGLED;
	if (!ret)
		ret = fold(p, err);
	if (!ret)
		ret = names_find(&p->placer.names, err);
	if (!ret && p->options.by & VSAMP_BY_LINE)
		ret = names_find_lines(&p->placer.names, err);
	if (!ret && (want_spots(p) || beside_finish(p)))
		ret = no_memory(err);
	return ret;
}

int vsamp_profile_new(struct vsamp_profile **out, struct vsamp_recording *rec,
		      const struct vsamp_profile_options *options, struct vsamp_error *err)
{
	struct vsamp_profile *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return no_memory(err);
	p->rec = rec;
	if (options)
		p->options = *options;
	p->places.events = rec->events;
	ret = read_all(p, err);
	if (ret) {
		vsamp_profile_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

uint64_t vsamp_profile_paused(const struct vsamp_profile *profile)
{
	return profile->paused;
}

size_t profile_frames(const struct vsamp_profile *p, uint32_t place,
		      uint32_t spot[PROFILE_FRAMES_MAX])
{
	const struct place *at = &places_cell(&p->places, place)->place;
	struct stack_frame frame = { at->stack, at->spot };
	size_t n = 1;

	spot[0] = at->spot;
	while (frame.caller && n < PROFILE_FRAMES_MAX) {
		frame = stacks_frame(&p->placer.stacks, frame.caller);
		spot[n++] = frame.spot;
	}
	return n;
}

void vsamp_profile_free(struct vsamp_profile *p)
{
	if (!p)
		return;
	places_free(&p->places);
	tally_free(&p->sums);
	beside_free(p);
	placer_free(&p->placer);
	buf_free(&p->pairs);
	free(p->wanted);
	free(p->mark);
	free(p->row_first);
	free(p->row_place);
	free(p);
}
