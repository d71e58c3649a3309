// SPDX-License-Identifier: MIT
/* Symbols of ELF files that are assembled and linked here, where every address is known */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elfsym.h"
#include "module.h"

static char dir[] = "/tmp/vsamp-elf-XXXXXX";

static void run(const char *command)
{
	if (system(command))
		fail_msg("%s", command);
}

static void put(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/*
 * .text is at 0x401000, and at 0x1000 in the file:
 *	0x00 _start	no size: up to the next
 *	0x10 f		0x20 bytes; weak_f and __f are the same
 *	0x30		a gap of 8 bytes
 *	0x38 outer	0x40 bytes, with the label "label" at 0x48 and inner at 0x58, 0x10 bytes
 *	0x78 over	0x20 bytes, of which lap has the second half
 *	0x88 lap	0x20 bytes
 *	0xa8		a gap of 8 bytes
 *	0xb0 last	no size: up to the end at 0xb8
 */
static const char layout[] =
	".text\n"
	".globl _start, f, __f, outer, inner\n"
	".weak weak_f\n"
	".type f, @function\n.type __f, @function\n.type weak_f, @function\n"
	".type outer, @function\n.type inner, @function\n"
	"_start: .skip 16, 0x90\n"
	"f: __f: weak_f: .skip 32, 0x90\n.size f, 32\n.size __f, 32\n.size weak_f, 32\n"
	".skip 8, 0xcc\n"
	"outer: .skip 16, 0x90\nlabel: .skip 16, 0x90\n"
	"inner: .skip 16, 0x90\n.size inner, 16\n.skip 16, 0x90\n.size outer, 64\n"
	".type over, @function\n.type lap, @function\n"
	"over: .skip 16, 0x90\nlap: .skip 16, 0x90\n.size over, 32\n.skip 16, 0x90\n.size lap, 32\n"
	".skip 8, 0xcc\n"
	"last: .skip 8, 0x90\n"
	".data\n.globl data\ndata: .quad 0\n"
	".section .note.GNU-stack,\"\",@progbits\n";

static int setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	put("layout.S", layout);
	put("lib.c",
	    "#include <stdio.h>\n#include <stdlib.h>\n"
	    "static __attribute__((noinline)) int hidden(int x) { return x + atoi(\"3\"); }\n"
	    "int shown(int x) { puts(\"x\"); return hidden(x) * 3 + rand(); }\n");
	run("gcc -c layout.S && ld -static --build-id=sha1 -z separate-code -Ttext=0x401000 "
	    "-o layout layout.o");
	run("gcc -O1 -fPIC -shared -Wl,-z,lazy -Wl,--build-id=sha1 -o lib.so lib.c");
	run("gcc -O1 -fPIC -fcf-protection -shared -Wl,-z,lazy -Wl,-z,ibtplt -o ibt.so lib.c");
	run("objcopy --only-keep-debug lib.so lib.debug && strip -o stripped.so lib.so");
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

static struct elfsym *load(const char *name, int expect)
{
	int fd = open(name, O_RDONLY);
	struct elfsym *es;

	assert_true(fd >= 0);
	assert_int_equal(elfsym_new(&es), 0);
	assert_int_equal(elfsym_add_file(es, fd), expect);
	close(fd);
	return es;
}

static void expect_symbol(const struct elfsym *es, uint64_t offset, const char *name,
			  uint64_t start, uint64_t end)
{
	struct elfsym_symbol sym;

	assert_int_equal(elfsym_find(es, offset, &sym), 0);
	assert_string_equal(sym.name, name);
	assert_int_equal(sym.start, start);
	assert_int_equal(sym.end, end);
}

static void test_layout(void **state)
{
	struct elfsym *es = load("layout", 1);
	struct elfsym_symbol sym;

	assert_int_equal(elfsym_index(es), 0);
	/* three of f; neither the data nor the label within outer */
	assert_int_equal(elfsym_count(es), 9);
	expect_symbol(es, 0x1000, "_start", 0x401000, 0x401010);
	expect_symbol(es, 0x100f, "_start", 0x401000, 0x401010);
	expect_symbol(es, 0x1010, "f", 0x401010, 0x401030);
	expect_symbol(es, 0x102f, "f", 0x401010, 0x401030);
	assert_int_equal(elfsym_find(es, 0x1030, &sym), -ENOENT);
	assert_int_equal(elfsym_find(es, 0x1037, &sym), -ENOENT);
	expect_symbol(es, 0x1038, "outer", 0x401038, 0x401078);
	expect_symbol(es, 0x1048, "outer", 0x401038, 0x401078);
	expect_symbol(es, 0x1058, "inner", 0x401058, 0x401068);
	expect_symbol(es, 0x1067, "inner", 0x401058, 0x401068);
	expect_symbol(es, 0x1068, "outer", 0x401038, 0x401078);
	expect_symbol(es, 0x1077, "outer", 0x401038, 0x401078);
	expect_symbol(es, 0x1078, "over", 0x401078, 0x401098);
	expect_symbol(es, 0x1087, "over", 0x401078, 0x401098);
	expect_symbol(es, 0x1088, "lap", 0x401088, 0x4010a8);
	expect_symbol(es, 0x10a7, "lap", 0x401088, 0x4010a8);
	assert_int_equal(elfsym_find(es, 0x10a8, &sym), -ENOENT);
	assert_int_equal(elfsym_find(es, 0x10af, &sym), -ENOENT);
	expect_symbol(es, 0x10b0, "last", 0x4010b0, 0x4010b8);
	assert_int_equal(elfsym_find(es, 0x10b8, &sym), -ENOENT);
	assert_int_equal(elfsym_find(es, 0, &sym), -ENOENT);
	assert_int_equal(elfsym_find(es, UINT64_MAX, &sym), -ENOENT);
	elfsym_free(es);
}

static void expect_range(const struct elfsym *es, uint64_t offset, uint64_t start, uint64_t end)
{
	struct elfsym_range range;

	elfsym_range(es, offset, &range);
	assert_int_equal(range.start, start);
	assert_int_equal(range.end, end);
}

static void test_ranges(void **state)
{
	struct elfsym *es = load("layout", 1);

	assert_int_equal(elfsym_index(es), 0);
	expect_range(es, 0x1000, 0x1000, 0x1010);
	expect_range(es, 0x102f, 0x1010, 0x1030);
	expect_range(es, 0x1034, 0x1030, 0x1038); /* a gap */
	expect_range(es, 0x1038, 0x1038, 0x1058); /* outer, before what is in it and behind */
	expect_range(es, 0x1060, 0x1058, 0x1068);
	expect_range(es, 0x1077, 0x1068, 0x1078);
	expect_range(es, 0x1078, 0x1078, 0x1088);
	expect_range(es, 0x1097, 0x1088, 0x10a8);
	expect_range(es, 0x10b7, 0x10b0, 0x10b8); /* the segment ends */
	expect_range(es, 0x10b8, 0x10b8, 0x10b9); /* no code: only itself is known */
	elfsym_free(es);
	/* without code all is the same */
	assert_int_equal(elfsym_new(&es), 0);
	assert_int_equal(elfsym_index(es), 0);
	expect_range(es, 0x1234, 0, UINT64_MAX);
	elfsym_free(es);
}

/* The addresses that other tools give: "COMMAND" prints one in hex */
static uint64_t asked(const char *command)
{
	FILE *f = popen(command, "r");
	uint64_t v = 0;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%" SCNx64, &v), 1);
	pclose(f);
	return v;
}

/* In these the first code segment is at its address: offset = address */
static void test_shared_object(void **state)
{
	uint64_t hidden = asked("nm lib.so | awk '$3 == \"hidden\" { print $1 }'");
	uint64_t shown = asked("nm lib.so | awk '$3 == \"shown\" { print $1 }'");
	struct elfsym *es = load("lib.so", 1);
	struct elfsym_symbol sym;

	assert_int_equal(elfsym_index(es), 0);
	assert_int_equal(elfsym_find(es, hidden + 1, &sym), 0);
	assert_string_equal(sym.name, "hidden");
	assert_int_equal(sym.start, hidden);
	assert_int_equal(elfsym_find(es, shown, &sym), 0);
	assert_string_equal(sym.name, "shown");
	elfsym_free(es);
}

/* Stubs of calls into other modules, as objdump names them */
static void test_plt(void **state)
{
	static const char *const name[] = { "lib.so", "ibt.so" }; /* ibt.so: a second section */

	for (int i = 0; i < 2; i++) {
		struct elfsym *es = load(name[i], 1);
		struct elfsym_symbol sym;
		char command[128];

		assert_int_equal(elfsym_index(es), 0);
		snprintf(command, sizeof(command),
			 "objdump -d %s | awk '/<puts@plt>:/ { print $1 }'", name[i]);
		assert_int_equal(elfsym_find(es, asked(command) + 6, &sym), 0);
		assert_string_equal(sym.name, "puts@plt");
		snprintf(command, sizeof(command),
			 "objdump -d %s | awk '/<rand@plt>:/ { print $1 }'", name[i]);
		assert_int_equal(elfsym_find(es, asked(command), &sym), 0);
		assert_string_equal(sym.name, "rand@plt");
		elfsym_free(es);
	}
}

/* Stripped: just what it exports; with its debug file all of it */
static void test_debug_file(void **state)
{
	uint64_t hidden = asked("nm lib.so | awk '$3 == \"hidden\" { print $1 }'");
	uint64_t shown = asked("nm lib.so | awk '$3 == \"shown\" { print $1 }'");
	struct elfsym *es = load("stripped.so", 0);
	struct elfsym_symbol sym;
	int fd;

	assert_int_equal(elfsym_index(es), 0);
	assert_int_equal(elfsym_find(es, shown, &sym), 0);
	assert_string_equal(sym.name, "shown");
	assert_true(elfsym_find(es, hidden, &sym) || strcmp(sym.name, "hidden"));
	elfsym_free(es);

	es = load("stripped.so", 0);
	fd = open("lib.debug", O_RDONLY);
	assert_int_equal(elfsym_add_debug(es, fd), 1);
	close(fd);
	assert_int_equal(elfsym_index(es), 0);
	assert_int_equal(elfsym_find(es, hidden, &sym), 0);
	assert_string_equal(sym.name, "hidden");
	assert_int_equal(sym.start, hidden);
	elfsym_free(es);
}

static void read_id(const char *name, struct buildid *id)
{
	int fd = open(name, O_RDONLY);

	assert_int_equal(elfsym_read_id(fd, id), 0);
	close(fd);
}

static void test_build_id(void **state)
{
	uint64_t first = asked(
		"readelf -n layout | sed -n 's/.*Build ID: \\(................\\).*/\\1/p'");
	struct buildid id;
	uint64_t got = 0;

	read_id("layout", &id);
	assert_int_equal(id.size, 20);
	for (int i = 0; i < 8; i++)
		got = got << 8 | id.data[i];
	assert_true(got == first);
}

static void test_not_elf(void **state)
{
	struct elfsym *es;

	put("text", "no ELF file at all, but long enough for a header of one, which has 64 bytes");
	es = load("text", -EBADMSG);
	elfsym_free(es);
}

/* Every byte of the file's headers and tables at extremes, and the file cut: no fault */
static void test_hostile(void **state)
{
	static uint8_t bytes[65536];
	FILE *f = fopen("layout", "r");
	size_t size = fread(bytes, 1, sizeof(bytes), f);

	fclose(f);
	assert_in_range(size, 0x10b8, sizeof(bytes) - 1);
	for (size_t i = 0; i < size; i++) {
		struct elfsym_symbol sym;
		struct elfsym *es;
		uint8_t old = bytes[i];
		int fd, ret;

		if (i >= 0x200 && i < 0x10b8)
			continue; /* between headers and code is nothing */
		bytes[i] = i % 2 ? 0xff : old ^ 0x80;
		f = fopen("hostile", "w");
		fwrite(bytes, 1, i % 3 ? size : i, f);
		fclose(f);
		bytes[i] = old;
		fd = open("hostile", O_RDONLY);
		assert_int_equal(elfsym_new(&es), 0);
		ret = elfsym_add_file(es, fd);
		assert_true(ret == 0 || ret == 1 || ret == -EBADMSG);
		assert_int_equal(elfsym_index(es), 0);
		elfsym_find(es, 0x1010, &sym);
		elfsym_free(es);
		close(fd);
	}
}

/* Billions of program headers, which aren't there, take no time */
static void test_endless(void **state)
{
	static uint8_t bytes[65536];
	Elf64_Ehdr *eh = (void *)bytes;
	Elf64_Shdr *sh = (void *)(bytes + sizeof(*eh));
	struct timespec before, after;
	struct elfsym *es;
	FILE *f;
	int fd;

	memcpy(eh->e_ident, ELFMAG "\2\1\1", 7);
	eh->e_type = ET_DYN;
	eh->e_machine = EM_X86_64;
	eh->e_version = EV_CURRENT;
	eh->e_ehsize = sizeof(*eh);
	eh->e_shoff = sizeof(*eh);
	eh->e_shentsize = sizeof(*sh);
	eh->e_shnum = 1;
	eh->e_phoff = 1ULL << 46; /* as if they were behind the end */
	eh->e_phentsize = sizeof(Elf64_Phdr);
	eh->e_phnum = PN_XNUM;
	sh->sh_info = UINT32_MAX; /* this is how many */
	f = fopen("endless", "w");
	fwrite(bytes, 1, sizeof(bytes), f);
	fclose(f);
	fd = open("endless", O_RDONLY);
	assert_int_equal(elfsym_new(&es), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
	elfsym_add_file(es, fd);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
	assert_true(after.tv_sec - before.tv_sec <= 1);
	elfsym_free(es);
	close(fd);
}

static const struct module_origin here = { .same_boot = true, .same_pids = true }, elsewhere;

static uint32_t module_of(struct modules *ms, const char *name, const struct buildid *id,
			  uint64_t ino)
{
	struct module_key key = { .ino = ino, .pid = getpid() };
	char path[256];
	int64_t number;

	if (id)
		key.id = *id;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	number = modules_number(ms, &key, path);
	assert_true(number >= 0);
	return number;
}

static void test_module_by_id(void **state)
{
	struct elfsym_symbol sym;
	struct buildid id, other = { 20, { 1 } };
	struct modules ms;
	uint32_t good, replaced, gone;

	read_id("layout", &id);
	modules_init(&ms, &elsewhere);
	good = module_of(&ms, "layout", &id, 0);
	replaced = module_of(&ms, "layout", &other, 0);
	gone = module_of(&ms, "nonexistent", &id, 0);
	assert_int_equal(modules_find(&ms, good, 0x1010, &sym), 0);
	assert_string_equal(sym.name, "f");
	assert_null(ms.module[good].note);
	/* another file has its name now: its symbols would be wrong names */
	assert_int_equal(modules_find(&ms, replaced, 0x1010, &sym), -ENOENT);
	assert_non_null(strstr(ms.module[replaced].note, "replaced since the recording"));
	assert_int_equal(modules_find(&ms, gone, 0x1010, &sym), -ENOENT);
	assert_non_null(strstr(ms.module[gone].note, "not found"));
	modules_free(&ms);
}

/* Without build-id the inode must do, and only in the boot of the recording */
static void test_module_by_inode(void **state)
{
	struct elfsym_symbol sym;
	struct modules ms;
	uint32_t module;

	modules_init(&ms, &here);
	module = module_of(&ms, "layout", NULL, 1);
	assert_int_equal(modules_find(&ms, module, 0x1010, &sym), -ENOENT);
	modules_free(&ms);
	modules_init(&ms, &elsewhere);
	module = module_of(&ms, "layout", NULL, 1);
	assert_int_equal(modules_find(&ms, module, 0x1010, &sym), 0);
	modules_free(&ms);
}

/* Written to after the recording, in place: the same inode, and no build-id that could tell */
static void test_module_changed(void **state)
{
	struct module_origin past = here, now = here;
	struct elfsym_symbol sym;
	struct modules ms;
	struct stat st;
	uint32_t module;

	assert_int_equal(stat("layout", &st), 0);
	past.ended = st.st_mtime - 1;
	now.ended = st.st_mtime;
	modules_init(&ms, &past);
	module = module_of(&ms, "layout", NULL, st.st_ino);
	assert_int_equal(modules_find(&ms, module, 0x1010, &sym), -ENOENT);
	assert_non_null(strstr(ms.module[module].note, "changed since the recording"));
	modules_free(&ms);
	modules_init(&ms, &now);
	module = module_of(&ms, "layout", NULL, st.st_ino);
	assert_int_equal(modules_find(&ms, module, 0x1010, &sym), 0);
	modules_free(&ms);
}

/* Deleted when it was mapped; there is one of that build-id again */
static void test_module_deleted(void **state)
{
	struct elfsym_symbol sym;
	struct buildid id;
	struct modules ms;
	uint32_t module;

	read_id("layout", &id);
	modules_init(&ms, &here);
	module = module_of(&ms, "layout (deleted)", &id, 0);
	assert_int_equal(modules_find(&ms, module, 0x1010, &sym), 0);
	assert_string_equal(sym.name, "f");
	modules_free(&ms);
}

static void test_vdso(void **state)
{
	struct module_key key = { .pid = 1 };
	struct elfsym_symbol sym;
	struct modules ms;
	int64_t module;

	modules_init(&ms, &here);
	module = modules_number(&ms, &key, "[vdso]");
	modules_find(&ms, module, 0, &sym);
	assert_true(elfsym_count(ms.module[module].symbols) >= 4);
	assert_null(ms.module[module].note);
	modules_free(&ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_shared_object),	cmocka_unit_test(test_plt),
		cmocka_unit_test(test_debug_file),	cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_not_elf),		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_endless),		cmocka_unit_test(test_module_by_id),
		cmocka_unit_test(test_module_by_inode), cmocka_unit_test(test_module_changed),
		cmocka_unit_test(test_module_deleted),	cmocka_unit_test(test_vdso),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
