// SPDX-License-Identifier: MIT
/* placer.c: finds where samples fell */
#include "placer.h"

/* The last snapshot that was taken till then, or the first there is; most often the same again */
static uint32_t kernel_module(struct placer *p, uint64_t time)
{
	const struct vsamp_recording *rec = p->rec;

	while (p->snapshot + 1 < rec->snapshots && rec->snapshot[p->snapshot + 1].time <= time)
		p->snapshot++;
	while (p->snapshot && rec->snapshot[p->snapshot].time > time)
		p->snapshot--;
	return SPOT_KERNEL | p->snapshot;
}

/* Each CPU begins with the values that the events' runs begin with */
static int weights_init(struct placer *p)
{
	const struct vsamp_recording *rec = p->rec;

	p->cpus = rec->cpus ? rec->cpu[rec->cpus - 1].cpu + 1 : 0; /* the largest number is last */
	p->weight = malloc((p->cpus * rec->events + 1) * sizeof(*p->weight));
	if (!p->weight)
		return -ENOMEM;
	for (size_t i = 0; i < p->cpus * rec->events; i++)
		p->weight[i] = recording_weight(rec->event[i % rec->events].sav);
	return 0;
}

/* The weight of a CPU's samples of an event; NULL: it was checked, but the file may have changed */
static double *weight_at(const struct placer *p, uint32_t cpu, uint32_t event)
{
	if (cpu >= p->cpus || event >= p->rec->events)
		return NULL;
	return &p->weight[cpu * p->rec->events + event];
}

static int set_weight(struct placer *p, uint32_t cpu, const struct vsamp_record_sav *s)
{
	double *weight = weight_at(p, cpu, s->h.event);

	if (!weight)
		return -EBADMSG;
	*weight = recording_weight(s->sav);
	return 0;
}

static int fail(const struct placer *p, int ret, struct vsamp_error *err)
{
	const struct vsamp_reader *reader = p->rec->reader; /* none: of a running session */

	return vsamp_fail(err, ret, "%s: %s", reader ? vsamp_reader_path(reader) : "samples",
			  ret == -E2BIG	  ? "more mappings or stacks than any machine has" :
			  ret == -EBADMSG ? "the file was changed meanwhile" :
					    "out of memory");
}

int placer_init(struct placer *p, struct vsamp_recording *rec, bool callers,
		struct vsamp_error *err)
{
	struct module_origin origin;

	*p = (struct placer){ .rec = rec, .callers = callers };
	recording_origin(rec, &origin);
	modules_init(&p->modules, &origin);
	procmap_init(&p->procmap, &p->modules);
	names_init(&p->names, rec, &p->modules);
	return weights_init(p) ? fail(p, -ENOMEM, err) : 0;
}

int placer_whole(struct placer *p, struct vsamp_error *err)
{
	struct merge *merge = &p->rec->merge;
	struct vsamp_item item;
	int ret;

	merge_rewind(merge);
	while ((ret = merge_next_sideband(merge, &item, err)) > 0)
		if (procmap_see(&p->procmap, item.sideband))
			return fail(p, -ENOMEM, err);
	merge_rewind(merge);
	if (!ret && names_whole(&p->names))
		ret = fail(p, -ENOMEM, err);
	return ret;
}

void placer_free(struct placer *p)
{
	names_free(&p->names);
	stacks_free(&p->stacks);
	procmap_free(&p->procmap);
	modules_free(&p->modules);
	free(p->weight);
}

int placer_take(struct placer *p, const struct vsamp_item *item, struct vsamp_error *err)
{
	int ret = 0;

	if (item->sideband)
		ret = procmap_apply(&p->procmap, item->sideband);
	else if (item->record->type == VSAMP_RECORD_SAV)
		ret = set_weight(p, item->cpu, (const void *)item->record);
	return ret ? fail(p, ret, err) : 0;
}

/* In which code a sample fell. -ENOMEM */
static int find_code(struct placer *p, const struct vsamp_record_sample *s,
		     struct placer_code *code)
{
	int ret;

	code->module = SPOT_NONE;
	code->offset = 0;
	if (s->h.flags & VSAMP_SAMPLE_GUEST) {
		code->module = SPOT_GUEST;
	} else if (!(s->h.flags & VSAMP_SAMPLE_USER)) {
		code->module = kernel_module(p, s->time);
		code->offset = s->ip;
	} else {
		ret = procmap_find(&p->procmap, s->pid, s->ip, s->time, &code->module,
				   &code->offset);
		if (ret == -ENOMEM)
			return ret;
	}
	return 0;
}

int placer_code(struct placer *p, uint32_t cpu, const struct vsamp_record_sample *s,
		struct placer_code *code, double *weight, struct vsamp_error *err)
{
	int64_t identity = procmap_identity(&p->procmap, s->pid), stack = 0;
	const double *at = weight_at(p, cpu, s->h.event);

	if (!at)
		return fail(p, -EBADMSG, err);
	if (p->callers)
		stack = stacks_number(&p->stacks, &p->names, &p->procmap, kernel_module(p, s->time),
				      s);
	if (stack < 0)
		return fail(p, stack, err);
	if (identity < 0 || find_code(p, s, code))
		return fail(p, -ENOMEM, err);
	code->identity = identity;
	code->stack = stack;
	*weight = *at;
	return 0;
}

int placer_place(struct placer *p, uint32_t cpu, const struct vsamp_record_sample *s,
		 struct place *place, double *weight, struct vsamp_error *err)
{
	struct placer_code code;
	int64_t spot;
	int ret = placer_code(p, cpu, s, &code, weight, err);

	if (ret)
		return ret;
	spot = names_spot(&p->names, code.module, code.offset);
	if (spot < 0)
		return fail(p, -ENOMEM, err);
	*place = (struct place){ code.identity, spot, code.stack };
	return 0;
}
