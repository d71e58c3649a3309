// SPDX-License-Identifier: MIT
/* recording_warn.c: what a reader of a recording must be told before its numbers are believed */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "recording_private.h"

static int __attribute__((format(printf, 2, 3)))
warn(struct vsamp_recording *rec, const char *fmt, ...)
{
	char **more = realloc(rec->warning, (rec->warnings + 1) * sizeof(*more));
	va_list ap;
	int n;

	if (!more)
		return -ENOMEM;
	rec->warning = more;
	va_start(ap, fmt);
	n = vasprintf(&more[rec->warnings], fmt, ap);
	va_end(ap);
	if (n < 0)
		return -ENOMEM;
	rec->warnings++;
	return 0;
}

static int warn_state(struct vsamp_recording *rec)
{
	const char *why;
	enum vsamp_file_state state = vsamp_reader_state(rec->reader, &why);

	if (state == VSAMP_FILE_COMPLETE)
		return 0;
	return warn(rec,
		    "the recording is incomplete: the file is %s; what is before that is shown%s",
		    why, rec->end ? "" : ", and what was lost is known only up to there");
}

static int warn_lost(struct vsamp_recording *rec)
{
	const struct vsamp_recording_totals *t = &rec->totals;

	if (!t->lost)
		return 0;
	return warn(rec,
		    "%" PRIu64 " of %" PRIu64 " records (%.2f %%) were lost, as the rings were "
		    "full: record with larger rings (--ring-size) or Sample-After values",
		    t->lost, t->produced, 100.0 * t->lost / t->produced);
}

static int warn_gpu(struct vsamp_recording *rec, const struct vsamp_gpu_recorded *gpu)
{
	const struct vsamp_gpu_totals *t = &gpu->totals;

	if (!t->lost && !t->no_room)
		return 0;
	return warn(rec,
		    "GPU %s: reports are missing beside %" PRIu64 ": %" PRIu64
		    " that it lost, %" PRIu64
		    " that were not read in time; of these times nothing is known: record with a "
		    "longer --gpu-period",
		    gpu->slot, t->reports, t->lost, t->no_room);
}

/* Of each CPU: does what the kernel counted agree with itself, and with what the file has? */
static int warn_cpu(struct vsamp_recording *rec, const struct vsamp_recording_cpu *cpu)
{
	int ret = 0;

	if (!rec->end)
		return 0;
	if (!cpu->told)
		return warn(rec,
			    "CPU %u: %" PRIu64 " records are in the file, whose totals don't "
			    "tell of it",
			    cpu->cpu, cpu->records);
	if (cpu->produced != cpu->written + cpu->lost)
		ret = warn(rec,
			   "CPU %u: %" PRIu64 " records produced, but %" PRIu64
			   " written and %" PRIu64 " lost: the numbers don't add up",
			   cpu->cpu, cpu->produced, cpu->written, cpu->lost);
	if (!ret && cpu->lost_marked > cpu->lost)
		ret = warn(rec,
			   "CPU %u: the records tell of %" PRIu64 " lost, the totals of %" PRIu64,
			   cpu->cpu, cpu->lost_marked, cpu->lost);
	if (!ret && (cpu->records != cpu->written || cpu->read != cpu->written))
		ret = warn(rec,
			   "CPU %u: %" PRIu64 " records written, %" PRIu64 " read, %" PRIu64
			   " in the file",
			   cpu->cpu, cpu->written, cpu->read, cpu->records);
	return ret;
}

static int warn_quality(struct vsamp_recording *rec)
{
	const struct vsamp_recording_totals *t = &rec->totals;
	int ret = 0;

	if (t->sideband_lost)
		ret = warn(rec,
			   "%" PRIu64 " records of processes and mappings were lost: samples may "
			   "lack names or have those of an earlier program; record with a larger "
			   "--sideband-size",
			   t->sideband_lost);
	if (!ret && t->throttles)
		ret = warn(rec,
			   "sampling was held back %" PRIu64 " time%s, as there were too many "
			   "interrupts: record with larger Sample-After values",
			   t->throttles, t->throttles == 1 ? "" : "s");
	if (!ret && t->foreign)
		ret = warn(rec, "somebody else wrote to the counters, which ended the recording");
	if (!ret && t->records && !vsamp_clock_fit_points(rec->clock))
		ret = warn(rec,
			   "there are no clock records: samples and process names may not match "
			   "in time");
	return ret;
}

/* The names of some events: those in set @set, or if it is no set, those that were not counted */
static char *event_names(const struct vsamp_recording *rec, size_t set, size_t *count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	*count = 0;
	if (!out)
		return NULL;
	for (size_t i = 0; i < rec->events; i++) {
		const struct vsamp_recording_event *e = &rec->event[i];

		if (set < rec->sets ? e->set == set : !rec->set_counted[e->set])
			fprintf(out, "%s%s%s", (*count)++ ? ", " : "", e->name, e->levels);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static int warn_not_counted(struct vsamp_recording *rec)
{
	size_t count;
	char *names = event_names(rec, SIZE_MAX, &count);
	int ret = 0;

	if (!names)
		return -ENOMEM;
	if (count)
		ret = warn(rec, "event%s %s %s not recorded: the recording ended before %s turn",
			   count > 1 ? "s" : "", names, count > 1 ? "were" : "was",
			   count > 1 ? "their set's" : "its set's");
	free(names);
	return ret;
}

/* Time slices: a set that had less than half of what it should have had */
static int warn_share(struct vsamp_recording *rec, size_t set, double share)
{
	double fair = 1.0 / rec->sets;
	size_t count;
	char *names;
	int ret;

	if (share >= fair / 2)
		return 0;
	names = event_names(rec, set, &count);
	if (!names)
		return -ENOMEM;
	ret = warn(rec,
		   "event%s %s %s counted for %.2g %% of the time, instead of %.2g %%: %s numbers "
		   "are rough; record for longer or with longer time slices (--mux)",
		   count > 1 ? "s" : "", names, count > 1 ? "were" : "was", 100 * share, 100 * fair,
		   count > 1 ? "their" : "its");
	free(names);
	return ret;
}

static int warn_sets(struct vsamp_recording *rec)
{
	int ret = warn_not_counted(rec);

	for (size_t set = 0; set < rec->sets && !ret; set++) {
		size_t i = 0;

		while (i < rec->events && rec->event[i].set != set)
			i++;
		if (i < rec->events)
			ret = warn_share(rec, set, rec->event[i].share);
	}
	return ret;
}

int recording_warn(struct vsamp_recording *rec)
{
	int ret = warn_state(rec);

	if (!ret)
		ret = warn_sets(rec);
	if (!ret)
		ret = warn_lost(rec);
	for (size_t i = 0; i < rec->gpus && !ret; i++)
		ret = warn_gpu(rec, &rec->gpu[i]);
	for (size_t i = 0; i < rec->cpus && !ret; i++)
		ret = warn_cpu(rec, &rec->cpu[i]);
	return ret ? ret : warn_quality(rec);
}
