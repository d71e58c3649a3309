/* SPDX-License-Identifier: MIT */
/* vsamp/progress.h: how far long work on a file is */
#ifndef VSAMP_PROGRESS_H
#define VSAMP_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * vsamp_progress_watch - be told how far the reading of files is
 * @tell: called on from all that reads a file in this thread, a few times a megabyte: @done of
 *	  @total bytes were read. Most work reads a file more than once: then @done begins again.
 *	  NULL: no more
 * @arg: handed on
 */
void vsamp_progress_watch(void (*tell)(void *arg, uint64_t done, uint64_t total), void *arg);

#ifdef __cplusplus
}
#endif

#endif
