// SPDX-License-Identifier: MIT
/* Lines of sources, beside what addr2line says of the same addresses */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lines.h"
#include "module.h"

static char dir[] = "/tmp/vsamp-lines-XXXXXX";

static void run(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
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

static int setup(void **state)
{
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	run("mkdir include sub");
	put("include/inlined.h",
	    "static inline int twice(int x)\n{\n\treturn x + x * (x ^ 3);\n}\n\n"
	    "static inline int deep(int x)\n{\n\treturn twice(x) - twice(x + 1);\n}\n");
	put("main.c",
	    "#include \"include/inlined.h\"\n#include <stdlib.h>\nint other(int);\n"
	    "int unused(int x)\n{\n\treturn x + rand() + rand() * rand();\n}\n"
	    "__attribute__((noinline)) static int loop(int n)\n{\n\tint sum = 0;\n\n"
	    "\tfor (int i = 0; i < n; i++) {\n\t\tif (i & rand())\n\t\t\tsum += deep(i);\n"
	    "\t\telse\n\t\t\tsum ^= twice(i);\n\t}\n\treturn sum;\n}\n"
	    "int main(int argc, char **argv)\n{\n\treturn loop(argc) + other(argc);\n}\n");
	put("sub/other.c", "#include \"../include/inlined.h\"\nint other(int x)\n{\n"
			   "#line 7 \"from.y\"\n\tx = deep(x);\n\treturn x * 3 + deep(x);\n}\n");
	return 0;
}

static int teardown(void **state)
{
	run("rm -r %s", dir);
	return 0;
}

static struct lines *load(const char *name, int expect)
{
	int fd = open(name, O_RDONLY);
	struct lines *l;

	assert_true(fd >= 0);
	assert_int_equal(lines_new(&l), 0);
	assert_int_equal(lines_add_file(l, fd), expect);
	lines_index(l);
	close(fd);
	return l;
}

/* Both have the folder in front, whatever ours is now; it may have . and .. in it */
static void expect_same(const char *name, uint64_t address, const char *file, uint32_t line,
			char *theirs)
{
	char a[PATH_MAX], b[PATH_MAX], *colon = strrchr(theirs, ':');

	theirs[strcspn(theirs, " \n")] = '\0';
	if (!strncmp(theirs, "??", 2) || colon[1] == '?' || !strcmp(colon, ":0")) {
		if (file)
			fail_msg("%s %" PRIx64 ": %s:%u, not %s", name, address, file, line,
				 theirs);
		return;
	}
	*colon = '\0';
	if (!file || *file != '/' || line != strtoul(colon + 1, NULL, 10) ||
	    strcmp(realpath(file, a) ? a : file, realpath(theirs, b) ? b : theirs))
		fail_msg("%s %" PRIx64 ": %s:%u, not %s:%s", name, address, file ? file : "none",
			 line, theirs, colon + 1);
}

/* Each byte of .text; returns how many have a line */
static int compare(const char *name)
{
	struct lines *l = load(name, 1);
	char command[512], text[PATH_MAX];
	uint64_t start, size;
	int known = 0;
	FILE *f;

	snprintf(command, sizeof(command), "objdump -h %s | awk '$2 == \".text\" { print $4, $3 }'",
		 name);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%" SCNx64 " %" SCNx64, &start, &size), 2);
	pclose(f);
	snprintf(command, sizeof(command),
		 "seq -f %%.0f %" PRIu64 " %" PRIu64 " | xargs printf '%%x\\n' | addr2line -e %s",
		 start, start + size - 1, name);
	f = popen(command, "r");
	for (uint64_t at = start; at < start + size; at++) {
		const char *file = NULL;
		uint32_t line = 0;

		known += !lines_find(l, at, &file, &line);
		assert_non_null(fgets(text, sizeof(text), f));
		expect_same(name, at, file, line, text);
	}
	pclose(f);
	lines_free(l);
	return known;
}

/* As compilers make them, in every version, packed, and with code that was left out */
static void test_compilers(void **state)
{
	static const char *const how[] = {
		"gcc -O2 -gdwarf-5",
		"gcc -O2 -gdwarf-4",
		"gcc -O0 -gdwarf-3",
		"gcc -O2 -g -gz -shared -fPIC",
		"gcc -O2 -g -static -no-pie",
		"gcc -O2 -g -ffunction-sections -Wl,--gc-sections",
		"clang -O2 -gdwarf-5",
		"clang -O1 -gdwarf-4 -ffunction-sections -Wl,--gc-sections",
		"gcc -O2 -gdwarf-4 -flto",
	};

	for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++) {
		run("mkdir -p build && cd build && %s -o ../program ../main.c ../sub/other.c",
		    how[i]);
		assert_in_range(compare("program"), 100, 100000);
	}
}

/*
 * A library of many files, with code that the compiler put far away from the rest: that which is
 * tested. addr2line takes the file of a line from elsewhere at times, so: the lines.
 */
static void test_library(void **state)
{
	struct lines *l;
	char library[PATH_MAX];
	int known = 0, count = 0, line;
	uint64_t address;
	FILE *f;

	assert_in_range(readlink("/proc/self/exe", library, sizeof(library)), 1, PATH_MAX - 1);
	strcpy(strstr(library, "/tests/unit/"), "/libvsamp.so.0");
	if (access(library, R_OK)) {
		print_message("%s: not built\n", library);
		skip();
	}
	l = load(library, 1);
	/* ADDRESS, then FILE:LINE */
	run("nm %s | awk '$2 ~ /^[tT]$/ { print $1 }' | addr2line -a -e %s |"
	    "sed -n 's/^0x//; h; n; s/.*:\\([0-9?]*\\).*/\\1/; s/?/0/; H; x; s/\\n/ /; p' >lines",
	    library, library);
	f = fopen("lines", "r");
	while (fscanf(f, "%" SCNx64 " %d", &address, &line) == 2) {
		const char *file;
		uint32_t ours = 0;

		known += !lines_find(l, address, &file, &ours);
		count++;
		if (ours != (uint32_t)line)
			fail_msg("%" PRIx64 ": line %u, not %d", address, ours, line);
	}
	fclose(f);
	lines_free(l);
	assert_in_range(count, 500, 100000);
	assert_true(known > count / 2);
}

/*
 * A row behind the last instruction of a piece of code, as compilers make it behind what doesn't
 * return: what goes on elsewhere doesn't begin there. Another file's code is in between.
 */
static void test_far(void **state)
{
	put("far.c",
	    "int other(int);\n"
	    "__attribute__((noreturn, section(\".text.unlikely\"))) void far(void)\n{\n"
	    "\t__asm__ volatile(\"nop\\n\\t.loc 1 4242\");\n\t__builtin_unreachable();\n}\n"
	    "int near(int x)\n{\n\tif (x == 7)\n\t\tfar();\n\treturn other(x) * x;\n}\n"
	    "int main(int argc, char **argv)\n{\n\treturn near(argc);\n}\n");
	run("gcc -O1 -g -o program sub/other.c far.c");
	assert_in_range(compare("program"), 30, 1000);
}

static void test_none(void **state)
{
	struct lines *l;
	const char *file;
	uint32_t line;

	run("gcc -O2 -o none main.c sub/other.c && strip none");
	l = load("none", 0);
	assert_int_equal(lines_find(l, 0x1100, &file, &line), -ENOENT);
	lines_free(l);
	put("text", "no ELF file");
	lines_free(load("text", 0));
}

/* Strings that have no end: what is behind them isn't theirs */
static void test_endless(void **state)
{
	run("gcc -O2 -gdwarf-5 -o endless main.c sub/other.c");
	lines_free(load("endless", 1));
	run("readelf -SW endless | sed -n 's/.*\\.debug_line_str *PROGBITS *[0-9a-f]* \\([0-9a-f]*\\) \\([0-9a-f]*\\) .*/\\1 \\2/p' |"
	    "{ read -r at size && printf x | dd of=endless bs=1 seek=$((0x$at + 0x$size - 1)) "
	    "conv=notrunc status=none; }");
	lines_free(load("endless", 0));
}

/* Rows as they are told; nothing before, between and behind them */
static void test_rows(void **state)
{
	const char *file;
	struct lines *l;
	uint32_t line;
	int64_t a, b;

	assert_int_equal(lines_new(&l), 0);
	a = lines_file(l, "a");
	b = lines_file(l, "b");
	lines_begin(l);
	lines_add(l, 0x200, b, 5);
	lines_end(l, 0x210);
	lines_begin(l);
	lines_add(l, 0x100, a, 1);
	lines_add(l, 0x104, a, 2);
	lines_add(l, 0x104, b, 3); /* of the same address the last */
	lines_add(l, 0x108, b, 0); /* the compiler's own */
	lines_end(l, 0x110);
	lines_begin(l);
	lines_end(l, 0x300); /* empty */
	lines_index(l);
	assert_int_equal(lines_find(l, 0xff, &file, &line), -ENOENT);
	assert_int_equal(lines_find(l, 0x103, &file, &line), 0);
	assert_string_equal(file, "a");
	assert_int_equal(line, 1);
	assert_int_equal(lines_find(l, 0x104, &file, &line), 0);
	assert_string_equal(file, "b");
	assert_int_equal(line, 3);
	assert_int_equal(lines_find(l, 0x108, &file, &line), -ENOENT);
	assert_int_equal(lines_find(l, 0x110, &file, &line), -ENOENT);
	assert_int_equal(lines_find(l, 0x20f, &file, &line), 0);
	assert_int_equal(line, 5);
	assert_int_equal(lines_find(l, 0x210, &file, &line), -ENOENT);
	lines_free(l);
}

/* Through the module, by offset in the file; the lines are in its debug file */
static void test_module(void **state)
{
	static const struct module_origin elsewhere;
	struct module_key key = { .pid = 1 };
	struct modules ms;
	char text[256], path[256];
	uint64_t address, load_at, offset;
	const char *file;
	int64_t module;
	uint32_t line;
	FILE *f;

	run("gcc -O2 -g -static -no-pie -Wl,-Ttext-segment=0x500000 -o static main.c sub/other.c");
	run("objcopy --only-keep-debug static static.debug && strip static &&"
	    "objcopy --add-gnu-debuglink=static.debug static");
	f = popen("nm static.debug | awk '$3 == \"loop\" { print $1 }'; readelf -lW static |"
		  "awk '/LOAD.* E / { print $3, $2 }'",
		  "r");
	assert_int_equal(fscanf(f, "%" SCNx64 "%" SCNx64 "%" SCNx64, &address, &load_at, &offset),
			 3);
	pclose(f);
	assert_true(load_at != offset);
	snprintf(text, sizeof(text), "addr2line -e static.debug %" PRIx64, address);
	f = popen(text, "r");
	assert_non_null(fgets(text, sizeof(text), f));
	pclose(f);
	modules_init(&ms, &elsewhere);
	snprintf(path, sizeof(path), "%s/static", dir);
	module = modules_number(&ms, &key, path);
	assert_int_equal(modules_line(&ms, module, address - load_at + offset, &file, &line), 0);
	expect_same("static", address, file, line, text);
	assert_null(ms.module[module].note);
	modules_free(&ms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compilers), cmocka_unit_test(test_library),
		cmocka_unit_test(test_far),	  cmocka_unit_test(test_endless),
		cmocka_unit_test(test_none),	  cmocka_unit_test(test_rows),
		cmocka_unit_test(test_module),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
