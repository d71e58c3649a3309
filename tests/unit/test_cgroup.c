// SPDX-License-Identifier: MIT
/* Where the cgroup v2 tree is, and what is below what */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cgroup.h"

#define PROC "21 1 0:20 / /proc rw - proc proc rw\n"
#define V1                                                                            \
	"30 20 0:26 / /sys/fs/cgroup ro - tmpfs tmpfs ro,mode=755\n"                  \
	"31 30 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup " \
	"rw,cpu,cpuacct\n"

static const struct {
	const char *mountinfo;
	const char *mount; /* NULL: refused */
	const char *text;
} row[] = {
	{ PROC "30 20 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw\n",
	  "/sys/fs/cgroup", NULL },
	/* of both versions */
	{ PROC V1 "32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup rw,nsdelegate\n",
	  "/sys/fs/cgroup/unified", NULL },
	/* as the kernel writes blanks and backslashes */
	{ "30 20 0:26 / /mnt/a\\040b\\134c rw - cgroup2 none rw\n", "/mnt/a b\\c", NULL },
	{ "30 20 0:26 / /first rw - cgroup2 a rw\n31 20 0:26 / /second rw - cgroup2 b rw\n",
	  "/first", NULL },
	{ PROC V1, NULL, "of version 1, which can't be followed; boot with systemd." },
	{ PROC, NULL, "is not mounted; as root: mount -t cgroup2 none /sys/fs/cgroup" },
	{ "30 20 0:26 / /cgroup2 rw - tmpfs cgroup2 rw\n", NULL, "is not mounted" },
	{ "30 20 0:26 / /x rw - cgroup2x none rw\n", NULL, "is not mounted" },
	{ " - cgroup2 ", NULL, "is not mounted" },
	{ "", NULL, "is not mounted" },
};

static void mounts(void **state)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char path[] = "/tmp/vsamp-mountinfo-XXXXXX", mount[64];
		int fd = mkstemp(path), ret;
		struct vsamp_error err = { 0 };
		ssize_t n = strlen(row[i].mountinfo);

		assert_true(fd >= 0 && write(fd, row[i].mountinfo, n) == n);
		ret = cgroup_mount(path, mount, sizeof(mount), &err);
		close(fd);
		unlink(path);
		if (row[i].mount ? ret || strcmp(mount, row[i].mount) :
				   ret != -ENOTSUP || !strstr(err.text, row[i].text))
			fail_msg("row %zu: %d, '%s', '%s'", i, ret, mount, err.text);
	}
}

static void no_mountinfo(void **state)
{
	struct vsamp_error err = { 0 };
	char mount[64];

	assert_int_equal(cgroup_mount("/no/such/file", mount, sizeof(mount), &err), -ENOENT);
	assert_non_null(strstr(err.text, "/no/such/file"));
}

/* A mount point that is longer than the room for it is cut, and so names nothing; no overflow */
static void long_mount(void **state)
{
	char path[] = "/tmp/vsamp-mountinfo-XXXXXX", mount[8];
	int fd = mkstemp(path);

	assert_true(dprintf(fd, "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 a rw\n") > 0);
	assert_int_equal(cgroup_mount(path, mount, sizeof(mount), NULL), 0);
	assert_string_equal(mount, "/sys/fs");
	close(fd);
	unlink(path);
}

static void below(void **state)
{
	assert_true(cgroup_is_below("/a", "/a"));
	assert_true(cgroup_is_below("/a/b", "/a"));
	assert_true(cgroup_is_below("/a/b", "/"));
	assert_true(cgroup_is_below("a/b", "a"));
	assert_false(cgroup_is_below("/a", "/a/b"));
	assert_false(cgroup_is_below("/ab", "/a"));
	assert_false(cgroup_is_below("b/a", "a"));
	assert_false(cgroup_is_below("a", "b"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts),
		cmocka_unit_test(no_mountinfo),
		cmocka_unit_test(long_mount),
		cmocka_unit_test(below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
