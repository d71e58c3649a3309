// SPDX-License-Identifier: MIT
/* threads.c: names of threads, by the records that tell of them */
#include "file_private.h"
#include "perf_record.h"
#include "threads.h"

#define NAMELESS UINT32_MAX

/* The number of a thread, nameless if it is new; -ENOMEM */
static int64_t tid_number(struct threads *t, uint32_t tid)
{
	int64_t number = intern_id(&t->tids, t->recent, tid);
	uint32_t *more;

	if (number < 0 || (size_t)number < t->known)
		return number;
	/* grows as a power of two does */
	if (!(number & (number - 1))) {
		more = realloc(t->name_of, (number ? 2 * number : 1) * sizeof(*more));
		if (!more)
			return -ENOMEM;
		t->name_of = more;
	}
	t->name_of[t->known++] = NAMELESS;
	return number;
}

/* A new thread, or process, has the name of the thread that made it */
static int take_fork(struct threads *t, const struct task_record *task)
{
	int64_t maker, made;

	if (task->h.size < sizeof(*task) + sizeof(struct sideband_id))
		return 0;
	maker = tid_number(t, task->ptid);
	made = tid_number(t, task->tid);
	if (maker < 0 || made < 0)
		return -ENOMEM;
	t->name_of[made] = t->name_of[maker];
	return 0;
}

static int take_comm(struct threads *t, const struct comm_record *comm)
{
	size_t room = comm->h.size - sizeof(struct sideband_id);
	int64_t tid, name;

	if (room <= sizeof(*comm) || !memchr(comm->comm, 0, room - sizeof(*comm)))
		return 0;
	tid = tid_number(t, comm->tid);
	name = intern_string(&t->names, comm->comm);
	if (tid < 0 || name < 0)
		return -ENOMEM;
	t->name_of[tid] = name;
	return 0;
}

int threads_take(struct threads *t, const struct perf_event_header *rec)
{
	if (rec->type == PERF_RECORD_FORK)
		return take_fork(t, (const void *)rec);
	if (rec->type == PERF_RECORD_COMM)
		return take_comm(t, (const void *)rec);
	return 0;
}

int64_t threads_number(struct threads *t, uint32_t tid, const char *process)
{
	int64_t number = tid ? tid_number(t, tid) : NAMELESS;

	if (number == -ENOMEM)
		return number;
	if (number == NAMELESS || t->name_of[number] == NAMELESS)
		return intern_string(&t->names, process);
	return t->name_of[number];
}

void threads_free(struct threads *t)
{
	intern_free(&t->tids);
	intern_free(&t->names);
	free(t->name_of);
}
