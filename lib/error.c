// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>

#include <vsamp/error.h>

int vsamp_fail(struct vsamp_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	for (char *p = err->text; *p; p++)
		if (*p == '\n')
			*p = ' ';
	return code;
}
