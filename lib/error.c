// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <vsamp/error.h>

/* Names of processes and files come from anybody: nothing of them may steer a terminal */
static void text_calm(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++) {
		if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0)
			memset(p, '?', 2);
		else if (*p == '\n')
			*p = ' ';
		else if (*p < 0x20 || *p == 0x7f)
			*p = '?';
	}
}

int vsamp_fail(struct vsamp_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	text_calm(err->text);
	return code;
}
