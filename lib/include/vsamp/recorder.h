/* SPDX-License-Identifier: MIT */
/*
 * vsamp/recorder.h: from the rings of a running session, and the sideband, into a file
 *
 *	vsamp_session_start(session, &err);
 *	vsamp_recorder_open(&recorder, session, sideband, writer, &err);
 *	vsamp_recorder_run(recorder, wake_fd, deadline, &why, &err);
 *	vsamp_session_stop(session, &err);
 *	vsamp_recorder_finish(recorder, &totals, &err);
 *
 * One thread a recorder. Session, sideband and writer stay the caller's.
 */
#ifndef VSAMP_RECORDER_H
#define VSAMP_RECORDER_H

#include <stdint.h>

#include <vsamp/control.h>
#include <vsamp/file.h>
#include <vsamp/sideband.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_recorder;

enum vsamp_recorder_why {
	VSAMP_RECORDER_WAKE,	 /* wake_fd is readable */
	VSAMP_RECORDER_DEADLINE, /* the time is over */
	VSAMP_RECORDER_ENDED,	 /* the session ended by itself */
};

struct vsamp_recorder_cpu {
	uint32_t cpu;
	uint64_t produced; /* by the module's count, and so on */
	uint64_t written;
	uint64_t lost;
	uint64_t pmis;
	uint64_t throttled;
	uint64_t read; /* by the recorder's */
};

struct vsamp_recorder_totals {
	unsigned int n;
	struct vsamp_recorder_cpu *cpu; /* sorted by CPU */
	uint64_t produced;
	uint64_t written;
	uint64_t lost;
	uint64_t read;
	uint64_t throttled;
	uint64_t count[VSAMP_EVENTS_MAX];   /* events counted */
	uint64_t samples[VSAMP_EVENTS_MAX]; /* read */
	uint64_t sideband_lost;
	uint32_t end_reason; /* enum vsamp_end_reason */
};

/**
 * vsamp_recorder_open - map the rings of a started session
 * @sideband: NULL for none
 */
int vsamp_recorder_open(struct vsamp_recorder **recorder, struct vsamp_session *session,
			struct vsamp_sideband *sideband, struct vsamp_writer *w,
			struct vsamp_error *err);

/**
 * vsamp_recorder_run - drain until something ends it
 * @wake_fd: ends it when readable, e.g. a signalfd; -1: none
 * @deadline_ns: CLOCK_MONOTONIC; 0: none
 * @why: receives what ended it
 *
 * What was recorded reaches the file at least once a second. Can be called again. Errors: of the
 * writer, -EBADMSG for a damaged ring.
 */
int vsamp_recorder_run(struct vsamp_recorder *recorder, int wake_fd, uint64_t deadline_ns,
		       enum vsamp_recorder_why *why, struct vsamp_error *err);

/**
 * vsamp_recorder_finish - take what is left in the rings and settle the account
 * @totals: filled also on -EBADMSG; free with vsamp_recorder_totals_free()
 *
 * The session must be stopped. Errors: -EBADMSG where produced is not written + lost, or not all
 * that was written was read; of the writer.
 */
int vsamp_recorder_finish(struct vsamp_recorder *recorder, struct vsamp_recorder_totals *totals,
			  struct vsamp_error *err);
void vsamp_recorder_totals_free(struct vsamp_recorder_totals *totals);

void vsamp_recorder_close(struct vsamp_recorder *recorder); /* NULL is nothing to do */

#ifdef __cplusplus
}
#endif

#endif
