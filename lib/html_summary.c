// SPDX-License-Identifier: MIT
/* html_summary.c: what was recorded, and what must be told before its numbers are believed */
#include <inttypes.h>
#include <math.h>

#include <vsamp/ratio.h>

#include "html.h"

static const char *meta_text(const struct html *h, const char *pointer)
{
	struct json_object *v;

	if (json_pointer_get(h->x->rec->meta, pointer, &v) || !v)
		return "";
	return json_object_get_string(v);
}

/* A line of the table; none where the recording tells nothing */
static void put_fact(struct html *h, const char *what, const char *text)
{
	if (!*text)
		return;
	fprintf(h->out, ",[\"%s\",", what);
	export_json(h->out, text);
	putc(']', h->out);
}

static void put_command(struct html *h)
{
	struct json_object *list;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (json_pointer_get(h->x->rec->meta, "/command_line", &list) ||
	    !json_object_is_type(list, json_type_array))
		return;
	out = open_memstream(&text, &size);
	for (size_t i = 0; out && i < json_object_array_length(list); i++) {
		const char *word = json_object_get_string(json_object_array_get_idx(list, i));

		fprintf(out, "%s%s", i ? " " : "", word ? word : "");
	}
	h->no_memory |= !out || fclose(out);
	put_fact(h, "Command", text ? text : "");
	free(text);
}

static void list_numbers(FILE *out, const char *what, const uint32_t *number, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRIu32, i ? ", " : what, number[i]);
	fputs(n ? "; " : "", out);
}

static void list_names(FILE *out, const char *what, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%s", i ? ", " : what, name[i]);
	fputs(n ? "; " : "", out);
}

/* Which samples are wanted, where not all are */
static void put_filter(struct html *h)
{
	const struct vsamp_filter *f = &h->x->options->filter;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		h->no_memory = true;
		return;
	}
	list_numbers(out, "processes ", f->pid, f->pids);
	list_numbers(out, "threads ", f->tid, f->tids);
	list_numbers(out, "CPUs ", f->cpu, f->cpus);
	list_names(out, "threads named ", f->comm, f->comms);
	list_names(out, "modules ", f->module, f->modules);
	list_names(out, "functions ", f->symbol, f->symbols);
	if (f->from || f->to)
		fputs("a part of the time; ", out);
	h->no_memory |= fclose(out);
	if (size > 2) {
		text[size - 2] = 0;
		put_fact(h, "Only samples of", text);
	}
	free(text);
}

static void put_gpus(struct html *h)
{
	const struct vsamp_gpu_recorded *gpu;
	size_t gpus = vsamp_recording_gpus(h->x->rec, &gpu);
	char name[64], text[512];

	for (size_t i = 0; i < gpus; i++) {
		const struct vsamp_gpu_totals *t = &gpu[i].totals;

		snprintf(name, sizeof(name), "GPU %s", gpu[i].slot);
		snprintf(text, sizeof(text),
			 "%.100s, %.100s by %.100s: %" PRIu64 " reports, %" PRIu64 " lost",
			 gpu[i].platform, gpu[i].set, gpu[i].path, t->reports,
			 t->lost + t->no_room);
		put_fact(h, name, text);
	}
}

static void put_facts(struct html *h)
{
	const struct vsamp_recording_totals *t = &h->x->rec->totals;
	char text[128];

	snprintf(text, sizeof(text), "%.3f s", vsamp_recording_elapsed(h->x->rec) / 1e9);
	fprintf(h->out, "\"facts\":[[\"Recorded\",\"%s\"]", text);
	put_command(h);
	put_fact(h, "Host", meta_text(h, "/hostname"));
	put_fact(h, "Kernel", meta_text(h, "/kernel_release"));
	put_fact(h, "CPUs", meta_text(h, "/cpus_online"));
	put_fact(h, "Scope", meta_text(h, "/scope/kind"));
	put_fact(h, "Backend", meta_text(h, "/backend"));
	snprintf(text, sizeof(text), "%" PRIu64 " produced, %" PRIu64 " lost", t->produced,
		 t->lost);
	put_fact(h, "Records", text);
	if (t->stacks) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 ", cut: %" PRIu64 " in the kernel, %" PRIu64 " in user mode",
			 t->stacks, t->kernel_cut, t->user_cut);
		put_fact(h, "Stacks", text);
	}
	put_gpus(h);
	put_filter(h);
	putc(']', h->out);
}

static void put_warnings(struct html *h)
{
	const char *const *warning;
	size_t warnings = vsamp_recording_warnings(h->x->rec, &warning);

	fputs(",\n\"warnings\":[", h->out);
	for (size_t i = 0; i < warnings; i++) {
		fputs(i ? "," : "", h->out);
		export_json(h->out, warning[i]);
	}
	putc(']', h->out);
}

static void put_event(struct html *h, const struct vsamp_recording_event *e)
{
	char name[512];

	snprintf(name, sizeof(name), "%s%s", e->name, e->levels);
	fputs("{\"name\":", h->out);
	export_json(h->out, name);
	fprintf(h->out,
		",\"samples\":%" PRIu64 ",\"estimated\":%.17g,\"sav\":%" PRIu64
		",\"sav_end\":%" PRIu64 ",\"share\":%.6g",
		e->samples, e->estimated, e->sav, e->sav_end, e->share);
	if (e->overflows > (int64_t)e->samples)
		fprintf(h->out, ",\"lost\":%" PRId64, e->overflows - (int64_t)e->samples);
	if (!isnan(e->deviation))
		fprintf(h->out, ",\"deviation\":%.6g", e->deviation);
	fputs(",\"miss\":", h->out);
	export_json(h->out, e->miss);
	putc('}', h->out);
}

/* Ratios by the numbers that their events have in the page */
static void put_ratios(struct html *h)
{
	struct vsamp_ratio ratio[VSAMP_EVENTS_MAX];
	size_t n = vsamp_ratios_known(h->x->rec, ratio, VSAMP_EVENTS_MAX);
	const char *comma = "";

	fputs(",\n\"ratios\":[", h->out);
	for (size_t i = 0; i < n; i++) {
		size_t above = export_event(h->x, ratio[i].numerator);
		size_t below = export_event(h->x, ratio[i].denominator);

		if (above >= h->x->events || below >= h->x->events)
			continue;
		fprintf(h->out, "%s{\"above\":%zu,\"below\":%zu,\"name\":", comma, above, below);
		export_json(h->out, ratio[i].name);
		putc('}', h->out);
		comma = ",";
	}
	putc(']', h->out);
}

void html_put_summary(struct html *h)
{
	struct json_object *started = NULL;

	json_object_object_get_ex(h->x->rec->meta, "started_realtime_ns", &started);
	fputs("{\n\"file\":", h->out);
	export_json(h->out, vsamp_reader_path(h->x->rec->reader));
	fprintf(h->out, ",\n\"generator\":\"vsamp " VSAMP_VERSION "\",\n\"started\":%" PRId64 ",\n",
		json_object_get_int64(started) / 1000000);
	put_facts(h);
	put_warnings(h);
	fputs(",\n\"events\":[", h->out);
	for (size_t i = 0; i < h->x->events; i++) {
		fputs(i ? ",\n" : "", h->out);
		put_event(h, &h->x->rec->event[h->x->event[i]]);
	}
	putc(']', h->out);
	put_ratios(h);
}
