// SPDX-License-Identifier: MIT
/* ratio.c: events as ratios of each other */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/ratio.h>

#include "event_priv.h"
#include "recording_private.h"

#define CONFIG_CLOCKTICKS   0x3c
#define CONFIG_INSTRUCTIONS 0xc0

/* Whether an event is that of the table that has this code, by its name, or by its code itself */
static bool is_event(const struct vsamp_recording *rec, size_t event, uint64_t config)
{
	const struct vsamp_event_info *info = event_table_find(rec->event[event].name);

	if (info)
		return info->config == config;
	return recording_meta_intel(rec) && recording_meta_config(rec, event) == config;
}

static bool same_levels(const struct vsamp_recording_event *a,
			const struct vsamp_recording_event *b)
{
	return a->user == b->user && a->kernel == b->kernel;
}

size_t vsamp_ratios_known(const struct vsamp_recording *rec, struct vsamp_ratio *ratios, size_t max)
{
	size_t n = 0;

	for (size_t c = 0; c < rec->events; c++) {
		for (size_t i = 0; i < rec->events && n < max; i++) {
			if (!is_event(rec, c, CONFIG_CLOCKTICKS) ||
			    !is_event(rec, i, CONFIG_INSTRUCTIONS) ||
			    !same_levels(&rec->event[c], &rec->event[i]))
				continue;
			ratios[n] = (struct vsamp_ratio){ .numerator = c, .denominator = i };
			snprintf(ratios[n].name, sizeof(ratios[n].name), "CPI%s",
				 rec->event[c].levels);
			n++;
		}
	}
	return n;
}

/* The event that a text of a length names; -1 if there is none */
static int find_event(const struct vsamp_recording *rec, const char *text, size_t length,
		      size_t *event)
{
	for (size_t e = 0; e < rec->events; e++) {
		if (!vsamp_recording_event_is(&rec->event[e], text, length))
			continue;
		*event = e;
		return 0;
	}
	return -1;
}

/* A name may have a '/' in it, as of a PMU: it is the one with events on both sides */
int vsamp_ratio_parse(struct vsamp_ratio *ratio, const struct vsamp_recording *rec,
		      const char *text, struct vsamp_error *err)
{
	const char *is = strchr(text, '='), *slash;
	size_t length = is ? is - text : 0;

	if (!length || length >= sizeof(ratio->name))
		return vsamp_fail(err, -EINVAL,
				  "'%s': NAME=EVENT/EVENT, the name of up to %zu characters", text,
				  sizeof(ratio->name) - 1);
	for (slash = strchr(is, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (find_event(rec, is + 1, slash - is - 1, &ratio->numerator) ||
		    find_event(rec, slash + 1, strlen(slash + 1), &ratio->denominator))
			continue;
		memcpy(ratio->name, text, length);
		ratio->name[length] = '\0';
		return 0;
	}
	return vsamp_fail(err, -EINVAL,
			  "'%s': not of two events of the recording, as NAME=EVENT/EVENT", text);
}

double vsamp_ratio_value(const struct vsamp_ratio *ratio, const double *events)
{
	return events[ratio->denominator] > 0 ?
		       events[ratio->numerator] / events[ratio->denominator] :
		       NAN;
}
