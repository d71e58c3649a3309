/* SPDX-License-Identifier: MIT */
/* itt_table.h: rows by key, made of zeros when they are first asked for */
#ifndef ITT_TABLE_H
#define ITT_TABLE_H

#include "intern.h"

struct itt_table {
	size_t row_size;
	struct intern keys;
	struct buf rows; /* by number of the key */
};

/* The number of a key's row, or -ENOMEM */
static inline int64_t itt_table_number(struct itt_table *t, const void *key, uint32_t size)
{
	int64_t number = intern_number(&t->keys, key, size);

	if (number >= 0 && t->rows.size == (size_t)number * t->row_size) {
		if (buf_reserve(&t->rows, t->row_size))
			return -ENOMEM;
		memset(t->rows.data + t->rows.size, 0, t->row_size);
		t->rows.size += t->row_size;
	}
	return number;
}

/* A row by its number; valid until the next key */
static inline void *itt_table_at(const struct itt_table *t, uint32_t number)
{
	return t->rows.data + number * t->row_size;
}

/* The row of a key; valid until the next; NULL without memory */
static inline void *itt_table_row(struct itt_table *t, const void *key, uint32_t size)
{
	int64_t number = itt_table_number(t, key, size);

	return number < 0 ? NULL : itt_table_at(t, number);
}

static inline void itt_table_free(struct itt_table *t)
{
	intern_free(&t->keys);
	buf_free(&t->rows);
}

#endif
