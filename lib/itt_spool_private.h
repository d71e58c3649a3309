/* SPDX-License-Identifier: MIT */
/* itt_spool_private.h: collectors' files while they are drained */
#ifndef ITT_SPOOL_PRIVATE_H
#define ITT_SPOOL_PRIVATE_H

#include <stdbool.h>
#include <stdio.h>

#include <vsamp/clock.h>
#include <vsamp/itt_record.h>
#include <vsamp/itt_spool.h>

#include "intern.h"
#include "itt/spool.h"

/* Numbers of other PID namespaces that can't be told here: no task of Linux has one so large */
#define SPOOL_FOREIGN (1u << 30)

/* From the ticks of programs to the session's clock */
struct spool_times {
	int clock;		     /* VSAMP_CLOCK_x of the session */
	struct vsamp_clock_fit *fit; /* NULL: the clocks are the same, or nothing is known yet */
	struct buf points; /* struct vsamp_clock_point: those of files of a join, then our own */
	size_t own;	   /* of these */
	uint64_t first;	   /* ticks, of the first of ours; 0: there is none */
	bool needed;	   /* there are times to be converted */
};

/* Under way in a process, and begun by the thread of a file; its end may come from any thread */
struct spool_span {
	struct vsamp_itt_call begin; /* its time is 0 if only the end is known yet */
	uint64_t end;		     /* time of the last that is known; 0: none */
	size_t file;
};

struct spool_counter {
	uint32_t handle, name; /* name: of one that is told by domain and name */
	bool set;
	uint64_t bits;	/* it was set to */
	uint64_t added; /* since */
};

struct spool_process {
	uint32_t pid; /* as the program has it */
	uint64_t start, pidns;
	uint32_t pid_here;
	uint64_t start_here;	     /* on the session's clock */
	bool left;		     /* it isn't wanted: its files are left alone */
	bool owned;		     /* it has a file that was taken in, */
	uint32_t uid;		     /* which is this user's */
	bool over;		     /* something else has its number */
	bool was_over;		     /* or it has ended: before its files were read the last time */
	struct buf spans;	     /* struct spool_span */
	struct buf counters;	     /* struct spool_counter */
	struct vsamp_itt_call pause; /* the last PAUSE or RESUME; type 0: none */
	struct buf kept; /* of an earlier recording: struct spool_kept, each with its record */
};

/* A record that whoever took what is before has kept: it is needed still */
struct spool_kept {
	uint32_t tid; /* here */
	uint32_t size;
};

struct spool_file {
	char name[64];
	uint32_t clock;	  /* enum spool_clock */
	uint32_t tid;	  /* as the program has it; 0: definitions */
	uint32_t number;  /* of the process */
	uint32_t segment; /* bytes */
	size_t process;	  /* which one */
	struct vsamp_itt_thread thread;
	struct spool_taken at;	     /* where it goes on; lost: what was told */
	uint64_t last;		     /* time of its last record */
	uint64_t not_before;	     /* time that the next has at least */
	bool begun;		     /* its times are known on the session's clock */
	bool bad;		     /* bytes came that no collector wrote */
	bool done;		     /* all is read, or nothing more can be */
	bool gone;		     /* and it is removed, if it may be */
	struct buf open;	     /* struct vsamp_itt_call: begins without an end */
	struct vsamp_itt_text *text; /* its name; NULL: none */
};

struct vsamp_itt_spool {
	int dir;
	bool take;
	bool failed;	/* something went wrong that a later reader should not miss */
	uint64_t pidns; /* our own */
	uint64_t now;	/* of the session's clock, when the last drain began */
	struct spool_times clock;
	struct intern names;			 /* of files */
	struct buf known;			 /* by number of these: whether it was looked at */
	struct buf files;			 /* struct spool_file */
	struct buf order;			 /* uint32_t: the files, as they are to be read */
	struct intern process_keys;		 /* start, namespace, pid */
	struct buf processes;			 /* struct spool_process */
	bool (*wanted)(void *arg, uint32_t pid); /* NULL: all are */
	void *wanted_arg;
	struct vsamp_writer *writer; /* NULL: it is only learnt what is under way */
	FILE *keep; /* records go there, while it is written what is kept; or NULL */
	struct vsamp_itt_totals total;
	uint8_t *segment, *again; /* SPOOL_SEGMENT bytes each */
};

static inline struct spool_file *spool_file(const struct vsamp_itt_spool *s, size_t i)
{
	return (struct spool_file *)s->files.data + i;
}

static inline size_t spool_files(const struct vsamp_itt_spool *s)
{
	return s->files.size / sizeof(struct spool_file);
}

static inline struct spool_process *spool_process(const struct vsamp_itt_spool *s, size_t i)
{
	return (struct spool_process *)s->processes.data + i;
}

static inline size_t spool_processes(const struct vsamp_itt_spool *s)
{
	return s->processes.size / sizeof(struct spool_process);
}

/* itt_spool_clock.c */

/* -ENOMEM */
int spool_clock_begin(struct spool_times *c, int clock);
/* There are times by a clock (enum spool_clock) */
void spool_clock_need(struct spool_times *c, uint32_t clock);
/* Takes a file's points. -ENOMEM */
int spool_clock_add(struct spool_times *c, const struct spool_header *h);
/* Learns how the clocks are now; waits where that would be too early. -ENOMEM */
int spool_clock_look(struct spool_times *c);
/* Whether times by a clock (enum spool_clock) can be told */
bool spool_clock_can(const struct spool_times *c, uint32_t clock);
uint64_t spool_clock_now(const struct spool_times *c);
uint64_t spool_clock_time(const struct spool_times *c, uint32_t clock, uint64_t time);
void spool_clock_free(struct spool_times *c);

/* itt_spool_pids.c */

/* The inode of our own PID namespace; 0: not known */
uint64_t spool_pidns(void);
/* Fills pid_here; false: it can't be told, and is that of a foreign task */
bool spool_pid_find(const struct vsamp_itt_spool *s, struct spool_process *p);
/* Likewise of a thread; returns its number here */
uint32_t spool_tid_find(const struct vsamp_itt_spool *s, const struct spool_process *p,
			uint32_t tid);
/* Who has the lock of an open file; 0: it can't be told */
uint32_t spool_holder(int fd);
/* Whether the process goes on, or may do so */
bool spool_pid_lives(const struct vsamp_itt_spool *s, const struct spool_process *p);
/* Whether a file of a user may tell of the process, which goes on; of one that has ended anybody's */
bool spool_pid_owned(const struct vsamp_itt_spool *s, const struct spool_process *p, uint32_t uid);

/* itt_spool_keep.c */

/* To the recording, or to what is kept. Of the writer; -ENOMEM */
int spool_write(struct vsamp_itt_spool *s, const struct vsamp_itt_thread *thread, const void *data,
		size_t size, struct vsamp_error *err);
/* Whoever takes later needs what is under way of what was taken now */
void spool_keep(struct vsamp_itt_spool *s);
/* Whether a name is of such a file */
bool spool_keep_is(const char *name);
/* Finds what was kept of a process */
void spool_keep_find(const struct vsamp_itt_spool *s, struct spool_process *p);
/* Learns what was kept of a file's thread. -ENOMEM */
int spool_keep_learn(struct vsamp_itt_spool *s, struct spool_file *f);

/* itt_spool_file.c */

enum spool_look {
	SPOOL_BAD,
	SPOOL_NOTHING, /* it isn't begun yet */
	SPOOL_GOOD,
};

/* What a file is. Its descriptor, if it is good, else -1. */
enum spool_look spool_file_look(const struct vsamp_itt_spool *s, const char *name,
				struct spool_header *h, int *fd);
/* Appends what is new. Of the writer; -ENOMEM */
int spool_file_drain(struct vsamp_itt_spool *s, struct spool_file *f, struct vsamp_error *err);
/* Tells the program, and who reads next, how far we are, which is in the recording */
void spool_file_give_back(struct vsamp_itt_spool *s, struct spool_file *f);

/* itt_spool_carry.c */

/* Learns from a record, its times being converted. -ENOMEM */
int spool_carry_learn(struct vsamp_itt_spool *s, struct spool_file *f,
		      const struct vsamp_itt_call *call);
/* Tells a further file of what is under way in a process, as begun at a time. Of the writer; -ENOMEM */
int spool_carry_tell(struct vsamp_itt_spool *s, size_t process, uint64_t time,
		     struct vsamp_error *err);
/* Nothing of a thread, or of a process, goes on */
void spool_carry_end(struct spool_file *f);
void spool_carry_end_process(struct spool_process *p);

#endif
