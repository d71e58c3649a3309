// SPDX-License-Identifier: MIT
/*
 * html_flame.c: the tree of who called, from processes inwards, as columns; a node's parent is
 * earlier. Without stacks it is of processes, modules and symbols. Nodes that are too small are left
 * out, and counted in their parents, of which "cut" tells how many.
 */
#include <inttypes.h>

#include "html.h"

#define NODES_MAX   20000
#define PROCESS	    (UINT32_MAX - 2) /* in the place of a label: its number is a string's */
#define MODULE_ONLY UINT32_MAX	     /* in the place of a symbol */

struct node {
	uint32_t parent; /* number + 1; 0: none */
	struct export_function function;
};

struct flame {
	struct html *h;
	const struct vsamp_profile *profile;
	struct tally nodes;
	uint32_t *shown; /* by node: its number in the page + 1; 0: it isn't in it */
	uint32_t *cut;	 /* by node: children that aren't */
};

/* Number + 1 of the node that is called @f below @parent, to which the counts are added; 0: failed */
static uint32_t node_add(struct flame *f, uint32_t parent, struct export_function function,
			 struct counts counts)
{
	struct node node = { parent, function };
	int64_t number = tally_add(&f->nodes, &node, sizeof(node), counts);

	f->h->no_memory |= number < 0;
	return number < 0 ? 0 : number + 1;
}

static struct export_function process_function(struct flame *f, const struct place *place)
{
	const struct procmap_identity *id = procmap_identity_at(&f->profile->placer.procmap,
								place->identity);
	char pid[32];

	snprintf(pid, sizeof(pid), "[pid %" PRIu32 "]", id->pid);
	return (struct export_function){ PROCESS, html_string(f->h, *id->comm ? id->comm : pid) };
}

static void add_place(struct flame *f, uint32_t number)
{
	const struct place *place = &places_cell(&f->profile->places, number)->place;
	struct counts counts = places_counts(&f->profile->places, number);
	struct export_function function[EXPORT_FRAMES_MAX];
	size_t n = export_functions(f->profile, place, function);
	uint32_t at = node_add(f, 0, process_function(f, place), counts);

	if (!f->h->x->rec->totals.stacks)
		at = node_add(f, at, (struct export_function){ function[0].label, MODULE_ONLY },
			      counts);
	while (n-- > 0)
		at = node_add(f, at, function[n], counts);
}

/* Which nodes are in the page: a parent is as large as its child, or larger */
static void choose(struct flame *f)
{
	size_t n = f->nodes.keys.count;
	double *share = malloc((n + 1) * sizeof(*share)), limit;
	uint32_t shown = 0;

	f->shown = calloc(n + 1, sizeof(*f->shown));
	f->cut = calloc(n + 1, sizeof(*f->cut));
	if (!share || !f->shown || !f->cut) {
		f->h->no_memory = true;
		free(share);
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct counts c = tally_counts(&f->nodes, i);

		/* whole numbers, in the same way as in all that is exported */
		for (size_t e = 0; e < f->h->x->events; e++)
			c.events[f->h->x->event[e]] = export_events(f->h->x, c, f->h->x->event[e]);
		share[i] = html_share(f->h, c.samples, c.events);
	}
	limit = html_limit(f->h, share, n, NODES_MAX);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = ((const struct node *)intern_key(&f->nodes.keys, i))->parent;

		if (share[i] > 0 && share[i] > limit)
			f->shown[i] = ++shown;
		else if (parent && share[i] > 0)
			f->cut[parent - 1]++;
	}
	free(share);
}

static uint32_t node_name(struct flame *f, const struct node *node)
{
	if (node->function.label == PROCESS)
		return node->function.symbol;
	if (node->function.symbol == MODULE_ONLY)
		return html_string(f->h, export_module(f->profile, node->function));
	return html_string(f->h, export_symbol(f->profile, node->function));
}

static uint32_t node_module(struct flame *f, const struct node *node)
{
	return html_string(f->h, node->function.label >= PROCESS ?
					 "" :
					 export_module(f->profile, node->function));
}

static uint32_t node_parent(struct flame *f, const struct node *node)
{
	return node->parent ? f->shown[node->parent - 1] : 0;
}

/* A column, by what is told of a node */
static void put_nodes(struct flame *f, const char *name,
		      uint32_t (*number)(struct flame *f, const struct node *node))
{
	const char *comma = "";

	fprintf(f->h->out, "\"%s\":[", name);
	for (uint32_t i = 0; i < f->nodes.keys.count; i++) {
		if (!f->shown[i])
			continue;
		fprintf(f->h->out, "%s%" PRIu32, comma, number(f, intern_key(&f->nodes.keys, i)));
		comma = ",";
	}
	fputs("],\n", f->h->out);
}

static void put_cut(struct flame *f)
{
	const char *comma = "";

	fputs("\"cut\":{", f->h->out);
	for (uint32_t i = 0; i < f->nodes.keys.count; i++) {
		if (!f->shown[i] || !f->cut[i])
			continue;
		fprintf(f->h->out, "%s\"%" PRIu32 "\":%" PRIu32, comma, f->shown[i], f->cut[i]);
		comma = ",";
	}
	fputs("},\n", f->h->out);
}

static void put_event(struct flame *f, size_t e)
{
	const char *comma = "";

	fputs("{\"samples\":[", f->h->out);
	for (uint32_t i = 0; i < f->nodes.keys.count; i++) {
		if (!f->shown[i])
			continue;
		fprintf(f->h->out, "%s%" PRIu64, comma, tally_counts(&f->nodes, i).samples[e]);
		comma = ",";
	}
	comma = "";
	fputs("],\"events\":[", f->h->out);
	for (uint32_t i = 0; i < f->nodes.keys.count; i++) {
		if (!f->shown[i])
			continue;
		fprintf(f->h->out, "%s%.0f", comma, tally_counts(&f->nodes, i).events[e]);
		comma = ",";
	}
	fputs("]}", f->h->out);
}

void html_put_flame(struct html *h, struct vsamp_profile *profile)
{
	struct flame f = { .h = h, .profile = profile, .nodes.events = h->x->rec->events };

	for (uint32_t i = 0; i < profile->places.count; i++)
		add_place(&f, i);
	choose(&f);
	if (!h->no_memory) {
		fputs(",\n\"flame\":{", h->out);
		put_nodes(&f, "parent", node_parent);
		put_nodes(&f, "name", node_name);
		put_nodes(&f, "module", node_module);
		put_cut(&f);
		fputs("\"counts\":[", h->out);
		for (size_t i = 0; i < h->x->events; i++) {
			fputs(i ? ",\n" : "", h->out);
			put_event(&f, h->x->event[i]);
		}
		fputs("]}", h->out);
	}
	tally_free(&f.nodes);
	free(f.shown);
	free(f.cut);
}
