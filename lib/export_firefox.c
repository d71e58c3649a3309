// SPDX-License-Identifier: MIT
/*
 * The Firefox Profiler's processed profiles, version 48 of docs-developer/CHANGELOG-formats.md in its
 * sources: a thread's samples of an event are a thread there, which has tables of its own. Weights are
 * events; times are ms since the first record.
 */
#include <inttypes.h>

#include "export_firefox.h"

#define NO_STACK UINT32_MAX

struct function {
	const char *module, *symbol;
};

struct stack {
	uint32_t caller, function; /* caller: NO_STACK if there is none */
};

struct sample {
	uint64_t ns;
	double events;
	uint32_t stack;
};

struct thread_key {
	uint32_t pid, tid, event;
};

struct thread {
	struct intern functions, stacks, modules;
	struct buf samples;
	struct firefox_markers markers;
	char *name;
};

struct firefox {
	const struct export *x;
	struct intern keys;
	struct thread *thread; /* by number of the key */
	size_t threads;
	uint64_t begin;
	struct threads names;
	const struct export_timeline *timeline;
};

static struct thread *thread_get(struct firefox *f, struct thread_key key, const char *name)
{
	int64_t number = intern_number(&f->keys, &key, sizeof(key));
	struct thread *more;

	if (number < 0)
		return NULL;
	if ((size_t)number == f->threads) {
		more = realloc(f->thread, (f->threads + 1) * sizeof(*more));
		if (!more)
			return NULL;
		f->thread = more;
		more[f->threads++] = (struct thread){ 0 };
	}
	free(f->thread[number].name);
	f->thread[number].name = strdup(name); /* the last it had */
	return f->thread[number].name ? &f->thread[number] : NULL;
}

/* The number of the sample's stack in the thread; -ENOMEM */
static int64_t stack_number(struct thread *t, const struct vsamp_trace_sample *s)
{
	int64_t stack = NO_STACK;

	for (size_t i = s->frames; i-- > 0 && stack >= 0;) {
		const struct vsamp_trace_frame *frame = &s->frame[i];
		struct function function = { frame->module ? frame->module : "", frame->symbol };
		int64_t number = intern_number(&t->functions, &function, sizeof(function));
		struct stack key = { stack, number };

		if (number < 0 || intern_string(&t->modules, function.module) < 0)
			return -ENOMEM;
		stack = intern_number(&t->stacks, &key, sizeof(key));
	}
	return stack;
}

static int add_sample(struct firefox *f, const struct vsamp_trace_sample *s)
{
	struct thread_key key = { s->pid, s->tid, s->event };
	struct thread *t = thread_get(f, key, s->comm);
	int64_t stack = t ? stack_number(t, s) : -1;
	struct sample sample = { s->time > f->begin ? s->time - f->begin : 0, s->events, stack };

	if (stack < 0 || buf_add(&t->samples, &sample, sizeof(sample)))
		return export_no_memory(f->x);
	return 0;
}

static int add_all(struct firefox *f, struct vsamp_trace *trace)
{
	struct vsamp_trace_sample sample;
	struct vsamp_item item;
	int ret;

	while ((ret = vsamp_trace_next(trace, &item, &sample, f->x->err)) > 0) {
		ret = ret == 2 && export_wants(f->x, &sample) ? add_sample(f, &sample) : 0;
		if (!ret && item.sideband && threads_take(&f->names, item.sideband))
			ret = export_no_memory(f->x);
		if (ret)
			break;
	}
	return ret;
}

/* Markers of a thread are where its samples of the first event are, or would be */
static int add_markers(struct firefox *f)
{
	for (size_t i = 0; i < f->timeline->spans; i++) {
		const struct vsamp_span *span = &f->timeline->span[i];
		struct thread_key key = { span->pid, span->tid, f->x->event[0] };
		const char *name = export_thread(f->timeline, &f->names, span->pid, span->tid);
		struct thread *t = name ? thread_get(f, key, name) : NULL;

		if (!t || firefox_markers_add(&t->markers, f->timeline, i))
			return export_no_memory(f->x);
	}
	return 0;
}

/* A column of @n rows that all have the same */
static void put_same(FILE *out, const char *name, const char *value, size_t n)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? "," : "", value);
	putc(']', out);
}

/* 0, 1, 2 ... */
static void put_numbers(FILE *out, const char *name, size_t first, size_t n)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%zu", i ? "," : "", first + i);
	putc(']', out);
}

static void put_samples(FILE *out, const struct thread *t)
{
	const struct sample *s = (const void *)t->samples.data;
	size_t n = t->samples.size / sizeof(*s);

	fprintf(out, ",\n\"samples\":{\"length\":%zu,\"weightType\":\"samples\",\"stack\":[", n);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", s[i].stack);
	fputs("],\"time\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu64 ".%06" PRIu64, i ? "," : "", s[i].ns / 1000000,
			s[i].ns % 1000000);
	fputs("],\"weight\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%.17g", i ? "," : "", s[i].events);
	fputs("]}", out);
}

/* Each function is a frame of its own */
static void put_stacks(FILE *out, const struct thread *t)
{
	size_t n = t->stacks.count;

	fprintf(out, ",\n\"stackTable\":{\"length\":%zu,\"prefix\":[", n);
	for (uint32_t i = 0; i < n; i++) {
		const struct stack *s = intern_key(&t->stacks, i);

		if (s->caller == NO_STACK)
			fprintf(out, "%snull", i ? "," : "");
		else
			fprintf(out, "%s%" PRIu32, i ? "," : "", s->caller);
	}
	fputs("],\"frame\":[", out);
	for (uint32_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "",
			((const struct stack *)intern_key(&t->stacks, i))->function);
	putc(']', out);
	put_same(out, "category", "0", n);
	put_same(out, "subcategory", "0", n);
	putc('}', out);
}

static void put_functions(FILE *out, struct thread *t)
{
	static const char *const empty[] = { "category",      "subcategory",	"nativeSymbol",
					     "innerWindowID", "implementation", "line",
					     "column" };
	size_t n = t->functions.count;

	fprintf(out, ",\n\"frameTable\":{\"length\":%zu", n);
	put_numbers(out, "func", 0, n);
	put_same(out, "address", "-1", n);
	put_same(out, "inlineDepth", "0", n);
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		put_same(out, empty[i], "null", n);
	fprintf(out, "},\n\"funcTable\":{\"length\":%zu", n);
	put_numbers(out, "name", 0, n);
	put_same(out, "isJS", "false", n);
	put_same(out, "relevantForJS", "false", n);
	fputs(",\"resource\":[", out);
	for (uint32_t i = 0; i < n; i++) {
		const struct function *f = intern_key(&t->functions, i);

		fprintf(out, "%s%" PRId64, i ? "," : "", intern_string(&t->modules, f->module));
	}
	putc(']', out);
	put_same(out, "fileName", "null", n);
	put_same(out, "lineNumber", "null", n);
	put_same(out, "columnNumber", "null", n);
	putc('}', out);
}

/* Strings are the functions' names, then the modules', then the markers' */
static void put_names(FILE *out, const struct thread *t)
{
	size_t n = t->functions.count, modules = t->modules.count;

	fprintf(out, ",\n\"resourceTable\":{\"length\":%zu", modules);
	put_numbers(out, "name", n, modules);
	put_same(out, "lib", "null", modules);
	put_same(out, "host", "null", modules);
	put_same(out, "type", "1", modules); /* a library */
	fputs("},\n\"stringArray\":[", out);
	for (uint32_t i = 0; i < n; i++) {
		fputs(i ? "," : "", out);
		export_json(out, ((const struct function *)intern_key(&t->functions, i))->symbol);
	}
	for (uint32_t i = 0; i < modules; i++) {
		putc(',', out);
		export_json(out, intern_key(&t->modules, i));
	}
	for (uint32_t i = 0; i < t->markers.names.count; i++) {
		fputs(n + i ? "," : "", out);
		export_json(out, intern_key(&t->markers.names, i));
	}
	putc(']', out);
}

static void put_thread(struct firefox *f, uint32_t number)
{
	const struct thread_key *key = intern_key(&f->keys, number);
	const struct vsamp_recording_event *event = &f->x->rec->event[key->event];
	const char *own = export_own_name(f->timeline, key->pid, key->tid);
	struct thread *t = &f->thread[number];
	FILE *out = f->x->out;

	fprintf(out, "%s\n{\"processType\":\"default\",\"name\":", number ? "," : "");
	export_json(out, event->name);
	fprintf(out,
		",\"isMainThread\":%s,\"pid\":\"%" PRIu32 "\",\"tid\":%" PRIu32 ",\"processName\":",
		key->pid == key->tid ? "true" : "false", key->pid, key->tid);
	export_json(out, own ? own : t->name);
	fputs(",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
	      "\"unregisterTime\":null,\"pausedRanges\":[]",
	      out);
	put_samples(out, t);
	firefox_put_markers(out, &t->markers, t->functions.count + t->modules.count, f->begin);
	put_stacks(out, t);
	put_functions(out, t);
	fputs(",\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[]}",
	      out);
	put_names(out, t);
	putc('}', out);
}

/* The number of the first thread of a process, else of all */
static uint32_t thread_of(const struct firefox *f, uint32_t pid)
{
	for (uint32_t i = 0; i < f->threads; i++)
		if (((const struct thread_key *)intern_key(&f->keys, i))->pid == pid)
			return i;
	return 0;
}

static void put_all(struct firefox *f)
{
	struct json_object *v = NULL;
	FILE *out = f->x->out;

	json_object_object_get_ex(f->x->rec->meta, "started_realtime_ns", &v);
	fprintf(out,
		"{\"meta\":{\"version\":27,\"preprocessedProfileVersion\":48,\"product\":\"vsamp\","
		"\"processType\":0,\"stackwalk\":1,\"interval\":1,\"startTime\":%" PRId64
		",\"symbolicated\":true,\"importedFrom\":\"vsamp " VSAMP_VERSION
		"\",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
		"\"subcategories\":[\"Other\"]}],\"markerSchema\":[",
		json_object_get_int64(v) / 1000000);
	firefox_put_schemas(out);
	fputs("]},\n\"libs\":[],\n\"counters\":[", out);
	for (size_t i = 0; i < f->timeline->tracks && f->threads; i++) {
		uint32_t thread = thread_of(f, f->timeline->track[i].pid);
		const struct thread_key *key = intern_key(&f->keys, thread);

		fputs(i ? "," : "", out);
		firefox_put_counter(out, &f->timeline->track[i], thread, key->pid, f->begin);
	}
	fputs("],\n\"threads\":[", out);
	for (uint32_t i = 0; i < f->threads; i++)
		put_thread(f, i);
	fputs("\n]}\n", out);
}

static void firefox_free(struct firefox *f)
{
	for (size_t i = 0; i < f->threads; i++) {
		intern_free(&f->thread[i].functions);
		intern_free(&f->thread[i].stacks);
		intern_free(&f->thread[i].modules);
		buf_free(&f->thread[i].samples);
		firefox_markers_free(&f->thread[i].markers);
		free(f->thread[i].name);
	}
	free(f->thread);
	intern_free(&f->keys);
	threads_free(&f->names);
}

static int firefox_put(const struct export *x, const struct export_timeline *timeline)
{
	struct firefox f = { .x = x, .timeline = timeline };
	struct vsamp_trace *trace;
	uint64_t end;
	int ret = vsamp_trace_new(&trace, x->rec, VSAMP_TRACE_CALLERS, x->err);

	if (ret)
		return ret;
	vsamp_recording_span(x->rec, &f.begin, &end);
	ret = add_all(&f, trace);
	if (!ret)
		ret = add_markers(&f);
	if (!ret)
		put_all(&f);
	firefox_free(&f);
	vsamp_trace_free(trace);
	return ret;
}

int export_firefox(const struct export *x)
{
	return export_timeline(x, firefox_put);
}
