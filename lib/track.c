// SPDX-License-Identifier: MIT
/* track.c: a counter by time, by column */
#include <math.h>
#include <stdbool.h>

#include "track.h"
#include "varint.h"

struct track_header {
	uint32_t pid;
	uint16_t text[3]; /* bytes of group, name, unit, a zero behind each included */
	uint16_t reserved;
	uint32_t times; /* bytes of the column of times; values are the rest */
};

_Static_assert(sizeof(struct track_header) == 16, "no padding");

static size_t text_size(const char *text)
{
	return strnlen(text, TRACK_TEXT_MAX + 1) + 1;
}

int track_check(const struct vsamp_track_id *id, const double *value, size_t points)
{
	const char *const text[] = { id->group, id->name, id->unit };

	for (int i = 0; i < 3; i++)
		if (text_size(text[i]) > TRACK_TEXT_MAX + 1)
			return -EINVAL;
	for (size_t i = 0; i < points; i++)
		if (isinf(value[i]))
			return -EINVAL;
	return 0;
}

int track_pack(struct buf *to, const struct vsamp_track_id *id, const uint64_t *time,
	       const double *value, size_t points)
{
	const char *const text[] = { id->group, id->name, id->unit };
	struct track_header h = { .pid = id->pid };
	size_t header_at = to->size, times_at;
	uint64_t last = 0;

	if (buf_reserve(to, sizeof(h) + 3 * (TRACK_TEXT_MAX + 1) +
				    points * (VARINT_MAX + sizeof(double))))
		return -ENOMEM;
	to->size += sizeof(h);
	for (int i = 0; i < 3; i++) {
		h.text[i] = text_size(text[i]);
		buf_add(to, text[i], h.text[i]);
	}
	times_at = to->size;
	for (size_t i = 0; i < points; i++) {
		put_varint(to, zigzag(time[i] - last));
		last = time[i];
	}
	h.times = to->size - times_at;
	buf_add(to, value, points * sizeof(*value));
	memcpy(to->data + header_at, &h, sizeof(h));
	return 0;
}

/* A text that ends where it should, and not before; moves @at behind it */
static const char *take_text(const uint8_t **at, const uint8_t *end, size_t size)
{
	const char *text = (const char *)*at;

	if (!size || size > TRACK_TEXT_MAX + 1 || size > (size_t)(end - *at) ||
	    strnlen(text, size) != size - 1)
		return NULL;
	*at += size;
	return text;
}

static bool take_times(const uint8_t *at, const uint8_t *end, uint64_t *time, size_t points)
{
	uint64_t last = 0, v;

	for (size_t i = 0; i < points; i++) {
		if (get_varint(&at, end, &v))
			return false;
		last += unzigzag(v);
		time[i] = last;
	}
	return at == end;
}

int track_unpack(struct track *t, const void *data, size_t size, size_t points)
{
	const uint8_t *at = data, *end = at + size;
	struct track_header h;
	bool ok;

	if (size < sizeof(h))
		return -EBADMSG;
	memcpy(&h, at, sizeof(h));
	at += sizeof(h);
	t->id.pid = h.pid;
	t->id.group = take_text(&at, end, h.text[0]);
	t->id.name = t->id.group ? take_text(&at, end, h.text[1]) : NULL;
	t->id.unit = t->id.name ? take_text(&at, end, h.text[2]) : NULL;
	if (!t->id.unit || h.times > (size_t)(end - at) ||
	    (size_t)(end - at) - h.times != points * sizeof(double))
		return -EBADMSG;
	t->time = malloc(points * (sizeof(*t->time) + sizeof(*t->value)) + 1);
	if (!t->time)
		return -ENOMEM;
	t->points = points;
	t->value = (void *)(t->time + points);
	memcpy(t->value, at + h.times, points * sizeof(*t->value));
	ok = take_times(at, at + h.times, t->time, points) &&
	     !track_check(&t->id, t->value, points);
	if (!ok)
		free(t->time);
	return ok ? 0 : -EBADMSG;
}

struct placed {
	struct vsamp_track_point point;
	size_t at;
};

static int placed_order(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->point.time != y->point.time)
		return x->point.time < y->point.time ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int track_by_name(const void *a, const void *b)
{
	const struct vsamp_track *x = a, *y = b;
	int order = strcmp(x->group, y->group);

	if (!order)
		order = strverscmp(x->name, y->name);
	if (!order)
		order = strcmp(x->unit, y->unit);
	return order ? order : x->pid < y->pid ? -1 : x->pid > y->pid;
}

int track_sort_points(struct vsamp_track_point *point, size_t points)
{
	struct placed *placed;
	size_t i = 1;

	while (i < points && point[i].time >= point[i - 1].time)
		i++;
	if (i >= points)
		return 0;
	placed = malloc(points * sizeof(*placed));
	if (!placed)
		return -ENOMEM;
	for (i = 0; i < points; i++)
		placed[i] = (struct placed){ point[i], i };
	qsort(placed, points, sizeof(*placed), placed_order);
	for (i = 0; i < points; i++)
		point[i] = placed[i].point;
	free(placed);
	return 0;
}

void tracks_sort(struct vsamp_track *track, size_t tracks)
{
	if (tracks)
		qsort(track, tracks, sizeof(*track), track_by_name);
}
