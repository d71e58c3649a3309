// SPDX-License-Identifier: MIT
/* itt_match.c: the calls of a process, one after the other */
#include "itt_match.h"

/* When a call took place: what it tells by its clock domain, else when it was made */
static int call_time(struct itt_match *m, const struct vsamp_itt_call *c, uint64_t *time)
{
	const struct itt_clock *clock;
	__int128 ns;

	*time = itt_ns(m->b, c->time);
	if (!(c->flags & VSAMP_ITT_HAS_CLOCK))
		return 0;
	if (!c->clock) {
		*time = itt_ns(m->b, c->stamp);
		return 0;
	}
	clock = itt_table_row(&m->defs.clocks, &c->clock, sizeof(c->clock));
	if (!clock)
		return -ENOMEM;
	if (!clock->frequency) {
		m->b->itt->counts.undefined++;
		return 0;
	}
	ns = ((__int128)c->stamp - clock->base) * 1000000000 / (__int128)clock->frequency +
	     clock->at;
	*time = ns < 0 ? 0 : ns > UINT64_MAX ? UINT64_MAX : ns;
	return 0;
}

/* Of the recorder, which paused all */
static int take_session(struct itt_match *m, const struct vsamp_itt_call *c)
{
	if (m->detached || (c->type != VSAMP_ITT_PAUSE && c->type != VSAMP_ITT_RESUME))
		return 0;
	return itt_pause(m, itt_ns(m->b, c->time), ITT_PAUSED_SESSION, c->type == VSAMP_ITT_PAUSE);
}

static int take_call(struct itt_match *m, size_t source, const struct vsamp_itt_call *c)
{
	struct itt_moment at = {
		.c = c,
		.lane = &m->b->lane[m->from + source],
		.lane_number = m->from + source,
	};
	int ret;

	if (source == m->to - m->from)
		return take_session(m, c);
	if (m->detached) {
		m->b->itt->counts.off++;
		return 0;
	}
	m->b->itt->counts.records += c->type >= VSAMP_ITT_THREAD_START;
	m->b->itt->counts.truncated += !!(c->flags & VSAMP_ITT_TRUNCATED);
	ret = call_time(m, c, &at.time);
	if (!ret)
		ret = itt_rule(m, &at);
	at.lane->last = itt_ns(m->b, c->time);
	return ret;
}

/* What the process told, and behind it what the recorder did, if anything. NULL: -ENOMEM */
static struct itt_source *sources_get(const struct itt_match *m, size_t *n)
{
	const struct itt_source *first = m->b->source;
	struct itt_source *source;

	*n = m->to - m->from;
	source = malloc((*n + 1) * sizeof(*source));
	if (!source)
		return NULL;
	memcpy(source, first + m->from, *n * sizeof(*source));
	if (!first->thread.pid && m->pid)
		source[(*n)++] = *first;
	return source;
}

/* All calls in their order, by @take; those of the recorder have no lane */
static int walk(struct itt_match *m,
		int (*take)(struct itt_match *, size_t, const struct vsamp_itt_call *),
		struct vsamp_error *err)
{
	size_t sources, source;
	struct itt_source *all = sources_get(m, &sources);
	const struct vsamp_itt_call *call;
	struct itt_stream stream;
	int ret;

	if (!all)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	ret = itt_stream_open(&stream, m->b->reader, all, sources, err);
	while (!ret && (ret = itt_stream_next(&stream, &source, &call, err)) > 0) {
		ret = take(m, source, call);
		if (ret == -E2BIG)
			vsamp_fail(err, ret, "process %u: too many ITT tasks, or mappings", m->pid);
		else if (ret)
			vsamp_fail(err, ret, "out of memory");
	}
	itt_stream_close(&stream, sources);
	free(all);
	return ret;
}

static int take_def(struct itt_match *m, size_t source, const struct vsamp_itt_call *c)
{
	if (source == m->to - m->from)
		return 0;
	return itt_defs_take(&m->defs, m->b, c);
}

static void events_settle(struct itt_lane *lane)
{
	for (uint32_t i = 0; i < lane->spans; i++)
		if (lane->span[i].kind == VSAMP_SPAN_EVENT)
			lane->span[i].depth = 0;
}

/* What is under way ends with its thread; what is of the process, with the last of its threads */
static void finish(struct itt_match *m)
{
	uint64_t end = 0;

	for (size_t i = m->from; i < m->to; i++) {
		struct itt_lane *lane = &m->b->lane[i];

		if (lane->end < lane->last)
			lane->end = lane->last;
		if (lane->end > end)
			end = lane->end;
		itt_lane_cut(m, lane, lane->end);
		events_settle(lane);
	}
	while (m->open)
		itt_node_cut(m, m->open, end);
}

int itt_match_process(struct itt_build *b, size_t from, size_t to, struct vsamp_error *err)
{
	struct itt_match m = {
		.b = b,
		.from = from,
		.to = to,
		.pid = b->source[from].thread.pid,
		.ends.row_size = sizeof(uint32_t),
		.ids.row_size = sizeof(struct itt_id_row),
		.objects.row_size = sizeof(struct itt_object),
	};
	size_t fns = b->fns.size / sizeof(struct itt_fn), relations = itt_relations_count(b);
	int ret;

	itt_defs_init(&m.defs);
	procmap_init(&m.procmap, &b->modules);
	ret = walk(&m, take_def, err);
	if (!ret && itt_defs_settle(&m.defs))
		ret = vsamp_fail(err, -ENOMEM, "out of memory");
	if (!ret)
		ret = walk(&m, take_call, err);
	if (!ret) {
		finish(&m);
		if ((m.paused && itt_pause_end(&m, UINT64_MAX)) ||
		    itt_relations_late(&m, relations) || itt_fn_late(b, &m.procmap, m.pid, fns))
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
	}
	procmap_free(&m.procmap);
	itt_defs_free(&m.defs);
	itt_table_free(&m.ends);
	itt_table_free(&m.ids);
	itt_table_free(&m.objects);
	buf_free(&m.nodes);
	return ret;
}
