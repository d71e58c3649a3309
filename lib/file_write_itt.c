// SPDX-License-Identifier: MIT
/* file_write_itt.c: what programs and devices tell, gathered by thread, written to a .vsamp file */
#include <stdio.h>

#include <vsamp/itt_record.h>

#include "file_writer.h"
#include "track.h"

#define ITT_GATHER (64U << 10) /* bytes of a thread before a chunk is written */

_Static_assert(sizeof(struct vsamp_itt_thread) + ITT_GATHER + VSAMP_ITT_RECORD_MAX <= CHUNK_ITT_MAX,
	       "what is gathered fits a chunk");

struct itt_stream {
	struct buf records; /* behind the thread */
	uint32_t count;
	uint64_t time_min, time_max;
};

static int itt_flush(struct vsamp_writer *w, struct itt_stream *s, struct vsamp_error *err)
{
	struct chunk_header h = {
		.type = VSAMP_CHUNK_ITT,
		.cpu = VSAMP_CPU_NONE,
		.count = s->count,
		.time_min = s->time_min,
		.time_max = s->time_max,
	};
	int ret;

	if (!s->count)
		return 0;
	ret = writer_chunk(w, &h, &s->records, NULL, 0, err);
	buf_free(&s->records); /* most threads have ended */
	s->count = 0;
	return ret;
}

static int itt_stream_get(struct vsamp_writer *w, const struct vsamp_itt_thread *thread,
			  struct itt_stream **s)
{
	struct writer_itt *itt = &w->itt;
	int64_t number = intern_number(&itt->threads, thread, sizeof(*thread));
	struct itt_stream *more;

	if (number < 0)
		return -ENOMEM;
	if ((size_t)number == itt->streams) {
		more = realloc(itt->stream, (number + 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		more[number] = (struct itt_stream){ 0 };
		itt->stream = more;
		itt->streams++;
	}
	*s = &itt->stream[number];
	return 0;
}

static int itt_add(struct vsamp_writer *w, const struct vsamp_itt_thread *thread,
		   struct itt_stream *s, const uint8_t *rec, size_t size, uint64_t time,
		   struct vsamp_error *err)
{
	int ret = 0;

	if (!s->count) {
		s->records.size = 0;
		ret = buf_add(&s->records, thread, sizeof(*thread));
		s->time_min = UINT64_MAX;
		s->time_max = 0;
	}
	if (!ret)
		ret = buf_add(&s->records, rec, size);
	if (ret)
		return writer_fail(w, ret, err);
	s->count++;
	if (time < s->time_min)
		s->time_min = time;
	if (time > s->time_max)
		s->time_max = time;
	if (time < w->itt.first || !w->itt.first)
		w->itt.first = time;
	if (time > w->itt.last)
		w->itt.last = time;
	return s->records.size >= ITT_GATHER ? itt_flush(w, s, err) : 0;
}

static int itt_check(const uint8_t *at, size_t size)
{
	struct vsamp_itt_call call;

	if ((uintptr_t)at % 8)
		return -EINVAL;
	while (size) {
		int n = vsamp_itt_decode(at, size, &call);

		if (n < 0)
			return n;
		at += n;
		size -= n;
	}
	return 0;
}

int vsamp_writer_itt(struct vsamp_writer *w, const struct vsamp_itt_thread *thread,
		     const void *data, size_t size, struct vsamp_error *err)
{
	const uint8_t *at = data, *end = at + size;
	struct vsamp_itt_call call;
	struct itt_stream *s;
	int ret;

	if (itt_check(data, size))
		return vsamp_fail(err, -EINVAL, "%s: thread %u: not whole ITT records", w->path,
				  thread->tid);
	if (!size)
		return 0;
	ret = itt_stream_get(w, thread, &s);
	if (ret)
		return writer_fail(w, ret, err);
	while (!ret && at < end) {
		int n = vsamp_itt_decode(at, end - at, &call);

		ret = itt_add(w, thread, s, at, n, call.time, err);
		at += n;
	}
	return ret;
}

int writer_itt_flush(struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < w->itt.streams && !ret; i++)
		ret = itt_flush(w, &w->itt.stream[i], err);
	return ret;
}

void writer_itt_free(struct writer_itt *itt)
{
	for (size_t i = 0; i < itt->streams; i++)
		buf_free(&itt->stream[i].records);
	free(itt->stream);
	intern_free(&itt->threads);
}

int vsamp_writer_track(struct vsamp_writer *w, const struct vsamp_track_id *id,
		       const uint64_t *time, const double *value, size_t points,
		       struct vsamp_error *err)
{
	int ret = track_check(id, value, points);

	if (ret)
		return vsamp_fail(err, ret,
				  "%s: counter \"%s\": a name is too long, or a value is "
				  "infinite",
				  w->path, id->name);
	while (points && !ret) {
		size_t n = points < TRACK_POINTS ? points : TRACK_POINTS;
		struct chunk_header h = {
			.type = VSAMP_CHUNK_TRACK,
			.cpu = VSAMP_CPU_NONE,
			.count = n,
			.time_min = UINT64_MAX,
		};

		for (size_t i = 0; i < n; i++) {
			h.time_min = time[i] < h.time_min ? time[i] : h.time_min;
			h.time_max = time[i] > h.time_max ? time[i] : h.time_max;
		}
		w->raw.size = 0;
		ret = track_pack(&w->raw, id, time, value, n);
		ret = ret ? writer_fail(w, ret, err) : writer_chunk(w, &h, &w->raw, NULL, 0, err);
		time += n;
		value += n;
		points -= n;
	}
	return ret;
}
