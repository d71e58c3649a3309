/* SPDX-License-Identifier: MIT */
/*
 * jitdump.h: code that a process made at run time, as it wrote it to jit-PID.dump
 *
 * Where the code lies in that file is what tells pieces of code apart: at an address there may be
 * several, one after the other.
 */
#ifndef JITDUMP_H
#define JITDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include <vsamp/clock.h>

#include "elfsym.h"
#include "lines.h"

struct jitdump;

/* Whether a file that a process maps is its jitdump, which it does to tell of it */
bool jitdump_named(const char *path);

/*
 * Reads a jitdump, up to what makes no sense in it. @es and @l take its names and lines, by offset
 * in the file. @monotonic: from the times of records to CLOCK_MONOTONIC. -EBADMSG: it is none, or
 * of another order of bytes, or more than a compiler would write; -ENOMEM
 */
int jitdump_read(struct jitdump **jd, int fd, const struct vsamp_clock_fit *monotonic,
		 struct elfsym *es, struct lines *l);
void jitdump_free(struct jitdump *jd);

/* Where in the file is the code that was at @addr at @time (ticks). 0 or -ENOENT */
int jitdump_find(const struct jitdump *jd, uint64_t addr, uint64_t time, uint64_t *offset);

#endif
