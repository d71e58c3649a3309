/* SPDX-License-Identifier: MIT */
/* export.h: what writers of formats share */
#ifndef EXPORT_H
#define EXPORT_H

#include <vsamp/export.h>
#include <vsamp/itt.h>
#include <vsamp/timeline.h>
#include <vsamp/trace.h>

#include "profile_private.h"
#include "threads.h"

struct export
{
	struct vsamp_recording *rec;
	size_t event[VSAMP_EVENTS_MAX]; /* those wanted, by their index */
	size_t events;
	const struct vsamp_export_options *options;
	FILE *out;
	struct vsamp_error *err;
};

/* A frame's function; of missing ones label is EXPORT_TRUNCATED */
struct export_function {
	uint32_t label, symbol; /* as of struct name */
};

#define EXPORT_TRUNCATED  UINT32_MAX
#define EXPORT_NONE	  (UINT32_MAX - 1) /* what stands for no caller, where one is needed */
/* Where the sample fell, its callers, and those that stand for missing ones */
#define EXPORT_FRAMES_MAX (1 + 2 * VSAMP_STACK_DEPTH_MAX + 2)

/* A file a format */
int export_perf(const struct export *x);
int export_kallsyms(const struct export *x);
int export_pprof(const struct export *x);
int export_firefox(const struct export *x);
int export_chrome(const struct export *x);
int export_callgrind(const struct export *x);
int export_folded(const struct export *x);
int export_html(const struct export *x);

/* The profile of what is wanted, with callers; @by: keys that cost */
int export_profile(const struct export *x, unsigned int by, struct vsamp_profile **profile);

/* Functions of a place's stack, innermost first; returns how many */
size_t export_functions(const struct vsamp_profile *p, const struct place *place,
			struct export_function function[EXPORT_FRAMES_MAX]);

const char *export_symbol(const struct vsamp_profile *p, struct export_function f);
const char *export_module(const struct vsamp_profile *p, struct export_function f); /* "" if none */

/* Events that samples of a place stand for, as whole numbers */
uint64_t export_events(const struct export *x, struct counts counts, size_t event);

/* Whether a sample of a trace is wanted */
bool export_wants(const struct export *x, const struct vsamp_trace_sample *sample);

/* The index of a wanted event among those wanted */
size_t export_event(const struct export *x, uint32_t event);

/* Kinds of spans that formats have beside those of enum vsamp_span_kind */
#define EXPORT_PAUSE ((enum vsamp_span_kind)VSAMP_SPAN_KINDS) /* as of its process's first thread */
#define EXPORT_METADATA \
	((enum vsamp_span_kind)(VSAMP_SPAN_KINDS + 1)) /* a tick mark, of its key's \
									  name: of no other span */
#define EXPORT_KINDS (VSAMP_SPAN_KINDS + 2)

/* "ITT task" and so on, by kind */
extern const char *const export_kinds[EXPORT_KINDS];

/* What metadata tells of a span */
struct export_told {
	const struct vsamp_itt_attribute *attribute;
	size_t attributes; /* EXPORT_TOLD_MAX at most */
};

#define EXPORT_TOLD_MAX 64

/* What a recording's timeline has of what is wanted */
struct export_timeline {
	const struct vsamp_span *span; /* by pid, tid and begin */
	size_t spans;
	const struct vsamp_track *track;
	size_t tracks;
	const struct export_told *told; /* by span; NULL: nothing is */
	const struct vsamp_timeline
		*from; /* NULL: none, threads have no names of their own there */
};

/* Whether a span is wanted as far as its thread and its times tell */
bool export_wants_span(const struct export *x, const struct vsamp_span *span);

/* What is told of a span as text, "key: value, key: value"; cut, if there is more, with "..." */
#define EXPORT_TOLD_TEXT 1024
void export_told_text(const struct export_timeline *timeline, size_t span,
		      char text[EXPORT_TOLD_TEXT]);

/* Has a format put with the recording's timeline */
int export_timeline(const struct export *x,
		    int (*put)(const struct export *x, const struct export_timeline *timeline));

/* What the program calls a thread; NULL: nothing */
const char *export_own_name(const struct export_timeline *timeline, uint32_t pid, uint32_t tid);

/* The same, else its name, else its process's, "" where no record told any; NULL: -ENOMEM */
const char *export_thread(const struct export_timeline *timeline, struct threads *threads,
			  uint32_t pid, uint32_t tid);

/* ns as a number of units, a power of ten, with all digits */
void export_ns(FILE *out, int64_t ns, int64_t unit);

/* A name in text by lines: without control characters, and without @separator ('?' in its place) */
void export_text(FILE *out, const char *s, char separator);

/* A string of JSON, in UTF-8 whatever is in it; without "<", so that no page ends in it */
void export_json(FILE *out, const char *s);

int export_no_memory(const struct export *x);

#endif
