/* SPDX-License-Identifier: MIT */
/* What configuration files say of events: as it is kept, and how it is looked up */
#ifndef EVENT_CONFIG_PRIV_H
#define EVENT_CONFIG_PRIV_H

#include <vsamp/event_config.h>

#include "event_priv.h"

/* Bytes of a line, and thereby of a list */
#define EVENT_CONFIG_LINE_MAX	  1024
/* Names are compared each with each: these keep that short */
#define EVENT_CONFIG_SECTIONS_MAX 512
#define EVENT_CONFIG_ALIASES_MAX  8 /* of a section */

enum event_config_key {
	EVENT_KEY_SAV = 1 << 0,
	EVENT_KEY_CALIBRATE = 1 << 1,
	EVENT_KEY_ALIAS = 1 << 2,
	EVENT_KEY_COUNTERS = 1 << 3,
	EVENT_KEY_NOT_WITH = 1 << 4,
};

struct event_section {
	char name[VSAMP_EVENT_NAME_MAX]; /* without levels */
	char spec[VSAMP_EVENT_NAME_MAX]; /* with them */
	bool user, kernel;		 /* of these levels; neither: of any */
	bool known;			 /* this CPU has the event: */
	struct event_code code;
	unsigned int file, line; /* where it was last */
	unsigned int keys;	 /* that were set, by any file */
	unsigned int keys_here;	 /* by the last file */
	uint64_t sav;
	bool calibrate;
	uint32_t counters;
	char alias[EVENT_CONFIG_LINE_MAX]; /* comma lists */
	char not_with[EVENT_CONFIG_LINE_MAX];
};

struct vsamp_event_config {
	struct event_section *section;
	unsigned int n;
	unsigned int files; /* that were read */
};

/* Next item of a comma list, without spaces around it; false: there is none */
bool event_list_next(const char **list, char *item, size_t size);

/* Section with this alias; NULL: none. @config may be NULL. */
struct event_section *event_config_find_alias(const struct vsamp_event_config *config,
					      const char *name);

/* Sets what the files say of an event; a SAV that was typed stays */
void event_config_apply(const struct vsamp_event_config *config, struct vsamp_event *ev);

/* Sets excludes of all events of a list */
void event_config_exclude(const struct vsamp_event_config *config, struct vsamp_event *events,
			  unsigned int n);

#endif
