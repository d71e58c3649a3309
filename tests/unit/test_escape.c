// SPDX-License-Identifier: MIT
/* Names of processes and files come from anybody: nothing of them steers the terminal */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <vsamp/error.h>

#include "escape.h"
#include "say.h"

static const struct {
	const char *text;
	const char *printed;
	size_t width;
	const char *error; /* the same in an error's text */
} row[] = {
	{ "plain", "plain", 5, "plain" },
	{ "\033[2J\033]0;x\a", "?[2J?]0;x?", 10, "?[2J?]0;x?" },
	{ "a\r\nb\tc\b", "a??b?c?", 7, "a? b?c?" },
	{ "\x7f", "?", 1, "?" },
	{ "\xc2\x9b"
	  "1m",
	  "?1m", 3, "??1m" }, /* U+009B, which terminals take for ESC [ */
	{ "\xc2\xa0", "\xc2\xa0", 1, "\xc2\xa0" },
	{ "gr\xc3\xb6\xc3\x9f"
	  "e",
	  "gr\xc3\xb6\xc3\x9f"
	  "e",
	  5,
	  "gr\xc3\xb6\xc3\x9f"
	  "e" },
	{ "\xc2", "\xc2", 1, "\xc2" }, /* cut off */
};

static void printed(void **state)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		escape_print(out, row[i].text, 0);
		fclose(out);
		assert_string_equal(text, row[i].printed);
		assert_int_equal(escape_width(row[i].text), row[i].width);
		free(text);
	}
}

static void errors(void **state)
{
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct vsamp_error err;

		assert_int_equal(vsamp_fail(&err, -5, "%s", row[i].text), -5);
		assert_string_equal(err.text, row[i].error);
	}
}

static void said(void **state)
{
	FILE *saved = stderr;
	char *text;
	size_t size;

	stderr = open_memstream(&text, &size);
	say("%s: %d", "\033c", 5);
	fclose(stderr);
	stderr = saved;
	assert_string_equal(text, "vsamp: ?c: 5\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(printed),
		cmocka_unit_test(errors),
		cmocka_unit_test(said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
