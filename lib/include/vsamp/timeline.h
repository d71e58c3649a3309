/* SPDX-License-Identifier: MIT */
/*
 * vsamp/timeline.h: what programs and devices tell of themselves beside the samples of a recording:
 * tasks, events, frames, and counters by time
 *
 * A timeline belongs to one thread at a time, and holds what it needs of the recording, which must
 * outlive it. All times are ns of CLOCK_MONOTONIC_RAW, as of a vsamp_trace_sample.
 */
#ifndef VSAMP_TIMELINE_H
#define VSAMP_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_timeline;
struct vsamp_itt;

enum vsamp_span_kind {
	VSAMP_SPAN_TASK,       /* ITT: nests in its thread's tasks */
	VSAMP_SPAN_OVERLAPPED, /* ITT: an overlapped task, which may cross others */
	VSAMP_SPAN_EVENT,      /* ITT: an event; one that has a start alone is a tick mark */
	VSAMP_SPAN_REGION,     /* ITT: of a process, by its id; also task groups */
	VSAMP_SPAN_FRAME,      /* ITT: of a domain */
	VSAMP_SPAN_MARKER,     /* ITT: a point in time */
	VSAMP_SPAN_WAIT,       /* ITT: a thread waits for a synchronization object */
};

/* A span has a begin and an end; a tick mark has a begin alone, and no duration */
struct vsamp_span {
	enum vsamp_span_kind kind;
	uint32_t pid, tid; /* of the thread it belongs to */
	uint64_t begin;
	uint64_t end;	 /* of a tick mark: begin */
	bool tick;	 /* without an end */
	bool cut;	 /* ended by the end of its thread, or of the recording, or by its domain
			       being switched off */
	bool mismatched; /* ended by the end of a task around it, of another domain */
	bool backwards;	 /* its end was told to be before its begin, where it now is */
	bool continued; /* it began before this file of the recording, which begins where it does */
	uint32_t depth; /* how many spans of its kind and thread it is nested in */
	uint64_t inclusive; /* ns from begin to end in which its process wasn't paused */
	uint64_t
		exclusive; /* of these, ns that belong to it alone; of regions, frames, waits: all */
	const char *name;  /* "" if it has none; of a wait: the object's */
	const char *domain; /* likewise; of a wait: the object's type */
};

/* A process collected nothing from begin up to end; by pid and begin */
struct vsamp_pause {
	uint32_t pid;
	uint64_t begin;
	uint64_t end;	 /* UINT64_MAX: no resume came */
	uint64_t before; /* ns of earlier ones of the process */
};

struct vsamp_track_point {
	uint64_t time;
	double value; /* from here up to the next point; NAN: not known, a hole */
};

/* A counter by time */
struct vsamp_track {
	const char *group; /* what it is of: "GPU 0", or an ITT domain */
	const char *name;
	const char *unit;		       /* "" if there is none */
	uint32_t pid;			       /* whose it is; 0: the machine's */
	const struct vsamp_track_point *point; /* by rising time */
	size_t points;
};

/**
 * vsamp_timeline_new - read what a recording has of these
 * @timeline: receives it, with no spans and tracks where the recording has none
 *
 * Errors: -EBADMSG for contents that make no sense; -ENOMEM; those of vsamp_recording_next().
 */
int vsamp_timeline_new(struct vsamp_timeline **timeline, struct vsamp_recording *rec,
		       struct vsamp_error *err);

/**
 * vsamp_timeline_spans - spans and tick marks by pid, tid, begin
 * @spans: receives them, which are the timeline's
 *
 * Of the same begin they are in the order of their calls, so that the outer comes first. Returns how
 * many.
 */
size_t vsamp_timeline_spans(const struct vsamp_timeline *timeline, const struct vsamp_span **spans);

/** vsamp_timeline_tracks - tracks by group and name; as above */
size_t vsamp_timeline_tracks(const struct vsamp_timeline *timeline,
			     const struct vsamp_track **tracks);

/* What a counter was in a part of the time; NAN where nothing is known of it */
struct vsamp_track_stat {
	uint64_t known; /* ns of that part in which it had a value */
	double mean;	/* of these, each as long as it held */
	double min, max;
};

/**
 * vsamp_track_stat - what a counter was from a time up to another
 * @track: of a timeline
 * @from, @to: ns; @to isn't in it. The last point holds up to @to
 * @stat: receives it
 *
 * A value that didn't hold for any time, as another had the same, doesn't count. Takes the time of a
 * binary search, and of the points in between. Thread-safe.
 */
void vsamp_track_stat(const struct vsamp_track *track, uint64_t from, uint64_t to,
		      struct vsamp_track_stat *stat);

/**
 * vsamp_tracks_choose - which counters are looked at first, where there is no room for all
 * @track: of one group
 * @tracks: how many
 * @room: how many are chosen, at most
 * @chosen: receives which, one a counter
 *
 * Those of GPUs that tell most, by their names, then percentages, the largest first, then others. What
 * was 0 all the time is never chosen, unless there is room for all. Thread-safe.
 */
void vsamp_tracks_choose(const struct vsamp_track *track, size_t tracks, size_t room, bool *chosen);

/**
 * vsamp_timeline_at - what a thread was in at a time
 * @task: receives the task that this time belongs to, simple or overlapped, or NULL
 * @event: receives the event that has a duration, and that this time belongs to, or NULL
 *
 * A time belongs to the one of those under way whose begin was called last: of nested ones the
 * innermost. begin is in a span, end isn't. Pauses don't matter here: vsamp_timeline_paused() tells.
 * Takes the time of a binary search.
 */
void vsamp_timeline_at(const struct vsamp_timeline *timeline, uint32_t pid, uint32_t tid,
		       uint64_t time, const struct vsamp_span **task,
		       const struct vsamp_span **event);

/**
 * vsamp_timeline_paused - whether a process had paused its collection at a time
 *
 * Its samples of such times are to be left out, and counted. The pause's begin is in it, the
 * resume isn't. Takes the time of a binary search.
 */
bool vsamp_timeline_paused(const struct vsamp_timeline *timeline, uint32_t pid, uint64_t time);

/** vsamp_timeline_thread_name - what a program calls a thread; NULL if it doesn't */
const char *vsamp_timeline_thread_name(const struct vsamp_timeline *timeline, uint32_t pid,
				       uint32_t tid);

/** vsamp_timeline_itt - the same as vsamp/itt.h has it, which the timeline keeps */
const struct vsamp_itt *vsamp_timeline_itt(const struct vsamp_timeline *timeline);

/** vsamp_timeline_free - @timeline may be NULL */
void vsamp_timeline_free(struct vsamp_timeline *timeline);

#ifdef __cplusplus
}
#endif

#endif
