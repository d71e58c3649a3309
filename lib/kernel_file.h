/* SPDX-License-Identifier: MIT */
/* kernel_file.h: finds the file that a kernel was booted from, with its symbols */
#ifndef KERNEL_FILE_H
#define KERNEL_FILE_H

#include "kallsyms.h"

#include <vsamp/annotate.h>

/* A symbol of the kernel whose code is asked for */
struct kernel_code {
	const struct kallsyms *kallsyms;
	const char *release; /* of the kernel */
	const char *module;  /* KALLSYMS_KERNEL, or "[NAME]" */
	const struct buildid *id;
	const char *path; /* of its file; NULL: to be looked for */
	const char *symbol;
	uint64_t start; /* of the symbol, as it ran */
	bool pieces;	/* there are several of this name */
};

/*
 * Opens the file with the code, whose addresses are less by @shift, modulo 2^64, and tells the section;
 * or tells why there is none. 0 or -ENOMEM
 */
int kernel_code_open(const struct kernel_code *k, struct vsamp_code *code, uint64_t *shift);

/* kernel_module.c: the path of a module's file below @root ("/lib/modules"), by modules.dep; -ENOENT */
int kernel_module_path(const char *root, const char *release, const char *module, char *path,
		       size_t size);

/* Where a file that isn't linked has a symbol; -ENOENT: it has none of the name, or several */
int kernel_module_symbol(int fd, const char *name, uint64_t *value, char section[64]);

/*
 * The uncompressed image of this build-id, to be closed: @path, or if that is NULL where distributions
 * have that release's. -ENOENT
 */
int kernel_file_open(const struct buildid *id, const char *path, const char *release);

/*
 * How far the running kernel was from the addresses that its file has (KASLR), modulo 2^64. 0;
 * -ENOENT: the file or the snapshot doesn't tell; -ENOMEM
 */
int kernel_file_shift(int fd, const struct kallsyms *k, uint64_t *shift);

#endif
