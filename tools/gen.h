/* SPDX-License-Identifier: MIT */
/* What vsamp gen was asked for, and what does it */
#ifndef GEN_H
#define GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vsamp/gen_binary.h>

struct gen_options {
	const char *name; /* the argument behind the verb; NULL: not given */
	const char *platform, *kernel, *tool, *output, *dump;
	uint64_t buffer;
	uint32_t records;
	bool json;
};

/* Each returns the exit code */
int gen_model(const struct gen_options *o);
int gen_disassemble(const struct gen_options *o);
int gen_instrument(const struct gen_options *o);
int gen_report(const struct gen_options *o);

/* A file's bytes, for free(); NULL: it was said why not */
void *gen_file_read(const char *path, size_t *size);

/* Whether a file has a kernel; it is said if not */
bool gen_has_kernel(const struct vsamp_gen_binary *binary, const char *file, const char *kernel);

struct tool;

/* Says why a tool could not do what it is to, and what to do; the exit code */
int gen_tool_fail(const struct gen_options *o, enum vsamp_gen_status status, const char *why);

/*
 * What instrument and report begin with: a tool, and a file that is open. Returns the exit code; on errors,
 * too, data is for free() and binary to be closed
 */
int gen_tool_open(const struct gen_options *o, const struct tool **tool, void **data,
		  struct vsamp_gen_binary **binary);

#endif
