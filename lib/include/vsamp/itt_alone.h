/* SPDX-License-Identifier: MIT */
/*
 * vsamp/itt_alone.h: recordings of ITT calls alone, without samples
 *
 * Of what programs left in a folder, or in a file of their own: docs/itt-spool.md.
 */
#ifndef VSAMP_ITT_ALONE_H
#define VSAMP_ITT_ALONE_H

#include <vsamp/itt_spool.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vsamp_itt_alone_write - write a whole recording of what is in a spool
 * @w: to which nothing was written; it is complete then
 * @path: a folder of collectors' files; they stay as they are
 * @clock: of the recording: VSAMP_CLOCK_MONOTONIC_RAW, or VSAMP_CLOCK_MONOTONIC, which is for what was
 *	   collected by VSAMP_ITT_CLOCK=monotonic: the TSC is told in either, the one not in the other
 * @command_line: of the caller, NULL at its end
 * @result: filled, also on error: as far as it came
 *
 * Errors: of opendir(3), read(2) and the writer; -ENODATA: there is nothing, or nothing that can be
 * told by this clock; -ENOMEM.
 */
int vsamp_itt_alone_write(struct vsamp_writer *w, const char *path, int clock,
			  char *const *command_line, struct vsamp_itt_totals *result,
			  struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
