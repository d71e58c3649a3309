// SPDX-License-Identifier: MIT
/* itt_spool.c: a folder of collectors' files, drained into recordings */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "itt_spool_private.h"
#include "vsamp.h"

static int no_memory(struct vsamp_error *err)
{
	return vsamp_fail(err, -ENOMEM, "out of memory");
}

static bool name_is_ours(const char *name)
{
	size_t length = strlen(name), suffix = strlen(SPOOL_SUFFIX);

	return length > suffix && length < sizeof(((struct spool_file *)0)->name) &&
	       !strcmp(name + length - suffix, SPOOL_SUFFIX);
}

#define PASSES_MAX 8 /* of the folder, before what is known is read */

static int64_t process_get(struct vsamp_itt_spool *s, const struct spool_header *h)
{
	const uint64_t key[] = { h->start, h->pidns, h->pid };
	int64_t number = intern_number(&s->process_keys, key, sizeof(key));
	struct spool_process more = { .pid = h->pid, .start = h->start, .pidns = h->pidns };
	bool found;

	if (number < 0 || (size_t)number < spool_processes(s))
		return number;
	found = spool_pid_find(s, &more);
	more.left = s->wanted && !s->wanted(s->wanted_arg, more.pid_here);
	s->total.foreign += !more.left && !found;
	if (!more.left)
		spool_keep_find(s, &more);
	return buf_add(&s->processes, &more, sizeof(more)) ? -ENOMEM : number;
}

/* What a process ran before an exec is over, which nobody else can say of it */
static void process_own(struct vsamp_itt_spool *s, struct spool_process *p, uint32_t uid)
{
	if (p->owned)
		return;
	p->owned = true;
	p->uid = uid;
	for (size_t i = 0; i < spool_processes(s); i++) {
		struct spool_process *other = spool_process(s, i);
		bool first = p->start < other->start;
		struct spool_process *before = first ? p : other, *after = first ? other : p;

		if (other != p && other->owned && p->pid == other->pid && p->pidns == other->pidns)
			before->over |= !after->uid || after->uid == before->uid;
	}
}

static int file_clock(struct vsamp_itt_spool *s, const struct spool_header *h)
{
	/* Of a program that goes on our own points say all, and nobody else has a say in them */
	if (!s->take)
		return spool_clock_add(&s->clock, h);
	spool_clock_need(&s->clock, h->clock);
	return 0;
}

static int file_add(struct vsamp_itt_spool *s, const char *name, const struct spool_header *h,
		    uint32_t uid)
{
	int64_t process = process_get(s, h);
	uint32_t index = spool_files(s);
	struct spool_file f = {
		.clock = h->clock,
		.tid = h->tid,
		.number = h->number,
		.segment = h->segment,
		.process = process,
		.at = h->taken,
	};

	if (process < 0)
		return process;
	if (spool_process(s, process)->left)
		return 0;
	if (s->take && !spool_pid_owned(s, spool_process(s, process), uid)) {
		s->total.others++;
		return 0;
	}
	process_own(s, spool_process(s, process), uid);
	snprintf(f.name, sizeof(f.name), "%s", name);
	f.thread.tid = spool_tid_find(s, spool_process(s, process), h->tid);
	if (buf_add(&s->files, &f, sizeof(f)) || buf_add(&s->order, &index, sizeof(index)))
		return -ENOMEM;
	return spool_keep_learn(s, spool_file(s, index)) ? -ENOMEM : file_clock(s, h);
}

/* A file is looked at until it is begun */
static int name_look(struct vsamp_itt_spool *s, const char *name)
{
	int64_t number = intern_string(&s->names, name);
	struct stat st = { 0 };
	struct spool_header h;
	enum spool_look look;
	bool denied;
	uint8_t no = false;
	int fd;

	if (number < 0 || ((size_t)number == s->known.size && buf_add(&s->known, &no, 1)))
		return -ENOMEM;
	if (s->known.data[number])
		return 0;
	errno = 0;
	look = spool_file_look(s, name, &h, &fd);
	denied = look == SPOOL_BAD && (errno == EACCES || errno == EPERM);
	if (fd >= 0) {
		look = fstat(fd, &st) ? SPOOL_BAD : look;
		close(fd);
	}
	s->known.data[number] = look != SPOOL_NOTHING;
	s->total.bad += look == SPOOL_BAD && !denied;
	s->total.denied += denied;
	return look == SPOOL_GOOD ? file_add(s, name, &h, st.st_uid) : 0;
}

/* A thread's files one behind the other, as they began */
static int order_compare(const void *one, const void *other, void *spool)
{
	const struct spool_file *a = spool_file(spool, *(const uint32_t *)one);
	const struct spool_file *b = spool_file(spool, *(const uint32_t *)other);

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

/*
 * The files that there are; again, if there were new ones, as others may have come before these: who
 * makes them for ever is taken later, as far as there is a later
 */
static int spool_list(struct vsamp_itt_spool *s, struct vsamp_error *err)
{
	int ret = 0, passes = 0;
	size_t before;

	do {
		DIR *dir = fdopendir(openat(s->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		struct dirent *entry;

		before = spool_files(s);
		if (!dir)
			return vsamp_fail(err, -errno, "the folder of ITT calls: %s",
					  strerror(errno));
		while (!ret && (entry = readdir(dir)))
			if (name_is_ours(entry->d_name))
				ret = name_look(s, entry->d_name);
		closedir(dir);
	} while (!ret && spool_files(s) != before && ++passes < PASSES_MAX);
	if (s->order.size)
		qsort_r(s->order.data, spool_files(s), sizeof(uint32_t), order_compare, s);
	return ret ? no_memory(err) : 0;
}

/* What of a file is on the session's clock; false: it can't be */
static bool file_begin(struct vsamp_itt_spool *s, struct spool_file *f)
{
	struct spool_process *p = spool_process(s, f->process);

	if (f->begun)
		return true;
	if (!spool_clock_can(&s->clock, f->clock)) {
		s->total.clocks += !!f->tid;
		f->done = f->gone = true; /* it stays for who can */
		return false;
	}
	s->total.files += !!f->tid;
	s->total.processes += !p->start_here;
	if (!p->start_here)
		p->start_here = spool_clock_time(&s->clock, f->clock, p->start);
	f->thread.pid = p->pid_here;
	f->thread.start = p->start_here;
	/* The definitions are read by everybody, from the beginning */
	if (!f->tid)
		f->at = (struct spool_taken){ .lost = f->at.lost };
	f->begun = true;
	return true;
}

static int files_drain(struct vsamp_itt_spool *s, struct vsamp_error *err)
{
	const uint32_t *order = (void *)s->order.data;
	int ret = 0;

	for (size_t i = 0; i < spool_files(s) && !ret; i++) {
		struct spool_file *f = spool_file(s, order[i]);

		if (!f->done && file_begin(s, f))
			ret = spool_file_drain(s, f, err);
	}
	return ret;
}

static bool file_is_over(const struct vsamp_itt_spool *s, const struct spool_file *f)
{
	return !f->gone && (f->done || spool_process(s, f->process)->was_over);
}

/* What is in the recording wholly may go */
static int files_remove(struct vsamp_itt_spool *s, struct vsamp_error *err)
{
	bool any = false;
	int ret;

	for (size_t i = 0; i < spool_files(s); i++)
		any |= file_is_over(s, spool_file(s, i));
	ret = any && s->take && s->writer ? vsamp_writer_flush(s->writer, err) : 0;
	for (size_t i = 0; i < spool_files(s) && any && !ret; i++) {
		struct spool_file *f = spool_file(s, i);

		if (!file_is_over(s, f))
			continue;
		f->gone = f->done = true;
		spool_carry_end(f);
		if (s->take && !f->bad)
			unlinkat(s->dir, f->name, 0);
	}
	/* All that it told is read by now */
	for (size_t i = 0; i < spool_processes(s) && !ret; i++)
		if (spool_process(s, i)->was_over)
			spool_carry_end_process(spool_process(s, i));
	return ret;
}

/* Who is gone before the files are listed has told all that is in them */
static void processes_look(struct vsamp_itt_spool *s)
{
	for (size_t i = 0; i < spool_processes(s); i++) {
		struct spool_process *p = spool_process(s, i);

		if (p->was_over)
			continue;
		p->was_over = p->over || !spool_pid_lives(s, p);
	}
}

static int busy(const struct vsamp_itt_spool *s, const char *dir, struct vsamp_error *err)
{
	uint32_t holder = spool_holder(s->dir);
	char who[32] = "another recording";

	if (holder)
		snprintf(who, sizeof(who), "process %u", holder);
	return vsamp_fail(
		err, -EBUSY,
		"%s: %s takes what programs tell there: wait for its end, or name another folder",
		dir, who);
}

int vsamp_itt_spool_open(struct vsamp_itt_spool **spool, const char *dir, int clock,
			 enum vsamp_itt_spool_mode mode, struct vsamp_error *err)
{
	struct vsamp_itt_spool *s = calloc(1, sizeof(*s));
	int ret = 0;

	*spool = s;
	if (!s)
		return no_memory(err);
	s->take = mode == VSAMP_ITT_SPOOL_TAKE;
	s->pidns = spool_pidns();
	s->segment = aligned_alloc(8, SPOOL_SEGMENT);
	s->again = aligned_alloc(8, SPOOL_SEGMENT);
	s->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->dir < 0)
		ret = vsamp_fail(err, -errno, "%s: %s", dir, strerror(errno));
	else if (flock(s->dir, (s->take ? LOCK_EX : LOCK_SH) | LOCK_NB))
		ret = busy(s, dir, err);
	else if (!s->segment || !s->again || spool_clock_begin(&s->clock, clock))
		ret = no_memory(err);
	if (ret) {
		vsamp_itt_spool_close(s);
		*spool = NULL;
	}
	return ret;
}

void vsamp_itt_spool_choose(struct vsamp_itt_spool *s, bool (*wanted)(void *arg, uint32_t pid),
			    void *arg)
{
	s->wanted = wanted;
	s->wanted_arg = arg;
}

int vsamp_itt_spool_start(struct vsamp_itt_spool *s, struct vsamp_writer *w,
			  struct vsamp_error *err)
{
	int ret = 0;

	if (!s->writer)
		s->total.records = s->total.lost = 0;
	s->writer = w;
	for (size_t i = 0; i < spool_files(s); i++) {
		struct spool_file *f = spool_file(s, i);

		if (!f->tid && !f->gone && !f->bad)
			f->at = (struct spool_taken){ .lost = f->at.lost };
	}
	for (size_t i = 0; i < spool_processes(s) && !ret; i++)
		ret = spool_carry_tell(s, i, s->now, err);
	return ret;
}

int vsamp_itt_spool_drain(struct vsamp_itt_spool *s, struct vsamp_error *err)
{
	int ret;

	s->now = spool_clock_now(&s->clock);
	processes_look(s);
	ret = spool_list(s, err);
	if (!ret && spool_clock_look(&s->clock))
		ret = no_memory(err);
	if (!ret)
		ret = files_drain(s, err);
	if (!ret)
		ret = files_remove(s, err);
	s->failed |= !!ret;
	return ret;
}

struct vsamp_itt_totals vsamp_itt_spool_totals(const struct vsamp_itt_spool *s)
{
	return s->total;
}

void vsamp_itt_spool_close(struct vsamp_itt_spool *s)
{
	if (!s)
		return;
	if (s->take && !s->failed)
		spool_keep(s);
	for (size_t i = 0; i < spool_files(s); i++) {
		struct spool_file *f = spool_file(s, i);

		if (s->take && !s->failed && f->tid && !f->gone && f->begun)
			spool_file_give_back(s, f);
		spool_carry_end(f);
	}
	for (size_t i = 0; i < spool_processes(s); i++)
		spool_carry_end_process(spool_process(s, i));
	for (size_t i = 0; i < spool_processes(s); i++)
		buf_free(&spool_process(s, i)->kept);
	spool_clock_free(&s->clock);
	intern_free(&s->names);
	intern_free(&s->process_keys);
	buf_free(&s->known);
	buf_free(&s->files);
	buf_free(&s->order);
	buf_free(&s->processes);
	if (s->dir >= 0)
		close(s->dir);
	free(s->segment);
	free(s->again);
	free(s);
}

int vsamp_itt_spool_join(struct vsamp_writer *w, const char *dir, int clock,
			 struct vsamp_itt_totals *result, struct vsamp_error *err)
{
	struct vsamp_itt_spool *s = NULL;
	int ret = vsamp_itt_spool_open(&s, dir, clock, VSAMP_ITT_SPOOL_KEEP, err);

	*result = (struct vsamp_itt_totals){ 0 };
	if (!ret)
		ret = vsamp_itt_spool_start(s, w, err);
	if (!ret)
		ret = vsamp_itt_spool_drain(s, err);
	if (s)
		*result = vsamp_itt_spool_totals(s);
	vsamp_itt_spool_close(s);
	return ret;
}

/* On a disk, if there is a choice */
static const char *dir_parent(void)
{
	const char *tmp = getenv("TMPDIR");

	if (tmp && *tmp == '/')
		return tmp;
	return access("/var/tmp", W_OK | X_OK) ? "/tmp" : "/var/tmp";
}

int vsamp_itt_spool_make(char *dir, size_t size, struct vsamp_error *err)
{
	const char *parent = dir_parent();
	int ret = 0;

	if ((size_t)snprintf(dir, size, "%s/vsamp-itt-XXXXXX", parent) >= size)
		ret = -ENAMETOOLONG;
	else if (!mkdtemp(dir))
		ret = -errno;
	if (!ret)
		return 0;
	*dir = '\0';
	return vsamp_fail(err, ret, "no folder can be made in %s: %s: set TMPDIR to another folder",
			  parent, strerror(-ret));
}

int vsamp_itt_spool_remove(const char *path, struct vsamp_error *err)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int ret = 0;

	if (!dir)
		return vsamp_fail(err, -errno, "%s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if ((name_is_ours(entry->d_name) || spool_keep_is(entry->d_name)) &&
		    unlinkat(dirfd(dir), entry->d_name, 0))
			ret = -errno;
	closedir(dir);
	if (!ret && rmdir(path))
		ret = -errno;
	return ret ? vsamp_fail(err, ret, "%s: %s", path, strerror(-ret)) : 0;
}
