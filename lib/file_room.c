// SPDX-License-Identifier: MIT
/* file_room.c: what is done where the disk is full */
#include <errno.h>

#include "file_writer.h"

void vsamp_writer_on_full(struct vsamp_writer *w, bool (*make_room)(void *arg), void *arg)
{
	w->make_room = make_room;
	w->room_arg = arg;
}

bool writer_made_room(const struct vsamp_writer *w, int code)
{
	return (code == ENOSPC || code == EDQUOT) && w->make_room && w->make_room(w->room_arg);
}
