// SPDX-License-Identifier: MIT
#include <errno.h>

#include "choice.h"
#include "say.h"

static int choice_default_events(const struct vsamp_facts *facts,
				 const struct vsamp_backend_wish *wish, struct options *o,
				 struct vsamp_error *err)
{
	const char *list;
	char why[512];
	int ret = vsamp_backend_default_events(&list, why, sizeof(why), facts, wish, err);

	if (ret)
		return ret;
	if (*why && !o->quiet)
		say("events: %s", why);
	return options_add_events(o, list, err);
}

static bool choice_can(const char *list, const struct vsamp_facts *facts,
		       const struct vsamp_backend_wish *wish, struct vsamp_error *why)
{
	struct vsamp_event event[VSAMP_EVENTS_MAX];
	struct vsamp_backend_choice choice;
	unsigned int n = 0;

	return !vsamp_events_parse(event, &n, list, NULL, why) &&
	       !vsamp_backend_choose(&choice, facts, event, n, wish, why);
}

/* Time takes no counter; of users who may not sample the kernel it is that of user mode */
static int choice_time(const struct vsamp_facts *facts, const struct vsamp_backend_wish *wish,
		       struct options *o, struct vsamp_error *err)
{
	struct vsamp_error why = { 0 };

	if (choice_can("cpu-clock", facts, wish, &why) ||
	    !choice_can("cpu-clock:u", facts, wish, NULL))
		return options_add_events(o, "cpu-clock", err);
	if (!o->quiet)
		say("events: cpu-clock:u, since %s", why.text);
	return options_add_events(o, "cpu-clock:u", err);
}

/* What only the backend that has the counters for itself can do */
static int choice_check(const struct vsamp_backend_choice *choice, const struct options *o,
			bool cpus, struct vsamp_error *err)
{
	const char *name = vsamp_backend_name(choice->backend);

	if (choice->backend == VSAMP_BACKEND_INTEL)
		return 0;
	if (o->mux_ms)
		return vsamp_fail(
			err, -EOPNOTSUPP,
			"--mux is of the intel backend; with %s the kernel itself counts in turn what doesn't fit. It is %s since %s",
			name, name, choice->reason);
	/* perf's inherited events keep the value that they began with */
	if (o->adaptive && !(choice->backend == VSAMP_BACKEND_PERF && cpus))
		return vsamp_fail(err, -EOPNOTSUPP,
				  "--cal=adaptive is not for %s%s. It is %s since %s", name,
				  choice->backend == VSAMP_BACKEND_PERF ? " and processes" : "",
				  name, choice->reason);
	return 0;
}

/* Whether the counters are free is known only by taking them, for a moment */
static bool choice_wants_intel(const struct options *o)
{
	bool wants = !o->n_events;

	for (unsigned int i = 0; i < o->n_events; i++)
		wants |= o->events[i].backends >> VSAMP_BACKEND_INTEL & 1;
	return wants && (!o->backend || o->backend == VSAMP_BACKEND_INTEL);
}

int choice_make(struct vsamp_backend_choice *choice, struct options *o, struct vsamp_error *err)
{
	struct vsamp_backend_wish wish = {
		.backend = o->backend,
		.cpus = !o->n_pids && (!o->command || o->all),
		.cgroups = o->cgroups.n,
		.watchdog_off = o->watchdog_off,
	};
	struct vsamp_facts facts;
	int ret = 0;

	vsamp_facts_get(&facts, "");
	/* It has the GPU's counters, and leaves the processor's alone, unless these are asked for */
	if (!o->n_events && o->gpu && (!o->backend || o->backend == VSAMP_BACKEND_PERF))
		ret = choice_time(&facts, &wish, o, err);
	if (ret)
		return ret;
	if (choice_wants_intel(o))
		vsamp_facts_try_counters(&facts);
	if (!o->n_events)
		ret = choice_default_events(&facts, &wish, o, err);
	if (!ret)
		ret = vsamp_backend_choose(choice, &facts, o->events, o->n_events, &wish, err);
	if (!ret)
		ret = choice_check(choice, o, wish.cpus, err);
	if (ret)
		return ret;
	if (o->verbose || (!choice->best && !o->quiet && !o->backend))
		say("backend %s: %s", vsamp_backend_name(choice->backend), choice->reason);
	return 0;
}
