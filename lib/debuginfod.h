/* SPDX-License-Identifier: MIT */
/* debuginfod.h: files from a debuginfod server, by build-id */
#ifndef DEBUGINFOD_H
#define DEBUGINFOD_H

#include "buildid.h"

enum debuginfod_kind { DEBUGINFOD_DEBUG, DEBUGINFOD_EXECUTABLE };

/*
 * Asks the servers that DEBUGINFOD_URLS names, through the client of elfutils if it is installed;
 * what they sent once is kept in its cache. The open file, or -1. After servers couldn't be reached
 * they aren't asked again. Not for several threads at a time.
 */
int debuginfod_open(const struct buildid *id, enum debuginfod_kind kind);

/* Why the servers that are configured can't be asked; NULL: they can, or there are none */
const char *debuginfod_trouble(void);

#endif
