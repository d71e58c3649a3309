/* SPDX-License-Identifier: MIT */
/*
 * names.h: spots of code in a recording, and what they are called
 *
 * A spot is as cheap as it can be told while a recording is read; names come when all of it was,
 * once a spot.
 */
#ifndef NAMES_H
#define NAMES_H

#include "intern.h"
#include "module.h"
#include "recording_private.h"

/* Modules of spots, beside the numbers of struct modules */
#define SPOT_KERNEL (1U << 31) /* with the number of the snapshot that was current */
#define SPOT_NONE   UINT32_MAX
#define SPOT_GUEST  (UINT32_MAX - 1) /* in a virtual machine, of which nothing else is known */

struct spot {
	uint64_t offset; /* in the module's file; in the kernel the address */
	uint64_t module;
};

struct name {
	uint32_t label;	 /* of the module, as names_module() takes it */
	uint32_t symbol; /* as names_symbol() does */
};

/* A line of source code */
struct names_line {
	uint32_t line; /* from 1 on */
	char file[];   /* as the compiler was given it, with its folder */
};

#define NAMES_NO_LINE UINT32_MAX

struct names {
	struct vsamp_recording *rec;
	struct modules *modules;
	bool whole;	     /* spots are symbols, and not the addresses in them */
	bool mangled;	     /* names stay as they are in files; to be set before names_find() */
	struct intern spots; /* struct spot */
	struct names_near *near, *last; /* of names_spot.c */
	struct name *name;		/* by spot */
	size_t room;			/* for names */
	uint32_t named;			/* spots that have theirs */
	struct intern labels;		/* modules as rows show them: path, zero, build-id */
	struct buf notes;		/* const char *, by label */
	struct intern symbols;
	struct intern raw;     /* mangled names of symbols */
	struct buf demangled;  /* by number of these: uint32_t, of a symbol */
	uint32_t *line_of;     /* by spot, a number as names_line() takes it, or NAMES_NO_LINE */
	struct intern lines;   /* struct names_line */
	struct kallsyms *live; /* of the kernel that runs, if the recording has none, of its boot */
	bool live_tried;
	uint32_t *with_id; /* by number of a path: a module that has a build-id, or UINT32_MAX */
	uint32_t paths;	   /* that are in it */
};

void names_init(struct names *n, struct vsamp_recording *rec, struct modules *modules);
void names_free(struct names *n);

/* Has spots be symbols; before all spots, and when all modules are known. -ENOMEM */
int names_whole(struct names *n);

/* The module that names are taken from: of one file some records may have the build-id, others not */
uint32_t names_module_with_id(const struct names *n, uint32_t module);

/* names_spot.c: the number of a spot, or -ENOMEM */
int64_t names_spot(struct names *n, uint32_t module, uint64_t offset);

/* Has the memory fetched that names_spot() will look at first */
void names_fetch(const struct names *n, uint32_t module, uint64_t offset);

/* Names all spots, or those that came since it was called last */
int names_find(struct names *n, struct vsamp_error *err);

/* Where the code of a spot is: in the kernel as it ran, or in a file */
struct names_code {
	uint32_t module;	  /* as of struct spot; of a file, the one it was named by */
	uint64_t address;	  /* of the spot */
	struct elfsym_symbol sym; /* the symbol that it is in */
	struct buildid id;
};

/* After names_find(). 0, -ENOENT: no symbol is known there, -ENOMEM */
int names_code(struct names *n, uint32_t spot, struct names_code *code, struct vsamp_error *err);

/* Source lines of all spots, by debug information; after names_find(). 0 or -ENOMEM */
int names_find_lines(struct names *n, struct vsamp_error *err);

static inline const struct names_line *names_line(const struct names *n, uint32_t number)
{
	return intern_key(&n->lines, number);
}

static inline const char *names_module(const struct names *n, uint32_t label)
{
	return intern_key(&n->labels, label);
}

static inline const char *names_build_id(const struct names *n, uint32_t label)
{
	const char *module = names_module(n, label);

	return module + strlen(module) + 1;
}

/* Why symbols are missing; NULL: they aren't */
static inline const char *names_note(const struct names *n, uint32_t label)
{
	return ((const char *const *)n->notes.data)[label];
}

static inline const char *names_symbol(const struct names *n, uint32_t symbol)
{
	return intern_key(&n->symbols, symbol);
}

#endif
