/* SPDX-License-Identifier: MIT */
/*
 * vsamp/itt_pauses.h: pauses of programs, by ITT, that pause a whole recording
 *
 * A program's __itt_pause() and __itt_resume() are then asked of the recorder, and return once it has
 * done so. With several programs the last call holds, whoever makes it. docs/itt-spool.md has how.
 */
#ifndef VSAMP_ITT_PAUSES_H
#define VSAMP_ITT_PAUSES_H

#include <stdbool.h>

#include <vsamp/control.h>
#include <vsamp/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread at a time may use it */
struct vsamp_itt_pauses;

/**
 * vsamp_itt_pauses_open - let programs ask from now on
 * @pauses: receives it
 * @dir: where their collectors make files, which no other recorder reads meanwhile
 * @clock: VSAMP_CLOCK_x of the session (uapi/vsamp.h)
 * @paused: the recording begins paused
 *
 * Errors: -ENAMETOOLONG: of the folder; of socket(2), bind(2); -ENOMEM.
 */
int vsamp_itt_pauses_open(struct vsamp_itt_pauses **pauses, const char *dir, int clock, bool paused,
			  struct vsamp_error *err);

/** vsamp_itt_pauses_fd - for poll(2): readable when somebody asks */
int vsamp_itt_pauses_fd(const struct vsamp_itt_pauses *pauses);

/**
 * vsamp_itt_pauses_take - pause and resume as is asked, and tell of it
 * @session: runs or is paused, as vsamp_itt_pauses_paused() says; NULL: it is left as it is, and that
 *	     it follows is up to the caller
 * @w: behind its META
 *
 * Doesn't wait. Errors: of vsamp_session_pause(), vsamp_session_resume(), and the writer.
 */
int vsamp_itt_pauses_take(struct vsamp_itt_pauses *pauses, struct vsamp_session *session,
			  struct vsamp_writer *w, struct vsamp_error *err);

/** vsamp_itt_pauses_start - tell a file, or a run in it, that begins now whether it begins in a pause */
int vsamp_itt_pauses_start(const struct vsamp_itt_pauses *pauses, struct vsamp_writer *w,
			   struct vsamp_error *err);

/** vsamp_itt_pauses_paused - whether the recording is to be paused */
bool vsamp_itt_pauses_paused(const struct vsamp_itt_pauses *pauses);

/** vsamp_itt_pauses_resumes - how often programs asked for a pause's end */
uint64_t vsamp_itt_pauses_resumes(const struct vsamp_itt_pauses *pauses);

/** vsamp_itt_pauses_close - who asks from now on pauses its own process; @pauses may be NULL */
void vsamp_itt_pauses_close(struct vsamp_itt_pauses *pauses);

#ifdef __cplusplus
}
#endif

#endif
