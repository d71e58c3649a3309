/* SPDX-License-Identifier: MIT */
/* A collection that goes on from file to file, each of which is complete in itself */
#ifndef COLLECTION_PARTS_H
#define COLLECTION_PARTS_H

#include "collection.h"

/* Opens the first file */
int collection_parts_open(struct collection *c, struct vsamp_error *err);

/* Before the META of a file: what its targets are */
void collection_parts_begin(struct collection *c);

/* From now on the run goes on to further files */
void collection_parts_follow(struct collection *c, struct run *r);

/* The account of the last file, when that of the whole collection is settled */
void collection_parts_settle(struct collection *c, struct vsamp_recorder_totals *totals);

/* Of collection.c: whether there are several files */
bool collection_rotates(const struct collection *c);

/* META, and the kernel's symbols */
int collection_write_head(struct collection *c, const struct run *r, struct vsamp_writer *w,
			  struct vsamp_error *err);

/* END, of the file that is being written */
int collection_write_account(struct collection *c, struct vsamp_error *err);

#endif
