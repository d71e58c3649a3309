// SPDX-License-Identifier: MIT
/* test_itt_scope.c: which processes are recorded, by what a made /proc tells of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "../../tools/itt_scope.h"
#include "../../tools/options.h"

static char proc[] = "/tmp/test_itt_scope-XXXXXX";

static void put(unsigned int pid, const char *file, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, file);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* 1 -> 10 -> 20 -> 30; 40's name looks like the end of one; 50 is its own parent's parent */
static int make_proc(void **state)
{
	assert_non_null(mkdtemp(proc));
	put(10, "stat", "10 (init) S 1 10 10 0 -1\n");
	put(20, "stat", "20 (a b) S 10 20 20 0 -1\n");
	put(30, "stat", "30 (x) R 20 30 30 0 -1\n");
	put(40, "stat", "40 (x) S 20 (y) S 1 40 40 0 -1\n");
	put(50, "stat", "50 (x) S 51 50 50 0 -1\n");
	put(51, "stat", "51 (x) S 50 51 51 0 -1\n");
	put(20, "cgroup", "0::/system.slice/web.service\n");
	put(30, "cgroup", "5:cpu:/other\n0::/system.slice/web.service/worker\n");
	put(40, "cgroup", "0::/system.slice/web.service2\n");
	put(50, "cgroup", "1:name=systemd:/system.slice/web.service\n0::/\n");
	return 0;
}

static int remove_proc(void **state)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r %s", proc);
	return system(command);
}

static void test_machine(void **state)
{
	struct options o = { .all = true };

	assert_true(itt_scope_look(&o, 20, proc));
	assert_true(itt_scope_look(&o, 999, proc));
}

static void test_pids(void **state)
{
	struct options o = { .pids = { 999, 20 }, .n_pids = 2 };

	assert_true(itt_scope_look(&o, 20, proc));
	assert_true(itt_scope_look(&o, 999, proc));
	assert_false(itt_scope_look(&o, 30, proc));
	assert_false(itt_scope_look(&o, 10, proc));
	o.children = true;
	assert_true(itt_scope_look(&o, 30, proc));
	assert_false(itt_scope_look(&o, 10, proc));
	assert_false(itt_scope_look(&o, 40, proc));
	assert_false(itt_scope_look(&o, 50, proc));
	assert_false(itt_scope_look(&o, 998, proc));
}

static void test_cgroups(void **state)
{
	struct options o = { .cgroups = { .n = 1, .name = { "system.slice/web.service" } } };

	assert_true(itt_scope_look(&o, 20, proc));
	assert_true(itt_scope_look(&o, 30, proc));
	assert_false(itt_scope_look(&o, 40, proc));
	assert_false(itt_scope_look(&o, 50, proc));
	assert_false(itt_scope_look(&o, 999, proc));
	o.cgroups.name[0] = "/";
	assert_true(itt_scope_look(&o, 50, proc));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_pids),
		cmocka_unit_test(test_cgroups),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
