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

struct mappings;

/* A process */
struct proc {
	uint32_t identity;
	uint32_t ns_pid;	   /* in its own pid namespace; 0: not known */
	uint64_t ns;		   /* inode of that */
	struct mappings *mappings; /* NULL: none */
	uint32_t jitdump;	   /* the module that it is, of procmap.c */
};

struct procmap {
	struct modules *modules;
	struct intern pids;
	struct proc *proc; /* by number of the pid */
	size_t procs;
	struct intern identities; /* struct procmap_identity */
	size_t entries;		  /* mappings of all processes */
	uint64_t lost;		  /* sideband records that the kernel told are missing */
	struct intern_recent recent[INTERN_RECENT]; /* of the pids */
	struct proc *last;			    /* that was asked for; NULL: none was */
	uint32_t last_pid;
};

/* @modules takes the modules that are mapped, and must outlive it */
void procmap_init(struct procmap *pm, struct modules *modules);
void procmap_free(struct procmap *pm);

/* Takes in the module that a record of any type may tell of, and nothing else. -ENOMEM */
int procmap_see(struct procmap *pm, const struct perf_event_header *rec);

/* Takes a record of any type, whose size was checked to hold the trailer. -ENOMEM, -E2BIG */
int procmap_apply(struct procmap *pm, const struct perf_event_header *rec);

/*
 * What @pid is called in its own pid namespace, 0: not known, or it is the recorder's; and the
 * inode of that, 0: not known
 */
void procmap_namespace(struct procmap *pm, uint32_t pid, uint32_t *ns_pid, uint64_t *ns);

/* The same inode of the process of a number below procs */
uint64_t procmap_namespace_at(const struct procmap *pm, size_t number);

/* The process that has @pid now, made nameless if it is new; NULL without memory. Until the next pid */
struct proc *procmap_proc_slow(struct procmap *pm, uint32_t pid);

static inline struct proc *procmap_proc(struct procmap *pm, uint32_t pid)
{
	return pm->last && pm->last_pid == pid ? pm->last : procmap_proc_slow(pm, pid);
}

/* The number of the identity that @pid has now; -ENOMEM */
static inline int64_t procmap_identity(struct procmap *pm, uint32_t pid)
{
	const struct proc *p = procmap_proc(pm, pid);

	return p ? (int64_t)p->identity : -ENOMEM;
}

static inline const struct procmap_identity *procmap_identity_at(const struct procmap *pm,
								 uint32_t number)
{
	return intern_key(&pm->identities, number);
}

/*
 * For those who go on for days: what the process had mapped, which is no more; and identities that no
 * process has any more, which gives the others new numbers. -ENOMEM
 */
void procmap_forget(struct procmap *pm, uint32_t pid);
int procmap_trim(struct procmap *pm);

/*
 * What @pid has mapped at @addr: 0 and the number of the module and the offset in its file, or
 * -ENOENT. Code made at run time is that of the jitdump of the process, if it tells what was there
 * at @time (ticks); else the offset is @addr. -ENOMEM
 */
int procmap_find(struct procmap *pm, uint32_t pid, uint64_t addr, uint64_t time, uint32_t *module,
		 uint64_t *offset);

#endif
