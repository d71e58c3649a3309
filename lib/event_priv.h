/* SPDX-License-Identifier: MIT */
#ifndef EVENT_PRIV_H
#define EVENT_PRIV_H

#include <stddef.h>

#include <vsamp/event.h>

/* What an event is to those that count it */
struct event_code {
	const struct vsamp_event_info *row; /* of the table; NULL: it is none of those */
	uint32_t backends;		    /* as of struct vsamp_event */
	uint64_t config;
	uint32_t perf_type;
	uint64_t perf_config;
};

static inline bool event_code_same(const struct event_code *a, const struct event_code *b)
{
	return a->perf_type == b->perf_type && a->perf_config == b->perf_config;
}

static inline bool event_code_is(const struct event_code *code, const struct vsamp_event *ev)
{
	return code->perf_type == ev->perf_type && code->perf_config == ev->perf_config;
}

/* The characters of @name that matter, in lower case; truncated to @size */
void event_name_fold(char *out, size_t size, const char *name);
bool event_name_same(const char *a, const char *b);

char *event_text_trim(char *s);

/* A typed Sample-After value. Returns what is wrong with it, NULL: nothing. */
const char *event_sav_parse(const char *value, uint64_t *sav);

/*
 * Takes modifiers off the end of @name, a copy of @text; what they leave is the name, perhaps with
 * libpfm4's own attributes
 */
int event_modifiers(struct vsamp_event *ev, const char *text, char *name, struct vsamp_error *err);

/* What libpfm4 does not take as a name may be a name of the table with a modifier misspelt */
bool event_is_misspelt_modifier(const char *name, const char **modifier);

/* Encoding of a name of the table, a raw event, or one of libpfm4. -ENOENT: there is none. */
int event_encode(const char *name, struct event_code *code, struct vsamp_error *err);

/* Whether the processor is Intel's: elsewhere IA32_PERFEVTSELx encodings mean nothing */
bool event_processor_intel(void);

/* Row of the table with this name or alias, or with this IA32_PERFEVTSELx encoding; NULL = none */
const struct vsamp_event_info *event_table_find(const char *name);
const struct vsamp_event_info *event_table_find_config(uint64_t config);

/* Up to three known names that look like @name, "A, B or C"; "" = none */
void event_near(char *out, size_t size, const char *name);

/* What perf calls it, by libpfm4. -ENOENT: it knows no such event; other errors are final. */
int event_pfm_encode(const char *name, struct event_code *code, struct vsamp_error *err);

/* Name in libpfm4 of another processor that has this event and this one hasn't; NULL = none */
const char *event_pfm_elsewhere(const char *name);

#endif
