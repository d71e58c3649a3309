// SPDX-License-Identifier: MIT
/* profile_beside.c: what samples are told apart by beside their places, where it is asked for */
#include "filter.h"
#include "itt_private.h"
#include "profile_private.h"

#define BY_SPAN (VSAMP_BY_TASK | VSAMP_BY_ITT_EVENT)

struct span_name {
	const char *name, *domain;
};

static bool has_spans(const struct vsamp_profile *p, bool event)
{
	const struct vsamp_span *span;
	size_t spans = vsamp_timeline_spans(p->timeline, &span);

	for (size_t i = 0; i < spans; i++) {
		bool task = span[i].kind == VSAMP_SPAN_TASK ||
			    span[i].kind == VSAMP_SPAN_OVERLAPPED;

		if (event ? span[i].kind == VSAMP_SPAN_EVENT && !span[i].tick : task)
			return true;
	}
	return false;
}

static int check_spans(const struct vsamp_profile *p, struct vsamp_error *err)
{
	bool task = p->options.by & VSAMP_BY_TASK, event = p->options.by & VSAMP_BY_ITT_EVENT;

	if ((!task || has_spans(p, false)) && (!event || has_spans(p, true)) &&
	    (!p->options.tasks || has_spans(p, false) || has_spans(p, true)))
		return 0;
	return vsamp_fail(
		err, -ENODATA,
		"%s: has no ITT %s: they come from programs that tell of them by ittnotify",
		vsamp_reader_path(p->rec->reader),
		(task || !event) && !has_spans(p, false) ? "tasks" : "events that have a duration");
}

int beside_init(struct vsamp_profile *p, struct vsamp_error *err)
{
	const struct vsamp_filter *f = &p->options.filter;
	uint64_t end;
	int ret;

	p->filters = f->pids || f->tids || f->cpus || f->comms || filter_needs_time(f);
	p->names_threads = f->comms || p->options.by & (VSAMP_BY_COMM | VSAMP_BY_THREAD);
	vsamp_recording_span(p->rec, &p->begin, &end);
	if (p->options.by & VSAMP_BY_TIME && !p->options.slice)
		return vsamp_fail(err, -EINVAL, "slices of time have no length");
	if (!(p->options.by & BY_SPAN) && !p->options.tasks && !itt_recorded(p->rec))
		return 0;
	/* also for what the processes of samples had paused */
	p->filters = true;
	ret = vsamp_timeline_new(&p->timeline, p->rec, err);
	return ret ? ret : check_spans(p, err);
}

static int64_t thread_number(struct vsamp_profile *p, const struct vsamp_record_sample *s,
			     uint32_t identity)
{
	return threads_number(&p->threads, s->tid,
			      procmap_identity_at(&p->placer.procmap, identity)->comm);
}

static int wants_thread(struct vsamp_profile *p, const struct vsamp_record_sample *s)
{
	int64_t identity = procmap_identity(&p->placer.procmap, s->pid);
	int64_t number = identity < 0 ? identity : thread_number(p, s, identity);

	if (number < 0)
		return number;
	return filter_wants_comm(&p->options.filter, threads_name(&p->threads, number));
}

/* Whether a time belongs to a task or an event of a name that is wanted */
static bool wants_span(const struct vsamp_profile *p, const struct vsamp_record_sample *s)
{
	const struct vsamp_span *span[2];

	vsamp_timeline_at(p->timeline, s->pid, s->tid, vsamp_clock_fit_raw(p->rec->clock, s->time),
			  &span[0], &span[1]);
	for (size_t i = 0; i < p->options.tasks; i++)
		for (int k = 0; k < 2; k++)
			if (span[k] && !strcmp(span[k]->name, p->options.task[i]))
				return true;
	return false;
}

int beside_wants(struct vsamp_profile *p, uint32_t cpu, const struct vsamp_record_sample *s)
{
	const struct vsamp_filter *f = &p->options.filter;
	int ret = 1;

	if (!filter_wants_record(f, cpu, s->pid, s->tid))
		return 0;
	if (filter_needs_time(f) &&
	    !filter_wants_time(f, vsamp_clock_fit_raw(p->rec->clock, s->time)))
		return 0;
	if (f->comms)
		ret = wants_thread(p, s);
	if (ret > 0 && p->timeline &&
	    vsamp_timeline_paused(p->timeline, s->pid,
				  vsamp_clock_fit_raw(p->rec->clock, s->time))) {
		p->paused++;
		ret = 0;
	}
	if (ret > 0 && p->options.tasks)
		ret = wants_span(p, s);
	return ret;
}

static int64_t span_number(struct vsamp_profile *p, const struct vsamp_span *span)
{
	struct span_name name = { span ? span->name : "", span ? span->domain : "" };

	return intern_number(&p->spans, &name, sizeof(name));
}

static int set_spans(struct vsamp_profile *p, const struct vsamp_record_sample *s, uint64_t time,
		     uint32_t *key)
{
	const struct vsamp_span *span[2];

	vsamp_timeline_at(p->timeline, s->pid, s->tid, time, &span[0], &span[1]);
	for (int i = 0; i < 2; i++) {
		int64_t number = p->options.by & (VSAMP_BY_TASK << i) ? span_number(p, span[i]) :
									NOT_ASKED;

		if (number < 0)
			return number;
		key[i] = number;
	}
	return 0;
}

/* The slice that a time is in; times before the begin are in the first, those too late in the last */
static uint32_t slice_number(const struct vsamp_profile *p, uint64_t time)
{
	uint64_t slice = time > p->begin ? (time - p->begin) / p->options.slice : 0;

	return slice < NOT_ASKED ? slice : NOT_ASKED - 1;
}

int64_t beside_number(struct vsamp_profile *p, uint32_t cpu, const struct vsamp_record_sample *s,
		      uint32_t identity)
{
	unsigned int by = p->options.by;
	struct beside beside;
	uint64_t time = 0;
	int64_t comm;

	memset(&beside, 0xff, sizeof(beside));
	if (by & (VSAMP_BY_COMM | VSAMP_BY_THREAD)) {
		comm = thread_number(p, s, identity);
		if (comm < 0)
			return comm;
		beside.key[KEY_COMM - KEY_COMM] = comm;
	}
	if (by & VSAMP_BY_THREAD)
		beside.key[KEY_THREAD - KEY_COMM] = s->tid;
	if (by & VSAMP_BY_CPU)
		beside.key[KEY_CPU - KEY_COMM] = cpu;
	if (by & (VSAMP_BY_TIME | BY_SPAN))
		time = vsamp_clock_fit_raw(p->rec->clock, s->time);
	if (by & VSAMP_BY_TIME)
		beside.key[KEY_TIME - KEY_COMM] = slice_number(p, time);
	if (by & BY_SPAN && set_spans(p, s, time, &beside.key[KEY_TASK - KEY_COMM]))
		return -ENOMEM;
	return intern_number(&p->besides, &beside, sizeof(beside));
}

/* Names that are equal may be at several addresses */
int beside_finish(struct vsamp_profile *p)
{
	p->span_text = malloc((p->spans.count + 1UL) * sizeof(*p->span_text));
	if (!p->span_text)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->spans.count; i++) {
		const struct span_name *span = intern_key(&p->spans, i);
		struct buf text = { 0 };
		int64_t number = -ENOMEM;

		if (!buf_add(&text, span->name, strlen(span->name) + 1) &&
		    !buf_add(&text, span->domain, strlen(span->domain) + 1))
			number = intern_number(&p->span_texts, text.data, text.size);
		buf_free(&text);
		if (number < 0)
			return number;
		p->span_text[i] = number;
	}
	return 0;
}

void beside_free(struct vsamp_profile *p)
{
	intern_free(&p->besides);
	threads_free(&p->threads);
	vsamp_timeline_free(p->timeline);
	intern_free(&p->spans);
	intern_free(&p->span_texts);
	free(p->span_text);
}
