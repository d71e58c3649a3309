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

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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
	uint64_t count[VSAMP_EVENTS_MAX];     /* events counted */
	uint64_t samples[VSAMP_EVENTS_MAX];   /* read */
	uint64_t overflows[VSAMP_EVENTS_MAX]; /* samples that were or should have been made */
	/* With time slices: ticks in which events were counted at all, and this one; else 0 */
	uint64_t enabled[VSAMP_EVENTS_MAX];
	uint64_t running[VSAMP_EVENTS_MAX];
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
 * vsamp_recorder_stats - the session's statistics; free with vsamp_stats_free()
 *
 * While a recorder has a session, to be used in place of vsamp_session_stats(), which says that
 * what has changed was seen.
 */
int vsamp_recorder_stats(struct vsamp_recorder *recorder, struct vsamp_stats *stats,
			 struct vsamp_error *err);

/**
 * vsamp_recorder_clock - the instant that a CLOCK record told of last
 *
 * false: none was read yet. A file that another goes before has it in its META: vsamp/meta.h.
 */
bool vsamp_recorder_clock(const struct vsamp_recorder *recorder, struct vsamp_record_clock *clock);

/**
 * vsamp_recorder_prepare - make another file ready, so that it names its samples by itself
 * @next: has its META and what is known of the kernel; stays the caller's
 * @pids: processes that the sideband follows; what is known of them, and all that the sideband tells
 *	  from now on, goes to both files
 * @n_pids: 0: of whatever runs
 *
 * What is sampled meanwhile goes on into the former file. To be followed by vsamp_recorder_switch().
 * On an error all is as before.
 */
int vsamp_recorder_prepare(struct vsamp_recorder *recorder, struct vsamp_writer *next,
			   const pid_t *pids, unsigned int n_pids, struct vsamp_error *err);

/**
 * vsamp_recorder_switch - go on in the file that was prepared, while the session runs
 * @totals: what the former file has: since it was begun, or switched to; free with
 *	    vsamp_recorder_totals_free()
 *
 * Each record is in one of the two. A loss that is marked in the next file belongs to it, so that
 * for either file produced is written + lost. Totals of later calls, and of vsamp_recorder_finish(),
 * are of the next file. Errors: as of vsamp_recorder_finish(); then the recorder can only be closed.
 */
int vsamp_recorder_switch(struct vsamp_recorder *recorder, struct vsamp_recorder_totals *totals,
			  struct vsamp_error *err);

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

/**
 * vsamp_recorder_totals_add - add the totals of another collection, CPU by CPU and event by event
 * @sum: zeroed, or of an earlier call; end_reason becomes that of @totals
 *
 * 0 or -ENOMEM; then @sum is as before.
 */
int vsamp_recorder_totals_add(struct vsamp_recorder_totals *sum,
			      const struct vsamp_recorder_totals *totals, struct vsamp_error *err);

void vsamp_recorder_close(struct vsamp_recorder *recorder); /* NULL is nothing to do */

#ifdef __cplusplus
}
#endif

#endif
