// SPDX-License-Identifier: MIT
/* Progress of reading: what the library tells, and what a terminal shows of it */
#include "mkfile.h"

#include <fcntl.h>
#include <pty.h>

#include <vsamp/progress.h>
#include <vsamp/recording.h>

#include "file_progress.h"
#include "terminal.h"

struct told {
	unsigned int calls, passes; /* a pass begins where less is done than before */
	uint64_t done, total, most;
};

static void tell(void *arg, uint64_t done, uint64_t total)
{
	struct told *told = arg;

	assert_true(done > 0 && done <= total);
	told->passes += !told->calls++ || done < told->done;
	told->done = done;
	told->total = total;
	if (done > told->most)
		told->most = done;
}

/* Opening checks the file and looks into its records; then they are gone through once, or twice */
static void test_passes(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_recording *rec;
	struct vsamp_item item;
	struct told told = { 0 };
	size_t size;

	mk_sample(w, 0, 0, true, 100, 0x1000, 7);
	vsamp_writer_flush(w, NULL);
	mk_sample(w, 1, 0, true, 200, 0x1000, 7);
	mk_close(w);
	free(mk_bytes(path, &size));
	vsamp_progress_watch(tell, &told);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(told.passes, 2);
	assert_int_equal(told.total, size);
	assert_int_equal(told.most, size);
	for (unsigned int pass = 3; pass <= 4; pass++) {
		vsamp_recording_rewind(rec);
		while (vsamp_recording_next(rec, &item, NULL) > 0)
			;
		assert_int_equal(told.passes, pass);
	}
	told.calls = 0;
	vsamp_progress_watch(NULL, NULL);
	vsamp_recording_rewind(rec);
	assert_int_equal(vsamp_recording_next(rec, &item, NULL), 1);
	assert_int_equal(told.calls, 0);
	vsamp_recording_close(rec);
}

/* What the terminal behind @master was sent; "" if nothing comes */
static const char *sent(int master)
{
	static char text[256];
	ssize_t n = read(master, text, sizeof(text) - 1);

	text[n > 0 ? n : 0] = 0;
	return text;
}

/* Nothing in the first half second; then a line, which is taken away in the end */
static void test_terminal(void **state)
{
	int master, slave, err = dup(STDERR_FILENO);
	struct termios raw;

	setenv("TERM", "xterm", 1);
	cfmakeraw(&raw);
	assert_int_equal(openpty(&master, &slave, NULL, &raw, NULL), 0);
	fcntl(master, F_SETFL, O_NONBLOCK);
	dup2(slave, STDERR_FILENO);
	reading_begin();
	progress_tell(1000000, 260000000);
	assert_string_equal(sent(master), "");
	usleep(510000);
	progress_tell(12000000, 260000000);
	progress_tell(13000000, 260000000);
	assert_string_equal(sent(master), "\r\033[Kreading: 12 of 260 MB\r");
	reading_end();
	assert_string_equal(sent(master), "\r\033[K");
	progress_tell(14000000, 260000000);
	assert_string_equal(sent(master), "");
	dup2(err, STDERR_FILENO);
}

/* Standard error is a file: not a byte */
static void test_file(void **state)
{
	int fd = open(path, O_RDWR), err = dup(STDERR_FILENO);

	dup2(fd, STDERR_FILENO);
	reading_begin();
	usleep(510000);
	progress_tell(1, 2);
	reading_end();
	dup2(err, STDERR_FILENO);
	assert_int_equal(lseek(fd, 0, SEEK_END), 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_passes, mk_setup, mk_teardown),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test_setup_teardown(test_file, mk_setup, mk_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
