/* SPDX-License-Identifier: MIT */
/* itt_output.h: files that programs told to without a recorder */
#ifndef ITT_OUTPUT_READ_H
#define ITT_OUTPUT_READ_H

#include <stdbool.h>

#include <vsamp/file.h>

/* Whether an open file is one */
bool itt_output_is(int fd);

/*
 * Makes the spool that it stands for, in a new folder, which is the caller's to remove; *@dir receives
 * its name. @name is the file's, for messages. Of mkdtemp(3), read(2), write(2); -ENOMEM
 */
int itt_output_unpack(int fd, const char *name, char *dir, size_t size, struct vsamp_error *err);

/* itt_alone.c: vsamp_reader_open() of one */
int itt_output_reader(struct vsamp_reader **r, const char *path, struct vsamp_error *err);

#endif
