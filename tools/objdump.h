/* SPDX-License-Identifier: MIT */
/* Disassembly, by the system's objdump */
#ifndef OBJDUMP_H
#define OBJDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct objdump {
	const char *program;
	bool lines;  /* where each instruction comes from, as FILE:LINE */
	bool source; /* that line itself */
};

struct objdump_line {
	bool code;	  /* an instruction; else of the source */
	uint64_t address; /* of an instruction */
	char *text;	  /* without tabs */
};

/*
 * Disassembles an ELF file from start to end, in a section of it where addresses are of that ("": of
 * the whole); the lines are to be freed by objdump_free(), also on
 * error. An exit code, the error is said
 */
int objdump_run(const struct objdump *o, int fd, const char *section, uint64_t start, uint64_t end,
		struct objdump_line **lines, size_t *count);
void objdump_free(struct objdump_line *lines, size_t count);

#endif
