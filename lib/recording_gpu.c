// SPDX-License-Identifier: MIT
/* recording_gpu.c: GPUs that END tells of */
#include "json_member.h"
#include "recording_private.h"

static void read_totals(struct vsamp_gpu_totals *t, struct json_object *o)
{
	int64_t error = member_number(o, "clock_error_ns");

	t->reports = member_count(o, "reports");
	t->lost = member_count(o, "lost");
	t->no_room = member_count(o, "no_room");
	t->clock_error = error < 0 ? UINT64_MAX : (uint64_t)error;
	t->clock_pieces = member_count(o, "clock_pieces");
}

static void read_gpu(struct vsamp_gpu_recorded *g, struct json_object *o)
{
	g->slot = member_string(o, "slot", "");
	g->platform = member_string(o, "platform", "");
	g->path = member_string(o, "path", "");
	g->set = member_string(o, "set", "");
	g->id = member_count(o, "id");
	g->period_ns = member_count(o, "period_ns");
	g->interval_ns = member_count(o, "interval_ns");
	read_totals(&g->totals, o);
}

int recording_read_gpus(struct vsamp_recording *rec)
{
	struct json_object *list;
	size_t count = member_list(rec->end, "gpus", &list);

	rec->gpu = count ? calloc(count, sizeof(*rec->gpu)) : NULL;
	if (count && !rec->gpu)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		read_gpu(&rec->gpu[i], json_object_array_get_idx(list, i));
	rec->gpus = count;
	return 0;
}

size_t vsamp_recording_gpus(const struct vsamp_recording *rec,
			    const struct vsamp_gpu_recorded **gpu)
{
	*gpu = rec->gpu;
	return rec->gpus;
}
