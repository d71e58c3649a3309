/* SPDX-License-Identifier: MIT */
/*
 * vsamp/event.h: events by the names people type
 *
 * NAME[:u][:k][:sav=N], NAME being one of the table (vsamp_event_info()), an event of libpfm4 for
 * this CPU (EVENT[.UMASK][:ATTR]), or raw rUUEE, UUEE being the hexadecimal umask and event select;
 * PMU/rUUEE/ where the processor has kinds of core, each with a PMU of its own (vsamp/pmu.h).
 * Case, spaces, '_', '.' and '-' don't matter in names of the table. Without u and k both levels
 * count. Configuration files (vsamp/event_config.h) add names and change properties.
 *
 * Names of the table are known on every processor. Whether one of its events can be counted here
 * is for vsamp/backend.h.
 *
 * Not thread-safe: libpfm4 is not.
 */
#ifndef VSAMP_EVENT_H
#define VSAMP_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include <vsamp/error.h>

struct vsamp_event_config;

#ifdef __cplusplus
extern "C" {
#endif

#define VSAMP_EVENT_NAME_MAX 96

enum vsamp_sav_source {
	VSAMP_SAV_DEFAULT,    /* of the table */
	VSAMP_SAV_CONFIG,     /* of a configuration file */
	VSAMP_SAV_EXPLICIT,   /* :sav=N */
	VSAMP_SAV_CALIBRATED, /* events counted / target */
	VSAMP_SAV_FREQUENCY,  /* clock frequency x interval */
};

struct vsamp_event {
	char name[VSAMP_EVENT_NAME_MAX]; /* as typed, without modifiers */
	uint32_t backends;		 /* that can count it: bit VSAMP_BACKEND_x */
	uint64_t config;		 /* intel: IA32_PERFEVTSELx bits of VSAMP_CONFIG_MASK */
	uint32_t perf_type;		 /* what perf calls it: perf_event_attr.type */
	uint64_t perf_config;		 /* and .config */
	uint64_t counters; /* that can count it: bit i = general i, bit 32 + i = fixed i */
	int arch_bit;	   /* of CPUID.0AH:EBX that says it is absent, -1: none */
	bool user;
	bool kernel;
	bool clockticks;   /* its rate is known: calibrated from the frequency, without a run */
	uint64_t clock_hz; /* that frequency; 0: of the core's clock */
	bool calibrate;	   /* calibrated by property (--cal=event) */
	uint64_t sav;	   /* Sample-After value, events; at least 2 */
	enum vsamp_sav_source sav_source;
	uint32_t excludes; /* bit i: can't be counted beside event i of the same list */
	uint32_t counter;  /* chosen by vsamp_events_schedule(), numbered as in counters */
	uint32_t set;	   /* likewise; counted together with the events of the same set */
};

/* A row of the table of names */
struct vsamp_event_info {
	const char *name;
	const char *group;   /* of vsamp_event_group() */
	const char *aliases; /* comma list, as people write them; "" = none */
	const char *what;
	uint64_t config;    /* of intel */
	uint32_t perf_type; /* perf_event_attr.type */
	uint64_t perf_config;
	int fixed; /* fixed counter that counts it, -1: none */
	bool general;
	int arch_bit;
	uint64_t sav; /* default */
	bool clockticks;
	uint64_t clock_hz;
	bool calibrate;
};

/** vsamp_event_info - row @i of the table of names, NULL behind the last; static storage */
const struct vsamp_event_info *vsamp_event_info(unsigned int i);

/* A group of events of the table */
struct vsamp_event_group {
	const char *name;
	const char *what;
};

/** vsamp_event_group - group @i, NULL behind the last; static storage */
const struct vsamp_event_group *vsamp_event_group(unsigned int i);
/** vsamp_event_levels - ":u", ":k" or, for both, "": what stands behind the name */
const char *vsamp_event_levels(const struct vsamp_event *ev);

/** vsamp_sav_source_name - "default", "config", "explicit", "calibrated" or "frequency" */
const char *vsamp_sav_source_name(enum vsamp_sav_source source);

/**
 * vsamp_events_parse - add the events of a comma list
 * @events: room for VSAMP_EVENTS_MAX
 * @n: how many there are; on success, how many there are then
 * @list: e.g. "INST_RETIRED:u:sav=100000,Clockticks"
 * @config: further names and other properties; NULL: none
 *
 * Errors: -EINVAL for an unknown name (the text has near ones), a bad modifier, an event already
 * in the list at the same levels, an event that needs what this backend does not program; -E2BIG
 * for more than VSAMP_EVENTS_MAX. On an error nothing is added.
 */
int vsamp_events_parse(struct vsamp_event *events, unsigned int *n, const char *list,
		       const struct vsamp_event_config *config, struct vsamp_error *err);

/**
 * vsamp_event_sav_floor - smallest Sample-After value allowed
 * @force: from VSAMP_SAV_MIN on, instead of from VSAMP_SAV_FLOOR
 *
 * cpu-clock goes down to 10000 ns whatever is forced: the kernel takes samples no nearer.
 */
uint64_t vsamp_event_sav_floor(const struct vsamp_event *ev, bool force);

/**
 * vsamp_events_check_sav - are all Sample-After values in range?
 * @force: as of vsamp_event_sav_floor()
 * @sav_max: of the counters, events
 *
 * Errors: -ERANGE, naming the event.
 */
int vsamp_events_check_sav(const struct vsamp_event *events, unsigned int n, bool force,
			   uint64_t sav_max, struct vsamp_error *err);

/* One event of libpfm4 for this CPU */
struct vsamp_event_pfm {
	const char *group; /* what it is a kind of */
	const char *group_what;
	const char *name;
	const char *what;
};

typedef void (*vsamp_event_each)(const struct vsamp_event_pfm *event, void *arg);

/** vsamp_event_each_pfm - call @fn for each event that libpfm4 knows for this CPU, by groups */
void vsamp_event_each_pfm(vsamp_event_each fn, void *arg);

#ifdef __cplusplus
}
#endif

#endif
