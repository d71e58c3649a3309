// SPDX-License-Identifier: MIT
/* itt_histogram.c: what programs submit to histograms, added up by x */
#include <math.h>

#include "itt_private.h"

/* Texts that are equal are the same pointer */
struct sum_key {
	const char *domain, *name;
};

struct sum {
	struct vsamp_itt_distribution d;
	struct intern xs;   /* double */
	struct buf buckets; /* struct vsamp_itt_bucket, by number of the x */
};

void itt_sums_init(struct itt_build *b)
{
	b->sums.row_size = sizeof(struct sum);
}

void itt_sums_free(struct itt_build *b)
{
	for (uint32_t i = 0; i < b->sums.keys.count; i++) {
		struct sum *sum = itt_table_at(&b->sums, i);

		intern_free(&sum->xs);
		buf_free(&sum->buckets);
	}
	itt_table_free(&b->sums);
}

/* NULL without memory */
static struct sum *sum_of(struct itt_build *b, struct itt_defs *d, const struct itt_histogram *h)
{
	const struct itt_domain *domain = itt_table_row(&d->domains, &h->domain, sizeof(h->domain));
	struct sum_key key = { "", "" };
	struct sum *sum;
	int ret = 0;

	if (!domain)
		return NULL;
	key.domain = domain->name ? domain->name : "";
	key.name = itt_defs_string(d, h->string, &ret);
	if (ret)
		return NULL;
	key.name = key.name ? key.name : "";
	sum = itt_table_row(&b->sums, &key, sizeof(key));
	if (!sum)
		return NULL;
	sum->d.domain = key.domain;
	sum->d.name = key.name;
	return sum;
}

static int point_add(struct sum *sum, double x, double y)
{
	struct vsamp_itt_bucket bucket = { x == 0 ? 0 : x, 0 }; /* -0 is 0 */
	int64_t number;

	if (!isfinite(x) || !isfinite(y)) {
		sum->d.left++;
		return 0;
	}
	number = intern_number(&sum->xs, &bucket.x, sizeof(bucket.x));
	if (number < 0)
		return number;
	if (number >= VSAMP_ITT_BUCKETS_MAX) {
		sum->d.left++;
		return 0;
	}
	if (number * sizeof(bucket) == sum->buckets.size &&
	    buf_add(&sum->buckets, &bucket, sizeof(bucket)))
		return -ENOMEM;
	((struct vsamp_itt_bucket *)sum->buckets.data)[number].y += y;
	sum->d.total += y;
	return 0;
}

int itt_histogram_submit(struct itt_build *b, struct itt_defs *d, const struct vsamp_itt_call *c)
{
	const struct itt_histogram *h = itt_table_row(&d->histograms, &c->handle,
						      sizeof(c->handle));
	const struct vsamp_itt_points *points = c->body;
	struct sum *sum;
	int ret = 0;

	if (!h)
		return -ENOMEM;
	b->itt->counts.histograms++;
	if (!h->defined) {
		b->itt->counts.undefined++;
		return 0;
	}
	sum = sum_of(b, d, h);
	if (!sum)
		return -ENOMEM;
	sum->d.submits++;
	sum->d.points += points->count;
	for (uint32_t i = 0; i < points->count && !ret; i++)
		ret = point_add(sum, itt_value(h->x, points->bits[i]),
				points->has_y ? itt_value(h->y, points->bits[points->count + i]) :
						1);
	return ret;
}

static int x_order(const void *a, const void *b)
{
	const struct vsamp_itt_bucket *x = a, *y = b;

	return x->x < y->x ? -1 : x->x > y->x;
}

static int distribution_order(const void *a, const void *b)
{
	const struct vsamp_itt_distribution *x = a, *y = b;
	int order = strcmp(x->domain, y->domain);

	return order ? order : strcmp(x->name, y->name);
}

int itt_histograms_settle(struct itt_build *b)
{
	struct vsamp_itt *itt = b->itt;

	itt->distribution = calloc(b->sums.keys.count + 1, sizeof(*itt->distribution));
	if (!itt->distribution)
		return -ENOMEM;
	for (uint32_t i = 0; i < b->sums.keys.count; i++) {
		struct sum *sum = itt_table_at(&b->sums, i);
		struct vsamp_itt_distribution *d = &itt->distribution[itt->distributions++];

		*d = sum->d;
		d->buckets = sum->buckets.size / sizeof(*d->bucket);
		if (d->buckets)
			qsort(sum->buckets.data, d->buckets, sizeof(*d->bucket), x_order);
		d->bucket = (const void *)sum->buckets.data;
		sum->buckets = (struct buf){ 0 }; /* the distribution's now */
	}
	if (itt->distributions)
		qsort(itt->distribution, itt->distributions, sizeof(*itt->distribution),
		      distribution_order);
	return 0;
}

size_t vsamp_itt_distributions(const struct vsamp_itt *itt,
			       const struct vsamp_itt_distribution **distributions)
{
	*distributions = itt->distribution;
	return itt->distributions;
}
