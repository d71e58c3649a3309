// SPDX-License-Identifier: MIT
/* profile_rows.c: sums samples into rows */
#include "profile_private.h"

/* Those that a profile has to be made for */
#define BY_MADE (BY_BESIDE | VSAMP_BY_LINE)

/* Whether a row hasn't had this place yet, which it has then; or -ENOMEM */
static int row_marks(struct vsamp_profile *p, uint32_t row, uint32_t place)
{
	if (row >= p->marks) {
		size_t marks = p->marks ? 2 * p->marks : 64;
		uint32_t *more = realloc(p->mark, marks * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + p->marks, 0, (marks - p->marks) * sizeof(*more));
		p->mark = more;
		p->marks = marks;
	}
	if (p->mark[row] == place + 1)
		return 0;
	p->mark[row] = place + 1;
	return 1;
}

/* Adds numbers of events from @first up to @end to a row's, behind @at others */
static void row_add(struct counts row, struct counts counts, size_t at, size_t first, size_t end)
{
	for (size_t e = first; e < end; e++) {
		row.samples[at + e] += counts.samples[e];
		row.events[at + e] += counts.events[e];
	}
}

/* A row of a place's frame: the first one is where its samples fell */
static int add_frame(struct vsamp_profile *p, uint32_t place, const struct leaf *key,
		     bool innermost, size_t first, size_t end)
{
	struct counts counts = places_counts(&p->places, place);
	int64_t number = tally_number(&p->sums, key, sizeof(*key));
	struct row_place pair = { number, place };
	int ret = number < 0 ? -ENOMEM : p->inclusive ? row_marks(p, number, place) : 1;

	if (ret < 0)
		return ret;
	if (innermost)
		row_add(tally_counts(&p->sums, number), counts, 0, first, end);
	if (!ret)
		return 0;
	if (p->inclusive)
		row_add(tally_counts(&p->sums, number), counts, p->rec->events, first, end);
	return p->options.flags & VSAMP_PROFILE_CALLERS ? buf_add(&p->pairs, &pair, sizeof(pair)) :
							  0;
}

/* The rows that a place is in, by its frames */
static int add_place(struct vsamp_profile *p, uint32_t place)
{
	struct counts counts = places_counts(&p->places, place);
	uint32_t spot[PROFILE_FRAMES_MAX];
	size_t frames = p->inclusive ? profile_frames(p, place, spot) : 1;
	size_t events = p->rec->events;
	struct leaf leaf;
	int ret = 0;

	if (!p->inclusive)
		spot[0] = places_cell(&p->places, place)->place.spot;
	for (size_t i = 0; i < frames && !ret; i++) {
		if (spot[i] == STACK_CUT || !profile_wants_spot(p, spot[i]))
			continue;
		leaf_fill(p, place, spot[i], &leaf);
		leaf_mask(&leaf, p->by);
		if (!(p->by & VSAMP_BY_EVENT)) {
			ret = add_frame(p, place, &leaf, !i, 0, events);
			continue;
		}
		for (size_t e = 0; e < events && !ret; e++) {
			leaf.key[KEY_EVENT] = e;
			if (counts.samples[e])
				ret = add_frame(p, place, &leaf, !i, e, e + 1);
		}
	}
	return ret;
}

/* Which places each row has */
static int index_rows(struct vsamp_profile *p)
{
	const struct row_place *pair = (const void *)p->pairs.data;
	size_t pairs = p->pairs.size / sizeof(*pair), rows = p->sums.keys.count;
	uint32_t at = 0;

	if (pairs > UINT32_MAX)
		return -ENOMEM;
	p->row_first = calloc(rows + 1, sizeof(*p->row_first));
	p->row_place = malloc((pairs + 1) * sizeof(*p->row_place));
	if (!p->row_first || !p->row_place)
		return -ENOMEM;
	for (size_t i = 0; i < pairs; i++)
		p->row_first[pair[i].row]++;
	/* the rows' ends, from which their begins are what putting the places there leaves */
	for (size_t i = 0; i <= rows; i++) {
		at += p->row_first[i];
		p->row_first[i] = at;
	}
	for (size_t i = pairs; i-- > 0;)
		p->row_place[--p->row_first[pair[i].row]] = pair[i].place;
	buf_free(&p->pairs);
	return 0;
}

static void forget_rows(struct vsamp_profile *p)
{
	tally_free(&p->sums);
	free(p->mark);
	free(p->row_first);
	free(p->row_place);
	p->mark = p->row_first = p->row_place = NULL;
	p->marks = 0;
}

static int sum_rows(struct vsamp_profile *p, unsigned int by, bool inclusive)
{
	bool callers = p->options.flags & VSAMP_PROFILE_CALLERS;
	int ret = 0;

	forget_rows(p);
	p->by = by;
	p->inclusive = inclusive;
	p->sums.events = p->rec->events * (1 + inclusive);
	for (uint32_t i = 0; i < p->places.count && !ret; i++)
		ret = add_place(p, i);
	if (callers && !ret)
		ret = index_rows(p);
	return ret;
}

static void row_fill(struct vsamp_profile *p, uint32_t number, struct vsamp_profile_row *row)
{
	struct counts counts = tally_counts(&p->sums, number);
	size_t events = p->rec->events;

	/* whole numbers until here, so that the same samples make the same sum in any order */
	for (size_t e = 0; e < p->sums.events; e++)
		counts.events[e] /= p->rec->event[e % events].share;
	*row = (struct vsamp_profile_row){
		.number = number,
		.samples = counts.samples,
		.events = counts.events,
	};
	if (p->inclusive) {
		row->total_samples = counts.samples + events;
		row->total_events = counts.events + events;
	}
	leaf_row(p, intern_key(&p->sums.keys, number), row);
}

struct row_order {
	size_t event, events;
};

/* What decides most often, beside the rest of the row, which is far away in memory */
struct row_rank {
	double events, next; /* of the event, and of the first of the others */
	const struct vsamp_profile_row *row;
};

static int compare_events(const double *a, const double *b, size_t events)
{
	for (size_t e = 0; e < events; e++)
		if (a[e] != b[e])
			return a[e] > b[e] ? -1 : 1;
	return 0;
}

static int by_rank(const void *a, const void *b, void *arg)
{
	const struct row_rank *one = a, *other = b;
	const struct vsamp_profile_row *x = one->row, *y = other->row;
	const struct row_order *order = arg;

	if (one->events != other->events)
		return one->events > other->events ? -1 : 1;
	if (one->next != other->next)
		return one->next > other->next ? -1 : 1;
	if (x->total_events) {
		int ret = compare_events(x->total_events, y->total_events, order->events) ?:
				  compare_events(x->events + order->event, y->events + order->event,
						 1);

		if (ret)
			return ret;
	}
	return compare_events(x->events, y->events, order->events) ?: leaf_compare_rows(x, y);
}

/* Puts the rows into an order in their own memory: each time a ring of them, one row further */
static void rows_put(struct vsamp_profile_row *rows, struct row_rank *rank, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct vsamp_profile_row first = rows[i];
		size_t at = i, from = rank[i].row - rows;

		for (; from != i; from = rank[at].row - rows) {
			rows[at] = rows[from];
			rank[at].row = &rows[at];
			at = from;
		}
		rows[at] = first;
		rank[at].row = &rows[at];
	}
}

static int rows_sort(struct vsamp_profile_row *rows, size_t count, struct row_order order)
{
	struct row_rank *rank = malloc((count + 1) * sizeof(*rank));
	size_t next = order.event || order.events < 2 ? 0 : 1;

	if (!rank)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const double *events = rows[i].total_events ?: rows[i].events;

		rank[i] = (struct row_rank){ events[order.event], events[next], &rows[i] };
	}
	if (count)
		qsort_r(rank, count, sizeof(*rank), by_rank, &order);
	rows_put(rows, rank, count);
	free(rank);
	return 0;
}

static int make_rows(struct vsamp_profile *p, unsigned int by, bool inclusive, size_t event,
		     struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err)
{
	struct row_order order = { event, p->rec->events };

	if (by & BY_MADE & ~p->options.by)
		return vsamp_fail(err, -EINVAL, "%s: the profile tells rows not apart by this",
				  vsamp_reader_path(p->rec->reader));
	if (sum_rows(p, by, inclusive))
		return vsamp_fail(err, -ENOMEM, "out of memory");
	*count = p->sums.keys.count;
	*rows = calloc(*count + 1, sizeof(**rows));
	if (!*rows)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < *count; i++)
		row_fill(p, i, &(*rows)[i]);
	if (!rows_sort(*rows, *count, order))
		return 0;
	free(*rows);
	return vsamp_fail(err, -ENOMEM, "out of memory");
}

int vsamp_profile_rows(struct vsamp_profile *p, unsigned int by, size_t event,
		       struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err)
{
	return make_rows(p, by, false, event, rows, count, err);
}

int vsamp_profile_inclusive(struct vsamp_profile *p, unsigned int by, size_t event,
			    struct vsamp_profile_row **rows, size_t *count, struct vsamp_error *err)
{
	if (!(p->options.flags & VSAMP_PROFILE_CALLERS))
		return vsamp_fail(err, -EINVAL, "%s: no callers were asked for",
				  vsamp_reader_path(p->rec->reader));
	return make_rows(p, by, true, event, rows, count, err);
}
