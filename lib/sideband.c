// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <vsamp/cpulist.h>

#include "file_private.h"
#include "nspid.h"
#include "perf_open.h"
#include "perf_watch.h"
#include "sideband_private.h"

static struct sideband_cpu *sideband_cpu_find(struct vsamp_sideband *s, uint32_t cpu)
{
	struct sideband_cpu *more;

	for (unsigned int i = 0; i < s->n; i++)
		if (s->cpu[i].cpu == cpu)
			return &s->cpu[i];
	more = reallocarray(s->cpu, s->n + 1, sizeof(*more));
	if (!more)
		return NULL;
	s->cpu = more;
	s->cpu[s->n] = (struct sideband_cpu){ .cpu = cpu };
	return &s->cpu[s->n++];
}

static int sideband_begin(struct vsamp_sideband *s, const struct vsamp_cpulist *cpus,
			  struct vsamp_error *err)
{
	int ret = 0;

	for (unsigned int i = 0; i < cpus->n && !ret; i++) {
		struct sideband_cpu *c = sideband_cpu_find(s, cpus->cpu[i]);

		if (!c)
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
		else if (!c->online)
			ret = sideband_cpu_open(s, c, err);
	}
	return ret ? ret : sideband_map(s, err);
}

static int sideband_new(struct vsamp_sideband **sideband, size_t size, struct vsamp_error *err)
{
	struct vsamp_sideband *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	perf_files_limit_raise();
	s->size = size;
	s->own_ns = nspid_own();
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0) {
		ret = vsamp_fail(err, -errno, "sideband: epoll: %s", strerror(errno));
		free(s);
		return ret;
	}
	*sideband = s;
	return 0;
}

int vsamp_sideband_open(struct vsamp_sideband **sideband, size_t size, struct vsamp_error *err)
{
	struct vsamp_sideband *s;
	int ret = sideband_new(&s, size, err);

	if (ret)
		return ret;
	ret = vsamp_sideband_refresh(s, NULL, err);
	if (ret) {
		vsamp_sideband_close(s);
		return ret;
	}
	*sideband = s;
	return 0;
}

static int sideband_add_threads(struct vsamp_sideband *s, pid_t pid, struct vsamp_error *err)
{
	unsigned int n;
	pid_t *tids, *more;
	int ret = perf_threads(pid, &tids, &n);

	if (ret)
		return vsamp_fail(err, ret, "process %d: %s", pid,
				  ret == -ESRCH ? "there is none" : strerror(-ret));
	more = reallocarray(s->tid, s->n_tids + (size_t)n, sizeof(*more));
	if (more) {
		s->tid = more;
		memcpy(s->tid + s->n_tids, tids, n * sizeof(*tids));
		s->n_tids += n;
	}
	free(tids);
	return more ? 0 : vsamp_fail(err, -ENOMEM, "out of memory");
}

int vsamp_sideband_open_processes(struct vsamp_sideband **sideband, size_t size, const pid_t *pids,
				  unsigned int n_pids, bool children, struct vsamp_error *err)
{
	struct vsamp_cpulist cpus = { 0 };
	struct vsamp_sideband *s;
	int ret = sideband_new(&s, size, err);

	if (ret)
		return ret;
	s->children = children;
	for (unsigned int i = 0; i < n_pids && !ret; i++)
		ret = sideband_add_threads(s, pids[i], err);
	if (!ret && vsamp_cpulist_present(&cpus))
		ret = vsamp_fail(err, -EIO, "sideband: the list of CPUs can't be read");
	if (!ret)
		ret = sideband_begin(s, &cpus, err);
	vsamp_cpulist_free(&cpus);
	if (ret) {
		vsamp_sideband_close(s);
		return ret;
	}
	*sideband = s;
	return 0;
}

void vsamp_sideband_close(struct vsamp_sideband *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->n; i++)
		sideband_cpu_close(&s->cpu[i]);
	close(s->epoll);
	free(s->cpu);
	free(s->tid);
	free(s->copy);
	buf_free(&s->held);
	free(s);
}

size_t vsamp_sideband_size(const struct vsamp_sideband *s)
{
	return s->size;
}

int vsamp_sideband_fd(const struct vsamp_sideband *s)
{
	return s->epoll;
}

uint64_t vsamp_sideband_lost(struct vsamp_sideband *s)
{
	uint64_t lost = s->lost;

	s->lost = 0;
	return lost;
}

static int sideband_copy(struct vsamp_sideband *s, const struct sideband_cpu *c, uint64_t tail,
			 size_t size)
{
	const char *data = (const char *)c->page + sysconf(_SC_PAGESIZE);
	size_t at = tail & (c->size - 1);
	size_t first = size < c->size - at ? size : c->size - at;

	if (size > s->copy_room) {
		free(s->copy);
		s->copy_room = 0;
		s->copy = malloc(c->size);
		if (!s->copy)
			return -ENOMEM;
		s->copy_room = c->size;
	}
	memcpy(s->copy, data + at, first);
	memcpy(s->copy + first, data, size - first);
	return 0;
}

static void sideband_count_lost(struct vsamp_sideband *s, size_t size)
{
	struct perf_event_header h;

	for (size_t pos = 0; pos + sizeof(h) <= size; pos += h.size) {
		struct {
			struct perf_event_header h;
			uint64_t id;
			uint64_t lost;
		} record;

		memcpy(&h, s->copy + pos, sizeof(h));
		if (h.size < sizeof(h) || h.size > size - pos)
			return; /* the writer refuses it */
		if (h.type != PERF_RECORD_LOST || h.size < sizeof(record))
			continue;
		memcpy(&record, s->copy + pos, sizeof(record));
		s->lost += record.lost;
	}
}

/* A plain user gets no records of namespaces: there, each process that is forked is looked at */
static bool sideband_starts(const struct vsamp_sideband *s, const struct perf_event_header *h,
			    uint32_t *pid)
{
	const struct task_record *fork = (const void *)h;

	if (!s->tid)
		return nspid_wanted(h, s->own_ns, pid);
	if (h->type != PERF_RECORD_FORK || h->size < sizeof(*fork) || fork->pid == fork->ppid)
		return false;
	*pid = fork->pid;
	return true;
}

void sideband_hold(struct vsamp_sideband *s)
{
	s->hold = true;
}

void sideband_held_drop(struct vsamp_sideband *s)
{
	s->hold = false;
	buf_free(&s->held);
}

int sideband_held_put(struct vsamp_sideband *s, struct vsamp_writer *w, struct vsamp_error *err)
{
	const uint8_t *at = s->held.data, *end = at + s->held.size;
	int ret = 0;

	while (!ret && at < end) {
		const struct sideband_held *h = (const void *)at;

		ret = vsamp_writer_sideband(w, h->cpu, h + 1, h->size, err);
		at += sizeof(*h) + h->size;
	}
	sideband_held_drop(s);
	return ret;
}

static int sideband_put(struct vsamp_sideband *s, uint32_t cpu, const void *data, size_t size,
			struct vsamp_writer *w, struct vsamp_error *err)
{
	struct sideband_held h = { cpu, size };
	int ret = vsamp_writer_sideband(w, cpu, data, size, err);

	if (ret || !s->hold)
		return ret;
	return buf_add(&s->held, &h, sizeof(h)) || buf_add(&s->held, data, size) ?
		       vsamp_fail(err, -ENOMEM, "out of memory") :
		       0;
}

/* While they live: what processes are called in their containers, behind the records of size */
static int sideband_name_processes(struct vsamp_sideband *s, uint32_t cpu, size_t size,
				   struct vsamp_writer *w, struct vsamp_error *err)
{
	const struct perf_event_header *h;
	struct nspid_record record;
	uint32_t pid;
	int ret = 0;

	for (size_t pos = 0; pos < size && !ret; pos += h->size) {
		h = (const void *)(s->copy + pos);
		if (!sideband_starts(s, h, &pid) || !nspid_read(&record, pid))
			continue;
		record.time = sideband_time(h);
		record.cpu = cpu;
		ret = sideband_put(s, cpu, &record, sizeof(record), w, err);
	}
	return ret;
}

static int sideband_cpu_drain(struct vsamp_sideband *s, struct sideband_cpu *c,
			      struct vsamp_writer *w, struct vsamp_error *err)
{
	uint64_t head, tail;
	int ret;

	if (!c->page)
		return 0;
	head = __atomic_load_n(&c->page->data_head, __ATOMIC_ACQUIRE);
	tail = c->page->data_tail;
	if (head == tail)
		return 0;
	if (head - tail > c->size)
		return vsamp_fail(err, -EBADMSG, "sideband: buffer of CPU %u is damaged", c->cpu);
	ret = sideband_copy(s, c, tail, head - tail);
	if (ret)
		return vsamp_fail(err, ret, "out of memory");
	__atomic_store_n(&c->page->data_tail, head, __ATOMIC_RELEASE);
	sideband_count_lost(s, head - tail);
	ret = sideband_put(s, c->cpu, s->copy, head - tail, w, err);
	/* That they are whole was checked there */
	return ret ? ret : sideband_name_processes(s, c->cpu, head - tail, w, err);
}

int vsamp_sideband_drain(struct vsamp_sideband *s, struct vsamp_writer *w, struct vsamp_error *err)
{
	struct epoll_event wakes[64];

	/* What woke the caller is taken here, whatever it was */
	while (epoll_wait(s->epoll, wakes, 64, 0) == 64)
		;
	for (unsigned int i = 0; i < s->n; i++) {
		int ret = sideband_cpu_drain(s, &s->cpu[i], w, err);

		if (ret)
			return ret;
	}
	return 0;
}

/* Brings the events of CPUs that have gone to their end: they don't come back by themselves */
static int sideband_drop_offline(struct vsamp_sideband *s, const struct vsamp_cpulist *online,
				 struct vsamp_writer *w, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < s->n; i++) {
		struct sideband_cpu *c = &s->cpu[i];
		bool still = false;
		int ret;

		for (unsigned int k = 0; k < online->n; k++)
			still |= online->cpu[k] == c->cpu;
		if (!c->online || (still && !perf_watch_gone(c->fd[0])))
			continue;
		ret = sideband_cpu_drain(s, c, w, err);
		sideband_cpu_close(c);
		if (ret)
			return ret;
	}
	return 0;
}

int vsamp_sideband_refresh(struct vsamp_sideband *s, struct vsamp_writer *w,
			   struct vsamp_error *err)
{
	struct vsamp_cpulist online;
	int ret;

	if (s->tid)
		return 0; /* events of threads outlast a CPU's absence */
	ret = vsamp_cpulist_online(&online);
	if (ret)
		return vsamp_fail(err, ret, "sideband: the list of online CPUs can't be read");
	ret = sideband_drop_offline(s, &online, w, err);
	if (!ret)
		ret = sideband_begin(s, &online, err);
	vsamp_cpulist_free(&online);
	return ret;
}
