// SPDX-License-Identifier: MIT
/* Rows of several recordings that have the same names become one */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"

#define TEXT_MAX 512

const struct vsamp_recording_event *diff_event(const struct diff *d, const struct diff_event *event,
					       size_t file)
{
	return &d->file[file].event[event->index[file]];
}

uint64_t diff_elapsed(const struct diff *d, const struct diff_event *event, size_t file)
{
	int64_t elapsed = diff_event(d, event, file)->elapsed;

	return elapsed > 0 ? (uint64_t)elapsed : vsamp_recording_elapsed(d->file[file].rec);
}

double diff_rate(const struct diff *d, const struct diff_event *event, size_t file, double events)
{
	uint64_t ns = diff_elapsed(d, event, file);

	return ns ? events / (ns / 1e9) : 0;
}

static double value_of(const struct diff *d, const struct diff_event *event, size_t file,
		       double events)
{
	double all = diff_event(d, event, file)->estimated;

	if (d->per_second)
		return diff_rate(d, event, file, events);
	return all > 0 ? 100 * events / all : 0;
}

/* A process is told by its name alone */
static const char *row_text(const struct vsamp_profile_row *row, const struct report_key *key,
			    char *space, size_t size)
{
	return key->by == VSAMP_BY_PROCESS ? row->comm : report_text(NULL, row, key, space, size);
}

static int row_name(const struct diff *d, const struct vsamp_profile_row *from,
		    struct diff_row *row)
{
	char space[TEXT_MAX];

	for (size_t i = 0; i < d->keys; i++) {
		row->text[i] = strdup(row_text(from, d->key[i], space, sizeof(space)));
		if (!row->text[i])
			return -ENOMEM;
	}
	return 0;
}

/* A recording's rows that have samples of the event, behind those that are there */
static int rows_add(const struct diff *d, const struct diff_event *event, size_t file,
		    struct diff_row **rows, size_t *count, struct vsamp_error *err)
{
	size_t index = event->index[file], n;
	struct vsamp_profile_row *from;
	struct diff_row *more;
	unsigned int by = 0;
	int ret;

	for (size_t i = 0; i < d->keys; i++)
		by |= d->key[i]->by;
	ret = vsamp_profile_rows(d->file[file].profile, by, index, &from, &n, err);
	if (ret)
		return ret;
	more = reallocarray(*rows, *count + n + 1, sizeof(**rows));
	if (more)
		*rows = more;
	else
		ret = -ENOMEM;
	for (size_t i = 0; i < n && !ret && from[i].samples[index]; i++) {
		struct diff_row *row = &more[(*count)++];

		*row = (struct diff_row){ 0 };
		ret = row_name(d, &from[i], row);
		row->samples[file] = from[i].samples[index];
		row->events[file] = from[i].events[index];
	}
	free(from);
	return ret == -ENOMEM ? vsamp_fail(err, ret, "out of memory") : ret;
}

static int compare_names(const struct diff_row *x, const struct diff_row *y, size_t keys)
{
	int ret = 0;

	for (size_t i = 0; i < keys && !ret; i++)
		ret = strcmp(x->text[i], y->text[i]);
	return ret;
}

static int by_name(const void *a, const void *b, void *arg)
{
	return compare_names(a, b, ((const struct diff *)arg)->keys);
}

static double largest(const struct diff *d, const struct diff_row *row)
{
	double most = 0;

	for (size_t i = 1; i < d->files; i++)
		most = fmax(most, fabs(row->value[i] - row->value[0]));
	return most;
}

static int by_difference(const void *a, const void *b, void *arg)
{
	const struct diff *d = arg;
	double x = largest(d, a), y = largest(d, b);

	if (x != y)
		return x > y ? -1 : 1;
	x = ((const struct diff_row *)a)->value[0];
	y = ((const struct diff_row *)b)->value[0];
	if (x != y)
		return x > y ? -1 : 1;
	return compare_names(a, b, d->keys);
}

static void row_free(const struct diff *d, struct diff_row *row)
{
	for (size_t i = 0; i < d->keys; i++)
		free(row->text[i]);
}

/* Neighbours of one name become one row */
static size_t rows_join(const struct diff *d, struct diff_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (!kept || compare_names(&rows[kept - 1], &rows[i], d->keys)) {
			rows[kept++] = rows[i];
			continue;
		}
		for (size_t f = 0; f < d->files; f++) {
			rows[kept - 1].samples[f] += rows[i].samples[f];
			rows[kept - 1].events[f] += rows[i].events[f];
		}
		row_free(d, &rows[i]);
	}
	return kept;
}

int diff_rows(const struct diff *d, const struct diff_event *event, struct diff_row **rows,
	      size_t *count, struct vsamp_error *err)
{
	int ret = 0;

	*rows = NULL;
	*count = 0;
	for (size_t f = 0; f < d->files && !ret; f++)
		ret = rows_add(d, event, f, rows, count, err);
	if (ret || !*count)
		return ret;
	qsort_r(*rows, *count, sizeof(**rows), by_name, (void *)d);
	*count = rows_join(d, *rows, *count);
	for (size_t i = 0; i < *count; i++)
		for (size_t f = 0; f < d->files; f++)
			(*rows)[i].value[f] = value_of(d, event, f, (*rows)[i].events[f]);
	qsort_r(*rows, *count, sizeof(**rows), by_difference, (void *)d);
	return 0;
}

void diff_rows_free(const struct diff *d, struct diff_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		row_free(d, &rows[i]);
	free(rows);
}
