// SPDX-License-Identifier: MIT
/*
 * Chrome's trace events, as JSON: a sample is an instant of its thread, named for the function, of
 * the category of its event; its stack, if it has one, is told by stackFrames. Tasks are complete
 * events; what may cross others is a pair of asynchronous ones; tick marks are instants; relations are
 * flows. A counter that has no value is 0. Times are µs since the first record.
 */
#include <inttypes.h>
#include <math.h>

#include "export.h"

#define US 1000

struct frame {
	uint64_t caller; /* number + 1 of the stack; 0: none */
	const char *module, *symbol;
};

struct task {
	uint32_t pid, tid;
};

struct chrome {
	const struct export *x;
	const struct export_timeline *timeline;
	struct intern frames; /* struct frame */
	struct intern tasks;  /* struct task */
	struct threads names;
	uint64_t begin; /* ns */
	bool more;
};

/* The number of a stack + 1; -ENOMEM */
static int64_t stack_number(struct chrome *c, const struct vsamp_trace_sample *s)
{
	int64_t stack = 0;

	for (size_t i = s->frames; i-- > 0 && stack >= 0;) {
		struct frame frame = { stack, s->frame[i].module, s->frame[i].symbol };

		stack = intern_number(&c->frames, &frame, sizeof(frame));
		stack += stack >= 0;
	}
	return stack;
}

static void put_separator(struct chrome *c)
{
	fputs(c->more ? ",\n" : "\n", c->x->out);
	c->more = true;
}

/* Names come with the first that is told of a task: the program's own, else @name */
static int put_task(struct chrome *c, struct task task, const char *name)
{
	const char *own = export_own_name(c->timeline, task.pid, task.tid);
	uint32_t before = c->tasks.count;

	if (intern_number(&c->tasks, &task, sizeof(task)) < 0)
		return -ENOMEM;
	if (c->tasks.count == before)
		return 0;
	put_separator(c);
	fprintf(c->x->out,
		"{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"args\":{\"name\":",
		task.pid, task.tid);
	export_json(c->x->out, own ? own : name);
	fputs("}}", c->x->out);
	if (task.pid != task.tid)
		return 0;
	put_separator(c);
	fprintf(c->x->out,
		"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRIu32 ",\"args\":{\"name\":",
		task.pid);
	export_json(c->x->out, name);
	fputs("}}", c->x->out);
	return 0;
}

static int put_sample(struct chrome *c, const struct vsamp_trace_sample *s)
{
	uint64_t ns = s->time > c->begin ? s->time - c->begin : 0;
	int64_t stack = s->frames > 1 ? stack_number(c, s) : 0;
	FILE *out = c->x->out;

	if (stack < 0 || put_task(c, (struct task){ s->pid, s->tid }, s->comm))
		return export_no_memory(c->x);
	put_separator(c);
	fputs("{\"ph\":\"i\",\"s\":\"t\",\"name\":", out);
	export_json(out, s->frame[0].symbol);
	fputs(",\"cat\":", out);
	export_json(out, c->x->rec->event[s->event].name);
	fprintf(out,
		",\"ts\":%" PRIu64 ".%03" PRIu64 ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32
		",\"args\":{\"cpu\":%" PRIu32 ",\"events\":%.17g,\"module\":",
		ns / 1000, ns % 1000, s->pid, s->tid, s->cpu, s->events);
	export_json(out, s->frame[0].module);
	putc('}', out);
	if (stack)
		fprintf(out, ",\"sf\":%" PRId64, stack);
	putc('}', out);
	return 0;
}

/* Metadata by key; what has a key again is told with the number of its place, too */
static void put_told(struct chrome *c, const struct export_told *told)
{
	FILE *out = c->x->out;

	fputs(told->attributes ? ",\"metadata\":{" : "", out);
	for (size_t i = 0; i < told->attributes; i++) {
		const struct vsamp_itt_attribute *a = &told->attribute[i];
		char key[VSAMP_ITT_TEXT_MAX + 16];
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again |= !strcmp(told->attribute[k].key, a->key);
		snprintf(key, sizeof(key), again ? "%s #%zu" : "%s", a->key, i + 1);
		fputs(i ? "," : "", out);
		export_json(out, key);
		putc(':', out);
		if (a->text)
			export_json(out, a->value);
		else
			fprintf(out, "[%s]", a->value);
	}
	fputs(told->attributes ? "}" : "", out);
}

/* The begin of an event of a span's thread: phase, name, category, time */
static void put_span(struct chrome *c, size_t span, const char *phase, uint64_t time)
{
	const struct vsamp_span *s = &c->timeline->span[span];

	put_separator(c);
	fprintf(c->x->out, "{\"ph\":\"%s\",\"name\":", phase);
	export_json(c->x->out, s->name);
	fprintf(c->x->out,
		",\"cat\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"domain\":",
		export_kinds[s->kind], s->pid, s->tid);
	export_json(c->x->out, s->domain);
	if (!s->tick) {
		fputs(",\"own_us\":", c->x->out);
		export_ns(c->x->out, s->exclusive, US);
	}
	if (s->cut)
		fputs(",\"cut\":true", c->x->out);
	if (*phase != 'e' && c->timeline->told)
		put_told(c, &c->timeline->told[span]);
	fputs("},\"ts\":", c->x->out);
	export_ns(c->x->out, time - c->begin, US);
}

static int put_spans(struct chrome *c)
{
	const struct export_timeline *timeline = c->timeline;

	for (size_t i = 0; i < timeline->spans; i++) {
		const struct vsamp_span *s = &timeline->span[i];
		const char *name = export_thread(timeline, &c->names, s->pid, s->tid);

		if (!name || put_task(c, (struct task){ s->pid, s->tid }, name))
			return export_no_memory(c->x);
		if (s->tick) {
			put_span(c, i, "i", s->begin);
			fputs(",\"s\":\"t\"}", c->x->out);
		} else if (s->kind == VSAMP_SPAN_TASK) {
			put_span(c, i, "X", s->begin);
			fputs(",\"dur\":", c->x->out);
			export_ns(c->x->out, s->end - s->begin, US);
			putc('}', c->x->out);
		} else {
			put_span(c, i, "b", s->begin);
			fprintf(c->x->out, ",\"id\":%zu}", i);
			put_span(c, i, "e", s->end);
			fprintf(c->x->out, ",\"id\":%zu}", i);
		}
	}
	return 0;
}

/* An arrow's end, at a span's begin */
static void put_flow(struct chrome *c, const char *phase, size_t number,
		     const struct vsamp_itt_related *r, const struct vsamp_span *span)
{
	put_separator(c);
	fprintf(c->x->out,
		"{\"ph\":%s,\"id\":%zu,\"name\":\"%s\",\"cat\":\"ITT relation\",\"pid\":%" PRIu32
		",\"tid\":%" PRIu32 ",\"ts\":",
		phase, number, vsamp_itt_relation_name(r->relation), span->pid, span->tid);
	export_ns(c->x->out, span->begin - c->begin, US);
	putc('}', c->x->out);
}

/* Arrows go on in time, whatever is the head */
static void put_relations(struct chrome *c)
{
	const struct vsamp_itt_related *r;
	size_t n = vsamp_itt_relations(vsamp_timeline_itt(c->timeline->from), &r);

	for (size_t i = 0; i < n; i++) {
		bool forth = r[i].head && r[i].tail && r[i].head->begin <= r[i].tail->begin;

		if (!r[i].head || !r[i].tail || !export_wants_span(c->x, r[i].head) ||
		    !export_wants_span(c->x, r[i].tail))
			continue;
		put_flow(c, "\"s\"", i, &r[i], forth ? r[i].head : r[i].tail);
		put_flow(c, "\"f\",\"bp\":\"e\"", i, &r[i], forth ? r[i].tail : r[i].head);
	}
}

static void put_track(struct chrome *c, const struct vsamp_track *track)
{
	for (size_t i = 0; i < track->points; i++) {
		double value = track->point[i].value;

		put_separator(c);
		fputs("{\"ph\":\"C\",\"name\":", c->x->out);
		export_json(c->x->out, track->name);
		fputs(",\"cat\":", c->x->out);
		export_json(c->x->out, track->group);
		fputs(",\"id\":", c->x->out);
		export_json(c->x->out, track->group);
		fprintf(c->x->out, ",\"pid\":%" PRIu32 ",\"ts\":", track->pid);
		export_ns(c->x->out, track->point[i].time - c->begin, US);
		fputs(",\"args\":{", c->x->out);
		export_json(c->x->out, *track->unit ? track->unit : "value");
		fprintf(c->x->out, ":%.17g}}", isnan(value) ? 0 : value);
	}
}

static void put_frames(struct chrome *c)
{
	FILE *out = c->x->out;

	fputs("\n],\n\"stackFrames\":{", out);
	for (uint32_t i = 0; i < c->frames.count; i++) {
		const struct frame *frame = intern_key(&c->frames, i);

		fprintf(out, "%s\n\"%" PRIu32 "\":{\"name\":", i ? "," : "", i + 1);
		export_json(out, frame->symbol);
		fputs(",\"category\":", out);
		export_json(out, frame->module ? frame->module : "");
		if (frame->caller)
			fprintf(out, ",\"parent\":%" PRIu64, frame->caller);
		putc('}', out);
	}
	fputs("\n},\n\"displayTimeUnit\":\"ns\"}\n", out);
}

static int put_all(struct chrome *c, struct vsamp_trace *trace)
{
	struct vsamp_trace_sample sample;
	struct vsamp_item item;
	int ret;

	while ((ret = vsamp_trace_next(trace, &item, &sample, c->x->err)) > 0) {
		ret = ret == 2 && export_wants(c->x, &sample) ? put_sample(c, &sample) : 0;
		if (!ret && item.sideband && threads_take(&c->names, item.sideband))
			ret = export_no_memory(c->x);
		if (ret)
			break;
	}
	return ret;
}

static int chrome_put(const struct export *x, const struct export_timeline *timeline)
{
	struct chrome c = { .x = x, .timeline = timeline };
	struct vsamp_trace *trace;
	uint64_t end;
	int ret = vsamp_trace_new(&trace, x->rec, VSAMP_TRACE_CALLERS, x->err);

	if (ret)
		return ret;
	vsamp_recording_span(x->rec, &c.begin, &end);
	fputs("{\"traceEvents\":[", x->out);
	ret = put_all(&c, trace);
	if (!ret)
		ret = put_spans(&c);
	put_relations(&c);
	for (size_t i = 0; i < timeline->tracks; i++)
		put_track(&c, &timeline->track[i]);
	put_frames(&c);
	intern_free(&c.frames);
	intern_free(&c.tasks);
	threads_free(&c.names);
	vsamp_trace_free(trace);
	return ret;
}

int export_chrome(const struct export *x)
{
	return export_timeline(x, chrome_put);
}
