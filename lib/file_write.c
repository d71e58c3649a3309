// SPDX-License-Identifier: MIT
/* file_write.c: .vsamp files, written chunk by chunk */
#include <fcntl.h>
#include <json-c/json.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include <vsamp/file.h>

#include "crc32c.h"
#include "file_private.h"
#include "file_writer.h"
#include "kallsyms.h"

#define ZSTD_LEVEL   3
#define SIDEBAND_MAX (64U << 10) /* bytes gathered before a chunk is written */

int writer_fail(struct vsamp_writer *w, int code, struct vsamp_error *err)
{
	return vsamp_fail(err, code, "%s: cannot write: %s%s", w->path, strerror(-code),
			  code == -ENOSPC ? "; make room, or write elsewhere by -o" : "");
}

int writer_open_sink(struct vsamp_writer **out, const struct writer_sink *sink, void *arg)
{
	struct vsamp_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->sink = sink;
	w->sink_arg = arg;
	w->fd = -1;
	w->path = strdup("samples");
	*out = w;
	if (w->path)
		return 0;
	free(w);
	return -ENOMEM;
}

static int writer_sunk(const struct vsamp_writer *w, int ret, struct vsamp_error *err)
{
	return ret ? vsamp_fail(err, ret, "%s: %s", w->path, strerror(-ret)) : 0;
}

/* Appends bytes; on failure what was written of them is taken back */
static int writer_append(struct vsamp_writer *w, const void *data, size_t size,
			 struct vsamp_error *err)
{
	const uint8_t *at = data;
	size_t left = size;

	if (w->failed)
		return writer_fail(w, w->failed, err);
	while (left) {
		ssize_t n = write(w->fd, at, left);
		int code = n < 0 ? errno : EIO;

		if (n < 0 && (code == EINTR || writer_made_room(w, code)))
			continue;
		if (n <= 0) {
			w->failed = -code;
			if (left < size && !ftruncate(w->fd, w->size))
				lseek(w->fd, w->size, SEEK_SET);
			return writer_fail(w, w->failed, err);
		}
		at += n;
		left -= n;
	}
	w->size += size;
	return 0;
}

/*
 * Compresses @raw to @out as one frame. @parts, if there are any, are the sizes of its parts, each of
 * which becomes a block of its own: bytes that have nothing in common need codes of their own.
 */
static size_t compress(struct vsamp_writer *w, ZSTD_outBuffer *out, const struct buf *raw,
		       const uint32_t *parts, size_t n_parts)
{
	ZSTD_inBuffer in = { raw->data, 0, 0 };
	size_t left;

	ZSTD_CCtx_reset(w->zstd, ZSTD_reset_session_only);
	/* Else it takes memory for the largest there may be */
	ZSTD_CCtx_setPledgedSrcSize(w->zstd, raw->size);
	for (size_t i = 0; i < n_parts; i++) {
		in.size += parts[i];
		left = ZSTD_compressStream2(w->zstd, out, &in, ZSTD_e_flush);
		if (ZSTD_isError(left) || left || in.pos < in.size)
			return SIZE_MAX;
	}
	in.size = raw->size;
	left = ZSTD_compressStream2(w->zstd, out, &in, ZSTD_e_end);
	return left ? SIZE_MAX : out->pos;
}

/* Compresses @raw behind room for the header; keeps it as it is where that is no longer */
static int chunk_store(struct vsamp_writer *w, struct chunk_header *h, const struct buf *raw,
		       const uint32_t *parts, size_t n_parts)
{
	/* a block has three bytes of its own */
	size_t bound = ZSTD_compressBound(raw->size) + 4 * n_parts, n;
	ZSTD_outBuffer out;
	int ret;

	w->stored.size = 0;
	ret = buf_reserve(&w->stored, sizeof(*h) + bound);
	if (ret)
		return ret;
	out = (ZSTD_outBuffer){ w->stored.data + sizeof(*h), bound, 0 };
	n = compress(w, &out, raw, parts, n_parts);
	if (n < raw->size) {
		h->flags |= CHUNK_ZSTD;
	} else {
		n = raw->size;
		if (n)
			memcpy(w->stored.data + sizeof(*h), raw->data, n);
	}
	h->raw_size = raw->size;
	h->size = n;
	w->stored.size = sizeof(*h) + n;
	return 0;
}

int writer_chunk(struct vsamp_writer *w, struct chunk_header *h, const struct buf *raw,
		 const uint32_t *parts, size_t n_parts, struct vsamp_error *err)
{
	int ret;

	if (raw->size > chunk_raw_max(h->type))
		return vsamp_fail(err, -E2BIG,
				  "%s: a chunk of type %u would have %zu bytes; "
				  "%u are allowed",
				  w->path, h->type, raw->size, chunk_raw_max(h->type));
	ret = chunk_store(w, h, raw, parts, n_parts);
	if (ret)
		return writer_fail(w, ret, err);
	memcpy(w->stored.data, h, sizeof(*h));
	h->crc = crc32c(0, w->stored.data + sizeof(h->crc), w->stored.size - sizeof(h->crc));
	memcpy(w->stored.data, h, sizeof(h->crc));
	return writer_append(w, w->stored.data, w->stored.size, err);
}

int vsamp_writer_open(struct vsamp_writer **out, const char *path, struct vsamp_error *err)
{
	struct file_header h = { .version = FILE_VERSION, .size = sizeof(h) };
	struct vsamp_writer *w;
	int ret;

	if (!strcmp(path, "-"))
		return vsamp_fail(err, -EINVAL,
				  "recordings are not written to standard output; "
				  "name a file by -o");
	w = calloc(1, sizeof(*w));
	if (!w)
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
	w->fd = -1;
	w->path = strdup(path);
	w->zstd = ZSTD_createCCtx();
	if (!w->path || !w->zstd ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL))) {
		ret = vsamp_fail(err, -ENOMEM, "%s: out of memory", path);
		goto err_free;
	}
	w->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (w->fd < 0) {
		ret = vsamp_fail(err, -errno, "%s: cannot create: %s", path, strerror(errno));
		goto err_free;
	}
	memcpy(h.magic, FILE_MAGIC, sizeof(h.magic));
	h.crc = crc32c(0, &h, offsetof(struct file_header, crc));
	ret = writer_append(w, &h, sizeof(h), err);
	if (ret)
		goto err_free;
	*out = w;
	return 0;

err_free:
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->zstd);
	free(w->path);
	free(w);
	return ret;
}

int vsamp_writer_call(struct vsamp_writer *w, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	free(w->path);
	w->path = copy;
	return 0;
}

int vsamp_writer_json(struct vsamp_writer *w, enum vsamp_chunk_type type, struct json_object *obj,
		      struct vsamp_error *err)
{
	struct chunk_header h = { .type = type, .cpu = VSAMP_CPU_NONE };
	const char *text;
	size_t size;
	int ret;

	if (type != VSAMP_CHUNK_META && type != VSAMP_CHUNK_RUN && type != VSAMP_CHUNK_END)
		return vsamp_fail(err, -EINVAL, "%s: chunks of type %d are not JSON", w->path,
				  type);
	if (type != VSAMP_CHUNK_META) {
		ret = vsamp_writer_flush(w, err);
		if (ret)
			return ret;
	}
	text = json_object_to_json_string_length(obj, JSON_C_TO_STRING_PLAIN, &size);
	w->raw.size = 0;
	ret = text ? buf_add(&w->raw, text, size) : -ENOMEM;
	if (ret)
		return writer_fail(w, ret, err);
	return writer_chunk(w, &h, &w->raw, NULL, 0, err);
}

static struct stream *stream_new(void)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	pack_init(&s->pack);
	s->time_min = UINT64_MAX;
	return s;
}

static int stream_get(struct vsamp_writer *w, uint32_t cpu, struct stream **s,
		      struct vsamp_error *err)
{
	if (cpu >= VSAMP_CPUS_MAX)
		return vsamp_fail(err, -EINVAL, "%s: CPU %u is beyond the format's %u", w->path,
				  cpu, VSAMP_CPUS_MAX);
	if (cpu >= w->n_streams) {
		struct stream **more = realloc(w->stream, (cpu + 1) * sizeof(*more));

		if (!more)
			return writer_fail(w, -ENOMEM, err);
		memset(more + w->n_streams, 0, (cpu + 1 - w->n_streams) * sizeof(*more));
		w->stream = more;
		w->n_streams = cpu + 1;
	}
	if (!w->stream[cpu])
		w->stream[cpu] = stream_new();
	*s = w->stream[cpu];
	return *s ? 0 : writer_fail(w, -ENOMEM, err);
}

static int flush_records(struct vsamp_writer *w, uint32_t cpu, struct vsamp_error *err)
{
	struct pack *p = &w->stream[cpu]->pack;
	struct chunk_header h = {
		.type = VSAMP_CHUNK_RECORDS,
		.cpu = cpu,
		.count = p->count,
		.time_min = p->time_min <= p->time_max ? p->time_min : 0,
		.time_max = p->time_max,
	};
	struct pack_parts parts;
	int ret;

	if (!p->count)
		return 0;
	w->raw.size = 0;
	ret = pack_finish(p, &w->raw, &parts);
	if (ret)
		return writer_fail(w, ret, err);
	return writer_chunk(w, &h, &w->raw, parts.size, parts.n, err);
}

static int flush_sideband(struct vsamp_writer *w, uint32_t cpu, struct vsamp_error *err)
{
	struct stream *s = w->stream[cpu];
	struct chunk_header h = {
		.type = VSAMP_CHUNK_SIDEBAND,
		.cpu = cpu,
		.count = s->count,
		.time_min = s->time_min,
		.time_max = s->time_max,
	};
	int ret;

	if (!s->count)
		return 0;
	ret = writer_chunk(w, &h, &s->sideband, NULL, 0, err);
	s->sideband.size = 0;
	s->count = 0;
	s->time_min = UINT64_MAX;
	s->time_max = 0;
	return ret;
}

int vsamp_writer_records(struct vsamp_writer *w, uint32_t cpu, const void *data, size_t size,
			 struct vsamp_error *err)
{
	const uint8_t *at = data, *end = at + size;
	struct stream *s;
	int ret;

	if (pack_check(data, size))
		return vsamp_fail(err, -EINVAL, "%s: CPU %u: not whole ring records", w->path, cpu);
	if (w->sink)
		return writer_sunk(w, w->sink->records(w->sink_arg, cpu, data, size), err);
	ret = stream_get(w, cpu, &s, err);
	while (!ret && at < end) {
		const struct vsamp_record_header *rec = (const void *)at;

		ret = pack_add(&s->pack, rec);
		if (ret == -ENOSPC) {
			ret = flush_records(w, cpu, err);
			if (!ret)
				ret = pack_add(&s->pack, rec);
		}
		if (ret == -ENOMEM)
			writer_fail(w, ret, err);
		at += rec->size;
	}
	return ret;
}

static bool sideband_check(const uint8_t *at, size_t size)
{
	if ((uintptr_t)at % 8)
		return false;
	while (size) {
		struct perf_event_header h;

		if (size < sizeof(h))
			return false;
		memcpy(&h, at, sizeof(h));
		if (h.size < SIDEBAND_SIZE_MIN || h.size % 8 || h.size > size)
			return false;
		at += h.size;
		size -= h.size;
	}
	return true;
}

static int stream_add_sideband(struct vsamp_writer *w, uint32_t cpu, struct stream *s,
			       const uint8_t *rec, uint16_t size, struct vsamp_error *err)
{
	uint64_t time = sideband_time((const void *)rec);
	int ret = 0;

	if (s->sideband.size + size > SIDEBAND_MAX)
		ret = flush_sideband(w, cpu, err);
	if (ret)
		return ret;
	ret = buf_add(&s->sideband, rec, size);
	if (ret)
		return writer_fail(w, ret, err);
	s->count++;
	if (time < s->time_min)
		s->time_min = time;
	if (time > s->time_max)
		s->time_max = time;
	return 0;
}

int vsamp_writer_sideband(struct vsamp_writer *w, uint32_t cpu, const void *data, size_t size,
			  struct vsamp_error *err)
{
	const uint8_t *at = data, *end = at + size;
	struct stream *s;
	int ret;

	if (!sideband_check(data, size))
		return vsamp_fail(err, -EINVAL, "%s: CPU %u: not whole sideband records", w->path,
				  cpu);
	if (w->sink)
		return writer_sunk(w, w->sink->sideband(w->sink_arg, cpu, data, size), err);
	ret = stream_get(w, cpu, &s, err);
	while (!ret && at < end) {
		uint16_t n = ((const struct perf_event_header *)at)->size;

		ret = stream_add_sideband(w, cpu, s, at, n, err);
		at += n;
	}
	return ret;
}

int writer_kallsyms(struct vsamp_writer *w, FILE *lines, const char *sys, uint64_t time,
		    struct vsamp_error *err)
{
	struct chunk_header h = {
		.type = VSAMP_CHUNK_KALLSYMS,
		.cpu = VSAMP_CPU_NONE,
		.time_min = time,
		.time_max = time,
	};
	struct buf text = { 0 };
	int ret = kallsyms_snapshot(&text, lines, sys);

	if (ret == -EPERM)
		vsamp_fail(err, ret,
			   "the kernel hides its addresses (kernel.kptr_restrict): samples "
			   "in the kernel won't be named; run as root or set kptr_restrict to 0");
	else if (ret)
		vsamp_fail(err, ret, "cannot read the kernel's symbols: %s", strerror(-ret));
	else if (w->sink)
		ret = writer_sunk(w, w->sink->kallsyms(w->sink_arg, &text, time), err);
	else
		ret = writer_chunk(w, &h, &text, NULL, 0, err);
	buf_free(&text);
	return ret;
}

int vsamp_writer_kallsyms(struct vsamp_writer *w, struct vsamp_error *err)
{
	FILE *lines = fopen("/proc/kallsyms", "re");
	struct timespec now;
	int ret;

	if (!lines)
		return vsamp_fail(err, -errno,
				  "/proc/kallsyms: %s: samples in the kernel won't be "
				  "named",
				  strerror(errno));
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	ret = writer_kallsyms(w, lines, "/sys", now.tv_sec * 1000000000ULL + now.tv_nsec, err);
	fclose(lines);
	return ret;
}

int vsamp_writer_flush(struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret = w->failed ? writer_fail(w, w->failed, err) : 0;

	/* what names the samples goes before them */
	for (uint32_t cpu = 0; cpu < w->n_streams && !ret; cpu++)
		if (w->stream[cpu])
			ret = flush_sideband(w, cpu, err);
	if (!ret)
		ret = writer_itt_flush(w, err);
	for (uint32_t cpu = 0; cpu < w->n_streams && !ret; cpu++)
		if (w->stream[cpu])
			ret = flush_records(w, cpu, err);
	return ret;
}

uint64_t vsamp_writer_size(const struct vsamp_writer *w)
{
	return w->size;
}

static void writer_free(struct vsamp_writer *w)
{
	for (uint32_t cpu = 0; cpu < w->n_streams; cpu++) {
		if (!w->stream[cpu])
			continue;
		pack_free(&w->stream[cpu]->pack);
		buf_free(&w->stream[cpu]->sideband);
		free(w->stream[cpu]);
	}
	free(w->stream);
	writer_itt_free(&w->itt);
	buf_free(&w->raw);
	buf_free(&w->stored);
	ZSTD_freeCCtx(w->zstd);
	free(w->path);
	free(w);
}

int vsamp_writer_close(struct vsamp_writer *w, struct vsamp_error *err)
{
	int ret;

	if (!w)
		return 0;
	if (w->sink) {
		writer_free(w);
		return 0;
	}
	ret = vsamp_writer_flush(w, err);
	/* EINVAL: a device or a pipe, which has nothing to sync */
	if (!ret && fsync(w->fd) && errno != EINVAL)
		ret = writer_fail(w, -errno, err);
	if (close(w->fd) && !ret)
		ret = writer_fail(w, -errno, err);
	writer_free(w);
	return ret;
}
