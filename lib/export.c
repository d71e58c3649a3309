// SPDX-License-Identifier: MIT
/* export.c: formats, and what their writers share */
#include <errno.h>
#include <math.h>

#include "export.h"

static const struct vsamp_export_format formats[] = {
	{ .name = "perf",
	  .what = "perf report, perf script, hotspot: a perf.data file",
	  .binary = true,
	  .seeks = true },
	{ .name = "kallsyms",
	  .what = "perf report --kallsyms: the kernel's symbols, for such a file" },
	{ .name = "pprof", .what = "pprof: a gzipped profile.proto", .binary = true },
	{ .name = "firefox",
	  .what = "profiler.firefox.com: a processed profile",
	  .counters = true },
	{ .name = "chrome",
	  .what = "Perfetto, chrome://tracing: trace events as JSON",
	  .counters = true },
	{ .name = "callgrind", .what = "callgrind_annotate, KCachegrind" },
	{ .name = "folded",
	  .what = "flame graphs: a stack and its events a line",
	  .one_event = true },
	{ .name = "html",
	  .what = "browsers: a page of its own, with all that is shown in it",
	  .counters = true },
};

/* In the same order */
static int (*const writers[])(const struct export *x) = {
	export_perf,   export_kallsyms,	 export_pprof,	export_firefox,
	export_chrome, export_callgrind, export_folded, export_html,
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

size_t vsamp_export_formats(const struct vsamp_export_format **out)
{
	*out = formats;
	return FORMATS;
}

int export_no_memory(const struct export *x)
{
	return vsamp_fail(x->err, -ENOMEM, "out of memory");
}

/* A place that is not wanted has no samples */
static void leave_out(struct vsamp_profile *p)
{
	for (uint32_t i = 0; i < p->places.count; i++) {
		if (!profile_wants_spot(p, places_cell(&p->places, i)->place.spot))
			places_clear(&p->places, i);
	}
}

int export_profile(const struct export *x, unsigned int by, struct vsamp_profile **profile)
{
	const struct vsamp_profile_options options = {
		.flags = VSAMP_PROFILE_CALLERS,
		.by = by,
		.filter = x->options->filter,
	};

	int ret = vsamp_profile_new(profile, x->rec, &options, x->err);

	if (!ret)
		leave_out(*profile);
	return ret;
}

size_t export_functions(const struct vsamp_profile *p, const struct place *place,
			struct export_function function[EXPORT_FRAMES_MAX])
{
	const struct name *name = p->placer.names.name;
	struct stack_frame at = { place->stack, place->spot };
	size_t n = 1;

	function[0] = (struct export_function){ name[at.spot].label, name[at.spot].symbol };
	while (at.caller && n < EXPORT_FRAMES_MAX) {
		at = stacks_frame(&p->placer.stacks, at.caller);
		if (at.spot == STACK_CUT)
			function[n++] = (struct export_function){ EXPORT_TRUNCATED, 0 };
		else
			function[n++] = (struct export_function){ name[at.spot].label,
								  name[at.spot].symbol };
	}
	return n;
}

const char *export_symbol(const struct vsamp_profile *p, struct export_function f)
{
	return f.label == EXPORT_TRUNCATED ? VSAMP_CALLER_TRUNCATED :
	       f.label == EXPORT_NONE	   ? VSAMP_CALLER_NONE :
					     names_symbol(&p->placer.names, f.symbol);
}

const char *export_module(const struct vsamp_profile *p, struct export_function f)
{
	return f.label >= EXPORT_NONE ? "" : names_module(&p->placer.names, f.label);
}

uint64_t export_events(const struct export *x, struct counts counts, size_t event)
{
	double events = counts.events[event] / x->rec->event[event].share;

	return events < 9e18 ? (uint64_t)llround(events) : (uint64_t)9e18;
}

bool export_wants(const struct export *x, const struct vsamp_trace_sample *sample)
{
	return vsamp_filter_wants(&x->options->filter, sample) &&
	       export_event(x, sample->event) < x->events;
}

size_t export_event(const struct export *x, uint32_t event)
{
	size_t i;

	for (i = 0; i < x->events && x->event[i] != event; i++)
		;
	return i;
}

void export_text(FILE *out, const char *s, char separator)
{
	for (; *s; s++)
		putc((unsigned char)*s < ' ' || *s == 0x7f || *s == separator ? '?' : *s, out);
}

/* Bytes of the character in UTF-8 that @s begins with; 0: it is none */
static size_t utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

void export_json(FILE *out, const char *s)
{
	putc('"', out);
	while (*s) {
		size_t n = utf8_length(s);

		if (!n)
			fputs("\\ufffd", out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if ((unsigned char)*s < ' ' || *s == 0x7f || *s == '<')
			fprintf(out, "\\u%04x", *s);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	putc('"', out);
}

static int take_events(struct export *x, const struct vsamp_export_format *format)
{
	const struct vsamp_export_options *o = x->options;

	if (format->one_event && o->events > 1)
		return vsamp_fail(x->err, -EINVAL,
				  "%s has room for one event only: name one with its levels",
				  format->name);
	for (size_t i = 0; i < o->events; i++) {
		if (o->event[i] >= x->rec->events)
			return vsamp_fail(x->err, -EINVAL, "%s: no event has number %zu",
					  vsamp_reader_path(x->rec->reader), o->event[i]);
		x->event[x->events++] = o->event[i];
	}
	for (size_t i = 0; i < x->rec->events && !o->events; i++)
		if (!i || !format->one_event)
			x->event[x->events++] = i;
	return 0;
}

int vsamp_export(struct vsamp_recording *rec, const char *name,
		 const struct vsamp_export_options *options, FILE *out, struct vsamp_error *err)
{
	struct export x = { .rec = rec, .options = options, .out = out, .err = err };
	size_t i;
	int ret;

	for (i = 0; i < FORMATS && strcmp(formats[i].name, name); i++)
		;
	if (i == FORMATS)
		return vsamp_fail(err, -EINVAL, "%s: there is no such format", name);
	if (formats[i].seeks && ftell(out) != 0)
		return vsamp_fail(err, -EINVAL, "%s has to be written to a file of its own", name);
	ret = take_events(&x, &formats[i]);
	if (!ret)
		ret = writers[i](&x);
	/* What failed meanwhile, such as a file of symbols that isn't there, is not what it is told by */
	errno = 0;
	if (!ret && (fflush(out) || ferror(out)))
		ret = vsamp_fail(err, errno ? -errno : -EIO, "%s: cannot write: %s", name,
				 strerror(errno ? errno : EIO));
	return ret;
}
