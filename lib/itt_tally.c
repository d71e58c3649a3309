// SPDX-License-Identifier: MIT
/*
 * itt_tally.c: samples added up by tasks and events
 *
 * Of each thread it is known which rows have spans under way. What the thread's samples add up to is
 * noted when a row gets its first, and the difference is the row's when it loses its last: a sample
 * costs the same however deep tasks are nested.
 */
#include "itt_private.h"

/* What a thread's samples of an event add up to */
struct sum {
	uint64_t samples;
	double events;
};

/* How far a thread was gone through */
struct cursor {
	bool begun;
	size_t begins, ends; /* spans that have begun, and ended, in these orders */
	uint32_t *by_end;    /* spans of the thread */
};

/* A row of a thread: spans under way, then of each event the sum when the first of them began */
struct active {
	uint64_t spans;
	struct sum sum[];
};

struct active_key {
	uint64_t thread, row;
};

struct vsamp_itt_tally {
	const struct vsamp_itt *itt;
	size_t events;
	struct itt_rows rows;
	struct vsamp_itt_share *share; /* by row and event */
	struct cursor *cursor;	       /* by thread */
	struct sum *sum;	       /* by thread and event */
	struct itt_table active;
	uint64_t paused;
};

int vsamp_itt_tally_new(struct vsamp_itt_tally **tally, const struct vsamp_itt *itt, size_t events,
			struct vsamp_error *err)
{
	struct vsamp_itt_tally *t = calloc(1, sizeof(*t));

	if (!t)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	t->itt = itt;
	t->events = events;
	t->active.row_size = sizeof(struct active) + events * sizeof(struct sum);
	t->cursor = calloc(itt->threads + 1, sizeof(*t->cursor));
	t->sum = calloc(itt->threads * events + 1, sizeof(*t->sum));
	if (!itt_rows_make(&t->rows, itt))
		t->share = calloc(t->rows.count * events + 1, sizeof(*t->share));
	if (!t->cursor || !t->sum || !t->share) {
		vsamp_itt_tally_free(t);
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	*tally = t;
	return 0;
}

static int end_order(const void *a, const void *b, void *spans)
{
	const struct vsamp_span *span = spans;
	uint64_t x = span[*(const uint32_t *)a].end, y = span[*(const uint32_t *)b].end;

	return x < y ? -1 : x > y;
}

static int cursor_begin(struct vsamp_itt_tally *t, struct cursor *c,
			const struct itt_thread *thread)
{
	c->begun = true;
	c->by_end = malloc(thread->spans * sizeof(*c->by_end) + 1);
	if (!c->by_end)
		return -ENOMEM;
	for (size_t i = 0; i < thread->spans; i++)
		c->by_end[i] = i;
	qsort_r(c->by_end, thread->spans, sizeof(*c->by_end), end_order,
		t->itt->span + thread->first);
	return 0;
}

static bool has_samples(const struct vsamp_span *span)
{
	return !span->tick && span->kind <= VSAMP_SPAN_EVENT;
}

/* Gives a row what came since it got its first span */
static void row_take(struct vsamp_itt_tally *t, size_t row, size_t thread,
		     const struct active *active)
{
	for (size_t e = 0; e < t->events; e++) {
		struct vsamp_itt_share *share = &t->share[row * t->events + e];
		const struct sum *sum = &t->sum[thread * t->events + e];

		share->samples += sum->samples - active->sum[e].samples;
		share->events += sum->events - active->sum[e].events;
	}
}

/* A span of the thread begins, or ends */
static int row_change(struct vsamp_itt_tally *t, size_t thread, size_t span, bool begins)
{
	struct active_key key = { thread, t->rows.of[span] };
	struct active *active;

	if (!has_samples(&t->itt->span[span]))
		return 0;
	active = itt_table_row(&t->active, &key, sizeof(key));
	if (!active)
		return -ENOMEM;
	if (begins && !active->spans++)
		memcpy(active->sum, &t->sum[thread * t->events], t->events * sizeof(struct sum));
	if (!begins && !--active->spans)
		row_take(t, key.row, thread, active);
	return 0;
}

static int advance(struct vsamp_itt_tally *t, size_t number, uint64_t time)
{
	const struct itt_thread *thread = &t->itt->thread[number];
	const struct vsamp_span *span = t->itt->span + thread->first;
	struct cursor *c = &t->cursor[number];
	int ret = c->begun ? 0 : cursor_begin(t, c, thread);

	for (; !ret && c->begins < thread->spans && span[c->begins].begin <= time; c->begins++)
		ret = row_change(t, number, thread->first + c->begins, true);
	for (; !ret && c->ends < thread->spans && span[c->by_end[c->ends]].end <= time; c->ends++)
		ret = row_change(t, number, thread->first + c->by_end[c->ends], false);
	return ret;
}

static void take_exclusive(struct vsamp_itt_tally *t, const struct vsamp_span *span, size_t event,
			   double events)
{
	struct vsamp_itt_share *share;

	if (!span)
		return;
	share = &t->share[t->rows.of[span - t->itt->span] * t->events + event];
	share->exclusive_samples++;
	share->exclusive_events += events;
}

int vsamp_itt_tally_add(struct vsamp_itt_tally *t, uint32_t pid, uint32_t tid, uint64_t time,
			size_t event, double events)
{
	const struct itt_thread *thread = itt_thread_find(t->itt, pid, tid);
	struct sum *sum;
	int ret;

	if (vsamp_itt_paused(t->itt, pid, time)) {
		t->paused++;
		return 0;
	}
	if (!thread)
		return 1;
	ret = advance(t, thread - t->itt->thread, time);
	if (ret)
		return ret;
	sum = &t->sum[(thread - t->itt->thread) * t->events + event];
	sum->samples++;
	sum->events += events;
	take_exclusive(t, itt_segment_at(t->itt, thread, &thread->tasks, time), event, events);
	take_exclusive(t, itt_segment_at(t->itt, thread, &thread->events, time), event, events);
	return 1;
}

size_t vsamp_itt_tally_end(struct vsamp_itt_tally *t, const struct vsamp_itt_stat **stats,
			   const struct vsamp_itt_share **shares, uint64_t *paused)
{
	for (uint32_t i = 0; i < t->active.keys.count; i++) {
		const struct active_key *key = intern_key(&t->active.keys, i);
		struct active *active = itt_table_at(&t->active, i);

		if (active->spans)
			row_take(t, key->row, key->thread, active);
		active->spans = 0;
	}
	*stats = t->rows.stat;
	*shares = t->share;
	*paused = t->paused;
	return t->rows.count;
}

void vsamp_itt_tally_free(struct vsamp_itt_tally *t)
{
	if (!t)
		return;
	for (size_t i = 0; t->cursor && i < t->itt->threads; i++)
		free(t->cursor[i].by_end);
	free(t->cursor);
	free(t->sum);
	free(t->share);
	itt_rows_free(&t->rows);
	itt_table_free(&t->active);
	free(t);
}
