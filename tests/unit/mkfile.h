/* SPDX-License-Identifier: MIT */
/* mkfile.h: makes .vsamp files for tests, record by record. Whatever fails, fails the test. */
#ifndef MKFILE_H
#define MKFILE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <json-c/json.h>

#include "file_private.h"
#include "vsamp.h"

#define MK_META                                                                                \
	"{\"version\":1,\"generator\":\"test\",\"command_line\":[\"vsamp\",\"record\"],"       \
	"\"hostname\":\"h\",\"boot_id\":\"b\",\"clock\":{\"source\":\"tsc\",\"khz\":2000000}," \
	"\"events\":[{\"index\":0,\"name\":\"INST_RETIRED\",\"sav\":1000,"                     \
	"\"sav_source\":\"explicit\",\"target\":10},"                                          \
	"{\"index\":1,\"name\":\"BR_INST_RETIRED\",\"sav\":77,\"sav_source\":\"calibrated\","  \
	"\"counted\":770000,\"target\":null}]}"

/* The file of a test, which begins with mk_setup() and ends with mk_teardown() */
static char path[64];

static inline int mk_setup(void **state)
{
	int fd;

	strcpy(path, "/tmp/vsamp-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static inline int mk_teardown(void **state)
{
	unlink(path);
	return 0;
}

static inline void mk_json(struct vsamp_writer *w, enum vsamp_chunk_type type, const char *text)
{
	struct json_object *obj = json_tokener_parse(text);

	assert_non_null(obj);
	assert_int_equal(vsamp_writer_json(w, type, obj, NULL), 0);
	json_object_put(obj);
}

static inline struct vsamp_writer *mk_open_meta(const char *path, const char *meta)
{
	struct vsamp_writer *w;

	assert_int_equal(vsamp_writer_open(&w, path, NULL), 0);
	mk_json(w, VSAMP_CHUNK_META, meta);
	return w;
}

static inline struct vsamp_writer *mk_open(const char *path)
{
	return mk_open_meta(path, MK_META);
}

static inline void mk_close(struct vsamp_writer *w)
{
	assert_int_equal(vsamp_writer_close(w, NULL), 0);
}

static inline void mk_record(struct vsamp_writer *w, uint32_t cpu, const void *rec)
{
	const struct vsamp_record_header *h = rec;

	assert_int_equal(vsamp_writer_records(w, cpu, rec, h->size, NULL), 0);
}

static inline struct vsamp_record_sample mk_sample_record(uint16_t event, bool user, uint64_t time,
							  uint64_t ip, uint32_t pid, uint32_t tid)
{
	return (struct vsamp_record_sample){
		.h = { VSAMP_RECORD_SAMPLE, sizeof(struct vsamp_record_sample), event,
		       user ? VSAMP_SAMPLE_USER : 0 },
		.time = time,
		.ip = ip,
		.pid = pid,
		.tid = tid,
	};
}

static inline void mk_sample(struct vsamp_writer *w, uint32_t cpu, uint16_t event, bool user,
			     uint64_t time, uint64_t ip, uint32_t pid)
{
	struct vsamp_record_sample s = mk_sample_record(event, user, time, ip, pid, pid);

	mk_record(w, cpu, &s);
}

/* A sample, with room for the largest stack behind it */
struct mk_stacked {
	struct vsamp_record_sample sample;
	struct vsamp_stack stack;
	uint64_t ip[2 * VSAMP_STACK_DEPTH_MAX];
};

static inline struct mk_stacked mk_stacked_record(struct vsamp_record_sample sample,
						  unsigned int kernel, unsigned int user,
						  uint32_t flags, const uint64_t *ip)
{
	struct mk_stacked s = { .sample = sample, .stack = { kernel, user, flags } };

	s.sample.h.flags |= VSAMP_SAMPLE_STACK;
	s.sample.h.size += sizeof(s.stack) + (kernel + user) * sizeof(*ip);
	memcpy(s.ip, ip, (kernel + user) * sizeof(*ip));
	return s;
}

static inline void mk_stack(struct vsamp_writer *w, uint32_t cpu, struct vsamp_record_sample sample,
			    unsigned int kernel, unsigned int user, uint32_t flags,
			    const uint64_t *ip)
{
	struct mk_stacked s = mk_stacked_record(sample, kernel, user, flags, ip);

	mk_record(w, cpu, &s);
}

static inline void mk_clock(struct vsamp_writer *w, uint32_t cpu, uint64_t ticks, uint64_t bracket,
			    uint64_t raw)
{
	struct vsamp_record_clock c = {
		.h = { VSAMP_RECORD_CLOCK, sizeof(c), 0, 0 },
		.time = ticks,
		.bracket = bracket,
		.monotonic_raw = raw,
	};

	mk_record(w, cpu, &c);
}

static inline void mk_lost(struct vsamp_writer *w, uint32_t cpu, uint64_t time, uint64_t count)
{
	struct vsamp_record_lost l = {
		.h = { VSAMP_RECORD_LOST, sizeof(l), 0, 0 },
		.time = time,
		.count = count,
	};

	mk_record(w, cpu, &l);
}

static inline void mk_state(struct vsamp_writer *w, uint32_t cpu, uint16_t code, uint64_t time,
			    uint64_t arg)
{
	struct vsamp_record_state s = {
		.h = { VSAMP_RECORD_STATE, sizeof(s), code, 0 },
		.time = time,
		.arg = arg,
	};

	mk_record(w, cpu, &s);
}

static inline void mk_set(struct vsamp_writer *w, uint32_t cpu, uint16_t set, uint64_t time,
			  uint64_t enabled, uint64_t running)
{
	struct vsamp_record_set s = {
		.h = { VSAMP_RECORD_SET, sizeof(s), set, 0 },
		.time = time,
		.enabled = enabled,
		.running = running,
	};

	mk_record(w, cpu, &s);
}

static inline void mk_sav(struct vsamp_writer *w, uint32_t cpu, uint16_t event, uint64_t time,
			  uint64_t sav)
{
	struct vsamp_record_sav s = {
		.h = { VSAMP_RECORD_SAV, sizeof(s), event, 0 },
		.time = time,
		.sav = sav,
	};

	mk_record(w, cpu, &s);
}

/* A sideband record: what comes behind the header, a string or NULL, and the time in ns */
static inline void mk_sideband(struct vsamp_writer *w, uint32_t cpu, uint32_t type, uint16_t misc,
			       const void *body, size_t size, const char *name, uint64_t time)
{
	uint64_t space[512] = { 0 };
	char *at = (char *)space;
	struct perf_event_header h = { .type = type, .misc = misc };
	struct sideband_id id = { .time = time, .cpu = cpu };

	at += sizeof(h);
	memcpy(at, body, size);
	at += size;
	if (name) {
		strcpy(at, name);
		at += (strlen(name) + 8) & ~7UL;
	}
	memcpy(at, &id, sizeof(id));
	h.size = at + sizeof(id) - (char *)space;
	memcpy(space, &h, sizeof(h));
	assert_int_equal(vsamp_writer_sideband(w, cpu, space, h.size, NULL), 0);
}

static inline void mk_comm(struct vsamp_writer *w, uint32_t cpu, uint32_t pid, uint32_t tid,
			   const char *comm, bool exec, uint64_t time)
{
	uint32_t body[] = { pid, tid };

	mk_sideband(w, cpu, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, body,
		    sizeof(body), comm, time);
}

static inline void mk_fork(struct vsamp_writer *w, uint32_t cpu, uint32_t pid, uint32_t ppid,
			   uint32_t tid, uint64_t time)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} body = { pid, ppid, tid, ppid, time };

	mk_sideband(w, cpu, PERF_RECORD_FORK, 0, &body, sizeof(body), NULL, time);
}

/* @id: 20 bytes, or NULL: the form with the inode */
static inline void mk_mmap2(struct vsamp_writer *w, uint32_t cpu, uint32_t pid, uint64_t addr,
			    uint64_t len, uint64_t pgoff, const char *path, const uint8_t *id,
			    uint64_t ino, uint64_t time)
{
	struct {
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		union {
			struct {
				uint32_t maj, min;
				uint64_t ino, generation;
			} inode;
			struct {
				uint8_t size, reserved[3], id[20];
			} build;
		};
		uint32_t prot, flags;
	} body = { .pid = pid, .tid = pid, .addr = addr, .len = len, .pgoff = pgoff };

	if (id) {
		body.build.size = 20;
		memcpy(body.build.id, id, 20);
	} else {
		body.inode.ino = ino;
	}
	mk_sideband(w, cpu, PERF_RECORD_MMAP2, id ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0, &body,
		    sizeof(body), path, time);
}

static inline void mk_kallsyms(struct vsamp_writer *w, const char *text, uint64_t time)
{
	FILE *lines = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(lines);
	assert_int_equal(writer_kallsyms(w, lines, NULL, time, NULL), 0);
	fclose(lines);
}

/* The bytes of a file, to be freed */
static inline uint8_t *mk_bytes(const char *path, size_t *size)
{
	FILE *f = fopen(path, "r");
	uint8_t *bytes;

	assert_non_null(f);
	fseek(f, 0, SEEK_END);
	*size = ftell(f);
	rewind(f);
	bytes = malloc(*size + 1);
	assert_int_equal(fread(bytes, 1, *size, f), *size);
	fclose(f);
	return bytes;
}

static inline void mk_write(const char *path, const void *bytes, size_t size)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	fclose(f);
}

#endif
