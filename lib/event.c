// SPDX-License-Identifier: MIT
/* NAME[:u][:k][:sav=N], and lists of it */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>
#include <vsamp/control.h>
#include <vsamp/pmu.h>

#include "event_config_priv.h"
#include "event_priv.h"
#include "processor.h"

#define GENERAL_ANY   0xffffffffULL
/* Of events that the table has no value for */
#define SAV_UNKNOWN   200003
/* The kernel's timers of cpu-clock expire no nearer, ns */
#define CLOCK_SAV_MIN 10000

static const char *const sav_source_names[] = {
	[VSAMP_SAV_DEFAULT] = "default",     [VSAMP_SAV_CONFIG] = "config",
	[VSAMP_SAV_EXPLICIT] = "explicit",   [VSAMP_SAV_CALIBRATED] = "calibrated",
	[VSAMP_SAV_FREQUENCY] = "frequency",
};

const char *vsamp_sav_source_name(enum vsamp_sav_source source)
{
	return sav_source_names[source];
}

const char *vsamp_event_levels(const struct vsamp_event *ev)
{
	return ev->user && ev->kernel ? "" : ev->user ? ":u" : ":k";
}

char *event_text_trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

const char *event_sav_parse(const char *value, uint64_t *sav)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || (!errno && number < VSAMP_SAV_MIN))
		return "give a whole number, at least 2";
	if (errno || number > INT64_MAX)
		return "no counter holds so much";
	*sav = number;
	return NULL;
}

static int event_parse_sav(struct vsamp_event *ev, const char *text, const char *value,
			   struct vsamp_error *err)
{
	uint64_t sav = 0;
	const char *wrong = event_sav_parse(value, &sav);

	if (wrong)
		return vsamp_fail(err, -EINVAL, "%s: '%s' is no Sample-After value: %s", text,
				  value, wrong);
	if (ev->sav)
		return vsamp_fail(err, -EINVAL, "%s: sav is given twice", text);
	ev->sav = sav;
	ev->sav_source = VSAMP_SAV_EXPLICIT;
	return 0;
}

/* 1: the word is a modifier and was taken, 0: it isn't one */
static int event_modifier(struct vsamp_event *ev, const char *text, const char *word,
			  struct vsamp_error *err)
{
	int ret;

	if (!strncasecmp(word, "sav=", 4)) {
		ret = event_parse_sav(ev, text, word + 4, err);
		return ret ? ret : 1;
	}
	if (!*word || word[strspn(word, "ukUK")])
		return 0;
	for (; *word; word++) {
		ev->user |= tolower((unsigned char)*word) == 'u';
		ev->kernel |= tolower((unsigned char)*word) == 'k';
	}
	return 1;
}

int event_modifiers(struct vsamp_event *ev, const char *text, char *name, struct vsamp_error *err)
{
	char *colon;
	int ret;

	while ((colon = strrchr(name, ':'))) {
		ret = event_modifier(ev, text, event_text_trim(colon + 1), err);
		if (ret < 0)
			return ret;
		if (!ret)
			break;
		*colon = '\0';
	}
	return 0;
}

static bool event_parse_raw(const char *name, uint64_t *config)
{
	size_t digits = strlen(name) - 1;

	if (tolower((unsigned char)name[0]) != 'r' || digits < 1 || digits > 8 ||
	    name[1 + strspn(name + 1, "0123456789abcdefABCDEF")])
		return false;
	*config = strtoull(name + 1, NULL, 16);
	return true;
}

bool event_processor_intel(void)
{
	static int intel = -1;
	struct processor p;

	if (intel < 0) {
		processor_get(&p);
		intel = p.intel;
	}
	return intel;
}

static void code_from_row(struct event_code *code, const struct vsamp_event_info *row)
{
	*code = (struct event_code){
		.row = row,
		.backends = 1U << VSAMP_BACKEND_PERF,
		.perf_type = row->perf_type,
		.perf_config = row->perf_config,
	};
	if (row->perf_type == PERF_TYPE_SOFTWARE)
		return;
	code->backends |= 1U << VSAMP_BACKEND_KPERF;
	if (event_processor_intel()) {
		code->backends |= 1U << VSAMP_BACKEND_INTEL;
		code->config = row->config;
	}
}

/* An event of the processor's own: what it is to the intel backend, and whether the table has it */
static void code_finish(struct event_code *code)
{
	bool intel = event_processor_intel() && code->perf_type == PERF_TYPE_RAW &&
		     !(code->perf_config & ~VSAMP_CONFIG_MASK);
	const struct vsamp_event_info *row = intel ? event_table_find_config(code->perf_config) :
						     NULL;

	if (row) {
		code_from_row(code, row);
		return;
	}
	code->backends = 1U << VSAMP_BACKEND_KPERF | 1U << VSAMP_BACKEND_PERF;
	if (intel) {
		code->backends |= 1U << VSAMP_BACKEND_INTEL;
		code->config = code->perf_config;
	}
}

static int code_check_raw(const char *name, const struct event_code *code, struct vsamp_error *err)
{
	uint64_t more = code->perf_config & ~VSAMP_CONFIG_MASK;

	if (more)
		return vsamp_fail(err, -EINVAL,
				  "%s: bits %#" PRIx64 " are not an event's: use rUUEE", name,
				  more);
	if (event_processor_intel() && !code->row && !(code->perf_config & 0xff))
		return vsamp_fail(err, -EINVAL, "%s: no counter of this CPU counts event 0", name);
	return 0;
}

/* PMU/rUUEE/, of one kind of core. 1: it isn't that */
static int event_encode_pmu(const char *name, struct event_code *code, struct vsamp_error *err)
{
	struct vsamp_pmu pmu[VSAMP_PMUS_MAX];
	char known[256], raw[16];
	const char *slash = strchr(name, '/');
	size_t n;

	if (!slash || sscanf(slash, "/%15[^/]/", raw) != 1 || strlen(slash) != strlen(raw) + 2 ||
	    slash[strlen(raw) + 1] != '/' || !event_parse_raw(raw, &code->perf_config))
		return 1;
	n = vsamp_pmus_get(pmu, "");
	for (size_t i = 0; i < n; i++) {
		if (strlen(pmu[i].name) != (size_t)(slash - name) ||
		    strncmp(pmu[i].name, name, slash - name))
			continue;
		code->perf_type = pmu[i].type;
		code->backends = 1U << VSAMP_BACKEND_KPERF | 1U << VSAMP_BACKEND_PERF;
		return code_check_raw(name, code, err);
	}
	vsamp_pmus_text(pmu, n, known, sizeof(known));
	return vsamp_fail(err, -EINVAL, "%s: there is no core PMU of that name here%s%s", name,
			  n ? "; there is " : "", known);
}

int event_encode(const char *name, struct event_code *code, struct vsamp_error *err)
{
	const struct vsamp_event_info *row = event_table_find(name);
	bool raw;
	int ret;

	if (row) {
		code_from_row(code, row);
		return 0;
	}
	*code = (struct event_code){ .perf_type = PERF_TYPE_RAW };
	ret = event_encode_pmu(name, code, err);
	if (ret <= 0)
		return ret;
	raw = event_parse_raw(name, &code->perf_config);
	ret = raw ? 0 : event_pfm_encode(name, code, err);
	if (ret)
		return ret;
	code_finish(code);
	return raw ? code_check_raw(name, code, err) : 0;
}

static void event_from_code(struct vsamp_event *ev, const struct event_code *code)
{
	const struct vsamp_event_info *row = code->row;

	ev->backends = code->backends;
	ev->config = code->config;
	ev->perf_type = code->perf_type;
	ev->perf_config = code->perf_config;
	ev->counters = !row || row->general ? GENERAL_ANY : 0;
	if (row && row->fixed >= 0)
		ev->counters |= 1ULL << (VSAMP_COUNTER_FIXED + row->fixed);
	ev->arch_bit = row ? row->arch_bit : -1;
	ev->clockticks = row && row->clockticks;
	ev->clock_hz = row ? row->clock_hz : 0;
	ev->calibrate = row && row->calibrate;
	if (!ev->sav)
		ev->sav = row ? row->sav : SAV_UNKNOWN;
}

bool event_is_misspelt_modifier(const char *name, const char **modifier)
{
	const char *colon = strrchr(name, ':');
	char front[VSAMP_EVENT_NAME_MAX];

	if (!colon)
		return false;
	snprintf(front, sizeof(front), "%.*s", (int)(colon - name), name);
	*modifier = colon + 1;
	return event_table_find(front);
}

static int event_unknown(const char *text, const char *name, int code, struct vsamp_error *err)
{
	const char *modifier, *processor;
	char near[320];

	if (event_is_misspelt_modifier(name, &modifier))
		return vsamp_fail(err, -EINVAL, "%s: '%s' is no modifier: they are u, k and sav=N",
				  text, modifier);
	if (code != -ENOENT)
		return code;
	processor = event_pfm_elsewhere(name);
	if (processor)
		return vsamp_fail(
			err, -EINVAL,
			"%s: an event of %s, which this machine doesn't have; 'vsamp list' "
			"shows the events there are",
			name, processor);
	event_near(near, sizeof(near), name);
	if (*near)
		return vsamp_fail(err, -EINVAL, "%s: no such event; there is %s", name, near);
	return vsamp_fail(err, -EINVAL, "%s: no such event; 'vsamp list' shows those there are",
			  name);
}

/* A name that a file gives: of an event, and perhaps of its levels */
static int event_from_section(struct vsamp_event *ev, const struct event_section *s,
			      struct vsamp_error *err)
{
	if (!s->known)
		return vsamp_fail(
			err, -EINVAL,
			"%s: configured as another name of %s, which this machine doesn't have",
			ev->name, s->name);
	event_from_code(ev, &s->code);
	if (!ev->user && !ev->kernel) {
		ev->user = s->user;
		ev->kernel = s->kernel;
	}
	return 0;
}

static int event_resolve(struct vsamp_event *ev, const char *text,
			 const struct vsamp_event_config *config, struct vsamp_error *err)
{
	const struct event_section *s = event_config_find_alias(config, ev->name);
	struct event_code code;
	int ret;

	if (s) {
		ret = event_from_section(ev, s, err);
		if (ret)
			return ret;
	} else {
		ret = event_encode(ev->name, &code, err);
		if (ret)
			return event_unknown(text, ev->name, ret, err);
		event_from_code(ev, &code);
	}
	if (!ev->user && !ev->kernel)
		ev->user = ev->kernel = true;
	event_config_apply(config, ev);
	return 0;
}

static int event_parse(struct vsamp_event *ev, char *text, const struct vsamp_event_config *config,
		       struct vsamp_error *err)
{
	char name[VSAMP_EVENT_NAME_MAX + 64];
	int ret;

	*ev = (struct vsamp_event){ .arch_bit = -1 };
	text = event_text_trim(text);
	if (strlen(text) >= sizeof(name))
		return vsamp_fail(err, -EINVAL, "%.40s...: too long for an event's name", text);
	strcpy(name, text);
	ret = event_modifiers(ev, text, name, err);
	if (ret)
		return ret;
	if (strlen(event_text_trim(name)) >= sizeof(ev->name))
		return vsamp_fail(err, -EINVAL, "%.40s...: too long for an event's name", text);
	strcpy(ev->name, event_text_trim(name));
	if (!*ev->name)
		return vsamp_fail(err, -EINVAL, "'%s': the name of an event is missing", text);
	return event_resolve(ev, text, config, err);
}

static int event_check_new(const struct vsamp_event *events, unsigned int n,
			   const struct vsamp_event *ev, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < n; i++)
		if (events[i].perf_type == ev->perf_type &&
		    events[i].perf_config == ev->perf_config && events[i].user == ev->user &&
		    events[i].kernel == ev->kernel)
			return vsamp_fail(err, -EINVAL, "%s: already selected%s%s", ev->name,
					  strcmp(events[i].name, ev->name) ? ", as " : "",
					  strcmp(events[i].name, ev->name) ? events[i].name : "");
	return 0;
}

int vsamp_events_parse(struct vsamp_event *events, unsigned int *n, const char *list,
		       const struct vsamp_event_config *config, struct vsamp_error *err)
{
	char *copy = strdup(list), *next = copy, *text;
	unsigned int count = *n;
	int ret = copy ? 0 : vsamp_fail(err, -ENOMEM, "out of memory");

	while (!ret && (text = strsep(&next, ","))) {
		struct vsamp_event ev;

		ret = event_parse(&ev, text, config, err);
		if (!ret)
			ret = event_check_new(events, count, &ev, err);
		if (!ret && count == VSAMP_EVENTS_MAX)
			ret = vsamp_fail(err, -E2BIG, "%s: more than %d events", ev.name,
					 VSAMP_EVENTS_MAX);
		if (!ret)
			events[count++] = ev;
	}
	free(copy);
	if (ret)
		return ret;
	event_config_exclude(config, events, count);
	*n = count;
	return 0;
}

uint64_t vsamp_event_sav_floor(const struct vsamp_event *ev, bool force)
{
	if (ev->perf_type == PERF_TYPE_SOFTWARE)
		return CLOCK_SAV_MIN;
	return force ? VSAMP_SAV_MIN : VSAMP_SAV_FLOOR;
}

static int event_fail_sav(const struct vsamp_event *ev, struct vsamp_error *err)
{
	if (ev->perf_type == PERF_TYPE_SOFTWARE)
		return vsamp_fail(err, -ERANGE,
				  "%s: Sample-After value %" PRIu64
				  " is below %d ns, and the kernel takes samples no nearer",
				  ev->name, ev->sav, CLOCK_SAV_MIN);
	return vsamp_fail(
		err, -ERANGE,
		"%s: Sample-After value %" PRIu64
		" is below %d, where interrupts can take most of the time; --force allows it",
		ev->name, ev->sav, VSAMP_SAV_FLOOR);
}

int vsamp_events_check_sav(const struct vsamp_event *events, unsigned int n, bool force,
			   uint64_t sav_max, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct vsamp_event *ev = &events[i];

		if (ev->sav < vsamp_event_sav_floor(ev, force))
			return event_fail_sav(ev, err);
		if (ev->sav > sav_max)
			return vsamp_fail(err, -ERANGE,
					  "%s: Sample-After value %" PRIu64 " is above %" PRIu64
					  ", the most that the counter holds",
					  ev->name, ev->sav, sav_max);
	}
	return 0;
}
