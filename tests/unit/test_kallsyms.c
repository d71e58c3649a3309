// SPDX-License-Identifier: MIT
/* Snapshots of the kernel's symbols: made of lines, read again, searched */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "kallsyms.h"

/* In no order, as modules come; with data, aliases, and user-half addresses that are none */
static const char lines[] = "0000000000000000 A fixed_percpu_data\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000100 T _copy_page\n"
			    "ffffffff81000100 t copy_page\n"
			    "ffffffff81000100 W weak_copy\n"
			    "ffffffff81000180 D some_data\n"
			    "ffffffff81000200 W weak_alone\n"
			    "ffffffff81000300 T last_one\n"
			    "ffffffffc0002040 t late\t[two]\n"
			    "ffffffffc0000000 t init\t[one]\n"
			    "ffffffffc0000010 t work\t[one]\n";

static struct kallsyms *snapshot_of(const char *text)
{
	FILE *f = fmemopen((void *)text, strlen(text), "r");
	struct buf out = { 0 };
	struct kallsyms *k;

	assert_int_equal(kallsyms_snapshot(&out, f, NULL), 0);
	fclose(f);
	assert_int_equal(kallsyms_open(&k, (char *)out.data, out.size), 0);
	buf_free(&out);
	return k;
}

static void expect(const struct kallsyms *k, uint64_t addr, const char *name, const char *module,
		   uint64_t start, uint64_t end)
{
	struct kallsyms_symbol sym;

	assert_int_equal(kallsyms_find(k, addr, &sym), 0);
	assert_string_equal(sym.name, name);
	assert_string_equal(sym.module, module);
	assert_int_equal(sym.start, start);
	assert_int_equal(sym.end, end);
}

static void test_find(void **state)
{
	struct kallsyms *k = snapshot_of(lines);
	struct kallsyms_symbol sym;

	assert_int_equal(kallsyms_count(k), 7);
	expect(k, 0xffffffff81000000, "_stext", "[kernel]", 0xffffffff81000000, 0xffffffff81000100);
	expect(k, 0xffffffff810000ff, "_stext", "[kernel]", 0xffffffff81000000, 0xffffffff81000100);
	/* of names at one address: strong before weak, global before local */
	expect(k, 0xffffffff81000180, "_copy_page", "[kernel]", 0xffffffff81000100,
	       0xffffffff81000200);
	expect(k, 0xffffffff81000200, "weak_alone", "[kernel]", 0xffffffff81000200,
	       0xffffffff81000300);
	expect(k, 0xffffffffc0000011, "work", "[one]", 0xffffffffc0000010, 0xffffffffc0001010);
	expect(k, 0xffffffffc0002040, "late", "[two]", 0xffffffffc0002040, 0xffffffffc0003040);
	/* before the first; in the gaps behind the kernel and the modules; in user space */
	assert_int_equal(kallsyms_find(k, 0xffffffff80ffffff, &sym), -ENOENT);
	assert_int_equal(kallsyms_find(k, 0xffffffff90000000, &sym), -ENOENT);
	assert_int_equal(kallsyms_find(k, 0xffffffffc0001010, &sym), -ENOENT);
	assert_int_equal(kallsyms_find(k, UINT64_MAX, &sym), -ENOENT);
	assert_int_equal(kallsyms_find(k, 0x401000, &sym), -ENOENT);
	kallsyms_close(k);
}

static void test_fewer_underscores(void **state)
{
	struct kallsyms *k = snapshot_of("ffffffff81000000 T __do\n"
					 "ffffffff81000000 T do_it\n"
					 "ffffffff81000000 T do_that\n");

	expect(k, 0xffffffff81000000, "do_it", "[kernel]", 0xffffffff81000000, 0xffffffff81001000);
	kallsyms_close(k);
}

static void test_hidden_addresses(void **state)
{
	static const char zeros[] = "0000000000000000 T _stext\n0000000000000000 T _text\n";
	FILE *f = fmemopen((void *)zeros, strlen(zeros), "r");
	struct buf out = { 0 };

	assert_int_equal(kallsyms_snapshot(&out, f, NULL), -EPERM);
	fclose(f);
	buf_free(&out);
}

static void put_note(const char *path, const void *id, uint32_t size)
{
	uint32_t head[] = { 4, size, 3 };
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fwrite(head, 1, sizeof(head), f);
	fwrite("GNU", 1, 4, f);
	fwrite(id, 1, size, f);
	fclose(f);
}

/* A tree as /sys has it, with the notes of the kernel and of one of two modules */
static void test_build_ids(void **state)
{
	char dir[] = "/tmp/vsamp-sys-XXXXXX", command[128];
	struct buf out = { 0 };
	struct kallsyms_symbol sym;
	struct kallsyms *k;
	char hex[BUILDID_HEX];
	FILE *f;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(system("mkdir -p kernel module/one/notes module/two"), 0);
	put_note("kernel/notes", "\x12\x34\xab", 3);
	put_note("module/one/notes/.note.gnu.build-id", "12345678901234567890", 20);

	f = fmemopen((void *)lines, strlen(lines), "r");
	assert_int_equal(kallsyms_snapshot(&out, f, dir), 0);
	fclose(f);
	assert_int_equal(kallsyms_open(&k, (char *)out.data, out.size), 0);
	assert_string_equal(buildid_format(kallsyms_kernel_id(k), hex), "1234ab");
	assert_int_equal(kallsyms_find(k, 0xffffffffc0000000, &sym), 0);
	assert_string_equal(buildid_format(sym.id, hex),
			    "3132333435363738393031323334353637383930");
	assert_int_equal(kallsyms_find(k, 0xffffffffc0002040, &sym), 0);
	assert_string_equal(buildid_format(sym.id, hex), "");
	kallsyms_close(k);
	buf_free(&out);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

static void test_bad_snapshots(void **state)
{
	static const char *const bad[] = {
		"build-id xyz [kernel]\n\n",
		"build-id 12345678901234567890123456789012345678901234 [kernel]\n\n",
		"build-id 12 \n\nffff\n",
		"\nffffffff81000000\n",
		"\nffffffff81000000 T\n",
		"\nffffffff81000000 T \n",
		"\nzz T x\n",
		"\nfffffffffffffffff T x\n",
		"\nffffffffffffffff T x\n2 T y\n",
	};
	struct kallsyms *k;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(kallsyms_open(&k, bad[i], strlen(bad[i])), -EBADMSG);
	assert_int_equal(kallsyms_open(&k, "\n1 T x\0\n", 8), -EBADMSG);
	/* nothing is known, which is no error; a line without its end doesn't count */
	assert_int_equal(kallsyms_open(&k, "", 0), 0);
	assert_int_equal(kallsyms_count(k), 0);
	kallsyms_close(k);
	assert_int_equal(kallsyms_open(&k, "\nff T x\n1 T y", 12), 0);
	assert_int_equal(kallsyms_count(k), 1);
	kallsyms_close(k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_fewer_underscores),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_build_ids),
		cmocka_unit_test(test_bad_snapshots),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
