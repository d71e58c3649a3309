// SPDX-License-Identifier: MIT
/*
 * html_rows.c: the hot spots by function, module, process, as columns. Each row has all that it stands
 * for; those that are too many are told as one.
 */
#include <inttypes.h>

#include "html.h"

#define ROWS_MAX  5000
#define NOTES_MAX 10

struct rows {
	struct html *h;
	struct vsamp_profile_row *row;
	size_t count;
	double *share; /* of each, as html_share() */
	double limit;
};

static bool shown(const struct rows *r, size_t i)
{
	return r->share[i] > 0 && r->share[i] > r->limit;
}

static void process_name(const struct vsamp_profile_row *row, char *text, size_t size)
{
	snprintf(text, size, "%s%s(%" PRIu32 ")", row->comm, *row->comm ? " " : "", row->pid);
}

/* A column of numbers of strings */
static void put_names(const struct rows *r, const char *name,
		      uint32_t (*number)(struct html *h, const struct vsamp_profile_row *row))
{
	const char *comma = "";

	fprintf(r->h->out, "\"%s\":[", name);
	for (size_t i = 0; i < r->count; i++) {
		if (!shown(r, i))
			continue;
		fprintf(r->h->out, "%s%" PRIu32, comma, number(r->h, &r->row[i]));
		comma = ",";
	}
	fputs("],\n", r->h->out);
}

static uint32_t process_number(struct html *h, const struct vsamp_profile_row *row)
{
	char text[512];

	process_name(row, text, sizeof(text));
	return html_string(h, text);
}

static uint32_t module_number(struct html *h, const struct vsamp_profile_row *row)
{
	return html_string(h, row->module);
}

static uint32_t symbol_number(struct html *h, const struct vsamp_profile_row *row)
{
	return html_string(h, row->symbol);
}

static void put_event(const struct rows *r, size_t e)
{
	const char *comma = "";
	uint64_t samples = 0;
	double events = 0;

	fputs("{\"samples\":[", r->h->out);
	for (size_t i = 0; i < r->count; i++) {
		if (!shown(r, i)) {
			samples += r->row[i].samples[e];
			events += r->row[i].events[e];
			continue;
		}
		fprintf(r->h->out, "%s%" PRIu64, comma, r->row[i].samples[e]);
		comma = ",";
	}
	comma = "";
	fputs("],\"events\":[", r->h->out);
	for (size_t i = 0; i < r->count; i++) {
		if (!shown(r, i))
			continue;
		fprintf(r->h->out, "%s%.12g", comma, r->row[i].events[e]);
		comma = ",";
	}
	fprintf(r->h->out, "],\"other_samples\":%" PRIu64 ",\"other_events\":%.12g}", samples,
		events);
}

/* Rows of a kind by the most of the first event; their shares */
static int rows_get(struct rows *r, struct vsamp_profile *profile, unsigned int by)
{
	int ret = vsamp_profile_rows(profile, by, r->h->x->event[0], &r->row, &r->count,
				     r->h->x->err);

	if (ret)
		return ret;
	r->share = malloc((r->count + 1) * sizeof(*r->share));
	if (!r->share)
		return export_no_memory(r->h->x);
	for (size_t i = 0; i < r->count; i++)
		r->share[i] = html_share(r->h, r->row[i].samples, r->row[i].events);
	r->limit = html_limit(r->h, r->share, r->count, ROWS_MAX);
	return 0;
}

static void put_group(struct rows *r, unsigned int by)
{
	const struct export *x = r->h->x;
	size_t others = 0;

	putc('{', r->h->out);
	if (by & VSAMP_BY_SYMBOL)
		put_names(r, "symbol", symbol_number);
	if (by & VSAMP_BY_MODULE)
		put_names(r, "module", module_number);
	if (by & VSAMP_BY_PROCESS)
		put_names(r, "process", process_number);
	for (size_t i = 0; i < r->count; i++)
		others += r->share[i] > 0 && !shown(r, i);
	fprintf(r->h->out, "\"others\":%zu,\"counts\":[", others);
	for (size_t i = 0; i < x->events; i++) {
		fputs(i ? ",\n" : "", r->h->out);
		put_event(r, x->event[i]);
	}
	fputs("]}", r->h->out);
}

static void rows_free(struct rows *r)
{
	free(r->row);
	free(r->share);
}

/* Why symbols are missing, of the modules that have most */
static int put_notes(struct html *h, struct vsamp_profile *profile)
{
	struct rows r = { .h = h };
	size_t notes = 0;
	int ret = rows_get(&r, profile, VSAMP_BY_MODULE);

	fputs(",\n\"nameless\":[", h->out);
	for (size_t i = 0; i < r.count && !ret; i++) {
		if (!r.row[i].note || r.share[i] <= 0 || notes++ >= NOTES_MAX)
			continue;
		fputs(notes > 1 ? ",[" : "[", h->out);
		export_json(h->out, r.row[i].module);
		putc(',', h->out);
		export_json(h->out, r.row[i].note);
		putc(']', h->out);
	}
	fprintf(h->out, "],\"nameless_more\":%zu", notes > NOTES_MAX ? notes - NOTES_MAX : 0);
	rows_free(&r);
	return ret;
}

int html_put_rows(struct html *h, struct vsamp_profile *profile)
{
	static const unsigned int by[] = {
		VSAMP_BY_MODULE | VSAMP_BY_SYMBOL,
		VSAMP_BY_PROCESS | VSAMP_BY_MODULE | VSAMP_BY_SYMBOL,
		VSAMP_BY_MODULE,
		VSAMP_BY_PROCESS,
	};
	int ret = 0;

	fputs(",\n\"rows\":[", h->out);
	for (size_t i = 0; i < sizeof(by) / sizeof(by[0]) && !ret; i++) {
		struct rows r = { .h = h };

		fputs(i ? ",\n" : "", h->out);
		ret = rows_get(&r, profile, by[i]);
		if (!ret)
			put_group(&r, by[i]);
		rows_free(&r);
	}
	putc(']', h->out);
	return ret ? ret : put_notes(h, profile);
}
