// SPDX-License-Identifier: MIT
/* profile.c: folds samples into where they fell */
#include <vsamp.h>
#include <vsamp/profile.h>

#include "intern.h"
#include "module.h"
#include "procmap.h"
#include "recording_private.h"

#define UNKNOWN	      "[unknown]"

/* Modules of places, beside the numbers of struct modules */
#define MODULE_KERNEL (1U << 31) /* with the number of the snapshot that was current */
#define MODULE_NONE   UINT32_MAX

/* Where samples fell, as cheap as it can be told; names come later, once a place */
struct place {
	uint32_t identity;
	uint32_t module;
	uint64_t offset; /* in the module's file; in the kernel: the address */
};

/* Numbers of names; NOT_ASKED where rows aren't told apart by it */
struct leaf {
	uint32_t identity;
	uint32_t label;
	uint32_t symbol;
};

#define NOT_ASKED UINT32_MAX

/* A key and, for each of its numbers, a count for each event */
struct tally {
	struct intern keys;
	struct buf counts;
	size_t events;
};

struct vsamp_profile {
	struct vsamp_recording *rec;
	struct modules modules;
	struct procmap procmap;
	size_t snapshot;
	struct tally places, leaves, sums;
	struct intern labels; /* modules as rows show them: path, zero, build-id */
	struct buf notes;     /* const char *, by label */
	struct intern symbols;
	uint32_t *with_id; /* by number of a path: a module that has a build-id, or NOT_ASKED */
};

/* The counts of a key, zero if it is new; NULL without memory */
static uint64_t *tally_at(struct tally *t, const void *key, uint32_t size)
{
	int64_t number = intern_number(&t->keys, key, size);
	size_t row = t->events * sizeof(uint64_t);

	if (number < 0)
		return NULL;
	if (number * row == t->counts.size) {
		if (buf_reserve(&t->counts, row))
			return NULL;
		memset(t->counts.data + t->counts.size, 0, row);
		t->counts.size += row;
	}
	return (uint64_t *)(t->counts.data + number * row);
}

static const uint64_t *tally_counts(const struct tally *t, uint32_t number)
{
	return (const uint64_t *)t->counts.data + number * t->events;
}

static void tally_free(struct tally *t)
{
	intern_free(&t->keys);
	buf_free(&t->counts);
}

/* The last snapshot before now, or the first there is; times never fall */
static uint32_t kernel_module(struct vsamp_profile *p, uint64_t time)
{
	const struct vsamp_recording *rec = p->rec;

	while (p->snapshot + 1 < rec->snapshots && rec->snapshot[p->snapshot + 1].time <= time)
		p->snapshot++;
	return MODULE_KERNEL | p->snapshot;
}

static bool pid_wanted(uint32_t pid, const uint32_t *pids, size_t n_pids)
{
	for (size_t i = 0; i < n_pids; i++)
		if (pids[i] == pid)
			return true;
	return !n_pids;
}

static int add_sample(struct vsamp_profile *p, const struct vsamp_record_sample *s)
{
	int64_t identity = procmap_identity(&p->procmap, s->pid);
	struct place place = { .module = MODULE_NONE };
	uint64_t *counts;

	if (identity < 0)
		return -ENOMEM;
	if (s->h.event >= p->rec->events)
		return -EBADMSG; /* was checked, but the file may have been changed since */
	place.identity = identity;
	if (!(s->h.flags & VSAMP_SAMPLE_USER)) {
		place.module = kernel_module(p, s->time);
		place.offset = s->ip;
	} else {
		procmap_find(&p->procmap, s->pid, s->ip, &place.module, &place.offset);
	}
	counts = tally_at(&p->places, &place, sizeof(place));
	if (!counts)
		return -ENOMEM;
	counts[s->h.event]++;
	return 0;
}

static int fold(struct vsamp_profile *p, const uint32_t *pids, size_t n_pids,
		struct vsamp_error *err)
{
	struct vsamp_item item;
	int ret;

	vsamp_recording_rewind(p->rec);
	while ((ret = vsamp_recording_next(p->rec, &item, err)) > 0) {
		const struct vsamp_record_sample *s = (const void *)item.record;

		ret = 0;
		if (item.sideband)
			ret = procmap_apply(&p->procmap, item.sideband);
		else if (s->h.type == VSAMP_RECORD_SAMPLE && pid_wanted(s->pid, pids, n_pids))
			ret = add_sample(p, s);
		if (ret)
			return vsamp_fail(err, ret, "%s: %s", vsamp_reader_path(p->rec->reader),
					  ret == -E2BIG	  ? "more mappings than any machine has" :
					  ret == -EBADMSG ? "the file was changed meanwhile" :
							    "out of memory");
	}
	return ret;
}

static int64_t label_number(struct vsamp_profile *p, const char *path, const struct buildid *id,
			    const char *note)
{
	char hex[BUILDID_HEX] = "";
	struct buf key = { 0 };
	int64_t number;

	if (id)
		buildid_format(id, hex);
	if (buf_add(&key, path, strlen(path) + 1) || buf_add(&key, hex, strlen(hex) + 1)) {
		buf_free(&key);
		return -ENOMEM;
	}
	number = intern_number(&p->labels, key.data, key.size);
	buf_free(&key);
	if (number >= 0 && number * sizeof(note) == p->notes.size &&
	    buf_add(&p->notes, &note, sizeof(note)))
		return -ENOMEM;
	return number;
}

/*
 * Kernel symbols by the snapshot that was current, or else by the next one: then the module was
 * loaded in between. -ENOENT if neither has it.
 */
static int name_kernel(struct vsamp_profile *p, const struct place *place, struct leaf *leaf,
		       struct vsamp_error *err)
{
	size_t first = place->module & ~MODULE_KERNEL;
	struct kallsyms_symbol sym = { .name = UNKNOWN, .module = KALLSYMS_KERNEL };
	int64_t label, symbol;

	for (size_t i = first; i < p->rec->snapshots && i < first + 2; i++) {
		struct kallsyms *k;
		int ret = recording_kallsyms(p->rec, i, &k, err);

		if (ret)
			return ret;
		if (!kallsyms_find(k, place->offset, &sym))
			break;
		if (i == first)
			sym.id = kallsyms_kernel_id(k);
	}
	label = label_number(p, sym.module, sym.id,
			     p->rec->snapshots ? NULL : "the recording has no kernel symbols");
	symbol = intern_string(&p->symbols, sym.name);
	if (label < 0 || symbol < 0)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	leaf->label = label;
	leaf->symbol = symbol;
	return 0;
}

/* Of one file some records may have the build-id and others not */
static int find_ids(struct vsamp_profile *p)
{
	const struct modules *ms = &p->modules;

	p->with_id = malloc((ms->paths.count + 1UL) * sizeof(*p->with_id));
	if (!p->with_id)
		return -ENOMEM;
	memset(p->with_id, 0xff, (ms->paths.count + 1UL) * sizeof(*p->with_id));
	for (uint32_t i = ms->count; i-- > 0;)
		if (ms->module[i].id.size)
			p->with_id[ms->module[i].path_number] = i;
	return 0;
}

static uint32_t module_with_id(const struct vsamp_profile *p, uint32_t number)
{
	const struct module *m = &p->modules.module[number];
	uint32_t other = p->with_id[m->path_number];

	return m->id.size || other == NOT_ASKED ? number : other;
}

static int name_user(struct vsamp_profile *p, const struct place *place, struct leaf *leaf,
		     struct vsamp_error *err)
{
	struct elfsym_symbol sym = { .name = UNKNOWN };
	int64_t label, symbol;
	int ret = 0;

	if (place->module == MODULE_NONE) {
		label = label_number(p, UNKNOWN, NULL, NULL);
	} else {
		uint32_t number = module_with_id(p, place->module);
		const struct module *m;

		ret = modules_find(&p->modules, number, place->offset, &sym);
		m = &p->modules.module[number];
		label = label_number(p, modules_path(&p->modules, number), &m->id, m->note);
	}
	symbol = intern_string(&p->symbols, sym.name);
	if (label < 0 || symbol < 0 || ret == -ENOMEM)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	leaf->label = label;
	leaf->symbol = symbol;
	return 0;
}

static int add_counts(struct tally *to, const void *key, uint32_t size, const uint64_t *counts,
		      struct vsamp_error *err)
{
	uint64_t *sum = tally_at(to, key, size);

	if (!sum)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (size_t e = 0; e < to->events; e++)
		sum[e] += counts[e];
	return 0;
}

static int name_places(struct vsamp_profile *p, struct vsamp_error *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->places.keys.count && !ret; i++) {
		const struct place *place = intern_key(&p->places.keys, i);
		struct leaf leaf = { .identity = place->identity };

		ret = place->module != MODULE_NONE && place->module & MODULE_KERNEL ?
			      name_kernel(p, place, &leaf, err) :
			      name_user(p, place, &leaf, err);
		if (!ret)
			ret = add_counts(&p->leaves, &leaf, sizeof(leaf),
					 tally_counts(&p->places, i), err);
	}
	return ret;
}

int vsamp_profile_new(struct vsamp_profile **out, struct vsamp_recording *rec, const uint32_t *pids,
		      size_t n_pids, struct vsamp_error *err)
{
	struct vsamp_profile *p = calloc(1, sizeof(*p));
	int ret;

	if (!p)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	p->rec = rec;
	p->places.events = rec->events;
	p->leaves.events = rec->events;
	p->sums.events = rec->events;
	modules_init(&p->modules, recording_same_boot(rec));
	procmap_init(&p->procmap, &p->modules);
	ret = fold(p, pids, n_pids, err);
	if (!ret && find_ids(p))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = name_places(p, err);
	if (ret) {
		vsamp_profile_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

static void row_fill(const struct vsamp_profile *p, uint32_t number, struct vsamp_profile_row *row)
{
	const struct leaf *leaf = intern_key(&p->sums.keys, number);

	*row = (struct vsamp_profile_row){ .samples = tally_counts(&p->sums, number) };
	if (leaf->identity != NOT_ASKED) {
		const struct procmap_identity *id = procmap_identity_at(&p->procmap,
									leaf->identity);

		row->pid = id->pid;
		row->comm = id->comm;
	}
	if (leaf->label != NOT_ASKED) {
		row->module = intern_key(&p->labels, leaf->label);
		row->build_id = row->module + strlen(row->module) + 1;
		row->note = ((const char *const *)p->notes.data)[leaf->label];
	}
	if (leaf->symbol != NOT_ASKED)
		row->symbol = intern_key(&p->symbols, leaf->symbol);
}

struct row_order {
	size_t event, events;
};

static int compare_names(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : 0;
}

static int by_samples(const void *a, const void *b, void *arg)
{
	const struct vsamp_profile_row *x = a, *y = b;
	const struct row_order *order = arg;
	int ret;

	if (x->samples[order->event] != y->samples[order->event])
		return x->samples[order->event] > y->samples[order->event] ? -1 : 1;
	for (size_t e = 0; e < order->events; e++)
		if (x->samples[e] != y->samples[e])
			return x->samples[e] > y->samples[e] ? -1 : 1;
	ret = compare_names(x->module, y->module);
	if (!ret)
		ret = compare_names(x->build_id, y->build_id);
	if (!ret)
		ret = compare_names(x->symbol, y->symbol);
	if (!ret)
		ret = compare_names(x->comm, y->comm);
	return ret ? ret : (x->pid > y->pid) - (x->pid < y->pid);
}

int vsamp_profile_rows(struct vsamp_profile *p, unsigned int by, size_t event,
		       struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err)
{
	struct row_order order = { event, p->rec->events };
	int ret = 0;

	tally_free(&p->sums);
	for (uint32_t i = 0; i < p->leaves.keys.count && !ret; i++) {
		struct leaf leaf = *(const struct leaf *)intern_key(&p->leaves.keys, i);

		if (!(by & VSAMP_BY_PROCESS))
			leaf.identity = NOT_ASKED;
		if (!(by & VSAMP_BY_MODULE))
			leaf.label = NOT_ASKED;
		if (!(by & VSAMP_BY_SYMBOL))
			leaf.symbol = NOT_ASKED;
		ret = add_counts(&p->sums, &leaf, sizeof(leaf), tally_counts(&p->leaves, i), err);
	}
	if (ret)
		return ret;
	*count = p->sums.keys.count;
	*rows = calloc(*count + 1, sizeof(**rows));
	if (!*rows)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < *count; i++)
		row_fill(p, i, &(*rows)[i]);
	if (*count)
		qsort_r(*rows, *count, sizeof(**rows), by_samples, &order);
	return 0;
}

void vsamp_profile_free(struct vsamp_profile *p)
{
	if (!p)
		return;
	tally_free(&p->places);
	tally_free(&p->leaves);
	tally_free(&p->sums);
	intern_free(&p->labels);
	intern_free(&p->symbols);
	buf_free(&p->notes);
	procmap_free(&p->procmap);
	modules_free(&p->modules);
	free(p->with_id);
	free(p);
}
