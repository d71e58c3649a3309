// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <vsamp/cpulist.h>
#include <vsamp/sideband.h>

struct sideband_cpu {
	uint32_t cpu;
	int fd;
	bool online;
	struct perf_event_mmap_page *page;
	size_t size; /* of the data behind the page */
};

struct vsamp_sideband {
	struct sideband_cpu *cpu;
	unsigned int n;
	size_t size;
	int epoll;
	uint64_t lost;
	char *copy; /* of what waits, without the ring's seam */
	size_t copy_room;
};

static int sideband_event_open(uint32_t cpu, size_t ring_size)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
		.exclude_kernel = 1, /* asks for less permission */
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.build_id = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = 1,
		.namespaces = 1,
		.ksymbol = 1,
		.bpf_event = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC_RAW,
		.watermark = 1,
	};

	attr.wakeup_watermark = ring_size / 4;
	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static int paranoid_level(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (f) {
		if (fscanf(f, "%d", &level) != 1)
			level = 2;
		fclose(f);
	}
	return level;
}

static int sideband_refused(uint32_t cpu, int code, struct vsamp_error *err)
{
	int level = paranoid_level();

	if (code == -EACCES || code == -EPERM)
		return vsamp_fail(
			err, code,
			"sideband: no permission to follow processes: kernel.perf_event_paranoid is %d, which asks for %s; run as root%s, or record without names of processes: --no-sideband",
			level, level > 2 ? "CAP_SYS_ADMIN" : "CAP_PERFMON",
			level > 2 ? ", or set it to 2 and hold CAP_PERFMON" : "");
	if (code == -EMFILE)
		return vsamp_fail(
			err, code,
			"sideband: too few open files for one per CPU: raise the limit (ulimit -n), or use --no-sideband");
	return vsamp_fail(err, code,
			  "sideband: perf event on CPU %u: %s; --no-sideband records without", cpu,
			  strerror(-code));
}

/* Maps the ring, smaller where the locked-memory limit refuses more */
static int sideband_cpu_map(struct sideband_cpu *c, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	for (; size >= page; size /= 2) {
		void *map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);

		if (map != MAP_FAILED) {
			c->page = map;
			c->size = size;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return -errno;
}

static void sideband_cpu_close(struct sideband_cpu *c)
{
	if (c->page)
		munmap(c->page, sysconf(_SC_PAGESIZE) + c->size);
	if (c->fd >= 0)
		close(c->fd);
	c->page = NULL;
	c->fd = -1;
	c->online = false;
}

static int sideband_cpu_open(struct vsamp_sideband *s, struct sideband_cpu *c,
			     struct vsamp_error *err)
{
	struct epoll_event wake = { .events = EPOLLIN | EPOLLET };
	int ret;

	c->fd = sideband_event_open(c->cpu, s->size);
	if (c->fd < 0) {
		ret = -errno;
		return ret == -ENODEV ? 0 : sideband_refused(c->cpu, ret, err); /* went offline */
	}
	ret = sideband_cpu_map(c, s->size);
	if (ret) {
		vsamp_fail(
			err, ret,
			"sideband: the buffer of CPU %u can't be mapped: %s; raise kernel.perf_event_mlock_kb or the locked-memory limit (ulimit -l), or use --no-sideband",
			c->cpu, strerror(-ret));
		goto err_close;
	}
	/* Edge-triggered: the hang-up of a CPU that went offline is told once */
	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd, &wake)) {
		ret = vsamp_fail(err, -errno, "sideband: epoll: %s", strerror(errno));
		goto err_close;
	}
	if (s->size > c->size)
		s->size = c->size; /* what one CPU was refused the next would be too */
	c->online = true;
	return 0;

err_close:
	sideband_cpu_close(c);
	return ret;
}

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
	s->cpu[s->n] = (struct sideband_cpu){ .cpu = cpu, .fd = -1 };
	return &s->cpu[s->n++];
}

static void files_limit_raise(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int vsamp_sideband_open(struct vsamp_sideband **sideband, size_t size, struct vsamp_error *err)
{
	struct vsamp_sideband *s = calloc(1, sizeof(*s));
	int ret;

	if (!s)
		return vsamp_fail(err, -ENOMEM, "out of memory");
	files_limit_raise();
	s->size = size;
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (s->epoll < 0)
		ret = vsamp_fail(err, -errno, "sideband: epoll: %s", strerror(errno));
	else
		ret = vsamp_sideband_refresh(s, NULL, err);
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
	if (s->epoll >= 0)
		close(s->epoll);
	free(s->cpu);
	free(s->copy);
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

uint64_t vsamp_sideband_lost(const struct vsamp_sideband *s)
{
	return s->lost;
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
	return vsamp_writer_sideband(w, c->cpu, s->copy, head - tail, err);
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

/* Brings the events of CPUs that are gone to their end: they don't come back by themselves */
static int sideband_drop_offline(struct vsamp_sideband *s, const struct vsamp_cpulist *online,
				 struct vsamp_writer *w, struct vsamp_error *err)
{
	for (unsigned int i = 0; i < s->n; i++) {
		struct sideband_cpu *c = &s->cpu[i];
		bool still = false;
		int ret;

		for (unsigned int k = 0; k < online->n; k++)
			still |= online->cpu[k] == c->cpu;
		if (still || !c->online)
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
	int ret = vsamp_cpulist_online(&online);

	if (ret)
		return vsamp_fail(err, ret, "sideband: the list of online CPUs can't be read");
	ret = sideband_drop_offline(s, &online, w, err);
	for (unsigned int i = 0; i < online.n && !ret; i++) {
		struct sideband_cpu *c = sideband_cpu_find(s, online.cpu[i]);

		if (!c)
			ret = vsamp_fail(err, -ENOMEM, "out of memory");
		else if (!c->online)
			ret = sideband_cpu_open(s, c, err);
	}
	vsamp_cpulist_free(&online);
	return ret;
}
