/* SPDX-License-Identifier: MIT */
/*
 * module.h: the files that processes had mapped, and the names of what is in them
 *
 * A module is told by its path and its build-id, or device and inode where a recording has no
 * build-id. Its symbols are read when a name is first asked for.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "buildid.h"
#include "elfsym.h"
#include "intern.h"

struct module_key {
	struct buildid id;
	uint64_t dev, ino; /* 0: not told */
	uint32_t pid;	   /* a process that has it mapped; no part of what it is */
};

struct module {
	uint32_t path_number;
	struct buildid id;
	uint64_t dev, ino;
	uint32_t pid;
	bool loaded;
	struct elfsym *symbols;
	const char *note; /* what the user should know about it; NULL: nothing */
};

struct modules {
	bool same_boot; /* whether this is the boot of the recording: then processes may still live */
	struct intern keys;
	struct intern paths;
	struct module *module;
	size_t count;
};

void modules_init(struct modules *ms, bool same_boot);
void modules_free(struct modules *ms);

/* The number of a module, taken in if it is new; -ENOMEM */
int64_t modules_number(struct modules *ms, const struct module_key *key, const char *path);

/* Lives until the next modules_number() */
const char *modules_path(const struct modules *ms, uint32_t number);

/*
 * The symbol at an offset in the module's file: 0, -ENOENT or -ENOMEM. What is found lives as long
 * as @ms.
 */
int modules_find(struct modules *ms, uint32_t module, uint64_t offset, struct elfsym_symbol *sym);

#endif
