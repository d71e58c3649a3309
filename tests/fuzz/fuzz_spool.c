// SPDX-License-Identifier: MIT
/*
 * Fuzzes what reads collectors' files: two threads' and one of definitions, as they would be, into
 * which an input writes; half of it before they are drained, half between two drains.
 *
 * An input is a byte (1: take, 2: a session in ns), then writes of 8 bytes: {file, what, at: 2, value: 4}.
 * What comes out is read again and must be records; files that the input leaves alone must be in it whole.
 */
#include <dirent.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <vsamp/itt_record.h>
#include <vsamp/itt_spool.h>

#include "itt/spool.h"
#include "vsamp.h"

#define FILES 3
#define SLOTS 3
#define CALLS 12 /* of a thread in each of two segments */
#define PID   77

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[64];

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void remove_all(void)
{
	char path[400];
	struct dirent *entry;
	DIR *d = opendir(dir);

	while (d && (entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
}

static void at_exit(void)
{
	remove_all();
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "/dev/shm/fuzz_spool-XXXXXX");
	check(mkdtemp(dir));
	atexit(at_exit);
	return 0;
}

static size_t call_put(uint8_t *to, uint64_t time, uint8_t type, uint32_t handle, uint32_t name,
		       const void *body, size_t size)
{
	struct vsamp_itt_call call = {
		.time = time,
		.type = type,
		.handle = handle,
		.name = name,
		.id = { { type == VSAMP_ITT_REGION_BEGIN || type == VSAMP_ITT_OVERLAPPED_BEGIN } },
		.body = body,
		.body_size = size,
	};
	int n = vsamp_itt_encode(to, &call);

	check(n > 0);
	return n;
}

/* 12 calls, half of which begin something or change what is carried on */
static size_t calls_put(uint8_t *to, uint64_t time)
{
	struct {
		struct vsamp_itt_text text;
		char bytes[8];
	} name = { .text = { .length = 3 }, .bytes = "one" };
	const uint64_t value = 5;
	size_t at = 0;

	at += call_put(to + at, time + 1, VSAMP_ITT_THREAD_NAME, 0, 0, &name, sizeof(name));
	at += call_put(to + at, time + 2, VSAMP_ITT_TASK_BEGIN, 1, 1, NULL, 0);
	at += call_put(to + at, time + 3, VSAMP_ITT_TASK_BEGIN, 1, 1, NULL, 0);
	at += call_put(to + at, time + 4, VSAMP_ITT_TASK_END, 1, 0, NULL, 0);
	at += call_put(to + at, time + 5, VSAMP_ITT_OVERLAPPED_BEGIN, 1, 1, NULL, 0);
	at += call_put(to + at, time + 6, VSAMP_ITT_REGION_BEGIN, 1, 1, NULL, 0);
	at += call_put(to + at, time + 7, VSAMP_ITT_EVENT_START, 1, 0, NULL, 0);
	at += call_put(to + at, time + 8, VSAMP_ITT_EVENT_END, 1, 0, NULL, 0);
	at += call_put(to + at, time + 9, VSAMP_ITT_FRAME_BEGIN, 1, 0, NULL, 0);
	at += call_put(to + at, time + 10, VSAMP_ITT_COUNTER_ADD, 1, 0, &value, sizeof(value));
	at += call_put(to + at, time + 11, VSAMP_ITT_COUNTER_SET, 1, 0, &value, sizeof(value));
	at += call_put(to + at, time + 12, VSAMP_ITT_PAUSE, VSAMP_ITT_PAUSE_ALL, 0, NULL, 0);
	return at;
}

static uint64_t slot_at(int file, unsigned int slot)
{
	return SPOOL_HEADER + (uint64_t)slot * (file ? SPOOL_SEGMENT : SPOOL_SEGMENT_DEFS);
}

static void put(int fd, const void *data, size_t size, uint64_t at)
{
	check(pwrite(fd, data, size, at) == (ssize_t)size);
}

/* Segment 0 in slot 0, segment 1 in slot 2 */
static int file_make(int file)
{
	struct spool_header h = {
		.version = SPOOL_VERSION,
		.clock = SPOOL_CLOCK_TSC,
		.pid = PID,
		.tid = file ? PID + file : 0,
		.start = 1000,
		.number = file,
		.points = 1,
		.segment = file ? SPOOL_SEGMENT : SPOOL_SEGMENT_DEFS,
		.point = { { .ticks = 1, .bracket = 1, .raw = 1, .monotonic = 1 } }
	};
	struct spool_head first = { .number = 1, .next = 3 }, second = { .number = 2 };
	uint8_t records[2048] __attribute__((aligned(8)));
	char path[128];
	size_t n;
	int fd;

	snprintf(path, sizeof(path), "%s/%u-0000000000001000-%u-%u.itt", dir, h.pid, h.tid,
		 h.number);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	check(fd >= 0 && !ftruncate(fd, slot_at(file, SLOTS)));
	memcpy(h.magic, SPOOL_MAGIC, sizeof(h.magic));
	put(fd, &h, sizeof(h), 0);
	put(fd, &first, sizeof(first), slot_at(file, 0));
	put(fd, &second, sizeof(second), slot_at(file, 2));
	n = calls_put(records, 2000);
	put(fd, records, n, slot_at(file, 0) + sizeof(first));
	n = calls_put(records, 3000);
	put(fd, records, n, slot_at(file, 2) + sizeof(second));
	return fd;
}

struct change {
	uint8_t file, what;
	uint16_t at;
	uint32_t value;
};

static void change_do(const int fd[FILES], const struct change *c)
{
	int file = c->file % FILES, f = fd[file];
	uint64_t value = (uint64_t)c->value << (c->at % 4 == 3 ? 32 : 0), slot;

	slot = slot_at(file, c->at % SLOTS);
	switch (c->what % 6) {
	case 0:
		put(f, &c->value, 4, c->at % sizeof(struct spool_header) & ~3U);
		break;
	case 1:
		put(f, &value, 8, slot + (c->at / SLOTS * 8 % 1024));
		break;
	case 2:
		check(!ftruncate(f, c->value % (slot_at(file, SLOTS) + 1)));
		break;
	case 3:
		put(f, &value, 8, slot);
		break;
	case 4:
		put(f, &value, 8, slot + 8);
		break;
	case 5:
		put(f, &c->value, 1, slot + sizeof(struct spool_head) + c->at / SLOTS % 512);
		break;
	}
}

static void changes_do(const int fd[FILES], const uint8_t *data, size_t n, bool touched[FILES])
{
	for (size_t i = 0; i < n; i++) {
		struct change c;

		memcpy(&c, data + i * sizeof(c), sizeof(c));
		touched[c.file % FILES] = true;
		change_do(fd, &c);
	}
}

static struct vsamp_writer *writer_new(int *fd)
{
	struct json_object *meta = json_tokener_parse("{\"version\":1}");
	struct vsamp_writer *w;
	char path[64];

	*fd = memfd_create("out", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", *fd);
	check(*fd >= 0 && !vsamp_writer_open(&w, path, NULL));
	check(!vsamp_writer_json(w, VSAMP_CHUNK_META, meta, NULL));
	json_object_put(meta);
	return w;
}

/* Whether all is records; calls of each thread, without those that are told again, are added up */
static void chunk_check(const uint8_t *data, size_t size, unsigned int calls[FILES])
{
	struct vsamp_itt_thread thread;
	size_t at = sizeof(thread);

	check(size >= at);
	memcpy(&thread, data, sizeof(thread));
	while (at < size) {
		struct vsamp_itt_call call;
		int n = vsamp_itt_decode(data + at, size - at, &call);

		check(n > 0);
		at += n;
		for (int i = 0; i < FILES; i++)
			if (thread.pid == PID && thread.tid == (i ? PID + i : 0U) &&
			    !(call.flags & VSAMP_ITT_CONTINUED))
				calls[i]++;
	}
}

static void file_check(int fd, unsigned int calls[FILES])
{
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;
	char path[64];
	size_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check(!vsamp_reader_open(&r, path, NULL));
	n = vsamp_reader_chunks(r, &chunk);
	for (size_t i = 0; i < n; i++) {
		void *data;

		if (chunk[i].type != VSAMP_CHUNK_ITT)
			continue;
		check(!vsamp_reader_load(r, &chunk[i], &data, NULL));
		chunk_check(data, chunk[i].raw_size, calls);
		free(data);
	}
	vsamp_reader_close(r);
	close(fd);
}

/* Two recordings, the second of which goes on from the first */
static void drain(const int fd[FILES], uint8_t mode, const uint8_t *data, size_t n)
{
	bool touched[FILES] = { false };
	unsigned int calls[FILES] = { 0 };
	struct vsamp_itt_totals total;
	struct vsamp_itt_spool *s;
	struct vsamp_writer *w[2];
	struct vsamp_error err;
	int out[2];

	check(!vsamp_itt_spool_open(&s, dir, mode & 2 ? VSAMP_CLOCK_MONOTONIC_RAW : VSAMP_CLOCK_TSC,
				    mode & 1 ? VSAMP_ITT_SPOOL_TAKE : VSAMP_ITT_SPOOL_KEEP, &err));
	changes_do(fd, data, n / 2, touched);
	for (int i = 0; i < 2; i++) {
		w[i] = writer_new(&out[i]);
		check(!vsamp_itt_spool_start(s, w[i], &err));
		check(!vsamp_itt_spool_drain(s, &err));
		if (!i)
			changes_do(fd, data + n / 2 * 8, n - n / 2, touched);
	}
	check(!vsamp_itt_spool_drain(s, &err));
	total = vsamp_itt_spool_totals(s);
	for (int i = 0; i < 2; i++) {
		check(!vsamp_writer_close(w[i], &err));
		file_check(out[i], calls);
	}
	vsamp_itt_spool_close(s);
	check(total.bad <= FILES);
	for (int i = 1; i < FILES && !(mode & 2); i++)
		check(touched[i] || calls[i] == 2 * CALLS);
	check(touched[1] || touched[2] || total.records == 4 * CALLS);
	check(touched[0] || touched[1] || touched[2] || (!total.bad && !total.lost));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd[FILES];

	if (!size)
		return 0;
	for (int i = 0; i < FILES; i++)
		fd[i] = file_make(i);
	drain(fd, data[0], data + 1, (size - 1) / sizeof(struct change));
	for (int i = 0; i < FILES; i++)
		close(fd[i]);
	remove_all();
	return 0;
}
