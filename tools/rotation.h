/* SPDX-License-Identifier: MIT */
/* The files of a recording that goes on from one to the next: their names, and which of them are kept */
#ifndef ROTATION_H
#define ROTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "output.h"

struct rotation {
	const char *prefix; /* FILE: files are FILE.YYYYMMDDhhmmsscc, UTC, when they were begun */
	uint64_t every_ns;  /* 0: no rotation, there is but FILE */
	unsigned int keep;  /* complete files; 0: all */
	unsigned int parts; /* that are complete */
	uint64_t size;	    /* bytes in these */
	char *path,
		*last; /* of the file that is being written, and of the one before it; NULL: none */
};

/* Opens the next file as PATH.part; the one before is to be completed, or the next one is cancelled */
int rotation_open(struct rotation *r, struct output *out, struct vsamp_error *err);
void rotation_cancel(struct rotation *r, struct output *out);

/*
 * Closes a whole file, which gets its name, FILE becoming a link to it, and removes those that are too
 * many. What fails behind the name is only said.
 */
int rotation_complete(struct rotation *r, struct output *out, struct vsamp_error *err);

/* Removes the oldest complete file; false: there is none, or all are to be kept. *@arg is a rotation. */
bool rotation_make_room(void *arg);

void rotation_free(struct rotation *r);

#endif
