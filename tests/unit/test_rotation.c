// SPDX-License-Identifier: MIT
/* Files that follow each other: which are there, and which must never be removed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rotation.h"

static struct rotation r;
static struct output first, second;
static struct vsamp_error err;

static int setup(void **state)
{
	static char folder[] = "/tmp/vsamp-test-XXXXXX";

	memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
	r = (struct rotation){ .prefix = "f", .every_ns = 1, .keep = 5 };
	return mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int teardown(void **state)
{
	char folder[64], command[80];

	rotation_free(&r);
	if (!getcwd(folder, sizeof(folder)))
		return -1;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return chdir("/") || system(command);
}

static bool is_there(const char *name)
{
	return !access(name, F_OK);
}

static void test_made_room(void **state)
{
	char path[2][64], part[2][64];

	assert_int_equal(rotation_open(&r, &first, &err), 0);
	snprintf(path[0], sizeof(path[0]), "%s", r.path);
	snprintf(part[0], sizeof(part[0]), "%s.part", r.path);
	assert_int_equal(output_keep(&first, &err), 0);
	assert_int_equal(rotation_open(&r, &second, &err), 0);
	snprintf(path[1], sizeof(path[1]), "%s", r.path);
	snprintf(part[1], sizeof(part[1]), "%s.part", r.path);
	assert_true(strcmp(path[0], path[1]) < 0);
	assert_int_equal(output_keep(&second, &err), 0);

	/* both are being written */
	assert_false(rotation_make_room(&r));
	assert_true(is_there(part[0]) && is_there(part[1]));

	assert_int_equal(rotation_complete(&r, &first, &err), 0);
	assert_true(is_there(path[0]) && !is_there(part[0]));
	assert_true(rotation_make_room(&r));
	assert_false(is_there(path[0]));
	assert_true(is_there(part[1]));

	r.keep = 0; /* all are to be kept */
	assert_int_equal(rotation_complete(&r, &second, &err), 0);
	assert_false(rotation_make_room(&r));
	assert_true(is_there(path[1]));
	assert_int_equal(r.parts, 2);
}

/* The next file can't be used: it is as if it had never been */
static void test_cancelled(void **state)
{
	char path[64], next[64];

	assert_int_equal(rotation_open(&r, &first, &err), 0);
	snprintf(path, sizeof(path), "%s", r.path);
	assert_int_equal(output_keep(&first, &err), 0);
	assert_int_equal(rotation_open(&r, &second, &err), 0);
	snprintf(next, sizeof(next), "%s.part", r.path);
	assert_true(is_there(next));
	rotation_cancel(&r, &second);
	assert_false(is_there(next));
	assert_string_equal(r.path, path);
	assert_int_equal(rotation_complete(&r, &first, &err), 0);
	assert_true(is_there(path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_made_room, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancelled, setup, teardown),
	};

	return cmocka_run_group_tests_name("rotation", tests, NULL, NULL);
}
