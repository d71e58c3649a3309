// SPDX-License-Identifier: MIT
/* clock.c: from the ticks of a session's clock to CLOCK_MONOTONIC_RAW and back */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/clock.h>

/*
 * Points nearer to each other than this give no slope worth having: two CPUs read the clocks at
 * nearly the same time, each to within its bracket. Of such a group the surest is the knot.
 */
#define KNOT_SPACING_NS 100000000ULL

struct vsamp_clock_fit {
	struct vsamp_clock_point *knot;
	size_t knots, points;
	uint64_t khz; /* where no two knots, with no sleep in between, tell */
	uint64_t error;
};

static int by_ticks(const void *a, const void *b)
{
	const struct vsamp_clock_point *x = a, *y = b;

	if (x->ticks != y->ticks)
		return x->ticks < y->ticks ? -1 : 1;
	if (x->raw != y->raw)
		return x->raw < y->raw ? -1 : 1;
	return x->bracket < y->bracket ? -1 : x->bracket > y->bracket;
}

/* base + offset * up / down, rounded to nearest, kept within 64 bits */
static uint64_t scale(uint64_t base, uint64_t from, uint64_t at, uint64_t up, uint64_t down)
{
	bool below = at < from;
	unsigned __int128 v = below ? from - at : at - from;

	v = (v * up + down / 2) / down;
	if (below)
		return v > base ? 0 : base - (uint64_t)v;
	return v > UINT64_MAX - base ? UINT64_MAX : base + (uint64_t)v;
}

static uint64_t knot_key(const struct vsamp_clock_point *p, bool raw)
{
	return raw ? p->raw : p->ticks;
}

/* The knot on whose right @at lies; the first for what is before it, the last but one at the end */
static size_t segment(const struct vsamp_clock_fit *f, uint64_t at, bool raw)
{
	const struct vsamp_clock_point *left = f->knot;

	/* of so many, without branches that couldn't be foreseen */
	for (size_t n = f->knots - 1; n > 1; n -= n / 2)
		left += knot_key(&left[n / 2], raw) <= at ? n / 2 : 0;
	return left - f->knot;
}

/*
 * A knot, and the slope there: that between two knots, or the rate for a knot alone and for what is
 * beyond a sleep at either end
 */
static const struct vsamp_clock_point *line(const struct vsamp_clock_fit *f, uint64_t at, bool raw,
					    uint64_t *ticks, uint64_t *ns)
{
	const struct vsamp_clock_point *left = &f->knot[segment(f, at, raw)];
	bool beyond = f->knots < 2 || at < knot_key(left, raw) || at > knot_key(left + 1, raw);

	if (beyond && (f->knots < 2 || left[1].slept)) {
		*ticks = f->khz;
		*ns = 1000000;
		return f->knots < 2 || at < knot_key(left, raw) ? left : left + 1;
	}
	*ticks = left[1].ticks - left->ticks;
	*ns = left[1].raw - left->raw;
	return left;
}

uint64_t vsamp_clock_fit_raw(const struct vsamp_clock_fit *f, uint64_t ticks)
{
	uint64_t dticks, ns;
	const struct vsamp_clock_point *k = line(f, ticks, false, &dticks, &ns);

	return scale(k->raw, k->ticks, ticks, ns, dticks);
}

uint64_t vsamp_clock_fit_ticks(const struct vsamp_clock_fit *f, uint64_t raw)
{
	uint64_t dticks, ns;
	const struct vsamp_clock_point *k = line(f, raw, true, &dticks, &ns);

	return scale(k->ticks, k->raw, raw, dticks, ns);
}

static bool knot_add(struct vsamp_clock_fit *f, const struct vsamp_clock_point *p)
{
	const struct vsamp_clock_point *last = f->knots ? &f->knot[f->knots - 1] : NULL;

	if (last && (p->ticks <= last->ticks || p->raw <= last->raw))
		return false;
	f->knot[f->knots++] = *p;
	return true;
}

/*
 * Chooses knots that rise on both clocks from points that rise in ticks. Around a sleep these are the
 * points next to it, however near.
 */
static void knots_choose(struct vsamp_clock_fit *f, const struct vsamp_clock_point *p, size_t count)
{
	uint64_t group = 0;

	for (size_t i = 0; i < count; i++) {
		struct vsamp_clock_point *last = f->knots ? &f->knot[f->knots - 1] : NULL;
		const struct vsamp_clock_point *before = f->knots > 1 ? &f->knot[f->knots - 2] :
									NULL;

		if (p[i].slept && (!last || !last->slept || p[i].raw - group >= KNOT_SPACING_NS)) {
			if (i)
				knot_add(f, &p[i - 1]);
			if (knot_add(f, &p[i]))
				group = p[i].raw;
		} else if (last && p[i].raw >= group && p[i].raw - group < KNOT_SPACING_NS) {
			if (!last->slept && p[i].bracket < last->bracket &&
			    (!before || (p[i].ticks > before->ticks && p[i].raw > before->raw)))
				*last = p[i];
		} else if (knot_add(f, &p[i])) {
			group = p[i].raw;
		}
	}
}

static uint64_t ticks_to_ns(const struct vsamp_clock_fit *f, uint64_t ticks)
{
	return scale(0, 0, ticks, 1000000, f->khz);
}

static uint64_t error_bound(const struct vsamp_clock_fit *f, const struct vsamp_clock_point *p,
			    size_t count)
{
	uint64_t bracket = 0, beyond = 0;

	if (!count)
		return UINT64_MAX;
	for (size_t i = 0; i < f->knots; i++)
		if (f->knot[i].bracket > bracket)
			bracket = f->knot[i].bracket;
	for (size_t i = 0; i < count; i++) {
		uint64_t fitted = vsamp_clock_fit_raw(f, p[i].ticks);
		uint64_t off = fitted > p[i].raw ? fitted - p[i].raw : p[i].raw - fitted;
		uint64_t own = ticks_to_ns(f, p[i].bracket) / 2;

		if (off > own && off - own > beyond)
			beyond = off - own;
	}
	bracket = ticks_to_ns(f, bracket + 1) / 2;
	return bracket > UINT64_MAX - beyond ? UINT64_MAX : bracket + beyond;
}

static void measure_khz(struct vsamp_clock_fit *f)
{
	uint64_t ticks = 0, ns = 0, khz;

	for (size_t i = 1; i < f->knots; i++) {
		if (f->knot[i].slept)
			continue;
		ticks += f->knot[i].ticks - f->knot[i - 1].ticks;
		ns += f->knot[i].raw - f->knot[i - 1].raw;
	}
	khz = ns ? scale(0, 0, ticks, 1000000, ns) : 0;
	if (khz)
		f->khz = khz;
}

int vsamp_clock_fit_new(struct vsamp_clock_fit **fit, const struct vsamp_clock_point *points,
			size_t count, uint64_t khz)
{
	struct vsamp_clock_fit *f = calloc(1, sizeof(*f));
	struct vsamp_clock_point *sorted = calloc(count + 1, sizeof(*sorted));

	if (f)
		f->knot = calloc(count + 1, sizeof(*f->knot));
	if (!f || !sorted || !f->knot) {
		free(sorted);
		vsamp_clock_fit_free(f);
		return -ENOMEM;
	}
	f->khz = khz ? khz : 1000000;
	f->points = count;
	if (count) {
		memcpy(sorted, points, count * sizeof(*sorted));
		qsort(sorted, count, sizeof(*sorted), by_ticks);
		knots_choose(f, sorted, count);
	} else {
		f->knots = 1; /* zero is zero */
	}
	measure_khz(f);
	f->error = error_bound(f, sorted, count);
	free(sorted);
	*fit = f;
	return 0;
}

size_t vsamp_clock_fit_points(const struct vsamp_clock_fit *f)
{
	return f->points;
}

uint64_t vsamp_clock_fit_error(const struct vsamp_clock_fit *f)
{
	return f->error;
}

uint64_t vsamp_clock_fit_khz(const struct vsamp_clock_fit *f)
{
	return f->khz;
}

void vsamp_clock_fit_free(struct vsamp_clock_fit *f)
{
	if (!f)
		return;
	free(f->knot);
	free(f);
}
