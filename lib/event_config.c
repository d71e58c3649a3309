// SPDX-License-Identifier: MIT
/* Properties of events that configuration files set: kept, looked up, printed */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>

#include "event_config_priv.h"
#include "event_priv.h"

struct vsamp_event_config *vsamp_event_config_new(void)
{
	return calloc(1, sizeof(struct vsamp_event_config));
}

void vsamp_event_config_free(struct vsamp_event_config *config)
{
	if (!config)
		return;
	free(config->section);
	free(config);
}

bool vsamp_event_config_section(const struct vsamp_event_config *config, unsigned int i,
				const char **event, const char **aliases)
{
	if (i >= config->n)
		return false;
	*event = config->section[i].spec;
	*aliases = config->section[i].alias;
	return true;
}

bool event_list_next(const char **list, char *item, size_t size)
{
	const char *p = *list;
	size_t length;

	if (!p)
		return false;
	length = strcspn(p, ",");
	*list = p[length] ? p + length + 1 : NULL;
	while (length && isspace((unsigned char)*p))
		p++, length--;
	while (length && isspace((unsigned char)p[length - 1]))
		length--;
	snprintf(item, size, "%.*s", (int)length, p);
	return true;
}

static bool list_has(const char *list, const char *folded)
{
	char item[VSAMP_EVENT_NAME_MAX], name[VSAMP_EVENT_NAME_MAX];

	while (event_list_next(&list, item, sizeof(item))) {
		event_name_fold(name, sizeof(name), item);
		if (*name && !strcmp(name, folded))
			return true;
	}
	return false;
}

struct event_section *event_config_find_alias(const struct vsamp_event_config *config,
					      const char *name)
{
	char folded[VSAMP_EVENT_NAME_MAX];

	event_name_fold(folded, sizeof(folded), name);
	for (unsigned int i = 0; config && i < config->n; i++)
		if (config->section[i].keys & EVENT_KEY_ALIAS &&
		    list_has(config->section[i].alias, folded))
			return &config->section[i];
	return NULL;
}

static bool section_has_levels(const struct event_section *s)
{
	return s->user || s->kernel;
}

/* What holds of a key for an event: said for its levels or, failing that, for any */
static const struct event_section *section_of(const struct vsamp_event_config *config,
					      const struct vsamp_event *ev,
					      enum event_config_key key)
{
	const struct event_section *any = NULL;

	for (unsigned int i = 0; config && i < config->n; i++) {
		const struct event_section *s = &config->section[i];

		if (!s->known || !event_code_is(&s->code, ev) || !(s->keys & key))
			continue;
		if (!section_has_levels(s))
			any = s;
		else if (s->user == ev->user && s->kernel == ev->kernel)
			return s;
	}
	return any;
}

void event_config_apply(const struct vsamp_event_config *config, struct vsamp_event *ev)
{
	const uint64_t general = (1ULL << VSAMP_COUNTER_FIXED) - 1;
	const struct event_section *s;

	s = section_of(config, ev, EVENT_KEY_SAV);
	if (s && ev->sav_source == VSAMP_SAV_DEFAULT) {
		ev->sav = s->sav;
		ev->sav_source = VSAMP_SAV_CONFIG;
	}
	s = section_of(config, ev, EVENT_KEY_CALIBRATE);
	if (s)
		ev->calibrate = s->calibrate;
	s = section_of(config, ev, EVENT_KEY_COUNTERS);
	if (s)
		ev->counters &= ~general | s->counters;
}

static bool config_encode(const struct vsamp_event_config *config, const char *name,
			  struct event_code *code)
{
	const struct event_section *s = event_config_find_alias(config, name);

	if (!s)
		return !event_encode(name, code, NULL);
	*code = s->code;
	return s->known;
}

static void exclude_named(struct vsamp_event *events, unsigned int n, unsigned int event,
			  const struct event_code *code)
{
	for (unsigned int i = 0; i < n; i++)
		if (i != event && event_code_is(code, &events[i])) {
			events[i].excludes |= 1U << event;
			events[event].excludes |= 1U << i;
		}
}

void event_config_exclude(const struct vsamp_event_config *config, struct vsamp_event *events,
			  unsigned int n)
{
	char name[EVENT_CONFIG_LINE_MAX];
	struct event_code code;

	for (unsigned int i = 0; i < n; i++) {
		const struct event_section *s = section_of(config, &events[i], EVENT_KEY_NOT_WITH);
		const char *list = s ? s->not_with : NULL;

		while (event_list_next(&list, name, sizeof(name)))
			if (config_encode(config, name, &code))
				exclude_named(events, n, i, &code);
	}
}

/* A name that every file has for an event */
static const char *event_code_text(const struct vsamp_event *ev, char *text, size_t size)
{
	const struct vsamp_event_info *row;

	for (unsigned int i = 0; (row = vsamp_event_info(i)); i++)
		if (row->perf_type == ev->perf_type && row->perf_config == ev->perf_config)
			return row->name;
	snprintf(text, size, "r%04" PRIx64, ev->perf_config);
	return text;
}

void vsamp_event_config_write(FILE *out, const struct vsamp_event *events, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct vsamp_event *ev = &events[i];
		const char *levels = vsamp_event_levels(ev);
		char text[VSAMP_EVENT_NAME_MAX];
		struct event_code code;

		fputs(i ? "\n[" : "[", out);
		/* A file's own name for an event means nothing without that file */
		if (!event_encode(ev->name, &code, NULL) && event_code_is(&code, ev))
			fprintf(out, "%s%s]\n", ev->name, levels);
		else
			fprintf(out, "%s%s] # %s\n", event_code_text(ev, text, sizeof(text)),
				levels, ev->name);
		fprintf(out, "sav = %" PRIu64 "\ncalibrate = %s\n", ev->sav,
			ev->calibrate ? "yes" : "no");
	}
}
