// SPDX-License-Identifier: MIT
/* collector_format.c: a program's format with its arguments, none of which may harm the program */
#include <stdio.h>
#include <string.h>

#include "collector.h"

struct spec {
	char length[3]; /* "", "hh", "h", "l", "ll", "z", "j", "t", "L" */
	char type;
	int precision; /* -1: none */
};

/* Behind the '%'; returns the bytes, 0: it isn't one that is understood */
static size_t spec_read(const char *at, struct spec *spec)
{
	const char *from = at;
	size_t n;

	spec->precision = -1;
	at += strspn(at, "-+ #0");
	at += strspn(at, "0123456789");
	if (*at == '.') {
		spec->precision = 0;
		for (at++; *at >= '0' && *at <= '9'; at++)
			if (spec->precision < 1000)
				spec->precision = spec->precision * 10 + *at - '0';
	}
	n = strspn(at, "hlzjtL");
	if (n > 2)
		return 0;
	memcpy(spec->length, at, n);
	spec->length[n] = 0;
	spec->type = at[n];
	return strchr("diouxXcspfFeEgGaA%", spec->type) && spec->type ? at + n + 1 - from : 0;
}

static bool is_long(const struct spec *spec)
{
	return strchr("lzjt", spec->length[0]) && spec->length[0];
}

static int put_number(char *to, size_t room, const struct spec *spec, va_list *args)
{
	bool is_signed = spec->type == 'd' || spec->type == 'i';
	char format[] = { '%', 'l', 'l', is_signed ? 'd' : spec->type, 0 };
	long long n;

	if (is_long(spec))
		n = va_arg(*args, long long);
	else if (is_signed)
		n = va_arg(*args, int);
	else
		n = va_arg(*args, unsigned int);
	return snprintf(to, room, format, n);
}

/* A width and flags only matter for looks, and are left out */
static int put_real(char *to, size_t room, const struct spec *spec, va_list *args)
{
	char format[] = { '%', '.', '*', spec->type, 0 };
	int precision = spec->precision < 0 ? 6 : spec->precision < 40 ? spec->precision : 40;
	double d = spec->length[0] == 'L' ? (double)va_arg(*args, long double) :
					    va_arg(*args, double);

	return snprintf(to, room, format, precision, d);
}

static int put_text(char *to, size_t room, const struct spec *spec, va_list *args)
{
	const char *text = va_arg(*args, const char *);
	size_t max = spec->precision >= 0 && (size_t)spec->precision < room ?
			     (size_t)spec->precision :
			     room - 1;
	size_t n;

	if (spec->length[0])
		return 0; /* wide */
	text = text ? text : "(null)";
	n = strnlen(text, max);
	memcpy(to, text, n);
	return n;
}

static int put_one(char *to, size_t room, const struct spec *spec, va_list *args)
{
	switch (spec->type) {
	case '%':
		*to = '%';
		return 1;
	case 'c':
		*to = va_arg(*args, int);
		return *to != 0;
	case 's':
		return put_text(to, room, spec, args);
	case 'p':
		return snprintf(to, room, "%p", va_arg(*args, void *));
	case 'd':
	case 'i':
	case 'o':
	case 'u':
	case 'x':
	case 'X':
		return put_number(to, room, spec, args);
	default:
		return put_real(to, room, spec, args);
	}
}

size_t format_text(char *to, size_t room, const char *format, va_list from)
{
	size_t n = 0;
	va_list args;

	va_copy(args, from);
	while (*format && n < room - 1) {
		struct spec spec;
		size_t size = *format == '%' ? spec_read(format + 1, &spec) : 0;
		int more;

		if (*format == '%' && !size)
			break; /* what its arguments are isn't known, nor those of others behind it */
		if (!size) {
			to[n++] = *format++;
			continue;
		}
		format += 1 + size;
		more = put_one(to + n, room - n, &spec, &args);
		n += more < 0 ? 0 : (size_t)more < room - n ? (size_t)more : room - n - 1;
	}
	while (*format && n < room - 1)
		to[n++] = *format++;
	va_end(args);
	return n;
}
