// SPDX-License-Identifier: MIT
/* itt_output.c: the file that programs told to without a recorder, taken apart and read */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vsamp/itt_spool.h>

#include "itt/output.h"
#include "itt/spool.h"
#include "itt_output.h"

#define PIECE_MAX (1u << 20)

struct unpack {
	int fd, dir;
	uint64_t size;
	struct file {
		uint64_t at; /* of the piece with its header */
		struct spool_header header;
	} * file; /* by at, which is the order in which they are found */
	size_t n;
	uint8_t piece[PIECE_MAX];
};

bool itt_output_is(int fd)
{
	struct output_header h;

	return pread(fd, &h, sizeof(h), 0) == sizeof(h) &&
	       !memcmp(h.magic, OUTPUT_MAGIC, sizeof(h.magic));
}

static int file_create(const struct unpack *u, const struct spool_header *h, int flags)
{
	char name[128];

	snprintf(name, sizeof(name), SPOOL_NAME, h->pid, (unsigned long long)h->start, h->tid,
		 h->number);
	return openat(u->dir, name, O_WRONLY | O_CLOEXEC | flags, 0600);
}

/* What is zero at the end stays a hole, of a file that is as long all the same */
static int file_write(int fd, const uint8_t *data, size_t size, uint64_t at)
{
	size_t used = size;
	ssize_t n;

	while (used && !data[used - 1])
		used--;
	n = pwrite(fd, data, used, at);
	if (n != (ssize_t)used)
		return n < 0 ? -errno : -ENOSPC;
	return ftruncate(fd, at + size) ? -errno : 0;
}

/* One that was not begun is none; of two that say they are the same the first is */
static int header_take(struct unpack *u, uint64_t at)
{
	const struct spool_header *h = (const void *)u->piece;
	struct file *more;
	int fd, ret;

	if (memcmp(h->magic, SPOOL_MAGIC, sizeof(h->magic)))
		return 0;
	fd = file_create(u, h, O_CREAT | O_EXCL);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	ret = file_write(fd, u->piece, SPOOL_HEADER, 0);
	close(fd);
	if (ret)
		return ret;
	more = realloc(u->file, (u->n + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	u->file = more;
	more[u->n].at = at;
	memcpy(&more[u->n++].header, h, sizeof(*h));
	return 0;
}

static int file_compare(const void *at, const void *file)
{
	const uint64_t *a = at;
	const struct file *f = file;

	return *a < f->at ? -1 : *a > f->at;
}

static int segment_take(struct unpack *u, const struct output_piece *p)
{
	const struct file *f = bsearch(&p->of, u->file, u->n, sizeof(*f), file_compare);
	int fd, ret;

	if (!f || f->header.segment != p->size || p->slot >= SPOOL_SLOTS)
		return 0;
	fd = file_create(u, &f->header, 0);
	if (fd < 0)
		return -errno;
	ret = file_write(fd, u->piece, p->size, SPOOL_HEADER + (uint64_t)p->slot * p->size);
	close(fd);
	return ret;
}

static bool piece_ok(const struct unpack *u, const struct output_piece *p, uint64_t at)
{
	return !memcmp(p->magic, OUTPUT_PIECE_MAGIC, sizeof(p->magic)) && p->size &&
	       p->size <= PIECE_MAX && p->size % OUTPUT_PAGE == 0 && p->of <= at &&
	       (p->of != at || p->size == SPOOL_HEADER) && p->size <= u->size - at - OUTPUT_PAGE;
}

/* Goes on at @*at, or a page behind it where there is no piece: its program had no room for it */
static int piece_take(struct unpack *u, uint64_t *at)
{
	uint64_t from = *at;
	struct output_piece p;
	ssize_t n = pread(u->fd, &p, sizeof(p), from);

	if (n != sizeof(p))
		return n < 0 ? -errno : -EBADMSG;
	*at += OUTPUT_PAGE;
	if (!piece_ok(u, &p, from))
		return 0;
	n = pread(u->fd, u->piece, p.size, from + OUTPUT_PAGE);
	if (n != (ssize_t)p.size)
		return n < 0 ? -errno : -EBADMSG;
	*at += p.size;
	return p.of == from ? header_take(u, from) : segment_take(u, &p);
}

static int pieces_take(struct unpack *u, const char *dir)
{
	uint64_t at = OUTPUT_PAGE;
	struct stat st;
	int ret = 0;

	u->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (u->dir < 0 || fstat(u->fd, &st))
		return -errno;
	u->size = st.st_size;
	while (!ret && at + OUTPUT_PAGE <= u->size)
		ret = piece_take(u, &at);
	return ret;
}

int itt_output_unpack(int fd, const char *name, char *dir, size_t size, struct vsamp_error *err)
{
	struct unpack *u = calloc(1, sizeof(*u));
	struct vsamp_error why;
	int ret;

	*dir = '\0';
	if (!u)
		return vsamp_fail(err, -ENOMEM, "%s: no memory", name);
	ret = vsamp_itt_spool_make(dir, size, &why);
	if (ret) {
		free(u);
		return vsamp_fail(err, ret, "%s: to take it apart %s", name, why.text);
	}
	u->fd = fd;
	u->dir = -1;
	ret = pieces_take(u, dir);
	if (ret) {
		vsamp_fail(err, ret, "%s: can't be taken apart in %s: %s", name, dir,
			   strerror(-ret));
		vsamp_itt_spool_remove(dir, NULL);
	}
	if (u->dir >= 0)
		close(u->dir);
	free(u->file);
	free(u);
	return ret;
}
