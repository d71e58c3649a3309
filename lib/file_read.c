// SPDX-License-Identifier: MIT
/* file_read.c: finds, checks and loads the chunks of a .vsamp file */
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <vsamp/file.h>

#include "buf.h"
#include "chunk.h"
#include "crc32c.h"
#include "file_private.h"
#include "file_progress.h"
#include "itt_output.h"

/* Bytes of chunks that are kept for who loads them next */
#define KEPT_MAX (16U << 20)

struct vsamp_reader {
	int fd;
	char *path;
	uint64_t size;
	enum vsamp_file_state state;
	char why[160];
	struct vsamp_chunk *chunk;
	size_t count, room;
	uint64_t loaded; /* bytes, since reader_rewind() */
	ZSTD_DCtx *zstd;
	struct buf stored; /* the chunk that was read last, as it is in the file */
	void **kept;	   /* by chunk: what reader_keep() was given; NULL: no chunk has any */
	size_t kept_bytes;
};

/* All of @size bytes, or an error: -EBADMSG where the file ends before */
static int reader_pread(struct vsamp_reader *r, void *data, size_t size, uint64_t offset)
{
	uint8_t *at = data;

	while (size) {
		ssize_t n = pread(r->fd, at, size, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EBADMSG;
		at += n;
		offset += n;
		size -= n;
	}
	return 0;
}

static void __attribute__((format(printf, 3, 4)))
reader_ends(struct vsamp_reader *r, enum vsamp_file_state state, const char *fmt, ...)
{
	va_list ap;

	r->state = state;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
}

static int check_file_header(struct vsamp_reader *r, struct vsamp_error *err)
{
	struct file_header h;
	int ret = r->size < sizeof(h) ? -EBADMSG : reader_pread(r, &h, sizeof(h), 0);

	if (ret && ret != -EBADMSG)
		return vsamp_fail(err, ret, "%s: cannot read: %s", r->path, strerror(-ret));
	if (ret || memcmp(h.magic, FILE_MAGIC, sizeof(h.magic)))
		return vsamp_fail(err, -EINVAL, "%s: not a .vsamp file%s", r->path,
				  r->size < sizeof(h) ? " (too short)" : "");
	if (h.crc != crc32c(0, &h, offsetof(struct file_header, crc)) || h.size != sizeof(h))
		return vsamp_fail(err, -EBADMSG, "%s: the header is damaged", r->path);
	if (h.version != FILE_VERSION)
		return vsamp_fail(err, -EINVAL,
				  "%s: format version %u; this vsamp reads %u: use a "
				  "newer one",
				  r->path, h.version, FILE_VERSION);
	return 0;
}

static bool chunk_of_cpu(uint16_t type)
{
	return type == VSAMP_CHUNK_RECORDS || type == VSAMP_CHUNK_SIDEBAND;
}

/* Whether a header promises only what may be; sizes of unknown types are the file's business */
static bool chunk_header_ok(const struct chunk_header *h)
{
	uint32_t max = chunk_raw_max(h->type);

	if (!max)
		return true;
	return h->raw_size <= max && h->size <= h->raw_size && !(h->flags & ~CHUNK_ZSTD) &&
	       (h->flags & CHUNK_ZSTD || h->size == h->raw_size) &&
	       (chunk_of_cpu(h->type) ? h->cpu < VSAMP_CPUS_MAX : h->cpu == VSAMP_CPU_NONE);
}

static int payload_crc(struct vsamp_reader *r, uint64_t offset, size_t size, uint32_t *crc)
{
	static const size_t step = 65536;
	uint8_t *block = malloc(step);
	int ret = block ? 0 : -ENOMEM;

	while (!ret && size) {
		size_t n = size < step ? size : step;

		ret = reader_pread(r, block, n, offset);
		if (!ret)
			*crc = crc32c(*crc, block, n);
		offset += n;
		size -= n;
	}
	free(block);
	return ret;
}

static int chunk_add(struct vsamp_reader *r, const struct chunk_header *h, uint64_t offset)
{
	if (r->count == r->room) {
		size_t room = r->room ? 2 * r->room : 64;
		struct vsamp_chunk *chunks = realloc(r->chunk, room * sizeof(*chunks));

		if (!chunks)
			return -ENOMEM;
		r->chunk = chunks;
		r->room = room;
	}
	r->chunk[r->count++] = (struct vsamp_chunk){
		.offset = offset,
		.type = h->type,
		.flags = h->flags,
		.cpu = h->cpu,
		.count = h->count,
		.raw_size = h->raw_size,
		.size = h->size,
		.time_min = h->time_min,
		.time_max = h->time_max,
	};
	return 0;
}

/* 1: there is a good chunk at @offset; 0: the good part ends here; < 0: the file can't be read */
static int scan_chunk(struct vsamp_reader *r, uint64_t offset, struct chunk_header *h)
{
	uint64_t left = r->size - offset;
	uint32_t crc;
	int ret;

	if (left < sizeof(*h)) {
		reader_ends(r, VSAMP_FILE_INCOMPLETE,
			    left ? "cut off in the header of the chunk at byte %" PRIu64 :
				   "cut off before its totals, at byte %" PRIu64,
			    offset);
		return 0;
	}
	ret = reader_pread(r, h, sizeof(*h), offset);
	if (ret)
		return ret;
	if (!chunk_header_ok(h)) {
		reader_ends(r, VSAMP_FILE_DAMAGED,
			    "damaged: the chunk at byte %" PRIu64 " has impossible sizes", offset);
		return 0;
	}
	if (h->size > left - sizeof(*h)) {
		reader_ends(r, VSAMP_FILE_INCOMPLETE, "cut off in the chunk at byte %" PRIu64,
			    offset);
		return 0;
	}
	crc = crc32c(0, &h->type, sizeof(*h) - offsetof(struct chunk_header, type));
	ret = payload_crc(r, offset + sizeof(*h), h->size, &crc);
	if (ret)
		return ret;
	if (crc != h->crc || (h->type == VSAMP_CHUNK_META) != !r->count) {
		reader_ends(r, VSAMP_FILE_DAMAGED, "damaged: the chunk at byte %" PRIu64 " %s",
			    offset, crc != h->crc ? "fails its check" : "is out of place");
		return 0;
	}
	return 1;
}

static int scan(struct vsamp_reader *r)
{
	uint64_t offset = sizeof(struct file_header);
	struct chunk_header h;
	int ret;

	while ((ret = scan_chunk(r, offset, &h)) > 0) {
		ret = chunk_add(r, &h, offset);
		if (ret)
			return ret;
		offset += sizeof(h) + h.size;
		progress_tell(offset, r->size);
		if (h.type != VSAMP_CHUNK_END)
			continue;
		if (offset < r->size)
			reader_ends(r, VSAMP_FILE_DAMAGED,
				    "damaged: %" PRIu64 " bytes behind the end at byte %" PRIu64,
				    r->size - offset, offset);
		return 0;
	}
	return ret;
}

int reader_open_fd(struct vsamp_reader **out, int fd, const char *name, struct vsamp_error *err)
{
	struct vsamp_reader *r = calloc(1, sizeof(*r));
	struct stat st;
	int ret;

	if (!r) {
		close(fd);
		return vsamp_fail(err, -ENOMEM, "%s: out of memory", name);
	}
	r->fd = fd;
	r->path = strdup(name);
	r->zstd = ZSTD_createDCtx();
	if (!r->path || !r->zstd) {
		ret = vsamp_fail(err, -ENOMEM, "%s: out of memory", name);
		goto err_close;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		ret = vsamp_fail(
			err, -EINVAL,
			S_ISDIR(st.st_mode) ?
				"%s: is a folder: of what programs told by ITT 'vsamp itt join' makes a recording" :
				"%s: not a regular file",
			name);
		goto err_close;
	}
	r->size = st.st_size;
	ret = check_file_header(r, err);
	if (ret)
		goto err_close;
	ret = scan(r);
	if (ret) {
		vsamp_fail(err, ret, "%s: cannot read: %s", name, strerror(-ret));
		goto err_close;
	}
	if (!r->count) {
		ret = vsamp_fail(err, -EBADMSG, "%s: nothing to read: %s", name, r->why);
		goto err_close;
	}
	*out = r;
	return 0;

err_close:
	vsamp_reader_close(r);
	return ret;
}

int vsamp_reader_open(struct vsamp_reader **r, const char *path, struct vsamp_error *err)
{
	/* O_NONBLOCK: a pipe without a writer would hang */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return vsamp_fail(err, -errno, "%s: cannot open: %s", path, strerror(errno));
	if (!itt_output_is(fd))
		return reader_open_fd(r, fd, path, err);
	close(fd);
	return itt_output_reader(r, path, err);
}

enum vsamp_file_state vsamp_reader_state(const struct vsamp_reader *r, const char **why)
{
	if (why)
		*why = r->why;
	return r->state;
}

const char *vsamp_reader_path(const struct vsamp_reader *r)
{
	return r->path;
}

size_t vsamp_reader_chunks(const struct vsamp_reader *r, const struct vsamp_chunk **chunks)
{
	*chunks = r->chunk;
	return r->count;
}

static int chunk_inflate(struct vsamp_reader *r, const struct vsamp_chunk *c, const void *stored,
			 uint8_t *raw)
{
	if (c->flags & CHUNK_ZSTD) {
		size_t n = ZSTD_decompressDCtx(r->zstd, raw, c->raw_size, stored, c->size);

		if (ZSTD_isError(n) || n != c->raw_size)
			return -EBADMSG;
	} else {
		memcpy(raw, stored, c->raw_size);
	}
	raw[c->raw_size] = 0;
	return 0;
}

/* What was kept of a chunk, which no longer is; NULL: nothing */
static void *take_kept(struct vsamp_reader *r, const struct vsamp_chunk *c)
{
	void *data = r->kept ? r->kept[c - r->chunk] : NULL;

	if (data) {
		r->kept[c - r->chunk] = NULL;
		r->kept_bytes -= c->raw_size;
	}
	return data;
}

void reader_keep(struct vsamp_reader *r, const struct vsamp_chunk *c, void *data)
{
	if (!r->kept)
		r->kept = calloc(r->count, sizeof(*r->kept));
	if (!r->kept || r->kept[c - r->chunk] || c->raw_size > KEPT_MAX - r->kept_bytes) {
		free(data);
		return;
	}
	r->kept[c - r->chunk] = data;
	r->kept_bytes += c->raw_size;
}

int vsamp_reader_load(struct vsamp_reader *r, const struct vsamp_chunk *c, void **data,
		      struct vsamp_error *err)
{
	struct chunk_header h;
	uint8_t *stored, *raw;
	int ret;

	r->loaded += sizeof(h) + c->size;
	progress_tell(r->loaded, r->size);
	*data = take_kept(r, c);
	if (*data)
		return 0;
	if (!chunk_raw_max(c->type))
		return vsamp_fail(err, -EINVAL, "%s: chunks of type %u are of a later version",
				  r->path, c->type);
	raw = malloc(c->raw_size + 1UL);
	ret = raw ? buf_reserve(&r->stored, sizeof(h) + c->size) : -ENOMEM;
	stored = r->stored.data;
	if (!ret)
		ret = reader_pread(r, stored, sizeof(h) + c->size, c->offset);
	if (!ret) {
		/* the file may have changed since it was scanned */
		memcpy(&h, stored, sizeof(h));
		if (h.crc != crc32c(0, stored + sizeof(h.crc), sizeof(h) + c->size - sizeof(h.crc)))
			ret = -EBADMSG;
	}
	if (!ret)
		ret = chunk_inflate(r, c, stored + sizeof(h), raw);
	if (ret) {
		free(raw);
		return vsamp_fail(err, ret, "%s: the chunk at byte %" PRIu64 ": %s", r->path,
				  c->offset, ret == -EBADMSG ? "damaged" : strerror(-ret));
	}
	*data = raw;
	return 0;
}

void reader_rewind(struct vsamp_reader *r)
{
	r->loaded = 0;
}

void vsamp_reader_close(struct vsamp_reader *r)
{
	if (!r)
		return;
	close(r->fd);
	ZSTD_freeDCtx(r->zstd);
	buf_free(&r->stored);
	for (size_t i = 0; i < r->count && r->kept; i++)
		free(r->kept[i]);
	free(r->kept);
	free(r->chunk);
	free(r->path);
	free(r);
}
