// SPDX-License-Identifier: MIT
/*
 * Fuzzes what reads ITT records and counters by time: the records of three threads, in memory and from
 * a file, down to statistics; what comes out must hold together.
 *
 * An input is a byte that says what the rest is: 0: records as they are, in pieces {thread: 1 byte;
 * size: 2 bytes; records}; 1: the payload of a TRACK chunk, behind its number of points (1 byte); else
 * calls of 8 bytes, which become records that make sense.
 *
 *	fuzz_itt seeds FOLDER		writes inputs to start from
 *	fuzz_itt FOLDER			fuzzes (libFuzzer has the options)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp/itt.h>

#include "chunk.h"
#include "crc32c.h"
#include "file_private.h"
#include "recording_private.h"

#define THREADS 3
#define META	"{\"events\":[{\"index\":0,\"name\":\"a\",\"sav\":1}],\"clock\":{\"khz\":1000000}}"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void check_span(const struct vsamp_itt *itt, const struct vsamp_span *s)
{
	const struct vsamp_span *task, *event, *parent = vsamp_itt_parent(itt, s);

	check(s->end >= s->begin && s->inclusive <= s->end - s->begin);
	check(s->exclusive <= s->inclusive);
	check(!s->tick || s->end == s->begin);
	check(!parent || parent->pid == s->pid);
	check(strlen(s->name) < 8192 && strlen(s->domain) < 8192);
	vsamp_itt_at(itt, s->pid, s->tid, s->begin, &task, &event);
	if (s->tick || s->end == s->begin)
		return;
	/* somebody is under way then */
	if (s->kind == VSAMP_SPAN_TASK || s->kind == VSAMP_SPAN_OVERLAPPED)
		check(task && task->begin <= s->begin && task->end > s->begin);
	if (s->kind == VSAMP_SPAN_EVENT)
		check(event && event->begin <= s->begin && event->end > s->begin);
}

static void check_stats(const struct vsamp_itt *itt, const struct vsamp_span *span, size_t spans)
{
	const struct vsamp_itt_stat *stat;
	const struct vsamp_itt_share *share;
	struct vsamp_itt_tally *tally;
	uint64_t paused, added = 0, exclusive[2] = { 0 }, count = 0;
	size_t rows;

	check(!vsamp_itt_tally_new(&tally, itt, 1, NULL));
	for (size_t i = 0; i < spans; i++)
		added += vsamp_itt_tally_add(tally, span[i].pid, span[i].tid, span[i].begin, 0, 1);
	rows = vsamp_itt_tally_end(tally, &stat, &share, &paused);
	check(added + paused == spans);
	for (size_t r = 0; r < rows; r++) {
		count += stat[r].count;
		check(share[r].exclusive_samples <= share[r].samples);
		exclusive[stat[r].kind == VSAMP_SPAN_EVENT] += share[r].exclusive_samples;
	}
	for (size_t i = 0; i < spans; i++)
		count += span[i].continued;
	check(count == spans && exclusive[0] <= added && exclusive[1] <= added);
	vsamp_itt_tally_free(tally);
}

/* What is told of spans is of such that are there, and in their order */
static void check_data(const struct vsamp_itt *itt, const struct vsamp_span *span, size_t spans)
{
	const struct vsamp_itt_distribution *d;
	const struct vsamp_itt_attribute *a, *own;
	const struct vsamp_itt_related *r;
	size_t attributes = vsamp_itt_attributes(itt, &a), relations = vsamp_itt_relations(itt, &r);
	size_t distributions = vsamp_itt_distributions(itt, &d), of_spans = 0;

	for (size_t i = 0; i < spans; i++)
		of_spans += vsamp_itt_span_attributes(itt, &span[i], &own);
	for (size_t i = 0; i < attributes; i++) {
		check(strlen(a[i].value) <= VSAMP_ITT_VALUE_MAX && strlen(a[i].key) < 8192);
		of_spans += !a[i].span;
	}
	check(of_spans == attributes);
	for (size_t i = 0; i < relations; i++) {
		check(!r[i].head || (r[i].head >= span && r[i].head < span + spans));
		check(!r[i].tail || (r[i].tail >= span && r[i].tail < span + spans));
	}
	for (size_t i = 0; i < distributions; i++) {
		check(d[i].buckets <= VSAMP_ITT_BUCKETS_MAX && d[i].left <= d[i].points);
		for (size_t k = 1; k < d[i].buckets; k++)
			check(d[i].bucket[k].x > d[i].bucket[k - 1].x);
	}
}

static void check_itt(const struct vsamp_itt *itt)
{
	const struct vsamp_span *span;
	const struct vsamp_track *track;
	const char *const *text;
	size_t spans = vsamp_itt_spans(itt, &span), tracks = vsamp_itt_counters(itt, &track);

	for (size_t i = 0; i < spans; i++) {
		check_span(itt, &span[i]);
		if (i && span[i].tid == span[i - 1].tid)
			check(span[i].begin >= span[i - 1].begin);
	}
	for (size_t i = 0; i < tracks; i++)
		for (size_t k = 1; k < track[i].points; k++)
			check(track[i].point[k].time >= track[i].point[k - 1].time);
	vsamp_itt_diagnoses(itt, &text);
	check_data(itt, span, spans);
	check_stats(itt, span, spans);
}

static void put(int fd, const void *data, size_t size)
{
	check(write(fd, data, size) == (ssize_t)size);
}

static void put_chunk(int fd, uint16_t type, const void *data, uint32_t size, uint32_t count)
{
	struct chunk_header h = {
		.type = type, .cpu = VSAMP_CPU_NONE, .raw_size = size, .size = size, .count = count
	};

	h.crc = crc32c(crc32c(0, &h.type, sizeof(h) - 4), data, size);
	put(fd, &h, sizeof(h));
	put(fd, data, size);
}

static int put_file(void)
{
	struct file_header h = { .version = FILE_VERSION, .size = sizeof(h) };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	memcpy(h.magic, FILE_MAGIC, sizeof(h.magic));
	h.crc = crc32c(0, &h, offsetof(struct file_header, crc));
	put(fd, &h, sizeof(h));
	put_chunk(fd, VSAMP_CHUNK_META, META, strlen(META), 0);
	return fd;
}

static void read_file(int fd)
{
	struct vsamp_timeline *timeline;
	struct vsamp_recording *rec;
	struct vsamp_reader *reader;
	struct vsamp_error err;

	check(!reader_open_fd(&reader, fd, "fuzz", &err));
	check(!recording_from_reader(&rec, reader, &err));
	if (!vsamp_timeline_new(&timeline, rec, &err)) {
		check_itt(vsamp_timeline_itt(timeline));
		vsamp_timeline_free(timeline);
	}
	vsamp_recording_close(rec);
}

/* Records of a thread, in memory and for a chunk */
struct lane {
	struct vsamp_itt_thread thread;
	uint64_t record[4096];
	size_t size;
};

static void read_lanes(struct lane *lane)
{
	struct vsamp_itt_records records[THREADS];
	struct vsamp_error err;
	struct vsamp_itt *itt;
	int fd = put_file();

	for (uint32_t i = 0; i < THREADS; i++) {
		/* the last is what the process of the others runs later */
		lane[i].thread = (struct vsamp_itt_thread){ 1, i, i == THREADS - 1 ? 50 : 0 };
		records[i] = (struct vsamp_itt_records){ lane[i].thread, lane[i].record,
							 lane[i].size, 100 };
		put_chunk(fd, VSAMP_CHUNK_ITT, &lane[i], sizeof(lane[i].thread) + lane[i].size, 1);
	}
	if (!vsamp_itt_match(&itt, records, THREADS, NULL, &err)) {
		check_itt(itt);
		vsamp_itt_free(itt);
	}
	read_file(fd);
}

static void take_raw(struct lane *lane, const uint8_t *data, size_t size)
{
	while (size > 3) {
		struct lane *to = &lane[data[0] % THREADS];
		size_t n = data[1] | data[2] << 8;

		data += 3;
		size -= 3;
		n = n < size ? n : size;
		if (n > sizeof(to->record) - to->size)
			return;
		memcpy((char *)to->record + to->size, data, n);
		to->size += n;
		data += n;
		size -= n;
	}
}

/* A call of 8 bytes: thread, type, flags, handle, time since the one before, name, ids, body */
static void take_calls(struct lane *lane, const uint8_t *data, size_t size)
{
	static uint64_t space[VSAMP_ITT_RECORD_MAX / 8 + 1];
	uint64_t time = 0;

	for (; size >= 8; data += 8, size -= 8) {
		struct lane *to = &lane[data[0] % THREADS];
		uint64_t body[8] = { data[7], data[6] };
		struct vsamp_itt_call c = {
			.time = time + data[4] % 8,
			.type = data[1] % 60,
			.flags = data[2] & (VSAMP_ITT_HAS_CLOCK | VSAMP_ITT_CONTINUED),
			.handle = data[3] % 4,
			.name = data[5] % 4,
			.clock = data[7] % 2,
			.stamp = data[7],
			.fn = data[2] & VSAMP_ITT_HAS_FN ? data[7] : 0,
			.id = { { data[6] % 4, 0, 0 } },
			.parent = { { data[6] / 4 % 4, 0, 0 } },
			.body = body,
			.body_size = sizeof(body),
		};
		int n;

		time = c.time;
		if (c.type == VSAMP_ITT_MAPPING)
			body[1] = 64;
		n = vsamp_itt_encode(space, &c);
		if (n < 0 || (size_t)n > sizeof(to->record) - to->size)
			return;
		memcpy((char *)to->record + to->size, space, n);
		to->size += n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct lane lane[THREADS];
	int fd;

	if (size < 2)
		return 0;
	if (data[0] == 1) {
		fd = put_file();
		put_chunk(fd, VSAMP_CHUNK_TRACK, data + 2, size - 2, data[1]);
		read_file(fd);
		return 0;
	}
	for (int i = 0; i < THREADS; i++)
		lane[i].size = 0;
	if (data[0])
		take_calls(lane, data + 1, size - 1);
	else
		take_raw(lane, data + 1, size - 1);
	read_lanes(lane);
	return 0;
}

static void seed(const char *folder, const char *name, const void *data, size_t size)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	check(f && fwrite(data, 1, size, f) == size && !fclose(f));
}

static void seeds(const char *folder)
{
	static const uint8_t raw[] = { 0, 0,  16, 0, 1, 0,  0, 0,  0,  0, 0, 0, 32,
				       0, 16, 0,  1, 0, 0,  0, 1,  16, 0, 2, 0, 0,
				       0, 0,  0,  0, 0, 33, 0, 16, 0,  1, 0, 0, 0 };
	static const uint8_t track[] = { 1, 1, 0,   0, 0,   0, 2, 0, 2, 0, 1, 0, 0, 0, 1,    0,
					 0, 0, 'g', 0, 'n', 0, 0, 2, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f };
	uint8_t calls[1 + 8 * 53] = { 2 };

	seed(folder, "raw", raw, sizeof(raw));
	seed(folder, "track", track, sizeof(track));
	for (uint8_t type = 1; type <= 53; type++)
		memcpy(calls + 1 + 8 * (type - 1),
		       (const uint8_t[]){ type / 16, type, 0, 1, 1, 1, 5, 9 }, 8);
	seed(folder, "calls", calls, sizeof(calls));
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc == 3 && !strcmp((*argv)[1], "seeds")) {
		seeds((*argv)[2]);
		exit(0);
	}
	return 0;
}
