/* SPDX-License-Identifier: MIT */
/*
 * vsamp/event.h: events by the names people type
 *
 * NAME[:u][:k][:sav=N], NAME being one of the table (vsamp_event_info()), an event of libpfm4 for
 * this CPU (EVENT[.UMASK][:ATTR]), or raw rUUEE, UUEE being the hexadecimal umask and event select.
 * Case, spaces, '_', '.' and '-' don't matter in names of the table. Without u and k both levels
 * count.
 *
 * Not thread-safe: libpfm4 is not.
 */
#ifndef VSAMP_EVENT_H
#define VSAMP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <vsamp/error.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_EVENT_NAME_MAX 96

enum vsamp_sav_source {
	VSAMP_SAV_DEFAULT,    /* of the table */
	VSAMP_SAV_EXPLICIT,   /* :sav=N */
	VSAMP_SAV_CALIBRATED, /* events counted / target */
	VSAMP_SAV_FREQUENCY,  /* clock frequency x interval */
};

struct vsamp_event {
	char name[VSAMP_EVENT_NAME_MAX]; /* as typed, without modifiers */
	uint64_t config;		 /* IA32_PERFEVTSELx bits of VSAMP_CONFIG_MASK */
	uint64_t counters; /* that can count it: bit i = general i, bit 32 + i = fixed i */
	int arch_bit;	   /* of CPUID.0AH:EBX that says it is absent, -1: none */
	bool user;
	bool kernel;
	bool clockticks; /* its rate is known: calibrated from the frequency, without a run */
	bool calibrate;	 /* calibrated by property (--cal=event) */
	uint64_t sav;	 /* Sample-After value, events; at least 2 */
	enum vsamp_sav_source sav_source;
	uint32_t counter; /* chosen by vsamp_events_assign(), numbered as in counters */
};

/* A row of the table of names */
struct vsamp_event_info {
	const char *name;
	const char *aliases; /* comma list, as people write them; "" = none */
	const char *what;
	uint64_t config;
	int fixed; /* fixed counter that counts it, -1: none */
	bool general;
	int arch_bit;
	uint64_t sav; /* default */
	bool clockticks;
	bool calibrate;
};

/** vsamp_event_info - row @i of the table of names, NULL behind the last; static storage */
const struct vsamp_event_info *vsamp_event_info(unsigned int i);

/** vsamp_sav_source_name - "default", "explicit", "calibrated" or "frequency" */
const char *vsamp_sav_source_name(enum vsamp_sav_source source);

/**
 * vsamp_events_parse - add the events of a comma list
 * @events: room for VSAMP_EVENTS_MAX
 * @n: how many there are; on success, how many there are then
 * @list: e.g. "INST_RETIRED:u:sav=100000,Clockticks"
 *
 * Errors: -EINVAL for an unknown name (the text has near ones), a bad modifier, an event already
 * in the list at the same levels, an event that needs what this backend does not program; -E2BIG
 * for more than VSAMP_EVENTS_MAX. On an error nothing is added.
 */
int vsamp_events_parse(struct vsamp_event *events, unsigned int *n, const char *list,
		       struct vsamp_error *err);

/**
 * vsamp_events_check_sav - are all Sample-After values in range?
 * @force: allow values from VSAMP_SAV_MIN, instead of from VSAMP_SAV_FLOOR
 * @sav_max: of the counters, events
 *
 * Errors: -ERANGE, naming the event.
 */
int vsamp_events_check_sav(const struct vsamp_event *events, unsigned int n, bool force,
			   uint64_t sav_max, struct vsamp_error *err);

/**
 * vsamp_events_assign - choose a counter for each event
 * @counters: that exist: bit i = general i, bit 32 + i = fixed i
 * @absent: CPUID.0AH:EBX
 *
 * A fixed counter is taken where the event has one and it is free. An assignment is found if there
 * is one. Errors: -ENODEV for an event this CPU does not count, -ENOSPC if they don't fit; the text
 * says how many do.
 */
int vsamp_events_assign(struct vsamp_event *events, unsigned int n, uint64_t counters,
			uint32_t absent, struct vsamp_error *err);

/* One event of libpfm4 for this CPU */
typedef void (*vsamp_event_each)(const char *name, const char *what, void *arg);

/** vsamp_event_each_pfm - call @fn for each event that libpfm4 knows for this CPU */
void vsamp_event_each_pfm(vsamp_event_each fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
