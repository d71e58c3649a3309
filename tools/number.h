/* SPDX-License-Identifier: MIT */
/* number.h: numbers as text without printf(), which takes most of the time where lines are many */
#ifndef NUMBER_H
#define NUMBER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define NUMBER_MAX 20 /* digits of a whole number */

/* Digits of a number, without a zero behind them; how many */
size_t number_whole(char text[NUMBER_MAX], uint64_t n);

/* So many digits, with zeros in front; @n has no more */
void number_zeros(char *text, uint32_t n, size_t digits);

/*
 * As "%.*f" has it, likewise; 0: the number is negative, too large for this, or so near between two
 * that printf() has to round it. @digits: 1 to 3
 */
size_t number_fixed(char text[NUMBER_MAX], double value, size_t digits);

/* Prints such a text on the right of so many columns */
void number_print(FILE *out, const char *text, size_t length, size_t width);

#endif
