/* SPDX-License-Identifier: MIT */
/* A file that is made from a recording: it gets its name when it is whole, and what was there stays till then */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stdio.h>

struct place {
	const char *command, *option; /* who writes it, and by which option it was named */
	const char *path;
	FILE *out;
	char *hidden; /* where it is until then; NULL: what there is, no regular file, is written to */
};

/* @read: what it is made from, which is no place for it. An exit code, the error is said */
int place_open(struct place *p, const char *read);

/* @code: how writing ended; if not with 0 nothing has become of the file. An exit code, as above */
int place_close(struct place *p, int code);

#endif
