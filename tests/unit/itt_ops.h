/* SPDX-License-Identifier: MIT */
/*
 * itt_ops.h: ITT calls as tests write them, and what they mean as text
 *
 * Words of a script, each with what was set before:
 *	t2 thread 2, d2 domain 2, @5 the time is 5
 *	Ba E		task a begins; the task of this domain ends; B&64: named by an address, hex
 *	Oa#7 X#7	overlapped task a with id 7 begins, ends
 *	Ra#7 r#7	region; Ga#7 task group; F f frame, F#7 f#7 of an id; U5-9 frame submitted
 *	Sa Na		event a starts, ends; Ma marker
 *	P C		pause, continue; Po: of the offload scope; D detach; L9 nine are lost
 *	Q q		thread starts anew, ends; x o domain off, on; #7 $7 id is created, destroyed
 *	Jn#1		object 1 is called n, of a type that is called as the domain
 *	W#1 A#1 Y#1	the thread waits for object 1; acquired it; gave it up; Z#1 z#1 released, destroyed it
 *	mk=5		metadata k of the domain is 5, of the current task; mk#7=5: of what has id 7
 *	uc=5 Hh=5	counter c of the domain is 5 more; 5 is submitted to histogram h of domain 1
 *	h#7^8=5		what has id 7 is in relation 5 to what has id 8; h^8=5: the current task is
 *	K3:f:b		clock domain 3 has frequency f and base b from now on
 * behind a call: + it was in an earlier file, ^7 parent's id, ~3:100 its time by clock domain 3 (0: that of the records)
 */
#ifndef ITT_OPS_H
#define ITT_OPS_H

#include <ctype.h>

#include <vsamp/itt.h>

#include "mkitt.h"

#define OPS_MAX	    512
#define OPS_THREADS 4
#define OPS_DOMAINS 4

struct op {
	char what;
	char name; /* 0: none */
	unsigned int thread, domain;
	uint64_t time;
	unsigned int id, parent, clock;
	bool stamped, continued;
	uint64_t stamp, fn, value[2];
};

static inline uint64_t op_number(const char **at, int base)
{
	char *end;
	uint64_t n = strtoull(*at, &end, base);

	*at = end;
	return n;
}

static inline void op_suffixes(struct op *op, const char *at)
{
	while (*at && *at != ' ') {
		switch (*at++) {
		case '#':
		case '$':
			op->id = op_number(&at, 10);
			break;
		case '^':
			op->parent = op_number(&at, 10);
			break;
		case '+':
			op->continued = true;
			break;
		case '=':
			op->value[0] = op_number(&at, 10);
			break;
		case '&':
			op->fn = op_number(&at, 16);
			break;
		case '~':
			op->stamped = true;
			op->clock = op_number(&at, 10);
			at++;
			op->stamp = op_number(&at, 10);
			break;
		default:
			fail_msg("script: %s", at - 1);
		}
	}
}

/* The operations of a script; returns how many */
static inline size_t ops_parse(struct op *ops, const char *script)
{
	struct op now = { .thread = 1, .domain = 1 };
	size_t n = 0;

	while (*script) {
		const char *at = script + 1;
		struct op *op = &ops[n];

		*op = now;
		op->what = *script;
		switch (*script) {
		case ' ':
			script++;
			continue;
		case 't':
			now.thread = op_number(&at, 10);
			break;
		case 'd':
			now.domain = op_number(&at, 10);
			break;
		case '@':
			now.time = op_number(&at, 10);
			break;
		case 'U':
		case 'K':
			op->id = *script == 'K' ? op_number(&at, 10) : 0;
			at += *script == 'K';
			op->value[0] = op_number(&at, 10);
			at++;
			op->value[1] = op_number(&at, 10);
			n++;
			break;
		case 'L':
			op->value[0] = op_number(&at, 10);
			n++;
			break;
		default:
			if (isalpha((unsigned char)*at))
				op->name = *at++;
			op_suffixes(op, *script == '#' || *script == '$' ? script : at);
			n++;
		}
		while (*at && *at != ' ')
			at++;
		script = at;
		assert_true(n < OPS_MAX);
	}
	return n;
}

static const char *const op_domain_names[OPS_DOMAINS + 1] = { "", "one", "two", "three", "four" };

/* What all of a process's numbers stand for: of a string and an event the letter, of a domain 1.. */
static inline void ops_define(struct mkitt *to)
{
	struct vsamp_itt_histogram histogram = { 1, VSAMP_ITT_U64, VSAMP_ITT_U64 };

	for (uint32_t i = 1; i <= OPS_DOMAINS; i++) {
		mkitt_string(to, 200 + i, op_domain_names[i]);
		mkitt_call(to, (struct vsamp_itt_call){
				       .type = VSAMP_ITT_DOMAIN, .handle = i, .name = 200 + i });
	}
	for (uint32_t c = 'a'; c <= 'z'; c++) {
		char name[] = { c, 0 };

		mkitt_string(to, c, name);
		mkitt_call(to, (struct vsamp_itt_call){
				       .type = VSAMP_ITT_EVENT, .handle = c, .name = c });
		mkitt_call(to, (struct vsamp_itt_call){ .type = VSAMP_ITT_HISTOGRAM,
							.handle = c,
							.name = c,
							.body = &histogram,
							.body_size = sizeof(histogram) });
	}
}

static inline uint8_t op_type(const struct op *op)
{
	static const uint8_t types[128] = {
		['B'] = VSAMP_ITT_TASK_BEGIN,
		['E'] = VSAMP_ITT_TASK_END,
		['O'] = VSAMP_ITT_OVERLAPPED_BEGIN,
		['X'] = VSAMP_ITT_OVERLAPPED_END,
		['R'] = VSAMP_ITT_REGION_BEGIN,
		['r'] = VSAMP_ITT_REGION_END,
		['G'] = VSAMP_ITT_TASK_GROUP,
		['F'] = VSAMP_ITT_FRAME_BEGIN,
		['f'] = VSAMP_ITT_FRAME_END,
		['U'] = VSAMP_ITT_FRAME_SUBMIT,
		['S'] = VSAMP_ITT_EVENT_START,
		['N'] = VSAMP_ITT_EVENT_END,
		['M'] = VSAMP_ITT_MARKER,
		['P'] = VSAMP_ITT_PAUSE,
		['C'] = VSAMP_ITT_RESUME,
		['D'] = VSAMP_ITT_DETACH,
		['L'] = VSAMP_ITT_LOST,
		['Q'] = VSAMP_ITT_THREAD_START,
		['q'] = VSAMP_ITT_THREAD_END,
		['x'] = VSAMP_ITT_DOMAIN_OFF,
		['o'] = VSAMP_ITT_DOMAIN_ON,
		['#'] = VSAMP_ITT_ID_CREATE,
		['$'] = VSAMP_ITT_ID_DESTROY,
		['K'] = VSAMP_ITT_CLOCK,
		['J'] = VSAMP_ITT_SYNC_OBJECT,
		['W'] = VSAMP_ITT_SYNC,
		['A'] = VSAMP_ITT_SYNC,
		['Y'] = VSAMP_ITT_SYNC,
		['Z'] = VSAMP_ITT_SYNC,
		['z'] = VSAMP_ITT_SYNC,
		['m'] = VSAMP_ITT_METADATA,
		['u'] = VSAMP_ITT_COUNTER_ADD,
		['H'] = VSAMP_ITT_HISTOGRAM_SUBMIT,
		['h'] = VSAMP_ITT_RELATION,
	};
	uint8_t type = types[(unsigned char)op->what];

	assert_true(type);
	return type;
}

static inline uint32_t op_sync_call(char what)
{
	switch (what) {
	case 'W':
		return VSAMP_ITT_SYNC_PREPARE;
	case 'A':
		return VSAMP_ITT_SYNC_ACQUIRED;
	case 'Y':
		return VSAMP_ITT_SYNC_CANCEL;
	case 'Z':
		return VSAMP_ITT_SYNC_RELEASING;
	case 'z':
		return VSAMP_ITT_SYNC_DESTROY;
	}
	return 0;
}

static inline void op_encode(struct mkitt *to, const struct op *op)
{
	uint64_t body[2] = { op->value[0], op->value[1] };
	struct vsamp_itt_call c = {
		.time = op->time,
		.type = op_type(op),
		.flags = (op->stamped ? VSAMP_ITT_HAS_CLOCK : 0) |
			 (op->continued ? VSAMP_ITT_CONTINUED : 0),
		.handle = op->domain,
		.name = op->name,
		.clock = op->clock,
		.stamp = op->stamp,
		.fn = op->fn,
		.id = { { op->id, 0, 0 } },
		.parent = { { op->parent, 0, 0 } },
		.body = body,
	};

	if (op->what == 'S' || op->what == 'N') {
		c.handle = op->name;
		c.name = 0;
	}
	if (op->what == 'P' || op->what == 'C') {
		c.handle = op->name == 'o' ? VSAMP_ITT_PAUSE_OFFLOAD :
			   op->name == 's' ? VSAMP_ITT_PAUSE_SESSION :
			   op->name == 'b' ? VSAMP_ITT_PAUSE_START :
					     VSAMP_ITT_PAUSE_ALL;
		c.name = 0;
	}
	if (op->what == 'K') {
		c.handle = op->id;
		c.id.d[0] = 0;
	}
	if (strchr("WAYZzJ", op->what)) {
		c.handle = op_sync_call(op->what);
		body[0] = op->id;
		body[1] = 200 + op->domain;
		c.id.d[0] = 0;
	}
	if (op->what == 'm') {
		body[0] = VSAMP_ITT_U64 | 1ULL << 32;
		body[1] = op->value[0];
	}
	if (op->what == 'H') {
		c.handle = op->name;
		c.name = 0;
		body[1] = body[0];
		body[0] = 1;
	}
	if (strchr("UKJmH", op->what))
		c.body_size = 16;
	if (strchr("LMWAYZzhu", op->what))
		c.body_size = 8;
	mkitt_call(to, c);
}

/* The records of all threads, whose process is 10, and whose numbers are as the script has them */
static inline void ops_encode(struct mkitt threads[OPS_THREADS], const struct op *ops, size_t n)
{
	for (uint32_t t = 0; t < OPS_THREADS; t++)
		threads[t] = (struct mkitt){ .thread = { 10, t + 1, 0 } };
	/* in the last thread, as it is all the same where they are */
	ops_define(&threads[OPS_THREADS - 1]);
	for (size_t i = 0; i < n; i++)
		op_encode(&threads[ops[i].thread - 1], &ops[i]);
}

static inline struct vsamp_itt *ops_match(const struct op *ops, size_t n, uint64_t end)
{
	struct vsamp_itt_records records[OPS_THREADS];
	struct mkitt threads[OPS_THREADS];
	struct vsamp_error err = { 0 };
	struct vsamp_itt *itt;

	ops_encode(threads, ops, n);
	for (int t = 0; t < OPS_THREADS; t++)
		records[t] = (struct vsamp_itt_records){ threads[t].thread, threads[t].records.data,
							 threads[t].records.size, end };
	if (vsamp_itt_match(&itt, records, OPS_THREADS, NULL, &err))
		fail_msg("%s", err.text);
	for (int t = 0; t < OPS_THREADS; t++)
		buf_free(&threads[t].records);
	return itt;
}

/* What a script means, whose threads end at 90 */
static inline struct vsamp_itt *match(const char *script)
{
	struct op ops[OPS_MAX];

	return ops_match(ops, ops_parse(ops, script), 90);
}

/* The same of one thread's records, as they are */
static inline struct vsamp_itt *match_records(struct mkitt *from)
{
	struct vsamp_itt_records records = { from->thread, from->records.data, from->records.size,
					     90 };
	struct vsamp_error err = { 0 };
	struct vsamp_itt *itt;

	if (vsamp_itt_match(&itt, &records, 1, NULL, &err))
		fail_msg("%s", err.text);
	buf_free(&from->records);
	return itt;
}

static inline char *add(char *at, const char *end, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static inline char *add(char *at, const char *end, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(at, end - at, fmt, ap);
	va_end(ap);
	assert_true(n >= 0 && n < end - at);
	return at + n;
}

/* A letter for the kind, tid if it isn't 1, name, times, inclusive/exclusive, depth if it isn't 0 */
static inline char *span_text(char *at, const char *end, const struct vsamp_span *s)
{
	at = add(at, end, "%c", "TOVRFMW"[s->kind]);
	if (s->tid != 1)
		at = add(at, end, "%u", s->tid);
	at = add(at, end, "%s", s->name);
	if (s->tick)
		at = add(at, end, " %llu", (unsigned long long)s->begin);
	else
		at = add(at, end, " %llu-%llu %llu/%llu", (unsigned long long)s->begin,
			 (unsigned long long)s->end, (unsigned long long)s->inclusive,
			 (unsigned long long)s->exclusive);
	if (s->depth)
		at = add(at, end, " depth %u", s->depth);
	return add(at, end, "%s%s%s%s; ", s->continued ? " continued" : "", s->cut ? " cut" : "",
		   s->mismatched ? " mismatched" : "", s->backwards ? " backwards" : "");
}

static inline char *counts_text(char *at, const char *end, const struct vsamp_itt_counts *c)
{
	const struct {
		const char *name;
		uint64_t count;
	} what[] = {
		{ "lost", c->lost },
		{ "unmatched T", c->unmatched[VSAMP_SPAN_TASK] },
		{ "unmatched O", c->unmatched[VSAMP_SPAN_OVERLAPPED] },
		{ "unmatched V", c->unmatched[VSAMP_SPAN_EVENT] },
		{ "unmatched R", c->unmatched[VSAMP_SPAN_REGION] },
		{ "unmatched F", c->unmatched[VSAMP_SPAN_FRAME] },
		{ "unmatched W", c->unmatched[VSAMP_SPAN_WAIT] },
		{ "mismatched", c->mismatched },
		{ "cut", c->cut },
		{ "backwards", c->backwards },
		{ "no id", c->no_id },
		{ "rebound", c->rebound },
		{ "repeated", c->repeated },
		{ "prepared", c->prepared },
		{ "paused", c->paused },
		{ "off", c->off },
		{ "undefined", c->undefined },
		{ "unknown", c->unknown },
	};

	for (size_t i = 0; i < sizeof(what) / sizeof(*what); i++)
		if (what[i].count)
			at = add(at, end, "%s %llu; ", what[i].name,
				 (unsigned long long)what[i].count);
	return at;
}

/* Spans in their order, then counts that aren't 0 */
static inline void meaning_text(char *text, size_t size, const struct vsamp_span *span,
				size_t spans, const struct vsamp_itt_counts *counts)
{
	char *at = text;

	*at = 0;
	for (size_t i = 0; i < spans; i++)
		at = span_text(at, text + size, &span[i]);
	counts_text(at, text + size, counts);
}

#endif
