// SPDX-License-Identifier: MIT
/* Names of C++ and Rust, beside what nm -C makes of the same symbols */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demangle.h"
#include "need.h"

/* Each as its compiler writes it, and as its source has it */
static const struct {
	const char *mangled, *source;
} known[] = {
	{ "_ZN3foo3barEiPKc", "foo::bar(int, char const*)" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)" },
	{ "_ZN1AC2Ev", "A::A()" },
	{ "_ZThn16_N1A1fEv", "non-virtual thunk to A::f()" },
	{ "_ZN4coreCs_3foo", NULL }, /* neither's */
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const" },
	{ "_Z1fv.cold", "f() [clone .cold]" },
	{ "_Z4putsPKc@plt", "puts(char const*)@plt" },
	/* Rust's older names end in a hash, which is left out */
	{ "_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
	  "core::fmt::Formatter::write_str" },
	{ "_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	  "<Test + 'static as foo::Bar<Test>>::bar" },
	/* and its newer ones have types */
	{ "_RNvNtNtCs1234_7mycrate3foo3bar3baz", "mycrate::foo::bar::baz" },
	{ "_RINvCs4fqI2P2rA04_11namespacing4implANtB2_3FooE", NULL },
	{ "_RNvC6_123foo3bar", "123foo::bar" },
	{ "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
	  "utf8_idents::\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xad\xe1\x83\x9b\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x90\xe1\x83\x93_\xe1\x83\x92\xe1\x83\x94\xe1\x83\x9b\xe1\x83\xa0\xe1\x83\x98\xe1\x83\x94\xe1\x83\x9a\xe1\x83\x98_\xe1\x83\xa1\xe1\x83\x90\xe1\x83\x93\xe1\x83\x98\xe1\x83\x9a\xe1\x83\x98" },
	{ "main", NULL },
	{ "_start", NULL },
	{ "_Z", NULL },
	{ "_R", NULL },
	{ "@plt", NULL },
	{ "", NULL },
};

static void test_known(void **state)
{
	char out[DEMANGLE_MAX];

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		bool ok = demangle(known[i].mangled, out);

		if (ok != (known[i].source != NULL))
			fail_msg("%s: %s", known[i].mangled, ok ? out : "no name");
		if (ok)
			assert_string_equal(out, known[i].source);
	}
}

/* All that the C++ library exports: "MANGLED NAME" a line, nm's own work */
static void test_library(void **state)
{
	static const char list[] =
		"lib=$(ldconfig -p | sed -n 's/.*=> \\(.*libstdc++.so.6\\)$/\\1/p' | head -1);"
		"nm -D --without-symbol-versions --defined-only $lib >/tmp/vsamp-nm-$$;"
		"nm -DC --without-symbol-versions --defined-only $lib |"
		"paste -d '\\t' /tmp/vsamp-nm-$$ - | sed -n 's/^[0-9a-f]* . \\([^\\t]*\\)\\t[0-9a-f]* . /\\1\\t/p';"
		"rm /tmp/vsamp-nm-$$";
	char line[65536], out[DEMANGLE_MAX];
	int names = 0;
	FILE *f;

	NEED_TOOL("nm");
	f = popen(list, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		char *expect = strchr(line, '\t');

		assert_non_null(expect);
		*expect++ = '\0';
		expect[strcspn(expect, "\n")] = '\0';
		assert_string_equal(demangle(line, out) ? out : line, expect);
		names += line[0] == '_' && line[1] == 'Z';
	}
	assert_int_equal(pclose(f), 0);
	assert_in_range(names, 3000, 1000000);
}

static char *append(char *at, const char *text, int times)
{
	while (times-- > 0)
		at = stpcpy(at, text);
	return at;
}

/* The number of a back reference of Rust's */
static char *reference(char *at, unsigned int position)
{
	static const char digit[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

	if (position > 62)
		*at++ = digit[(position - 1) / 62];
	if (position)
		*at++ = digit[(position - 1) % 62];
	*at++ = '_';
	*at = '\0';
	return at;
}

/* Names that are made to take all of the stack, of memory, or of the time there is */
static void test_hostile(void **state)
{
	static char name[300000];
	char out[DEMANGLE_MAX], *at;

	alarm(10);
	append(stpcpy(name, "_Z1f"), "P", 200000);
	assert_false(demangle(name, out));
	append(stpcpy(name, "_Z1f"), "P", 8000);
	assert_false(demangle(name, out));
	append(append(append(stpcpy(name, "_Z1f"), "1aI", 900), "i", 1), "E", 900);
	demangle(name, out);
	append(stpcpy(name, "_RNvC"), "9", 8000);
	assert_false(demangle(name, out));
	/* each tuple is twice the one before: 2^40 of the first */
	at = stpcpy(name, "_RINvC1a1bThhE");
	for (unsigned int last = strlen("INvC1a1b"), i = 0; i < 40; i++) {
		unsigned int here = at - name - strlen("_R");

		at = stpcpy(at, "TB");
		at = stpcpy(reference(at, last), "B");
		at = stpcpy(reference(at, last), "E");
		last = here;
	}
	strcpy(at, "E");
	assert_false(demangle(name, out));
	strcpy(strchr(strchr(name, 'E') + 1, 'E') + 1, "E");
	assert_true(demangle(name, out));
	assert_string_equal(out, "a::b::<(u8, u8), ((u8, u8), (u8, u8))>");
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_library),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
