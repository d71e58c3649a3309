// SPDX-License-Identifier: MIT
/*
 * itt_spool_keep.c: what is under way when a recording ends, for the next one of programs that go on
 *
 * Begins that were taken, names of threads and the like are in no file of their program any more. They
 * are kept in one of ours for each process: struct spool_kept, and its record, over and over.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "itt_spool_private.h"

#define KEPT_NAME "%u-%016llx.kept" /* pid, start: as of the program's files */
#define KEPT_MAX  (16u << 20)

int spool_write(struct vsamp_itt_spool *s, const struct vsamp_itt_thread *thread, const void *data,
		size_t size, struct vsamp_error *err)
{
	const struct spool_kept kept = { thread->tid, size };

	if (!s->keep)
		return s->writer ? vsamp_writer_itt(s->writer, thread, data, size, err) : 0;
	fwrite(&kept, sizeof(kept), 1, s->keep);
	fwrite(data, size, 1, s->keep);
	return 0;
}

static void kept_name(const struct spool_process *p, char *name, size_t size)
{
	snprintf(name, size, KEPT_NAME, p->pid, (unsigned long long)p->start);
}

/* Not a link, or anything else, that somebody has put there */
static FILE *kept_create(const struct vsamp_itt_spool *s, const char *name)
{
	int fd;

	unlinkat(s->dir, name, 0);
	fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static void process_keep(struct vsamp_itt_spool *s, size_t i)
{
	char name[64], fresh[80];
	bool good;

	kept_name(spool_process(s, i), name, sizeof(name));
	snprintf(fresh, sizeof(fresh), "%s.new", name);
	s->keep = kept_create(s, fresh);
	if (!s->keep)
		return;
	good = !spool_carry_tell(s, i, s->now, NULL) && !ferror(s->keep);
	good &= ftell(s->keep) > 0;
	good = !fclose(s->keep) && good;
	s->keep = NULL;
	if (good)
		renameat(s->dir, fresh, s->dir, name);
	else
		unlinkat(s->dir, fresh, 0);
}

void spool_keep(struct vsamp_itt_spool *s)
{
	for (size_t i = 0; i < spool_processes(s); i++) {
		struct spool_process *p = spool_process(s, i);
		char name[64];

		if (p->left)
			continue;
		kept_name(p, name, sizeof(name));
		unlinkat(s->dir, name, 0);
		if (!p->was_over)
			process_keep(s, i);
	}
}

void spool_keep_find(const struct vsamp_itt_spool *s, struct spool_process *p)
{
	char name[64];
	struct stat st;
	int fd;

	kept_name(p, name, sizeof(name));
	fd = openat(s->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_size <= KEPT_MAX && !buf_reserve(&p->kept, st.st_size) &&
	    read(fd, p->kept.data, st.st_size) == st.st_size)
		p->kept.size = st.st_size;
	close(fd);
}

/* When it was, on the clock of whoever kept it, says nothing here; it was before */
static int record_learn(struct vsamp_itt_spool *s, struct spool_file *f, const uint8_t *record,
			size_t size)
{
	struct vsamp_itt_call call;

	if (vsamp_itt_decode(record, size, &call) != (int)size)
		return 0;
	call.time = 1;
	return spool_carry_learn(s, f, &call);
}

int spool_keep_learn(struct vsamp_itt_spool *s, struct spool_file *f)
{
	const struct buf *kept = &spool_process(s, f->process)->kept;
	struct spool_kept k;
	int ret = 0;

	/* A thread that began later had another one's number */
	if (!f->at.segments && !f->at.bytes)
		return 0;
	for (size_t at = 0; !ret && kept->size - at >= sizeof(k); at += k.size) {
		memcpy(&k, kept->data + at, sizeof(k));
		at += sizeof(k);
		if (k.size > kept->size - at || k.size % 8)
			break;
		if (k.tid == f->thread.tid)
			ret = record_learn(s, f, kept->data + at, k.size);
	}
	return ret;
}

bool spool_keep_is(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && !strcmp(dot, ".kept");
}
