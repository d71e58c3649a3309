// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>

#include "say.h"

void say(const char *fmt, ...)
{
	va_list ap;

	flockfile(stderr);
	fputs("vsamp: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	funlockfile(stderr);
}
