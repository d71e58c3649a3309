/* SPDX-License-Identifier: MIT */
/* buf.h: a growing row of bytes */
#ifndef BUF_H
#define BUF_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct buf {
	uint8_t *data;
	size_t size;
	size_t room;
};

/* Makes room for @more bytes. 0 or -ENOMEM. */
static inline int buf_reserve(struct buf *b, size_t more)
{
	size_t room = b->room ? b->room : 256;
	uint8_t *data;

	if (more <= b->room - b->size)
		return 0;
	if (more > SIZE_MAX / 4 - b->size)
		return -ENOMEM;
	while (room < b->size + more)
		room *= 2;
	data = realloc(b->data, room);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

static inline int buf_add(struct buf *b, const void *data, size_t size)
{
	int ret = buf_reserve(b, size);

	if (ret)
		return ret;
	if (size)
		memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static inline void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

#endif
