/* SPDX-License-Identifier: MIT */
/* debugfile.h: what was taken out of a stripped file, and is kept apart */
#ifndef DEBUGFILE_H
#define DEBUGFILE_H

#include <stdint.h>

#include "buf.h"
#include "buildid.h"

/* A file whose other half is looked for */
struct debugfile_of {
	int fd;
	const char *path;
	uint32_t pid; /* the process in whose root that is; 0: ours */
	struct buildid id;
};

#define DEBUGFILE_HERE	 (1U << 0) /* on this machine */
#define DEBUGFILE_SERVER (1U << 1) /* debuginfod, if it is configured (DEBUGINFOD_URLS) */

/*
 * Tries debug files, until @take returns other than 0, which is returned, else 0. Each has the
 * build-id of the file, also if that is none; what its .gnu_debuglink names has the checksum too.
 */
int debugfile_each(const struct debugfile_of *of, unsigned int where,
		   int (*take)(void *arg, int fd), void *arg);

/* Reads the file's own small table of symbols, .gnu_debugdata. 0, -ENOENT, -EBADMSG, -ENOMEM */
int debugfile_mini(int fd, struct buf *image);

#endif
