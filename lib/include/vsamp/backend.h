/* SPDX-License-Identifier: MIT */
/*
 * vsamp/backend.h: what counts here, and why nothing better does
 *
 * intel programs the processor's counters itself and has them for itself; kperf, of the module too,
 * takes perf's events in the kernel and shares them; perf is perf_event_open(2), without the
 * module. The first that may and can count all events is chosen. Nothing here looks at the machine:
 * that is for vsamp_facts_get(). Not thread-safe, as vsamp/event.h.
 */
#ifndef VSAMP_BACKEND_H
#define VSAMP_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/control.h>
#include <vsamp/doctor.h>
#include <vsamp/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/** vsamp_backend_name - "intel", "kperf" or "perf"; NULL: @backend is none */
const char *vsamp_backend_name(uint32_t backend);

/** vsamp_backend_find - VSAMP_BACKEND_x of this name, 0: there is none */
uint32_t vsamp_backend_find(const char *name);

/* What is asked for */
struct vsamp_backend_wish {
	uint32_t backend;  /* this one; 0: the best */
	bool cpus;	   /* whatever runs on CPUs is sampled, not processes of this user */
	bool cgroups;	   /* those that are in cgroups only */
	bool watchdog_off; /* the NMI watchdog is going to be turned off */
};

struct vsamp_backend_choice {
	uint32_t backend;
	bool best;	   /* the user can do nothing for a better one */
	char reason[1024]; /* why it is this one: one line, with remedies in parentheses */
};

/**
 * vsamp_backend_choose - the best backend that can count all of these events
 * @wish: NULL: the best, for processes
 *
 * One that is asked for by name is taken or refused, and intel then also where the processor says
 * that it is virtual. Errors: the text names the event, why nothing counts it and what can be had;
 * the code is of the last backend that was looked at: -ENOENT no module, -EACCES, -EPERM, -EXDEV
 * (not in the initial pid namespace), -EBUSY counters held, -ENODEV no counters, -EOPNOTSUPP no
 * interrupts or not an event of that backend.
 */
int vsamp_backend_choose(struct vsamp_backend_choice *choice, const struct vsamp_facts *facts,
			 const struct vsamp_event *events, unsigned int n,
			 const struct vsamp_backend_wish *wish, struct vsamp_error *err);

#define VSAMP_EVENTS_DEFAULT "CPU_CLK_UNHALTED.THREAD,INST_RETIRED.ANY"

/**
 * vsamp_backend_default_events - what to sample where no event is named
 * @list: receives a list for vsamp_events_parse(); static storage
 * @why: receives "" if it is VSAMP_EVENTS_DEFAULT; else "LIST, since ...": these at user level
 *	 alone, or time, cpu-clock, where nothing counts them
 *
 * Errors: as of vsamp_backend_choose(), where not even time can be sampled.
 */
int vsamp_backend_default_events(const char **list, char *why, size_t size,
				 const struct vsamp_facts *facts,
				 const struct vsamp_backend_wish *wish, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
