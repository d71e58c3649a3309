// SPDX-License-Identifier: MIT
/* filter.c: whether a sample is wanted */
#include <string.h>

#include "filter.h"

static bool has_number(const uint32_t *list, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return !count;
}

static bool has_name(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], name))
			return true;
	return !count;
}

bool filter_wants_record(const struct vsamp_filter *f, uint32_t cpu, uint32_t pid, uint32_t tid)
{
	return has_number(f->pid, f->pids, pid) && has_number(f->tid, f->tids, tid) &&
	       has_number(f->cpu, f->cpus, cpu);
}

bool filter_wants_comm(const struct vsamp_filter *f, const char *comm)
{
	return has_name(f->comm, f->comms, comm);
}

bool filter_wants_code(const struct vsamp_filter *f, const char *module, const char *symbol)
{
	const char *slash = strrchr(module, '/');

	return (has_name(f->module, f->modules, module) ||
		(slash && has_name(f->module, f->modules, slash + 1))) &&
	       has_name(f->symbol, f->symbols, symbol);
}

bool vsamp_filter_wants(const struct vsamp_filter *f, const struct vsamp_trace_sample *s)
{
	return filter_wants_record(f, s->cpu, s->pid, s->tid) && filter_wants_time(f, s->time) &&
	       filter_wants_comm(f, s->comm) &&
	       filter_wants_code(f, s->frame[0].module, s->frame[0].symbol);
}
