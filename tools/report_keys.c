// SPDX-License-Identifier: MIT
/* What a report can be sorted by, and how that is shown in a column */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "report.h"

static const struct report_key keys[] = {
	{ "process", NULL, VSAMP_BY_PROCESS }, { "comm", NULL, VSAMP_BY_COMM },
	{ "pid", NULL, VSAMP_BY_PID },	       { "thread", "tid", VSAMP_BY_THREAD },
	{ "cpu", NULL, VSAMP_BY_CPU },	       { "module", "dso", VSAMP_BY_MODULE },
	{ "symbol", "sym", VSAMP_BY_SYMBOL },  { "line", "srcline", VSAMP_BY_LINE },
	{ "event", NULL, VSAMP_BY_EVENT },     { "time", NULL, VSAMP_BY_TIME },
	{ "task", NULL, VSAMP_BY_TASK },       { "itt-event", NULL, VSAMP_BY_ITT_EVENT },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

const struct report_key *report_key_find(const char *name)
{
	for (size_t i = 0; i < KEYS; i++)
		if (!strcmp(name, keys[i].name) || (keys[i].other && !strcmp(name, keys[i].other)))
			return &keys[i];
	return NULL;
}

const char *report_key_names(void)
{
	return "process,comm,pid,thread,cpu,module,symbol,line,event,time,task,itt-event";
}

const char *report_module(const char *module)
{
	const char *slash = module[0] == '/' ? strrchr(module, '/') : NULL;

	return slash && slash[1] ? slash + 1 : module;
}

/* "NAME (NUMBER)" */
static void number_name(const char *name, uint32_t number, uint32_t inside, char *text, size_t size)
{
	const char *blank = name[0] ? " " : "";
	size_t length = strlen(name);

	if (inside || length + NUMBER_MAX + sizeof(" ()") > size) {
		snprintf(text, size, inside ? "%s%s(%u, container pid %u)" : "%s%s(%u)", name,
			 blank, number, inside);
		return;
	}
	/* rows that have this are many */
	memcpy(text, name, length);
	text += length;
	text = stpcpy(text, blank);
	*text++ = '(';
	text += number_whole(text, number);
	strcpy(text, ")");
}

static void pid_name(const struct vsamp_profile_row *row, char *text, size_t size)
{
	if (row->ns_pid)
		snprintf(text, size, "%u (container pid %u)", row->pid, row->ns_pid);
	else
		snprintf(text, size, "%u", row->pid);
}

static void line_name(const struct vsamp_profile_row *row, char *text, size_t size)
{
	const char *slash = strrchr(row->file, '/');

	if (row->line)
		snprintf(text, size, "%s:%u", slash ? slash + 1 : row->file, row->line);
	else
		snprintf(text, size, "[unknown]");
}

/* Seconds from the begin on, as exactly as slices are long */
static void time_name(const struct report *r, const struct vsamp_profile_row *row, char *text,
		      size_t size)
{
	int digits = r->slice % 1000 ? 9 : r->slice % 1000000 ? 6 : 3;
	uint64_t unit = digits == 9 ? 1 : digits == 6 ? 1000 : 1000000;
	uint64_t from = row->time, to = row->time + r->slice;

	snprintf(text, size, "%" PRIu64 ".%0*" PRIu64 "-%" PRIu64 ".%0*" PRIu64, from / 1000000000,
		 digits, from % 1000000000 / unit, to / 1000000000, digits, to % 1000000000 / unit);
}

static void span_name(const char *name, const char *domain, const char *none, char *text,
		      size_t size)
{
	if (!name[0] && !domain[0])
		snprintf(text, size, "%s", none);
	else if (!domain[0])
		snprintf(text, size, "%s", name);
	else
		snprintf(text, size, "%s (%s)", name, domain);
}

const char *report_text(const struct report *r, const struct vsamp_profile_row *row,
			const struct report_key *key, char *text, size_t size)
{
	switch (key->by) {
	case VSAMP_BY_COMM:
		return row->thread;
	case VSAMP_BY_MODULE:
		return report_module(row->module);
	case VSAMP_BY_SYMBOL:
		return row->symbol;
	case VSAMP_BY_PROCESS:
		number_name(row->comm, row->pid, row->ns_pid, text, size);
		break;
	case VSAMP_BY_THREAD:
		number_name(row->thread, row->tid, 0, text, size);
		break;
	case VSAMP_BY_PID:
		pid_name(row, text, size);
		break;
	case VSAMP_BY_CPU:
		snprintf(text, size, "%u", row->cpu);
		break;
	case VSAMP_BY_LINE:
		line_name(row, text, size);
		break;
	case VSAMP_BY_EVENT:
		snprintf(text, size, "%s%s", r->event[row->event].name,
			 r->event[row->event].levels);
		break;
	case VSAMP_BY_TIME:
		time_name(r, row, text, size);
		break;
	case VSAMP_BY_TASK:
		span_name(row->task, row->task_domain, "[no task]", text, size);
		break;
	case VSAMP_BY_ITT_EVENT:
		span_name(row->itt_event, row->itt_event_domain, "[no event]", text, size);
		break;
	}
	return text;
}
