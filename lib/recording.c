// SPDX-License-Identifier: MIT
/* recording.c: what a .vsamp file tells: its chunks, clock and totals */
#include <inttypes.h>

#include <vsamp/machine.h>

#include "file_private.h"
#include "recording_private.h"

struct vsamp_recording_cpu *recording_cpu(struct vsamp_recording *rec, uint32_t number)
{
	size_t at = rec->cpus;
	struct vsamp_recording_cpu *cpus;

	while (at && rec->cpu[at - 1].cpu > number)
		at--;
	if (at && rec->cpu[at - 1].cpu == number)
		return &rec->cpu[at - 1];
	cpus = realloc(rec->cpu, (rec->cpus + 1) * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memmove(cpus + at + 1, cpus + at, (rec->cpus - at) * sizeof(*cpus));
	cpus[at] = (struct vsamp_recording_cpu){ .cpu = number };
	rec->cpu = cpus;
	rec->cpus++;
	return &cpus[at];
}

static int no_memory(const struct vsamp_recording *rec, struct vsamp_error *err)
{
	return vsamp_fail(err, -ENOMEM, "%s: out of memory", vsamp_reader_path(rec->reader));
}

static int load_json(struct vsamp_recording *rec, const struct vsamp_chunk *chunk,
		     struct json_object **obj, struct vsamp_error *err)
{
	void *text;
	int ret = vsamp_reader_load(rec->reader, chunk, &text, err);

	if (ret)
		return ret;
	*obj = json_tokener_parse(text);
	free(text);
	if (json_object_is_type(*obj, json_type_object))
		return 0;
	json_object_put(*obj);
	*obj = NULL;
	return vsamp_fail(err, -EBADMSG, "%s: the chunk at byte %" PRIu64 " is not a JSON object",
			  vsamp_reader_path(rec->reader), chunk->offset);
}

static int load_run(struct vsamp_recording *rec, const struct vsamp_chunk *chunk,
		    struct vsamp_error *err)
{
	struct json_object *run;
	int ret = load_json(rec, chunk, &run, err);

	if (ret)
		return ret;
	if (!rec->runs)
		rec->runs = json_object_new_array();
	if (!rec->runs || json_object_array_add(rec->runs, run)) {
		json_object_put(run);
		return no_memory(rec, err);
	}
	return recording_read_run(rec, run, err);
}

static int add_snapshot(struct vsamp_recording *rec, const struct vsamp_chunk *chunk)
{
	struct recording_snapshot *more;

	more = realloc(rec->snapshot, (rec->snapshots + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	more[rec->snapshots++] = (struct recording_snapshot){ .chunk = chunk };
	rec->snapshot = more;
	return 0;
}

/* An instant of the file before */
static int add_clock(struct vsamp_recording *rec, struct buf *points)
{
	const struct vsamp_record_clock *c = &rec->before;
	struct vsamp_clock_point point = { c->time, c->bracket, c->monotonic_raw, false };
	int ret = buf_add(points, &point, sizeof(point));

	point.raw = c->monotonic;
	return ret ? ret : buf_add(&rec->monotonic_points, &point, sizeof(point));
}

static int scan_chunks(struct vsamp_recording *rec, struct buf *points, struct vsamp_error *err)
{
	const struct vsamp_chunk *chunk;
	size_t count = vsamp_reader_chunks(rec->reader, &chunk);
	int ret = load_json(rec, chunk, &rec->meta, err);

	if (!ret)
		ret = recording_read_meta(rec, err);
	if (!ret && rec->before.h.size && add_clock(rec, points))
		ret = no_memory(rec, err);
	for (size_t i = 1; i < count && !ret; i++) {
		switch (chunk[i].type) {
		case VSAMP_CHUNK_RECORDS:
			ret = recording_scan(rec, &chunk[i], points, err);
			break;
		case VSAMP_CHUNK_RUN:
			ret = load_run(rec, &chunk[i], err);
			break;
		case VSAMP_CHUNK_KALLSYMS:
			if (add_snapshot(rec, &chunk[i]))
				ret = no_memory(rec, err);
			break;
		case VSAMP_CHUNK_END:
			ret = load_json(rec, &chunk[i], &rec->end, err);
			if (!ret)
				ret = recording_read_end(rec, err);
			break;
		}
	}
	return ret;
}

static int snapshot_by_time(const void *a, const void *b)
{
	const struct recording_snapshot *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->chunk->offset < y->chunk->offset ? -1 : 1;
}

static void add_up(struct vsamp_recording *rec)
{
	struct vsamp_recording_totals *t = &rec->totals;

	t->balanced = true;
	t->whole = rec->end;
	for (size_t i = 0; i < rec->cpus; i++) {
		const struct vsamp_recording_cpu *cpu = &rec->cpu[i];

		t->records += cpu->records;
		t->throttles += cpu->throttles;
		t->foreign |= cpu->foreign;
		if (cpu->asleep > t->asleep)
			t->asleep = cpu->asleep;
		if (cpu->sleeps > t->sleeps)
			t->sleeps = cpu->sleeps;
		if (!cpu->told) {
			t->produced += cpu->records + cpu->lost_marked;
			t->written += cpu->records;
			t->lost += cpu->lost_marked;
			t->whole = false;
			continue;
		}
		t->produced += cpu->produced;
		t->written += cpu->written;
		t->lost += cpu->lost;
		if (cpu->produced != cpu->written + cpu->lost || cpu->lost_marked > cpu->lost)
			t->balanced = false;
		if (cpu->read != cpu->written || cpu->records != cpu->written)
			t->whole = false;
	}
}

static int use_clock(struct vsamp_recording *rec, const struct buf *points)
{
	int ret = vsamp_clock_fit_new(&rec->clock, (const void *)points->data,
				      points->size / sizeof(struct vsamp_clock_point),
				      recording_meta_khz(rec));

	if (!ret)
		ret = vsamp_clock_fit_new(&rec->monotonic, (const void *)rec->monotonic_points.data,
					  rec->monotonic_points.size /
						  sizeof(struct vsamp_clock_point),
					  recording_meta_khz(rec));
	buf_free(&rec->monotonic_points);
	if (ret)
		return ret;
	for (size_t i = 0; i < rec->snapshots; i++)
		rec->snapshot[i].time = vsamp_clock_fit_ticks(rec->clock,
							      rec->snapshot[i].chunk->time_min);
	if (rec->snapshots)
		qsort(rec->snapshot, rec->snapshots, sizeof(*rec->snapshot), snapshot_by_time);
	if (!rec->elapsed && rec->time_max > rec->time_min)
		rec->elapsed = vsamp_clock_fit_raw(rec->clock, rec->time_max) -
			       vsamp_clock_fit_raw(rec->clock, rec->time_min);
	rec->elapsed -= rec->elapsed > rec->asleep ? rec->asleep : rec->elapsed;
	return merge_init(&rec->merge, rec->reader, rec->clock);
}

int recording_from_reader(struct vsamp_recording **out, struct vsamp_reader *reader,
			  struct vsamp_error *err)
{
	struct vsamp_recording *rec = calloc(1, sizeof(*rec));
	struct buf points = { 0 };
	int ret;

	if (!rec) {
		ret = vsamp_fail(err, -ENOMEM, "%s: out of memory", vsamp_reader_path(reader));
		vsamp_reader_close(reader);
		return ret;
	}
	rec->reader = reader;
	rec->time_min = UINT64_MAX;
	ret = scan_chunks(rec, &points, err);
	if (!ret) {
		add_up(rec);
		if (use_clock(rec, &points))
			ret = no_memory(rec, err);
	}
	if (!ret) {
		recording_settle(rec);
		if (recording_warn(rec))
			ret = no_memory(rec, err);
	}
	buf_free(&points);
	if (ret) {
		vsamp_recording_close(rec);
		return ret;
	}
	*out = rec;
	return 0;
}

int vsamp_recording_open(struct vsamp_recording **rec, const char *path, struct vsamp_error *err)
{
	struct vsamp_reader *reader;
	int ret = vsamp_reader_open(&reader, path, err);

	return ret ? ret : recording_from_reader(rec, reader, err);
}

struct vsamp_reader *vsamp_recording_reader(const struct vsamp_recording *rec)
{
	return rec->reader;
}

struct json_object *vsamp_recording_meta(const struct vsamp_recording *rec)
{
	return rec->meta;
}

struct json_object *vsamp_recording_end(const struct vsamp_recording *rec)
{
	return rec->end;
}

const struct vsamp_clock_fit *vsamp_recording_clock(const struct vsamp_recording *rec)
{
	return rec->clock;
}

void vsamp_recording_span(const struct vsamp_recording *rec, uint64_t *begin, uint64_t *end)
{
	bool any = rec->time_min <= rec->time_max;

	*begin = any ? vsamp_clock_fit_raw(rec->clock, rec->time_min) : 0;
	*end = any ? vsamp_clock_fit_raw(rec->clock, rec->time_max) : 0;
}

uint64_t vsamp_recording_elapsed(const struct vsamp_recording *rec)
{
	return rec->elapsed;
}

size_t vsamp_recording_events(const struct vsamp_recording *rec,
			      const struct vsamp_recording_event **events)
{
	*events = rec->event;
	return rec->events;
}

size_t vsamp_recording_cpus(const struct vsamp_recording *rec,
			    const struct vsamp_recording_cpu **cpus)
{
	*cpus = rec->cpu;
	return rec->cpus;
}

const struct vsamp_recording_totals *vsamp_recording_totals(const struct vsamp_recording *rec)
{
	return &rec->totals;
}

size_t vsamp_recording_warnings(const struct vsamp_recording *rec, const char *const **warnings)
{
	*warnings = (const char *const *)rec->warning;
	return rec->warnings;
}

int vsamp_recording_next(struct vsamp_recording *rec, struct vsamp_item *item,
			 struct vsamp_error *err)
{
	return merge_next(&rec->merge, item, err);
}

const struct vsamp_stack *vsamp_sample_stack(const struct vsamp_record_sample *sample)
{
	return record_stack(sample);
}

void vsamp_recording_rewind(struct vsamp_recording *rec)
{
	reader_rewind(rec->reader);
	merge_rewind(&rec->merge);
}

int recording_kallsyms(struct vsamp_recording *rec, size_t index, struct kallsyms **k,
		       struct vsamp_error *err)
{
	struct recording_snapshot *s = &rec->snapshot[index];
	void *text;
	int ret;

	if (!s->kallsyms) {
		ret = vsamp_reader_load(rec->reader, s->chunk, &text, err);
		if (ret)
			return ret;
		ret = kallsyms_open(&s->kallsyms, text, s->chunk->raw_size);
		free(text);
		if (ret)
			return vsamp_fail(
				err, ret,
				"%s: the kernel's symbols at byte %" PRIu64 " cannot be read: %s",
				vsamp_reader_path(rec->reader), s->chunk->offset, strerror(-ret));
	}
	*k = s->kallsyms;
	return 0;
}

void vsamp_recording_close(struct vsamp_recording *rec)
{
	if (!rec)
		return;
	merge_free(&rec->merge);
	for (size_t i = 0; i < rec->snapshots; i++)
		kallsyms_close(rec->snapshot[i].kallsyms);
	free(rec->snapshot);
	for (size_t i = 0; i < rec->warnings; i++)
		free(rec->warning[i]);
	free(rec->warning);
	vsamp_clock_fit_free(rec->clock);
	vsamp_clock_fit_free(rec->monotonic);
	buf_free(&rec->monotonic_points);
	free(rec->event);
	for (size_t i = 0; i < rec->cpus; i++)
		free(rec->told[rec->cpu[i].cpu]);
	free(rec->cpu);
	free(rec->boot_id);
	free(rec->set_counted);
	free(rec->set_throttles);
	json_object_put(rec->runs);
	json_object_put(rec->meta);
	json_object_put(rec->end);
	free(rec->gpu);
	vsamp_reader_close(rec->reader);
	free(rec);
}
