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

/* The same of a table of symbols in memory: one that lacks all else, or the program headers too */
int elfsym_add_debug_image(struct elfsym *es, void *image, size_t size);

/*
 * Takes a piece of code that no ELF file tells of, whose offset is its address; to be used for all
 * of it or none. -ENOMEM
 */
int elfsym_add_code(struct elfsym *es, uint64_t address, uint64_t size, const char *name);

/* To be called when all is added, and before the first search. -ENOMEM */
int elfsym_index(struct elfsym *es);

/* The address of what is at an offset in the file. 0, or -ENOENT */
int elfsym_address(const struct elfsym *es, uint64_t offset, uint64_t *address);

size_t elfsym_count(const struct elfsym *es);

/* 0, or -ENOENT. What is found lives as long as @es. */
int elfsym_find(const struct elfsym *es, uint64_t offset, struct elfsym_symbol *sym);

/* The address of a symbol of this name. 0, or -ENOENT */
int elfsym_named(const struct elfsym *es, const char *name, uint64_t *address);

/* Offsets that elfsym_find() has the same answer for; @end is the first behind them */
struct elfsym_range {
	uint64_t start, end;
};

/* Those around an offset */
void elfsym_range(const struct elfsym *es, uint64_t offset, struct elfsym_range *range);

/* The address, as the file has it, of what is at an offset in the file. 0, or -ENOENT */
int elfsym_address(const struct elfsym *es, uint64_t offset, uint64_t *address);

void elfsym_free(struct elfsym *es);

#endif
