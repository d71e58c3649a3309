// SPDX-License-Identifier: MIT
/* Addresses of samples in the code of a symbol: of a program that is mapped, of a kernel that was moved */
#include "mkfile.h"

#include <sys/stat.h>

#include <vsamp/annotate.h>

#include "kernel_file.h"
#include "objdump.h"

static char dir[] = "/tmp/vsamp-annotate-XXXXXX";
static const uint8_t id[20] = { 0x12, 0x34, 0xab };

#define ID "--build-id=0x1234ab0000000000000000000000000000000000"

/* two pieces have the same name, as static functions of two files; of the kernel, code is at other addresses */
static const char code[] = ".text\n.globl _stext\n_stext: .skip 16, 0x90\n"
			   ".type work, @function\nwork: .skip 32, 0x90\n.size work, 32\n"
			   ".type other, @function\nother: .skip 16, 0x90\n.size other, 16\n"
			   ".section .note.GNU-stack,\"\",@progbits\n";
static const char twin[] = ".text\n.type work, @function\nwork: .skip 16, 0x90\n.size work, 16\n"
			   ".section .note.GNU-stack,\"\",@progbits\n";

/* of a module: a function in a section of its own, at 8 there, and one that there are two of */
static const char module[] = ".text\nfirst: .skip 32, 0x90\n"
			     ".type twice, @function\ntwice: .skip 8, 0x90\n.size twice, 8\n"
			     ".section .text.unlikely,\"ax\"\n.skip 8, 0xcc\n"
			     ".type rare, @function\nrare: .skip 32, 0x90\n.size rare, 32\n"
			     ".section .note.GNU-stack,\"\",@progbits\n";

static const char kernel[] = "ffffffff9f000000 T _stext\n"
			     "ffffffff9f000010 t work\n"
			     "ffffffff9f000030 T other\n"
			     "ffffffffc0100008 t rare\t[mod_x]\n"
			     "ffffffffc0100028 t after\t[mod_x]\n"
			     "ffffffffc0200020 t twice\t[mod_x]\n"
			     "ffffffffc0200028 t twice\t[mod_x]\n"
			     "ffffffffc0200030 t last\t[mod_x]\n";

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	put("code.S", code);
	put("twin.S", twin);
	put("module.S", module);
	assert_int_equal(system("gcc -c code.S twin.S module.S && "
				"ld -r " ID " -o mod-x.ko module.o && "
				"ld -static " ID " -z separate-code -Ttext=0x401000 -e _stext "
				"-o prog code.o twin.o && "
				"ld -static " ID " -Ttext=0xffffffff81000000 -e _stext "
				"-o vmlinux code.o && "
				"ld -static --build-id=sha1 -Ttext=0xffffffff81000000 -e _stext "
				"-o vmlinux.other code.o"),
			 0);
	return mk_setup(state);
}

static int teardown(void **state)
{
	char command[64];

	mk_teardown(state);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static struct vsamp_recording *rec;
static struct vsamp_profile *profile;

/* The code of the symbol in the module, which has so many samples in a report */
static int find(const char *module, const char *symbol, const char *vmlinux,
		struct vsamp_code **found, uint64_t samples, struct vsamp_error *err)
{
	static const struct vsamp_profile_options options = { .flags = VSAMP_PROFILE_CODE };
	struct vsamp_profile_row *rows;
	size_t count, i;
	int ret;

	assert_int_equal(vsamp_recording_open(&rec, path, NULL), 0);
	assert_int_equal(vsamp_profile_new(&profile, rec, &options, NULL), 0);
	assert_int_equal(vsamp_profile_rows(profile, VSAMP_BY_MODULE | VSAMP_BY_SYMBOL, 0, &rows,
					    &count, NULL),
			 0);
	for (i = 0; i < count; i++)
		if (!strcmp(rows[i].symbol, symbol) && strstr(rows[i].module, module))
			break;
	assert_true(i < count);
	assert_int_equal(rows[i].samples[0], samples);
	ret = vsamp_profile_code(profile, rows[i].number, vmlinux, found, err);
	free(rows);
	return ret;
}

static void done(struct vsamp_code *found)
{
	vsamp_code_free(found);
	vsamp_profile_free(profile);
	vsamp_recording_close(rec);
}

static void expect_count(const struct vsamp_code_range *r, size_t number, uint64_t address,
			 uint64_t samples, double events)
{
	assert_true(number < r->count);
	assert_int_equal(r->counts[number].address, address);
	assert_int_equal(r->counts[number].samples[0], samples);
	assert_true(r->counts[number].events[0] == events);
}

/* Mapped at 0x7f0000000000 from offset 0x1000 on, which the file has at 0x401000 */
static void put_program(struct vsamp_writer *w)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/prog", dir);
	mk_mmap2(w, 0, 7, 0x7f0000000000, 0x1000, 0x1000, name, id, 0, 0);
}

static void put_user(struct vsamp_writer *w, uint64_t offset, unsigned int count)
{
	static uint64_t time = 1000;

	while (count--)
		mk_sample(w, 0, 0, true, time += 10, 0x7f0000000000 + offset, 7);
}

static void test_program(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_code *found;

	mk_clock(w, 0, 0, 2, 0);
	put_program(w);
	put_user(w, 0x1c, 5);
	put_user(w, 0x10, 2);
	put_user(w, 0x1c, 1);
	put_user(w, 0x30, 9); /* other */
	put_user(w, 0x45, 3); /* the twin */
	mk_close(w);
	assert_int_equal(find("prog", "work", NULL, &found, 11, NULL), 0);
	assert_true(found->fd >= 0);
	assert_int_equal(found->count, 2);
	assert_int_equal(found->ranges[0].start, 0x401010);
	assert_int_equal(found->ranges[0].end, 0x401030);
	assert_int_equal(found->ranges[0].count, 2);
	expect_count(&found->ranges[0], 0, 0x401010, 2, 2000);
	expect_count(&found->ranges[0], 1, 0x40101c, 6, 6000);
	assert_int_equal(found->ranges[1].start, 0x401040);
	assert_int_equal(found->ranges[1].end, 0x401050);
	assert_int_equal(found->ranges[1].count, 1);
	expect_count(&found->ranges[1], 0, 0x401045, 3, 3000);
	done(found);
}

/* Where nothing is known there is no code */
static void test_unknown(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_code *found = NULL;
	struct vsamp_error err;

	mk_clock(w, 0, 0, 2, 0);
	put_user(w, 0x10, 2);
	mk_close(w);
	assert_int_equal(find("[unknown]", "[unknown]", NULL, &found, 2, &err), -ENOENT);
	done(found);
}

static void put_id(const char *folder, const char *name)
{
	static const uint32_t head[] = { 4, sizeof(id), 3 };
	char command[128], file[128];
	FILE *f;

	snprintf(command, sizeof(command), "mkdir -p %s", folder);
	assert_int_equal(system(command), 0);
	snprintf(file, sizeof(file), "%s/%s", folder, name);
	f = fopen(file, "w");
	assert_non_null(f);
	fwrite(head, 1, sizeof(head), f);
	fwrite("GNU", 1, 4, f);
	fwrite(id, 1, sizeof(id), f);
	fclose(f);
}

/* Four samples at an address of the kernel */
static void put_kernel(bool with_id, uint64_t address)
{
	struct vsamp_writer *w = mk_open(path);
	FILE *f = fmemopen((void *)kernel, strlen(kernel), "r");

	put_id("kernel", "notes");
	put_id("module/mod_x/notes", ".note.gnu.build-id");
	mk_clock(w, 0, 0, 2, 0);
	assert_int_equal(writer_kallsyms(w, f, with_id ? dir : NULL, 0, NULL), 0);
	fclose(f);
	for (int i = 0; i < 4; i++)
		mk_sample(w, 0, 0, false, 1000 + 10 * i, address, 7);
	mk_close(w);
}

/* objdump finds so many instructions of a byte there, from the first range's start on */
static void expect_nops(const struct vsamp_code *found, size_t want)
{
	struct objdump o = { .program = "objdump" };
	const struct vsamp_code_range *r = &found->ranges[0];
	struct objdump_line *lines;
	size_t count, n = 0;

	assert_int_equal(
		objdump_run(&o, found->fd, found->section, r->start, r->end, &lines, &count), 0);
	for (size_t i = 0; i < count; i++) {
		if (!lines[i].code)
			continue;
		assert_int_equal(lines[i].address, r->start + n++);
		assert_string_equal(lines[i].text, "nop");
	}
	assert_int_equal(n, want);
	objdump_free(lines, count);
}

/* Loaded 0x1e000000 from where its file has it */
static void test_kernel(void **state)
{
	struct vsamp_code *found;

	put_kernel(true, 0xffffffff9f00001c);
	assert_int_equal(find("[kernel]", "work", "vmlinux", &found, 4, NULL), 0);
	assert_true(found->fd >= 0);
	assert_int_equal(found->count, 1);
	assert_int_equal(found->ranges[0].start, 0xffffffff81000010);
	assert_int_equal(found->ranges[0].end, 0xffffffff81000030);
	expect_count(&found->ranges[0], 0, 0xffffffff8100001c, 4, 4000);
	expect_nops(found, 32);
	done(found);
}

/* Another kernel's file, none, or nothing known of the recorded one: its addresses, and why */
static void test_kernel_without(void **state)
{
	struct vsamp_code *found;

	put_kernel(true, 0xffffffff9f00001c);
	assert_int_equal(find("[kernel]", "work", "vmlinux.other", &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	assert_non_null(strstr(found->why, "build-id"));
	assert_int_equal(found->ranges[0].start, 0xffffffff9f000010);
	expect_count(&found->ranges[0], 0, 0xffffffff9f00001c, 4, 4000);
	done(found);
	assert_int_equal(find("[kernel]", "work", "nosuch", &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	done(found);
	assert_int_equal(find("[kernel]", "work", NULL, &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	assert_non_null(strstr(found->why, "--vmlinux"));
	done(found);
	put_kernel(false, 0xffffffff9f00001c);
	assert_int_equal(find("[kernel]", "work", "vmlinux", &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	done(found);
}

/* A module's file isn't linked: addresses are of the symbol's section */
static void test_module(void **state)
{
	struct vsamp_code *found;

	put_kernel(true, 0xffffffffc010000c);
	assert_int_equal(find("[mod_x]", "rare", "mod-x.ko", &found, 4, NULL), 0);
	assert_true(found->fd >= 0);
	assert_string_equal(found->section, ".text.unlikely");
	assert_int_equal(found->ranges[0].start, 8);
	assert_int_equal(found->ranges[0].end, 0x28);
	expect_count(&found->ranges[0], 0, 0xc, 4, 4000);
	expect_nops(found, 32);
	done(found);
	/* another file, or none */
	assert_int_equal(find("[mod_x]", "rare", "vmlinux.other", &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	expect_count(&found->ranges[0], 0, 0xffffffffc010000c, 4, 4000);
	done(found);
	assert_int_equal(find("[mod_x]", "rare", NULL, &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	assert_non_null(strstr(found->why, "/lib/modules"));
	done(found);
	/* one that is of this name alone has another one's place in the file */
	put_kernel(true, 0xffffffffc0100028);
	assert_int_equal(find("[mod_x]", "after", "mod-x.ko", &found, 4, NULL), 0);
	assert_int_equal(found->fd, -1);
	assert_string_equal(found->section, "");
	done(found);
}

static void expect_path(const char *name, const char *want)
{
	char file[256];

	assert_int_equal(kernel_module_path(dir, "6.1", name, file, sizeof(file)),
			 want ? 0 : -ENOENT);
	if (want)
		assert_string_equal(file + strlen(dir), want);
}

static void test_module_path(void **state)
{
	char file[256];

	assert_int_equal(mkdir("6.1", 0700), 0);
	put("6.1/modules.dep", "kernel/fs/nls/nls-utf8.ko.xz:\n"
			       "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko\n"
			       "updates/nls.ko:\n"
			       "broken.ko\n");
	expect_path("[ext4]", "/6.1/kernel/fs/ext4/ext4.ko");
	expect_path("[nls]", "/6.1/updates/nls.ko");
	expect_path("[nls_utf8]", "/6.1/kernel/fs/nls/nls-utf8.ko.xz");
	expect_path("[jbd2]", NULL);
	expect_path("[ext]", NULL);
	expect_path("[broken]", NULL);
	assert_int_equal(kernel_module_path(dir, "../6.1", "[ext4]", file, sizeof(file)), -ENOENT);
	assert_int_equal(kernel_module_path(dir, "6.2", "[ext4]", file, sizeof(file)), -ENOENT);
}

/* The program is another one by now */
static void test_replaced(void **state)
{
	struct vsamp_writer *w = mk_open(path);
	struct vsamp_code *found;

	mk_clock(w, 0, 0, 2, 0);
	put_program(w);
	put_user(w, 0x1c, 5);
	mk_close(w);
	assert_int_equal(find("prog", "work", NULL, &found, 5, NULL), 0);
	done(found);
	assert_int_equal(rename("vmlinux.other", "prog"), 0);
	/* the symbol isn't to be found either, so there is no row of it */
	assert_int_equal(find("prog", "[unknown]", NULL, &found, 5, NULL), -ENOENT);
	done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),	 cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_kernel),	 cmocka_unit_test(test_kernel_without),
		cmocka_unit_test(test_module),	 cmocka_unit_test(test_module_path),
		cmocka_unit_test(test_replaced),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
