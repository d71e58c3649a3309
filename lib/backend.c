// SPDX-License-Identifier: MIT
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/backend.h>

#include "doctor_priv.h"
#include "perf_offer.h"

/* The best first */
static const struct {
	const char *name;
	uint32_t backend;
} order[] = {
	{ "intel", VSAMP_BACKEND_INTEL },
	{ "kperf", VSAMP_BACKEND_KPERF },
	{ "perf", VSAMP_BACKEND_PERF },
};

#define BACKENDS (sizeof(order) / sizeof(order[0]))

const char *vsamp_backend_name(uint32_t backend)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (order[i].backend == backend)
			return order[i].name;
	return NULL;
}

uint32_t vsamp_backend_find(const char *name)
{
	for (size_t i = 0; i < BACKENDS; i++)
		if (!strcmp(order[i].name, name))
			return order[i].backend;
	return 0;
}

/* What there is to choose for */
struct question {
	const struct vsamp_facts *facts;
	const struct vsamp_event *events;
	unsigned int n;
	struct vsamp_backend_wish wish;
};

/* Why a backend doesn't do */
struct obstacle {
	int code;	    /* 0: it does */
	bool lasting;	    /* nothing that the user could do about it */
	bool kind;	    /* it is not for events of this kind, wherever */
	unsigned int event; /* which the obstacle is for */
	char text[256];
	char remedy[256]; /* "" = none */
};

static int obstacle_set(struct obstacle *o, int code, const char *text, const char *remedy)
{
	o->code = code;
	snprintf(o->text, sizeof(o->text), "%.*s", (int)sizeof(o->text) - 1, text);
	snprintf(o->remedy, sizeof(o->remedy), "%.*s", (int)sizeof(o->remedy) - 1, remedy);
	return code;
}

static bool event_is_time(const struct vsamp_event *ev)
{
	return ev->perf_type == PERF_TYPE_SOFTWARE;
}

/* Is there an event that the backend doesn't know? */
static int obstacle_kind(struct obstacle *o, const struct question *q, uint32_t backend)
{
	for (unsigned int i = 0; i < q->n; i++) {
		const struct vsamp_event *ev = &q->events[i];
		const struct vsamp_pmu *pmu;
		char text[256];

		pmu = backend == VSAMP_BACKEND_INTEL ?
			      vsamp_pmu_of_event(q->facts->pmu, q->facts->n_pmus, ev) :
			      NULL;
		if (ev->backends >> backend & 1 && !pmu)
			continue;
		o->event = i;
		o->lasting = o->kind = true;
		snprintf(text, sizeof(text),
			 pmu ? "%s is another event, or none, on cores that aren't %s" :
			 event_is_time(ev) ? "no counter counts %s, which is time" :
			 backend == VSAMP_BACKEND_INTEL && !q->facts->intel ?
					     "the processor is not Intel's, to count %s on" :
					     "%s is encoded as perf alone can take it",
			 ev->name, pmu ? pmu->name : "");
		return obstacle_set(o, -EOPNOTSUPP, text, "");
	}
	return 0;
}

/* One of the doctor's checks that must be good */
static int obstacle_check(struct obstacle *o, const struct question *q, enum vsamp_check_code code,
			  int error)
{
	struct vsamp_check check;

	doctor_look(q->facts, code, &check);
	return check.status == VSAMP_CHECK_FAIL ? obstacle_set(o, error, check.text, check.remedy) :
						  0;
}

static int obstacle_module(struct obstacle *o, const struct question *q)
{
	static const struct {
		enum vsamp_check_code check;
		int error;
	} needs[] = {
		{ VSAMP_CHECK_INSTALLED, -ENOENT },    { VSAMP_CHECK_SIGNATURE, -ENOENT },
		{ VSAMP_CHECK_LOADED, -ENOENT },       { VSAMP_CHECK_LOCKDOWN, -EPERM },
		{ VSAMP_CHECK_PID_NAMESPACE, -EXDEV }, { VSAMP_CHECK_CAPABILITY, -EACCES },
		{ VSAMP_CHECK_DEVICE, -EACCES },
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
		if (obstacle_check(o, q, needs[i].check, needs[i].error))
			return o->code;
	return 0;
}

static int obstacle_intel(struct obstacle *o, const struct question *q)
{
	/* First what can't be mended: else the remedy for the module would promise too much */
	o->lasting = true;
	if (obstacle_check(o, q, VSAMP_CHECK_PROCESSOR, -ENODEV))
		return o->code;
	if (q->wish.backend != VSAMP_BACKEND_INTEL &&
	    obstacle_check(o, q, VSAMP_CHECK_HYPERVISOR, -EOPNOTSUPP))
		return o->code;
	o->lasting = false;
	if (obstacle_module(o, q))
		return o->code;
	if (!q->wish.watchdog_off && obstacle_check(o, q, VSAMP_CHECK_WATCHDOG, -EBUSY))
		return o->code;
	return obstacle_check(o, q, VSAMP_CHECK_HOLDERS, -EBUSY);
}

/* What keeps perf's counters from sampling, whoever asks for them */
static int obstacle_counters(struct obstacle *o, const struct vsamp_facts *f)
{
	struct perf_refusal why;
	int ret = perf_offer_refusal(f, VSAMP_PERF_HARDWARE, &why);

	if (f->kperf)
		return obstacle_set(o, f->kperf, f->kperf_text, "");
	if (!f->n_pmus)
		return obstacle_set(o, -ENODEV,
				    "the kernel has no driver for hardware counters here", "");
	if (ret != -ENODEV && ret != -EOPNOTSUPP && ret != -EBUSY)
		return 0;
	o->lasting = true;
	return obstacle_set(o, ret, why.text, why.remedy);
}

static int obstacle_kperf(struct obstacle *o, const struct question *q)
{
	if (q->wish.cgroups) {
		o->lasting = true;
		return obstacle_set(o, -EOPNOTSUPP, "it can't follow a cgroup", "-b perf can");
	}
	if (!q->facts->n_pmus) {
		o->lasting = true;
		return obstacle_counters(o, q->facts);
	}
	return obstacle_module(o, q) ? o->code : obstacle_counters(o, q->facts);
}

bool backend_kperf_counts(const struct vsamp_facts *facts)
{
	struct obstacle o = { 0 };

	return facts->module_loaded && !facts->device_errno && !obstacle_counters(&o, facts);
}

static int obstacle_try(struct obstacle *o, const struct vsamp_facts *f, enum vsamp_perf_try what)
{
	struct perf_refusal why;
	int ret = perf_offer_refusal(f, what, &why);

	o->lasting = ret && !why.remedy[0];
	return ret ? obstacle_set(o, ret, why.text, why.remedy) : 0;
}

static int obstacle_perf(struct obstacle *o, const struct question *q)
{
	for (unsigned int i = 0; i < q->n; i++) {
		const struct vsamp_event *ev = &q->events[i];
		enum vsamp_perf_try user = event_is_time(ev) ? VSAMP_PERF_CLOCK :
							       VSAMP_PERF_HARDWARE;
		enum vsamp_perf_try kernel = event_is_time(ev) ? VSAMP_PERF_CLOCK_KERNEL :
								 VSAMP_PERF_HARDWARE_KERNEL;

		o->event = i;
		if (obstacle_try(o, q->facts, ev->kernel ? kernel : user))
			return o->code;
	}
	o->event = 0;
	return q->wish.cpus ? obstacle_try(o, q->facts, VSAMP_PERF_CPU) : 0;
}

static struct obstacle obstacle_of(const struct question *q, uint32_t backend)
{
	struct obstacle o = { 0 };

	if (obstacle_kind(&o, q, backend))
		return o;
	if (backend == VSAMP_BACKEND_INTEL)
		obstacle_intel(&o, q);
	else if (backend == VSAMP_BACKEND_KPERF)
		obstacle_kperf(&o, q);
	else
		obstacle_perf(&o, q);
	return o;
}

struct text {
	char *out;
	size_t size, used;
};

static void text_add(struct text *t, const char *a, const char *b, const char *c)
{
	if (t->used < t->size)
		t->used += snprintf(t->out + t->used, t->size - t->used, "%s%s%s", a, b, c);
}

/*
 * "intel, kperf: the module is not loaded (as root: modprobe vsamp); perf: ..." of the first n
 * backends. Those that are not for such events are told only if @all.
 */
static void obstacles_text(const struct obstacle *o, size_t n, bool all, char *out, size_t size)
{
	struct text t = { .out = out, .size = size };

	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (o[i].kind && !all)
			continue;
		text_add(&t, t.used ? "; " : "", order[i].name, "");
		while (i + 1 < n && !strcmp(o[i].text, o[i + 1].text))
			text_add(&t, ", ", order[++i].name, "");
		text_add(&t, ": ", o[i].text, "");
		if (o[i].remedy[0])
			text_add(&t, " (", o[i].remedy, ")");
	}
}

/* What the processor has is of no use to anybody */
static bool counters_none(const struct vsamp_facts *f)
{
	bool intel = f->intel && f->perfmon_version >= 2 && f->trial != -ENODEV;

	return !intel && f->perf[VSAMP_PERF_HARDWARE] && f->perf[VSAMP_PERF_HARDWARE] != -EBUSY &&
	       !f->vm_counters && (!f->n_pmus || f->perf[VSAMP_PERF_HARDWARE] == -EOPNOTSUPP);
}

static bool order_wanted(const struct question *q, size_t i)
{
	return !q->wish.backend || q->wish.backend == order[i].backend;
}

/* Of what was asked for, that which would be taken where nothing better is */
static const struct obstacle *obstacle_last(const struct question *q, const struct obstacle *o)
{
	size_t last = BACKENDS - 1;

	while (last > 0 && !order_wanted(q, last))
		last--;
	return &o[last];
}

/* Why no backend does: without what is at fault in front, and what can be had behind */
static void refusal_text(const struct question *q, const struct obstacle *o, char *out, size_t size)
{
	const struct obstacle *last = obstacle_last(q, o);

	if (q->wish.backend)
		snprintf(out, size, "-b %s: %.*s%s%.*s", vsamp_backend_name(q->wish.backend), 200,
			 last->text, last->remedy[0] ? "; " : "", 180, last->remedy);
	else if (counters_none(q->facts) && !event_is_time(&q->events[last->event]))
		snprintf(out, size, "this machine has no performance counters that can be used");
	else
		obstacles_text(o, BACKENDS, false, out, size);
}

/* What else could be had, where it is a counter that is missing */
static const char *refusal_hint(const struct question *q, const struct obstacle *last)
{
	const struct vsamp_facts *f = q->facts;

	if (event_is_time(&q->events[last->event]) || last->kind ||
	    (q->wish.backend && q->wish.backend != VSAMP_BACKEND_PERF) ||
	    (q->wish.cpus && f->perf[VSAMP_PERF_CPU]))
		return "";
	if (!f->perf[VSAMP_PERF_CLOCK_KERNEL])
		return "; -e cpu-clock samples by time";
	return f->perf[VSAMP_PERF_CLOCK] ? "" : "; -e cpu-clock:u samples by time";
}

/* Index of the backend that does, BACKENDS: none. o is of those before it. */
static size_t question_answer(const struct question *q, struct obstacle *o)
{
	for (size_t i = 0; i < BACKENDS; i++) {
		o[i] = obstacle_of(q, order[i].backend);
		if (!o[i].code && order_wanted(q, i))
			return i;
	}
	return BACKENDS;
}

static int question_fail(const struct question *q, const struct obstacle *o,
			 struct vsamp_error *err)
{
	const struct obstacle *last = obstacle_last(q, o);
	const struct vsamp_event *ev = &q->events[last->event];
	char text[400];

	refusal_text(q, o, text, sizeof(text));
	return vsamp_fail(err, last->code, "%s%s: %s%s", ev->name, vsamp_event_levels(ev), text,
			  refusal_hint(q, last));
}

int vsamp_backend_choose(struct vsamp_backend_choice *choice, const struct vsamp_facts *facts,
			 const struct vsamp_event *events, unsigned int n,
			 const struct vsamp_backend_wish *wish, struct vsamp_error *err)
{
	struct question q = { .facts = facts, .events = events, .n = n };
	struct obstacle o[BACKENDS];
	size_t answer;

	if (wish)
		q.wish = *wish;
	answer = question_answer(&q, o);
	if (answer == BACKENDS)
		return question_fail(&q, o, err);
	*choice = (struct vsamp_backend_choice){ .backend = order[answer].backend, .best = true };
	if (q.wish.backend) {
		snprintf(choice->reason, sizeof(choice->reason), "asked for by -b %s",
			 order[answer].name);
		return 0;
	}
	for (size_t i = 0; i < answer; i++)
		choice->best &= o[i].lasting;
	obstacles_text(o, answer, true, choice->reason, sizeof(choice->reason));
	if (!answer)
		snprintf(choice->reason, sizeof(choice->reason), "the best there is");
	return 0;
}

#define EVENTS_USER "CPU_CLK_UNHALTED.THREAD:u,INST_RETIRED.ANY:u"

/* Whether a list of the table's events can be counted; if not, why: "" of those that can */
static int default_try(const char *list, const struct vsamp_facts *facts,
		       const struct vsamp_backend_wish *wish, char *why, size_t size,
		       struct vsamp_error *err)
{
	struct vsamp_event events[VSAMP_EVENTS_MAX];
	struct question q = { .facts = facts, .events = events };
	struct obstacle o[BACKENDS];
	int ret = vsamp_events_parse(events, &q.n, list, NULL, err);

	why[0] = '\0';
	if (ret)
		return ret;
	if (wish)
		q.wish = *wish;
	if (question_answer(&q, o) < BACKENDS)
		return 0;
	refusal_text(&q, o, why, size);
	return question_fail(&q, o, err);
}

int vsamp_backend_default_events(const char **list, char *why, size_t size,
				 const struct vsamp_facts *facts,
				 const struct vsamp_backend_wish *wish, struct vsamp_error *err)
{
	static const char *const lists[] = { VSAMP_EVENTS_DEFAULT, EVENTS_USER, "cpu-clock",
					     "cpu-clock:u" };
	struct vsamp_error refused[4] = { 0 };
	char reason[4][400];
	size_t i;

	why[0] = '\0';
	for (i = 0; i < 4; i++)
		if (!default_try(lists[i], facts, wish, reason[i], sizeof(reason[i]), &refused[i]))
			break;
	if (i == 4) {
		i = facts->n_pmus || refused[2].code == -EOPNOTSUPP ? 0 : 2;
		/* what is less may lack less */
		i += refused[i].code == -EACCES;
		return vsamp_fail(err, refused[i].code, "%s", refused[i].text);
	}
	*list = lists[i];
	if (i)
		snprintf(why, size, "%s, since %s%s%s", lists[i], reason[0],
			 i == 3 && strcmp(reason[2], reason[0]) ? "; and " : "",
			 i == 3 && strcmp(reason[2], reason[0]) ? reason[2] : "");
	return 0;
}
