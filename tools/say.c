// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "escape.h"
#include "say.h"

void say(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	fputs("vsamp: ", stderr);
	escape_print(stderr, n < 0 ? fmt : text, 0);
	fputc('\n', stderr);
	if (n >= 0)
		free(text);
}
