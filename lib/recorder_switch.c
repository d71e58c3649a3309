// SPDX-License-Identifier: MIT
/*
 * recorder_switch.c: from one file to the next while the session runs
 *
 * A CPU's records are split where its statistics have been read: those counted as written there are
 * the former file's, all later ones the next file's.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "recorder_private.h"
#include "ring_private.h"
#include "sideband_private.h"

/* What is read from /proc for the next file may take as long; the rings are drained in between */
#define BETWEEN_NS  20000000ULL

/* A record that is counted may be published a little later: by whom it interrupted */
#define SPLIT_LOOKS 1000000U

bool vsamp_recorder_clock(const struct vsamp_recorder *r, struct vsamp_record_clock *clock)
{
	*clock = (struct vsamp_record_clock){ 0 };
	for (unsigned int i = 0; i < r->n; i++)
		if (r->ring[i]->clock.h.size && r->ring[i]->clock.time >= clock->time)
			*clock = r->ring[i]->clock;
	return clock->h.size;
}

struct between {
	struct vsamp_recorder *r;
	struct vsamp_error *err;
	uint64_t due;
};

static int prepare_between(void *arg)
{
	struct between *b = arg;
	int ret;

	if (recorder_now() < b->due)
		return 0;
	ret = recorder_drain(b->r, b->err);
	b->due = recorder_now() + BETWEEN_NS;
	return ret;
}

int vsamp_recorder_prepare(struct vsamp_recorder *r, struct vsamp_writer *next, const pid_t *pids,
			   unsigned int n_pids, struct vsamp_error *err)
{
	struct between b = { r, err, recorder_now() + BETWEEN_NS };
	int ret = 0;

	r->next = next;
	if (!r->sideband)
		return 0;
	sideband_hold(r->sideband);
	if (!n_pids)
		ret = sideband_synthesize(next, 0, prepare_between, &b, err);
	for (unsigned int i = 0; i < n_pids && !ret; i++)
		ret = sideband_synthesize(next, pids[i], NULL, NULL, err);
	if (!ret)
		return 0;
	sideband_held_drop(r->sideband);
	r->next = NULL;
	return ret;
}

/* Bytes of the records up to the one with which *counts comes to @written of them */
static size_t records_until(const char *data, size_t size, uint64_t written,
			    struct vsamp_ring_counts *counts)
{
	size_t pos = 0;

	while (pos < size && counts->records < written) {
		const struct vsamp_record_header *h = (const void *)(data + pos);

		ring_counts_add(counts, h);
		pos += h->size;
	}
	return pos;
}

/* Reads a CPU's records, those beyond @written into the next file; *read: without these */
static int ring_split(struct vsamp_recorder *r, struct vsamp_ring *ring, uint64_t written,
		      struct vsamp_ring_counts *read, struct vsamp_error *err)
{
	uint32_t cpu = vsamp_ring_cpu(ring);
	unsigned int looks = 0;

	*read = *vsamp_ring_counts(ring);
	while (read->records < written) {
		const void *data;
		size_t size, first;
		int ret = vsamp_ring_begin(ring, &data, &size, err);

		if (!ret && ++looks == SPLIT_LOOKS)
			return vsamp_fail(err, -EBADMSG,
					  "CPU %u: %" PRIu64 " records written, but %" PRIu64
					  " read: the recording is incomplete",
					  cpu, written, read->records);
		if (ret < 0)
			return ret;
		if (!ret)
			continue;
		first = records_until(data, size, written, read);
		ret = vsamp_writer_records(r->w, cpu, data, first, err);
		if (!ret)
			ret = vsamp_writer_records(r->next, cpu, (const char *)data + first,
						   size - first, err);
		if (ret)
			return ret;
		vsamp_ring_end(ring);
	}
	return 0;
}

static int recorder_split(struct vsamp_recorder *r, struct vsamp_stats *stats,
			  struct vsamp_ring_counts *read, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < stats->n; i++) {
		struct vsamp_cpu_stats *s = &stats->cpu[i];
		struct vsamp_ring *ring = recorder_ring(r, s->cpu);
		int ret = ring ? ring_split(r, ring, s->written, &read[i], err) : 0;

		if (ret)
			return ret;
		/* What was lost is marked in front of the next record, and belongs where the mark is */
		s->lost = read[i].lost;
		s->produced = s->written + s->lost;
	}
	/* Names of what is in the former file, the last of them */
	if (!r->sideband)
		return 0;
	return vsamp_sideband_drain(r->sideband, r->w, err);
}

static int switch_totals(struct vsamp_recorder *r, const struct vsamp_stats *stats,
			 const struct vsamp_ring_counts *read, struct vsamp_recorder_totals *t,
			 struct vsamp_error *err)
{
	struct vsamp_recorder_totals all;
	int ret = recorder_totals_get(t, stats, read, err);

	if (!ret)
		ret = recorder_totals_get(&all, stats, read, err);
	if (ret)
		return ret;
	t->sideband_lost = r->sideband ? vsamp_sideband_lost(r->sideband) : 0;
	recorder_totals_since(t, &r->base);
	vsamp_recorder_totals_free(&r->base);
	r->base = all;
	return 0;
}

int vsamp_recorder_switch(struct vsamp_recorder *r, struct vsamp_recorder_totals *t,
			  struct vsamp_error *err)
{
	struct vsamp_ring_counts *read = NULL;
	struct vsamp_stats stats;
	int ret = vsamp_recorder_stats(r, &stats, err);

	memset(t, 0, sizeof(*t));
	if (ret)
		return ret;
	read = calloc(stats.n + 1UL, sizeof(*read));
	ret = read ? recorder_split(r, &stats, read, err) :
		     vsamp_fail(err, -ENOMEM, "out of memory");
	if (!ret && r->sideband)
		ret = sideband_held_put(r->sideband, r->next, err);
	if (!ret)
		ret = switch_totals(r, &stats, read, t, err);
	free(read);
	vsamp_stats_free(&stats);
	if (ret)
		return ret;
	r->w = r->next;
	r->next = NULL;
	return 0;
}
