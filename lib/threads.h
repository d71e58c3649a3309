/* SPDX-License-Identifier: MIT */
/*
 * threads.h: what threads are called, at the time reached so far
 *
 * Fed with sideband records in the order of their times.
 */
#ifndef THREADS_H
#define THREADS_H

#include <linux/perf_event.h>

#include "intern.h"

struct threads {
	struct intern tids, names;
	uint32_t *name_of;			    /* by number of the tid */
	size_t known;				    /* tids that it has */
	struct intern_recent recent[INTERN_RECENT]; /* of the tids */
};

/* Takes a record of any type, whose size was checked to hold the trailer. 0 or -ENOMEM */
int threads_take(struct threads *t, const struct perf_event_header *rec);

/* The number of a thread's name; of one that no record names, that of @process. Or -ENOMEM */
int64_t threads_number(struct threads *t, uint32_t tid, const char *process);

static inline const char *threads_name(const struct threads *t, uint32_t number)
{
	return intern_key(&t->names, number);
}

void threads_free(struct threads *t);

#endif
