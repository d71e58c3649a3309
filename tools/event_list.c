// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/control.h>

#include "event_list.h"

struct fill {
	struct event_list *list;
	int ret;
};

static void listed_free(struct listed *l)
{
	free(l->group);
	free(l->group_what);
	free(l->name);
	free(l->what);
	free(l->aliases);
	free(l->unusable);
}

/* What -e would make of it */
static bool listed_parse(struct listed *l, const struct vsamp_event_config *config)
{
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	struct vsamp_error err;
	unsigned int n = 0;

	if (!vsamp_events_parse(events, &n, l->name, config, &err)) {
		l->event = events[0];
		return true;
	}
	l->unusable = strdup(err.text);
	return l->unusable;
}

static void fill_add(struct fill *f, enum listed_from from, const struct vsamp_event_pfm *event,
		     const char *aliases)
{
	struct event_list *list = f->list;
	struct listed *all, l = {
		.from = from,
		.group = strdup(event->group),
		.group_what = strdup(event->group_what),
		.name = strdup(event->name),
		.what = strdup(event->what),
		.aliases = strdup(aliases),
	};

	all = realloc(list->all, (list->n + 1) * sizeof(*all));
	if (all)
		list->all = all;
	if (!all || !l.group || !l.group_what || !l.name || !l.what || !l.aliases ||
	    !listed_parse(&l, list->config)) {
		listed_free(&l);
		f->ret = -ENOMEM;
		return;
	}
	all[list->n++] = l;
}

static void fill_table(struct fill *f)
{
	const struct vsamp_event_group *group;
	const struct vsamp_event_info *row;

	for (unsigned int g = 0; (group = vsamp_event_group(g)); g++)
		for (unsigned int i = 0; (row = vsamp_event_info(i)); i++)
			if (!strcmp(row->group, group->name))
				fill_add(f, LISTED_TABLE,
					 &(struct vsamp_event_pfm){ group->name, group->what,
								    row->name, row->what },
					 row->aliases);
}

static void fill_config(struct fill *f)
{
	const char *event, *aliases;

	for (unsigned int i = 0; vsamp_event_config_section(f->list->config, i, &event, &aliases);
	     i++)
		fill_add(f, LISTED_CONFIG,
			 &(struct vsamp_event_pfm){ "config", "what configuration files set", event,
						    "" },
			 aliases);
}

static void fill_model(const struct vsamp_event_pfm *event, void *arg)
{
	fill_add(arg, LISTED_MODEL, event, "");
}

/* What all CPUs have */
static void fill_counters(struct event_list *list)
{
	struct vsamp_caps caps;

	if (vsamp_caps_get(&caps, VSAMP_BACKEND_INTEL, NULL))
		return;
	for (unsigned int i = 0; i < caps.n; i++) {
		list->counters = i ? list->counters & caps.cpu[i].counters : caps.cpu[i].counters;
		list->absent |= caps.cpu[i].events_absent;
	}
	vsamp_caps_free(&caps);
}

int event_list_fill(struct event_list *list, const struct vsamp_event_config *config)
{
	struct fill f = { .list = list };

	*list = (struct event_list){ .config = config };
	fill_counters(list);
	fill_table(&f);
	fill_config(&f);
	vsamp_event_each_pfm(fill_model, &f);
	return f.ret;
}

void event_list_select(struct event_list *list, const char *word)
{
	unsigned int kept = 0;
	bool group = false;

	for (unsigned int i = 0; i < list->n; i++)
		group |= !strcasecmp(list->all[i].group, word);
	for (unsigned int i = 0; i < list->n; i++) {
		struct listed *l = &list->all[i];

		if (group ? !strcasecmp(l->group, word) :
			    strcasestr(l->name, word) || strcasestr(l->aliases, word))
			list->all[kept++] = *l;
		else
			listed_free(l);
	}
	list->n = kept;
}

uint64_t event_list_counters(const struct event_list *list, const struct listed *l)
{
	if (l->unusable)
		return 0;
	if (!list->counters)
		return l->event.counters;
	if (l->event.arch_bit >= 0 && list->absent >> l->event.arch_bit & 1)
		return 0;
	return l->event.counters & list->counters;
}

void event_list_free(struct event_list *list)
{
	for (unsigned int i = 0; i < list->n; i++)
		listed_free(&list->all[i]);
	free(list->all);
}
