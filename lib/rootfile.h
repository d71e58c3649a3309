/* SPDX-License-Identifier: MIT */
/* rootfile.h: opens files, of this root or of that which a process has */
#ifndef ROOTFILE_H
#define ROOTFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Opens a regular file for reading, and nothing that could make us wait. @pid: in the root of this
 * process, which no link leads out of; 0: ours. The file, whose state is put into @st, or -1.
 */
int rootfile_open(uint32_t pid, const char *path, struct stat *st);

/*
 * Whether a file that anybody may make may tell something about a process: it is root's, ours, or
 * of the user whose process @pid is (0: it ended).
 */
bool rootfile_trusted(const struct stat *st, uint32_t pid);

/* Whether the process with this number began before @realtime (in s), so that it may be meant */
bool rootfile_lives(uint32_t pid, uint64_t realtime);

#endif
