/* SPDX-License-Identifier: MIT */
/*
 * vsamp/itt.h: what the ITT calls of programs mean: their tasks, events, frames, counters and more
 *
 * The rules, which docs/itt.md tells at length:
 *
 * - Calls are paired in the order that they have in their thread, never by time. A task's end ends
 *   the innermost simple task of its thread; if that is of another domain, the innermost of its own
 *   domain and all that are in it. An overlapped task is ended by its id, on its own thread.
 * - An event's end ends the nearest preceding start of this event that has no end, on its thread.
 * - Who waits does so from "prepare" to "acquired" or "cancel" of an object, on its thread.
 * - Ends without a begin are counted, and change nothing.
 * - Time belongs to what began last of what is under way, in the order of the calls; tasks and events
 *   apart.
 * - Time in which the process was paused counts for nothing. Tasks that begin or end in it keep
 *   their nesting; events that do aren't there. Pauses of pid 0 are the recorder's, of all processes.
 * - What a call with a clock domain tells is when it took place; else that is when it was made.
 *
 * All times are ns of CLOCK_MONOTONIC_RAW. What is given lives as long as the struct vsamp_itt,
 * which doesn't change, and may be used by any number of threads.
 */
#ifndef VSAMP_ITT_H
#define VSAMP_ITT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/clock.h>
#include <vsamp/itt_record.h>
#include <vsamp/recording.h>
#include <vsamp/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_SPAN_KINDS 7 /* enum vsamp_span_kind */

struct vsamp_itt;

/* The records of a thread in the order of its calls */
struct vsamp_itt_records {
	struct vsamp_itt_thread thread;
	const void *data; /* 8-byte aligned */
	size_t size;
	uint64_t end; /* ns: when the thread ended, as far as is known: what is open ends then */
};

/* How many calls there were of some kind, and what was wrong with them */
struct vsamp_itt_counts {
	uint64_t records; /* but definitions */
	uint64_t lost;	  /* calls that found no room, which LOST records tell */
	uint64_t unmatched[VSAMP_SPAN_KINDS]; /* ends without a begin, by what they should end */
	uint64_t mismatched;		      /* ends of tasks around the innermost one */
	uint64_t cut;			      /* spans but waits that are, of struct vsamp_span */
	uint64_t backwards;		      /* likewise */
	uint64_t no_id;	   /* overlapped tasks and regions that have none: they aren't there */
	uint64_t rebound;  /* ids that were used in another domain: they are of that from then on */
	uint64_t repeated; /* begins of a region or frame that was under way: they aren't there */
	uint64_t prepared; /* begins of a wait that was under way, likewise: no mistake */
	uint64_t paused;   /* events' calls in pauses: they aren't there */
	uint64_t off;	   /* calls in domains that were switched off: they aren't there */
	uint64_t undefined; /* uses of numbers that no definition tells of */
	uint64_t unknown;   /* records of types of a later version */
	uint64_t truncated; /* texts and values that were longer than what is told */
	uint64_t metadata, relations, histograms, syncs, stitches; /* calls */
	uint64_t others; /* calls that are counted alone: of CALLS records */
};

/**
 * vsamp_itt_match - what records mean
 * @itt: receives it
 * @records: of any number of threads and processes; no two of the same thread
 * @threads: how many
 * @clock: from ticks to ns; NULL: ticks are ns
 *
 * Errors: -EBADMSG: a record makes no sense; -E2BIG: more than 2^32 - 2 spans of a thread; -ENOMEM.
 */
int vsamp_itt_match(struct vsamp_itt **itt, const struct vsamp_itt_records *records, size_t threads,
		    const struct vsamp_clock_fit *clock, struct vsamp_error *err);

/**
 * vsamp_itt_new - the same of what a recording has
 *
 * Threads end as the recording's sideband tells, else with its last record. Chunks of records are in
 * memory as their turn comes, one a thread. Errors: also those of vsamp_reader_load().
 */
int vsamp_itt_new(struct vsamp_itt **itt, struct vsamp_recording *rec, struct vsamp_error *err);

/** vsamp_itt_spans - as of vsamp_timeline_spans() */
size_t vsamp_itt_spans(const struct vsamp_itt *itt, const struct vsamp_span **spans);

/** vsamp_itt_counters - counters that programs set, by time, as of vsamp_timeline_tracks() */
size_t vsamp_itt_counters(const struct vsamp_itt *itt, const struct vsamp_track **tracks);

/**
 * vsamp_itt_parent - the span whose id a span was given as its parent
 *
 * As the id was bound when the span began. This tree has nothing to do with nesting. NULL: none was
 * given, or no span had that id.
 */
const struct vsamp_span *vsamp_itt_parent(const struct vsamp_itt *itt,
					  const struct vsamp_span *span);

/** vsamp_itt_at - as vsamp_timeline_at() */
void vsamp_itt_at(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid, uint64_t time,
		  const struct vsamp_span **task, const struct vsamp_span **event);

/** vsamp_itt_paused - as vsamp_timeline_paused() */
bool vsamp_itt_paused(const struct vsamp_itt *itt, uint32_t pid, uint64_t time);

/** vsamp_itt_pause_list - all pauses of processes; returns how many */
size_t vsamp_itt_pause_list(const struct vsamp_itt *itt, const struct vsamp_pause **pauses);

/** vsamp_itt_thread_name - as vsamp_timeline_thread_name() */
const char *vsamp_itt_thread_name(const struct vsamp_itt *itt, uint32_t pid, uint32_t tid);

/** vsamp_itt_counts - how many there were, and what was wrong */
const struct vsamp_itt_counts *vsamp_itt_counts(const struct vsamp_itt *itt);

/**
 * vsamp_itt_diagnoses - what programs should be told that they did wrong
 * @texts: receives them; the first few of each kind are there by name, with how many there were
 *
 * Returns how many texts; 0: nothing was wrong.
 */
size_t vsamp_itt_diagnoses(const struct vsamp_itt *itt, const char *const **texts);

/* What metadata told, of a span or, where it was given in none, of a thread */
struct vsamp_itt_attribute {
	const struct vsamp_span *span; /* NULL: none */
	uint32_t pid, tid;	       /* of the thread that told it */
	uint64_t time;
	const char *domain, *key; /* "" if there is none */
	const char *value;	  /* at most VSAMP_ITT_VALUE_MAX bytes */
	bool text;		  /* else value is numbers, as JSON has them, with ", " between */
	bool cut;		  /* there is more than what value has */
};

#define VSAMP_ITT_VALUE_MAX VSAMP_ITT_TEXT_MAX

/**
 * vsamp_itt_attributes - all that metadata told
 * @attributes: receives them in the order of vsamp_itt_spans(), those of none last, and of a span in
 *		that of their calls
 *
 * What has an id is of the span that had the id last; what has none is of the innermost simple task
 * of its thread, unless its scope is another. Returns how many.
 */
size_t vsamp_itt_attributes(const struct vsamp_itt *itt,
			    const struct vsamp_itt_attribute **attributes);

/** vsamp_itt_span_attributes - those of a span. Takes the time of a binary search. */
size_t vsamp_itt_span_attributes(const struct vsamp_itt *itt, const struct vsamp_span *span,
				 const struct vsamp_itt_attribute **attributes);

/* The head is in a relation to the tail, such as "child of" */
struct vsamp_itt_related {
	uint32_t pid, tid; /* of the thread that told it */
	uint64_t time;
	uint32_t relation;		      /* of the API, see vsamp_itt_relation_name() */
	struct vsamp_itt_id head_id, tail_id; /* null of head: the thread's innermost simple task */
	const struct vsamp_span *head, *tail; /* that had these ids, then or later; NULL: none */
};

/** vsamp_itt_relations - by pid, and of a process in the order of their calls; as above */
size_t vsamp_itt_relations(const struct vsamp_itt *itt, const struct vsamp_itt_related **relations);

/** vsamp_itt_relation_name - "dependent on" and the like; "unknown" for numbers that the API lacks */
const char *vsamp_itt_relation_name(uint32_t relation);

/* What was submitted of one value of x: all values of y; where none were given each counts 1 */
struct vsamp_itt_bucket {
	double x, y;
};

#define VSAMP_ITT_BUCKETS_MAX 4096

/* A histogram of all processes that have one of these names */
struct vsamp_itt_distribution {
	const char *domain, *name;
	uint64_t submits; /* calls */
	uint64_t points;  /* that these gave */
	uint64_t left;	  /* of which so many are in no bucket: there are too many, or no number */
	double total;	  /* of y, of what is in the buckets */
	const struct vsamp_itt_bucket *bucket; /* by x */
	size_t buckets;			       /* at most VSAMP_ITT_BUCKETS_MAX */
};

/** vsamp_itt_distributions - histograms by domain and name; as above */
size_t vsamp_itt_distributions(const struct vsamp_itt *itt,
			       const struct vsamp_itt_distribution **distributions);

/* ns; zeros if there is none */
struct vsamp_itt_durations {
	uint64_t total, min, max;
	uint64_t p50, p90, p99; /* percentiles, by nearest rank */
	double average;
};

/* All spans of a kind that have the same domain and name */
struct vsamp_itt_stat {
	enum vsamp_span_kind kind;
	const char *domain, *name;
	uint64_t count; /* that began in this file: */
	uint64_t ticks; /* tick marks, */
	uint64_t cut;	/* and such that have no end of their own; durations are of all others */
	struct vsamp_itt_durations inclusive, exclusive;
};

/**
 * vsamp_itt_stats - what there is how often, and how long it takes
 * @stats: receives rows by kind, and of a kind by falling total of exclusive time, then by domain and
 *	   name; to be freed by free(3)
 * @count: receives how many
 *
 * 0 or -ENOMEM.
 */
int vsamp_itt_stats(const struct vsamp_itt *itt, struct vsamp_itt_stat **stats, size_t *count,
		    struct vsamp_error *err);

/* Samples of an event that fell into spans of a row, and the events that they stand for */
struct vsamp_itt_share {
	uint64_t samples, exclusive_samples;
	double events, exclusive_events;
};

/*
 * Adds samples up by tasks and events. A sample is in all of its thread's tasks and events that are
 * under way, in each row once, and in two exclusively at most: that task and that event whose time
 * it is. The quotient of two events' counts, such as of cycles and instructions, is exact in both.
 */
struct vsamp_itt_tally;

/**
 * vsamp_itt_tally_new - get ready to add samples up
 * @tally: receives it; @itt must outlive it
 * @events: how many kinds of samples there are
 */
int vsamp_itt_tally_new(struct vsamp_itt_tally **tally, const struct vsamp_itt *itt, size_t events,
			struct vsamp_error *err);

/**
 * vsamp_itt_tally_add - add a sample
 * @time: ns; of a thread they don't fall, as vsamp_trace_next() gives them
 * @event: below the number of events
 * @events: that it stands for
 *
 * Returns 1; 0: its process was paused, and it is left out; or -ENOMEM.
 */
int vsamp_itt_tally_add(struct vsamp_itt_tally *tally, uint32_t pid, uint32_t tid, uint64_t time,
			size_t event, double events);

/**
 * vsamp_itt_tally_end - what the samples so far add up to
 * @stats: receives the rows, as of vsamp_itt_stats(), which are the tally's
 * @shares: receives what belongs to them: of row r and event e number r * events + e. Rows of other
 *	    kinds than tasks and events have none. They are the tally's.
 * @paused: receives how many samples were left out
 *
 * Returns how many rows. Nothing may be added after it.
 */
size_t vsamp_itt_tally_end(struct vsamp_itt_tally *tally, const struct vsamp_itt_stat **stats,
			   const struct vsamp_itt_share **shares, uint64_t *paused);

/** vsamp_itt_tally_free - @tally may be NULL */
void vsamp_itt_tally_free(struct vsamp_itt_tally *tally);

/** vsamp_itt_free - @itt may be NULL */
void vsamp_itt_free(struct vsamp_itt *itt);

#ifdef __cplusplus
}
#endif

#endif
