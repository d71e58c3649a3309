/* SPDX-License-Identifier: MIT */
/* perfmap.h: names of code that a process made at run time, as it wrote them to /tmp/perf-PID.map */
#ifndef PERFMAP_H
#define PERFMAP_H

#include <stdint.h>
#include <stdio.h>

#include "elfsym.h"

/*
 * Takes the map of a process. @root: the process while it lives, whose root and pid namespace hold
 * then; else 0. *note is set if there is none, or none to be believed. 0 or -ENOMEM
 */
int perfmap_load(struct elfsym *es, uint32_t pid, uint32_t root, const char **note);

/* Takes "START SIZE NAME" lines, START and SIZE in hex; of the same START the last holds */
int perfmap_read(struct elfsym *es, FILE *lines);

#endif
