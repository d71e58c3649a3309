/* SPDX-License-Identifier: MIT */
/*
 * vsamp/guardian.h: the NMI watchdog, off for the time of a recording
 *
 * The watchdog holds a performance counter. A guardian process, which holds no session, turns it on
 * again as soon as the counters are free after its creator ended, however that ended.
 */
#ifndef VSAMP_GUARDIAN_H
#define VSAMP_GUARDIAN_H

#include <vsamp/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_guardian;

/**
 * vsamp_guardian_open - turn the watchdog off, after forking the guardian
 *
 * Call it before opening a session and before starting threads. Where the watchdog is off already
 * nothing is done and *guardian is NULL. Errors: of fork(2); -EACCES: not root.
 */
int vsamp_guardian_open(struct vsamp_guardian **guardian, struct vsamp_error *err);

/**
 * vsamp_guardian_close - have the watchdog turned on again
 *
 * Call it after closing the session. Waits until it is done; -ETIMEDOUT if the counters are still
 * taken after 5 seconds: the guardian goes on waiting for them then. NULL is nothing to do.
 */
int vsamp_guardian_close(struct vsamp_guardian *guardian, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
