// SPDX-License-Identifier: MIT
/* timeline.c: what programs and devices told of themselves in a recording */
#include <inttypes.h>
#include <stdlib.h>

#include <vsamp/itt.h>
#include <vsamp/timeline.h>

#include "intern.h"
#include "recording_private.h"
#include "track.h"

struct vsamp_timeline {
	struct vsamp_itt *itt;
	struct intern keys; /* of devices' counters: pid, then the texts with their zeros */
	struct buf points;  /* struct buf of struct vsamp_track_point, by number of the key */
	struct vsamp_track *track; /* of programs too */
	size_t tracks;
};

static int64_t key_number(struct vsamp_timeline *t, const struct vsamp_track_id *id)
{
	const char *const text[] = { id->group, id->name, id->unit };
	struct buf key = { 0 }, none = { 0 };
	int64_t number = buf_add(&key, &id->pid, sizeof(id->pid));

	for (int i = 0; i < 3 && !number; i++)
		number = buf_add(&key, text[i], strlen(text[i]) + 1);
	if (!number)
		number = intern_number(&t->keys, key.data, key.size);
	buf_free(&key);
	if (number >= 0 && number * sizeof(none) == t->points.size &&
	    buf_add(&t->points, &none, sizeof(none)))
		return -ENOMEM;
	return number;
}

static int add_points(struct vsamp_timeline *t, const struct track *track,
		      const struct vsamp_clock_fit *clock)
{
	int64_t number = key_number(t, &track->id);
	struct buf *points;

	if (number < 0)
		return number;
	points = (struct buf *)t->points.data + number;
	for (size_t i = 0; i < track->points; i++) {
		struct vsamp_track_point point = { vsamp_clock_fit_raw(clock, track->time[i]),
						   track->value[i] };

		if (buf_add(points, &point, sizeof(point)))
			return -ENOMEM;
	}
	return 0;
}

static int read_tracks(struct vsamp_timeline *t, struct vsamp_recording *rec,
		       struct vsamp_error *err)
{
	const struct vsamp_chunk *chunk;
	size_t chunks = vsamp_reader_chunks(rec->reader, &chunk);
	int ret = 0;

	for (size_t i = 0; i < chunks && !ret; i++) {
		struct track track;
		void *data;

		if (chunk[i].type != VSAMP_CHUNK_TRACK)
			continue;
		ret = vsamp_reader_load(rec->reader, &chunk[i], &data, err);
		if (ret)
			break;
		ret = track_unpack(&track, data, chunk[i].raw_size, chunk[i].count);
		if (!ret) {
			ret = add_points(t, &track, rec->clock);
			free(track.time);
		}
		free(data);
		if (ret)
			vsamp_fail(err, ret, "%s: the chunk at byte %" PRIu64 ": %s",
				   vsamp_reader_path(rec->reader), chunk[i].offset,
				   ret == -ENOMEM ? "out of memory" : "its contents make no sense");
	}
	return ret;
}

/* Programs' counters and devices' in one row */
static int make_tracks(struct vsamp_timeline *t)
{
	const struct vsamp_track *counters;
	size_t n = vsamp_itt_counters(t->itt, &counters);

	t->track = calloc(n + t->keys.count + 1, sizeof(*t->track));
	if (!t->track)
		return -ENOMEM;
	for (; t->tracks < n; t->tracks++)
		t->track[t->tracks] = counters[t->tracks];
	for (uint32_t i = 0; i < t->keys.count; i++) {
		struct vsamp_track *track = &t->track[t->tracks++];
		const struct buf *points = (const struct buf *)t->points.data + i;
		const char *key = intern_key(&t->keys, i);

		memcpy(&track->pid, key, sizeof(track->pid));
		track->group = key + sizeof(track->pid);
		track->name = track->group + strlen(track->group) + 1;
		track->unit = track->name + strlen(track->name) + 1;
		track->points = points->size / sizeof(*track->point);
		track->point = (const void *)points->data;
		if (track_sort_points((void *)points->data, track->points))
			return -ENOMEM;
	}
	tracks_sort(t->track, t->tracks);
	return 0;
}

int vsamp_timeline_new(struct vsamp_timeline **timeline, struct vsamp_recording *rec,
		       struct vsamp_error *err)
{
	struct vsamp_timeline *t = calloc(1, sizeof(*t));
	int ret;

	if (!t)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = vsamp_itt_new(&t->itt, rec, err);
	if (!ret)
		ret = read_tracks(t, rec, err);
	if (!ret && make_tracks(t))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (ret)
		vsamp_timeline_free(t);
	else
		*timeline = t;
	return ret;
}

const struct vsamp_itt *vsamp_timeline_itt(const struct vsamp_timeline *timeline)
{
	return timeline->itt;
}

size_t vsamp_timeline_spans(const struct vsamp_timeline *timeline, const struct vsamp_span **spans)
{
	return vsamp_itt_spans(timeline->itt, spans);
}

size_t vsamp_timeline_tracks(const struct vsamp_timeline *timeline,
			     const struct vsamp_track **tracks)
{
	*tracks = timeline->track;
	return timeline->tracks;
}

void vsamp_timeline_at(const struct vsamp_timeline *timeline, uint32_t pid, uint32_t tid,
		       uint64_t time, const struct vsamp_span **task,
		       const struct vsamp_span **event)
{
	vsamp_itt_at(timeline->itt, pid, tid, time, task, event);
}

bool vsamp_timeline_paused(const struct vsamp_timeline *timeline, uint32_t pid, uint64_t time)
{
	return vsamp_itt_paused(timeline->itt, pid, time);
}

const char *vsamp_timeline_thread_name(const struct vsamp_timeline *timeline, uint32_t pid,
				       uint32_t tid)
{
	return vsamp_itt_thread_name(timeline->itt, pid, tid);
}

void vsamp_timeline_free(struct vsamp_timeline *timeline)
{
	if (!timeline)
		return;
	for (size_t i = 0; i < timeline->points.size / sizeof(struct buf); i++)
		buf_free((struct buf *)timeline->points.data + i);
	buf_free(&timeline->points);
	intern_free(&timeline->keys);
	free(timeline->track);
	vsamp_itt_free(timeline->itt);
	free(timeline);
}
