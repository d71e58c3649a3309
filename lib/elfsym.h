/* SPDX-License-Identifier: MIT */
/* elfsym.h: the symbols of code in an ELF file, by offset in the file */
#ifndef ELFSYM_H
#define ELFSYM_H

#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

struct elfsym;

struct elfsym_symbol {
	uint64_t start, end; /* addresses as the file has them */
	const char *name;
};

/* Begins with no symbols. -ENOMEM */
int elfsym_new(struct elfsym **es);

/* Reads the build-id of the file, if it has one. -EBADMSG: not an ELF file */
int elfsym_read_id(int fd, struct buildid *id);

/*
 * Takes the program headers and the symbols of a file. -EBADMSG: not an ELF file; -ENOMEM. Returns
 * 1 if there was a full symbol table, 0 if there was none, or just that of dynamic linking.
 */
int elfsym_add_file(struct elfsym *es, int fd);

/* The same of an image in memory, which must stay */
int elfsym_add_image(struct elfsym *es, void *image, size_t size);

/* Takes just the symbols of a separate debug file of what was added before */
int elfsym_add_debug(struct elfsym *es, int fd);

/* To be called when all is added, and before the first search. -ENOMEM */
int elfsym_index(struct elfsym *es);

size_t elfsym_count(const struct elfsym *es);

/* 0, or -ENOENT. What is found lives as long as @es. */
int elfsym_find(const struct elfsym *es, uint64_t offset, struct elfsym_symbol *sym);

void elfsym_free(struct elfsym *es);

#endif
