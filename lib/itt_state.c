// SPDX-License-Identifier: MIT
/* itt_state.c: calls that tell of a thread or its process, and those that are counted */
#include "itt_match.h"

int itt_pause_end(struct itt_match *m, uint64_t time)
{
	struct vsamp_pause pause = { .pid = m->pid, .begin = m->pause, .end = time };

	m->paused = 0;
	return time > m->pause ? buf_add(&m->b->itt->pauses, &pause, sizeof(pause)) : 0;
}

int itt_pause(struct itt_match *m, uint64_t time, unsigned int by, bool pause)
{
	unsigned int before = m->paused, after = pause ? before | by : before & ~by;

	if (before && !after)
		return itt_pause_end(m, time);
	if (!before)
		m->pause = time;
	m->paused = after;
	return 0;
}

/* Whether its pid had a collector before, which then became this by an exec */
static bool is_later(const struct itt_match *m)
{
	return m->from && m->b->source[m->from - 1].thread.pid == m->pid;
}

static int pause_resume(struct itt_match *m, const struct itt_moment *at, bool pause)
{
	uint32_t scope = at->c->handle;

	if (scope == VSAMP_ITT_PAUSE_OFFLOAD || scope == VSAMP_ITT_PAUSE_SESSION)
		return 0;
	return itt_pause(m, scope == VSAMP_ITT_PAUSE_START && !is_later(m) ? 0 : at->time,
			 ITT_PAUSED_PROCESS, pause);
}

static void detach(struct itt_match *m, const struct itt_moment *at)
{
	m->detached = true;
	for (size_t i = m->from; i < m->to; i++)
		itt_lane_cut(m, &m->b->lane[i], at->time);
	while (m->open)
		itt_node_cut(m, m->open, at->time);
}

/* Ends of what is under way in it won't be told */
static int domain_switch(struct itt_match *m, const struct itt_moment *at, bool off)
{
	struct itt_domain *domain = itt_table_row(&m->defs.domains, &at->c->handle,
						  sizeof(at->c->handle));

	if (!domain)
		return -ENOMEM;
	domain->off = off;
	while (off && domain->open)
		itt_node_cut(m, domain->open, at->time);
	return 0;
}

static int mapping(struct itt_match *m, const struct itt_moment *at)
{
	int ret = 0;
	const char *path = itt_defs_string(&m->defs, at->c->name, &ret);

	if (ret || !path)
		return ret;
	return itt_fn_mapping(&m->procmap, m->pid, path, at->c->body);
}

static int clock_reset(struct itt_match *m, const struct itt_moment *at)
{
	struct itt_clock *row = itt_table_row(&m->defs.clocks, &at->c->handle,
					      sizeof(at->c->handle));
	const struct vsamp_itt_clock *body = at->c->body;

	if (!row)
		return -ENOMEM;
	*row = (struct itt_clock){ body->frequency, body->base, at->time };
	return 0;
}

static int thread_name(struct itt_match *m, const struct itt_moment *at)
{
	const struct vsamp_itt_text *body = at->c->body;

	at->lane->name = itt_text(m->b->itt, body->text, body->length);
	return at->lane->name ? 0 : -ENOMEM;
}

/* Calls that are counted, and definitions, which were taken before */
static void count(struct itt_match *m, const struct itt_moment *at)
{
	struct vsamp_itt_counts *counts = &m->b->itt->counts;
	uint64_t n = 0;

	if (at->c->body_size >= sizeof(n))
		memcpy(&n, at->c->body, sizeof(n));
	switch (at->c->type) {
	case VSAMP_ITT_LOST:
		counts->lost += n;
		break;
	case VSAMP_ITT_CALLS:
		counts->others += n;
		break;
	case VSAMP_ITT_STITCH:
		counts->stitches++;
		break;
	case VSAMP_ITT_STRING ... VSAMP_ITT_COUNTER_META:
	case VSAMP_ITT_HISTOGRAM:
	case VSAMP_ITT_ID_CREATE:
		break;
	default:
		counts->unknown++;
	}
}

/* Of the process and its threads */
int itt_state(struct itt_match *m, const struct itt_moment *at)
{
	switch (at->c->type) {
	case VSAMP_ITT_CLOCK:
		return clock_reset(m, at);
	case VSAMP_ITT_MAPPING:
		return mapping(m, at);
	case VSAMP_ITT_THREAD_START:
		itt_lane_cut(m, at->lane, at->lane->last);
		return 0;
	case VSAMP_ITT_THREAD_END:
		itt_lane_cut(m, at->lane, at->time);
		return 0;
	case VSAMP_ITT_THREAD_NAME:
		return thread_name(m, at);
	case VSAMP_ITT_PAUSE:
	case VSAMP_ITT_RESUME:
		return pause_resume(m, at, at->c->type == VSAMP_ITT_PAUSE);
	case VSAMP_ITT_DETACH:
		detach(m, at);
		return 0;
	case VSAMP_ITT_DOMAIN_OFF:
	case VSAMP_ITT_DOMAIN_ON:
		return domain_switch(m, at, at->c->type == VSAMP_ITT_DOMAIN_OFF);
	case VSAMP_ITT_COUNTER_SET:
	case VSAMP_ITT_COUNTER_ADD:
		return itt_counter_call(m->b, &m->defs, m->pid, at->time, at->c);
	case VSAMP_ITT_HISTOGRAM_SUBMIT:
		return itt_histogram_submit(m->b, &m->defs, at->c);
	case VSAMP_ITT_SYNC_OBJECT:
		return itt_sync_object(m, at);
	case VSAMP_ITT_SYNC:
		return itt_sync(m, at);
	}
	count(m, at);
	return 0;
}
