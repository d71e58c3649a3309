// SPDX-License-Identifier: MIT
/* Pauses that programs ask for: what is answered and when, and what a file is told of it */
#include "mkfile.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <vsamp/itt_pauses.h>
#include <vsamp/itt_record.h>

#include "itt/spool.h"
#include "session.h"

static char dir[64];

static int setup(void **state)
{
	strcpy(dir, "/tmp/vsamp-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	return mk_setup(state);
}

static int teardown(void **state)
{
	assert_int_equal(rmdir(dir), 0); /* nothing may be left in it */
	return mk_teardown(state);
}

/* A session that only knows when it was last paused and resumed */
static struct fake {
	struct vsamp_session session;
	unsigned int pauses, resumes;
	uint64_t paused, resumed; /* ticks: when it was done, and begun */
	int ret;
} fake;

static int fake_pause(struct vsamp_session *session, struct vsamp_error *err)
{
	fake.pauses++;
	usleep(100);
	fake.paused = spool_tsc();
	return fake.ret;
}

static int fake_resume(struct vsamp_session *session, struct vsamp_error *err)
{
	fake.resumes++;
	fake.resumed = spool_tsc();
	usleep(100);
	return fake.ret;
}

static const struct session_ops fake_ops = { .pause = fake_pause, .resume = fake_resume };

static struct vsamp_session *fake_session(int ret)
{
	fake = (struct fake){ .session.ops = &fake_ops, .ret = ret };
	return &fake.session;
}

static struct vsamp_itt_pauses *pauses_open(bool paused)
{
	struct vsamp_itt_pauses *p;
	struct vsamp_error err = { 0 };

	if (vsamp_itt_pauses_open(&p, dir, VSAMP_CLOCK_TSC, paused, &err))
		fail_msg("%s", err.text);
	return p;
}

/* Asks as a collector does; it is answered by the end of the file */
static int ask(char what)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	static int asks;

	assert_true(fd >= 0);
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%c-test-%d-%d", what,
		 getpid(), asks++);
	/* those that tell nothing have no name */
	if (what)
		assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/pauses", dir);
	if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	close(fd);
	return -1;
}

static bool answered(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char byte;

	return poll(&p, 1, 0) == 1 && recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static bool asked(const struct vsamp_itt_pauses *p)
{
	struct pollfd poller = { .fd = vsamp_itt_pauses_fd(p), .events = POLLIN };

	return poll(&poller, 1, 0) == 1;
}

/* What the file has of the recorder: P and C, with their times */
static void assert_told(const char *what, uint64_t times[])
{
	const struct vsamp_chunk *chunk;
	struct vsamp_reader *r;
	size_t n, told = 0;

	assert_int_equal(vsamp_reader_open(&r, path, NULL), 0);
	n = vsamp_reader_chunks(r, &chunk);
	for (size_t i = 0; i < n; i++) {
		const struct vsamp_itt_thread *thread;
		const struct vsamp_itt_header *h;
		void *data;

		if (chunk[i].type != VSAMP_CHUNK_ITT)
			continue;
		assert_int_equal(vsamp_reader_load(r, &chunk[i], &data, NULL), 0);
		thread = data;
		assert_int_equal(thread->pid | thread->tid | thread->start, 0);
		h = (const void *)(thread + 1);
		for (size_t k = 0; k < chunk[i].count; k++, h++) {
			assert_int_equal(h->size, sizeof(*h));
			assert_int_equal(h->type,
					 what[told] == 'P' ? VSAMP_ITT_PAUSE : VSAMP_ITT_RESUME);
			times[told++] = h->time;
		}
		free(data);
	}
	assert_int_equal(told, strlen(what));
	vsamp_reader_close(r);
}

static void test_pause_and_resume(void **state)
{
	struct vsamp_session *session = fake_session(0);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_pauses *p = pauses_open(false);
	uint64_t times[8];
	int fd;

	assert_false(asked(p));
	assert_int_equal(vsamp_itt_pauses_start(p, w, NULL), 0);
	fd = ask('P');
	assert_true(asked(p));
	assert_false(answered(fd));
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_true(answered(fd));
	close(fd);
	assert_true(vsamp_itt_pauses_paused(p));
	assert_int_equal(fake.pauses, 1);

	/* once more changes nothing */
	fd = ask('P');
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_true(answered(fd));
	close(fd);
	assert_int_equal(fake.pauses, 1);
	assert_int_equal(vsamp_itt_pauses_resumes(p), 0);

	close(ask('C')); /* it doesn't wait */
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_false(vsamp_itt_pauses_paused(p));
	assert_int_equal(vsamp_itt_pauses_resumes(p), 1);
	assert_int_equal(fake.resumes, 1);
	assert_false(asked(p));
	mk_close(w);
	/* no sample can be in what is told to be paused */
	assert_told("CPC", times);
	assert_true(times[1] >= fake.paused && times[2] <= fake.resumed);
	vsamp_itt_pauses_close(p);
	assert_int_equal(ask('P'), -1);
}

/* In a start delay the session isn't to be touched; of one that has ended nothing is wrong here */
static void test_session(void **state)
{
	struct vsamp_session *session = fake_session(-EBADFD);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_pauses *p = pauses_open(true);
	uint64_t times[8];

	assert_int_equal(vsamp_itt_pauses_start(p, w, NULL), 0);
	close(ask('C'));
	assert_int_equal(vsamp_itt_pauses_take(p, NULL, w, NULL), 0);
	assert_false(vsamp_itt_pauses_paused(p));
	close(ask('P'));
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_true(vsamp_itt_pauses_paused(p));
	fake_session(-EIO);
	close(ask('C'));
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), -EIO);
	mk_close(w);
	assert_told("PCPC", times);
	vsamp_itt_pauses_close(p);
}

/* What came while nobody looked is done in its order: the last one holds */
static void test_order(void **state)
{
	struct vsamp_session *session = fake_session(0);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_pauses *p = pauses_open(false);
	uint64_t times[8];

	for (const char *what = "PCCPC"; *what; what++)
		close(ask(*what));
	close(ask(0));
	close(ask('x'));
	assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_false(vsamp_itt_pauses_paused(p));
	assert_false(asked(p));
	mk_close(w);
	assert_told("PCPC", times);
	vsamp_itt_pauses_close(p);
}

/* However many ask at once, each gets its answer, and other work its turn */
static void test_many(void **state)
{
	struct vsamp_session *session = fake_session(0);
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_itt_pauses *p = pauses_open(false);
	int fd[200], turns = 0;

	for (int i = 0; i < 200; i++)
		fd[i] = ask(i % 2 ? 'P' : 'C');
	for (; asked(p); turns++)
		assert_int_equal(vsamp_itt_pauses_take(p, session, w, NULL), 0);
	assert_int_equal(turns, 4); /* of 64 */
	assert_int_equal(vsamp_itt_pauses_resumes(p), 100);
	for (int i = 0; i < 200; i++) {
		assert_true(answered(fd[i]));
		close(fd[i]);
	}
	vsamp_itt_pauses_close(p);
	mk_close(w);
}

static void test_folder(void **state)
{
	struct vsamp_itt_pauses *p;
	struct vsamp_error err = { 0 };
	char leftover[80], deep[200];
	struct stat st;
	FILE *f;

	/* of a recorder that was killed */
	snprintf(leftover, sizeof(leftover), "%s/pauses", dir);
	f = fopen(leftover, "w");
	assert_non_null(f);
	fclose(f);
	umask(077);
	p = pauses_open(false);
	/* everybody may ask, and what is made later is the caller's alone */
	assert_int_equal(umask(022), 077);
	assert_int_equal(stat(leftover, &st), 0);
	assert_int_equal(st.st_mode, S_IFSOCK | 0666);
	close(ask('P'));
	assert_true(asked(p));
	vsamp_itt_pauses_close(p);

	snprintf(deep, sizeof(deep), "%s/%0100d", dir, 0);
	assert_int_equal(vsamp_itt_pauses_open(&p, deep, VSAMP_CLOCK_TSC, false, &err),
			 -ENAMETOOLONG);
	assert_non_null(strstr(err.text, deep));
	assert_int_equal(vsamp_itt_pauses_open(&p, "/nonexistent", VSAMP_CLOCK_TSC, false, &err),
			 -ENOENT);
	vsamp_itt_pauses_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pause_and_resume, setup, teardown),
		cmocka_unit_test_setup_teardown(test_session, setup, teardown),
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_folder, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
