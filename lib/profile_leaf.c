// SPDX-License-Identifier: MIT
/* profile_leaf.c: what rows are told apart by, from numbers to names */
#include "profile_private.h"

void leaf_fill(const struct vsamp_profile *p, uint32_t number, uint32_t spot, struct leaf *leaf)
{
	const struct cell *cell = places_cell(&p->places, number);
	const struct name *name = &p->placer.names.name[spot];
	uint32_t identity = cell->place.identity;

	memset(leaf, 0xff, sizeof(*leaf));
	leaf->key[KEY_PROCESS] = identity;
	leaf->key[KEY_MODULE] = name->label;
	leaf->key[KEY_SYMBOL] = name->symbol;
	leaf->key[KEY_PID] = procmap_identity_at(&p->placer.procmap, identity)->pid;
	if (p->options.by & VSAMP_BY_LINE)
		leaf->key[KEY_LINE] = p->placer.names.line_of[spot];
	if (p->options.by & BY_BESIDE) {
		const struct beside *beside = intern_key(&p->besides, cell->beside);

		memcpy(&leaf->key[KEY_COMM], beside->key, sizeof(beside->key));
		for (int k = KEY_TASK; k <= KEY_ITT_EVENT; k++)
			if (leaf->key[k] != NOT_ASKED)
				leaf->key[k] = p->span_text[leaf->key[k]];
	}
}

void leaf_mask(struct leaf *leaf, unsigned int by)
{
	/* of a thread the name is a part */
	if (by & VSAMP_BY_THREAD)
		by |= VSAMP_BY_COMM;
	for (int k = 0; k < KEYS; k++)
		if (!(by & 1U << k))
			leaf->key[k] = NOT_ASKED;
}

static void row_process(struct vsamp_profile *p, const struct leaf *leaf,
			struct vsamp_profile_row *row)
{
	uint32_t identity = leaf->key[KEY_PROCESS];

	row->pid = leaf->key[KEY_PID];
	if (identity != NOT_ASKED) {
		row->pid = procmap_identity_at(&p->placer.procmap, identity)->pid;
		row->comm = procmap_identity_at(&p->placer.procmap, identity)->comm;
	}
	procmap_namespace(&p->placer.procmap, row->pid, &row->ns_pid, &row->pid_namespace);
}

static void row_code(const struct vsamp_profile *p, const struct leaf *leaf,
		     struct vsamp_profile_row *row)
{
	const struct names *n = &p->placer.names;

	if (leaf->key[KEY_MODULE] != NOT_ASKED) {
		row->module = names_module(n, leaf->key[KEY_MODULE]);
		row->build_id = names_build_id(n, leaf->key[KEY_MODULE]);
		row->note = names_note(n, leaf->key[KEY_MODULE]);
	}
	if (leaf->key[KEY_SYMBOL] != NOT_ASKED)
		row->symbol = names_symbol(n, leaf->key[KEY_SYMBOL]);
	if (p->by & VSAMP_BY_LINE)
		row->file = "";
	if (p->by & VSAMP_BY_LINE && leaf->key[KEY_LINE] != NAMES_NO_LINE) {
		row->file = names_line(n, leaf->key[KEY_LINE])->file;
		row->line = names_line(n, leaf->key[KEY_LINE])->line;
	}
}

static const char *span_name(const struct vsamp_profile *p, uint32_t number, const char **domain)
{
	const char *name = intern_key(&p->span_texts, number);

	*domain = name + strlen(name) + 1;
	return name;
}

static void row_beside(const struct vsamp_profile *p, const struct leaf *leaf,
		       struct vsamp_profile_row *row)
{
	const uint32_t *key = leaf->key;

	if (p->by & VSAMP_BY_THREAD)
		row->tid = key[KEY_THREAD];
	if (p->by & (VSAMP_BY_COMM | VSAMP_BY_THREAD))
		row->thread = threads_name(&p->threads, key[KEY_COMM]);
	if (p->by & VSAMP_BY_CPU)
		row->cpu = key[KEY_CPU];
	if (p->by & VSAMP_BY_TIME)
		row->time = key[KEY_TIME] * p->options.slice;
	if (p->by & VSAMP_BY_TASK)
		row->task = span_name(p, key[KEY_TASK], &row->task_domain);
	if (p->by & VSAMP_BY_ITT_EVENT)
		row->itt_event = span_name(p, key[KEY_ITT_EVENT], &row->itt_event_domain);
}

void leaf_row(struct vsamp_profile *p, const struct leaf *leaf, struct vsamp_profile_row *row)
{
	if (p->by & (VSAMP_BY_PROCESS | VSAMP_BY_PID))
		row_process(p, leaf, row);
	row_code(p, leaf, row);
	row_beside(p, leaf, row);
	if (p->by & VSAMP_BY_EVENT)
		row->event = leaf->key[KEY_EVENT];
}

static int compare_names(const char *a, const char *b)
{
	/* most are the same one */
	return a != b && a && b ? strcmp(a, b) : 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int leaf_compare_rows(const struct vsamp_profile_row *a, const struct vsamp_profile_row *b)
{
	return compare_names(a->module, b->module)			       ?:
		       compare_names(a->build_id, b->build_id)		       ?:
		       compare_names(a->symbol, b->symbol)		       ?:
		       compare_names(a->file, b->file)			       ?:
		       compare_numbers(a->line, b->line)		       ?:
		       compare_names(a->comm, b->comm)			       ?:
		       compare_numbers(a->pid, b->pid)			       ?:
		       compare_names(a->thread, b->thread)		       ?:
		       compare_numbers(a->tid, b->tid)			       ?:
		       compare_numbers(a->cpu, b->cpu)			       ?:
		       compare_numbers(a->time, b->time)		       ?:
		       compare_names(a->task, b->task)			       ?:
		       compare_names(a->task_domain, b->task_domain)	       ?:
		       compare_names(a->itt_event, b->itt_event)	       ?:
		       compare_names(a->itt_event_domain, b->itt_event_domain) ?:
		       compare_numbers(a->event, b->event);
}
