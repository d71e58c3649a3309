/* SPDX-License-Identifier: MIT */
/*
 * tool.h: what the tools of vsamp gen instrument have in common
 *
 * A tool inserts procedures that write to the profile buffer, and notes as sites what each place of
 * the buffer tells of. From the same kernels and options it makes the same sites: so what a run has
 * left in the buffer is read by asking the tool once more.
 */
#ifndef TOOL_H
#define TOOL_H

#include <vsamp/gen_build.h>
#include <vsamp/gen_instrument.h>

/* What a place of the buffer tells of */
struct tool_site {
	const char *kernel; /* for as long as the binary is open */
	size_t offset;	    /* bytes from the begin of the kernel's code as it was */
	size_t num;	    /* instructions */
	struct vsamp_gen_ins ins;
	bool meets;  /* vsamp_gen_instrument_meets() */
	uint64_t at; /* bytes from the buffer's begin */
};

struct tool_run {
	const struct tool *tool;
	const char *only; /* a kernel's name; NULL: all */
	uint32_t records; /* of each kernel, that memtrace has room for */
	const struct vsamp_gen_model *model;
	struct tool_site *site;
	size_t sites;
	uint64_t size; /* bytes of the buffer */
};

/* A named value of a row of a report */
struct tool_cell {
	const char *name;
	const char *text; /* NULL: it is a number */
	uint64_t value;
	bool hex, unknown;
	const uint64_t *list; /* NULL: it is one value */
	size_t num;	      /* of a list */
};

struct tool_out {
	void (*row)(void *arg, const struct tool_cell *cells, size_t num);
	void *arg;
	uint64_t written, lost; /* what the buffer has, and what there was no room for */
};

struct tool {
	const char *name, *what;
	enum vsamp_gen_status (*build)(struct vsamp_gen_instrument *i, struct tool_run *run);
	void (*report)(const struct tool_run *run, const uint8_t *buffer, struct tool_out *out);
};

extern const struct tool tool_opcodes, tool_bbl, tool_timers, tool_memtrace;

/* NULL: there is no such */
const struct tool *tool_find(const char *name);

/*
 * tool_instrument - asks run->tool for the kernels of a binary
 *
 * run->tool, only and records are given, the rest is zero before; the sites are for tool_free()
 * afterwards. Other arguments and errors: vsamp_gen_instrument_binary().
 */
enum vsamp_gen_status tool_instrument(struct tool_run *run, struct vsamp_gen_binary *binary,
				      uint64_t buffer, struct vsamp_gen_instrument_result *results,
				      char *why, size_t why_size);
void tool_free(struct tool_run *run);

/* A site whose @size bytes of the buffer, a multiple of 8, are behind those there are; NULL: no memory */
struct tool_site *tool_site(struct tool_run *run, struct vsamp_gen_instrument *i, size_t n,
			    uint64_t size);

/* Appends: one more at a place of the buffer, 8 bytes. @address: two registers that messages take */
enum vsamp_gen_status tool_count(struct vsamp_gen_instrument *i, struct vsamp_gen_proc *proc,
				 struct vsamp_gen_reg address, uint64_t at,
				 const struct vsamp_gen_pred *pred);

/* Two registers for messages, without a value when a procedure begins */
enum vsamp_gen_status tool_address(struct vsamp_gen_instrument *i, struct vsamp_gen_reg *reg);
enum vsamp_gen_status tool_data(struct vsamp_gen_instrument *i, struct vsamp_gen_reg *reg);

/* 8 bytes and 4 bytes that a GPU wrote */
uint64_t tool_u64(const uint8_t *from);
uint32_t tool_u32(const uint8_t *from);

#endif
