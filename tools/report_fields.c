// SPDX-License-Identifier: MIT
/* The fields of rows as JSON and CSV have them (docs/json.md) */
#include <stdio.h>

#include "report.h"

static void put_process(const struct vsamp_profile_row *row, unsigned int by,
			const struct report_sink *s)
{
	if (!(by & (VSAMP_BY_PROCESS | VSAMP_BY_PID)))
		return;
	s->number(s->arg, "pid", row->pid, true);
	s->number(s->arg, "ns_pid", row->ns_pid, row->ns_pid);
	s->number(s->arg, "pid_namespace", row->pid_namespace, row->pid_namespace);
	if (by & VSAMP_BY_PROCESS)
		s->text(s->arg, "comm", row->comm);
}

static void put_thread(const struct vsamp_profile_row *row, unsigned int by,
		       const struct report_sink *s)
{
	if (by & VSAMP_BY_THREAD)
		s->number(s->arg, "tid", row->tid, true);
	if (by & (VSAMP_BY_THREAD | VSAMP_BY_COMM))
		s->text(s->arg, "thread", row->thread);
	if (by & VSAMP_BY_CPU)
		s->number(s->arg, "cpu", row->cpu, true);
}

static void put_code(const struct vsamp_profile_row *row, unsigned int by,
		     const struct report_sink *s)
{
	if (by & VSAMP_BY_MODULE)
		s->text(s->arg, "module", row->module);
	if (by & VSAMP_BY_SYMBOL)
		s->text(s->arg, "symbol", row->symbol);
	if (!(by & VSAMP_BY_LINE))
		return;
	s->text(s->arg, "file", row->line ? row->file : NULL);
	s->number(s->arg, "line", row->line, row->line);
}

static void put_span(const char *name, const char *field, const char *domain,
		     const char *domain_field, const struct report_sink *s)
{
	bool any = name && (name[0] || domain[0]);

	s->text(s->arg, field, any ? name : NULL);
	s->text(s->arg, domain_field, any ? domain : NULL);
}

void report_fields(const struct report *r, const struct vsamp_profile_row *row, unsigned int by,
		   const struct report_sink *s)
{
	char event[256];

	put_process(row, by, s);
	put_thread(row, by, s);
	put_code(row, by, s);
	if (by & VSAMP_BY_EVENT) {
		snprintf(event, sizeof(event), "%s%s", r->event[row->event].name,
			 r->event[row->event].levels);
		s->text(s->arg, "event", event);
	}
	if (by & VSAMP_BY_TIME) {
		s->number(s->arg, "time_ns", row->time, true);
		s->number(s->arg, "slice_ns", r->slice, true);
	}
	if (by & VSAMP_BY_TASK)
		put_span(row->task, "task", row->task_domain, "task_domain", s);
	if (by & VSAMP_BY_ITT_EVENT)
		put_span(row->itt_event, "itt_event", row->itt_event_domain, "itt_event_domain", s);
}
