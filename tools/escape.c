// SPDX-License-Identifier: MIT
/* escape.c: names out of a file, fit for a terminal */
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

/* Bytes up to the first that steers, or to the end */
static size_t clean_length(const char *s)
{
	const char *end = s;

	/* most are plain ASCII */
	while ((*end > 0x1f && *end < 0x7f) || (*end && !steers(end)))
		end++;
	return end - s;
}

bool escape_clean(const char *s)
{
	return !s[clean_length(s)];
}

void escape_blanks(FILE *out, size_t n)
{
	static const char blanks[64] =
		"                                                                ";

	for (; n > sizeof(blanks); n -= sizeof(blanks))
		fwrite_unlocked(blanks, 1, sizeof(blanks), out);
	fwrite_unlocked(blanks, 1, n, out);
}

void escape_print(FILE *out, const char *s, size_t width)
{
	size_t columns = width ? escape_width(s) : 0, clean = clean_length(s);

	/* most names are as they should be */
	fwrite_unlocked(s, 1, clean, out);
	for (s += clean; *s; s++) {
		bool bad = steers(s);

		putc(bad ? '?' : *s, out);
		if (bad && (*s & 0x80))
			s++;
	}
	if (columns < width)
		escape_blanks(out, width - columns);
}
