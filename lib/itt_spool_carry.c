// SPDX-License-Identifier: MIT
/* itt_spool_carry.c: what is under way when a recording goes on in a further file, told to that again */
#include <errno.h>

#include "itt_spool_private.h"

#define OPEN_MAX \
	4096 /* begins of a thread, or of a process, that are kept: no program nests so deeply */

static size_t opens(const struct buf *b)
{
	return b->size / sizeof(struct vsamp_itt_call);
}

static struct vsamp_itt_call *open_at(const struct buf *b, size_t i)
{
	return (struct vsamp_itt_call *)b->data + i;
}

static void row_remove(struct buf *b, size_t i, size_t size)
{
	memmove(b->data + i * size, b->data + (i + 1) * size, b->size - (i + 1) * size);
	b->size -= size;
}

/* When it took place by a clock of the program, and what it had with it, is what the file before tells */
static struct vsamp_itt_call bare(const struct vsamp_itt_call *call)
{
	struct vsamp_itt_call copy = *call;

	copy.flags &= ~VSAMP_ITT_HAS_CLOCK;
	copy.clock = 0;
	copy.stamp = 0;
	copy.body = NULL;
	copy.body_size = 0;
	return copy;
}

static int open_add(struct buf *b, const struct vsamp_itt_call *call)
{
	struct vsamp_itt_call copy = bare(call);

	return opens(b) < OPEN_MAX ? buf_add(b, &copy, sizeof(copy)) : 0;
}

static bool same_id(const struct vsamp_itt_call *a, const struct vsamp_itt_call *b)
{
	return !memcmp(&a->id, &b->id, sizeof(a->id));
}

/* Whether a begin is what an end means, if it is the innermost such */
static bool is_meant(const struct vsamp_itt_call *begin, uint8_t type,
		     const struct vsamp_itt_call *end)
{
	if (begin->type != type)
		return false;
	if (type == VSAMP_ITT_OVERLAPPED_BEGIN)
		return same_id(begin, end);
	return begin->handle == end->handle;
}

/* Its number + 1; 0: there is none */
static size_t open_find(const struct buf *b, uint8_t type, const struct vsamp_itt_call *end)
{
	size_t at = opens(b);

	while (at && !is_meant(open_at(b, at - 1), type, end))
		at--;
	return at;
}

/* Simple tasks within the one that ends do so, too */
static void open_end(struct buf *b, uint8_t type, const struct vsamp_itt_call *end)
{
	size_t at = open_find(b, type, end);

	if (!at)
		return;
	if (type == VSAMP_ITT_TASK_BEGIN)
		for (size_t i = opens(b); i-- > at;)
			if (open_at(b, i)->type == type)
				row_remove(b, i, sizeof(*end));
	row_remove(b, at - 1, sizeof(*end));
}

/* A start without an end is a tick mark, which isn't told again for each that ever was */
static int event_start(struct buf *b, const struct vsamp_itt_call *call)
{
	open_end(b, call->type, call);
	return open_add(b, call);
}

static struct spool_span *span_find(struct spool_process *p, uint8_t type,
				    const struct vsamp_itt_call *call)
{
	struct spool_span *span = (void *)p->spans.data;

	for (size_t i = 0; i < p->spans.size / sizeof(*span); i++)
		if (span[i].begin.type == type && same_id(&span[i].begin, call))
			return &span[i];
	return NULL;
}

/* The files of two threads may be read in another order than their calls were made */
static int span_learn(struct vsamp_itt_spool *s, struct spool_file *f, uint8_t type,
		      const struct vsamp_itt_call *call)
{
	struct spool_process *p = spool_process(s, f->process);
	struct spool_span *span = span_find(p, type, call), more = { .file = f - spool_file(s, 0) };
	bool begins = call->type == type;

	if (span && begins && !span->begin.time && call->time > span->end) {
		more.begin = bare(call);
		*span = more;
	} else if (span && begins != !!span->begin.time) {
		row_remove(&p->spans, span - (struct spool_span *)p->spans.data, sizeof(*span));
	} else if (!span && p->spans.size / sizeof(more) < OPEN_MAX) {
		more.begin = bare(call);
		more.begin.type = type;
		more.begin.time = begins ? call->time : 0;
		more.end = begins ? 0 : call->time;
		return buf_add(&p->spans, &more, sizeof(more));
	}
	return 0;
}

static int counter_learn(struct spool_process *p, const struct vsamp_itt_call *call)
{
	struct spool_counter more = { .handle = call->handle, .name = call->name };
	struct spool_counter *c = (void *)p->counters.data;
	size_t n = p->counters.size / sizeof(*c), i = 0;
	uint64_t bits;

	memcpy(&bits, call->body, sizeof(bits));
	while (i < n && (c[i].handle != call->handle || c[i].name != call->name))
		i++;
	if (i == n) {
		if (n == OPEN_MAX)
			return 0;
		if (buf_add(&p->counters, &more, sizeof(more)))
			return -ENOMEM;
		c = (void *)p->counters.data;
	}
	if (call->type == VSAMP_ITT_COUNTER_SET) {
		c[i].set = true;
		c[i].bits = bits;
		c[i].added = 0;
	} else {
		c[i].added += bits;
	}
	return 0;
}

static int name_learn(struct spool_file *f, const struct vsamp_itt_call *call)
{
	struct vsamp_itt_text *text = malloc(call->body_size);

	if (!text)
		return -ENOMEM;
	memcpy(text, call->body, call->body_size);
	free(f->text);
	f->text = text;
	return 0;
}

static void pause_learn(struct spool_process *p, const struct vsamp_itt_call *call)
{
	if (call->handle == VSAMP_ITT_PAUSE_OFFLOAD || call->handle == VSAMP_ITT_PAUSE_SESSION ||
	    call->time < p->pause.time)
		return;
	p->pause = bare(call);
}

int spool_carry_learn(struct vsamp_itt_spool *s, struct spool_file *f,
		      const struct vsamp_itt_call *call)
{
	struct spool_process *p = spool_process(s, f->process);
	bool by_id = call->flags & VSAMP_ITT_HAS_ID;

	switch (call->type) {
	case VSAMP_ITT_TASK_BEGIN:
	case VSAMP_ITT_OVERLAPPED_BEGIN:
		return open_add(&f->open, call);
	case VSAMP_ITT_TASK_END:
	case VSAMP_ITT_OVERLAPPED_END:
		open_end(&f->open, call->type - 1, call);
		return 0;
	case VSAMP_ITT_EVENT_START:
		return event_start(&f->open, call);
	case VSAMP_ITT_EVENT_END:
		open_end(&f->open, call->type - 1, call);
		return 0;
	case VSAMP_ITT_REGION_BEGIN:
	case VSAMP_ITT_REGION_END:
		return by_id ? span_learn(s, f, VSAMP_ITT_REGION_BEGIN, call) : 0;
	case VSAMP_ITT_FRAME_BEGIN:
		if (by_id)
			return span_learn(s, f, VSAMP_ITT_FRAME_BEGIN, call);
		return open_find(&f->open, call->type, call) ? 0 : open_add(&f->open, call);
	case VSAMP_ITT_FRAME_END:
		if (by_id)
			return span_learn(s, f, VSAMP_ITT_FRAME_BEGIN, call);
		open_end(&f->open, VSAMP_ITT_FRAME_BEGIN, call);
		return 0;
	case VSAMP_ITT_COUNTER_SET:
	case VSAMP_ITT_COUNTER_ADD:
		return counter_learn(p, call);
	case VSAMP_ITT_THREAD_NAME:
		return name_learn(f, call);
	case VSAMP_ITT_PAUSE:
	case VSAMP_ITT_RESUME:
		pause_learn(p, call);
	}
	return 0;
}

/* Not before it began */
static int call_tell(struct vsamp_itt_spool *s, struct spool_file *f, struct vsamp_itt_call call,
		     uint64_t time, struct vsamp_error *err)
{
	int size;

	if (call.time < time)
		call.time = time;
	if (call.time < f->not_before)
		call.time = f->not_before;
	f->not_before = call.time;
	call.flags |= VSAMP_ITT_CONTINUED;
	size = vsamp_itt_encode(s->segment, &call);
	return size < 0 ? 0 : spool_write(s, &f->thread, s->segment, size, err);
}

static int file_tell(struct vsamp_itt_spool *s, struct spool_file *f, uint64_t time,
		     struct vsamp_error *err)
{
	struct vsamp_itt_call name = { .type = VSAMP_ITT_THREAD_NAME, .time = time };
	int ret = 0;

	if (f->text) {
		name.body = f->text;
		name.body_size = sizeof(*f->text) + f->text->length;
		ret = call_tell(s, f, name, time, err);
	}
	for (size_t i = 0; i < opens(&f->open) && !ret; i++)
		ret = call_tell(s, f, *open_at(&f->open, i), time, err);
	return ret;
}

static int counter_tell(struct vsamp_itt_spool *s, struct spool_file *f,
			const struct spool_counter *c, uint64_t time, struct vsamp_error *err)
{
	struct vsamp_itt_call call = {
		.type = VSAMP_ITT_COUNTER_SET,
		.handle = c->handle,
		.name = c->name,
		.flags = c->name ? VSAMP_ITT_HAS_NAME : 0,
		.body = &c->bits,
		.body_size = sizeof(c->bits),
	};
	int ret = c->set ? call_tell(s, f, call, time, err) : 0;

	call.type = VSAMP_ITT_COUNTER_ADD;
	call.body = &c->added;
	return ret || !c->added ? ret : call_tell(s, f, call, time, err);
}

/* Of threads one that goes on, if there is one, says what is of the process: definitions keep their times, which were before */
static struct spool_file *speaker(const struct vsamp_itt_spool *s, size_t process)
{
	struct spool_file *ended = NULL;

	for (size_t i = 0; i < spool_files(s); i++) {
		struct spool_file *f = spool_file(s, i);

		if (f->process != process || !f->tid || !f->begun)
			continue;
		if (!f->gone)
			return f;
		ended = f;
	}
	return ended;
}

static int process_tell(struct vsamp_itt_spool *s, size_t process, uint64_t time,
			struct vsamp_error *err)
{
	const struct spool_process *p = spool_process(s, process);
	const struct spool_counter *c = (void *)p->counters.data;
	const struct spool_span *span = (void *)p->spans.data;
	struct spool_file *f = speaker(s, process);
	int ret = 0;

	if (!f)
		return 0;
	if (p->pause.type == VSAMP_ITT_PAUSE)
		ret = call_tell(s, f, p->pause, time, err);
	for (size_t i = 0; i < p->counters.size / sizeof(*c) && !ret; i++)
		ret = counter_tell(s, f, &c[i], time, err);
	for (size_t i = 0; i < p->spans.size / sizeof(*span) && !ret; i++)
		if (span[i].begin.time)
			ret = call_tell(s, spool_file(s, span[i].file), span[i].begin, time, err);
	return ret;
}

int spool_carry_tell(struct vsamp_itt_spool *s, size_t process, uint64_t time,
		     struct vsamp_error *err)
{
	int ret = process_tell(s, process, time, err);

	for (size_t i = 0; i < spool_files(s) && !ret; i++)
		if (spool_file(s, i)->process == process)
			ret = file_tell(s, spool_file(s, i), time, err);
	return ret;
}

void spool_carry_end(struct spool_file *f)
{
	buf_free(&f->open);
	free(f->text);
	f->text = NULL;
}

void spool_carry_end_process(struct spool_process *p)
{
	buf_free(&p->spans);
	buf_free(&p->counters);
	p->pause.type = 0;
}
