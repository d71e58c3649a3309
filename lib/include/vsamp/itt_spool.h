/* SPDX-License-Identifier: MIT */
/*
 * vsamp/itt_spool.h: what libvsamp-itt.so wrote of the calls of programs, joined to a recording
 *
 * docs/itt-spool.md has the files, which may be of processes that run, or were killed.
 */
#ifndef VSAMP_ITT_SPOOL_H
#define VSAMP_ITT_SPOOL_H

#include <vsamp/file.h>

#ifdef __cplusplus
extern "C" {
#endif

struct vsamp_itt_totals {
	unsigned int files; /* of a thread each */
	unsigned int processes;
	unsigned int bad; /* files that are none, or have bytes that no collector wrote; they were
				 read up to these */
	unsigned int denied;  /* files that the caller may not read, or, to take them, write */
	unsigned int others;  /* files of a process that goes on, but not of its user: left out */
	unsigned int clocks;  /* files whose times can't be told on the session's clock: left out */
	unsigned int foreign; /* processes of another PID namespace that had ended before their
				 numbers could be told here: they have theirs, and 2^30 added */
	uint64_t records; /* of threads, written, without those of losses, and those told again */
	uint64_t lost;	  /* calls that found no room */
	uint64_t resumes; /* calls of __itt_resume() */
};

/* A folder of collectors' files while it is read. One thread at a time may use it. */
struct vsamp_itt_spool;

enum vsamp_itt_spool_mode {
	VSAMP_ITT_SPOOL_KEEP, /* the files stay as they are, and can be read again */
	VSAMP_ITT_SPOOL_TAKE, /* what is read makes room for more; files whose threads ended go */
};

/**
 * vsamp_itt_spool_open - begin to read what programs tell, that run or ran
 * @s: receives the spool; vsamp_itt_spool_close() ends it
 * @dir: of the files, which may come later, one by one; others in it are left alone
 * @clock: VSAMP_CLOCK_x of the session (uapi/vsamp.h)
 *
 * Errors: of open(2); -EBUSY: somebody takes from this folder; -ENOMEM.
 */
int vsamp_itt_spool_open(struct vsamp_itt_spool **s, const char *dir, int clock,
			 enum vsamp_itt_spool_mode mode, struct vsamp_error *err);

/**
 * vsamp_itt_spool_choose - leave out processes, whose files stay as they are
 * @wanted: is asked once for each, with its number as samples have it
 *
 * To be called before the first drain.
 */
void vsamp_itt_spool_choose(struct vsamp_itt_spool *s, bool (*wanted)(void *arg, uint32_t pid),
			    void *arg);

/**
 * vsamp_itt_spool_start - what is drained from now on goes to a file
 * @w: behind its META; it is used until the next start, or the end
 *
 * And again for each further file, which tells everything that it needs itself: definitions, and what
 * is under way, as begun when it was drained last and VSAMP_ITT_CONTINUED. What is drained before the
 * first start goes nowhere: it is what was before the recording.
 * Errors: of the writer; -ENOMEM.
 */
int vsamp_itt_spool_start(struct vsamp_itt_spool *s, struct vsamp_writer *w,
			  struct vsamp_error *err);

/**
 * vsamp_itt_spool_drain - append what all threads have told since the last time
 *
 * Doesn't wait for anybody. Errors: of the writer, and of reading the folder; -ENOMEM. What is wrong
 * with a file is none, but counted.
 */
int vsamp_itt_spool_drain(struct vsamp_itt_spool *s, struct vsamp_error *err);

/** vsamp_itt_spool_totals - since it was opened, of all files that it went to */
struct vsamp_itt_totals vsamp_itt_spool_totals(const struct vsamp_itt_spool *s);

/**
 * vsamp_itt_spool_close - without a last drain; @s may be NULL
 *
 * What was drained is taken then, so it is to be flushed, or the file closed, before. Where a drain
 * failed, or the process is killed, whoever reads next has up to 256 KiB of each thread again.
 */
void vsamp_itt_spool_close(struct vsamp_itt_spool *s);

/**
 * vsamp_itt_spool_join - append all that a spool has, once: open to KEEP, start, drain, close
 * @result: filled, also on error: as far as it came
 */
int vsamp_itt_spool_join(struct vsamp_writer *w, const char *dir, int clock,
			 struct vsamp_itt_totals *result, struct vsamp_error *err);

/**
 * vsamp_itt_spool_make - a folder for a spool, of the caller alone
 * @dir: receives its path, of @size bytes; "" on errors
 *
 * It is in TMPDIR; without that in /var/tmp, as it may become large, or else in /tmp. Errors:
 * -ENAMETOOLONG; of mkdtemp(3).
 */
int vsamp_itt_spool_make(char *dir, size_t size, struct vsamp_error *err);

/**
 * vsamp_itt_spool_remove - delete a spool's files, and the folder, if nothing else is in it
 *
 * Errors: of opendir(3), unlink(2), rmdir(2).
 */
int vsamp_itt_spool_remove(const char *dir, struct vsamp_error *err);

#ifdef __cplusplus
}
#endif

#endif
