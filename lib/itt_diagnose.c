// SPDX-License-Identifier: MIT
/* itt_diagnose.c: what programs are told that they did wrong */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "itt_private.h"

#define REBOUND_MAX 16 /* ids that are told one by one */

static int __attribute__((format(printf, 2, 3))) tell(struct vsamp_itt *itt, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	if (!buf_add(&itt->diagnoses, &text, sizeof(text)))
		return 0;
	free(text);
	return -ENOMEM;
}

int itt_diagnose_rebound(struct vsamp_itt *itt, uint32_t pid, const struct vsamp_itt_id *id,
			 const char *span, const char *from, const char *to)
{
	bool named = span && *span;

	if (itt->rebound++ >= REBOUND_MAX)
		return 0;
	return tell(itt,
		    "process %u: id %" PRIx64 ":%" PRIx64 ":%" PRIx64 "%s%s%s of domain \"%s\" is "
		    "used in domain \"%s\" too: it is of that from then on",
		    pid, id->d[0], id->d[1], id->d[2], named ? " (\"" : "", named ? span : "",
		    named ? "\")" : "", from ? from : "", to ? to : "");
}

struct what {
	uint64_t count;
	const char *text;
};

int itt_diagnose(struct vsamp_itt *itt)
{
	const struct vsamp_itt_counts *c = &itt->counts;
	const struct what what[] = {
		{ c->lost, "calls found no room and are missing: what they begin or end is wrong" },
		{ c->rebound, "uses of an id that was of another domain" },
		{ c->unmatched[VSAMP_SPAN_TASK], "ends of tasks have no begin in their thread" },
		{ c->unmatched[VSAMP_SPAN_OVERLAPPED],
		  "ends of overlapped tasks have no begin of their id in their thread" },
		{ c->unmatched[VSAMP_SPAN_EVENT], "ends of events have no start in their thread" },
		{ c->unmatched[VSAMP_SPAN_REGION], "ends of regions have no begin" },
		{ c->unmatched[VSAMP_SPAN_FRAME], "ends of frames have no begin" },
		{ c->mismatched,
		  "ends of tasks came while tasks of other domains in them had none" },
		{ c->cut, "tasks, regions or frames had no end of their own" },
		{ c->backwards, "ends are told to be before their begins" },
		{ c->no_id, "calls of overlapped tasks or regions have no id, and are left out" },
		{ c->repeated, "begins of regions or frames that were under way are left out" },
		{ c->undefined, "uses of numbers that nothing defines" },
		{ c->unknown, "records are of a later version" },
		{ c->truncated, "texts or values were too long, and are cut" },
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(what) / sizeof(*what) && !ret; i++)
		if (what[i].count)
			ret = tell(itt, "%" PRIu64 " %s", what[i].count, what[i].text);
	return ret;
}
