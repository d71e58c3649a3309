// SPDX-License-Identifier: MIT
/* recorder_totals.c: what was counted, produced, written, lost and read, CPU by CPU */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recorder_private.h"

static int cpu_settle(const struct vsamp_recorder_cpu *c, struct vsamp_error *err)
{
	if (c->produced != c->written + c->lost)
		return vsamp_fail(err, -EBADMSG,
				  "CPU %u: %" PRIu64 " records produced, but %" PRIu64
				  " written and %" PRIu64 " lost: the recording is incomplete",
				  c->cpu, c->produced, c->written, c->lost);
	if (c->read != c->written)
		return vsamp_fail(err, -EBADMSG,
				  "CPU %u: %" PRIu64 " records written, but %" PRIu64
				  " read: the recording is incomplete",
				  c->cpu, c->written, c->read);
	return 0;
}

int recorder_totals_settle(const struct vsamp_recorder_totals *t, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < t->n; i++) {
		int ret = cpu_settle(&t->cpu[i], err);

		if (ret)
			return ret;
	}
	return 0;
}

static void totals_sum(struct vsamp_recorder_totals *t, const struct vsamp_cpu_stats *s,
		       const struct vsamp_ring_counts *read)
{
	struct vsamp_recorder_cpu *c = &t->cpu[t->n++];

	*c = (struct vsamp_recorder_cpu){
		.cpu = s->cpu,
		.produced = s->produced,
		.written = s->written,
		.lost = s->lost,
		.pmis = s->pmis,
		.throttled = s->throttled,
		.read = read->records,
	};
	t->produced += c->produced;
	t->written += c->written;
	t->lost += c->lost;
	t->read += c->read;
	t->throttled += c->throttled;
	for (unsigned int i = 0; i < VSAMP_EVENTS_MAX; i++) {
		t->count[i] += s->event[i].count;
		t->samples[i] += read->samples[i];
		t->overflows[i] += s->event[i].samples;
		t->enabled[i] += s->event[i].enabled;
		t->running[i] += s->event[i].running;
	}
}

int recorder_totals_get(struct vsamp_recorder_totals *t, const struct vsamp_stats *stats,
			const struct vsamp_ring_counts *read, struct vsamp_error *err)
{
	memset(t, 0, sizeof(*t));
	t->cpu = calloc(stats->n + 1UL, sizeof(*t->cpu));
	if (!t->cpu)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (unsigned int i = 0; i < stats->n; i++)
		totals_sum(t, &stats->cpu[i], &read[i]);
	t->end_reason = stats->end_reason;
	return 0;
}

static void since(uint64_t *n, uint64_t base)
{
	*n -= *n < base ? *n : base;
}

static void cpu_since(struct vsamp_recorder_cpu *c, const struct vsamp_recorder_cpu *base)
{
	since(&c->produced, base->produced);
	since(&c->written, base->written);
	since(&c->lost, base->lost);
	since(&c->pmis, base->pmis);
	since(&c->throttled, base->throttled);
	since(&c->read, base->read);
}

void recorder_totals_since(struct vsamp_recorder_totals *t,
			   const struct vsamp_recorder_totals *base)
{
	for (unsigned int i = 0; i < t->n; i++)
		for (unsigned int k = 0; k < base->n; k++)
			if (base->cpu[k].cpu == t->cpu[i].cpu)
				cpu_since(&t->cpu[i], &base->cpu[k]);
	since(&t->produced, base->produced);
	since(&t->written, base->written);
	since(&t->lost, base->lost);
	since(&t->read, base->read);
	since(&t->throttled, base->throttled);
	for (unsigned int i = 0; i < VSAMP_EVENTS_MAX; i++) {
		since(&t->count[i], base->count[i]);
		since(&t->samples[i], base->samples[i]);
		since(&t->overflows[i], base->overflows[i]);
		since(&t->enabled[i], base->enabled[i]);
		since(&t->running[i], base->running[i]);
		/* Where they are estimates */
		if (t->enabled[i] < t->running[i])
			t->enabled[i] = t->running[i];
	}
	since(&t->sideband_lost, base->sideband_lost);
}

static struct vsamp_recorder_cpu *totals_cpu(struct vsamp_recorder_totals *t, uint32_t cpu)
{
	unsigned int at = t->n;

	while (at && t->cpu[at - 1].cpu > cpu)
		at--;
	if (at && t->cpu[at - 1].cpu == cpu)
		return &t->cpu[at - 1];
	memmove(t->cpu + at + 1, t->cpu + at, (t->n++ - at) * sizeof(*t->cpu));
	t->cpu[at] = (struct vsamp_recorder_cpu){ .cpu = cpu };
	return &t->cpu[at];
}

int vsamp_recorder_totals_add(struct vsamp_recorder_totals *sum,
			      const struct vsamp_recorder_totals *t, struct vsamp_error *err)
{
	struct vsamp_recorder_cpu *cpus;

	/* as if none of the CPUs were the same, so that nothing fails half-way */
	cpus = reallocarray(sum->cpu, sum->n + t->n + 1UL, sizeof(*cpus));
	if (!cpus)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	sum->cpu = cpus;
	for (unsigned int i = 0; i < t->n; i++) {
		struct vsamp_recorder_cpu *c = totals_cpu(sum, t->cpu[i].cpu);

		c->produced += t->cpu[i].produced;
		c->written += t->cpu[i].written;
		c->lost += t->cpu[i].lost;
		c->pmis += t->cpu[i].pmis;
		c->throttled += t->cpu[i].throttled;
		c->read += t->cpu[i].read;
	}
	sum->produced += t->produced;
	sum->written += t->written;
	sum->lost += t->lost;
	sum->read += t->read;
	sum->throttled += t->throttled;
	for (unsigned int i = 0; i < VSAMP_EVENTS_MAX; i++) {
		sum->count[i] += t->count[i];
		sum->samples[i] += t->samples[i];
		sum->overflows[i] += t->overflows[i];
		sum->enabled[i] += t->enabled[i];
		sum->running[i] += t->running[i];
	}
	sum->sideband_lost += t->sideband_lost;
	sum->end_reason = t->end_reason;
	return 0;
}

void vsamp_recorder_totals_free(struct vsamp_recorder_totals *t)
{
	free(t->cpu);
	memset(t, 0, sizeof(*t));
}
