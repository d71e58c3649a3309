// SPDX-License-Identifier: MIT
/* NAME[:u][:k][:sav=N], and lists of it */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vsamp.h>

#include "event_priv.h"

#define GENERAL_ANY 0xffffffffULL
/* Of events that the table has no value for */
#define SAV_UNKNOWN 200003

static const char *const sav_source_names[] = {
	[VSAMP_SAV_DEFAULT] = "default",
	[VSAMP_SAV_EXPLICIT] = "explicit",
	[VSAMP_SAV_CALIBRATED] = "calibrated",
	[VSAMP_SAV_FREQUENCY] = "frequency",
};

const char *vsamp_sav_source_name(enum vsamp_sav_source source)
{
	return sav_source_names[source];
}

static char *text_trim(char *s)
{
	char *end = s + strlen(s);

	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

static int event_parse_sav(struct vsamp_event *ev, const char *text, const char *value,
			   struct vsamp_error *err)
{
	unsigned long long sav;
	char *end;

	errno = 0;
	sav = strtoull(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end || errno || sav < VSAMP_SAV_MIN)
		return vsamp_fail(
			err, -EINVAL,
			"%s: '%s' is no Sample-After value: give a whole number, at least %d", text,
			value, VSAMP_SAV_MIN);
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

/* Takes modifiers off the end of name; what they leave is the name, perhaps with libpfm4's own */
static int event_modifiers(struct vsamp_event *ev, const char *text, char *name,
			   struct vsamp_error *err)
{
	char *colon;
	int ret;

	while ((colon = strrchr(name, ':'))) {
		ret = event_modifier(ev, text, text_trim(colon + 1), err);
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

static void event_from_row(struct vsamp_event *ev, const struct vsamp_event_info *row)
{
	ev->config = row->config;
	ev->counters = row->general ? GENERAL_ANY : 0;
	if (row->fixed >= 0)
		ev->counters |= 1ULL << (VSAMP_COUNTER_FIXED + row->fixed);
	ev->arch_bit = row->arch_bit;
	ev->clockticks = row->clockticks;
	ev->calibrate = row->calibrate;
	if (!ev->sav)
		ev->sav = row->sav;
}

/* What libpfm4 does not take as a name may be a name of the table with a modifier misspelt */
static bool event_is_misspelt_modifier(const char *name, const char **modifier)
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
	const char *modifier;
	char near[320];

	if (event_is_misspelt_modifier(name, &modifier))
		return vsamp_fail(err, -EINVAL, "%s: '%s' is no modifier: they are u, k and sav=N",
				  text, modifier);
	if (code != -ENOENT)
		return code;
	event_near(near, sizeof(near), name);
	if (*near)
		return vsamp_fail(err, -EINVAL, "%s: no such event; there is %s", name, near);
	return vsamp_fail(err, -EINVAL, "%s: no such event; 'vsamp list' shows those there are",
			  name);
}

static int event_resolve(struct vsamp_event *ev, const char *text, struct vsamp_error *err)
{
	const struct vsamp_event_info *row = event_table_find(ev->name);
	uint64_t config;
	int ret;

	if (!row) {
		ret = event_parse_raw(ev->name, &config) ? 0 :
							   event_pfm_encode(ev->name, &config, err);
		if (ret)
			return event_unknown(text, ev->name, ret, err);
		if (config & ~VSAMP_CONFIG_MASK)
			return vsamp_fail(err, -EINVAL,
					  "%s: bits %#" PRIx64 " are not an event's: use rUUEE",
					  ev->name, (uint64_t)(config & ~VSAMP_CONFIG_MASK));
		row = event_table_find_config(config);
	}
	if (row) {
		event_from_row(ev, row);
		return 0;
	}
	if (!(config & 0xff))
		return vsamp_fail(err, -EINVAL, "%s: no counter of this CPU counts event 0",
				  ev->name);
	ev->config = config;
	ev->counters = GENERAL_ANY;
	if (!ev->sav)
		ev->sav = SAV_UNKNOWN;
	return 0;
}

static int event_parse(struct vsamp_event *ev, char *text, struct vsamp_error *err)
{
	char name[VSAMP_EVENT_NAME_MAX + 64];
	int ret;

	*ev = (struct vsamp_event){ .arch_bit = -1 };
	text = text_trim(text);
	if (strlen(text) >= sizeof(name))
		return vsamp_fail(err, -EINVAL, "%.40s...: too long for an event's name", text);
	strcpy(name, text);
	ret = event_modifiers(ev, text, name, err);
	if (ret)
		return ret;
	if (strlen(text_trim(name)) >= sizeof(ev->name))
		return vsamp_fail(err, -EINVAL, "%.40s...: too long for an event's name", text);
	strcpy(ev->name, text_trim(name));
	if (!*ev->name)
		return vsamp_fail(err, -EINVAL, "'%s': the name of an event is missing", text);
	if (!ev->user && !ev->kernel)
		ev->user = ev->kernel = true;
	return event_resolve(ev, text, err);
}

static int event_check_new(const struct vsamp_event *events, unsigned int n,
			   const struct vsamp_event *ev, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < n; i++)
		if (events[i].config == ev->config && events[i].user == ev->user &&
		    events[i].kernel == ev->kernel)
			return vsamp_fail(err, -EINVAL, "%s: already selected%s%s", ev->name,
					  strcmp(events[i].name, ev->name) ? ", as " : "",
					  strcmp(events[i].name, ev->name) ? events[i].name : "");
	return 0;
}

int vsamp_events_parse(struct vsamp_event *events, unsigned int *n, const char *list,
		       struct vsamp_error *err)
{
	char *copy = strdup(list), *next = copy, *text;
	unsigned int count = *n;
	int ret = copy ? 0 : vsamp_fail(err, -ENOMEM, "out of memory");

	while (!ret && (text = strsep(&next, ","))) {
		struct vsamp_event ev;

		ret = event_parse(&ev, text, err);
		if (!ret)
			ret = event_check_new(events, count, &ev, err);
		if (!ret && count == VSAMP_EVENTS_MAX)
			ret = vsamp_fail(err, -E2BIG, "%s: more than %d events", ev.name,
					 VSAMP_EVENTS_MAX);
		if (!ret)
			events[count++] = ev;
	}
	free(copy);
	if (!ret)
		*n = count;
	return ret;
}

int vsamp_events_check_sav(const struct vsamp_event *events, unsigned int n, bool force,
			   uint64_t sav_max, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < n; i++) {
		const struct vsamp_event *ev = &events[i];

		if (ev->sav < VSAMP_SAV_FLOOR && !force)
			return vsamp_fail(
				err, -ERANGE,
				"%s: Sample-After value %" PRIu64
				" is below %d, where interrupts can take most of the time; --force allows it",
				ev->name, ev->sav, VSAMP_SAV_FLOOR);
		if (ev->sav > sav_max)
			return vsamp_fail(err, -ERANGE,
					  "%s: Sample-After value %" PRIu64 " is above %" PRIu64
					  ", the most that the counter holds",
					  ev->name, ev->sav, sav_max);
	}
	return 0;
}
