// SPDX-License-Identifier: MIT
/* oa_clock.c: the timestamps of a GPU's reports, by pairs of its clock and the machine's */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp/clock.h>
#include <vsamp/oa_clock.h>

/* A bracket so many times that of the pair in the middle, and a larger one, is an interruption */
#define BRACKET_TIMES 4

/* Clocks differ by less than this part of the time; a reset or a sleep makes more of a difference */
#define DRIFT_PART    100

/* A tick is read after it began: by up to this much on either side */
#define READING_TICKS 2

/* Where the GPU's clock went as told */
struct piece {
	struct vsamp_clock_fit *fit;
	size_t knots;	      /* pairs that are gone by */
	uint64_t first, last; /* of those, ticks */
};

struct vsamp_oa_clock {
	struct {
		uint64_t ticks; /* without wraps, in its piece */
		size_t piece;
	} * pair;
	size_t pairs;
	struct piece *piece;
	size_t pieces, skipped;
};

static uint64_t ticks_of(uint64_t ns, uint64_t hz)
{
	unsigned __int128 v = (unsigned __int128)ns * hz / 1000000000;

	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

static int by_size(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The widest bracket to go by; out of memory: any */
static uint64_t bracket_limit(const struct vsamp_oa_pair *pair, size_t pairs)
{
	uint64_t *bracket = malloc(pairs * sizeof(*bracket)), limit;

	if (!bracket)
		return UINT64_MAX;
	for (size_t i = 0; i < pairs; i++)
		bracket[i] = pair[i].bracket;
	qsort(bracket, pairs, sizeof(*bracket), by_size);
	limit = bracket[(pairs - 1) / 2];
	free(bracket);
	return limit > UINT64_MAX / BRACKET_TIMES ? UINT64_MAX : limit * BRACKET_TIMES;
}

/*
 * Whether the GPU's clock went on as told between two pairs; *gone: its ticks between them, the
 * number of wraps being that which fits best
 */
static bool went_on(const struct vsamp_oa_pair *from, const struct vsamp_oa_pair *to, uint64_t hz,
		    unsigned int bits, uint64_t *gone)
{
	uint64_t mask = UINT64_MAX >> (64 - bits), expected, slack, off;

	if (to->raw < from->raw)
		return false;
	expected = ticks_of(to->raw - from->raw, hz);
	off = (to->ticks - from->ticks - expected) & mask;
	if (off > mask / 2) { /* behind */
		off = (mask - off) + 1;
		if (off > expected)
			return false;
		*gone = expected - off;
	} else {
		*gone = expected + off;
	}
	slack = expected / DRIFT_PART + READING_TICKS;
	return off <= slack + ticks_of(from->bracket / 2 + to->bracket / 2, hz);
}

/* Where each pair is: in which piece, and how far without wraps */
static void pairs_place(struct vsamp_oa_clock *c, const struct vsamp_oa_pair *pair, uint64_t hz,
			unsigned int bits)
{
	for (size_t i = 0; i < c->pairs; i++) {
		uint64_t gone;

		if (i && went_on(&pair[i - 1], &pair[i], hz, bits, &gone)) {
			c->pair[i].ticks = c->pair[i - 1].ticks + gone;
			c->pair[i].piece = c->pair[i - 1].piece;
		} else {
			/* the lowest 32 bits are those of reports; above, room to go back */
			c->pair[i].ticks = (pair[i].ticks & 0xffffffff) | 1ULL << 40;
			c->pair[i].piece = c->pieces++;
		}
	}
}

/* The fit of the pairs [first, end) of a piece, without those that are too wide */
static int piece_fit(struct vsamp_oa_clock *c, const struct vsamp_oa_pair *pair, size_t first,
		     size_t end, uint64_t hz, uint64_t limit)
{
	struct piece *piece = &c->piece[c->pair[first].piece];
	struct vsamp_clock_point *point = calloc(end - first, sizeof(*point));
	bool all = true;
	int ret;

	if (!point)
		return -ENOMEM;
	for (size_t i = first; i < end && all; i++)
		all = pair[i].bracket > limit;
	for (size_t i = first; i < end; i++) {
		if (pair[i].bracket > limit && !all) {
			c->skipped++;
			continue;
		}
		point[piece->knots].ticks = c->pair[i].ticks;
		point[piece->knots].raw = pair[i].raw;
		point[piece->knots].bracket = ticks_of(pair[i].bracket, hz) + READING_TICKS;
		if (!piece->knots++)
			piece->first = c->pair[i].ticks;
		piece->last = c->pair[i].ticks;
	}
	ret = vsamp_clock_fit_new(&piece->fit, point, piece->knots, hz / 1000);
	free(point);
	return ret;
}

static int clock_fill(struct vsamp_oa_clock *c, const struct vsamp_oa_pair *pair, uint64_t hz,
		      unsigned int bits)
{
	uint64_t limit = bracket_limit(pair, c->pairs);
	int ret;

	pairs_place(c, pair, hz, bits);
	c->piece = calloc(c->pieces, sizeof(*c->piece));
	if (!c->piece)
		return -ENOMEM;
	for (size_t first = 0, end; first < c->pairs; first = end) {
		for (end = first + 1; end < c->pairs; end++)
			if (c->pair[end].piece != c->pair[first].piece)
				break;
		ret = piece_fit(c, pair, first, end, hz, limit);
		if (ret)
			return ret;
	}
	return 0;
}

int vsamp_oa_clock_new(struct vsamp_oa_clock **clock, const struct vsamp_oa_pair *pair,
		       size_t pairs, uint64_t hz, unsigned int bits, struct vsamp_error *err)
{
	struct vsamp_oa_clock *c;

	if (!pairs)
		return vsamp_fail(
			err, -EINVAL,
			"the GPU's clock was never read beside the machine's: its reports "
			"have no times");
	if (hz < 1000 || bits < 32 || bits > 64)
		return vsamp_fail(
			err, -EINVAL,
			"the GPU's clock is said to have %llu ticks a second, and %u bits",
			(unsigned long long)hz, bits);
	c = calloc(1, sizeof(*c));
	if (c)
		c->pair = calloc(pairs, sizeof(*c->pair));
	if (!c || !c->pair)
		goto memory;
	c->pairs = pairs;
	if (clock_fill(c, pair, hz, bits))
		goto memory;
	*clock = c;
	return 0;
memory:
	vsamp_oa_clock_free(c);
	return vsamp_fail(err, -ENOMEM, "out of memory");
}

struct vsamp_oa_time vsamp_oa_clock_time(const struct vsamp_oa_clock *c, size_t pair,
					 uint32_t timestamp)
{
	size_t i = pair < c->pairs ? pair : c->pairs - 1;
	const struct piece *piece = &c->piece[c->pair[i].piece];
	struct vsamp_oa_time t;

	t.ticks = c->pair[i].ticks + (int32_t)(timestamp - (uint32_t)c->pair[i].ticks);
	t.raw = vsamp_clock_fit_raw(piece->fit, t.ticks);
	t.extrapolated = piece->knots < 2 || t.ticks < piece->first || t.ticks > piece->last;
	return t;
}

uint64_t vsamp_oa_clock_error(const struct vsamp_oa_clock *c)
{
	uint64_t error = 0;
	bool any = false;

	for (size_t i = 0; i < c->pieces; i++) {
		uint64_t e = vsamp_clock_fit_error(c->piece[i].fit);

		if (c->piece[i].knots < 2)
			continue;
		any = true;
		error = e > error ? e : error;
	}
	return any ? error : UINT64_MAX;
}

size_t vsamp_oa_clock_pieces(const struct vsamp_oa_clock *c)
{
	return c->pieces;
}

size_t vsamp_oa_clock_skipped(const struct vsamp_oa_clock *c)
{
	return c->skipped;
}

void vsamp_oa_clock_free(struct vsamp_oa_clock *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->piece && i < c->pieces; i++)
		vsamp_clock_fit_free(c->piece[i].fit);
	free(c->piece);
	free(c->pair);
	free(c);
}
