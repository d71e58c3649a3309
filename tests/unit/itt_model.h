/* SPDX-License-Identifier: MIT */
/*
 * itt_model.h: what ITT calls mean, as slowly and plainly as can be
 *
 * One list of spans, searched from its end for each call; then whose every single unit of time is.
 * It can be wrong on purpose, to see that tests tell.
 */
#ifndef ITT_MODEL_H
#define ITT_MODEL_H

#include "itt_ops.h"

#define MODEL_SPANS 512
#define MODEL_TIMES 4096

enum model_wrong {
	MODEL_RIGHT,
	MODEL_NO_THREADS, /* an end ends what began on any thread */
	MODEL_NO_DOMAINS, /* of any domain */
	MODEL_FIFO,	  /* the first that began, not the last */
	MODEL_BY_TIME,	  /* what began last by its time, not by its call */
};

struct model_span {
	struct vsamp_span s;
	unsigned int domain, id;
	size_t order;
	bool open, by_id;
};

struct model_id {
	unsigned int domain; /* 0: not bound */
};

struct model {
	enum model_wrong wrong;
	struct model_span span[MODEL_SPANS];
	size_t spans;
	struct model_id id[100];
	struct vsamp_itt_counts counts;
	char object[100]; /* what it is called */
	bool paused, off[OPS_DOMAINS + 1], detached;
	bool paused_at[MODEL_TIMES];
	uint64_t last; /* up to where pauses are told */
	uint64_t clock_frequency[10], clock_base[10], clock_at[10];
	uint64_t last_of[OPS_THREADS + 1]; /* call of a thread */
};

static inline uint64_t model_time(struct model *m, const struct op *op)
{
	if (!op->stamped)
		return op->time;
	if (!op->clock)
		return op->stamp;
	/* whole units a tick */
	assert_int_equal(1000000000 % m->clock_frequency[op->clock], 0);
	return m->clock_at[op->clock] + (op->stamp - m->clock_base[op->clock]) *
						(1000000000 / m->clock_frequency[op->clock]);
}

static inline void model_clock(struct model *m, const struct op *op)
{
	m->clock_frequency[op->id] = op->value[0];
	m->clock_base[op->id] = op->value[1];
	m->clock_at[op->id] = op->time;
}

static inline struct model_span *model_begin(struct model *m, const struct op *op,
					     enum vsamp_span_kind kind, uint64_t time)
{
	static char names[26][2], functions[MODEL_SPANS][24];
	struct model_span *span = &m->span[m->spans];

	assert_true(m->spans < MODEL_SPANS);
	*span = (struct model_span){
		.s = { .kind = kind,
		       .pid = 10,
		       .tid = op->thread,
		       .begin = time,
		       .end = time,
		       .tick = true,
		       .continued = op->continued,
		       .name = "" },
		.domain = op->domain,
		.id = op->id,
		.order = m->spans++,
		.by_id = op->id,
	};
	if (op->fn) {
		snprintf(functions[span->order], sizeof(functions[0]), "0x%llx",
			 (unsigned long long)op->fn);
		span->s.name = functions[span->order];
	}
	if (op->name) {
		names[op->name - 'a'][0] = op->name;
		span->s.name = names[op->name - 'a'];
	}
	return span;
}

static inline void model_end(struct model *m, struct model_span *span, uint64_t time)
{
	span->open = false;
	span->s.tick = false;
	span->s.backwards = time < span->s.begin;
	span->s.end = span->s.backwards ? span->s.begin : time;
	m->counts.backwards += span->s.backwards;
}

static inline void model_cut(struct model *m, struct model_span *span, uint64_t time)
{
	model_end(m, span, time > span->s.begin ? time : span->s.begin);
	span->s.cut = true;
	m->counts.cut += span->s.kind != VSAMP_SPAN_WAIT;
}

/* The one that an end means, or NULL */
static inline struct model_span *model_find(struct model *m, const struct op *op,
					    enum vsamp_span_kind kind)
{
	bool process = kind == VSAMP_SPAN_REGION || (kind == VSAMP_SPAN_FRAME && op->id);
	struct model_span *found = NULL;

	for (size_t i = m->spans; i-- > 0;) {
		struct model_span *s = &m->span[i];

		if (!s->open || s->s.kind != kind)
			continue;
		if (!process && m->wrong != MODEL_NO_THREADS && s->s.tid != op->thread)
			continue;
		if (kind == VSAMP_SPAN_EVENT) {
			if (s->s.name[0] != op->name)
				continue;
		} else if (kind == VSAMP_SPAN_OVERLAPPED || kind == VSAMP_SPAN_WAIT || process) {
			if (s->id != op->id)
				continue;
		} else if (kind == VSAMP_SPAN_FRAME && s->by_id) {
			continue;
		}
		if ((kind == VSAMP_SPAN_TASK || (kind == VSAMP_SPAN_FRAME && !op->id)) &&
		    m->wrong != MODEL_NO_DOMAINS && s->domain != op->domain)
			continue;
		if (!found || m->wrong == MODEL_FIFO ||
		    (m->wrong == MODEL_BY_TIME && s->s.begin > found->s.begin))
			found = s;
		if (m->wrong != MODEL_FIFO && m->wrong != MODEL_BY_TIME)
			break;
	}
	return found;
}

static inline void model_task_end(struct model *m, const struct op *op, uint64_t time)
{
	struct model_span *found = model_find(m, op, VSAMP_SPAN_TASK);
	bool mismatched = false;

	if (!found) {
		m->counts.unmatched[VSAMP_SPAN_TASK]++;
		return;
	}
	for (size_t i = found->order + 1; i < m->spans && m->wrong != MODEL_FIFO; i++) {
		struct model_span *s = &m->span[i];

		if (!s->open || s->s.kind != VSAMP_SPAN_TASK || s->s.tid != found->s.tid)
			continue;
		model_end(m, s, time);
		s->s.mismatched = mismatched = true;
	}
	m->counts.mismatched += mismatched;
	model_end(m, found, time);
}

static inline void model_use_id(struct model *m, unsigned int id, unsigned int domain)
{
	if (!id)
		return;
	if (m->id[id].domain && m->id[id].domain != domain)
		m->counts.rebound++;
	m->id[id].domain = domain;
}

static inline void model_open(struct model *m, const struct op *op, enum vsamp_span_kind kind,
			      uint64_t time)
{
	struct model_span *span;

	if (kind >= VSAMP_SPAN_REGION && model_find(m, op, kind)) {
		if (kind == VSAMP_SPAN_WAIT)
			m->counts.prepared++;
		else
			m->counts.repeated++;
		return;
	}
	span = model_begin(m, op, kind, time);
	for (size_t i = 0; i < span->order && kind == VSAMP_SPAN_TASK; i++)
		span->s.depth += m->span[i].open && m->span[i].s.kind == kind &&
				 m->span[i].s.tid == op->thread;
	span->open = true;
}

static inline void model_close(struct model *m, const struct op *op, enum vsamp_span_kind kind,
			       uint64_t time)
{
	struct model_span *found = model_find(m, op, kind);

	if (found)
		model_end(m, found, time);
	else if (kind != VSAMP_SPAN_WAIT)
		m->counts.unmatched[kind]++;
}

/* Ends without an end of their own: of a thread, of a domain, or 0: of any */
static inline void model_cut_all(struct model *m, unsigned int thread, unsigned int domain,
				 uint64_t time)
{
	for (size_t i = 0; i < m->spans; i++) {
		struct model_span *s = &m->span[i];
		bool process = s->s.kind == VSAMP_SPAN_REGION ||
			       (s->s.kind == VSAMP_SPAN_FRAME && s->by_id);

		if (thread && s->s.tid != thread)
			continue;
		if (s->open && s->s.kind == VSAMP_SPAN_EVENT) {
			if (thread && !domain)
				s->open = false; /* a tick mark for good */
			continue;
		}
		if (!s->open || (thread && process) ||
		    (domain && (s->domain != domain || s->s.kind == VSAMP_SPAN_WAIT)))
			continue;
		model_cut(m, s, time);
	}
}

static inline void model_event(struct model *m, const struct op *op, uint64_t time)
{
	if (m->paused) {
		m->counts.paused++;
	} else if (op->what == 'S') {
		model_begin(m, op, VSAMP_SPAN_EVENT, time)->open = true;
	} else {
		model_close(m, op, VSAMP_SPAN_EVENT, time);
	}
}

/* Calls of an object */
static inline void model_sync(struct model *m, const struct op *op, uint64_t time)
{
	struct op named = *op;

	named.name = m->object[op->id];
	if (op->what == 'J')
		m->object[op->id] = op->name;
	else if (op->what == 'z')
		m->object[op->id] = 0;
	else if (op->what == 'W')
		model_open(m, &named, VSAMP_SPAN_WAIT, time);
	else if (op->what != 'Z')
		model_close(m, &named, VSAMP_SPAN_WAIT, time);
}

/* Calls of a domain */
static inline void model_domain_op(struct model *m, const struct op *op, uint64_t time)
{
	struct model_span *span;

	if (m->off[op->domain]) {
		m->counts.off++;
		return;
	}
	if (strchr("OXRr", op->what) && !op->id) {
		m->counts.no_id++;
		return;
	}
	model_use_id(m, op->parent, op->domain);
	model_use_id(m, op->id, op->domain);
	switch (op->what) {
	case 'B':
		model_open(m, op, VSAMP_SPAN_TASK, time);
		break;
	case 'E':
		model_task_end(m, op, time);
		break;
	case 'O':
	case 'R':
	case 'F':
		model_open(m, op,
			   op->what == 'O' ? VSAMP_SPAN_OVERLAPPED :
			   op->what == 'R' ? VSAMP_SPAN_REGION :
					     VSAMP_SPAN_FRAME,
			   time);
		break;
	case 'X':
	case 'r':
	case 'f':
		model_close(m, op,
			    op->what == 'X' ? VSAMP_SPAN_OVERLAPPED :
			    op->what == 'r' ? VSAMP_SPAN_REGION :
					      VSAMP_SPAN_FRAME,
			    time);
		break;
	case 'G':
	case 'M':
		model_begin(m, op, op->what == 'G' ? VSAMP_SPAN_REGION : VSAMP_SPAN_MARKER, time);
		break;
	case 'U':
		span = model_begin(m, op, VSAMP_SPAN_FRAME,
				   op->value[0] == VSAMP_ITT_NOW ? time : op->value[0]);
		model_end(m, span, op->value[1] == VSAMP_ITT_NOW ? time : op->value[1]);
		break;
	case '$':
		m->id[op->id].domain = 0;
		break;
	}
}

static inline void model_pauses_until(struct model *m, uint64_t time)
{
	assert_true(time <= MODEL_TIMES);
	for (; m->last < time; m->last++)
		m->paused_at[m->last] = m->paused;
}

static inline void model_op(struct model *m, const struct op *op)
{
	uint64_t time = model_time(m, op);

	if (m->detached) {
		m->counts.off++;
		return;
	}
	switch (op->what) {
	case 'P':
	case 'C':
		model_pauses_until(m, op->time);
		if (op->name != 'o' && op->name != 's')
			m->paused = op->what == 'P';
		break;
	case 'S':
	case 'N':
		model_event(m, op, time);
		break;
	case 'J':
	case 'W':
	case 'A':
	case 'Y':
	case 'Z':
	case 'z':
		model_sync(m, op, time);
		break;
	case 'Q':
		model_cut_all(m, op->thread, 0, m->last_of[op->thread]);
		break;
	case 'q':
		model_cut_all(m, op->thread, 0, time);
		break;
	case 'x':
	case 'o':
		m->off[op->domain] = op->what == 'x';
		if (op->what == 'x')
			model_cut_all(m, 0, op->domain, time);
		break;
	case 'D':
		model_cut_all(m, 0, 0, time);
		m->detached = true;
		break;
	case 'L':
		m->counts.lost += op->value[0];
		break;
	case 'K':
		model_clock(m, op);
		break;
	default:
		model_domain_op(m, op, time);
	}
	m->last_of[op->thread] = op->time;
}

static inline bool model_in(const struct vsamp_span *s, uint64_t time)
{
	return !s->tick && s->begin <= time && time < s->end;
}

/* Whether a time is a span's: none that was called later, of tasks or of events, has it too */
static inline bool model_owns(const struct model *m, const struct model_span *span, uint64_t time)
{
	bool event = span->s.kind == VSAMP_SPAN_EVENT;

	for (size_t i = 0; i < m->spans; i++) {
		const struct model_span *s = &m->span[i];

		if (s->s.tid != span->s.tid || s->s.kind > VSAMP_SPAN_EVENT ||
		    (s->s.kind == VSAMP_SPAN_EVENT) != event || !model_in(&s->s, time))
			continue;
		if (s->order > span->order)
			return false;
	}
	return model_in(&span->s, time);
}

static inline void model_settle(struct model *m, struct model_span *span)
{
	struct vsamp_span *s = &span->s;

	for (uint64_t t = s->begin; t < s->end; t++) {
		bool counts = !m->paused_at[t];

		s->inclusive += counts;
		s->exclusive += counts &&
				(s->kind == VSAMP_SPAN_REGION || s->kind == VSAMP_SPAN_FRAME ||
				 s->kind == VSAMP_SPAN_WAIT || model_owns(m, span, t));
	}
	for (size_t i = 0; i < m->spans && s->kind != VSAMP_SPAN_TASK; i++) {
		const struct model_span *o = &m->span[i];
		bool earlier = o->s.begin < s->begin ||
			       (o->s.begin == s->begin && o->order < span->order);

		s->depth += o->s.kind == s->kind && o->s.tid == s->tid && !o->s.tick && earlier &&
			    s->kind != VSAMP_SPAN_MARKER &&
			    o->s.end >= (s->end > s->begin ? s->end : s->begin + 1);
	}
}

static inline int model_order(const void *a, const void *b)
{
	const struct model_span *x = a, *y = b;

	if (x->s.tid != y->s.tid)
		return x->s.tid < y->s.tid ? -1 : 1;
	if (x->s.begin != y->s.begin)
		return x->s.begin < y->s.begin ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* What operations that are in the order of their times mean; threads end at @end */
static inline void model_run(struct model *m, const struct op *ops, size_t n, uint64_t end,
			     enum model_wrong wrong)
{
	memset(m, 0, sizeof(*m));
	m->wrong = wrong;
	/* what clocks are at first serves calls before that, too */
	for (size_t i = n; i-- > 0;)
		if (ops[i].what == 'K')
			model_clock(m, &ops[i]);
	for (size_t i = 0; i < n; i++)
		model_op(m, &ops[i]);
	model_cut_all(m, 0, 0, end);
	model_pauses_until(m, MODEL_TIMES);
	for (size_t i = 0; i < m->spans; i++)
		model_settle(m, &m->span[i]);
	qsort(m->span, m->spans, sizeof(*m->span), model_order);
}

static inline void model_text(const struct model *m, char *text, size_t size)
{
	struct vsamp_span span[MODEL_SPANS];

	for (size_t i = 0; i < m->spans; i++)
		span[i] = m->span[i].s;
	meaning_text(text, size, span, m->spans, &m->counts);
}

#endif
