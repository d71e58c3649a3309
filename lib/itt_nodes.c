// SPDX-License-Identifier: MIT
/* itt_nodes.c: what is under way, in its rows */
#include "itt_match.h"

/* Where the innermost node of a row is told */
static uint32_t *row_head(struct itt_match *m, const struct itt_node *node, enum itt_row row)
{
	struct itt_domain *domain;

	switch (row) {
	case IN_THREAD:
		return node->process ?
			       &m->open :
			       &m->b->lane[node->span >> 32].open[node->kind != VSAMP_SPAN_TASK];
	case BY_END:
		return itt_table_at(&m->ends, node->end);
	default:
		domain = itt_table_at(&m->defs.domains, node->domain);
		return &domain->open;
	}
}

static void node_push(struct itt_match *m, uint32_t n)
{
	for (int row = 0; row < ROWS; row++) {
		uint32_t *head = row_head(m, node_at(m, n), row);

		node_at(m, n)->in[row].outer = *head;
		node_at(m, n)->in[row].inner = 0;
		if (*head)
			node_at(m, *head)->in[row].inner = n;
		*head = n;
	}
}

static void node_pull(struct itt_match *m, uint32_t n)
{
	const struct itt_node *node = node_at(m, n);

	for (int row = 0; row < ROWS; row++) {
		uint32_t outer = node->in[row].outer, inner = node->in[row].inner;

		if (inner)
			node_at(m, inner)->in[row].outer = outer;
		else
			*row_head(m, node, row) = outer;
		if (outer)
			node_at(m, outer)->in[row].inner = inner;
	}
}

/* Room for a node; 0 without memory */
static uint32_t node_new(struct itt_match *m)
{
	uint32_t n = m->unused;

	if (n) {
		m->unused = node_at(m, n)->in[0].outer;
		return n;
	}
	if (buf_reserve(&m->nodes, sizeof(struct itt_node)))
		return 0;
	m->nodes.size += sizeof(struct itt_node);
	return m->nodes.size / sizeof(struct itt_node);
}

int itt_node_begin(struct itt_match *m, const struct itt_node *node)
{
	uint32_t n = node_new(m);

	if (!n)
		return -ENOMEM;
	*node_at(m, n) = *node;
	node_push(m, n);
	return 0;
}

void itt_span_end(struct itt_match *m, struct vsamp_span *span, uint64_t time)
{
	span->backwards = time < span->begin;
	span->end = span->backwards ? span->begin : time;
	span->tick = false;
	m->b->itt->counts.backwards += span->backwards;
}

void itt_node_end(struct itt_match *m, uint32_t n, uint64_t time)
{
	struct itt_node *node = node_at(m, n);

	if (node->kind == VSAMP_SPAN_TASK)
		m->b->lane[node->span >> 32].depth--;
	itt_span_end(m, span_at(m, node->span), time);
	node_pull(m, n);
	node->in[0].outer = m->unused;
	m->unused = n;
}

void itt_node_cut(struct itt_match *m, uint32_t n, uint64_t time)
{
	struct vsamp_span *span = span_at(m, node_at(m, n)->span);

	span->cut = true;
	m->b->itt->counts.cut += span->kind != VSAMP_SPAN_WAIT; /* workers end so */
	itt_node_end(m, n, time > span->begin ? time : span->begin);
}

void itt_lane_cut(struct itt_match *m, struct itt_lane *lane, uint64_t time)
{
	lane->life++;
	for (size_t i = 0; i < sizeof(lane->open) / sizeof(*lane->open); i++)
		while (lane->open[i])
			itt_node_cut(m, lane->open[i], time);
}
