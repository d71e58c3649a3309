/* SPDX-License-Identifier: MIT */
/* demangle.h: names of C++ and Rust as their sources have them */
#ifndef NAMES_DEMANGLE_H
#define NAMES_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_MAX 16384

/* Whether the name may be a mangled one at all, told without much work */
bool demangle_wanted(const char *name);

/*
 * Writes the name as the source has it, and a zero, to @out, which has DEMANGLE_MAX bytes. false:
 * it isn't mangled, or would make more; or it is so long, or so deeply nested, that no compiler
 * made it.
 */
bool demangle(const char *name, char *out);

#endif
