// SPDX-License-Identifier: MIT
/* itt_data.c: metadata and relations, and the spans that they are of */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "itt_match.h"

#define SCOPE_TASK 4 /* of the API */

/* While it is matched */
struct told {
	uint64_t span; /* + 1, 0: none */
	size_t order;
	struct vsamp_itt_attribute a;
};

struct related {
	uint64_t head, tail; /* likewise */
	struct vsamp_itt_related r;
};

/* The innermost simple task of the thread + 1, or 0 */
static uint64_t current_task(const struct itt_match *m, const struct itt_moment *at)
{
	return at->lane->open[0] ? node_at(m, at->lane->open[0])->span + 1 : 0;
}

/* Writes a number as JSON has it */
static int number_print(char *to, size_t room, uint8_t type, const uint8_t *value)
{
	uint64_t bits = 0;
	double real;

	memcpy(&bits, value, vsamp_itt_value_size(type));
	real = itt_value(type, bits);
	switch (type) {
	case VSAMP_ITT_S64:
		return snprintf(to, room, "%" PRId64, (int64_t)bits);
	case VSAMP_ITT_FLOAT:
	case VSAMP_ITT_DOUBLE:
		if (!isfinite(real))
			return snprintf(to, room, "null");
		return snprintf(to, room, "%.*g", type == VSAMP_ITT_FLOAT ? 9 : 17, real);
	case VSAMP_ITT_U32 ... VSAMP_ITT_S16:
		return snprintf(to, room, "%.0f", real);
	}
	return snprintf(to, room, "%" PRIu64, bits);
}

/* The values as text, as far as there is room for whole ones */
static const char *values_text(struct vsamp_itt *itt, const struct vsamp_itt_metadata *body,
			       bool *cut)
{
	size_t width = vsamp_itt_value_size(body->type), size = 0;
	char text[VSAMP_ITT_VALUE_MAX], one[32];

	for (uint32_t i = 0; i < body->count; i++) {
		int n = number_print(one, sizeof(one), body->type, body->data + i * width);

		if (size + n + 2 > sizeof(text)) {
			*cut = true;
			break;
		}
		if (i) {
			memcpy(text + size, ", ", 2);
			size += 2;
		}
		memcpy(text + size, one, n);
		size += n;
	}
	return itt_text(itt, text, size);
}

static const char *value_text(struct vsamp_itt *itt, const struct vsamp_itt_metadata *body,
			      bool *cut)
{
	uint32_t length = body->count;

	if (body->type != VSAMP_ITT_CHARS)
		return values_text(itt, body, cut);
	if (length > VSAMP_ITT_VALUE_MAX) {
		length = VSAMP_ITT_VALUE_MAX;
		*cut = true;
	}
	return itt_text(itt, (const char *)body->data, length);
}

int itt_metadata(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_metadata *body = at->c->body;
	const struct itt_domain *domain = itt_table_at(&m->defs.domains, at->domain);
	struct vsamp_itt *itt = m->b->itt;
	struct told told = {
		.order = itt->counts.metadata++,
		.a = {
			.pid = m->pid,
			.tid = at->lane->thread.tid,
			.time = at->time,
			.domain = domain->name ? domain->name : "",
			.text = body->type == VSAMP_ITT_CHARS,
			.cut = at->c->flags & VSAMP_ITT_TRUNCATED,
		},
	};
	int ret = 0;

	if (at->c->flags & VSAMP_ITT_HAS_ID)
		told.span = ((struct itt_id_row *)itt_table_at(&m->ids, at->id))->span;
	else if (!body->scope || body->scope == SCOPE_TASK)
		told.span = current_task(m, at);
	told.a.key = itt_call_name(m, at, &ret);
	told.a.value = value_text(itt, body, &told.a.cut);
	if (ret || !told.a.value)
		return -ENOMEM;
	return buf_add(&m->b->told, &told, sizeof(told));
}

/* What has an id + 1, or 0; -ENOMEM in *@ret */
static uint64_t id_span(struct itt_match *m, const struct vsamp_itt_id *id, int *ret)
{
	const struct itt_id_row *row = itt_table_row(&m->ids, id, sizeof(*id));

	if (!row)
		*ret = -ENOMEM;
	return row ? row->span : 0;
}

int itt_relation(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_relation *body = at->c->body;
	struct related related = {
		.r = {
			.pid = m->pid,
			.tid = at->lane->thread.tid,
			.time = at->time,
			.relation = body->relation,
			.head_id = at->c->id,
			.tail_id = at->c->parent,
		},
	};
	int ret = 0;

	m->b->itt->counts.relations++;
	related.head = at->c->flags & VSAMP_ITT_HAS_ID ? id_span(m, &at->c->id, &ret) :
							 current_task(m, at);
	if (at->c->flags & VSAMP_ITT_HAS_PARENT)
		related.tail = id_span(m, &at->c->parent, &ret);
	return ret ? ret : buf_add(&m->b->related, &related, sizeof(related));
}

int itt_relations_late(struct itt_match *m, size_t first)
{
	static const struct vsamp_itt_id null;
	struct related *r = (void *)m->b->related.data;
	int ret = 0;

	for (size_t i = first; i < m->b->related.size / sizeof(*r) && !ret; i++) {
		if (!r[i].head && memcmp(&r[i].r.head_id, &null, sizeof(null)))
			r[i].head = id_span(m, &r[i].r.head_id, &ret);
		if (!r[i].tail && memcmp(&r[i].r.tail_id, &null, sizeof(null)))
			r[i].tail = id_span(m, &r[i].r.tail_id, &ret);
	}
	return ret;
}

size_t itt_relations_count(const struct itt_build *b)
{
	return b->related.size / sizeof(struct related);
}

static int told_order(const void *a, const void *b)
{
	const struct told *x = a, *y = b;

	if (x->span != y->span)
		return x->span - 1 < y->span - 1 ? -1 : 1; /* none is last */
	return x->order < y->order ? -1 : x->order > y->order;
}

int itt_data_settle(struct itt_build *b, const struct itt_places *places)
{
	size_t tolds = b->told.size / sizeof(struct told), n = itt_relations_count(b);
	struct related *related = (void *)b->related.data;
	struct told *told = (void *)b->told.data;
	struct vsamp_itt *itt = b->itt;

	itt->attribute = malloc((tolds + 1) * sizeof(*itt->attribute));
	itt->relation = malloc((n + 1) * sizeof(*itt->relation));
	if (!itt->attribute || !itt->relation)
		return -ENOMEM;
	for (size_t i = 0; i < tolds; i++)
		told[i].span = told[i].span ? itt_place(places, told[i].span - 1) + 1 : 0;
	if (tolds)
		qsort(told, tolds, sizeof(*told), told_order);
	for (; itt->attributes < tolds; itt->attributes++) {
		const struct told *t = &told[itt->attributes];

		itt->attribute[itt->attributes] = t->a;
		if (t->span)
			itt->attribute[itt->attributes].span = itt->span + t->span - 1;
	}
	for (; itt->relations < n; itt->relations++) {
		const struct related *r = &related[itt->relations];
		struct vsamp_itt_related *to = &itt->relation[itt->relations];

		*to = r->r;
		to->head = r->head ? itt->span + itt_place(places, r->head - 1) : NULL;
		to->tail = r->tail ? itt->span + itt_place(places, r->tail - 1) : NULL;
	}
	return 0;
}

size_t vsamp_itt_attributes(const struct vsamp_itt *itt,
			    const struct vsamp_itt_attribute **attributes)
{
	*attributes = itt->attribute;
	return itt->attributes;
}

size_t vsamp_itt_span_attributes(const struct vsamp_itt *itt, const struct vsamp_span *span,
				 const struct vsamp_itt_attribute **attributes)
{
	size_t low = 0, high = itt->attributes, n = 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct vsamp_span *of = itt->attribute[middle].span;

		if (of && of < span)
			low = middle + 1;
		else
			high = middle;
	}
	*attributes = itt->attribute + low;
	while (low + n < itt->attributes && itt->attribute[low + n].span == span)
		n++;
	return n;
}

size_t vsamp_itt_relations(const struct vsamp_itt *itt, const struct vsamp_itt_related **relations)
{
	*relations = itt->relation;
	return itt->relations;
}

const char *vsamp_itt_relation_name(uint32_t relation)
{
	static const char *const names[] = {
		"unknown",	   "dependent on", "sibling of",   "parent of",
		"continuation of", "child of",	   "continued by", "predecessor to",
	};

	return names[relation < sizeof(names) / sizeof(*names) ? relation : 0];
}
