/* SPDX-License-Identifier: MIT */
/* itt_private.h: what ITT calls mean, from the inside, and while it is found out */
#ifndef ITT_PRIVATE_H
#define ITT_PRIVATE_H

#include <vsamp/itt.h>

#include "itt_stream.h"
#include "itt_table.h"
#include "names.h"
#include "procmap.h"

/* From here up to the next one, time belongs to a span of the thread: its number + 1, or 0: none */
struct itt_segment {
	uint64_t begin;
	uint32_t span;
};

struct itt_segments {
	struct itt_segment *row;
	size_t count;
};

struct itt_thread {
	uint32_t pid, tid;
	const char *name;
	size_t first, spans;
	struct itt_segments tasks, events;
};

/* Which span has which as its parent; while matched: lane << 32 | number in it */
struct itt_link {
	uint64_t child, parent;
};

struct vsamp_itt {
	struct vsamp_span *span;
	size_t spans;
	struct itt_thread *thread; /* by pid and tid */
	size_t threads;
	struct vsamp_track *track;
	size_t tracks;
	struct buf links;  /* struct itt_link, by child */
	struct buf pauses; /* struct vsamp_pause */
	struct vsamp_itt_attribute *attribute;
	size_t attributes;
	struct vsamp_itt_related *relation;
	size_t relations;
	struct vsamp_itt_distribution *distribution;
	size_t distributions;
	struct intern texts;
	struct buf text;      /* char *, by number of the texts: equal ones are the same pointer */
	struct buf diagnoses; /* char * */
	unsigned int rebound; /* of these, those that tell of an id */
	struct vsamp_itt_counts counts;
};

/* A thread while it is matched */
struct itt_lane {
	struct vsamp_itt_thread thread;
	uint64_t end;		 /* ns, as far as is known */
	uint64_t last;		 /* ns, of its last call */
	struct vsamp_span *span; /* in the order of their begins' calls */
	uint32_t spans, room;
	uint32_t open[2]; /* the innermost simple task, and of all else: numbers of nodes + 1 */
	uint32_t life;	  /* counts the threads that had its number */
	uint32_t depth;	  /* simple tasks under way */
	const char *name;
};

/* A task whose name is an address, to be named when all are known */
struct itt_fn {
	uint64_t span; /* lane << 32 | number in it */
	uint64_t address;
	uint64_t time; /* ticks */
	uint32_t spot; /* or SPOT_NONE: nothing was mapped there yet */
};

/* A counter that programs set */
struct itt_series {
	const char *group, *name, *unit;
	uint32_t pid;
	double value;
	struct buf points; /* struct vsamp_track_point */
};

/* Matching, of all processes one after the other */
struct itt_build {
	struct vsamp_itt *itt;
	struct vsamp_reader *reader;
	const struct vsamp_clock_fit *clock;
	struct itt_source *source; /* by pid, start and tid */
	struct itt_lane *lane;	   /* the same */
	size_t lanes;
	struct modules modules;
	struct names names;
	struct buf fns;	   /* struct itt_fn */
	struct buf series; /* struct itt_series */
	struct intern series_keys;
	struct buf told, related; /* of metadata and relations: itt_data.c */
	struct itt_table sums;	  /* of histograms, by texts: itt_histogram.c */
};

/* Rows of definitions */
struct itt_domain {
	const char *name; /* NULL: not defined */
	uint32_t string;
	bool off;
	uint32_t open; /* its spans under way: number of a node + 1 */
};

struct itt_event {
	const char *name;
	uint32_t string;
};

struct itt_counter {
	uint32_t string, domain, unit; /* strings */
	uint32_t type;
	uint32_t series; /* number + 1; 0: not set yet */
	bool defined;
};

struct itt_histogram {
	uint32_t string, domain;
	uint16_t x, y; /* types */
	bool defined;
};

struct itt_clock {
	uint64_t frequency, base;
	uint64_t at; /* ns */
};

/* Definitions of a process, by handle */
struct itt_defs {
	struct itt_table strings;    /* const char *, NULL: not defined */
	struct itt_table domains;    /* struct itt_domain */
	struct itt_table events;     /* struct itt_event */
	struct itt_table counters;   /* struct itt_counter */
	struct itt_table histograms; /* struct itt_histogram */
	struct itt_table
		clocks; /* struct itt_clock: the first that is told, then the current one */
};

/* itt_defs.c */
void itt_defs_init(struct itt_defs *d);
void itt_defs_free(struct itt_defs *d);
/* Takes a record of any type. -ENOMEM */
int itt_defs_take(struct itt_defs *d, struct itt_build *b, const struct vsamp_itt_call *c);
/* Names what was defined before its name was. -ENOMEM */
int itt_defs_settle(struct itt_defs *d);
/* The text of a string; NULL: it isn't defined; -ENOMEM in *@ret */
const char *itt_defs_string(struct itt_defs *d, uint32_t handle, int *ret);

/* A text that lives as long as @itt; equal ones are the same; NULL without memory */
const char *itt_text(struct vsamp_itt *itt, const char *text, size_t length);

static inline uint64_t itt_ns(const struct itt_build *b, uint64_t ticks)
{
	return b->clock ? vsamp_clock_fit_raw(b->clock, ticks) : ticks;
}

/* itt_load.c: whether a recording has ITT records */
bool itt_recorded(const struct vsamp_recording *rec);

/* itt_match.c: matches the lanes from @from to @to, which are a process. -EBADMSG, -E2BIG, -ENOMEM */
int itt_match_process(struct itt_build *b, size_t from, size_t to, struct vsamp_error *err);

/* itt_counter.c: a value of a type, of which bits has as many bytes as that has */
double itt_value(uint32_t type, uint64_t bits);
/* A counter's call. -ENOMEM */
int itt_counter_call(struct itt_build *b, struct itt_defs *d, uint32_t pid, uint64_t time,
		     const struct vsamp_itt_call *c);
/* Makes the tracks of what was set. -ENOMEM */
int itt_counter_tracks(struct itt_build *b);

/* itt_histogram.c */
void itt_sums_init(struct itt_build *b);
void itt_sums_free(struct itt_build *b);
int itt_histogram_submit(struct itt_build *b, struct itt_defs *d, const struct vsamp_itt_call *c);
int itt_histograms_settle(struct itt_build *b);

/* Where spans are that were numbered by lane << 32 | number in it while they were matched */
struct itt_places {
	size_t *base;  /* by lane */
	size_t *moved; /* NULL: none was */
};

static inline size_t itt_place(const struct itt_places *places, uint64_t span)
{
	size_t at = places->base[span >> 32] + (uint32_t)span;

	return places->moved ? places->moved[at] : at;
}

/* itt_data.c: metadata and relations of a whole recording. -ENOMEM */
size_t itt_relations_count(const struct itt_build *b);
int itt_data_settle(struct itt_build *b, const struct itt_places *places);

/* itt_fn.c: tasks that are named by an address */
int itt_fn_mapping(struct procmap *pm, uint32_t pid, const char *path,
		   const struct vsamp_itt_mapping *m);
int itt_fn_add(struct itt_build *b, struct procmap *pm, uint32_t pid, struct itt_fn fn);
/* Looks up those since @first that had no mapping yet, now that all are known. -ENOMEM */
int itt_fn_late(struct itt_build *b, struct procmap *pm, uint32_t pid, size_t first);
/* Names them all. -ENOMEM */
int itt_fn_name(struct itt_build *b, struct vsamp_error *err);

/*
 * itt_own.c: whose time is whose, of a thread whose spans are by begin; @order: of their calls, NULL:
 * the same. -ENOMEM
 */
int itt_own(const struct vsamp_itt *itt, struct itt_thread *thread, const size_t *order);

/* itt_diagnose.c */
int itt_diagnose_rebound(struct vsamp_itt *itt, uint32_t pid, const struct vsamp_itt_id *id,
			 const char *span, const char *from, const char *to);
int itt_diagnose(struct vsamp_itt *itt);

/* ns of pauses of @pid between two times */
uint64_t itt_paused_between(const struct vsamp_itt *itt, uint32_t pid, uint64_t begin,
			    uint64_t end);

/* Whose span time is; NULL: nobody's */
const struct vsamp_span *itt_segment_at(const struct vsamp_itt *itt,
					const struct itt_thread *thread,
					const struct itt_segments *segments, uint64_t time);

/* NULL: not there */
const struct itt_thread *itt_thread_find(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid);

/* Which row of the statistics a span is in */
struct itt_rows {
	struct vsamp_itt_stat *stat;
	size_t count;
	uint32_t *of; /* by number of the span */
};

/* itt_stats.c. -ENOMEM; to be freed also then */
int itt_rows_make(struct itt_rows *rows, const struct vsamp_itt *itt);
void itt_rows_free(struct itt_rows *rows);

/*
 * vsamp_itt_match() of sources by pid, start and tid, no two of the same thread; @end: ns, of each.
 * Takes neither.
 */
int itt_build(struct vsamp_itt **itt, struct itt_source *source, const uint64_t *end,
	      size_t sources, struct vsamp_recording *rec, const struct vsamp_clock_fit *clock,
	      struct vsamp_error *err);

#endif
