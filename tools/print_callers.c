// SPDX-License-Identifier: MIT
/*
 * Callers below a row, or callees, as a tree: where there are several, each has a branch with its
 * share of the event; those of one alone follow line by line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "report.h"

#define BRANCH	   11  /* columns that a branch takes: "|--12.34%--" */
#define INDENT	   12  /* of the first */
#define LEVELS_MAX 300 /* more than stacks have frames */

struct branches {
	const struct report *r;
	size_t event;
	char prefix[INDENT + 3 + BRANCH * LEVELS_MAX + 1];
	size_t length;
};

static void print_name(const struct vsamp_profile_caller *c)
{
	escape_print(stdout, c->symbol, 0);
	/* a name that says nothing */
	if (c->module && !strcmp(c->symbol, "[unknown]") && strcmp(c->module, "[unknown]")) {
		fputs(" in ", stdout);
		escape_print(stdout, report_module(c->module), 0);
	}
	putchar('\n');
}

static void print_prefix(const struct branches *b)
{
	printf("%.*s", (int)b->length, b->prefix);
}

static double percent(const struct branches *b, const struct vsamp_profile_caller *c)
{
	return report_percent(b->r, c->events, b->event);
}

/*
 * How many are to be shown: they come first; and the share of the others. That there is none at
 * all isn't, where it is all that would be
 */
static size_t shown(const struct branches *b, const struct vsamp_profile_caller *c, size_t count,
		    double *rest)
{
	size_t n = 0;

	while (n < count && c[n].samples[b->event] && percent(b, &c[n]) >= b->r->percent_limit)
		n++;
	*rest = 0;
	for (size_t i = n; i < count; i++)
		*rest += percent(b, &c[i]);
	if (n == 1 && (*rest == 0 || *rest < b->r->percent_limit) && !c->module &&
	    strcmp(c->symbol, VSAMP_CALLER_TRUNCATED))
		return 0;
	return n;
}

static void print_level(struct branches *b, const struct vsamp_profile_caller *c, size_t count);

/* What is behind "|" is shifted by it, and by as many blanks */
static void print_shifted(struct branches *b, char bar, size_t columns,
			  const struct vsamp_profile_caller *c)
{
	if (b->length + columns > sizeof(b->prefix))
		return;
	memset(b->prefix + b->length, ' ', columns);
	b->prefix[b->length] = bar;
	b->length += columns;
	print_level(b, c->callers, c->count);
	b->length -= columns;
}

static void print_branch(struct branches *b, const struct vsamp_profile_caller *c, bool last)
{
	print_prefix(b);
	printf("%c--%5.2f%%--", last ? ' ' : '|', percent(b, c));
	print_name(c);
	print_shifted(b, last ? ' ' : '|', BRANCH, c);
}

static void print_level(struct branches *b, const struct vsamp_profile_caller *c, size_t count)
{
	double rest;
	size_t n = shown(b, c, count, &rest);
	bool more = rest > 0 && rest >= b->r->percent_limit;

	/* a chain; its shares are all the same */
	if (n == 1 && rest == 0) {
		print_prefix(b);
		print_name(c);
		print_level(b, c->callers, c->count);
		return;
	}
	if (n || more) {
		print_prefix(b);
		puts("|");
	}
	for (size_t i = 0; i < n; i++)
		print_branch(b, &c[i], i + 1 == n && !more);
	if (more) {
		print_prefix(b);
		printf(" --%5.2f%%--[...]\n", rest);
	}
}

static void print_tree(struct branches *b, const struct vsamp_profile_caller *c, size_t count)
{
	double rest;
	bool chain = shown(b, c, count, &rest) == 1 && rest == 0;

	memset(b->prefix, ' ', INDENT);
	b->length = INDENT;
	if (!chain) {
		print_level(b, c, count);
		return;
	}
	print_prefix(b);
	puts("|");
	print_prefix(b);
	fputs("---", stdout);
	print_name(c);
	print_shifted(b, ' ', 3, c);
}

int print_callers(struct report *r, const struct vsamp_profile_row *row, size_t event)
{
	struct branches b = { .r = r, .event = event };
	struct vsamp_profile_caller *callers;
	double rest;
	size_t count;
	int ret = report_tree(r, row, event, &callers, &count);

	if (ret)
		return ret;
	if (shown(&b, callers, count, &rest) || (rest > 0 && rest >= r->percent_limit)) {
		print_tree(&b, callers, count);
		putchar('\n');
	}
	free(callers);
	return 0;
}
