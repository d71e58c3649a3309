// SPDX-License-Identifier: MIT
/* Collectors' files that others made, or that change while they are read: made byte by byte */
#include "mkfile.h"
#include "mkitt.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include <vsamp/itt_spool.h>

#include "itt/spool.h"
#include "need.h"

#define NOBODY 65534

static char dir[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/vsamp-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return mk_setup(state);
}

static int teardown(void **state)
{
	assert_int_equal(vsamp_itt_spool_remove(dir, NULL), 0);
	return mk_teardown(state);
}

static uint64_t pidns(void)
{
	struct stat st;

	assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
	return st.st_ino;
}

/* Of a process, and its first thread */
static struct spool_header header(uint32_t pid, uint64_t start)
{
	struct spool_header h = {
		.version = SPOOL_VERSION,
		.clock = SPOOL_CLOCK_TSC,
		.pid = pid,
		.tid = pid,
		.start = start,
		.segment = SPOOL_SEGMENT,
		.pidns = pidns(),
	};

	memcpy(h.magic, SPOOL_MAGIC, sizeof(h.magic));
	return h;
}

static void name_make(char name[100], const struct spool_header *h, const char *what)
{
	snprintf(name, 100, "%s/%u-%s.itt", dir, h->pid, what);
}

/* A file of one segment, whose records may be more later */
static int file_make(const struct spool_header *h, const char *what)
{
	const struct spool_head head = { .number = 1 };
	char name[100];
	int fd;

	name_make(name, h, what);
	fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, SPOOL_HEADER + h->segment), 0);
	assert_int_equal(pwrite(fd, h, sizeof(*h), 0), sizeof(*h));
	assert_int_equal(pwrite(fd, &head, sizeof(head), SPOOL_HEADER), sizeof(head));
	return fd;
}

/* Puts a call behind the others; returns where its record is */
static uint64_t call_add(int fd, uint64_t *at, struct vsamp_itt_call call)
{
	uint8_t record[512] __attribute__((aligned(8)));
	uint64_t was = *at ? *at : SPOOL_HEADER + sizeof(struct spool_head);
	int n = vsamp_itt_encode(record, &call);

	assert_true(n > 0);
	assert_int_equal(pwrite(fd, record, n, was), n);
	*at = was + n;
	return was;
}

static struct vsamp_itt_spool *spool_open(int clock)
{
	struct vsamp_itt_spool *s;
	struct vsamp_error err = { 0 };

	if (vsamp_itt_spool_open(&s, dir, clock, VSAMP_ITT_SPOOL_TAKE, &err))
		fail_msg("%s", err.text);
	return s;
}

static void drain(struct vsamp_itt_spool *s)
{
	assert_int_equal(vsamp_itt_spool_drain(s, NULL), 0);
}

/* The calls of a file that has ended; how many there are */
static size_t told(struct vsamp_itt_call *call, size_t max)
{
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;
	size_t n, count = 0;

	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	n = vsamp_reader_chunks(r, &chunk);
	for (size_t i = 0; i < n; i++) {
		size_t at = sizeof(struct vsamp_itt_thread);
		uint8_t *data;

		if (chunk[i].type != VSAMP_CHUNK_ITT)
			continue;
		assert_int_equal(vsamp_reader_load(r, &chunk[i], (void **)&data, NULL), 0);
		while (at < chunk[i].raw_size) {
			assert_true(count < max);
			at += vsamp_itt_decode(data + at, chunk[i].raw_size - at, &call[count]);
			call[count++].body = NULL;
		}
		free(data);
	}
	vsamp_reader_close(r);
	return count;
}

/* What a further file is told, before anything new comes */
static size_t told_again(struct vsamp_itt_spool *s, struct vsamp_itt_call *call, size_t max)
{
	struct vsamp_writer *w = mk_open(path);

	assert_int_equal(vsamp_itt_spool_start(s, w, NULL), 0);
	mk_close(w);
	return told(call, max);
}

/* As much is taken as a segment has: all of it, or what is its end, too */
static void test_taken(void **state)
{
	struct spool_header h = header(getpid(), 1000);
	struct vsamp_itt_totals total;

	for (unsigned int over = 0; over <= SPOOL_END; over += 8) {
		struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
		struct vsamp_writer *w = mk_open(path);
		uint64_t some[2] = { 1, 1 };
		char name[100];
		int fd;

		h.taken.bytes = h.segment - SPOOL_END + over;
		fd = file_make(&h, "full");
		/* what is behind it is more than there is room for */
		assert_int_equal(ftruncate(fd, SPOOL_HEADER + 8 * SPOOL_SEGMENT), 0);
		pwrite(fd, some, sizeof(some), SPOOL_HEADER + h.taken.bytes);
		assert_int_equal(vsamp_itt_spool_start(s, w, NULL), 0);
		drain(s);
		total = vsamp_itt_spool_totals(s);
		assert_int_equal(total.bad, !!over);
		assert_int_equal(total.records, 0);
		mk_close(w);
		vsamp_itt_spool_close(s);
		close(fd);
		name_make(name, &h, "full");
		unlink(name);
	}
}

/* Somebody else's file says that it is of our process, and of one behind it */
static void test_others(void **state)
{
	struct spool_header h = header(getpid(), 1000), forged = header(getpid(), UINT64_MAX);
	struct vsamp_itt_call call[4];
	struct vsamp_itt_spool *s;
	uint64_t at = 0;
	int fd, other;

	NEED(!geteuid(), "only root can make files of others\n");
	for (int known = 1; known >= 0; known--) {
		char name[100];

		h.pidns = forged.pidns = known ? pidns() : 0;
		fd = file_make(&h, "ours");
		at = 0;
		call_add(fd, &at,
			 (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .time = 2000 });
		other = file_make(&forged, "theirs");
		assert_int_equal(fchown(other, NOBODY, NOBODY), 0);
		s = spool_open(VSAMP_CLOCK_TSC);
		drain(s);
		drain(s);
		assert_int_equal(vsamp_itt_spool_totals(s).others, known);
		assert_int_equal(told_again(s, call, 4), 1);
		assert_int_equal(call[0].type, VSAMP_ITT_TASK_BEGIN);
		vsamp_itt_spool_close(s);
		name_make(name, &h, "ours");
		assert_int_equal(unlink(name), 0); /* it is there still */
		name_make(name, &h, "theirs");
		assert_int_equal(unlink(name), 0);
		close(fd);
		close(other);
	}
}

/* What the process became by an exec ends what it was */
static void test_exec(void **state)
{
	struct spool_header h = header(getpid(), 1000), later = header(getpid(), 2000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	struct vsamp_itt_call call[4];
	uint64_t at = 0;
	int fd = file_make(&h, "ours"), next = file_make(&later, "next");

	call_add(fd, &at, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .time = 2000 });
	drain(s);
	drain(s);
	assert_int_equal(told_again(s, call, 4), 0);
	vsamp_itt_spool_close(s);
	close(fd);
	close(next);
}

static uint64_t raw_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Whatever a file says of the clocks, others' times are right */
static void test_points(void **state)
{
	struct spool_header h = header(getpid(), 1000), forged = header(1, 1000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_MONOTONIC_RAW);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_call call[4];
	uint64_t at = 0, before;
	int fd, other;

	forged.points = 2;
	forged.point[0] = (struct spool_point){ 1, 1, 1ULL << 50, 1ULL << 50 };
	forged.point[1] = (struct spool_point){ UINT64_MAX / 2, 1, 1ULL << 60, 1ULL << 60 };
	other = file_make(&forged, "forged");
	fd = file_make(&h, "ours");
	before = raw_now();
	call_add(fd, &at,
		 (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .time = spool_tsc() });
	assert_int_equal(vsamp_itt_spool_start(s, w, NULL), 0);
	drain(s);
	mk_close(w);
	assert_int_equal(told(call, 4), 1);
	/* what is wrong is so by weeks */
	assert_true(call[0].time + 1000000000 > before);
	assert_true(call[0].time < raw_now() + 1000000000);
	vsamp_itt_spool_close(s);
	close(fd);
	close(other);
}

#define MADE_MAX 300

static bool make_another(void *arg, uint32_t pid)
{
	struct spool_header h = header(pid + 1, 1000);
	int *made = arg;

	if (*made < MADE_MAX) {
		++*made;
		close(file_make(&h, "another"));
	}
	return true;
}

/* Files that come whenever others were found don't keep the recorder */
static void test_passes(void **state)
{
	struct spool_header h = header(1u << 29, 1000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	int made = 0;

	close(file_make(&h, "first"));
	vsamp_itt_spool_choose(s, make_another, &made);
	drain(s);
	assert_true(made && made < MADE_MAX);
	vsamp_itt_spool_close(s);
}

/* What is in the place of a file when the recording ends stays as it is, and what has two names */
static void test_swapped(void **state)
{
	struct spool_header h = header(getpid(), 1000), swapped = h;
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	char name[100], link_name[100];
	struct spool_header now;
	uint64_t at = 0;
	int fd = file_make(&h, "ours"), other;

	call_add(fd, &at, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .time = 2000 });
	drain(s);
	name_make(name, &h, "ours");
	unlink(name);
	swapped.start = 1001;
	other = file_make(&swapped, "ours");
	vsamp_itt_spool_close(s);
	assert_int_equal(pread(other, &now, sizeof(now), 0), sizeof(now));
	assert_int_equal(now.taken.bytes, 0);

	name_make(link_name, &h, "linked");
	assert_int_equal(link(name, link_name), 0);
	s = spool_open(VSAMP_CLOCK_TSC);
	drain(s);
	assert_int_equal(vsamp_itt_spool_totals(s).bad, 2);
	vsamp_itt_spool_close(s);
	close(fd);
	close(other);
}

/* While a segment is read for the first time what is from here on isn't there yet */
static uint64_t torn_from;

/* In place of the C library's */
ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	ssize_t n = syscall(SYS_pread64, fd, to, size, at);

	if (torn_from && size > 4096 && n > 0 && torn_from > (uint64_t)at &&
	    torn_from < (uint64_t)at + n) {
		memset((uint8_t *)to + (torn_from - at), 0, n - (torn_from - at));
		torn_from = 0;
	}
	return n;
}

/* A record whose head is seen before the rest of it is is one that the next time has */
static void test_torn(void **state)
{
	struct spool_header h = header(getpid(), 1000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_call call[4];
	uint64_t at = 0, last;
	int fd = file_make(&h, "ours");

	call_add(fd, &at, (struct vsamp_itt_call){ .type = VSAMP_ITT_TASK_BEGIN, .time = 2000 });
	last = call_add(
		fd, &at,
		(struct vsamp_itt_call){
			.type = VSAMP_ITT_TASK_BEGIN, .time = 2001, .fn = 1, .id = { { 1 } } });
	assert_int_equal(vsamp_itt_spool_start(s, w, NULL), 0);
	torn_from = last + 16;
	drain(s);
	assert_int_equal(torn_from, 0);
	assert_int_equal(vsamp_itt_spool_totals(s).records, 1);
	drain(s);
	assert_int_equal(vsamp_itt_spool_totals(s).records, 2);
	assert_int_equal(vsamp_itt_spool_totals(s).bad, 0);
	mk_close(w);
	assert_int_equal(told(call, 4), 2);
	vsamp_itt_spool_close(s);
	close(fd);
}

static uint32_t ended_pid(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

/* What a program told last, before it ended, isn't told to each further file */
static void test_ended(void **state)
{
	struct spool_header h = header(ended_pid(), 1000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	const uint64_t value = 5;
	struct vsamp_itt_call call[4];
	uint64_t at = 0;
	int fd = file_make(&h, "ours");

	drain(s);
	call_add(fd, &at, (struct vsamp_itt_call){ .type = VSAMP_ITT_PAUSE, .time = 2000 });
	call_add(fd, &at,
		 (struct vsamp_itt_call){
			 .type = VSAMP_ITT_REGION_BEGIN, .time = 2001, .id = { { 1 } } });
	call_add(fd, &at,
		 (struct vsamp_itt_call){ .type = VSAMP_ITT_COUNTER_ADD,
					  .time = 2002,
					  .body = &value,
					  .body_size = sizeof(value) });
	drain(s);
	assert_int_equal(vsamp_itt_spool_totals(s).bad, 0);
	assert_int_equal(vsamp_itt_spool_totals(s).processes, 1);
	assert_int_equal(told_again(s, call, 4), 0);
	vsamp_itt_spool_close(s);
	close(fd);
}

/* Begins are told again without their clocks' times, and without what they had with them */
static void test_bare(void **state)
{
	static const uint8_t type[] = { VSAMP_ITT_PAUSE, VSAMP_ITT_REGION_BEGIN,
					VSAMP_ITT_TASK_BEGIN };
	struct spool_header h = header(getpid(), 1000);
	struct vsamp_itt_spool *s = spool_open(VSAMP_CLOCK_TSC);
	const uint64_t body[3] = { 1, 2, 3 };
	struct vsamp_itt_call call[4];
	uint64_t at = 0;
	int fd = file_make(&h, "ours");

	for (int i = 0; i < 3; i++)
		call_add(fd, &at,
			 (struct vsamp_itt_call){ .type = type[i],
						  .time = 2000 + i,
						  .clock = 7,
						  .stamp = 8,
						  .id = { { 1 } },
						  .body = body,
						  .body_size = sizeof(body) });
	drain(s);
	assert_int_equal(told_again(s, call, 4), 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(call[i].type, type[i]);
		assert_int_equal(call[i].flags, VSAMP_ITT_CONTINUED | VSAMP_ITT_HAS_ID);
		assert_int_equal(call[i].body_size, 0);
	}
	vsamp_itt_spool_close(s);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_points, setup, teardown),
		cmocka_unit_test_setup_teardown(test_passes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_swapped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_torn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ended, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bare, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
