// SPDX-License-Identifier: MIT
/* Where a recording's file comes to be, and what it must not touch */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "output.h"

static bool nameless_files;

/* A filesystem that has no files without a name, unless the test says so */
int open(const char *path, int flags, ...)
{
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = va_arg(ap, mode_t);
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && !nameless_files) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return openat(AT_FDCWD, path, flags, mode);
}

static int setup(void **state)
{
	static char folder[] = "/tmp/vsamp-test-XXXXXX";

	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	nameless_files = false;
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char folder[64], command[80];

	if (!getcwd(folder, sizeof(folder)))
		return -1;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") || system(command);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static void has_text(const char *path, const char *text)
{
	char line[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	assert_string_equal(line, text);
}

static int files(void)
{
	FILE *f = popen("ls -A | wc -l", "r");
	int n;

	assert_int_equal(fscanf(f, "%d", &n), 1);
	pclose(f);
	return n;
}

static void keep(const char *path)
{
	struct vsamp_error err;
	struct output out;
	struct stat st;

	assert_int_equal(output_open(&out, path, &err), 0);
	assert_int_equal(output_keep(&out, &err), 0);
	assert_int_equal(output_close(&out, &err), 0);
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_int_equal(st.st_mode & 07777, 0600);
}

static void refused(const char *path, const char *text)
{
	struct vsamp_error err = { 0 };
	struct output out;

	assert_true(output_open(&out, path, &err) < 0);
	if (!strstr(err.text, text))
		fail_msg("%s: '%s' does not say '%s'", path, err.text, text);
	output_close(&out, NULL);
}

static void kept(void **state)
{
	for (int i = 0; i < 2; i++) {
		nameless_files = i;
		write_text("x", "old");
		keep("x");
		has_text("x.old", "old");
		assert_int_equal(files(), 2);
	}
}

/* Not kept: nothing stays, and the old file is as it was */
static void forgotten(void **state)
{
	for (int i = 0; i < 2; i++) {
		struct vsamp_error err;
		struct output out;

		nameless_files = i;
		write_text("x", "old");
		assert_int_equal(output_open(&out, "x", &err), 0);
		assert_int_equal(output_close(&out, NULL), 0);
		has_text("x", "old");
		assert_int_equal(files(), 1);
	}
}

/* In a folder that others write to: a link that waits under the name of the file to come */
static void trap(void **state)
{
	char name[64];

	write_text("precious", "text");
	snprintf(name, sizeof(name), ".x.%d.new", (int)getpid());
	assert_int_equal(symlink("precious", name), 0);
	refused("x", name);
	has_text("precious", "text");
	assert_int_equal(unlink(name), 0);
}

/* A link is replaced; what it leads to stays as it was */
static void links(void **state)
{
	write_text("precious", "text");
	assert_int_equal(symlink("precious", "x"), 0);
	keep("x");
	has_text("precious", "text");
	has_text("x.old", "text");
	assert_int_equal(symlink("nowhere", "y"), 0);
	keep("y");
	assert_int_equal(access("nowhere", F_OK), -1);
}

static void no_files(void **state)
{
	int saved = dup(STDOUT_FILENO), fd;

	refused(".", "is a folder");
	refused("none/x", "none/x: can't be written: No such file or directory; -o names another");
	assert_int_equal(mkfifo("fifo", 0600), 0);
	refused("fifo", "to a file only"); /* and does not wait for a reader */
	/* It is a regular file, but its name is no place for one */
	fd = open("out", O_CREAT | O_WRONLY, 0600);
	dup2(fd, STDOUT_FILENO);
	refused("/dev/stdout", "to a file only");
	refused("/proc/self/fd/1", "to a file only");
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	assert_int_equal(access("/dev/stdout", F_OK), 0);
	refused("/dev/full", "No space left");
}

static void devices(void **state)
{
	struct vsamp_error err;
	struct output out;

	assert_int_equal(output_open(&out, "/dev/null", &err), 0);
	assert_int_equal(output_keep(&out, &err), 0);
	assert_int_equal(output_close(&out, &err), 0);
	assert_int_equal(files(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept, setup, teardown),
		cmocka_unit_test_setup_teardown(forgotten, setup, teardown),
		cmocka_unit_test_setup_teardown(trap, setup, teardown),
		cmocka_unit_test_setup_teardown(links, setup, teardown),
		cmocka_unit_test_setup_teardown(no_files, setup, teardown),
		cmocka_unit_test_setup_teardown(devices, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
