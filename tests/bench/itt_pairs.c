// SPDX-License-Identifier: MIT
/*
 * usage: itt_pairs NULL.so TSC.so COLLECTOR.so
 *
 * CPU time of a pair of task_begin and task_end in ns, as a program calls them: "WHAT none null tsc
 * vsamp", where WHAT is
 *	segment	500 pairs at a time, so that most rounds have no other segment: the least of them
 *	taken	100000 at a time, while a reader takes what is told as soon as it can: the least
 *	whole	all these together, which are 10 million
 *	grown	10 million, while nobody reads; for others as above
 * All take turns, so that whatever else the machine does comes to all of them. VSAMP_ITT_DIR is empty.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../../lib/itt/spool.h"
#include "itt_global.h"

#define KINDS	     4
#define SHORT	     500 /* pairs */
#define SHORT_ROUNDS 400
#define LONG	     100000
#define LONG_ROUNDS  100

typedef void begin_function(const __itt_domain *, __itt_id, __itt_id, __itt_string_handle *);
typedef void end_function(const __itt_domain *);

/* As a static part has them */
static struct part {
	begin_function *begin;
	end_function *end;
	struct itt_api api[3];
	struct itt_global global;
} parts[KINDS];

static __itt_domain domain = { .flags = 1, .nameA = "pairs" };
static __itt_string_handle name = { .strA = "pair" };

static void part_bind(struct part *p, const char *collector)
{
	static const unsigned char magic[] = ITT_MAGIC;
	void *lib = collector ? dlopen(collector, RTLD_NOW) : NULL;
	void (*init)(struct itt_global *,
		     int) = lib ? (void (*)(struct itt_global *, int))dlsym(lib, "__itt_api_init") :
				  NULL;

	p->api[0] = (struct itt_api){ .name = "__itt_task_begin", .pointer = (void **)&p->begin };
	p->api[1] = (struct itt_api){ .name = "__itt_task_end", .pointer = (void **)&p->end };
	memcpy(p->global.magic, magic, sizeof(magic));
	p->global.version_major = 3;
	p->global.version_build = 20111111;
	p->global.api_list = p->api;
	pthread_mutex_init(&p->global.mutex, NULL);
	if (collector && !init) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	if (init)
		init(&p->global, -1);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* ns a pair; as the macros of ittnotify.h make the calls */
static __attribute__((noinline)) double round_of(struct part *part, long n)
{
	struct part *volatile hidden = part;
	struct part *p = hidden;
	double from = seconds();

	for (long i = 0; i < n; i++) {
		if (domain.flags && __atomic_load_n(&p->begin, __ATOMIC_RELAXED))
			p->begin(&domain, __itt_null, __itt_null, &name);
		if (domain.flags && __atomic_load_n(&p->end, __ATOMIC_RELAXED))
			p->end(&domain);
	}
	return (seconds() - from) / n * 1e9;
}

static void turns(double least[KINDS], double all[KINDS], long pairs, int rounds)
{
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < KINDS; i++) {
			double ns = round_of(&parts[i], pairs);

			all[i] += ns / rounds;
			if (!round || ns < least[i])
				least[i] = ns;
		}
}

static void print(const char *what, const double ns[KINDS])
{
	printf("%s %.2f %.2f %.2f %.2f\n", what, ns[0], ns[1], ns[2], ns[3]);
}

static int thread_file(void)
{
	DIR *dir = opendir(getenv("VSAMP_ITT_DIR"));
	struct dirent *entry;
	int fd = -1;

	while (dir && fd < 0 && (entry = readdir(dir)))
		if (strstr(entry->d_name, SPOOL_SUFFIX) && !strstr(entry->d_name, "-0-"))
			fd = openat(dirfd(dir), entry->d_name, O_RDWR);
	if (dir)
		closedir(dir);
	return fd;
}

static bool reading = true;

/* Takes whole segments, and looks at nothing in them */
static void *reader(void *unused)
{
	int fd = thread_file();
	struct spool_header *h = mmap(NULL, SPOOL_HEADER, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				      0);
	struct spool_head head = { 0 };
	uint64_t slot = 0, segments = 0;

	while (h != MAP_FAILED && __atomic_load_n(&reading, __ATOMIC_RELAXED)) {
		while (pread(fd, &head, sizeof(head), SPOOL_HEADER + slot * SPOOL_SEGMENT) ==
			       sizeof(head) &&
		       head.number == segments + 1 && head.next) {
			slot = head.next - 1;
			__atomic_store_n(&h->taken.segments, ++segments, __ATOMIC_RELEASE);
		}
		usleep(200);
	}
	return unused;
}

int main(int argc, char **argv)
{
	double least[KINDS], all[KINDS] = { 0 }, whole[KINDS] = { 0 };
	pthread_t thread;

	if (argc != 4)
		return 2;
	for (int i = 0; i < KINDS; i++)
		part_bind(&parts[i], i ? argv[i] : NULL);
	turns(least, all, SHORT, SHORT_ROUNDS);
	print("segment", least);
	pthread_create(&thread, NULL, reader, NULL);
	turns(least, whole, LONG, LONG_ROUNDS);
	print("taken", least);
	print("whole", whole);
	__atomic_store_n(&reading, false, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	least[3] = round_of(&parts[3], LONG * LONG_ROUNDS);
	print("grown", least);
	return 0;
}
