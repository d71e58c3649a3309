// SPDX-License-Identifier: MIT
/* Says what was asked for where no sample is left of it, and what the recording has instead */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "escape.h"
#include "report.h"

#define TOLD_MAX 5 /* of what there is */

/* What a filter selects by: its words before the first value, and the key that tells what there is */
struct part {
	const char *what;
	const char *key; /* of report_keys.c */
	size_t count;
	const uint32_t *number;
	const char *const *name;
};

#define PARTS 7

static void parts_fill(const struct report *r, struct part part[PARTS])
{
	const struct vsamp_filter *f = &r->filter.samples;
	const struct part all[PARTS] = {
		{ "of process ", "process", f->pids, f->pid, NULL },
		{ "of thread ", "thread", f->tids, f->tid, NULL },
		{ "on CPU ", "cpu", f->cpus, f->cpu, NULL },
		{ "of threads named ", "comm", f->comms, NULL, f->comm },
		{ "in module ", "module", f->modules, NULL, f->module },
		{ "in function ", "symbol", f->symbols, NULL, f->symbol },
		{ "in task or event ", "task", r->tasks, NULL, r->task },
	};

	for (int i = 0; i < PARTS; i++)
		part[i] = all[i];
}

static void say_asked(const struct part *part, const char **separator)
{
	for (size_t i = 0; i < part->count && i < TOLD_MAX; i++) {
		fputs(i ? " or " : *separator, stderr);
		fputs(i ? "" : part->what, stderr);
		*separator = ", ";
		if (part->number)
			fprintf(stderr, "%u", part->number[i]);
		else
			escape_print(stderr, part->name[i], 0);
	}
	if (part->count > TOLD_MAX)
		fputs(" or ...", stderr);
}

static void say_there_is(struct report *all, const struct part *part)
{
	const struct report_key *key = report_key_find(part->key);
	struct vsamp_profile_row *rows;
	char text[512];
	size_t count;

	if (report_rows_by(all, key->by, &rows, &count))
		return;
	fprintf(stderr, "vsamp report: by %s it has", key->name);
	for (size_t i = 0; i < count && i < TOLD_MAX; i++) {
		fputs(i ? ", " : " ", stderr);
		escape_print(stderr, report_text(all, &rows[i], key, text, sizeof(text)), 0);
	}
	fputs(count > TOLD_MAX ? ", ...\n" : count ? "\n" : " none\n", stderr);
	free(rows);
}

/* What there is of all that was selected by */
static void say_rest(const struct report *r, const struct part part[PARTS])
{
	const struct vsamp_profile_options options = {
		.by = VSAMP_BY_THREAD | VSAMP_BY_COMM | VSAMP_BY_CPU |
		      (r->tasks ? VSAMP_BY_TASK : 0),
	};
	struct report all = *r;
	uint64_t begin, end;

	if (vsamp_profile_new(&all.profile, r->rec, &options, NULL))
		return;
	for (int i = 0; i < PARTS; i++)
		if (part[i].count)
			say_there_is(&all, &part[i]);
	vsamp_profile_free(all.profile);
	vsamp_recording_span(r->rec, &begin, &end);
	if (r->filter.timed)
		fprintf(stderr, "vsamp report: it is %.3f s long\n", (end - begin) / 1e9);
}

/* What a recording without samples may have all the same */
static void say_others(const struct report *r)
{
	const struct vsamp_chunk *chunk;
	size_t chunks = vsamp_reader_chunks(vsamp_recording_reader(r->rec), &chunk);
	bool itt = false, gpu = false;

	for (size_t i = 0; i < chunks; i++) {
		itt |= chunk[i].type == VSAMP_CHUNK_ITT;
		gpu |= chunk[i].type == VSAMP_CHUNK_TRACK;
	}
	if (!itt && !gpu)
		return;
	fflush(stdout);
	fprintf(stderr, "vsamp report: %s has no samples, but %s%s%s\n", r->filter.path,
		itt ? "what programs told by ITT (--itt)" : "", itt && gpu ? " and " : "",
		gpu ? "metrics of GPUs (--gpu)" : "");
}

void report_empty(const struct report *r)
{
	struct part part[PARTS];
	const char *separator = " ";
	size_t selected = r->filter.timed;

	parts_fill(r, part);
	for (int i = 0; i < PARTS; i++)
		selected += part[i].count;
	if (r->found)
		return;
	if (!selected) {
		say_others(r);
		return;
	}
	fflush(stdout);
	fprintf(stderr, "vsamp report: %s: no samples", r->filter.path);
	for (int i = 0; i < PARTS; i++)
		say_asked(&part[i], &separator);
	fprintf(stderr, "%s%s\n", r->filter.timed ? separator : "",
		r->filter.timed ? "in the time asked for" : "");
	say_rest(r, part);
}
