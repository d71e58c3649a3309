// SPDX-License-Identifier: MIT
/* jitdump_read.c: the format of jitdumps, version 1 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "intern.h"
#include "jitdump_private.h"

#define MAGIC	       0x4A695444
#define ARCH_TIMESTAMP (1ULL << 0) /* times are ticks of the processor */
#define RECORDS_MAX    (16U << 20)
#define NAME_MAX_BYTES 4096
#define LINES_MAX      (16U << 20) /* bytes of a record */
#define CODE_MAX       (1ULL << 32)

enum { LOAD, MOVE, DEBUG_INFO };

struct file_begin {
	uint32_t magic, version, size, machine, padding, pid;
	uint64_t time, flags;
};

struct prefix {
	uint32_t type, size;
	uint64_t time;
};

struct load {
	uint32_t pid, tid;
	uint64_t vma, address, size, index;
};

struct move {
	uint32_t pid, tid;
	uint64_t vma, from, to, size, index;
};

struct debug_info {
	uint64_t address, count;
};

struct debug_line {
	uint64_t address;
	int32_t line, discriminator;
	/* then the file's name, or a mark that it is the same as the line before has */
};

#define SAME_FILE    "\xff"
#define NEVER_LOADED UINT64_MAX

struct reader {
	FILE *f;
	uint64_t at; /* of the record in the file */
	uint64_t flags;
	struct jitdump *jd;
	const struct vsamp_clock_fit *monotonic;
	struct elfsym *es;
	struct lines *lines;
	struct buf debug;      /* the last DEBUG_INFO, which is of a LOAD that follows */
	struct intern indexes; /* of code */
	struct buf offset;     /* by number of these: uint64_t, of the code in the file */
};

bool jitdump_named(const char *path)
{
	const char *name = strrchr(path, '/');
	unsigned int pid;
	int end = 0;

	return name && sscanf(name, "/jit-%u.dump%n", &pid, &end) == 1 && end && !name[end];
}

static int piece_add(struct reader *r, const struct prefix *p, struct jitdump_piece piece)
{
	piece.time = r->flags & ARCH_TIMESTAMP ? p->time :
						 vsamp_clock_fit_ticks(r->monotonic, p->time);
	if (!piece.size || piece.size > CODE_MAX || piece.start + piece.size < piece.start)
		return 0;
	return buf_add(&r->jd->pieces, &piece, sizeof(piece));
}

static int lines_each(struct reader *r, const char *at, const char *end, uint64_t count,
		      const struct jitdump_piece *code)
{
	int64_t file = lines_file(r->lines, "");
	struct debug_line row;
	uint64_t last = 0;
	int ret = 0;

	for (; count && (size_t)(end - at) > sizeof(row) && !ret; count--) {
		memcpy(&row, at, sizeof(row));
		at += sizeof(row);
		if (!memchr(at, 0, end - at))
			break;
		if (strcmp(at, SAME_FILE))
			file = lines_file(r->lines, at);
		if (file < 0)
			return file;
		at += strlen(at) + 1;
		if (row.address - code->start >= code->size || row.address - code->start < last ||
		    row.line < 0)
			continue;
		last = row.address - code->start;
		ret = lines_add(r->lines, code->offset + last, file, row.line);
	}
	return ret;
}

/* Of the code that a LOAD told of, if the record before it did, too */
static int take_lines(struct reader *r, const struct jitdump_piece *code)
{
	const char *at = (const char *)r->debug.data;
	struct debug_info info;
	int ret;

	if (r->debug.size < sizeof(info))
		return 0;
	memcpy(&info, at, sizeof(info));
	if (info.address != code->start)
		return 0;
	ret = lines_begin(r->lines);
	if (!ret)
		ret = lines_each(r, at + sizeof(info), at + r->debug.size, info.count, code);
	if (!ret)
		lines_end(r->lines, code->offset + code->size);
	return ret;
}

/* Where the code of this index is told to be in the file, which may be set; NULL without memory */
static uint64_t *offset_of(struct reader *r, uint64_t index)
{
	int64_t number = intern_number(&r->indexes, &index, sizeof(index));
	uint64_t none = NEVER_LOADED;

	if (number < 0)
		return NULL;
	if (number * sizeof(none) == r->offset.size && buf_add(&r->offset, &none, sizeof(none)))
		return NULL;
	return (uint64_t *)r->offset.data + number;
}

static int take_load(struct reader *r, const struct prefix *p)
{
	char name[NAME_MAX_BYTES];
	uint64_t room = p->size - sizeof(*p), *known;
	struct jitdump_piece code;
	struct load load;
	size_t got;
	int ret;

	if (room <= sizeof(load) || fread(&load, sizeof(load), 1, r->f) != 1)
		return 0;
	room -= sizeof(load);
	got = fread(name, 1, room < sizeof(name) ? room : sizeof(name), r->f);
	if (!memchr(name, 0, got) || room - strlen(name) - 1 < load.size)
		return 0;
	code = (struct jitdump_piece){
		.start = load.address,
		.size = load.size,
		.offset = r->at + sizeof(*p) + sizeof(load) + strlen(name) + 1,
	};
	ret = piece_add(r, p, code);
	if (!ret)
		ret = elfsym_add_code(r->es, code.offset, code.size, name);
	if (!ret)
		ret = take_lines(r, &code);
	r->debug.size = 0;
	if (ret)
		return ret;
	known = offset_of(r, load.index);
	if (!known)
		return -ENOMEM;
	*known = code.offset;
	return 0;
}

static int take_move(struct reader *r, const struct prefix *p)
{
	const uint64_t *known;
	struct move move;

	if (p->size - sizeof(*p) < sizeof(move) || fread(&move, sizeof(move), 1, r->f) != 1)
		return 0;
	known = offset_of(r, move.index);
	if (!known)
		return -ENOMEM;
	return *known == NEVER_LOADED ?
		       0 :
		       piece_add(r, p,
				 (struct jitdump_piece){
					 .start = move.to, .size = move.size, .offset = *known });
}

static int take_debug(struct reader *r, const struct prefix *p)
{
	size_t size = p->size - sizeof(*p);
	int ret;

	r->debug.size = 0;
	if (size > LINES_MAX)
		return 0;
	ret = buf_reserve(&r->debug, size);
	if (!ret)
		r->debug.size = fread(r->debug.data, 1, size, r->f);
	return ret;
}

/* 1: there may be another one */
static int take_record(struct reader *r)
{
	struct prefix p;
	int ret = 0;

	if (fseeko(r->f, r->at, SEEK_SET) || fread(&p, sizeof(p), 1, r->f) != 1 ||
	    p.size < sizeof(p))
		return 0;
	if (p.type == LOAD)
		ret = take_load(r, &p);
	else if (p.type == MOVE)
		ret = take_move(r, &p);
	else if (p.type == DEBUG_INFO)
		ret = take_debug(r, &p);
	r->at += p.size;
	return ret ? ret : 1;
}

static int take_all(struct reader *r)
{
	struct file_begin begin;
	int ret = 1;

	if (fread(&begin, sizeof(begin), 1, r->f) != 1 || begin.magic != MAGIC ||
	    begin.version != 1 || begin.size < sizeof(begin))
		return -EBADMSG;
	r->at = begin.size;
	r->flags = begin.flags;
	for (unsigned int i = 0; i < RECORDS_MAX && ret > 0; i++)
		ret = take_record(r);
	return ret < 0 ? ret : jitdump_index(r->jd);
}

int jitdump_read(struct jitdump **out, int fd, const struct vsamp_clock_fit *monotonic,
		 struct elfsym *es, struct lines *l)
{
	struct reader r = { .monotonic = monotonic, .es = es, .lines = l };
	int ret = -ENOMEM, own = dup(fd);

	r.jd = calloc(1, sizeof(*r.jd));
	r.f = own >= 0 ? fdopen(own, "r") : NULL;
	if (!r.f && own >= 0)
		close(own);
	if (r.jd && r.f)
		ret = take_all(&r);
	if (r.f)
		fclose(r.f);
	buf_free(&r.debug);
	buf_free(&r.offset);
	intern_free(&r.indexes);
	if (ret)
		jitdump_free(r.jd);
	else
		*out = r.jd;
	return ret;
}
