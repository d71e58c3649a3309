// SPDX-License-Identifier: MIT
/* itt_rules.c: which begin an end means, and whose an id is */
#include "itt_match.h"

#define SPANS_MAX (UINT32_MAX - 2)

static const char *domain_name(struct itt_match *m, const struct itt_moment *at)
{
	const struct itt_domain *domain = itt_table_at(&m->defs.domains, at->domain);

	if (!domain->name && at->c->handle)
		m->b->itt->counts.undefined++;
	return domain->name ? domain->name : "";
}

const char *itt_call_name(struct itt_match *m, const struct itt_moment *at, int *ret)
{
	const char *name = NULL;

	if (at->c->flags & VSAMP_ITT_HAS_NAME) {
		name = itt_defs_string(&m->defs, at->c->name, ret);
		m->b->itt->counts.undefined += !name;
	}
	return name ? name : "";
}

/* A tick mark up to now; NULL with an error */
static struct vsamp_span *span_new(struct itt_match *m, const struct itt_moment *at,
				   enum vsamp_span_kind kind, int *ret)
{
	struct itt_lane *lane = at->lane;
	struct vsamp_span *span;

	if (lane->spans == lane->room) {
		uint32_t room = lane->room ?
					lane->room < SPANS_MAX / 2 ? 2 * lane->room : SPANS_MAX :
					16;

		if (lane->spans == SPANS_MAX) {
			*ret = -E2BIG;
			return NULL;
		}
		span = realloc(lane->span, room * sizeof(*span));
		if (!span) {
			*ret = -ENOMEM;
			return NULL;
		}
		lane->span = span;
		lane->room = room;
	}
	span = &lane->span[lane->spans++];
	*span = (struct vsamp_span){
		.kind = kind,
		.pid = lane->thread.pid,
		.tid = lane->thread.tid,
		.begin = at->time,
		.end = at->time,
		.tick = true,
		.continued = at->c->flags & VSAMP_ITT_CONTINUED,
		.domain = kind == VSAMP_SPAN_EVENT ? "" : domain_name(m, at),
		.name = "",
	};
	if (kind != VSAMP_SPAN_EVENT)
		span->name = itt_call_name(m, at, ret);
	return *ret ? NULL : span;
}

static uint64_t last_span(const struct itt_moment *at)
{
	return (uint64_t)at->lane_number << 32 | (at->lane->spans - 1);
}

/* What id and parent of the new span tell */
static int span_ids(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_call *c = at->c;
	struct itt_link link = { .child = last_span(at) };
	struct itt_id_row *row;

	if (c->flags & VSAMP_ITT_HAS_PARENT) {
		row = itt_table_row(&m->ids, &c->parent, sizeof(c->parent));
		if (!row)
			return -ENOMEM;
		link.parent = row->span - 1;
		if (row->span && buf_add(&m->b->itt->links, &link, sizeof(link)))
			return -ENOMEM;
	}
	if (c->flags & VSAMP_ITT_HAS_ID) {
		row = itt_table_at(&m->ids, at->id);
		row->span = last_span(at) + 1;
	}
	return 0;
}

static int fn_name(struct itt_match *m, const struct itt_moment *at)
{
	if (!(at->c->flags & VSAMP_ITT_HAS_FN))
		return 0;
	return itt_fn_add(m->b, &m->procmap, m->pid,
			  (struct itt_fn){ last_span(at), at->c->fn, at->c->time, SPOT_NONE });
}

/* Whether its end may be on any thread */
static bool of_process(enum vsamp_span_kind kind, bool by_id)
{
	return kind == VSAMP_SPAN_REGION || (kind == VSAMP_SPAN_FRAME && by_id);
}

/* Whether another of the same end may begin in it */
static bool nests(enum vsamp_span_kind kind)
{
	return kind == VSAMP_SPAN_TASK || kind == VSAMP_SPAN_OVERLAPPED;
}

/* The number of what an end of this call means, or -ENOMEM */
static int64_t end_number(struct itt_match *m, const struct itt_moment *at,
			  enum vsamp_span_kind kind, bool by_id)
{
	struct itt_end key = {
		.kind = kind,
		.lane = of_process(kind, by_id) ? ITT_ANY_THREAD : at->lane_number,
		.by = by_id,
		.what = by_id ? at->id : at->domain,
	};

	return itt_table_number(&m->ends, &key, sizeof(key));
}

static uint32_t *end_at(struct itt_match *m, int64_t number)
{
	return itt_table_at(&m->ends, number);
}

int itt_begin(struct itt_match *m, const struct itt_moment *at, enum vsamp_span_kind kind,
	      bool by_id)
{
	int64_t end = end_number(m, at, kind, by_id);
	struct vsamp_span *span;
	int ret = 0;

	if (end < 0)
		return end;
	if (!nests(kind) && *end_at(m, end)) {
		/* who waits may say so again */
		if (kind == VSAMP_SPAN_WAIT)
			m->b->itt->counts.prepared++;
		else
			m->b->itt->counts.repeated++;
		return 0;
	}
	span = span_new(m, at, kind, &ret);
	if (!span)
		return ret;
	if (kind == VSAMP_SPAN_TASK)
		span->depth = at->lane->depth++;
	ret = itt_node_begin(m, &(struct itt_node){
					.span = last_span(at),
					.kind = kind,
					.process = of_process(kind, by_id),
					.end = end,
					.domain = at->domain,
				});
	if (!ret)
		ret = span_ids(m, at);
	return ret ? ret : fn_name(m, at);
}

int itt_end(struct itt_match *m, const struct itt_moment *at, enum vsamp_span_kind kind, bool by_id)
{
	int64_t number = end_number(m, at, kind, by_id);

	if (number < 0)
		return number;
	if (*end_at(m, number))
		itt_node_end(m, *end_at(m, number), at->time);
	else if (kind != VSAMP_SPAN_WAIT) /* who acquires what is free needn't have waited */
		m->b->itt->counts.unmatched[kind]++;
	return 0;
}

/* If it isn't the innermost, all that are in it end too */
static int task_end(struct itt_match *m, const struct itt_moment *at)
{
	int64_t number = end_number(m, at, VSAMP_SPAN_TASK, false);
	uint32_t *inner = &at->lane->open[0], n;

	if (number < 0)
		return number;
	n = *end_at(m, number);
	if (n && n != *inner)
		m->b->itt->counts.mismatched++;
	while (n && n != *inner) {
		span_at(m, node_at(m, *inner)->span)->mismatched = true;
		itt_node_end(m, *inner, at->time);
	}
	return itt_end(m, at, VSAMP_SPAN_TASK, false);
}

/* Spans without a node: tick marks, and such that tell both times */
static int mark(struct itt_match *m, const struct itt_moment *at, enum vsamp_span_kind kind)
{
	int ret = 0;

	if (!span_new(m, at, kind, &ret))
		return ret;
	return span_ids(m, at);
}

static int frame_submit(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_frame *frame = at->c->body;
	struct itt_moment begin = *at;
	int ret;

	if (frame->begin != VSAMP_ITT_NOW)
		begin.time = itt_ns(m->b, frame->begin);
	ret = mark(m, &begin, VSAMP_SPAN_FRAME);
	if (!ret)
		itt_span_end(m, &at->lane->span[at->lane->spans - 1],
			     frame->end == VSAMP_ITT_NOW ? at->time : itt_ns(m->b, frame->end));
	return ret;
}

/*
 * Starts that have no end yet are a row, the nearest first. As long as events are matched the
 * depth of their spans is where it goes on.
 */
static int event(struct itt_match *m, const struct itt_moment *at, bool start)
{
	const struct itt_event *row = itt_table_row(&m->defs.events, &at->c->handle,
						    sizeof(at->c->handle));
	struct itt_end key = { VSAMP_SPAN_EVENT, at->lane_number, at->lane->life, at->c->handle };
	uint32_t *open = itt_table_row(&m->ends, &key, sizeof(key));
	struct vsamp_span *span;
	int ret = 0;

	if (!row || !open)
		return -ENOMEM;
	if (m->paused) {
		m->b->itt->counts.paused++;
		return 0;
	}
	if (start) {
		span = span_new(m, at, VSAMP_SPAN_EVENT, &ret);
		if (!span)
			return ret;
		m->b->itt->counts.undefined += !row->name;
		span->name = row->name ? row->name : "";
		span->depth = *open;
		*open = at->lane->spans;
	} else if (*open) {
		span = &at->lane->span[*open - 1];
		*open = span->depth;
		itt_span_end(m, span, at->time);
	} else {
		m->b->itt->counts.unmatched[VSAMP_SPAN_EVENT]++;
	}
	return 0;
}

static void id_destroy(struct itt_match *m, const struct itt_moment *at)
{
	struct itt_id_row *row;

	if (!(at->c->flags & VSAMP_ITT_HAS_ID))
		return;
	row = itt_table_at(&m->ids, at->id);
	*row = (struct itt_id_row){ .told = row->told };
}

/* Whether the call must have an id, and has none */
static bool lacks_id(const struct vsamp_itt_call *c)
{
	switch (c->type) {
	case VSAMP_ITT_OVERLAPPED_BEGIN:
	case VSAMP_ITT_OVERLAPPED_END:
	case VSAMP_ITT_REGION_BEGIN:
	case VSAMP_ITT_REGION_END:
		return !(c->flags & VSAMP_ITT_HAS_ID);
	}
	return false;
}

static int domain_call(struct itt_match *m, const struct itt_moment *at)
{
	bool has_id = at->c->flags & VSAMP_ITT_HAS_ID;

	switch (at->c->type) {
	case VSAMP_ITT_TASK_BEGIN:
		return itt_begin(m, at, VSAMP_SPAN_TASK, false);
	case VSAMP_ITT_TASK_END:
		return task_end(m, at);
	case VSAMP_ITT_OVERLAPPED_BEGIN:
		return itt_begin(m, at, VSAMP_SPAN_OVERLAPPED, true);
	case VSAMP_ITT_OVERLAPPED_END:
		return itt_end(m, at, VSAMP_SPAN_OVERLAPPED, true);
	case VSAMP_ITT_TASK_GROUP:
		return mark(m, at, VSAMP_SPAN_REGION);
	case VSAMP_ITT_REGION_BEGIN:
		return itt_begin(m, at, VSAMP_SPAN_REGION, true);
	case VSAMP_ITT_REGION_END:
		return itt_end(m, at, VSAMP_SPAN_REGION, true);
	case VSAMP_ITT_FRAME_BEGIN:
		return itt_begin(m, at, VSAMP_SPAN_FRAME, has_id);
	case VSAMP_ITT_FRAME_END:
		return itt_end(m, at, VSAMP_SPAN_FRAME, has_id);
	case VSAMP_ITT_FRAME_SUBMIT:
		return frame_submit(m, at);
	case VSAMP_ITT_MARKER:
		return mark(m, at, VSAMP_SPAN_MARKER);
	case VSAMP_ITT_METADATA:
		return itt_metadata(m, at);
	case VSAMP_ITT_RELATION:
		return itt_relation(m, at);
	case VSAMP_ITT_ID_DESTROY:
		id_destroy(m, at);
		return 0;
	}
	return itt_state(m, at);
}

/* Whether the handle is a domain */
static bool has_domain(const struct vsamp_itt_call *c)
{
	if (c->type == VSAMP_ITT_COUNTER_ADD)
		return c->flags & VSAMP_ITT_HAS_NAME;
	if (c->type == VSAMP_ITT_COUNTER_SET)
		return false;
	return c->type >= VSAMP_ITT_TASK_BEGIN && c->type <= VSAMP_ITT_ID_DESTROY;
}

/* One id is of one domain at a time. Returns the number of its row, or -ENOMEM. */
static int64_t use_id(struct itt_match *m, const struct itt_moment *at,
		      const struct vsamp_itt_id *id)
{
	int64_t number = itt_table_number(&m->ids, id, sizeof(*id));
	const struct itt_domain *from, *to = itt_table_at(&m->defs.domains, at->domain);
	struct itt_id_row *row;
	int ret = 0;

	if (number < 0)
		return number;
	row = itt_table_at(&m->ids, number);
	if (row->bound && row->domain != at->domain) {
		from = itt_table_at(&m->defs.domains, row->domain);
		m->b->itt->counts.rebound++;
		if (!row->told)
			ret = itt_diagnose_rebound(m->b->itt, m->pid, id,
						   row->span ? span_at(m, row->span - 1)->name :
							       NULL,
						   from->name, to->name);
		row->told = true;
	}
	row->bound = true;
	row->domain = at->domain;
	return ret ? ret : number;
}

static int call_ids(struct itt_match *m, struct itt_moment *at)
{
	const struct vsamp_itt_call *c = at->c;
	int64_t number = 0;

	if (c->flags & VSAMP_ITT_HAS_PARENT)
		number = use_id(m, at, &c->parent);
	if (number >= 0 && c->flags & VSAMP_ITT_HAS_ID)
		at->id = number = use_id(m, at, &c->id);
	return number < 0 ? number : 0;
}

int itt_rule(struct itt_match *m, struct itt_moment *at)
{
	const struct vsamp_itt_call *c = at->c;
	const struct itt_domain *domain;
	int64_t number;
	int ret;

	if (c->type == VSAMP_ITT_EVENT_START || c->type == VSAMP_ITT_EVENT_END)
		return event(m, at, c->type == VSAMP_ITT_EVENT_START);
	if (!has_domain(c))
		return itt_state(m, at);
	number = itt_table_number(&m->defs.domains, &c->handle, sizeof(c->handle));
	if (number < 0)
		return number;
	at->domain = number;
	domain = itt_table_at(&m->defs.domains, number);
	if (domain->off) {
		m->b->itt->counts.off++;
		return 0;
	}
	if (lacks_id(c)) {
		m->b->itt->counts.no_id++;
		return 0;
	}
	ret = call_ids(m, at);
	return ret ? ret : domain_call(m, at);
}
