// SPDX-License-Identifier: MIT
/* collector_stream.c: a thread's file, a segment of it at a time */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collector.h"

#define RETRY_CALLS 65536 /* that are lost before it is tried again to get room from a full disk */

/* Of threads that have made no call yet, and of those that can't have a file */
static struct stream unopened = { .hold = HOLD_SLOW }, nowhere = { .hold = HOLD_SLOW };

/* Calls of this process without a file of their thread; and those of them that a header has */
static uint64_t dropped, dropped_told;

__thread struct stream *self __attribute__((tls_model("initial-exec"))) = &unopened;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* The last is replaced once there are many: it is what tells of the clocks' course */
static void point_add(struct spool_header *h)
{
	uint32_t n = h->points < SPOOL_POINTS ? h->points : SPOOL_POINTS - 1;
	struct spool_point best = { .bracket = UINT64_MAX };

	for (int i = 0; i < 4; i++) {
		uint64_t before = ticks(), raw = clock_ns(CLOCK_MONOTONIC_RAW);
		uint64_t monotonic = clock_ns(CLOCK_MONOTONIC), after = ticks();

		if (after - before < best.bracket)
			best = (struct spool_point){ before + (after - before) / 2, after - before,
						     raw, monotonic };
	}
	h->point[n] = best;
	__atomic_store_n(&h->points, n + 1, __ATOMIC_RELEASE);
}

/*
 * Allocated, as a store to a hole ends the program when the disk is full. A file that gets longer than
 * the program's own limit would end it, too.
 */
int file_grow(int fd, uint64_t at, size_t size)
{
	static const char zero[4096];
	struct rlimit most;

	if (!getrlimit(RLIMIT_FSIZE, &most) && at + size > most.rlim_cur)
		return -EFBIG;
	if (!fallocate(fd, 0, at, size))
		return 0;
	if (errno != EOPNOTSUPP && errno != ENOSYS)
		return -errno;
	for (size_t done = 0; done < size; done += sizeof(zero))
		if (pwrite(fd, zero, sizeof(zero), at + done) != sizeof(zero))
			return -ENOSPC;
	return 0;
}

static void *file_map(const char *path, int flags, uint64_t at, size_t size)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
	void *map = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (!file_grow(fd, at, size))
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, at);
	close(fd);
	if (map == MAP_FAILED && flags & O_CREAT)
		unlink(path);
	return map == MAP_FAILED ? NULL : map;
}

/* No signal comes meanwhile: a file system may give up an allocation for one, each time anew */
static void *room_map(struct stream *s, int flags, uint32_t slot, uint64_t at, size_t size)
{
	sigset_t all, before;
	void *map;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	map = process.output ? output_map(s, slot, size) : file_map(s->path, flags, at, size);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return map;
}

static bool path_make(struct stream *s, uint32_t tid, uint32_t number)
{
	if (process.output)
		return output_path(s->path, sizeof(s->path));
	return (size_t)snprintf(s->path, sizeof(s->path), "%s/" SPOOL_NAME, process.dir,
				process.pid, (unsigned long long)process.start, tid,
				number) < sizeof(s->path);
}

static struct spool_header *header_make(struct stream *s, uint32_t tid)
{
	uint32_t number = process.files++;
	struct spool_header *h;

	if (!path_make(s, tid, number))
		return NULL;
	h = room_map(s, O_CREAT | O_EXCL, 0, 0, SPOOL_HEADER);
	if (!h)
		return NULL;
	h->version = SPOOL_VERSION;
	h->clock = process.clock;
	h->pid = process.pid;
	h->tid = tid;
	h->start = process.start;
	h->number = number;
	h->segment = s->segment_size;
	h->pidns = process.pidns;
	point_add(h);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	memcpy(h->magic, SPOOL_MAGIC, sizeof(h->magic));
	return h;
}

/* The first that a reader is done with, so that few are in use; else a further one */
static bool slot_find(struct stream *s, uint32_t *slot)
{
	uint64_t taken = __atomic_load_n(&s->header->taken.segments, __ATOMIC_ACQUIRE);
	uint64_t room = process.limit / s->segment_size;

	for (*slot = 0; taken != s->full_at && *slot < s->slots; ++*slot)
		if (s->number_of[*slot] < taken && *slot != s->slot)
			return true;
	*slot = s->slots;
	if (*slot < SPOOL_SLOTS && *slot < room)
		return true;
	s->full_at = taken;
	return false;
}

static uint8_t *slot_map(struct stream *s, uint32_t slot)
{
	uint8_t *map = slot < SPOOL_KEPT ? s->kept[slot] : NULL;

	if (!map)
		map = room_map(s, 0, slot, SPOOL_HEADER + (uint64_t)slot * s->segment_size,
			       s->segment_size);
	if (slot < SPOOL_KEPT)
		s->kept[slot] = map;
	return map;
}

static void segment_begin(struct stream *s, uint8_t *segment, uint32_t slot)
{
	struct spool_head *head = (struct spool_head *)segment;

	s->number_of[slot] = s->number;
	if (slot == s->slots)
		s->slots++;
	head->next = 0;
	((uint64_t *)(head + 1))[1] = 0; /* no record yet */
	__atomic_store_n(&head->number, ++s->number, __ATOMIC_RELEASE);
	if (s->segment) {
		head = (struct spool_head *)s->segment;
		__atomic_store_n(&head->next, slot + 1, __ATOMIC_RELEASE);
		if (s->slot >= SPOOL_KEPT)
			munmap(s->segment, s->segment_size);
	}
	s->segment = segment;
	s->slot = slot;
	s->at = segment + sizeof(*head);
	s->end = segment + s->segment_size - SPOOL_END;
}

static bool segment_open(struct stream *s)
{
	uint8_t *segment;
	uint32_t slot;

	if (s->header->lost < s->retry || !slot_find(s, &slot))
		return false;
	segment = slot_map(s, slot);
	if (!segment) {
		if (s->segment_size == SPOOL_SEGMENT)
			s->retry = s->header->lost + RETRY_CALLS;
		return false;
	}
	segment_begin(s, segment, slot);
	point_add(s->header);
	return true;
}

static void lost_tell(struct stream *s)
{
	uint64_t *at = (uint64_t *)s->at, lost = s->header->lost;
	size_t size = sizeof(struct vsamp_itt_header) + sizeof(lost);

	if (lost == s->lost_told)
		return;
	at[0] = ticks();
	at[2] = s->lost_told = lost;
	stream_publish(s, s->at, stream_second(VSAMP_ITT_LOST, 0, size, 0), size);
}

uint8_t *stream_more(struct stream *s, size_t size)
{
	int code = errno;
	bool fits = size + 24 <= s->segment_size - sizeof(struct spool_head) - SPOOL_END;

	if (!fits || !segment_open(s)) {
		/* Definitions are kept, and told later */
		if (s->segment_size == SPOOL_SEGMENT || !fits)
			s->header->lost++;
		/* From now on all are, as an end without its begin would end another task */
		if (fits)
			s->end = s->at;
		errno = code;
		return NULL;
	}
	lost_tell(s);
	if (s->segment_size == SPOOL_SEGMENT)
		define_more();
	errno = code;
	return s->at;
}

struct stream *stream_enter(struct stream *s)
{
	static uint64_t tries;

	if (s == &nowhere && !(__atomic_add_fetch(&tries, 1, __ATOMIC_RELAXED) % RETRY_CALLS))
		self = s = &unopened;
	if (s == &unopened)
		s = stream_open();
	if (!s || !s->header) {
		__atomic_add_fetch(&dropped, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (s->hold & HOLD_BUSY) {
		s->header->lost++;
		return NULL;
	}
	s->hold |= HOLD_BUSY;
	return s;
}

void stream_forget(void)
{
	self = &unopened;
}

static void private_map(void *at, size_t size)
{
	void *map = mmap(at, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, 0, 0);

	(void)map; /* it is at @at, or all is as it was */
}

void stream_leave(struct stream *s)
{
	bool busy = s->hold & HOLD_BUSY;

	*s->path = 0;
	private_map(s->header, SPOOL_HEADER);
	if (s->segment)
		private_map(s->segment, s->segment_size);
	for (uint32_t i = 0; i < SPOOL_KEPT; i++) {
		if (!s->kept[i] || s->kept[i] == s->segment)
			continue;
		if (busy)
			private_map(s->kept[i], s->segment_size);
		else
			munmap(s->kept[i], s->segment_size);
		s->kept[i] = NULL;
	}
}

void stream_forked(void)
{
	if (self->header)
		stream_leave(self);
	stream_forget();
	/* Those are the parent's to tell */
	dropped_told = dropped;
}

void stream_free(struct stream *s)
{
	if (s->segment && s->slot >= SPOOL_KEPT)
		munmap(s->segment, s->segment_size);
	for (uint32_t i = 0; i < SPOOL_KEPT; i++)
		if (s->kept[i])
			munmap(s->kept[i], s->segment_size);
	if (s->header)
		munmap(s->header, SPOOL_HEADER);
	munmap(s, sizeof(*s));
}

/* Also of a thread that has ended already, and calls from what its end runs */
static void stream_end(void *stream)
{
	struct stream *s = stream;

	if (s != self || !s->header)
		return;
	stream_put(VSAMP_ITT_THREAD_END, 0, 0, NULL, 0);
	stream_forget();
	if (s->header->lost != s->lost_told && s->segment && s->end - s->at >= 24)
		lost_tell(s);
	if (s->segment && process.output)
		output_end(s);
	else if (s->segment && s->slot + 1 == s->slots &&
		 truncate(s->path, SPOOL_HEADER + (uint64_t)s->slot * s->segment_size +
					   (s->at - s->segment)))
		errno = 0;
	__atomic_store_n(&s->header->ended, 1, __ATOMIC_RELEASE);
	stream_free(s);
}

/* Threads' ends are told by a key of the library; without one they aren't */
static void key_set(struct stream *s)
{
	static pthread_key_t key;
	static int made; /* 1: yes, -1: no */

	if (!made)
		made = pthread_key_create(&key, stream_end) ? -1 : 1;
	if (made > 0)
		pthread_setspecific(key, s);
}

struct stream *stream_new(uint32_t tid, uint32_t segment_size)
{
	struct stream *s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, 0, 0);

	if (s == MAP_FAILED)
		return NULL;
	s->segment_size = segment_size;
	s->hold = process.clock == SPOOL_CLOCK_TSC ? 0 : HOLD_SLOW;
	s->full_at = UINT64_MAX;
	s->header = header_make(s, tid);
	if (s->header)
		return s;
	munmap(s, sizeof(*s));
	return NULL;
}

struct stream *stream_open(void)
{
	int code = errno;
	struct stream *s;

	if (!process.on || self != &unopened)
		return NULL;
	self = &nowhere; /* of a signal's handler meanwhile */
	process_lock();
	s = stream_new(syscall(SYS_gettid), SPOOL_SEGMENT);
	if (s) {
		uint64_t n = __atomic_load_n(&dropped, __ATOMIC_RELAXED);

		s->header->lost = n - dropped_told;
		dropped_told = n;
		self = s;
		key_set(s);
		stream_put(VSAMP_ITT_THREAD_START, 0, 0, NULL, 0);
		define_tell();
		pause_tell();
	}
	process_unlock();
	errno = code;
	return s;
}

void stream_put(uint8_t type, uint8_t flags, uint32_t handle, const void *body, size_t size)
{
	size_t padded = (size + 7) & ~7UL;
	struct stream *s = self;
	uint8_t *at = stream_begin(&s, sizeof(struct vsamp_itt_header) + padded);

	if (!at)
		return;
	stream_time(at);
	if (size) {
		memset(at + 16 + padded - 8, 0, 8);
		memcpy(at + 16, body, size);
	}
	stream_commit(s, at, type, flags, sizeof(struct vsamp_itt_header) + padded, handle);
}
