/* SPDX-License-Identifier: MIT */
/* lines.h: which line of a source each piece of code was made from */
#ifndef LINES_H
#define LINES_H

#include <stdint.h>

struct lines;

/* -ENOMEM */
int lines_new(struct lines **l);
void lines_free(struct lines *l);

/* A row of code that goes from line to line begins; rows overlap only where tables are broken */
int lines_begin(struct lines *l);

/* The number of a file for lines_add(); -ENOMEM */
int64_t lines_file(struct lines *l, const char *name);

/* From @address on, which doesn't fall, up to the next or to the end of the row. -ENOMEM */
int lines_add(struct lines *l, uint64_t address, uint32_t file, uint32_t line);

/* The row ends before @address */
void lines_end(struct lines *l, uint64_t address);

/* To be called when all is added, and before the first search */
void lines_index(struct lines *l);

/* 0, or -ENOENT. *file lives as long as @l. */
int lines_find(const struct lines *l, uint64_t address, const char **file, uint32_t *line);

/*
 * Takes the tables of an ELF file's debug information: 1, or 0 if there are none or they can't be
 * read; -ENOMEM
 */
int lines_add_file(struct lines *l, int fd);

#endif
