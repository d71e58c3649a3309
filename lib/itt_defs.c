// SPDX-License-Identifier: MIT
/* itt_defs.c: what the numbers of a process's ITT calls stand for */
#include "itt_private.h"

#define UNIT 5 /* context metadata of the API */

void itt_defs_init(struct itt_defs *d)
{
	*d = (struct itt_defs){
		.strings.row_size = sizeof(const char *),
		.domains.row_size = sizeof(struct itt_domain),
		.events.row_size = sizeof(struct itt_event),
		.counters.row_size = sizeof(struct itt_counter),
		.histograms.row_size = sizeof(struct itt_histogram),
		.clocks.row_size = sizeof(struct itt_clock),
	};
}

void itt_defs_free(struct itt_defs *d)
{
	itt_table_free(&d->strings);
	itt_table_free(&d->domains);
	itt_table_free(&d->events);
	itt_table_free(&d->counters);
	itt_table_free(&d->histograms);
	itt_table_free(&d->clocks);
}

const char *itt_text(struct vsamp_itt *itt, const char *text, size_t length)
{
	int64_t number = intern_number(&itt->texts, text, length);
	char *copy;

	if (number < 0)
		return NULL;
	if (number * sizeof(copy) == itt->text.size) {
		copy = strndup(text, length);
		if (!copy || buf_add(&itt->text, &copy, sizeof(copy))) {
			free(copy);
			return NULL;
		}
	}
	return ((char **)itt->text.data)[number];
}

const char *itt_defs_string(struct itt_defs *d, uint32_t handle, int *ret)
{
	const char **row = itt_table_row(&d->strings, &handle, sizeof(handle));

	if (!row)
		*ret = -ENOMEM;
	return row ? *row : NULL;
}

static int take_string(struct itt_defs *d, struct itt_build *b, const struct vsamp_itt_call *c)
{
	const struct vsamp_itt_text *body = c->body;
	const char *text = itt_text(b->itt, body->text, body->length);
	const char **row = itt_table_row(&d->strings, &c->handle, sizeof(c->handle));

	if (!text || !row)
		return -ENOMEM;
	if (!*row)
		*row = text;
	return 0;
}

static int take_domain(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_domain *row = itt_table_row(&d->domains, &c->handle, sizeof(c->handle));

	if (row && !row->string)
		row->string = c->name;
	return row ? 0 : -ENOMEM;
}

static int take_event(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_event *row = itt_table_row(&d->events, &c->handle, sizeof(c->handle));

	if (row && !row->string)
		row->string = c->name;
	return row ? 0 : -ENOMEM;
}

static int take_counter(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_counter *row = itt_table_row(&d->counters, &c->handle, sizeof(c->handle));
	const struct vsamp_itt_counter *body = c->body;

	if (!row)
		return -ENOMEM;
	if (row->defined)
		return 0;
	row->defined = true;
	row->string = c->name;
	row->domain = body->domain;
	row->type = body->type;
	return 0;
}

static int take_counter_meta(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_counter *row = itt_table_row(&d->counters, &c->handle, sizeof(c->handle));
	const struct vsamp_itt_counter_meta *body = c->body;

	if (row && body->kind == UNIT)
		row->unit = c->name;
	return row ? 0 : -ENOMEM;
}

static int take_histogram(struct itt_defs *d, const struct vsamp_itt_call *c)
{
	struct itt_histogram *row = itt_table_row(&d->histograms, &c->handle, sizeof(c->handle));
	const struct vsamp_itt_histogram *body = c->body;

	if (row && !row->defined)
		*row = (struct itt_histogram){ c->name, body->domain, body->x, body->y, true };
	return row ? 0 : -ENOMEM;
}

/* Calls may come before what tells of their clock: the first serves them */
static int take_clock(struct itt_defs *d, const struct itt_build *b, const struct vsamp_itt_call *c)
{
	struct itt_clock *row = itt_table_row(&d->clocks, &c->handle, sizeof(c->handle));
	const struct vsamp_itt_clock *body = c->body;

	if (!row)
		return -ENOMEM;
	if (!row->frequency)
		*row = (struct itt_clock){ body->frequency, body->base, itt_ns(b, c->time) };
	return 0;
}

int itt_defs_take(struct itt_defs *d, struct itt_build *b, const struct vsamp_itt_call *c)
{
	switch (c->type) {
	case VSAMP_ITT_STRING:
		return take_string(d, b, c);
	case VSAMP_ITT_DOMAIN:
		return take_domain(d, c);
	case VSAMP_ITT_EVENT:
		return take_event(d, c);
	case VSAMP_ITT_COUNTER:
		return take_counter(d, c);
	case VSAMP_ITT_COUNTER_META:
		return take_counter_meta(d, c);
	case VSAMP_ITT_HISTOGRAM:
		return take_histogram(d, c);
	case VSAMP_ITT_CLOCK:
		return take_clock(d, b, c);
	}
	return 0;
}

int itt_defs_settle(struct itt_defs *d)
{
	int ret = 0;

	for (uint32_t i = 0; i < d->domains.keys.count; i++) {
		struct itt_domain *row = itt_table_at(&d->domains, i);

		row->name = itt_defs_string(d, row->string, &ret);
	}
	for (uint32_t i = 0; i < d->events.keys.count; i++) {
		struct itt_event *row = itt_table_at(&d->events, i);

		row->name = itt_defs_string(d, row->string, &ret);
	}
	return ret;
}
