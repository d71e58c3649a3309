// SPDX-License-Identifier: MIT
/*
 * Callgrind's format: what each function cost by itself, and what its calls of others did. Costs are
 * events, and behind these samples. A call counts once a stack, however often it is in there, so
 * that nothing costs more than all. Lines aren't told: all is of line 0.
 */
#include <ctype.h>
#include <inttypes.h>

#include "export.h"

struct call {
	struct export_function caller, callee;
};

struct sums {
	struct tally own;   /* by struct export_function */
	struct tally calls; /* by struct call */
	uint32_t *last;	    /* by call: the last place that counted, + 1 */
	size_t room;
};

static int add_call(struct sums *s, const struct call *call, uint32_t place, struct counts counts)
{
	struct tally *calls = &s->calls;
	int64_t number = tally_number(calls, call, sizeof(*call));

	if (number < 0)
		return -ENOMEM;
	if ((size_t)number >= s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		uint32_t *more = realloc(s->last, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		memset(more + s->room, 0, (room - s->room) * sizeof(*more));
		s->last = more;
		s->room = room;
	}
	if (s->last[number] == place + 1)
		return 0;
	s->last[number] = place + 1;
	return tally_add(calls, call, sizeof(*call), counts) < 0 ? -ENOMEM : 0;
}

static int add_place(struct sums *s, const struct vsamp_profile *p, uint32_t number)
{
	struct export_function function[EXPORT_FRAMES_MAX + 1];
	struct counts counts = places_counts(&p->places, number);
	size_t n = export_functions(p, &places_cell(&p->places, number)->place, function);

	/* readers take what a function did with all it called from its callers, so all need one */
	function[n++] = (struct export_function){ EXPORT_NONE, 0 };
	if (tally_add(&s->own, &function[0], sizeof(function[0]), counts) < 0)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		struct call call = { function[i], function[i - 1] };

		/* its readers would take it twice for what the function did with all it called */
		if (!memcmp(&call.caller, &call.callee, sizeof(call.caller)))
			continue;
		/* who only calls has to be there, too */
		if (tally_number(&s->own, &function[i], sizeof(function[i])) < 0 ||
		    add_call(s, &call, number, counts))
			return -ENOMEM;
	}
	return 0;
}

static void put_event_names(const struct export *x)
{
	fputs("events:", x->out);
	for (size_t i = 0; i < 2 * x->events; i++) {
		const char *name = x->rec->event[x->event[i % x->events]].name;

		putc(' ', x->out);
		if (isdigit((unsigned char)*name))
			putc('_', x->out);
		for (; *name; name++)
			putc(isalnum((unsigned char)*name) ? *name : '_', x->out);
		if (i >= x->events)
			fputs("_samples", x->out);
	}
	putc('\n', x->out);
}

static void put_costs(const struct export *x, struct counts counts)
{
	for (size_t i = 0; i < x->events; i++)
		fprintf(x->out, " %" PRIu64, export_events(x, counts, x->event[i]));
	for (size_t i = 0; i < x->events; i++)
		fprintf(x->out, " %" PRIu64, counts.samples[x->event[i]]);
	putc('\n', x->out);
}

/* Numbers go before names, so that no name can be taken for a number */
static void put_function(const struct export *x, const struct sums *s,
			 const struct vsamp_profile *p, uint32_t number, const char *c)
{
	struct export_function f = *(const struct export_function *)intern_key(&s->own.keys,
									       number);

	fprintf(x->out, "%sob=(%" PRIu32 ") ", c, f.label >= EXPORT_NONE ? 1 : 2 + f.label);
	export_text(x->out, f.label >= EXPORT_NONE ? "???" : export_module(p, f), '\n');
	fprintf(x->out, "\n%sfn=(%" PRIu32 ") ", c, number + 1);
	export_text(x->out, export_symbol(p, f), '\n');
	putc('\n', x->out);
}

struct order {
	uint32_t caller, call;
};

static int by_caller(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	return (x->call > y->call) - (x->call < y->call);
}

static void put_call(const struct export *x, struct sums *s, const struct vsamp_profile *p,
		     uint32_t number)
{
	const struct call *call = intern_key(&s->calls.keys, number);
	struct counts counts = tally_counts(&s->calls, number);
	uint64_t samples = 0;

	for (size_t i = 0; i < x->events; i++)
		samples += counts.samples[x->event[i]];
	if (!samples)
		return;
	put_function(x, s, p, intern_number(&s->own.keys, &call->callee, sizeof(call->callee)),
		     "c");
	fprintf(x->out, "calls=%" PRIu64 " 0\n0", samples);
	put_costs(x, counts);
}

static int put_all(const struct export *x, struct sums *s, const struct vsamp_profile *p)
{
	uint32_t calls = s->calls.keys.count, at = 0;
	struct order *order = malloc((calls + 1UL) * sizeof(*order));
	struct counts counts;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < calls; i++) {
		const struct call *call = intern_key(&s->calls.keys, i);

		order[i].caller = intern_number(&s->own.keys, &call->caller, sizeof(call->caller));
		order[i].call = i;
	}
	qsort(order, calls, sizeof(*order), by_caller);
	for (uint32_t i = 0; i < s->own.keys.count; i++) {
		counts = tally_counts(&s->own, i);
		fputs("\nfl=(1) ???\n", x->out);
		put_function(x, s, p, i, "");
		putc('0', x->out);
		put_costs(x, counts);
		for (; at < calls && order[at].caller == i; at++)
			put_call(x, s, p, order[at].call);
	}
	free(order);
	return 0;
}

static int add_all(struct sums *s, const struct vsamp_profile *p, struct tally *total)
{
	int ret = 0;

	for (uint32_t i = 0; i < p->places.count && !ret; i++) {
		ret = add_place(s, p, i);
		if (!ret && tally_add(total, "", 1, places_counts(&p->places, i)) < 0)
			ret = -ENOMEM;
	}
	return ret;
}

int export_callgrind(const struct export *x)
{
	struct tally total = { .events = x->rec->events };
	struct sums s = { .own.events = x->rec->events, .calls.events = x->rec->events };
	struct vsamp_profile *p;
	int ret = export_profile(x, 0, &p);

	if (ret)
		return ret;
	fputs("# callgrind format\nversion: 1\ncreator: vsamp " VSAMP_VERSION "\npositions: line\n",
	      x->out);
	put_event_names(x);
	ret = add_all(&s, p, &total);
	if (!ret && total.keys.count) {
		fputs("summary:", x->out);
		put_costs(x, tally_counts(&total, 0));
	}
	if (!ret)
		ret = put_all(x, &s, p);
	if (ret)
		ret = export_no_memory(x);
	tally_free(&total);
	tally_free(&s.own);
	tally_free(&s.calls);
	free(s.last);
	vsamp_profile_free(p);
	return ret;
}
