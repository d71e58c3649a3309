/* SPDX-License-Identifier: MIT */
/* The events that can be named, with what holds of each, by groups */
#ifndef EVENT_LIST_H
#define EVENT_LIST_H

#include <stdint.h>

#include <vsamp/event_config.h>

enum listed_from {
	LISTED_TABLE,  /* on every Intel processor */
	LISTED_CONFIG, /* configuration files have a section of it */
	LISTED_MODEL,  /* of this processor's model */
};

struct listed {
	enum listed_from from;
	char *group, *group_what;
	char *name, *what;
	char *aliases; /* comma list */
	struct vsamp_event event;
	char *unusable; /* why it can't be counted; NULL: it can */
};

struct event_list {
	struct listed *all;
	unsigned int n;
	const struct vsamp_event_config *config;
	/* What this machine has; 0: not known, since there is no module to ask */
	uint64_t counters;
	uint32_t absent;
};

/* All of them. Returns 0 or -ENOMEM. */
int event_list_fill(struct event_list *list, const struct vsamp_event_config *config);

/* Keeps those of group @word or, if it isn't one, those with it in their names */
void event_list_select(struct event_list *list, const char *word);

/* What this machine's counters can do for an event, or what the architecture allows */
uint64_t event_list_counters(const struct event_list *list, const struct listed *l);

void event_list_free(struct event_list *list);

#endif
