// SPDX-License-Identifier: MIT
/* itt_own.c: whose a thread's time is, and what is nested in what */
#include "itt_private.h"

/* Whose time is under way */
struct owner {
	const struct vsamp_itt *itt;
	struct vsamp_span *span; /* of the thread */
	const size_t *order;	 /* of their calls; NULL: that which they are in */
	uint32_t *open;		 /* a heap, whose first has the last call; ended ones are left */
	size_t opens;
	uint64_t time; /* that was reached */
	struct buf segments;
};

static bool later(const struct owner *o, size_t a, size_t b)
{
	uint32_t x = o->open[a], y = o->open[b];

	return o->order ? o->order[x] > o->order[y] : x > y;
}

static void open_swap(struct owner *o, size_t a, size_t b)
{
	uint32_t x = o->open[a];

	o->open[a] = o->open[b];
	o->open[b] = x;
}

static void open_push(struct owner *o, uint32_t span)
{
	size_t at = o->opens++;

	o->open[at] = span;
	for (; at && later(o, at, (at - 1) / 2); at = (at - 1) / 2)
		open_swap(o, at, (at - 1) / 2);
}

static void open_pop(struct owner *o)
{
	size_t at = 0, most = 0;

	o->open[0] = o->open[--o->opens];
	do {
		open_swap(o, at, most);
		at = most;
		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < o->opens; child++)
			if (later(o, child, most))
				most = child;
	} while (most != at);
}

static bool is_task(const struct vsamp_span *span)
{
	return span->kind == VSAMP_SPAN_TASK || span->kind == VSAMP_SPAN_OVERLAPPED;
}

static bool is_event(const struct vsamp_span *span)
{
	return span->kind == VSAMP_SPAN_EVENT;
}

/* From the time that was reached on, it is another's: @span + 1, or 0 */
static int segment_add(struct owner *o, uint32_t span)
{
	struct itt_segment segment = { o->time, span }, *row = (void *)o->segments.data;
	size_t count = o->segments.size / sizeof(segment);

	if (span == (count ? row[count - 1].span : 0))
		return 0;
	return buf_add(&o->segments, &segment, sizeof(segment));
}

/* Goes on up to a time: it belongs to what was called last and hasn't ended */
static int owner_advance(struct owner *o, uint64_t until)
{
	while (o->opens && o->time < until) {
		uint32_t top = o->open[0];
		struct vsamp_span *span = &o->span[top];
		uint64_t stop = span->end < until ? span->end : until;

		if (stop > o->time) {
			if (segment_add(o, top + 1))
				return -ENOMEM;
			span->exclusive += stop - o->time -
					   itt_paused_between(o->itt, span->pid, o->time, stop);
			o->time = stop;
		}
		if (span->end <= o->time)
			open_pop(o);
	}
	if (o->opens || o->time >= until)
		return 0;
	if (segment_add(o, 0))
		return -ENOMEM;
	o->time = until;
	return 0;
}

static int own_kind(struct owner *o, size_t spans, bool (*wanted)(const struct vsamp_span *),
		    struct itt_segments *segments)
{
	int ret = 0;

	o->opens = o->time = 0;
	o->segments = (struct buf){ 0 };
	for (size_t i = 0; i < spans && !ret; i++) {
		if (!wanted(&o->span[i]) || o->span[i].tick)
			continue;
		ret = owner_advance(o, o->span[i].begin);
		open_push(o, i);
	}
	if (!ret)
		ret = owner_advance(o, UINT64_MAX);
	segments->row = (void *)o->segments.data;
	segments->count = o->segments.size / sizeof(*segments->row);
	return ret;
}

/* How many of the ends so far are at or behind a place: a Fenwick tree, from the last place on */
struct ends {
	uint64_t *end; /* sorted */
	uint32_t *sum;
	size_t count;
};

static size_t ends_place(const struct ends *e, uint64_t end)
{
	size_t low = 0, high = e->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->end[middle] < end)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void ends_add(struct ends *e, uint64_t end)
{
	for (size_t i = ends_place(e, end) + 1; i; i -= i & -i)
		e->sum[i - 1]++;
}

static uint32_t ends_from(const struct ends *e, uint64_t end)
{
	uint32_t sum = 0;

	for (size_t i = ends_place(e, end) + 1; i <= e->count; i += i & -i)
		sum += e->sum[i - 1];
	return sum;
}

static int end_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Spans are by begin: those around one are those before it that end no earlier */
static int nest_kind(struct vsamp_span *span, size_t spans, enum vsamp_span_kind kind)
{
	struct ends e = { 0 };

	for (size_t i = 0; i < spans; i++)
		e.count += span[i].kind == kind && !span[i].tick;
	if (!e.count)
		return 0;
	e.end = malloc(e.count * sizeof(*e.end));
	e.sum = calloc(e.count, sizeof(*e.sum));
	if (!e.end || !e.sum) {
		free(e.end);
		free(e.sum);
		return -ENOMEM;
	}
	for (size_t i = 0, n = 0; i < spans; i++)
		if (span[i].kind == kind && !span[i].tick)
			e.end[n++] = span[i].end;
	qsort(e.end, e.count, sizeof(*e.end), end_order);
	for (size_t i = 0; i < spans; i++) {
		if (span[i].kind != kind)
			continue;
		span[i].depth = ends_from(&e, span[i].end > span[i].begin ? span[i].end :
									    span[i].begin + 1);
		if (!span[i].tick)
			ends_add(&e, span[i].end);
	}
	free(e.end);
	free(e.sum);
	return 0;
}

int itt_own(const struct vsamp_itt *itt, struct itt_thread *t, const size_t *order)
{
	struct owner o = { .itt = itt, .span = itt->span + t->first, .order = order };
	int ret;

	for (size_t i = 0; i < t->spans; i++) {
		struct vsamp_span *span = &o.span[i];

		span->inclusive = span->end - span->begin -
				  itt_paused_between(itt, span->pid, span->begin, span->end);
		if (span->kind >= VSAMP_SPAN_REGION) /* of a marker none */
			span->exclusive = span->inclusive;
	}
	o.open = malloc(t->spans * sizeof(*o.open) + 1);
	if (!o.open)
		return -ENOMEM;
	ret = own_kind(&o, t->spans, is_task, &t->tasks);
	if (!ret)
		ret = own_kind(&o, t->spans, is_event, &t->events);
	free(o.open);
	/* simple tasks were nested by their calls */
	for (int kind = VSAMP_SPAN_OVERLAPPED; kind < VSAMP_SPAN_KINDS && !ret; kind++)
		ret = nest_kind(o.span, t->spans, kind);
	return ret;
}
