// SPDX-License-Identifier: MIT
/* itt_spool_clock.c: times of programs on a session's clock */
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "itt_spool_private.h"
#include "vsamp.h"

#define BASELINE_NS 110000000ULL
#define OWN_MAX	    1024 /* points of our own: a fit needs few, and a recording may take days */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t spool_clock_now(const struct spool_times *c)
{
	return c->clock == VSAMP_CLOCK_TSC	 ? spool_tsc() :
	       c->clock == VSAMP_CLOCK_MONOTONIC ? clock_ns(CLOCK_MONOTONIC) :
						   clock_ns(CLOCK_MONOTONIC_RAW);
}

static struct vsamp_clock_point point_now(const struct spool_times *c)
{
	uint64_t before = spool_tsc();
	uint64_t ns = spool_clock_now(c);
	uint64_t after = spool_tsc();

	return (struct vsamp_clock_point){ before + (after - before) / 2, after - before, ns,
					   false };
}

static bool is_converted(const struct spool_times *c, uint32_t clock)
{
	return c->clock != VSAMP_CLOCK_TSC && clock == SPOOL_CLOCK_TSC;
}

void spool_clock_need(struct spool_times *c, uint32_t clock)
{
	c->needed |= is_converted(c, clock);
}

int spool_clock_add(struct spool_times *c, const struct spool_header *h)
{
	size_t own = c->own * sizeof(struct vsamp_clock_point);

	if (!is_converted(c, h->clock))
		return 0;
	c->needed = true;
	for (uint32_t i = 0; i < h->points; i++) {
		struct vsamp_clock_point point = {
			.ticks = h->point[i].ticks,
			.bracket = h->point[i].bracket,
			.raw = c->clock == VSAMP_CLOCK_MONOTONIC ? h->point[i].monotonic :
								   h->point[i].raw,
		};
		uint8_t *at;

		/* From then on there are ours */
		if (c->first && point.ticks >= c->first)
			break;
		if (buf_add(&c->points, &point, sizeof(point)))
			return -ENOMEM;
		/* ours are behind those of files */
		at = c->points.data + c->points.size - sizeof(point) - own;
		memmove(at + sizeof(point), at, own);
		memcpy(at, &point, sizeof(point));
	}
	return 0;
}

/* Whether none of files is of another boot */
static bool points_before(const struct spool_times *c, const struct vsamp_clock_point *now)
{
	const struct vsamp_clock_point *point = (const void *)c->points.data;
	size_t n = c->points.size / sizeof(*point) - c->own;

	for (size_t i = 0; i < n; i++)
		if (point[i].ticks >= now->ticks || point[i].raw >= now->raw)
			return false;
	return true;
}

/* A fit needs a tenth of a second to tell how fast one clock is on the other */
static struct vsamp_clock_point point_later(const struct spool_times *c)
{
	const struct vsamp_clock_point *first = (const void *)c->points.data;
	struct vsamp_clock_point now = point_now(c);

	if (c->points.size && now.raw >= first->raw && now.raw - first->raw < BASELINE_NS) {
		usleep((BASELINE_NS - (now.raw - first->raw)) / 1000);
		now = point_now(c);
	}
	return now;
}

/* Every other one goes */
static void own_thin(struct spool_times *c)
{
	struct vsamp_clock_point *point = (void *)c->points.data;
	size_t n = c->points.size / sizeof(*point) - c->own;

	for (size_t i = 0; i < c->own / 2; i++)
		point[n + i] = point[n + 2 * i];
	c->own /= 2;
	c->points.size = (n + c->own) * sizeof(*point);
}

int spool_clock_begin(struct spool_times *c, int clock)
{
	struct vsamp_clock_point now;

	c->clock = clock;
	if (clock == VSAMP_CLOCK_TSC)
		return 0;
	now = point_now(c);
	c->first = now.ticks;
	c->own = 1;
	return buf_add(&c->points, &now, sizeof(now));
}

/* Where points of files aren't of this boot, ours mean nothing */
static void own_drop(struct spool_times *c)
{
	c->points.size -= c->own * sizeof(struct vsamp_clock_point);
	c->own = 0;
}

int spool_clock_look(struct spool_times *c)
{
	struct vsamp_clock_point now;
	struct vsamp_clock_fit *fit;

	if (!c->needed)
		return 0;
	now = point_later(c);
	if (points_before(c, &now)) {
		if (c->own == OWN_MAX)
			own_thin(c);
		if (buf_add(&c->points, &now, sizeof(now)))
			return -ENOMEM;
		c->own++;
	} else if (c->points.size > c->own * sizeof(now)) {
		own_drop(c);
	}
	if (vsamp_clock_fit_new(&fit, (void *)c->points.data, c->points.size / sizeof(now), 0))
		return -ENOMEM;
	vsamp_clock_fit_free(c->fit);
	c->fit = fit;
	return 0;
}

bool spool_clock_can(const struct spool_times *c, uint32_t clock)
{
	return (int)clock == c->clock || (clock == SPOOL_CLOCK_TSC && c->fit);
}

uint64_t spool_clock_time(const struct spool_times *c, uint32_t clock, uint64_t time)
{
	return (int)clock == c->clock ? time : vsamp_clock_fit_raw(c->fit, time);
}

void spool_clock_free(struct spool_times *c)
{
	vsamp_clock_fit_free(c->fit);
	buf_free(&c->points);
}
