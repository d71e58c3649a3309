/* SPDX-License-Identifier: MIT */
/*
 * procmap.h: which process a pid is, and what it has mapped where, at the time reached so far
 *
 * Fed with sideband records in the order of their times.
 */
#ifndef PROCMAP_H
#define PROCMAP_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "intern.h"
#include "module.h"

/* A process under one name: exec makes another identity of the same pid */
struct procmap_identity {
	uint32_t pid;
	char comm[]; /* "" where no record told it */
};

struct procmap {
	struct modules *modules;
	struct intern pids;
	struct proc *proc; /* by number of the pid */
	size_t procs;
	struct intern identities; /* struct procmap_identity */
	size_t entries;		  /* mappings of all processes */
	uint64_t lost;		  /* sideband records that the kernel told are missing */
	uint32_t last_pid, last;
};

/* @modules takes the modules that are mapped, and must outlive it */
void procmap_init(struct procmap *pm, struct modules *modules);
void procmap_free(struct procmap *pm);

/* Takes a record of any type, whose size was checked to hold the trailer. -ENOMEM, -E2BIG */
int procmap_apply(struct procmap *pm, const struct perf_event_header *rec);

/* The number of the identity that @pid has now; -ENOMEM */
int64_t procmap_identity(struct procmap *pm, uint32_t pid);

static inline const struct procmap_identity *procmap_identity_at(const struct procmap *pm,
								 uint32_t number)
{
	return intern_key(&pm->identities, number);
}

/*
 * What @pid has mapped at @addr: 0 and the number of the module and the offset in its file, or
 * -ENOENT.
 */
int procmap_find(struct procmap *pm, uint32_t pid, uint64_t addr, uint32_t *module,
		 uint64_t *offset);

#endif
