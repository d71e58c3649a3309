/* SPDX-License-Identifier: MIT */
/*
 * module.h: the files that processes of a recording had mapped, and their symbols
 *
 * A module is told by its path and its build-id, or device and inode where a recording has no
 * build-id; code that a process made at run time is one module of that process. Symbols are read
 * when a name is first asked for, lines of sources likewise.
 */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include <vsamp/clock.h>

#include "buildid.h"
#include "elfsym.h"
#include "intern.h"
#include "lines.h"

#define MODULE_ANON "[anon]"

/* Where and when the recording was made, as far as it helps to find files */
struct module_origin {
	bool same_boot;				 /* in this boot */
	bool same_pids;				 /* and its pids are as we see them */
	uint64_t ended;				 /* CLOCK_REALTIME, s; 0: not known */
	struct buildid vdso, kernel;		 /* of its machine; none: not known */
	const struct vsamp_clock_fit *monotonic; /* times in ns of CLOCK_MONOTONIC; NULL: unknown */
};

struct module_key {
	struct buildid id;
	uint64_t dev, ino; /* 0: not told */
	uint32_t pid; /* a process that has it mapped; no part of what it is, unless it made it */
};

struct module {
	uint32_t path_number;
	struct buildid id;
	uint64_t dev, ino;
	uint32_t pid, last_pid; /* the first process that had it mapped, and the last */
	bool anon;		/* code that process pid made */
	bool loaded, lines_loaded;
	struct elfsym *symbols;
	struct lines *lines;
	struct jitdump *jitdump; /* NULL: it is none, or wasn't asked for yet */
	bool jitdump_loaded;
	const char *note; /* what the user should know about it; NULL: nothing */
};

struct modules {
	struct module_origin origin;
	struct intern keys;
	struct intern paths;
	struct module *module;
	size_t count;
	bool settled; /* all are taken in, and come only again */
};

void modules_init(struct modules *ms, const struct module_origin *origin);
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

/* The offsets around one that have the same symbol: 0 or -ENOMEM */
int modules_range(struct modules *ms, uint32_t module, uint64_t offset, struct elfsym_range *range);

/* The same of the source's line */
int modules_line(struct modules *ms, uint32_t module, uint64_t offset, const char **file,
		 uint32_t *line);

/*
 * Where in the module's file, if it is a jitdump, is the code that was at @addr at @time (ticks): 0,
 * -ENOENT or -ENOMEM
 */
int modules_jit(struct modules *ms, uint32_t module, uint64_t addr, uint64_t time,
		uint64_t *offset);

/* Forgets names of code made at run time, of which there may be more since: they are read anew */
void modules_refresh(struct modules *ms);

/* The file with the module's code, to be closed; -ENOENT: the module's note says why */
int modules_open(struct modules *ms, uint32_t module);

/* module_load.c: reads symbols, lines, the code of a jitdump; once a module. 0 or -ENOMEM */
int module_load(struct modules *ms, uint32_t number);
int module_load_lines(struct modules *ms, uint32_t number);
int module_load_jitdump(struct modules *ms, uint32_t number);

#endif
