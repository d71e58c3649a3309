/* SPDX-License-Identifier: MIT */
/*
 * kallsyms.h: a recording's snapshot of the kernel's symbols
 *
 * As text: a line "build-id HEX NAME" for the kernel ("[kernel]") and each module ("[NAME]") that
 * has one, an empty line, then a line "DELTA TYPE SYMBOL[\t[MODULE]]" for each symbol of code by
 * rising address, DELTA being the hexadecimal difference to the address before (of the first: to 0).
 */
#ifndef KALLSYMS_H
#define KALLSYMS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "buf.h"
#include "buildid.h"

#define KALLSYMS_KERNEL "[kernel]"

/*
 * Appends to @out the text made from lines as /proc/kallsyms has them. The build-ids come from
 * @sys ("/sys"; NULL: none). -EPERM when all addresses are hidden, -ENOMEM.
 */
int kallsyms_snapshot(struct buf *out, FILE *lines, const char *sys);

struct kallsyms;

struct kallsyms_symbol {
	uint64_t start, end;
	const char *name;
	const char *module; /* "[kernel]", "[ext4]" */
	const struct buildid *id;
};

/* Indexes a snapshot, whose text is copied. -EBADMSG, -ENOMEM */
int kallsyms_open(struct kallsyms **k, const char *text, size_t size);

/* The symbols of the kernel that runs, as far as they are shown. -EPERM when they are hidden */
int kallsyms_open_live(struct kallsyms **k);
void kallsyms_close(struct kallsyms *k);

size_t kallsyms_count(const struct kallsyms *k);
const struct buildid *kallsyms_kernel_id(const struct kallsyms *k);

/* The symbol of a number below the count, which rise with the address; as below */
void kallsyms_symbol(const struct kallsyms *k, size_t number, struct kallsyms_symbol *sym);

/* 0, or -ENOENT: no symbol covers @addr. What is found lives as long as @k. */
int kallsyms_find(const struct kallsyms *k, uint64_t addr, struct kallsyms_symbol *sym);

#endif
