/* SPDX-License-Identifier: MIT */
/*
 * vsamp/profile.h: where the samples of a recording fell
 *
 * A profile belongs to one thread at a time, and holds what it needs of the recording, which must
 * outlive it.
 */
#ifndef VSAMP_PROFILE_H
#define VSAMP_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include <vsamp/filter.h>
#include <vsamp/recording.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_profile;

/* What rows are told apart by */
#define VSAMP_BY_PROCESS      (1U << 0) /* a pid under one name */
#define VSAMP_BY_MODULE	      (1U << 1)
#define VSAMP_BY_SYMBOL	      (1U << 2)
#define VSAMP_BY_PID	      (1U << 3)
#define VSAMP_BY_EVENT	      (1U << 4) /* a row then has numbers of its event alone */
/* These cost: the profile is to be made for them */
#define VSAMP_BY_LINE	      (1U << 5) /* of source code */
#define VSAMP_BY_COMM	      (1U << 6) /* name of the thread */
#define VSAMP_BY_THREAD	      (1U << 7) /* a tid under one name */
#define VSAMP_BY_CPU	      (1U << 8)
#define VSAMP_BY_TIME	      (1U << 9)	 /* slices of time */
#define VSAMP_BY_TASK	      (1U << 10) /* ITT task that the time belongs to */
#define VSAMP_BY_ITT_EVENT    (1U << 11) /* likewise, event */

/* What is folded beside where samples fell */
#define VSAMP_PROFILE_CALLERS (1U << 0)
#define VSAMP_PROFILE_MANGLED (1U << 1) /* names of symbols as linkers know them */
#define VSAMP_PROFILE_CODE    (1U << 2) /* addresses in symbols, for vsamp_profile_code() */

/* All of it 0: all samples, by what costs nothing */
struct vsamp_profile_options {
	unsigned int flags; /* VSAMP_PROFILE_*; callers and code take time and memory */
	unsigned int by;    /* VSAMP_BY_*: those that cost and that rows will be asked by */
	uint64_t slice;	    /* ns: slices of VSAMP_BY_TIME, from the recording's begin on */
	/*
	 * Lists and names in it must outlive the profile. Modules and symbols are of where samples
	 * fell; in vsamp_profile_inclusive() of the function that a row stands for.
	 */
	struct vsamp_filter filter;
	/* Names of ITT tasks and events: samples whose time is one's own (vsamp/timeline.h); 0: all */
	const char *const *task;
	size_t tasks;
};

/* What isn't told apart is 0 or NULL */
struct vsamp_profile_row {
	uint32_t number; /* for vsamp_profile_callers() */
	uint32_t pid;
	const char *comm; /* of the process; "" where no record tells it */
	uint32_t ns_pid;  /* in its own pid namespace; 0: not known, or that is the recorder's */
	uint64_t pid_namespace; /* inode of that; 0: not known */
	uint32_t tid;
	const char *thread; /* name of the thread, or else of its process; "" likewise */
	uint32_t cpu;
	uint64_t time; /* ns from the recording's begin to that of the slice */
	/* Path, "[kernel]", "[MODULE]" of the kernel, "[vdso]", "[guest]", "[unknown]" */
	const char *module;
	const char *build_id; /* hex, "" if not recorded */
	const char *note;     /* why the module's symbols are missing; NULL: they aren't */
	const char *symbol;   /* "[unknown]" where there is none */
	const char *file;     /* of source code; "" where none is known */
	uint32_t line;	      /* in it, from 1 on; 0 likewise */
	const char *task;     /* name; "" where the time belongs to none */
	const char *task_domain;
	const char *itt_event;
	const char *itt_event_domain;
	uint32_t event;		 /* index */
	const uint64_t *samples; /* by event */
	const double *events;	 /* likewise: events that the samples stand for, see below */
	/* Of vsamp_profile_inclusive(): likewise, with what it called; else NULL */
	const uint64_t *total_samples;
	const double *total_events;
};

/**
 * vsamp_profile_new - fold a recording, which is read from its start
 * @profile: receives the profile
 * @options: NULL: all samples
 *
 * Kernel addresses are named by the recording's own symbols, user ones by the files that it names,
 * as far as they still are what was mapped. Errors: those of vsamp_recording_next(); -ENODATA: by
 * tasks or ITT events, of which the recording has none; -EINVAL: by time without slices.
 */
int vsamp_profile_new(struct vsamp_profile **profile, struct vsamp_recording *rec,
		      const struct vsamp_profile_options *options, struct vsamp_error *err);

/**
 * vsamp_profile_rows - sums
 *
 * A sample stands for as many events as the Sample-After value it was taken with, times
 * enabled / running of its event where the recording has time slices.
 *
 * @by: VSAMP_BY_*, at least one
 * @event: most events of this one first; at equal numbers by those of the others in order, then by
 *	   module, symbol, names and numbers
 * @rows: receives the rows, to be freed by free(3); what they point to is the profile's, and their
 *	  samples are good until the next call
 * @count: receives how many
 *
 * 0; -ENOMEM; -EINVAL: by what the profile wasn't made for.
 */
int vsamp_profile_rows(struct vsamp_profile *profile, unsigned int by, size_t event,
		       struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err);

/**
 * vsamp_profile_inclusive - sums of functions with all that they called
 *
 * As vsamp_profile_rows(), but a sample counts for the total of all rows that functions of its stack
 * stand for, once for each however often it is in there. Where it fell it counts for the row's own
 * numbers. Most total events come first.
 *
 * @profile: made with VSAMP_PROFILE_CALLERS; -EINVAL without
 */
int vsamp_profile_inclusive(struct vsamp_profile *profile, unsigned int by, size_t event,
			    struct vsamp_profile_row **rows, size_t *count,
			    struct vsamp_error *err);

/**
 * vsamp_profile_paused - samples that are in no row, as their processes had paused collection then
 *
 * By the ITT API: vsamp_timeline_paused(). Of those that the filter wants by their records.
 */
uint64_t vsamp_profile_paused(const struct vsamp_profile *profile);

/* Who called: a function, with those that called it then */
struct vsamp_profile_caller {
	const char *module; /* as of a row; NULL: it is none, and symbol says what it stands for */
	const char *symbol;
	const uint64_t *samples;		    /* by event */
	const double *events;			    /* likewise, as of a row */
	const struct vsamp_profile_caller *callers; /* most events first */
	size_t count;
};

/* What stands for no caller: here frames are missing; and here the stack ends */
#define VSAMP_CALLER_TRUNCATED "[truncated]"
#define VSAMP_CALLER_NONE      "[no caller]"
/* In a tree of callees: the samples that fell into the function itself */
#define VSAMP_CALLEE_NONE      "[self]"

/**
 * vsamp_profile_callers - the tree of callers of a row
 *
 * Those that called what the row stands for, those that called these then, and so on; a function
 * that calls itself is below itself. What is in a row, or in a caller, is what is in its callers
 * together, those that stand for none included; of one whose stacks all end there they are left
 * out, and count is 0. Behind VSAMP_CALLER_TRUNCATED may come callers: frames of the kernel are
 * missing then, and the user's aren't.
 *
 * @profile: made with VSAMP_PROFILE_CALLERS
 * @row: number of a row of the last vsamp_profile_rows() or vsamp_profile_inclusive(); of the
 *	 latter's, callers are those of the innermost function that it stands for
 * @event: most events of this one first; then as of rows
 * @callers: receives them, all in one piece to be freed by free(3); what they point to is the
 *	  profile's
 * @count: receives how many are at the top
 *
 * 0; -EINVAL: no such row, or made without; -ENOMEM; -E2BIG for more than any program has.
 */
int vsamp_profile_callers(struct vsamp_profile *profile, uint32_t row, size_t event,
			  struct vsamp_profile_caller **callers, size_t *count,
			  struct vsamp_error *err);

/**
 * vsamp_profile_callees - the tree of what a row called
 *
 * As vsamp_profile_callers(), the other way round: what the outermost function of each stack that the
 * row stands for called, what these called then, and so on, down to where samples fell. What is in
 * the row's total is what is in its callees together, with VSAMP_CALLEE_NONE for its own.
 */
int vsamp_profile_callees(struct vsamp_profile *profile, uint32_t row, size_t event,
			  struct vsamp_profile_caller **callees, size_t *count,
			  struct vsamp_error *err);

/** vsamp_profile_free - @profile may be NULL */
void vsamp_profile_free(struct vsamp_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
