/* SPDX-License-Identifier: MIT */
/*
 * itt_match.h: a process while the ends of its ITT calls find their begins
 *
 * What is under way is a node, in three rows that begin with the innermost: all of its thread, simple
 * tasks apart; those that its end may mean; and those of its domain in the whole process.
 */
#ifndef ITT_MATCH_H
#define ITT_MATCH_H

#include "itt_private.h"

#define ITT_ANY_THREAD	   UINT32_MAX

#define ITT_PAUSED_PROCESS (1U << 0)
#define ITT_PAUSED_SESSION (1U << 1)

enum itt_row { IN_THREAD, BY_END, IN_DOMAIN, ROWS };

struct itt_node {
	uint64_t span; /* lane << 32 | number in it */
	enum vsamp_span_kind kind;
	bool process;	 /* its end may be on any thread */
	uint32_t end;	 /* number of the key of its end */
	uint32_t domain; /* number of its row */
	struct {
		uint32_t outer, inner; /* numbers of nodes + 1 */
	} in[ROWS];
};

/* What an end means: the innermost of these */
struct itt_end {
	uint32_t kind, lane; /* lane: ITT_ANY_THREAD of what is the process's */
	uint32_t by;	     /* whether by id; of events: the lane's life */
	uint32_t what;	     /* number of the id or the domain; of events: the handle */
};

/* What an id stands for */
struct itt_id_row {
	uint64_t span; /* + 1 */
	uint32_t domain;
	bool bound, told;
};

/* A synchronization object */
struct itt_object {
	const char *type, *name; /* NULL: not told */
};

struct itt_match {
	struct itt_build *b;
	struct itt_defs defs;
	struct procmap procmap;
	uint32_t pid;
	size_t from, to;       /* its lanes */
	struct itt_table ends; /* by struct itt_end: number of a node, of an event's a span, + 1 */
	struct itt_table ids;  /* by id: struct itt_id_row */
	struct itt_table objects; /* by address: struct itt_object */
	struct buf nodes;
	uint32_t unused;     /* node + 1, then by its in[0].outer */
	uint32_t open;	     /* of the process, not of a thread */
	unsigned int paused; /* by whom: ITT_PAUSED_x */
	uint64_t pause;	     /* that it began, ns */
	bool detached;
};

/* A call, as it is dealt with */
struct itt_moment {
	const struct vsamp_itt_call *c;
	struct itt_lane *lane;
	uint32_t lane_number;
	uint64_t time;	 /* ns: that it tells, or was made at */
	uint32_t domain; /* number of its row */
	uint32_t id;	 /* number of its row, if it has one */
};

static inline struct itt_node *node_at(const struct itt_match *m, uint32_t n)
{
	return (struct itt_node *)m->nodes.data + n - 1;
}

static inline struct vsamp_span *span_at(const struct itt_match *m, uint64_t span)
{
	return &m->b->lane[span >> 32].span[(uint32_t)span];
}

/* itt_nodes.c: what is under way. Begins: 0 or -ENOMEM */
int itt_node_begin(struct itt_match *m, const struct itt_node *node);
/* Ends one, by its number + 1, at a time in ns */
void itt_node_end(struct itt_match *m, uint32_t n, uint64_t time);
/* The same of what has no end of its own */
void itt_node_cut(struct itt_match *m, uint32_t n, uint64_t time);
/* Ends all that is under way in a thread */
void itt_lane_cut(struct itt_match *m, struct itt_lane *lane, uint64_t time);
/* Ends a span, which has a node or not */
void itt_span_end(struct itt_match *m, struct vsamp_span *span, uint64_t time);

/* itt_rules.c: calls that begin and end spans. -E2BIG, -ENOMEM */
int itt_rule(struct itt_match *m, struct itt_moment *at);
/* Begins a span that lasts until its end comes; @by_id: which that is at->id tells */
int itt_begin(struct itt_match *m, const struct itt_moment *at, enum vsamp_span_kind kind,
	      bool by_id);
/* Ends the innermost that this end means */
int itt_end(struct itt_match *m, const struct itt_moment *at, enum vsamp_span_kind kind,
	    bool by_id);
/* The text of the call's NAME, "" if there is none; -ENOMEM in *@ret */
const char *itt_call_name(struct itt_match *m, const struct itt_moment *at, int *ret);

/* itt_data.c: calls that tell of spans. -ENOMEM */
int itt_metadata(struct itt_match *m, const struct itt_moment *at);
int itt_relation(struct itt_match *m, const struct itt_moment *at);
/* Relations since @first to ids that nothing had yet: what has them now */
int itt_relations_late(struct itt_match *m, size_t first);

/* itt_sync.c: what an object is, and calls of it. -E2BIG, -ENOMEM */
int itt_sync_object(struct itt_match *m, const struct itt_moment *at);
int itt_sync(struct itt_match *m, const struct itt_moment *at);

/* itt_state.c: calls that tell of a thread or the process, and those that are counted. -ENOMEM */
int itt_state(struct itt_match *m, const struct itt_moment *at);
/* Pauses, or no longer, by one who may. -ENOMEM */
int itt_pause(struct itt_match *m, uint64_t time, unsigned int by, bool pause);
/* Ends a pause. -ENOMEM */
int itt_pause_end(struct itt_match *m, uint64_t time);

#endif
