/* SPDX-License-Identifier: MIT */
/*
 * vsamp/sideband.h: what processes did: names, mappings, forks, exits, context switches
 *
 * From one PERF_COUNT_SW_DUMMY event per CPU that is online, or per CPU and thread of some processes,
 * which needs no hardware counter, and, for what ran before, from /proc in records of the same layout with time 0. Times are on
 * CLOCK_MONOTONIC_RAW. One thread at a time.
 */
#ifndef VSAMP_SIDEBAND_H
#define VSAMP_SIDEBAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <vsamp/error.h>
#include <vsamp/file.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_sideband;

#define VSAMP_SIDEBAND_SIZE_DEFAULT (1U << 19) /* bytes a CPU */
#define VSAMP_SIDEBAND_SIZE_MIN	    (1U << 12)

/**
 * vsamp_sideband_open - begin recording on every CPU that is online
 * @size: bytes of a CPU's buffer, a power of two of at least a page; made smaller where the
 *	  locked-memory limit asks for it
 *
 * Raises the soft limit of open files to the hard one. Errors: -EACCES, -EPERM: no permission, with
 * the setting that refuses; of perf_event_open(2), mmap(2).
 */
int vsamp_sideband_open(struct vsamp_sideband **sideband, size_t size, struct vsamp_error *err);

/**
 * vsamp_sideband_open_processes - begin recording what some processes do
 * @size: as of vsamp_sideband_open()
 * @pids: at least one; with all their threads, also those to come
 * @children: follow the processes that they fork, too
 *
 * As far as perf_event_paranoid (up to 2) lets it, a plain user may follow his own. Errors: as of
 * vsamp_sideband_open(); -ESRCH: no such process.
 */
int vsamp_sideband_open_processes(struct vsamp_sideband **sideband, size_t size, const pid_t *pids,
				  unsigned int n_pids, bool children, struct vsamp_error *err);
void vsamp_sideband_close(struct vsamp_sideband *sideband); /* NULL is nothing to do */

/** vsamp_sideband_size - bytes of the smallest CPU's buffer, as it turned out */
size_t vsamp_sideband_size(const struct vsamp_sideband *sideband);

/** vsamp_sideband_fd - readable when a buffer is a quarter full; for poll(2) */
int vsamp_sideband_fd(const struct vsamp_sideband *sideband);

/** vsamp_sideband_drain - hand what waits to the writer */
int vsamp_sideband_drain(struct vsamp_sideband *sideband, struct vsamp_writer *w,
			 struct vsamp_error *err);

/** vsamp_sideband_refresh - begin on CPUs that have come online; the others go on */
int vsamp_sideband_refresh(struct vsamp_sideband *sideband, struct vsamp_writer *w,
			   struct vsamp_error *err);

/** vsamp_sideband_lost - records lost since it was asked last, as the kernel said and was drained */
uint64_t vsamp_sideband_lost(struct vsamp_sideband *sideband);

/**
 * vsamp_sideband_synthesize - hand the writer records of processes that already run
 * @pid: of the only process wanted; 0: all
 *
 * Call it after vsamp_sideband_open...() and before the first drain: then there is no gap.
 */
int vsamp_sideband_synthesize(struct vsamp_writer *w, pid_t pid, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
