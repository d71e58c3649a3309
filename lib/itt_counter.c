// SPDX-License-Identifier: MIT
/* itt_counter.c: counters that programs set, by time */
#include <math.h>

#include "itt_private.h"
#include "track.h"

/* Texts that are equal are the same pointer */
struct series_key {
	const char *text[3]; /* domain, name, unit */
	uint64_t pid;
};

double itt_value(uint32_t type, uint64_t bits)
{
	float f;
	double d;

	switch (type) {
	case VSAMP_ITT_S64:
		return (int64_t)bits;
	case VSAMP_ITT_U32:
		return (uint32_t)bits;
	case VSAMP_ITT_S32:
		return (int32_t)bits;
	case VSAMP_ITT_U16:
		return (uint16_t)bits;
	case VSAMP_ITT_S16:
		return (int16_t)bits;
	case VSAMP_ITT_FLOAT:
		memcpy(&f, &bits, sizeof(f));
		return f;
	case VSAMP_ITT_DOUBLE:
		memcpy(&d, &bits, sizeof(d));
		return d;
	}
	return bits;
}

/* The row of a counter; one that is told by domain and name gets a row of its own */
static struct itt_counter *counter_row(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_domain *domain;
	struct itt_counter *row;
	uint32_t key[2] = { c->handle, c->name };

	if (!(c->flags & VSAMP_ITT_HAS_NAME))
		return itt_table_row(&d->counters, &c->handle, sizeof(c->handle));
	domain = itt_table_row(&d->domains, &c->handle, sizeof(c->handle));
	row = domain ? itt_table_row(&d->counters, key, sizeof(key)) : NULL;
	if (row && !row->defined)
		*row = (struct itt_counter){ .defined = true,
					     .string = c->name,
					     .domain = domain->string };
	return row;
}

/* Counters of a process that have the same names are one */
static int series_find(struct itt_build *b, struct itt_defs *d, uint32_t pid,
		       struct itt_counter *row)
{
	const uint32_t string[] = { row->domain, row->string, row->unit };
	struct series_key key = { .pid = pid };
	struct itt_series s = { .pid = pid };
	int64_t number;
	int ret = 0;

	for (int i = 0; i < 3; i++) {
		const char *text = string[i] ? itt_defs_string(d, string[i], &ret) : NULL;

		key.text[i] = text ? text : "";
	}
	number = ret ? ret : intern_number(&b->series_keys, &key, sizeof(key));
	if (number < 0)
		return number;
	row->series = number + 1;
	if (number * sizeof(s) < b->series.size)
		return 0;
	s.group = key.text[0];
	s.name = key.text[1];
	s.unit = key.text[2];
	return buf_add(&b->series, &s, sizeof(s));
}

int itt_counter_call(struct itt_build *b, struct itt_defs *d, uint32_t pid, uint64_t time,
		     const struct vsamp_itt_call *c)
{
	struct itt_counter *row = counter_row(d, c);
	struct vsamp_track_point point = { .time = time };
	struct itt_series *s;
	uint64_t bits;

	if (!row)
		return -ENOMEM;
	if (!row->defined) {
		b->itt->counts.undefined++;
		return 0;
	}
	if (!row->series && series_find(b, d, pid, row))
		return -ENOMEM;
	s = (struct itt_series *)b->series.data + row->series - 1;
	memcpy(&bits, c->body, sizeof(bits));
	if (c->type == VSAMP_ITT_COUNTER_SET)
		point.value = itt_value(row->type, bits);
	else
		point.value = s->value + (double)(int64_t)bits;
	if (!isfinite(point.value))
		return 0;
	s->value = point.value;
	return buf_add(&s->points, &point, sizeof(point));
}

int itt_counter_tracks(struct itt_build *b)
{
	size_t n = b->series.size / sizeof(struct itt_series);
	struct itt_series *s = (void *)b->series.data;

	if (!n)
		return 0;
	b->itt->track = calloc(n, sizeof(*b->itt->track));
	if (!b->itt->track)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		size_t points = s[i].points.size / sizeof(struct vsamp_track_point);
		struct vsamp_track_point *point = (void *)s[i].points.data;

		if (track_sort_points(point, points))
			return -ENOMEM;
		b->itt->track[i] = (struct vsamp_track){ s[i].group, s[i].name, s[i].unit,
							 s[i].pid,   point,	points };
		s[i].points = (struct buf){ 0 }; /* the track's now */
	}
	b->itt->tracks = n;
	tracks_sort(b->itt->track, n);
	return 0;
}
