// SPDX-License-Identifier: MIT
/* Processes over time: names and mappings through fork, exec, mmap and the reuse of pids */
#include "mkfile.h"

#include <vsamp/recording.h>

#include "procmap.h"

static const struct module_origin elsewhere;
static struct modules modules;
static struct procmap pm;

static int setup(void **state)
{
	mk_setup(state);
	modules_init(&modules, &elsewhere);
	procmap_init(&pm, &modules);
	return 0;
}

static int teardown(void **state)
{
	procmap_free(&pm);
	modules_free(&modules);
	return mk_teardown(state);
}

/* Feeds what @make writes */
static void feed(void (*make)(struct vsamp_writer *w))
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_recording *rec;
	struct vsamp_item item;

	make(w);
	mk_close(w);
	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	while (vsamp_recording_next(rec, &item, NULL) > 0)
		assert_int_equal(procmap_apply(&pm, item.sideband), 0);
	vsamp_recording_close(rec);
}

static const char *comm_of(uint32_t pid)
{
	return procmap_identity_at(&pm, procmap_identity(&pm, pid))->comm;
}

static void expect(uint32_t pid, uint64_t addr, const char *name, uint64_t offset)
{
	uint32_t module;
	uint64_t got;

	assert_int_equal(procmap_find(&pm, pid, addr, 0, &module, &got), 0);
	assert_string_equal(modules_path(&modules, module), name);
	assert_int_equal(got, offset);
}

static void expect_none(uint32_t pid, uint64_t addr)
{
	uint32_t module;
	uint64_t offset;

	assert_int_equal(procmap_find(&pm, pid, addr, 0, &module, &offset), -ENOENT);
}

static void make_one(struct vsamp_writer *w)
{
	mk_comm(w, 0, 5, 5, "five", false, 1);
	mk_comm(w, 0, 5, 6, "thread", false,
		2); /* the name of a thread is not that of the process */
	mk_mmap2(w, 0, 5, 0x401000, 0x2000, 0x1000, "/bin/five", NULL, 9, 3);
	mk_mmap2(w, 0, 5, 0x7f0000, 0x1000, 0, "/lib/x.so", NULL, 10, 4);
	mk_mmap2(w, 0, 5, 0x800000, 0x1000, 0x800, "//anon", NULL, 0, 5);
}

static void test_find(void **state)
{
	feed(make_one);
	assert_string_equal(comm_of(5), "five");
	assert_string_equal(comm_of(99), "");
	assert_string_equal(comm_of(0), "swapper");
	expect_none(5, 0x400fff);
	expect(5, 0x401000, "/bin/five", 0x1000);
	expect(5, 0x402fff, "/bin/five", 0x2fff);
	expect_none(5, 0x403000);
	expect(5, 0x7f0000, "/lib/x.so", 0);
	expect(5, 0x800010, "[anon]", 0x800010);
	expect_none(6, 0x401000);
}

static void make_overlaps(struct vsamp_writer *w)
{
	mk_mmap2(w, 0, 5, 0x10000, 0x10000, 0, "/a", NULL, 1, 1);
	mk_mmap2(w, 0, 5, 0x14000, 0x2000, 0, "/b", NULL, 2, 2);      /* a hole in /a */
	mk_mmap2(w, 0, 5, 0x1f000, 0x2000, 0x5000, "/c", NULL, 3, 3); /* over /a's end */
	mk_mmap2(w, 0, 5, 0xf000, 0x2000, 0x7000, "/d", NULL, 4, 4);  /* over its start */
	mk_mmap2(w, 0, 5, 0x30000, 0x1000, 0, "/e", NULL, 5, 5);
	mk_mmap2(w, 0, 5, 0x30000, 0x1000, 0, "/f", NULL, 6, 6);	/* in its place */
	mk_mmap2(w, 0, 5, 0x40000, UINT64_MAX, 0, "/none", NULL, 7, 7); /* beyond all addresses */
}

static void test_overlaps(void **state)
{
	feed(make_overlaps);
	expect(5, 0xf000, "/d", 0x7000);
	expect(5, 0x10fff, "/d", 0x8fff);
	expect(5, 0x11000, "/a", 0x1000);
	expect(5, 0x13fff, "/a", 0x3fff);
	expect(5, 0x14000, "/b", 0);
	expect(5, 0x15fff, "/b", 0x1fff);
	expect(5, 0x16000, "/a", 0x6000);
	expect(5, 0x1efff, "/a", 0xefff);
	expect(5, 0x1f000, "/c", 0x5000);
	expect(5, 0x20fff, "/c", 0x6fff);
	expect(5, 0x30000, "/f", 0);
	expect_none(5, 0x40000);
}

static void make_fork(struct vsamp_writer *w)
{
	make_one(w);
	mk_fork(w, 0, 20, 5, 20, 10); /* a process */
	mk_fork(w, 0, 5, 5, 21, 11);  /* a thread: nothing new */
	mk_mmap2(w, 0, 20, 0x900000, 0x1000, 0, "/child", NULL, 11, 12);
	mk_mmap2(w, 0, 5, 0xa00000, 0x1000, 0, "/parent", NULL, 12, 13);
}

static void test_fork(void **state)
{
	feed(make_fork);
	assert_string_equal(comm_of(20), "five");
	expect(20, 0x401000, "/bin/five", 0x1000);
	expect(20, 0x900000, "/child", 0);
	/* from there on each has its own */
	expect_none(5, 0x900000);
	expect(5, 0xa00000, "/parent", 0);
	expect_none(20, 0xa00000);
	expect(5, 0x401000, "/bin/five", 0x1000);
}

static void make_exec(struct vsamp_writer *w)
{
	make_fork(w);
	mk_comm(w, 0, 20, 20, "new", true, 20);
	mk_mmap2(w, 0, 20, 0x500000, 0x1000, 0, "/bin/new", NULL, 13, 21);
	mk_comm(w, 0, 5, 5, "renamed", false, 22); /* prctl(): mappings stay */
}

static void test_exec(void **state)
{
	feed(make_exec);
	assert_string_equal(comm_of(20), "new");
	expect_none(20, 0x401000);
	expect(20, 0x500000, "/bin/new", 0);
	assert_string_equal(comm_of(5), "renamed");
	expect(5, 0x401000, "/bin/five", 0x1000);
}

static void make_reuse(struct vsamp_writer *w)
{
	make_one(w);
	mk_mmap2(w, 0, 30, 0x500000, 0x1000, 0, "/old", NULL, 1, 6);
	mk_comm(w, 0, 30, 30, "old", false, 7);
	mk_fork(w, 0, 30, 5, 30, 50); /* the pid comes round */
}

static void test_pid_reuse(void **state)
{
	feed(make_reuse);
	assert_string_equal(comm_of(30), "five");
	expect_none(30, 0x500000);
	expect(30, 0x401000, "/bin/five", 0x1000);
}

static const uint8_t id_one[20] = { 1 }, id_two[20] = { 2 };

static void make_ids(struct vsamp_writer *w)
{
	mk_mmap2(w, 0, 5, 0x1000, 0x1000, 0, "/x", id_one, 0, 1);
	mk_mmap2(w, 0, 6, 0x1000, 0x1000, 0, "/x", id_two, 0, 2);
	mk_mmap2(w, 0, 7, 0x8000, 0x1000, 0, "/x", id_one, 0, 3);
}

/* One path, two files in turn: two modules */
static void test_build_ids(void **state)
{
	uint32_t one, two, again;
	uint64_t offset;

	feed(make_ids);
	assert_int_equal(procmap_find(&pm, 5, 0x1000, 0, &one, &offset), 0);
	assert_int_equal(procmap_find(&pm, 6, 0x1000, 0, &two, &offset), 0);
	assert_int_equal(procmap_find(&pm, 7, 0x8000, 0, &again, &offset), 0);
	assert_int_equal(one, again);
	assert_int_not_equal(one, two);
	assert_memory_equal(modules.module[two].id.data, id_two, 20);
}

static void make_lost(struct vsamp_writer *w)
{
	uint64_t body[] = { 1, 33 };

	mk_sideband(w, 0, PERF_RECORD_LOST, 0, body, sizeof(body), NULL, 1);
	mk_sideband(w, 0, PERF_RECORD_LOST, 0, body, sizeof(body), NULL, 2);
}

static void test_lost(void **state)
{
	feed(make_lost);
	assert_int_equal(pm.lost, 66);
}

static void make_namespaces(struct vsamp_writer *w)
{
	struct {
		uint32_t pid, tid;
		uint64_t count;
		struct {
			uint64_t dev, inode;
		} link[7];
	} body = { 40, 40, 7, { [3] = { 4, 777 } } };
	struct {
		uint32_t pid, ns_pid;
		uint64_t ns;
	} named = { 41, 12, 778 };

	mk_sideband(w, 0, PERF_RECORD_NAMESPACES, 0, &body, sizeof(body), NULL, 1);
	mk_sideband(w, 0, 0x8000, 0, &named, sizeof(named), NULL, 2);
	/* of a thread, of fewer namespaces than there are, and cut */
	body.pid = 42;
	mk_sideband(w, 0, PERF_RECORD_NAMESPACES, 0, &body, sizeof(body), NULL, 3);
	body.tid = 42;
	body.count = 3;
	mk_sideband(w, 0, PERF_RECORD_NAMESPACES, 0, &body, sizeof(body), NULL, 4);
	body.count = 7;
	mk_sideband(w, 0, PERF_RECORD_NAMESPACES, 0, &body, 16 + 3 * 16, NULL, 5);
	named.pid = 43;
	mk_sideband(w, 0, 0x8000, 0, &named, 8, NULL, 6);
	/* the number is another process's */
	named.pid = 44;
	mk_sideband(w, 0, 0x8000, 0, &named, sizeof(named), NULL, 7);
	mk_fork(w, 0, 44, 1, 44, 8);
}

static void test_namespaces(void **state)
{
	static const struct {
		uint32_t pid, ns_pid;
		uint64_t ns;
	} row[] = { { 40, 0, 777 }, { 41, 12, 778 }, { 42, 0, 0 }, { 43, 0, 0 }, { 44, 0, 778 } };

	feed(make_namespaces);
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint32_t ns_pid;
		uint64_t ns;

		procmap_namespace(&pm, row[i].pid, &ns_pid, &ns);
		if (ns_pid != row[i].ns_pid || ns != row[i].ns)
			fail_msg("pid %u: %u in %lu", row[i].pid, ns_pid, (unsigned long)ns);
	}
}

/* Records that are too short for their type, or have names without an end, are passed over */
static void make_short(struct vsamp_writer *w)
{
	uint64_t body[16];

	memset(body, 'x', sizeof(body));
	for (uint32_t type = 0; type < 24; type++)
		for (size_t size = 0; size <= sizeof(body); size += 8)
			mk_sideband(w, 0, type, 0xffff, body, size, NULL, 1);
}

static void test_short_records(void **state)
{
	feed(make_short);
	assert_string_equal(comm_of(0x78787878), "");
	expect_none(0x78787878, 0x7878787878787878);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_find, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlaps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_fork, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pid_reuse, setup, teardown),
		cmocka_unit_test_setup_teardown(test_build_ids, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lost, setup, teardown),
		cmocka_unit_test_setup_teardown(test_namespaces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_short_records, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
