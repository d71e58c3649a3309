// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "escape.h"
#include "number.h"

static const char pairs[] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536"
	"37383940414243444546474849505152535455565758596061626364656667686970717273"
	"7475767778798081828384858687888990919293949596979899";

size_t number_whole(char text[NUMBER_MAX], uint64_t n)
{
	char digits[NUMBER_MAX], *at = digits + sizeof(digits);
	size_t length;

	for (; n >= 100; n /= 100) {
		at -= 2;
		memcpy(at, &pairs[n % 100 * 2], 2);
	}
	if (n >= 10) {
		at -= 2;
		memcpy(at, &pairs[n * 2], 2);
	} else {
		*--at = '0' + n;
	}
	length = digits + sizeof(digits) - at;
	memcpy(text, at, length);
	return length;
}

void number_zeros(char *text, uint32_t n, size_t digits)
{
	for (; digits >= 2; n /= 100) {
		digits -= 2;
		memcpy(text + digits, &pairs[n % 100 * 2], 2);
	}
	if (digits)
		*text = '0' + n % 10;
}

size_t number_fixed(char text[NUMBER_MAX], double value, size_t digits)
{
	uint32_t unit = digits == 1 ? 10 : digits == 2 ? 100 : 1000, n;
	double scaled = value * unit;
	size_t length;

	if (!(scaled >= 0 && scaled < 1e9) || signbit(value) ||
	    fabs(scaled - floor(scaled) - 0.5) < 1e-6)
		return 0;
	n = scaled + 0.5;
	length = number_whole(text, n / unit);
	text[length++] = '.';
	number_zeros(text + length, n % unit, digits);
	return length + digits;
}

void number_print(FILE *out, const char *text, size_t length, size_t width)
{
	escape_blanks(out, width > length ? width - length : 0);
	fwrite_unlocked(text, 1, length, out);
}
