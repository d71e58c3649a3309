// SPDX-License-Identifier: MIT
/* recording_scan.c: what the records of a CPU add up to */
#include <inttypes.h>

#include "file_private.h"
#include "recording_private.h"

/* Room for what a CPU tells; NULL without memory */
static struct recording_told *told_get(struct vsamp_recording *rec, uint32_t cpu)
{
	struct recording_told *told = rec->told[cpu];

	if (told)
		return told;
	told = calloc(1, sizeof(*told) + (rec->sets + rec->events) * sizeof(uint64_t));
	if (!told)
		return NULL;
	told->running = (uint64_t *)(told + 1);
	told->realtime = rec->before.realtime;
	told->raw = rec->before.monotonic_raw;
	told->sav = told->running + rec->sets;
	for (size_t e = 0; e < rec->events; e++)
		told->sav[e] = rec->event[e].sav;
	rec->told[cpu] = told;
	return told;
}

static int count_samples(struct vsamp_recording *rec, uint32_t cpu, uint32_t event, uint64_t n)
{
	const struct recording_told *told = rec->told[cpu];
	struct vsamp_recording_event *e;

	if (event >= rec->events)
		return -EBADMSG;
	e = &rec->event[event];
	e->samples += n;
	e->estimated += (double)n * recording_weight(told ? told->sav[event] : e->sav);
	return 0;
}

static void count_stack(struct vsamp_recording *rec, const struct vsamp_stack *stack)
{
	if (!stack)
		return;
	rec->totals.stacks++;
	rec->totals.kernel_cut += !!(stack->flags & VSAMP_STACK_KERNEL_CUT);
	rec->totals.user_cut += !!(stack->flags & VSAMP_STACK_USER_CUT);
}

static int count_stacks(struct vsamp_recording *rec, const struct unpack *u)
{
	struct unpack_stack_counts counts;
	int ret = unpack_count_stacks(u, &counts);

	if (ret)
		return ret;
	rec->totals.stacks += counts.stacks;
	rec->totals.kernel_cut += counts.kernel_cut;
	rec->totals.user_cut += counts.user_cut;
	return 0;
}

static int scan_set(struct vsamp_recording *rec, uint32_t cpu, const struct vsamp_record_set *s)
{
	struct recording_told *told;

	if (s->h.event >= rec->sets || s->running > s->enabled)
		return -EBADMSG;
	told = told_get(rec, cpu);
	if (!told)
		return -ENOMEM;
	told->running[s->h.event] = s->running;
	if (s->enabled > told->enabled)
		told->enabled = s->enabled;
	rec->totals.swaps++;
	return 0;
}

static int scan_sav(struct vsamp_recording *rec, uint32_t cpu, const struct vsamp_record_sav *s)
{
	struct recording_told *told;

	if (s->h.event >= rec->events || !s->sav)
		return -EBADMSG;
	told = told_get(rec, cpu);
	if (!told)
		return -ENOMEM;
	told->sav[s->h.event] = s->sav;
	rec->event[s->h.event].sav_end = s->sav;
	rec->totals.sav_changes++;
	return 0;
}

static uint64_t rise(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

static int scan_clock(struct vsamp_recording *rec, struct vsamp_recording_cpu *cpu,
		      const struct vsamp_record_clock *c, struct buf *points)
{
	struct recording_told *told = told_get(rec, cpu->cpu);
	struct vsamp_clock_point point = { c->time, c->bracket, c->monotonic_raw, false };
	int ret;

	if (!told)
		return -ENOMEM;
	if (told->woke) {
		point.slept = true;
		cpu->sleeps++;
		cpu->asleep += rise(told->realtime, c->realtime);
		told->asleep += rise(told->raw, c->monotonic_raw);
		if (told->asleep > rec->asleep)
			rec->asleep = told->asleep;
	}
	told->woke = false;
	told->realtime = c->realtime;
	told->raw = c->monotonic_raw;
	ret = buf_add(points, &point, sizeof(point));
	point.raw = c->monotonic;
	if (ret || !c->monotonic)
		return ret;
	return buf_add(&rec->monotonic_points, &point, sizeof(point));
}

static int scan_state(struct vsamp_recording *rec, struct vsamp_recording_cpu *cpu, uint32_t code)
{
	struct recording_told *told;

	if (code == VSAMP_STATE_FOREIGN)
		cpu->foreign = true;
	if (code != VSAMP_STATE_WAKE)
		return 0;
	told = told_get(rec, cpu->cpu);
	if (!told)
		return -ENOMEM;
	/* without a CLOCK record before it there was no sampling either */
	told->woke = told->realtime;
	return 0;
}

static int scan_record(struct vsamp_recording *rec, struct vsamp_recording_cpu *cpu,
		       const struct vsamp_record_header *h, struct buf *points)
{
	switch (h->type) {
	case VSAMP_RECORD_SAMPLE:
		count_stack(rec, record_stack((const void *)h));
		return count_samples(rec, cpu->cpu, h->event, 1);
	case VSAMP_RECORD_SET:
		return scan_set(rec, cpu->cpu, (const void *)h);
	case VSAMP_RECORD_SAV:
		return scan_sav(rec, cpu->cpu, (const void *)h);
	case VSAMP_RECORD_LOST:
		cpu->lost_marked += ((const struct vsamp_record_lost *)h)->count;
		cpu->records--;
		break;
	case VSAMP_RECORD_CLOCK:
		return scan_clock(rec, cpu, (const void *)h, points);
	case VSAMP_RECORD_THROTTLE:
		cpu->throttles++;
		rec->set_throttles[rec->last_set]++;
		break;
	case VSAMP_RECORD_STATE:
		return scan_state(rec, cpu, h->event);
	}
	return 0;
}

/* Whether a Sample-After value changes; @u is a copy, whose place doesn't matter */
static int has_sav(struct unpack u)
{
	const struct vsamp_record_header *h;
	int ret;

	while ((ret = unpack_next_other(&u, &h)) > 0)
		if (h->type == VSAMP_RECORD_SAV)
			return 1;
	return ret;
}

/* Samples are counted without a look at each, as long as all of an event stand for the same */
static int scan_records(struct vsamp_recording *rec, struct vsamp_recording_cpu *cpu,
			struct unpack *u, struct buf *points)
{
	uint32_t counts[UINT8_MAX];
	const struct vsamp_record_header *h;
	int ret = has_sav(*u);

	if (ret > 0) {
		ret = 0;
		while (!ret && (ret = unpack_next(u, &h)) > 0)
			ret = scan_record(rec, cpu, h, points);
		return ret;
	}
	if (!ret)
		ret = unpack_count(u, counts);
	for (uint32_t i = 0; i < UINT8_MAX && !ret; i++)
		if (counts[i])
			ret = count_samples(rec, cpu->cpu, u->kinds[i] & 0xffff, counts[i]);
	if (!ret)
		ret = count_stacks(rec, u);
	while (!ret && (ret = unpack_next_other(u, &h)) > 0)
		ret = scan_record(rec, cpu, h, points);
	return ret;
}

int recording_scan(struct vsamp_recording *rec, const struct vsamp_chunk *chunk, struct buf *points,
		   struct vsamp_error *err)
{
	struct vsamp_recording_cpu *cpu = recording_cpu(rec, chunk->cpu);
	struct unpack u;
	void *data;
	int ret;

	if (!cpu)
		return vsamp_fail(err, -ENOMEM, "%s: out of memory",
				  vsamp_reader_path(rec->reader));
	ret = vsamp_reader_load(rec->reader, chunk, &data, err);
	if (ret)
		return ret;
	ret = unpack_open(&u, data, chunk->raw_size, chunk->count);
	if (!ret) {
		cpu->records += chunk->count;
		ret = scan_records(rec, cpu, &u, points);
		unpack_close(&u);
	}
	reader_keep(rec->reader, chunk, data);
	if (ret)
		return vsamp_fail(err, ret, "%s: the chunk at byte %" PRIu64 ": %s",
				  vsamp_reader_path(rec->reader), chunk->offset,
				  ret == -ENOMEM ? "out of memory" : "its contents make no sense");
	if (chunk->time_min < rec->time_min)
		rec->time_min = chunk->time_min;
	if (chunk->time_max > rec->time_max)
		rec->time_max = chunk->time_max;
	return 0;
}
