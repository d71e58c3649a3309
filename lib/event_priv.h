/* SPDX-License-Identifier: MIT */
#ifndef EVENT_PRIV_H
#define EVENT_PRIV_H

#include <stddef.h>

#include <vsamp/event.h>

/* The characters of @name that matter, in lower case; truncated to @size */
void event_name_fold(char *out, size_t size, const char *name);

/* Row of the table with this name or alias, or with this encoding; NULL = none */
const struct vsamp_event_info *event_table_find(const char *name);
const struct vsamp_event_info *event_table_find_config(uint64_t config);

/* Up to three known names that look like @name, "A, B or C"; "" = none */
void event_near(char *out, size_t size, const char *name);

/* Encoding by libpfm4. -ENOENT: it knows no such event; other errors are final. */
int event_pfm_encode(const char *name, uint64_t *config, struct vsamp_error *err);

#endif
