// SPDX-License-Identifier: MIT
/*
 * stream FILE: what the records of FILE say of each event, one line an event:
 *
 *	INDEX samples N sav-records N events SUM first TSC last TSC
 *
 * SUM adds up the Sample-After values that the samples were taken with: on each CPU that of the
 * event's latest SAV record, before the first the one that its collection began with.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <vsamp.h>
#include <vsamp/recording.h>

#define CPUS_MAX 64

static struct event {
	uint64_t sav[CPUS_MAX];
	uint64_t samples, savs, events, first, last;
} event[VSAMP_EVENTS_MAX];

static void take_sample(struct event *ev, uint32_t cpu, uint64_t time)
{
	if (!ev->samples++)
		ev->first = time;
	ev->last = time;
	ev->events += ev->sav[cpu];
}

static bool take(const struct vsamp_item *item)
{
	const struct vsamp_record_header *h = item->record;

	if (!h || (h->type != VSAMP_RECORD_SAMPLE && h->type != VSAMP_RECORD_SAV))
		return true;
	if (h->event >= VSAMP_EVENTS_MAX || item->cpu >= CPUS_MAX)
		return false;
	if (h->type == VSAMP_RECORD_SAV) {
		event[h->event].sav[item->cpu] = ((const struct vsamp_record_sav *)h)->sav;
		event[h->event].savs++;
	} else {
		take_sample(&event[h->event], item->cpu, item->time);
	}
	return true;
}

int main(int argc, char **argv)
{
	const struct vsamp_recording_event *events;
	struct vsamp_recording *rec;
	struct vsamp_error err;
	struct vsamp_item item;
	size_t n;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: stream FILE\n");
		return 2;
	}
	if (vsamp_recording_open(&rec, argv[1], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	n = vsamp_recording_events(rec, &events);
	for (size_t i = 0; i < n && i < VSAMP_EVENTS_MAX; i++)
		for (uint32_t cpu = 0; cpu < CPUS_MAX; cpu++)
			event[i].sav[cpu] = events[i].sav;
	while ((ret = vsamp_recording_next(rec, &item, &err)) > 0)
		if (!take(&item)) {
			fprintf(stderr, "a record of CPU %u that can't be\n", item.cpu);
			return 1;
		}
	vsamp_recording_close(rec);
	if (ret)
		fprintf(stderr, "%s\n", err.text);
	for (size_t i = 0; i < n && i < VSAMP_EVENTS_MAX; i++)
		printf("%zu samples %" PRIu64 " sav-records %" PRIu64 " events %" PRIu64
		       " first %" PRIu64 " last %" PRIu64 "\n",
		       i, event[i].samples, event[i].savs, event[i].events, event[i].first,
		       event[i].last);
	return !!ret;
}
