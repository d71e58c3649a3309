// SPDX-License-Identifier: MIT
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "itt_stream.h"

static bool before(const struct itt_stream *s, uint32_t a, uint32_t b)
{
	const struct itt_cursor *x = &s->cursor[a], *y = &s->cursor[b];

	return x->time != y->time ? x->time < y->time : a < b;
}

static void sift_down(struct itt_stream *s, size_t at)
{
	for (;;) {
		size_t least = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->waiting; child++)
			if (before(s, s->heap[child], s->heap[least]))
				least = child;
		if (least == at)
			return;
		uint32_t other = s->heap[least];

		s->heap[least] = s->heap[at];
		s->heap[at] = other;
		at = least;
	}
}

static int makes_no_sense(const struct itt_stream *s, const struct itt_cursor *c,
			  struct vsamp_error *err)
{
	const struct vsamp_chunk *chunk = c->source->block[c->block].chunk;

	if (chunk)
		return vsamp_fail(err, -EBADMSG,
				  "%s: the chunk at byte %" PRIu64 ": its contents make no sense",
				  vsamp_reader_path(s->reader), chunk->offset);
	return vsamp_fail(err, -EBADMSG, "thread %u: an ITT record makes no sense",
			  c->source->thread.tid);
}

static int cursor_load(struct itt_stream *s, struct itt_cursor *c, struct vsamp_error *err)
{
	const struct itt_block *b = &c->source->block[c->block];
	int ret;

	if (!b->chunk) {
		c->at = b->data;
		c->end = c->at + b->size;
		return 0;
	}
	if (b->chunk->raw_size < sizeof(struct vsamp_itt_thread))
		return makes_no_sense(s, c, err);
	ret = vsamp_reader_load(s->reader, b->chunk, &c->loaded, err);
	if (ret)
		return ret;
	c->at = (uint8_t *)c->loaded + sizeof(struct vsamp_itt_thread);
	c->end = (uint8_t *)c->loaded + b->chunk->raw_size;
	return 0;
}

static int cursor_decode(struct itt_stream *s, struct itt_cursor *c, struct vsamp_error *err)
{
	int n = vsamp_itt_decode(c->at, c->end - c->at, &c->call);

	if (n < 0)
		return makes_no_sense(s, c, err);
	c->at += n;
	c->ready = true;
	c->time = c->call.time;
	return 1;
}

/* Takes the next record that is in memory, else says when that of the next block may be. 0: no more */
static int cursor_advance(struct itt_stream *s, struct itt_cursor *c, struct vsamp_error *err)
{
	const struct itt_block *b;

	c->ready = false;
	if (c->at && c->at < c->end)
		return cursor_decode(s, c, err);
	if (c->at) {
		free(c->loaded);
		c->loaded = NULL;
		c->at = NULL;
		c->block++;
	}
	if (c->block == c->source->blocks)
		return 0;
	b = &c->source->block[c->block];
	if (b->chunk)
		c->time = b->chunk->time_min;
	else if (b->size >= sizeof(struct vsamp_itt_header))
		memcpy(&c->time, b->data, sizeof(c->time));
	return 1;
}

int itt_stream_open(struct itt_stream *s, struct vsamp_reader *reader,
		    const struct itt_source *source, size_t sources, struct vsamp_error *err)
{
	*s = (struct itt_stream){ .reader = reader };
	s->cursor = calloc(sources + 1, sizeof(*s->cursor));
	s->heap = calloc(sources + 1, sizeof(*s->heap));
	if (!s->cursor || !s->heap)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < sources; i++) {
		s->cursor[i].source = &source[i];
		if (cursor_advance(s, &s->cursor[i], err))
			s->heap[s->waiting++] = i;
	}
	for (size_t i = s->waiting; i-- > 0;)
		sift_down(s, i);
	return 0;
}

int itt_stream_next(struct itt_stream *s, size_t *source, const struct vsamp_itt_call **call,
		    struct vsamp_error *err)
{
	while (s->waiting) {
		struct itt_cursor *c = &s->cursor[s->heap[0]];
		int ret = 1;

		if (c->ready && !s->given) {
			*source = s->heap[0];
			*call = &c->call;
			s->given = true;
			return 1;
		}
		s->given = false;
		if (!c->ready && !c->at)
			ret = cursor_load(s, c, err);
		if (ret >= 0)
			ret = cursor_advance(s, c, err);
		if (ret < 0)
			return ret;
		if (!ret)
			s->heap[0] = s->heap[--s->waiting];
		sift_down(s, 0);
	}
	return 0;
}

void itt_stream_close(struct itt_stream *s, size_t sources)
{
	for (size_t i = 0; s->cursor && i < sources; i++)
		free(s->cursor[i].loaded);
	free(s->cursor);
	free(s->heap);
}
