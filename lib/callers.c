// SPDX-License-Identifier: MIT
/* callers.c: who called a row, and whom it called, as trees */
#include "profile_private.h"

/* Of one row; more are in a file that is made to exhaust memory */
#define CALLERS_MAX	(8U << 20)

/* In the place of a caller's label, where there is none */
#define LABEL_TRUNCATED UINT32_MAX
#define LABEL_NONE	(UINT32_MAX - 1)

struct node_key {
	uint32_t below; /* number + 1 of the node that it called; 0: the row */
	uint32_t label, symbol;
};

struct tree {
	struct vsamp_profile *p;
	struct tally nodes; /* by struct node_key */
	size_t event;
	bool callees;
	const struct leaf *row;
	struct tally masked; /* one row: a place's numbers, of the row's event alone */
	struct vsamp_error *err;
};

static const struct node_key *tree_key(const struct tree *t, uint32_t node)
{
	return intern_key(&t->nodes.keys, node);
}

/* A node below that of *@below, which it becomes */
static int tree_add(struct tree *t, uint32_t label, uint32_t symbol, struct counts counts,
		    uint32_t *below)
{
	struct node_key key = { *below, label, symbol };
	int64_t node = tally_add(&t->nodes, &key, sizeof(key), counts);

	if (node < 0)
		return vsamp_fail(t->err, -ENOMEM, "out of memory");
	if (node == CALLERS_MAX)
		return vsamp_fail(t->err, -E2BIG, "%s: a row has more callers than any program",
				  vsamp_reader_path(t->p->rec->reader));
	*below = node + 1;
	return 0;
}

/* What a place has of the row: all, or what it has of the row's event */
static struct counts tree_counts(struct tree *t, uint32_t place)
{
	struct counts all = places_counts(&t->p->places, place), one;
	uint32_t event = t->row->key[KEY_EVENT];

	if (event == NOT_ASKED)
		return all;
	one = tally_counts(&t->masked, 0);
	one.samples[event] = all.samples[event];
	one.events[event] = all.events[event];
	return one;
}

static bool tree_is(uint32_t key, uint32_t number)
{
	return key == NOT_ASKED || key == number;
}

/* Whether the row stands for a frame of one of its places: what else it is told apart by is theirs */
static bool tree_has(const struct tree *t, uint32_t spot)
{
	const struct names *n = &t->p->placer.names;
	const uint32_t *key = t->row->key;

	return spot != STACK_CUT && profile_wants_spot(t->p, spot) &&
	       tree_is(key[KEY_MODULE], n->name[spot].label) &&
	       tree_is(key[KEY_SYMBOL], n->name[spot].symbol) &&
	       (!(t->p->by & VSAMP_BY_LINE) || key[KEY_LINE] == n->line_of[spot]);
}

static int tree_add_spot(struct tree *t, uint32_t spot, struct counts counts, uint32_t *below)
{
	const struct name *name = &t->p->placer.names.name[spot];

	if (spot == STACK_CUT)
		return tree_add(t, LABEL_TRUNCATED, 0, counts, below);
	return tree_add(t, name->label, name->symbol, counts, below);
}

/* From the innermost frame of the row outwards */
static int tree_add_callers(struct tree *t, uint32_t place, const uint32_t *spot, size_t frames)
{
	struct counts counts = tree_counts(t, place);
	uint32_t node = 0;
	size_t i = 0;
	int ret = 0;

	while (t->p->inclusive && i < frames && !tree_has(t, spot[i]))
		i++;
	while (++i < frames && !ret)
		ret = tree_add_spot(t, spot[i], counts, &node);
	return ret ? ret : tree_add(t, LABEL_NONE, 0, counts, &node);
}

/* From the outermost one inwards */
static int tree_add_callees(struct tree *t, uint32_t place, const uint32_t *spot, size_t frames)
{
	struct counts counts = tree_counts(t, place);
	uint32_t node = 0;
	size_t i = t->p->inclusive ? frames - 1 : 0;
	int ret = 0;

	while (i && !tree_has(t, spot[i]))
		i--;
	while (i-- > 0 && !ret)
		ret = tree_add_spot(t, spot[i], counts, &node);
	return ret ? ret : tree_add(t, LABEL_NONE, 0, counts, &node);
}

static int tree_add_place(struct tree *t, uint32_t place)
{
	uint32_t spot[PROFILE_FRAMES_MAX];
	size_t frames = profile_frames(t->p, place, spot);

	return t->callees ? tree_add_callees(t, place, spot, frames) :
			    tree_add_callers(t, place, spot, frames);
}

static const char *tree_symbol(const struct tree *t, const struct node_key *key)
{
	if (key->label == LABEL_TRUNCATED)
		return VSAMP_CALLER_TRUNCATED;
	if (key->label == LABEL_NONE)
		return t->callees ? VSAMP_CALLEE_NONE : VSAMP_CALLER_NONE;
	return names_symbol(&t->p->placer.names, key->symbol);
}

static const char *tree_module(const struct tree *t, const struct node_key *key)
{
	return key->label < LABEL_NONE ? names_module(&t->p->placer.names, key->label) : NULL;
}

static int compare_events(const double *a, const double *b)
{
	return *a == *b ? 0 : *a > *b ? -1 : 1;
}

/* Those that are below the same one are together, most events first */
static int by_place(const void *a, const void *b, void *arg)
{
	const struct tree *t = arg;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct node_key *key = tree_key(t, x), *other = tree_key(t, y);
	const double *events = tally_counts(&t->nodes, x).events;
	const double *others = tally_counts(&t->nodes, y).events;
	const char *module = tree_module(t, key), *others_module = tree_module(t, other);
	int ret;

	if (key->below != other->below)
		return key->below < other->below ? -1 : 1;
	ret = compare_events(&events[t->event], &others[t->event]);
	for (size_t e = 0; e < t->nodes.events && !ret; e++)
		ret = compare_events(&events[e], &others[e]);
	if (!ret)
		ret = strcmp(tree_symbol(t, key), tree_symbol(t, other));
	if (!ret)
		ret = strcmp(module ? module : "", others_module ? others_module : "");
	return ret ? ret : (key->label > other->label) - (key->label < other->label);
}

static void tree_fill(const struct tree *t, uint32_t node, struct counts counts,
		      struct vsamp_profile_caller *c)
{
	const struct node_key *key = tree_key(t, node);

	for (size_t e = 0; e < t->nodes.events; e++)
		counts.events[e] /= t->p->rec->event[e].share;
	*c = (struct vsamp_profile_caller){
		.module = tree_module(t, key),
		.symbol = tree_symbol(t, key),
		.samples = counts.samples,
		.events = counts.events,
	};
}

/* Of one whose stacks all end there nothing more is to be said */
static bool only_none(const struct vsamp_profile_caller *callers, size_t count)
{
	return count == 1 && !callers->module && strcmp(callers->symbol, VSAMP_CALLER_TRUNCATED);
}

/*
 * The nodes in the order of @order, with their counts behind them; @at: by node, where it is there.
 * Returns how many are at the top.
 */
static size_t tree_link(const struct tree *t, const uint32_t *order, uint32_t *at,
			struct vsamp_profile_caller *c)
{
	size_t n = t->nodes.keys.count, top = 0;
	struct tally copy = { .events = t->nodes.events, .counts.data = (uint8_t *)(c + n) };

	memcpy(copy.counts.data, t->nodes.counts.data, n * tally_row(&t->nodes));
	for (size_t i = 0; i < n; i++) {
		tree_fill(t, order[i], tally_counts(&copy, order[i]), &c[i]);
		at[order[i]] = i;
	}
	for (size_t i = 0, end; i < n; i = end) {
		uint32_t below = tree_key(t, order[i])->below;

		for (end = i + 1; end < n && tree_key(t, order[end])->below == below; end++)
			;
		if (only_none(&c[i], end - i))
			continue;
		if (!below) {
			top = end;
			continue;
		}
		c[at[below - 1]].callers = &c[i];
		c[at[below - 1]].count = end - i;
	}
	return top;
}

static int tree_give(struct tree *t, struct vsamp_profile_caller **callers, size_t *count)
{
	size_t n = t->nodes.keys.count;
	uint32_t *order = malloc(2 * (n + 1) * sizeof(*order));

	*callers = malloc((n + 1) * sizeof(**callers) + n * tally_row(&t->nodes));
	if (!order || !*callers) {
		free(order);
		free(*callers);
		return vsamp_fail(t->err, -ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	if (n)
		qsort_r(order, n, sizeof(*order), by_place, t);
	*count = tree_link(t, order, order + n, *callers);
	free(order);
	return 0;
}

static int tree_make(struct vsamp_profile *p, uint32_t row, size_t event, bool callees,
		     struct vsamp_profile_caller **callers, size_t *count, struct vsamp_error *err)
{
	struct tree t = {
		.p = p,
		.nodes.events = p->rec->events,
		.masked.events = p->rec->events,
		.event = event,
		.callees = callees,
		.err = err,
	};
	int ret = 0;

	if (!p->row_first || row >= p->sums.keys.count)
		return vsamp_fail(err, -EINVAL, "%s: no callers of row %u were asked for",
				  vsamp_reader_path(p->rec->reader), row);
	t.row = intern_key(&p->sums.keys, row);
	if (tally_number(&t.masked, "", 1) < 0)
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	for (uint32_t i = p->row_first[row]; i < p->row_first[row + 1] && !ret; i++)
		ret = tree_add_place(&t, p->row_place[i]);
	if (!ret)
		ret = tree_give(&t, callers, count);
	tally_free(&t.nodes);
	tally_free(&t.masked);
	return ret;
}

int vsamp_profile_callers(struct vsamp_profile *p, uint32_t row, size_t event,
			  struct vsamp_profile_caller **callers, size_t *count,
			  struct vsamp_error *err)
{
	return tree_make(p, row, event, false, callers, count, err);
}

int vsamp_profile_callees(struct vsamp_profile *p, uint32_t row, size_t event,
			  struct vsamp_profile_caller **callees, size_t *count,
			  struct vsamp_error *err)
{
	return tree_make(p, row, event, true, callees, count, err);
}
