/* SPDX-License-Identifier: MIT */
/* mkitt.h: makes ITT records for tests, call by call */
#ifndef MKITT_H
#define MKITT_H

#include <vsamp/itt_record.h>

#include "../../lib/buf.h"

/* The records of a thread */
struct mkitt {
	struct vsamp_itt_thread thread;
	struct buf records;
};

static inline void mkitt_call(struct mkitt *to, struct vsamp_itt_call call)
{
	int n;

	assert_int_equal(buf_reserve(&to->records, VSAMP_ITT_RECORD_MAX + 8), 0);
	n = vsamp_itt_encode(to->records.data + to->records.size, &call);
	assert_true(n > 0);
	to->records.size += n;
}

static inline void mkitt_text(struct mkitt *to, uint8_t type, uint32_t handle, const char *text)
{
	uint64_t space[(sizeof(struct vsamp_itt_text) + VSAMP_ITT_TEXT_MAX) / 8 + 1] = { 0 };
	struct vsamp_itt_text *body = (void *)space;

	body->length = strlen(text);
	memcpy(body->text, text, body->length);
	mkitt_call(to, (struct vsamp_itt_call){ .type = type,
						.handle = handle,
						.body = body,
						.body_size = sizeof(*body) + body->length });
}

static inline void mkitt_string(struct mkitt *to, uint32_t handle, const char *text)
{
	mkitt_text(to, VSAMP_ITT_STRING, handle, text);
}

static inline void mkitt_write(struct vsamp_writer *w, const struct mkitt *from)
{
	assert_int_equal(
		vsamp_writer_itt(w, &from->thread, from->records.data, from->records.size, NULL),
		0);
}

#endif
