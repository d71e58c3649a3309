/* SPDX-License-Identifier: MIT */
/* A report: what is asked, and its parts */
#ifndef REPORT_H
#define REPORT_H

#include <stdbool.h>

#include <vsamp/profile.h>
#include <vsamp/ratio.h>
#include <vsamp/recording.h>

#include "filter.h"

#define REPORT_KEYS_MAX	  16
#define REPORT_RATIOS_MAX 16

/* All wanted events at once */
#define REPORT_ALL	  SIZE_MAX

/* What a report can be sorted by; the library's bit, and the name of its column */
struct report_key {
	const char *name, *other; /* other: as other tools call it; NULL: as name */
	unsigned int by;
};

enum report_form {
	REPORT_TEXT,
	REPORT_JSON,
	REPORT_CSV,
};

enum report_tree {
	REPORT_NO_TREE,
	REPORT_CALLERS, /* of each row: who called it */
	REPORT_CALLEES, /* whom it called */
};

struct report {
	struct vsamp_recording *rec;
	struct vsamp_profile *profile;
	const struct vsamp_recording_event *event;
	size_t events;
	const struct report_key *key[REPORT_KEYS_MAX]; /* in the order of the columns */
	size_t keys;
	unsigned int by; /* the same as bits */
	struct filter filter;
	const char *task[FILTER_MAX]; /* names of ITT tasks and events: samples of no others */
	size_t tasks;
	enum report_form form;
	size_t rows_max;		/* 0: all */
	const char *html;		/* a page, in this file; NULL: none */
	bool gpu;			/* metrics of GPUs */
	const char *metric[FILTER_MAX]; /* of them these; none: all */
	size_t metrics;
	bool keyed, sliced; /* --sort was given; slices of time are asked for */
	bool itt;	    /* tasks and events of programs, whatever rows are told apart by */
	bool blocks;	    /* a table an event */
	bool children;	    /* functions with all that they called */
	enum report_tree tree;
	double percent_limit; /* least share of an event that a caller is shown from */
	uint64_t slice;	      /* ns; 0: by their number */
	uint64_t slices;
	const char *ratio_text[REPORT_RATIOS_MAX];   /* as asked for */
	struct vsamp_ratio ratio[REPORT_RATIOS_MAX]; /* and those that are known */
	size_t ratio_texts, ratios;
	const char *sort_text; /* an event, or a ratio; NULL: the first event */
	size_t sort_event;
	const struct vsamp_ratio *sort_ratio; /* NULL: by the event */
	bool found;			      /* there were rows */
};

/* report_parse.c: options; an exit code, the error is said; negative: help was shown, and that is all */
int report_parse(struct report *r, int argc, char **argv);
/* How long slices are of which so many make @length, about */
uint64_t report_slice(uint64_t length, uint64_t slices);
/* What of them depends on the recording */
int report_settle(struct report *r);

/* cmd_report.c: whether an event is to be shown */
bool report_wants(const struct report *r, size_t event);
/* Says, on standard error, that samples were left out, if there are any */
void report_paused(const char *command, uint64_t samples);
/* Says an error of the library */
int report_fail(const struct vsamp_error *err);

/* report_rows.c: rows that have samples of an event, or of any wanted one, as the report sorts them; an exit code */
int report_rows(struct report *r, size_t event, struct vsamp_profile_row **rows, size_t *count);
/* The same by other keys, without what --children adds */
int report_rows_by(struct report *r, unsigned int by, struct vsamp_profile_row **rows,
		   size_t *count);
/* The tree that is asked for; an exit code, the error is said */
int report_tree(struct report *r, const struct vsamp_profile_row *row, size_t event,
		struct vsamp_profile_caller **callers, size_t *count);
/* The share of an event, in percent */
double report_percent(const struct report *r, const double *events, size_t event);

/* report_keys.c: the key of a name; NULL: there is none */
const struct report_key *report_key_find(const char *name);
/* Their names, with commas between them */
const char *report_key_names(void);
/* A row's text in a key's column, in @text where it has to be made */
const char *report_text(const struct report *r, const struct vsamp_profile_row *row,
			const struct report_key *key, char *text, size_t size);
/* The last part of a path; of what isn't a path, all of it */
const char *report_module(const char *module);

/* Where the fields of a row go: those of keys, by their names */
struct report_sink {
	void (*number)(void *arg, const char *name, uint64_t value, bool known);
	void (*text)(void *arg, const char *name, const char *value);
	void *arg;
};

/* report_fields.c: all that is known of a row but its numbers; of an empty row the names hold */
void report_fields(const struct report *r, const struct vsamp_profile_row *row, unsigned int by,
		   const struct report_sink *sink);

/* print_callers.c: a row's tree, below it; an exit code */
int print_callers(struct report *r, const struct vsamp_profile_row *row, size_t event);

/* Each in a file of its name; an exit code */
int report_print(struct report *r);
int report_json(struct report *r);
int report_csv(struct report *r);

/* report_empty.c: says, on standard error, that nothing was found, and what there is */
void report_empty(const struct report *r);

/* report_itt.c: tasks and events of programs; an exit code */
int report_itt(struct report *r);

/* report_gpu.c: metrics of GPUs; an exit code */
int report_gpu(struct report *r);

/* report_html.c: the page; an exit code */
int report_html(struct report *r);

#endif
