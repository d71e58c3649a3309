// SPDX-License-Identifier: MIT
/* Code made at run time: jitdumps and /tmp/perf-PID.map, each line and record of which is known */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jitdump.h"
#include "module.h"
#include "need.h"
#include "perfmap.h"
#include "rootfile.h"

static char dir[] = "/tmp/vsamp-jit-XXXXXX";
static struct vsamp_clock_fit *clock_same; /* ticks are ns of CLOCK_MONOTONIC */

static int setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	return vsamp_clock_fit_new(&clock_same, NULL, 0, 0);
}

static int teardown(void **state)
{
	char command[64];

	vsamp_clock_fit_free(clock_same);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

/* A jitdump as it is written: by the specification's order of fields */
struct dump {
	uint8_t data[1 << 20];
	size_t size, record;
};

static void put(struct dump *d, uint64_t value, int bytes)
{
	memcpy(d->data + d->size, &value, bytes);
	d->size += bytes;
}

static void put_text(struct dump *d, const char *text)
{
	strcpy((char *)d->data + d->size, text);
	d->size += strlen(text) + 1;
}

static void begin(struct dump *d, uint64_t flags)
{
	d->size = 0;
	put(d, 0x4A695444, 4);
	put(d, 1, 4);
	put(d, 40, 4);
	put(d, 62, 4);
	put(d, 0, 4);
	put(d, getpid(), 4);
	put(d, 0, 8);
	put(d, flags, 8);
}

static void record(struct dump *d, uint32_t type, uint64_t time)
{
	d->record = d->size;
	put(d, type, 4);
	put(d, 0, 4);
	put(d, time, 8);
}

static void record_end(struct dump *d)
{
	uint32_t size = d->size - d->record;

	memcpy(d->data + d->record + 4, &size, 4);
}

static void put_load(struct dump *d, uint64_t time, uint64_t address, uint64_t size, uint64_t index,
		     const char *name)
{
	record(d, 0, time);
	put(d, 1, 4);
	put(d, 1, 4);
	put(d, address, 8);
	put(d, address, 8);
	put(d, size, 8);
	put(d, index, 8);
	put_text(d, name);
	d->size += size;
	record_end(d);
}

static void put_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size,
		     uint64_t index)
{
	record(d, 1, time);
	put(d, 1, 4);
	put(d, 1, 4);
	put(d, to, 8);
	put(d, from, 8);
	put(d, to, 8);
	put(d, size, 8);
	put(d, index, 8);
	record_end(d);
}

static void put_line(struct dump *d, uint64_t address, int line, const char *file)
{
	put(d, address, 8);
	put(d, line, 4);
	put(d, 0, 4);
	put_text(d, file);
}

static int write_dump(const struct dump *d, const char *name)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fwrite(d->data, 1, d->size, f);
	fclose(f);
	return open(name, O_RDONLY);
}

struct loaded {
	struct jitdump *jd;
	struct elfsym *es;
	struct lines *l;
};

static void load(struct loaded *j, const struct dump *d, int expect)
{
	int fd = write_dump(d, "jit-1.dump");

	*j = (struct loaded){ 0 };
	assert_int_equal(elfsym_new(&j->es), 0);
	assert_int_equal(lines_new(&j->l), 0);
	assert_int_equal(jitdump_read(&j->jd, fd, clock_same, j->es, j->l), expect);
	assert_int_equal(elfsym_index(j->es), 0);
	lines_index(j->l);
	close(fd);
}

static void unload(struct loaded *j)
{
	jitdump_free(j->jd);
	elfsym_free(j->es);
	lines_free(j->l);
}

static void expect_code(const struct loaded *j, uint64_t address, uint64_t time, const char *name)
{
	struct elfsym_symbol sym;
	uint64_t offset;

	if (!name) {
		assert_int_equal(jitdump_find(j->jd, address, time, &offset), -ENOENT);
		return;
	}
	assert_int_equal(jitdump_find(j->jd, address, time, &offset), 0);
	assert_int_equal(elfsym_find(j->es, offset, &sym), 0);
	assert_string_equal(sym.name, name);
}

/* At one address first, then another, then a part of it again */
static void test_times(void **state)
{
	static struct dump d;
	struct loaded j;

	begin(&d, 0);
	put_load(&d, 100, 0x1000, 0x100, 0, "first");
	put_load(&d, 300, 0x1080, 0x100, 1, "second");
	put_load(&d, 200, 0x2000, 0x10, 2, "away"); /* times needn't rise */
	put_load(&d, 400, 0x1090, 0x10, 3, "within");
	put_load(&d, 400, 0x3000, 0, 4, "empty");
	load(&j, &d, 0);
	expect_code(&j, 0x1000, 99, NULL);
	expect_code(&j, 0x1000, 100, "first");
	expect_code(&j, 0xfff, 500, NULL);
	expect_code(&j, 0x107f, 900, "first");
	expect_code(&j, 0x1080, 299, "first");
	expect_code(&j, 0x1080, 300, "second");
	expect_code(&j, 0x1100, 299, NULL);
	expect_code(&j, 0x117f, 300, "second");
	expect_code(&j, 0x1180, 300, NULL);
	expect_code(&j, 0x1090, 399, "second");
	expect_code(&j, 0x1090, 400, "within");
	expect_code(&j, 0x10a0, 400, "second");
	expect_code(&j, 0x2008, 199, NULL);
	expect_code(&j, 0x2008, 250, "away");
	expect_code(&j, 0x3000, 900, NULL);
	expect_code(&j, UINT64_MAX, 900, NULL);
	unload(&j);
}

static void test_move(void **state)
{
	static struct dump d;
	struct loaded j;

	begin(&d, 0);
	put_load(&d, 100, 0x1000, 0x100, 7, "moved");
	put_move(&d, 200, 0x1000, 0x5000, 0x100, 7);
	put_move(&d, 200, 0x1000, 0x6000, 0x100, 8); /* of what was never loaded */
	put_load(&d, 300, 0x1000, 0x100, 8, "instead");
	load(&j, &d, 0);
	expect_code(&j, 0x5010, 199, NULL);
	expect_code(&j, 0x5010, 200, "moved");
	expect_code(&j, 0x6010, 900, NULL);
	expect_code(&j, 0x1010, 300, "instead");
	unload(&j);
}

static void test_lines(void **state)
{
	static struct dump d;
	struct loaded j;
	const char *file;
	uint64_t offset;
	uint32_t line;

	begin(&d, 0);
	record(&d, 2, 100);
	put(&d, 0x1000, 8);
	put(&d, 4, 8);
	put_line(&d, 0x1000, 5, "A.java");
	put_line(&d, 0x1010, 7, "\xff");
	put_line(&d, 0x1020, 2, "B.java");
	put_line(&d, 0x9000, 9, "B.java"); /* not in it */
	record_end(&d);
	put_load(&d, 100, 0x1000, 0x30, 0, "lined");
	put_load(&d, 200, 0x1000, 0x30, 1, "unlined");
	record(&d, 4, 300); /* how to unwind, as it may come */
	put(&d, 0, 8);
	record_end(&d);
	record(&d, 3, 300);
	record_end(&d);
	load(&j, &d, 0);
	assert_int_equal(jitdump_find(j.jd, 0x100f, 150, &offset), 0);
	assert_int_equal(lines_find(j.l, offset, &file, &line), 0);
	assert_string_equal(file, "A.java");
	assert_int_equal(line, 5);
	assert_int_equal(lines_find(j.l, offset + 1, &file, &line), 0);
	assert_string_equal(file, "A.java");
	assert_int_equal(line, 7);
	assert_int_equal(lines_find(j.l, offset + 0x20, &file, &line), 0);
	assert_string_equal(file, "B.java");
	assert_int_equal(lines_find(j.l, offset + 0x21, &file, &line), -ENOENT);
	assert_int_equal(jitdump_find(j.jd, 0x100f, 250, &offset), 0);
	assert_int_equal(lines_find(j.l, offset, &file, &line), -ENOENT);
	unload(&j);
}

/* What isn't one, what was cut, and what would take all memory */
static void test_hostile(void **state)
{
	static struct dump d, cut;
	struct loaded j;
	uint64_t offset;

	begin(&d, 0);
	put_load(&d, 100, 0x1000, 0x100, 0, "first");
	put_load(&d, 200, 0x2000, 0x100, 1, "second");
	for (size_t size = 0; size < d.size; size++) {
		cut = d;
		cut.size = size;
		load(&j, &cut, size < 40 ? -EBADMSG : 0);
		unload(&j);
	}
	for (size_t i = 0; i < d.size; i++) {
		cut = d;
		cut.data[i] ^= i % 2 ? 0xff : 0x80;
		load(&j, &cut, i < 8 ? -EBADMSG : 0);
		if (j.jd)
			jitdump_find(j.jd, 0x1010, 150, &offset);
		unload(&j);
	}
	/* each within the one before: more pieces than any compiler makes */
	begin(&d, 0);
	put_load(&d, 1, 0x1000, 0x10, 0, "nested");
	for (uint64_t i = 0; i < 12000; i++)
		put_move(&d, 2, 0x1000, 0x100000 + i, 0x100000 - 2 * i, 0);
	load(&j, &d, -EBADMSG);
	unload(&j);
}

static void expect_mapped(struct elfsym *es, uint64_t address, const char *name)
{
	struct elfsym_symbol sym;

	if (!name) {
		assert_int_equal(elfsym_find(es, address, &sym), -ENOENT);
		return;
	}
	assert_int_equal(elfsym_find(es, address, &sym), 0);
	assert_string_equal(sym.name, name);
}

static void test_map_lines(void **state)
{
	static char text[] = "7f0000001000 20 LazyCompile:~one /a b.js:1\n"
			     "0x7f0000002000 0x10 two\n"
			     "7f0000003000 0 empty\n"
			     "no line\n7f0000004000 10\n7f0000005000 zz three\n"
			     "7f0000001000 30 again\n"
			     "7f0000001010 10 inner\n"
			     "fffffffffffffff0 ffff wraps\n"
			     "7f0000006000 10 cut";
	FILE *f = fmemopen(text, strlen(text), "r");
	struct elfsym *es;

	assert_int_equal(elfsym_new(&es), 0);
	assert_int_equal(perfmap_read(es, f), 0);
	assert_int_equal(elfsym_index(es), 0);
	fclose(f);
	assert_int_equal(elfsym_count(es), 4);
	expect_mapped(es, 0x7f0000000fff, NULL);
	expect_mapped(es, 0x7f0000001000, "again"); /* written later */
	expect_mapped(es, 0x7f0000001010, "inner");
	expect_mapped(es, 0x7f0000001020, "again");
	expect_mapped(es, 0x7f0000001030, NULL);
	expect_mapped(es, 0x7f000000200f, "two");
	expect_mapped(es, 0x7f0000002010, NULL);
	expect_mapped(es, 0x7f0000003000, NULL);
	expect_mapped(es, 0x7f0000006001, "cut");
	elfsym_free(es);
}

/* The map of a process, as a report finds it; the note where it finds none */
static const char *anon_named(const struct module_origin *origin, uint32_t pid, const char *expect)
{
	struct module_key key = { .pid = pid };
	struct elfsym_symbol sym = { 0 };
	struct modules ms;
	const char *note;
	int64_t number;

	modules_init(&ms, origin);
	number = modules_number(&ms, &key, "//anon");
	assert_string_equal(modules_path(&ms, number), "[anon]");
	assert_int_equal(modules_find(&ms, number, 0x1008, &sym), expect ? 0 : -ENOENT);
	if (expect)
		assert_string_equal(sym.name, expect);
	note = ms.module[number].note;
	modules_free(&ms);
	return note;
}

static void write_map(const char *path, uid_t owner, const char *name)
{
	FILE *f;

	unlink(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "1000 10 %s\n", name);
	fclose(f);
	assert_int_equal(chown(path, owner, -1), 0);
}

static const struct module_origin here = { .same_boot = true, .same_pids = true };

/* Another user's word is taken for that user's processes, and as long as they live */
static void test_map_owner(void **state)
{
	static const struct module_origin elsewhere;
	char path[64];
	pid_t child = fork();

	if (!child) {
		if (setuid(12345))
			_exit(1);
		pause();
	}
	usleep(100000);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", child);
	assert_non_null(strstr(anon_named(&here, child, NULL), "wrote no"));
	write_map(path, 0, "of_root");
	assert_null(anon_named(&here, child, "of_root"));
	assert_non_null(anon_named(&elsewhere, child, NULL));
	write_map(path, 12345, "of_user");
	assert_null(anon_named(&here, child, "of_user"));
	write_map(path, 54321, "of_other");
	assert_non_null(strstr(anon_named(&here, child, NULL), "another user's"));
	write_map(path, 12345, "of_user");
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_non_null(strstr(anon_named(&here, child, NULL), "another user's"));
	write_map(path, 0, "of_root");
	assert_null(anon_named(&here, child, "of_root"));
	unlink(path);
}

/* While it is watched, a compiler makes more code */
static void test_map_refreshed(void **state)
{
	struct module_key key = { .pid = getpid() };
	struct elfsym_symbol sym;
	struct modules ms;
	char path[64];
	int64_t number;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	modules_init(&ms, &here);
	number = modules_number(&ms, &key, "//anon");
	assert_int_equal(modules_find(&ms, number, 0x1008, &sym), -ENOENT);
	write_map(path, 0, "compiled");
	assert_int_equal(modules_find(&ms, number, 0x1008, &sym), -ENOENT);
	modules_refresh(&ms);
	assert_int_equal(modules_find(&ms, number, 0x1008, &sym), 0);
	assert_string_equal(sym.name, "compiled");
	assert_null(ms.module[number].note);
	modules_free(&ms);
	unlink(path);
}

/* A program of the container: by a link that is absolute there, and only of a process of that time */
static void container_files(uint32_t pid)
{
	struct module_origin before = here, pids_differ = here;
	const struct module_origin *origins[] = { &here, &before, &pids_differ };
	struct module_key key = { .pid = pid };
	struct elfsym_symbol sym;

	assert_int_equal(
		system("mkdir -p root/opt && printf 'int contained(int x) { return x; }' | gcc -O1 -nostdlib "
		       "-shared -fPIC -Wl,-z,noseparate-code,-Ttext=0x1000 -x c -o root/opt/real.so - &&"
		       "ln -s /opt/real.so root/opt/vsamp-link.so"),
		0);
	before.ended = 1;
	pids_differ.same_pids = false;
	for (int i = 0; i < 3; i++) {
		struct modules ms;
		int64_t number;

		modules_init(&ms, origins[i]);
		number = modules_number(&ms, &key, "/opt/vsamp-link.so");
		assert_int_equal(modules_find(&ms, number, 0x1000, &sym), i ? -ENOENT : 0);
		if (i)
			assert_non_null(strstr(ms.module[number].note, "not found"));
		else
			assert_string_equal(sym.name, "contained");
		modules_free(&ms);
	}
}

/* In a container: its own pid, in its own root, which a link doesn't lead out of */
static void test_map_container(void **state)
{
	char root[128], path[160];
	int ready[2];
	pid_t outer, inner;
	struct stat st;

	NEED_TOOL("gcc");
	snprintf(root, sizeof(root), "%s/root", dir);
	assert_int_equal(mkdir(root, 0755) || pipe(ready), 0);
	outer = fork();
	if (!outer) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS))
			_exit(1);
		inner = fork();
		if (!inner) {
			if (chroot(root) || chdir("/"))
				_exit(1);
			pause();
		}
		if (write(ready[1], &inner, sizeof(inner)) < 0)
			_exit(1);
		waitpid(inner, NULL, 0);
		_exit(0);
	}
	/* pid 1 of its namespace; ours for it is in the list of children */
	assert_int_equal(read(ready[0], &inner, sizeof(inner)), sizeof(inner));
	snprintf(path, sizeof(path), "%s/tmp", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/tmp/perf-1.map", root);
	usleep(100000);
	write_map(path, 0, "in_container");
	assert_null(anon_named(&here, inner, "in_container"));
	container_files(inner);
	/* out of the root, to a file that is there, and would be believed */
	write_map("/tmp/vsamp-outside.map", 0, "outside");
	unlink(path);
	assert_int_equal(symlink("/tmp/vsamp-outside.map", path), 0);
	assert_int_equal(rootfile_open(inner, "/tmp/perf-1.map", &st), -1);
	assert_non_null(anon_named(&here, inner, NULL));
	unlink("/tmp/vsamp-outside.map");
	kill(inner, SIGKILL);
	waitpid(outer, NULL, 0);
}

static void test_named(void **state)
{
	assert_true(jitdump_named("/home/me/.debug/jit/java-jit-2026.abc/jit-4711.dump"));
	assert_true(jitdump_named("/jit-1.dump"));
	assert_false(jitdump_named("/jit-1.dump.old"));
	assert_false(jitdump_named("/jit-.dump"));
	assert_false(jitdump_named("/tmp/myjit-1.dump"));
	assert_false(jitdump_named("jit-1.dump"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),	      cmocka_unit_test(test_move),
		cmocka_unit_test(test_lines),	      cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_map_lines),     cmocka_unit_test(test_map_owner),
		cmocka_unit_test(test_map_refreshed), cmocka_unit_test(test_map_container),
		cmocka_unit_test(test_named),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
