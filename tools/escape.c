// SPDX-License-Identifier: MIT
/* escape.c: names out of a file, fit for a terminal */
#include <stdbool.h>

#include "escape.h"

/* Bytes that follow the first of a character in UTF-8 */
static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

size_t escape_width(const char *s)
{
	size_t width = 0;

	for (; *s; s++)
		width += !continues(*s);
	return width;
}

/* Control characters: those of ASCII, and U+0080 to U+009F */
static bool steers(const char *s)
{
	unsigned char c = s[0], next = s[1];

	return c < 0x20 || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

void escape_print(FILE *out, const char *s, size_t width)
{
	size_t columns = 0;

	for (; *s; s++) {
		bool bad = steers(s);

		columns += !continues(*s);
		putc(bad ? '?' : *s, out);
		if (bad && (*s & 0x80))
			s++;
	}
	for (; columns < width; columns++)
		putc(' ', out);
}
