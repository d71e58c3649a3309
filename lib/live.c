// SPDX-License-Identifier: MIT
/* live.c: places the samples of a running session */
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/machine.h>

#include "file_private.h"
#include "file_writer.h"
#include "live_private.h"
#include "perf_record.h"
#include "vdso.h"

/* Names of processes that may be kept though none has them */
#define IDENTITIES_SPARE 1024

static int no_memory(struct vsamp_error *err)
{
	return vsamp_fail(err, -ENOMEM, "out of memory");
}

static int sink_records(void *arg, uint32_t cpu, const void *data, size_t size)
{
	return live_queue_records(arg, cpu, data, size);
}

static int sink_sideband(void *arg, uint32_t cpu, const void *data, size_t size)
{
	return live_queue_sideband(arg, cpu, data, size);
}

/* The kernel's symbols, as from now on; they are asked for when all before is placed */
static int sink_kallsyms(void *arg, const struct buf *text, uint64_t time)
{
	struct vsamp_recording *rec = &((struct vsamp_live *)arg)->rec;
	struct recording_snapshot *more;
	struct kallsyms *k;
	int ret = kallsyms_open(&k, (const char *)text->data, text->size);

	if (ret)
		return ret;
	more = reallocarray(rec->snapshot, rec->snapshots + 1, sizeof(*more));
	if (!more) {
		kallsyms_close(k);
		return -ENOMEM;
	}
	more[rec->snapshots++] = (struct recording_snapshot){
		.time = vsamp_clock_fit_ticks(rec->clock, time),
		.kallsyms = k,
	};
	rec->snapshot = more;
	return 0;
}

static const struct writer_sink live_sink = {
	.records = sink_records,
	.sideband = sink_sideband,
	.kallsyms = sink_kallsyms,
};

/* What tells that files and processes are those of here */
static int fill_meta(struct vsamp_recording *rec, const struct vsamp_machine *here)
{
	struct json_object *meta = json_object_new_object();
	char hex[BUILDID_HEX];
	struct buildid id;

	if (!meta)
		return -ENOMEM;
	vdso_id(&id);
	json_object_object_add(meta, "pid_namespace", json_object_new_uint64(here->pid_namespace));
	json_object_object_add(meta, "vdso_build_id",
			       json_object_new_string(buildid_format(&id, hex)));
	rec->meta = meta;
	return 0;
}

/* What placing asks of a recording: events, how many CPUs there may be, the boot */
static int fill_recording(struct vsamp_recording *rec, const struct vsamp_event *events,
			  unsigned int n_events)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	struct vsamp_machine here;

	vsamp_machine_get(&here);
	rec->boot_id = strdup(here.boot_id);
	rec->event = calloc(n_events + 1UL, sizeof(*rec->event));
	rec->cpu = calloc(1, sizeof(*rec->cpu));
	if (!rec->boot_id || !rec->event || !rec->cpu || fill_meta(rec, &here))
		return -ENOMEM;
	rec->events = n_events;
	for (unsigned int i = 0; i < n_events; i++) {
		rec->event[i].sav = events[i].sav;
		rec->event[i].share = 1;
	}
	rec->cpus = 1;
	rec->cpu[0].cpu = cpus > 0 ? cpus - 1 : 0;
	return 0;
}

int vsamp_live_open(struct vsamp_live **out, const struct vsamp_event *events,
		    unsigned int n_events, uint64_t clock_khz, struct vsamp_error *err)
{
	struct vsamp_live *live = calloc(1, sizeof(*live));
	int ret;

	if (!live)
		return no_memory(err);
	live->khz = clock_khz;
	live->symbols.events = n_events;
	ret = fill_recording(&live->rec, events, n_events);
	if (!ret)
		ret = writer_open_sink(&live->writer, &live_sink, live);
	if (!ret)
		ret = placer_init(&live->placer, &live->rec, false, err);
	if (!ret)
		ret = live_fit(live);
	if (ret) {
		vsamp_live_close(live);
		return no_memory(err);
	}
	*out = live;
	return 0;
}

struct vsamp_writer *vsamp_live_writer(struct vsamp_live *live)
{
	return live->writer;
}

static int take_exit(struct vsamp_live *live, const struct perf_event_header *sideband)
{
	const struct task_record *task = (const void *)sideband;

	if (sideband->size < sizeof(*task) + sizeof(struct sideband_id))
		return 0;
	return buf_add(&live->exits, &task->pid, sizeof(task->pid));
}

/* What would else grow for as long as it runs. A process is there until its last thread ended */
static int forget(struct vsamp_live *live)
{
	const uint32_t *pid = (const void *)live->exits.data;
	size_t count = live->exits.size / sizeof(*pid);
	struct procmap *pm = &live->placer.procmap;

	for (size_t i = 0; i < count; i++)
		if (kill(pid[i], 0) && errno == ESRCH)
			procmap_forget(pm, pid[i]);
	live->exits.size = 0;
	return pm->identities.count > IDENTITIES_SPARE + 2 * pm->procs ? procmap_trim(pm) : 0;
}

/* Where a sample fell, until all of the step have names */
struct placed {
	double weight;
	uint32_t spot, event;
};

static int take_record(struct vsamp_live *live, const struct vsamp_item *item, struct buf *placed,
		       struct vsamp_error *err)
{
	const struct vsamp_record_header *h = item->record;
	struct placed sample = { 0 };
	struct place place;
	int ret;

	if (item->sideband && item->sideband->type == PERF_RECORD_EXIT)
		return take_exit(live, item->sideband) ? no_memory(err) : 0;
	if (h && h->type == VSAMP_RECORD_SAMPLE) {
		ret = placer_place(&live->placer, item->cpu, (const void *)h, &place,
				   &sample.weight, err);
		sample.spot = place.spot;
		sample.event = h->event;
		return ret ? ret : buf_add(placed, &sample, sizeof(sample)) ? no_memory(err) : 0;
	}
	if (h && h->type == VSAMP_RECORD_LOST)
		live->last.lost += ((const struct vsamp_record_lost *)h)->count;
	live->last.throttles += h && h->type == VSAMP_RECORD_THROTTLE;
	return placer_take(&live->placer, item, err);
}

static int place_all(struct vsamp_live *live, const struct live_queue *q, struct buf *placed,
		     struct vsamp_error *err)
{
	const struct live_record *r = (const void *)q->records.data;
	size_t count = q->records.size / sizeof(*r);
	int ret = 0;

	for (size_t i = 0; i < count && !ret; i++) {
		const void *at = q->bytes.data + r[i].at;
		struct vsamp_item item = {
			.cpu = r[i].cpu,
			.time = r[i].time,
			.record = r[i].sideband ? NULL : at,
			.sideband = r[i].sideband ? at : NULL,
		};

		ret = take_record(live, &item, placed, err);
	}
	return ret;
}

static void add_up(struct vsamp_live *live, uint64_t sideband_lost)
{
	struct vsamp_live_totals *all = &live->all, *last = &live->last;

	last->sideband_lost = sideband_lost;
	all->samples += last->samples;
	all->lost += last->lost;
	all->throttles += last->throttles;
	all->sideband_lost += last->sideband_lost;
	for (size_t e = 0; e < live->rec.events; e++) {
		all->event_samples[e] += last->event_samples[e];
		all->events[e] += last->events[e];
		all->sums[e] = last->sums[e];
	}
}

int vsamp_live_step(struct vsamp_live *live, struct vsamp_error *err)
{
	uint64_t lost = live->placer.procmap.lost;
	struct live_queue taken = { 0 };
	struct buf placed = { 0 };
	const struct placed *p;
	struct timespec now;
	int ret;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	live_begin_step(live);
	if (live_queue_take(live, now.tv_sec * 1000000000ULL + now.tv_nsec, &taken))
		ret = no_memory(err);
	else
		ret = place_all(live, &taken, &placed, err);
	modules_refresh(&live->placer.modules);
	if (!ret)
		ret = names_find(&live->placer.names, err);
	p = (const void *)placed.data;
	for (size_t i = 0; !ret && i < placed.size / sizeof(*p); i++)
		if (live_count(live, p[i].spot, p[i].event, p[i].weight))
			ret = no_memory(err);
	if (!ret && forget(live))
		ret = no_memory(err);
	add_up(live, live->placer.procmap.lost - lost);
	live_queue_free(&taken);
	buf_free(&placed);
	return ret;
}

const struct vsamp_live_totals *vsamp_live_last(const struct vsamp_live *live)
{
	return &live->last;
}

const struct vsamp_live_totals *vsamp_live_all(const struct vsamp_live *live)
{
	return &live->all;
}

void vsamp_live_close(struct vsamp_live *live)
{
	struct vsamp_recording *rec;

	if (!live)
		return;
	rec = &live->rec;
	vsamp_writer_close(live->writer, NULL);
	placer_free(&live->placer);
	live_queue_free(&live->queue);
	buf_free(&live->exits);
	buf_free(&live->points);
	buf_free(&live->monotonic);
	tally_free(&live->symbols);
	buf_free(&live->sums);
	for (size_t i = 0; i < rec->snapshots; i++)
		kallsyms_close(rec->snapshot[i].kallsyms);
	free(rec->snapshot);
	vsamp_clock_fit_free(rec->clock);
	vsamp_clock_fit_free(rec->monotonic);
	json_object_put(rec->meta);
	free(rec->boot_id);
	free(rec->event);
	free(rec->cpu);
	free(live);
}
