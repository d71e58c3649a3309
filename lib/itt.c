// SPDX-License-Identifier: MIT
/* itt.c: what ITT calls mean, put together of all processes, and looked up */
#include "itt_private.h"

static int lane_order(const struct vsamp_itt_thread *x, const struct vsamp_itt_thread *y)
{
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static int by_thread(const void *a, const void *b)
{
	const struct itt_lane *const *x = a, *const *y = b;

	return lane_order(&(*x)->thread, &(*y)->thread);
}

/* Where another collector begins in the same process, threads and pauses of the one before end */
static void end_before(struct itt_build *b, size_t from, size_t to)
{
	struct vsamp_pause *pause = (void *)b->itt->pauses.data;
	size_t pauses = b->itt->pauses.size / sizeof(*pause);
	uint64_t start = itt_ns(b, b->lane[from].thread.start);

	if (pauses && pause[pauses - 1].pid == b->lane[from].thread.pid) {
		pause += pauses - 1;
		if (pause->end > start)
			pause->end = start > pause->begin ? start : pause->begin;
	}
	if (to == b->lanes || b->lane[to].thread.pid != b->lane[from].thread.pid)
		return;
	start = itt_ns(b, b->lane[to].thread.start);
	for (; from < to; from++)
		if (b->lane[from].end > start)
			b->lane[from].end = start;
}

static int match_all(struct itt_build *b, struct vsamp_error *err)
{
	int ret = 0;

	for (size_t from = 0, to; from < b->lanes && !ret; from = to) {
		const struct vsamp_itt_thread *first = &b->lane[from].thread;

		for (to = from + 1; to < b->lanes; to++)
			if (b->lane[to].thread.pid != first->pid ||
			    b->lane[to].thread.start != first->start)
				break;
		end_before(b, from, to);
		ret = itt_match_process(b, from, to, err);
	}
	return ret ? ret : itt_fn_name(b, err);
}

/* Records may tell that they go back in time */
static void settle_pauses(struct vsamp_itt *itt)
{
	struct vsamp_pause *p = (void *)itt->pauses.data;

	for (size_t i = 1; i < itt->pauses.size / sizeof(*p); i++) {
		if (p[i].pid != p[i - 1].pid)
			continue;
		if (p[i].begin < p[i - 1].end)
			p[i].begin = p[i - 1].end;
		if (p[i].end < p[i].begin)
			p[i].end = p[i].begin;
		p[i].before = p[i - 1].before + p[i - 1].end - p[i - 1].begin;
	}
}

struct placed {
	uint64_t begin;
	size_t at;
};

_Static_assert(sizeof(struct placed) <= sizeof(struct vsamp_span), "they fit where spans do");

static int placed_order(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static bool sorted(const struct vsamp_span *span, size_t spans)
{
	for (size_t i = 1; i < spans; i++)
		if (span[i].begin < span[i - 1].begin)
			return false;
	return true;
}

/* *@moved: where a span is that was in another place; made when it is first needed */
static int moved_make(const struct vsamp_itt *itt, size_t **moved)
{
	if (*moved)
		return 0;
	*moved = malloc(itt->spans * sizeof(**moved));
	if (!*moved)
		return -ENOMEM;
	for (size_t i = 0; i < itt->spans; i++)
		(*moved)[i] = i;
	return 0;
}

static void place_spans(struct vsamp_span *span, struct vsamp_span *copy, size_t *order,
			size_t *moved, const struct itt_thread *t)
{
	struct placed *placed = (void *)copy;

	for (size_t i = 0; i < t->spans; i++)
		placed[i] = (struct placed){ span[i].begin, i };
	qsort(placed, t->spans, sizeof(*placed), placed_order);
	for (size_t i = 0; i < t->spans; i++) {
		order[i] = placed[i].at;
		moved[t->first + order[i]] = t->first + i;
	}
	memcpy(copy, span, t->spans * sizeof(*copy));
	for (size_t i = 0; i < t->spans; i++)
		span[i] = copy[order[i]];
}

/* By begin, as they were by call: then whose time is whose is found out */
static int settle_thread(struct vsamp_itt *itt, struct itt_thread *t, size_t **moved)
{
	struct vsamp_span *span = itt->span + t->first, *copy;
	size_t *order;
	int ret = -ENOMEM;

	if (sorted(span, t->spans))
		return itt_own(itt, t, NULL);
	copy = malloc(t->spans * sizeof(*copy));
	order = malloc(t->spans * sizeof(*order));
	if (copy && order && !moved_make(itt, moved)) {
		place_spans(span, copy, order, *moved, t);
		ret = itt_own(itt, t, order);
	}
	free(copy);
	free(order);
	return ret;
}

static int link_order(const void *a, const void *b)
{
	const struct itt_link *x = a, *y = b;

	return x->child < y->child ? -1 : x->child > y->child;
}

static void settle_links(struct vsamp_itt *itt, const struct itt_places *places)
{
	struct itt_link *link = (void *)itt->links.data;
	size_t links = itt->links.size / sizeof(*link);

	for (size_t i = 0; i < links; i++) {
		link[i].child = itt_place(places, link[i].child);
		link[i].parent = itt_place(places, link[i].parent);
	}
	if (links)
		qsort(link, links, sizeof(*link), link_order);
}

/* All spans in one row; the first lane's is made longer, as it may be most of them */
static int join_lanes(struct itt_build *b, struct itt_lane **order, size_t *base)
{
	struct vsamp_itt *itt = b->itt;
	struct itt_thread *t = itt->thread;
	size_t total = 0;

	for (size_t i = 0; i < b->lanes; i++)
		total += order[i]->spans;
	for (size_t i = 0; i < b->lanes; i++) {
		struct itt_lane *lane = order[i];

		base[lane - b->lane] = itt->spans;
		if (!i) {
			itt->span = realloc(lane->span, (total + 1) * sizeof(*itt->span));
			if (!itt->span)
				return -ENOMEM;
		} else if (lane->spans) {
			memcpy(itt->span + itt->spans, lane->span,
			       lane->spans * sizeof(*lane->span));
			free(lane->span);
		}
		lane->span = NULL;
		if (!i || t->pid != lane->thread.pid || t->tid != lane->thread.tid) {
			t = &itt->thread[itt->threads++];
			*t = (struct itt_thread){ .pid = lane->thread.pid,
						  .tid = lane->thread.tid,
						  .first = itt->spans };
		}
		t->name = lane->name ? lane->name : t->name;
		t->spans += lane->spans;
		itt->spans += lane->spans;
	}
	return 0;
}

static int assemble(struct itt_build *b)
{
	struct itt_lane **order = malloc((b->lanes + 1) * sizeof(*order));
	struct itt_places places = { .base = calloc(b->lanes + 1, sizeof(*places.base)) };
	struct vsamp_itt *itt = b->itt;
	int ret = -ENOMEM;

	itt->thread = calloc(b->lanes + 1, sizeof(*itt->thread));
	if (!order || !places.base || !itt->thread)
		goto out;
	for (size_t i = 0; i < b->lanes; i++)
		order[i] = &b->lane[i];
	qsort(order, b->lanes, sizeof(*order), by_thread);
	ret = join_lanes(b, order, places.base);
	settle_pauses(itt);
	for (size_t i = 0; i < itt->threads && !ret; i++)
		ret = settle_thread(itt, &itt->thread[i], &places.moved);
	if (ret)
		goto out;
	settle_links(itt, &places);
	ret = itt_data_settle(b, &places);
	if (!ret)
		ret = itt_histograms_settle(b);
	if (!ret)
		ret = itt_counter_tracks(b);
	if (!ret)
		ret = itt_diagnose(itt);
out:
	free(order);
	free(places.base);
	free(places.moved);
	return ret;
}

static void build_free(struct itt_build *b)
{
	struct itt_series *s = (void *)b->series.data;

	for (size_t i = 0; b->lane && i < b->lanes; i++)
		free(b->lane[i].span);
	for (size_t i = 0; i < b->series.size / sizeof(*s); i++)
		buf_free(&s[i].points);
	free(b->lane);
	buf_free(&b->series);
	intern_free(&b->series_keys);
	buf_free(&b->fns);
	buf_free(&b->told);
	buf_free(&b->related);
	itt_sums_free(b);
	names_free(&b->names);
	modules_free(&b->modules);
}

int itt_build(struct vsamp_itt **itt, struct itt_source *source, const uint64_t *end,
	      size_t sources, struct vsamp_recording *rec, const struct vsamp_clock_fit *clock,
	      struct vsamp_error *err)
{
	struct itt_build b = {
		.itt = calloc(1, sizeof(*b.itt)),
		.reader = rec ? rec->reader : NULL,
		.clock = clock,
		.source = source,
		.lane = calloc(sources + 1, sizeof(*b.lane)),
		.lanes = sources,
	};
	struct module_origin origin = { 0 };
	int ret;

	if (rec)
		recording_origin(rec, &origin);
	itt_sums_init(&b);
	modules_init(&b.modules, &origin);
	names_init(&b.names, rec, &b.modules);
	if (b.itt && b.lane) {
		for (size_t i = 0; i < sources; i++)
			b.lane[i] = (struct itt_lane){ .thread = source[i].thread, .end = end[i] };
		ret = match_all(&b, err);
		if (!ret && assemble(&b))
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
	} else {
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	}
	build_free(&b);
	if (ret)
		vsamp_itt_free(b.itt);
	else
		*itt = b.itt;
	return ret;
}

/* ns of pauses of @pid before a time */
static uint64_t paused_before(const struct vsamp_itt *itt, uint32_t pid, uint64_t time)
{
	const struct vsamp_pause *p = (const void *)itt->pauses.data;
	size_t low = 0, high = itt->pauses.size / sizeof(*p);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (p[middle].pid < pid || (p[middle].pid == pid && p[middle].begin <= time))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || p[low - 1].pid != pid)
		return 0;
	p += low - 1;
	return p->before + (time < p->end ? time : p->end) - p->begin;
}

uint64_t itt_paused_between(const struct vsamp_itt *itt, uint32_t pid, uint64_t begin, uint64_t end)
{
	if (!itt->pauses.size)
		return 0;
	return paused_before(itt, pid, end) - paused_before(itt, pid, begin);
}

bool vsamp_itt_paused(const struct vsamp_itt *itt, uint32_t pid, uint64_t time)
{
	return time < UINT64_MAX && itt_paused_between(itt, pid, time, time + 1);
}

const struct itt_thread *itt_thread_find(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid)
{
	size_t low = 0, high = itt->threads;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct itt_thread *t = &itt->thread[middle];

		if (t->pid == pid && t->tid == tid)
			return t;
		if (t->pid < pid || (t->pid == pid && t->tid < tid))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct vsamp_span *itt_segment_at(const struct vsamp_itt *itt,
					const struct itt_thread *thread,
					const struct itt_segments *segments, uint64_t time)
{
	size_t low = 0, high = segments->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (segments->row[middle].begin <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !segments->row[low - 1].span)
		return NULL;
	return itt->span + thread->first + segments->row[low - 1].span - 1;
}

void vsamp_itt_at(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid, uint64_t time,
		  const struct vsamp_span **task, const struct vsamp_span **event)
{
	const struct itt_thread *t = itt_thread_find(itt, pid, tid);

	*task = t ? itt_segment_at(itt, t, &t->tasks, time) : NULL;
	*event = t ? itt_segment_at(itt, t, &t->events, time) : NULL;
}

size_t vsamp_itt_spans(const struct vsamp_itt *itt, const struct vsamp_span **spans)
{
	*spans = itt->span;
	return itt->spans;
}

size_t vsamp_itt_counters(const struct vsamp_itt *itt, const struct vsamp_track **tracks)
{
	*tracks = itt->track;
	return itt->tracks;
}

const struct vsamp_span *vsamp_itt_parent(const struct vsamp_itt *itt,
					  const struct vsamp_span *span)
{
	struct itt_link key = { .child = span - itt->span }, *link = NULL;

	if (itt->links.size)
		link = bsearch(&key, itt->links.data, itt->links.size / sizeof(key), sizeof(key),
			       link_order);
	return link ? itt->span + link->parent : NULL;
}

size_t vsamp_itt_pause_list(const struct vsamp_itt *itt, const struct vsamp_pause **pauses)
{
	*pauses = (const void *)itt->pauses.data;
	return itt->pauses.size / sizeof(**pauses);
}

const char *vsamp_itt_thread_name(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid)
{
	const struct itt_thread *t = itt_thread_find(itt, pid, tid);

	return t ? t->name : NULL;
}

const struct vsamp_itt_counts *vsamp_itt_counts(const struct vsamp_itt *itt)
{
	return &itt->counts;
}

size_t vsamp_itt_diagnoses(const struct vsamp_itt *itt, const char *const **texts)
{
	*texts = (const char *const *)itt->diagnoses.data;
	return itt->diagnoses.size / sizeof(char *);
}

static void free_texts(struct buf *texts)
{
	for (size_t i = 0; i < texts->size / sizeof(char *); i++)
		free(((char **)texts->data)[i]);
	buf_free(texts);
}

void vsamp_itt_free(struct vsamp_itt *itt)
{
	if (!itt)
		return;
	for (size_t i = 0; i < itt->threads; i++) {
		free(itt->thread[i].tasks.row);
		free(itt->thread[i].events.row);
	}
	for (size_t i = 0; i < itt->tracks; i++)
		free((void *)itt->track[i].point);
	for (size_t i = 0; i < itt->distributions; i++)
		free((void *)itt->distribution[i].bucket);
	free(itt->distribution);
	free(itt->attribute);
	free(itt->relation);
	free(itt->thread);
	free(itt->track);
	free(itt->span);
	free_texts(&itt->text);
	free_texts(&itt->diagnoses);
	intern_free(&itt->texts);
	buf_free(&itt->links);
	buf_free(&itt->pauses);
	free(itt);
}
