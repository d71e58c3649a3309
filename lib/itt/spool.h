/* SPDX-License-Identifier: MIT */
/* spool.h: the file that a collector keeps of each thread, as docs/itt-spool.md tells */
#ifndef ITT_SPOOL_H
#define ITT_SPOOL_H

#include <stdint.h>

#define SPOOL_MAGIC	   "VSAMPITT"
#define SPOOL_VERSION	   2
#define SPOOL_HEADER	   4096u /* bytes before the first segment */
#define SPOOL_KEPT	   64u /* slots that a thread keeps mapped; a reader leaves their bytes alone */
#define SPOOL_SLOTS	   16384u /* of a file at most */
#define SPOOL_POINTS	   100
#define SPOOL_SUFFIX	   ".itt"
/*
 * The socket of a recorder that takes pauses of all. Who connects asks for one, or for its end, as the
 * first letter of its own, abstract address tells, and waits until it is closed.
 */
#define SPOOL_PAUSES	   "pauses"
#define SPOOL_PAUSE	   'P'
#define SPOOL_RESUME	   'C'
/* pid, start, tid, number of the file in its process */
#define SPOOL_NAME	   "%u-%016llx-%u-%u" SPOOL_SUFFIX

/* Bytes of segments, of which files have nothing else behind the header */
#define SPOOL_SEGMENT	   (1u << 18) /* of a thread */
#define SPOOL_SEGMENT_DEFS (1u << 16) /* of a process's definitions */

/* As VSAMP_CLOCK_x of a session */
enum spool_clock {
	SPOOL_CLOCK_TSC = 1,	   /* or Arm's generic timer */
	SPOOL_CLOCK_MONOTONIC = 2, /* ns */
	SPOOL_CLOCK_MONOTONIC_RAW = 3,
};

/* The same instant on three clocks, to within bracket ticks */
struct spool_point {
	uint64_t ticks, bracket;
	uint64_t raw, monotonic; /* ns */
};

/* Where a reader goes on; it writes these, and nobody else */
struct spool_taken {
	uint64_t segments; /* taken wholly: what has them may be written again */
	uint32_t slot;	   /* of the first that isn't */
	uint32_t bytes;	   /* of that, its head included; 0: none */
	uint64_t lost;	   /* of the header's, that it has told */
};

struct spool_header {
	char magic[8];
	uint32_t version;
	uint32_t clock;	 /* enum spool_clock */
	uint32_t pid;	 /* in the program's PID namespace, */
	uint32_t tid;	 /* likewise; 0: the definitions of the process */
	uint64_t start;	 /* ticks: when the process began to be collected */
	uint32_t number; /* of the file in its process, in the order of their beginnings */
	uint32_t points; /* valid ones */
	uint64_t lost;	 /* calls that found no room, also those that LOST records tell of */
	struct spool_taken taken;
	uint32_t ended;	  /* 1: the thread has told all; 0: it may go on, or was killed */
	uint32_t segment; /* bytes: SPOOL_SEGMENT, or _DEFS */
	uint64_t pidns;	  /* inode of the PID namespace; 0: not known */
	uint64_t reserved[5];
	struct spool_point point[SPOOL_POINTS];
};

/* What a segment begins with. Segments are numbered from 0, whichever slot of the file they are in. */
struct spool_head {
	uint64_t number; /* of the segment, + 1 */
	uint64_t next; /* slot of the one behind it, + 1; 0: it is being written, or is the last */
	uint64_t reserved[2];
};

#define SPOOL_END 16u /* bytes of a segment behind its records, for what marks their end */

_Static_assert(sizeof(struct spool_header) <= SPOOL_HEADER, "it fits");

/* Ticks of SPOOL_CLOCK_TSC: the TSC, or the generic timer */
static inline uint64_t spool_tsc(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	uint64_t now;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
	return now;
#endif
}

#endif
