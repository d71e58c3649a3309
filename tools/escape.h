/* SPDX-License-Identifier: MIT */
/* escape.h: names out of a file, fit for a terminal */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Columns that escape_print() takes */
size_t escape_width(const char *s);

/* Prints @s, what would steer a terminal as '?', padded to @width columns */
void escape_print(FILE *out, const char *s, size_t width);

/* Whether that prints @s as it is */
bool escape_clean(const char *s);

/* So many blanks */
void escape_blanks(FILE *out, size_t n);

#endif
