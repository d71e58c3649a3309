/* SPDX-License-Identifier: MIT */
/*
 * vsamp/event_config.h: properties of events, set in files (vsamp-events(5))
 *
 *	[INST_RETIRED.ANY]		# NAME, or NAME:u, NAME:k for an event of these levels only
 *	sav = 2000003			# default Sample-After value
 *	calibrate = yes			# by --cal=event
 *	alias = inst, Retired		# further names
 *	counters = 0-3			# general counters that can count it
 *	not-with = OTHER, EVENTS	# can't be counted at the same time
 *
 * What is read later wins, key by key. Not thread-safe.
 */
#ifndef VSAMP_EVENT_CONFIG_H
#define VSAMP_EVENT_CONFIG_H

#include <stdio.h>

#include <vsamp/event.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_EVENT_CONFIG_SYSTEM "/etc/vsamp/events.conf"
#define VSAMP_EVENT_CONFIG_USER	  "vsamp/events.conf" /* below $XDG_CONFIG_HOME or ~/.config */

struct vsamp_event_config;

/** vsamp_event_config_new - one without properties; NULL: no memory */
struct vsamp_event_config *vsamp_event_config_new(void);
void vsamp_event_config_free(struct vsamp_event_config *config); /* NULL is nothing to do */

/**
 * vsamp_event_config_read - add the properties of a file
 *
 * Errors: of open(2) and read(2); -EINVAL, -ERANGE for what is wrong in it, the text beginning with
 * FILE:LINE; -E2BIG. On an error nothing is added.
 */
int vsamp_event_config_read(struct vsamp_event_config *config, const char *path,
			    struct vsamp_error *err);

/** vsamp_event_config_read_default - the system's file and then the user's, where they are there */
int vsamp_event_config_read_default(struct vsamp_event_config *config, struct vsamp_error *err);

/**
 * vsamp_event_config_section - section @i of those that were read
 * @event: receives its event as -e takes it, with its levels; this machine may not have it
 * @aliases: receives a comma list, "" = none; both are @config's until the next file is read
 *
 * Returns false behind the last.
 */
bool vsamp_event_config_section(const struct vsamp_event_config *config, unsigned int i,
				const char **event, const char **aliases);

/**
 * vsamp_event_config_write - print events' Sample-After values as such a file
 *
 * A section for each event: its name with its levels, sav and calibrate. What it printed can be
 * read again and gives the same values.
 */
void vsamp_event_config_write(FILE *out, const struct vsamp_event *events, unsigned int n);

#ifdef __cplusplus
}
#endif

#endif
