// SPDX-License-Identifier: MIT
/* itt_stats.c: how often there was what, and how long it took */
#include "itt_private.h"

/* Equal texts are the same pointer, but for those that are told as "" */
struct row_key {
	const char *domain, *name;
	uint64_t kind;
};

static int value_order(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The least value that so many of a hundred are no greater than */
static uint64_t percentile(const uint64_t *value, size_t count, unsigned int percent)
{
	size_t rank = count / 100 * percent + (count % 100 * percent + 99) / 100;

	return value[rank - 1];
}

static void durations_of(struct vsamp_itt_durations *d, uint64_t *value, size_t count)
{
	double sum = 0;

	if (!count)
		return;
	qsort(value, count, sizeof(*value), value_order);
	for (size_t i = 0; i < count; i++) {
		d->total += value[i];
		sum += value[i];
	}
	d->min = value[0];
	d->max = value[count - 1];
	d->p50 = percentile(value, count, 50);
	d->p90 = percentile(value, count, 90);
	d->p99 = percentile(value, count, 99);
	d->average = sum / count;
}

static bool has_duration(const struct vsamp_span *span)
{
	return !span->tick && !span->cut && !span->continued;
}

static int row_add(struct itt_rows *rows, struct intern *keys, const struct vsamp_span *span)
{
	struct row_key key = { *span->domain ? span->domain : NULL, *span->name ? span->name : NULL,
			       span->kind };
	int64_t number = intern_number(keys, &key, sizeof(key));

	if (number < 0)
		return -ENOMEM;
	if ((size_t)number == rows->count) {
		/* grows as a power of two does */
		if (!(number & (number - 1))) {
			size_t room = number ? 2 * number : 1;
			struct vsamp_itt_stat *more = realloc(rows->stat, room * sizeof(*more));

			if (!more)
				return -ENOMEM;
			rows->stat = more;
		}
		rows->stat[rows->count++] = (struct vsamp_itt_stat){ .kind = span->kind,
								     .domain = span->domain,
								     .name = span->name };
	}
	rows->stat[number].count += !span->continued;
	rows->stat[number].ticks += span->tick && !span->continued;
	rows->stat[number].cut += span->cut && !span->continued;
	return number;
}

/* Inclusive or exclusive durations of all rows, gathered row by row; @first: where each begins */
static void fill_durations(struct itt_rows *rows, const struct vsamp_itt *itt, uint64_t *value,
			   const size_t *first, size_t *next, bool exclusive)
{
	memcpy(next, first, rows->count * sizeof(*next));
	for (size_t i = 0; i < itt->spans; i++)
		if (has_duration(&itt->span[i]))
			value[next[rows->of[i]]++] = exclusive ? itt->span[i].exclusive :
								 itt->span[i].inclusive;
	for (size_t r = 0; r < rows->count; r++)
		durations_of(exclusive ? &rows->stat[r].exclusive : &rows->stat[r].inclusive,
			     value + first[r], next[r] - first[r]);
}

static int make_durations(struct itt_rows *rows, const struct vsamp_itt *itt)
{
	size_t *first = calloc(rows->count + 1, sizeof(*first));
	size_t *next = calloc(rows->count + 1, sizeof(*next));
	uint64_t *value = malloc((itt->spans + 1) * sizeof(*value));
	bool ok = first && next && value;

	for (size_t r = 0; ok && r < rows->count; r++)
		first[r + 1] = first[r] + rows->stat[r].count - rows->stat[r].ticks -
			       rows->stat[r].cut;
	if (ok) {
		fill_durations(rows, itt, value, first, next, false);
		fill_durations(rows, itt, value, first, next, true);
	}
	free(first);
	free(next);
	free(value);
	return ok ? 0 : -ENOMEM;
}

/* A row and where it was */
struct moved {
	struct vsamp_itt_stat stat;
	size_t from;
};

static int stat_order(const void *a, const void *b)
{
	const struct vsamp_itt_stat *x = &((const struct moved *)a)->stat;
	const struct vsamp_itt_stat *y = &((const struct moved *)b)->stat;
	int order;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->exclusive.total != y->exclusive.total)
		return x->exclusive.total > y->exclusive.total ? -1 : 1;
	order = strcmp(x->domain, y->domain);
	return order ? order : strcmp(x->name, y->name);
}

static int sort_rows(struct itt_rows *rows, const struct vsamp_itt *itt)
{
	struct moved *moved = malloc((rows->count + 1) * sizeof(*moved));
	uint32_t *to = malloc((rows->count + 1) * sizeof(*to));
	bool ok = moved && to;

	for (size_t r = 0; ok && r < rows->count; r++)
		moved[r] = (struct moved){ rows->stat[r], r };
	if (ok && rows->count)
		qsort(moved, rows->count, sizeof(*moved), stat_order);
	for (size_t r = 0; ok && r < rows->count; r++) {
		rows->stat[r] = moved[r].stat;
		to[moved[r].from] = r;
	}
	for (size_t i = 0; ok && i < itt->spans; i++)
		rows->of[i] = to[rows->of[i]];
	free(moved);
	free(to);
	return ok ? 0 : -ENOMEM;
}

int itt_rows_make(struct itt_rows *rows, const struct vsamp_itt *itt)
{
	struct intern keys = { 0 };
	int ret = 0;

	*rows = (struct itt_rows){ .of = malloc((itt->spans + 1) * sizeof(*rows->of)) };
	if (!rows->of)
		return -ENOMEM;
	for (size_t i = 0; i < itt->spans && ret >= 0; i++) {
		ret = row_add(rows, &keys, &itt->span[i]);
		rows->of[i] = ret;
	}
	intern_free(&keys);
	if (ret >= 0)
		ret = make_durations(rows, itt);
	return ret ? ret : sort_rows(rows, itt);
}

void itt_rows_free(struct itt_rows *rows)
{
	free(rows->stat);
	free(rows->of);
}

int vsamp_itt_stats(const struct vsamp_itt *itt, struct vsamp_itt_stat **stats, size_t *count,
		    struct vsamp_error *err)
{
	struct itt_rows rows;

	if (itt_rows_make(&rows, itt)) {
		itt_rows_free(&rows);
		return vsamp_fail(err, -ENOMEM, "out of memory");
	}
	*stats = rows.stat;
	*count = rows.count;
	free(rows.of);
	return 0;
}
