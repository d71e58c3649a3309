/* SPDX-License-Identifier: MIT */
/* Which of the processes that told something are those that are recorded */
#ifndef ITT_SCOPE_H
#define ITT_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

/* @options: struct options, with its cgroups opened. Of what has ended meanwhile less may be known. */
bool itt_scope_has(void *options, uint32_t pid);

/* Likewise, by what is in another folder than /proc */
bool itt_scope_look(const void *options, uint32_t pid, const char *proc);

#endif
